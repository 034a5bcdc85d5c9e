"""Findings: the findings of all five papers, checked on the loaded collection."""

import streamlit as st

from irmeval.core.folders import PAGES
from irmeval.ui.pages import frame, paper
from irmeval.ui.state.view import View
from irmeval.ui.widgets import output


def draw(view: View) -> None:
    """Draw the page."""
    st.title("Do the papers' findings hold here?")
    overrides = paper.decide()
    with st.container():  # one place, so that the rest does not move while results arrive
        paper.show_findings(overrides)
    st.caption(
        "Each finding is a comparison of measures in a table or figure of a paper, repeated here on"
        " your runs."
    )
    st.page_link(
        str(PAGES / "papers/across.py"),
        label="Do they hold on several collections?",
        icon=":material/arrow_outward:",
    )
    output.provenance(view.all_loaded())


draw(frame.view())
