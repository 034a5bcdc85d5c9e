"""Leaderboard: the best runs, by measure and topic."""

from irmeval.ui.pages import board, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("leaderboard")
    if result := board.run(view, board.settings(view)):
        choice = experiment.choose_shown(result)
        if not experiment.compare(view, "leaderboard", result, choice):
            output.show_verdict("leaderboard", result, choice)
            with answer.body():
                board.draw(view, result, choice)
        experiment.provenance(view, "leaderboard", result)


draw(frame.view())
