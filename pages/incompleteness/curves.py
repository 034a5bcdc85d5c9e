"""Curves: what happens to scores, orders and decisions as something disappears."""

from irmeval.ui.pages import frame, watching
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    watching.draw(view)


draw(frame.view())
