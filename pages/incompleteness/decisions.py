"""Decisions: pairs of runs that still differ significantly as judgments disappear, and
whether rightly.
"""

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import experiment

SELDOM = ("rounding", "samples", "alpha", "pairs", "pool", "correlation", "threshold")
experiment.page("decisions", seldom=SELDOM, draw=run_pairs.draw_decisions)
