"""Catalogue: every metric, with formula, meaning, parameters and source."""

import streamlit as st

from irmeval.report.exports import frame
from irmeval.ui.pages import catalogue
from irmeval.ui.widgets import answer, output, session

chosen = session.chosen_measures()

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
views = {
    "All columns": lambda: output.table(frame(metrics)),
    "Download": lambda: output.downloads("catalogue", {"Metrics": lambda: frame(metrics)}, {}),
}
output.draw_picked(views)
