"""Power: how many pairs of runs each measure tells apart, and how large a difference has to be."""

import streamlit as st

from irmeval.experiments.significance.every_pair import Params
from irmeval.ui.pages import pairs
from irmeval.ui.widgets import experiment, form, session, show

st.title("How much does a measure tell apart?")
session.welcome(session.scored())
params = form.params(Params)
if result := experiment.run("significance", experiment.measures("significance"), params, title="Power"):
    experiment.compared("significance", result, lambda: pairs.power(result), lambda found: [found.chart_of_levels()])
    show.provenance(session.scored(), params)
