"""Two runs: which is better, by which measures, on which topics."""

import streamlit as st

from irmeval.experiments.significance.every_pair import Params
from irmeval.ui.pages import pairs
from irmeval.ui.widgets import experiment, form, session, show

st.title("Which of two runs is better?")
session.welcome(session.scored())
params = form.params(Params)
if result := experiment.run("significance", experiment.measures("significance"), params, title="Two runs"):
    experiment.compared("significance", result, lambda: pairs.two(result))
    show.provenance(session.scored(), params)
