"""Holes: compare filling of missing judgments by another judge with measures made for
holes, and find how few own judgments suffice.
"""

from irmeval.ui.pages import choose_judge

choose_judge.page("holes", seldom=("near", "axis", "seed", "rounding", "method", "threshold"))
