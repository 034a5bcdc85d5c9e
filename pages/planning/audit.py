"""Audit: whether a judge, such as a language model, may rank systems."""

from irmeval.ui.pages import auditing, frame
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    auditing.page(view)


draw(frame.view())
