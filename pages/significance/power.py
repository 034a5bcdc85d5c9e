"""Power: how many pairs of runs each measure tells apart, and how large a difference has to be."""

import streamlit as st

from irmeval.experiments.significance.every_pair import Params
from irmeval.report.tables import escape_markdown
from irmeval.ui import experiment, form, pairs, session, show

st.title("How much does a measure tell apart?")
session.welcome(session.scored())
params = form.params(Params)
if result := experiment.run("significance", experiment.measures("significance"), params, title="Power"):
    st.write(escape_markdown(result.headline()))
    pairs.power(result)
    show.provenance(session.scored(), params)
