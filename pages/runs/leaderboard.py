"""Leaderboard: the best runs, by measure and topic."""

import streamlit as st

from irmeval.ui.pages import board, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("leaderboard")
    params = board.settings(view)
    if result := board.run(view, params):
        with answer.body():
            table, holes = st.container(), st.container()
        with holes:
            result = board.add_holes(view, params, result)
        # before the choice is drawn, after which Streamlit refuses another value
        board.rank_by_added(result)
        choice = experiment.choose_shown(result)
        if not experiment.compare(view, "leaderboard", result, choice):
            output.show_verdict("leaderboard", result, choice)
            with answer.body():
                board.draw(view, result, choice, table)
        experiment.provenance(view, "leaderboard", result)


draw(frame.view())
