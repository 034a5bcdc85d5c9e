"""Holes: whether judgments that another judge fills in are better than a measure made for holes, and how few of one's own suffice."""

from irmeval.ui.pages import choose_judge

choose_judge.page("holes", seldom=("near", "axis", "seed", "rounding", "method", "threshold"))
