"""Top-heaviness: what a rank is worth to each measure, and what an ideal list scores."""

import streamlit as st

from irmeval.experiments import ideal_lists, top_heaviness
from irmeval.ui import form, show

measures = form.measures()

st.title("How much does a measure care for the top?")
params = form.params(top_heaviness.Params)
show.result("top-heaviness", top_heaviness.top_heaviness(measures, params))
show.provenance(None, N=params.N)

st.header("What does an ideal list score?")
params = form.params(ideal_lists.Params, "ideal_")
result = ideal_lists.ideal_lists(measures, params)
show.result("ideal-lists", result, key="ideal_view", default="Table")
show.provenance(None)
