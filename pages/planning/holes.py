"""Holes: compare filling of missing judgments by another judge with measures made for
holes, and find how few own judgments suffice.
"""

from irmeval.ui.pages import choose_judge, frame
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    choose_judge.page(
        view, "holes", seldom=("near", "axis", "seed", "rounding", "method", "threshold")
    )


draw(frame.view())
