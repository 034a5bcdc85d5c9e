"""Findings: what the papers found, all five, and whether it holds on the collection that is loaded."""

import streamlit as st

from irmeval.core.folders import PAGES
from irmeval.ui.pages import paper
from irmeval.ui.widgets import results, session

st.title("Do the papers' findings hold here?")
overrides = paper.decide()
with st.container():  # one place, whatever there is so far: what follows stays as it is
    paper.show_findings(overrides)
st.caption("Each finding is a comparison that a paper made, of measures by one of its tables or figures. Here it is repeated on your runs.")
st.page_link(str(PAGES / "papers/across.py"), label="Do they hold on several collections?", icon=":material/arrow_outward:")
results.provenance(session.all_loaded())
