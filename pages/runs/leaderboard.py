"""Leaderboard: the best runs, by measure and topic."""

from irmeval.ui.pages import board, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("leaderboard")
    if result := board.run(view, board.settings(view)):
        if not experiment.compare(view, "leaderboard", result):
            with answer.body():
                board.show(view, result)
        experiment.provenance(view, "leaderboard", result)


draw(frame.view())
