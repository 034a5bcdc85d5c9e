"""Findings: the findings of all five papers in one table, checked on the loaded
collections.
"""

import streamlit as st

from irmeval.ui.pages import five_papers, frame, paper
from irmeval.ui.state.view import View
from irmeval.ui.widgets import output, session


def draw(view: View) -> None:
    """Draw the page."""
    st.title("Do the papers' findings hold here?")
    session.require_loaded(view.dataset)
    overrides = paper.decide(view)
    with st.container():  # one place, so that the rest does not move while results arrive
        five_papers.show(view, overrides)
    output.provenance(view.all_loaded())


draw(frame.view())
