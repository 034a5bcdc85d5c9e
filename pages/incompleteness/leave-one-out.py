"""Leave one out: documents that only one team retrieved are taken from the pool."""

from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.page(
        view,
        "leave-one-out",
        # teams of runs are set in the sidebar, and by the CSV on the page Selection
        decided={"team_rule": view.rules.team_rule},
    )


draw(frame.view())
