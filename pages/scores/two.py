"""Two runs: which is better, by which measures, on which topics."""

import streamlit as st

from irmeval.experiments.significance import Params, significance
from irmeval.ui import cached, form, jobs, pairs, session, show

loaded = session.scored()
c = loaded.collection

st.title("Which of two runs is better?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params)
store = cached.store(c.fingerprint, "significance", params.test, params.samples, params.seed)
key = (c.fingerprint, measures, params)
result = jobs.run("Two runs", key, lambda progress: significance(c, measures, params, store=store, progress=progress))
if result:
    pairs.two(result)
    show.provenance(loaded, test=params.test, samples=params.samples, alpha=params.alpha, correction=params.correction, seed=params.seed)
