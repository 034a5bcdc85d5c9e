"""Gains: effect of the gains of relevance grades."""

import streamlit as st

from irmeval.experiments.measures.parameters import GAINS, with_parameter
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, form


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("gains")
    if not with_parameter(form.measures(view), GAINS):
        st.info("No measure in the sidebar uses grades of relevance. Add nDCG or Q, for example.")
        answer.stop_page()
    experiment.block(view, "gains", prefix="gains_", seldom=("trials", "size", "seed"))


draw(frame.view())
