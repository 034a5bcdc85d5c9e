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
    picked = catalogue.table(metrics)
    st.caption("Tick rows to see their formulas, parameters and sources below.")
    columns = st.columns(2)
    for i, metric in enumerate(catalogue.explained(metrics, [*named, *picked], chosen)):
        with columns[i % 2]:
            catalogue.card(metric, chosen)
    table = partial(exports.frame, metrics)
    views = {
        "All columns": lambda: output.table(table()),
        "Download": lambda: output.downloads("catalogue", {"Metrics": table}, {}),
    }
    output.draw_picked(views)


draw(frame.view())
