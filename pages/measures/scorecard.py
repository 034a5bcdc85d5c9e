"""Scorecard: robustness of each measure by all criteria."""

from functools import partial

from irmeval.ui.pages import criteria, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    # first, since the page is left at once
    criteria.open_criterion()
    experiment.show_question("scorecard")
    if result := experiment.make(view, "scorecard", seldom=("rounding", "seed")):
        experiment.present(view, "scorecard", result, {"Table": partial(criteria.table, result)})


draw(frame.view())
