"""Paper: what it found, and its tables and figures, made again on the collection that is loaded."""

import streamlit as st

from irmeval.ui.pages import paper
from irmeval.ui.widgets import session

source = paper.of_page()

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
        paper.show_findings(otherwise, source)
if result:
    paper.show_exhibit(source, exhibit, made, result, otherwise)
