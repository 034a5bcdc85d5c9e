"""Systems: effect of another judge on the order of the runs and on decisions, and the
runs it favours.
"""

from irmeval.ui.pages import choose_judge, frame
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    choose_judge.page(view, "systems", seldom=("samples", "mixtures", "level", "team_rule", "seed"))


draw(frame.view())
