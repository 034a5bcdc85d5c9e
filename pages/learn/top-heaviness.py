"""Top-heaviness: value of a rank to each measure, and score of an ideal list."""

from irmeval.ui.widgets import experiment

experiment.page("top-heaviness")
experiment.section("ideal-lists", prefix="ideal_", key="ideal_view", default="Table")
