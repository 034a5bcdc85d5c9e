"""Metrics: which measures put the runs in the same order."""

import streamlit as st

from irmeval.experiments.agreement import Params, agreement
from irmeval.stats.correlation import CORRELATIONS
from irmeval.ui import form, jobs, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("Which measures agree?")
session.welcome(loaded)
params = form.params(Params)
result = jobs.run("Metrics", (c.fingerprint, measures, params), lambda progress: agreement(c, measures, params))
if result:
    show.result("agreement", result)
    show.provenance(loaded, correlation=CORRELATIONS[params.correlation].label, alpha=params.alpha)
