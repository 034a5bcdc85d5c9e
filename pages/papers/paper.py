"""Paper: its tables and figures, made again on the collection that is loaded."""

from dataclasses import replace

import streamlit as st

from irmeval.papers import PAPERS, charts_of, compared, tables_of, unlike
from irmeval.report.tables import escape_markdown
from irmeval.ui import paper, session, show

source = PAPERS[st.session_state["page"]]

st.title(source.title)
place = st.container()
paper.about(source)
exhibit = paper.pick(source)
session.check()
loaded = session.loaded()
with place:
    session.welcome(loaded)
if result := paper.remade(source, exhibit, loaded.collection):
    if differs := unlike(source, exhibit, loaded.collection, result.params):
        st.caption(escape_markdown(f"Unlike the paper: {differs}"))
    charts, tables = charts_of(exhibit, result), tables_of(exhibit, result)
    views = paper.views(source, tables, loaded.collection)
    rules = paper.rules(source, exhibit, loaded.collection)
    show.result(exhibit.experiment, result, views, charts=charts, tables=tables, rules=rules, default="Table")
    paper.held(source, exhibit, result)
    show.provenance(replace(loaded, collection=compared(source, exhibit, loaded.collection)), result.params)
