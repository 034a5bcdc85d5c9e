"""Agreement: measures that put the runs in the same order."""

from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.page(view, "agreement")


draw(frame.view())
