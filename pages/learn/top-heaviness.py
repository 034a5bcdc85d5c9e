"""Top-heaviness: what a rank is worth to each measure, and what an ideal list scores."""

from irmeval.ui.widgets import experiment

experiment.page("top-heaviness")
experiment.section("ideal-lists", prefix="ideal_", key="ideal_view", default="Table")
