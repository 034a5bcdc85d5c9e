"""Swap property: whether a better list always scores more."""

from irmeval.ui.pages import frame, paper_measures
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("swap-property")
    experiment.block(
        view,
        "swap-property",
        seldom=("nonrelevant_from", "nonrelevant_to"),
        measures=paper_measures.pick(view, "swap-property"),
    )


draw(frame.view())
