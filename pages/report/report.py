"""Report: results in your order, with your notes, as files."""

import streamlit as st

from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import reporting


def draw(view: View) -> None:
    """Draw the page."""
    st.title("What is in your report?")
    if plan := reporting.plan():
        reporting.edit(plan)
        reporting.make(plan)
    else:
        st.info("Your report is empty. To add a result, press **Add to report** below it.")
        reporting.offer_first_results(view)


draw(frame.view())
