"""Top-heaviness: value of a rank to each measure, and score of an ideal list."""

from irmeval.ui.pages import frame, paper_measures
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("top-heaviness")
    experiment.block(view, "top-heaviness", measures=paper_measures.pick(view, "top-heaviness"))
    experiment.section(view, "ideal-lists", prefix="ideal_", key="ideal_view", default="Table")


draw(frame.view())
