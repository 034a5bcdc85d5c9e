"""Decisions: which pairs of runs are still told apart as judgments disappear, and whether rightly."""

import streamlit as st

from irmeval.experiments.decisions import Params, significance_decisions
from irmeval.ui import cached, form, jobs, pairs, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("Are the same runs still told apart?")
session.welcome(loaded)
params = form.params(Params)
store = cached.store(c.fingerprint, "decisions", params.seed, params.rounding, params.method, params.test, params.samples)
key = (c.fingerprint, measures, params)
result = jobs.run("Decisions", key, lambda progress: significance_decisions(c, measures, params, store=store, progress=progress))

if result:
    pairs.outcome(result)
    show.provenance(
        loaded, seed=params.seed, trials=params.trials, sampling=params.method, test=params.test, samples=params.samples, alpha=params.alpha
    )
