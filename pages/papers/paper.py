"""Paper: what it found, and its tables and figures, made again on the collection that is loaded."""

from dataclasses import replace

import streamlit as st

from irmeval.core.tables import escape_markdown
from irmeval.papers import PAPERS, charts_of, comparable_topics, deviations, tables_of
from irmeval.ui.pages import paper
from irmeval.ui.widgets import results, session

source = PAPERS[st.session_state["page"]]

st.title(source.title)
paper.about(source)
session.check()
otherwise = paper.decide()
st.header("What the paper found, and what holds here")
findings = st.container()
st.header("Its tables and figures")
exhibit = paper.pick(source)
made = paper.exhibit_runs(source, exhibit, otherwise)
try:
    result = paper.remade(source, exhibit, made, otherwise)
finally:  # which may stop the page
    with findings:  # computed last: they take all exhibits
        paper.show_findings([source], otherwise)
if result:
    if differs := deviations(source, exhibit, made.collection, result.params):
        st.caption(escape_markdown(f"Unlike the paper: {differs}"))
    charts, tables = charts_of(exhibit, result), tables_of(exhibit, result)
    views, first = paper.views(source, exhibit, result, tables, otherwise)
    rules = paper.rules(source, exhibit, made)
    results.block(exhibit.experiment, result, views, charts=charts, tables=tables, rules=rules, default=first)
    results.provenance(replace(session.loaded(), collection=comparable_topics(source, exhibit, made.collection)), result.params)
