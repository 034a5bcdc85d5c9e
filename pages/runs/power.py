"""Power: number of significant pairs by measure, and the required difference."""

from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("power")
    if result := experiment.make(view, "power"):
        experiment.present(view, "power", result, notes=result.notes, default="Table")


draw(frame.view())
