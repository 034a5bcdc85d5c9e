"""Two runs: the better one, by measure and topic."""

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import experiment

experiment.show_question("two-runs")
seldom, decided = ("samples", "alpha", "at_once", "seed"), run_pairs.pick_pair()
experiment.block("two-runs", seldom=seldom, decided=decided, draw=run_pairs.draw_two_runs)
