"""Judgments needed: how many a narrow interval needs, and a sample to judge."""

from irmeval.ui.pages import frame, judge_next_files
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("judgments-needed")
    seldom = ("level", "seed")
    if needed := experiment.block(view, "judgments-needed", seldom=seldom, default="Table"):
        judge_next_files.sample(needed)


draw(frame.view())
