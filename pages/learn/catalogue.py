"""Catalogue: every metric, with formula, meaning, parameters and source."""

import streamlit as st

from irmeval.report.catalogue import frame
from irmeval.ui import catalogue, show

chosen = st.session_state["chosen"]

st.title("Every metric, explained")
found = catalogue.search()
if not found:
    st.info("No metric has all of that. Take a word or a property away.")
    st.stop()
shown = catalogue.choose(found, chosen)
st.write(catalogue.summary(found, shown))
columns = st.columns(2)
for i, metric in enumerate(shown):
    with columns[i % 2]:
        catalogue.card(metric, chosen)
views = {
    "Table": lambda: show.table(frame(found)),
    "Download": lambda: show.downloads("catalogue", {"Metrics": lambda: frame(found)}, {}),
}
show.one_of(views)
