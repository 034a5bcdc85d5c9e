"""Systems: whether another judge would order the runs alike, which decisions would change, and whom it favours."""

from irmeval.ui.pages import choose_judge

choose_judge.page("systems", seldom=("samples", "mixtures", "level", "team_rule", "seed"))
