"""Top-heaviness: value of a rank to each measure, and score of an ideal list."""

from irmeval.ui.pages import paper_measures
from irmeval.ui.widgets import experiment

experiment.show_question("top-heaviness")
experiment.block("top-heaviness", measures=paper_measures.pick("top-heaviness"))
experiment.section("ideal-lists", prefix="ideal_", key="ideal_view", default="Table")
