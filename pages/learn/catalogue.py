"""Catalogue: every metric, with formula, meaning, parameters and source."""

from functools import partial

import streamlit as st

from irmeval.report import exports
from irmeval.ui.pages import catalogue, frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, output


def draw(view: View) -> None:
    """Draw the page."""
    chosen = view.measures
    st.title("Which metrics are available?")
    metrics, named = catalogue.search()
    if not metrics:
        st.info("No metric matches all of that. Remove a word or a property.")
        answer.stop_page()
    answer.show_sentence(catalogue.summary(metrics))
    # what an address or Search asks for is seen without scrolling
    asked = []
    if named:
        asked = catalogue.explained(metrics, named, chosen)
    catalogue.cards(asked, chosen)
    picked = catalogue.table(metrics)
    st.caption("Tick rows to see their formulas, parameters and sources below.")
    others = []
    if picked or not asked:
        others = catalogue.explained(metrics, picked, chosen)
    catalogue.cards([metric for metric in others if metric not in asked], chosen)
    table = partial(exports.frame, metrics)
    views = {
        "All columns": lambda: output.table(table()),
        "Download": lambda: output.downloads("catalogue", {"Metrics": table}, {}),
    }
    output.draw_picked(views)


draw(frame.view())
