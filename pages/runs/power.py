"""Power: number of significant pairs by measure, and the required difference."""

from functools import partial

from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("power")
    if result := experiment.make(view, "power"):
        more = {"Every test": partial(output.result_table, result.tables()[1])}
        experiment.present(view, "power", result, more, notes=result.notes, default="Table")


draw(frame.view())
