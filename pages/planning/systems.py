"""Systems: effect of another judge on the order of the runs and on decisions, and the
runs it favours.
"""

from irmeval.ui.pages import choose_judge

choose_judge.page("systems", seldom=("samples", "mixtures", "level", "team_rule", "seed"))
