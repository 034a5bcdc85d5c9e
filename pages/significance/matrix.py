"""Matrix: every run against every other, and any two of them topic by topic."""

import streamlit as st

from irmeval.experiments.significance import Params, significance
from irmeval.ui import cached, form, jobs, pairs, session, show

loaded = session.scored()
c = loaded.collection

st.title("Which runs can be told apart?")
session.welcome(loaded)
names = [c.name] if session.matrix() else [str(m) for m in form.measures()]
left, right = st.columns([1, 5], vertical_alignment="bottom")
name = left.selectbox("Measure", names, key="measure", bind="query-params", help="The measure by which the runs are compared.")
with right:
    params = form.params(Params)
store = cached.store(c.fingerprint, "significance", params.test, params.samples, params.seed)
key = (c.fingerprint, name, params)
result = jobs.run("Matrix", key, lambda progress: significance(c, [name], params, store=store, progress=progress))
if result:
    pairs.look(result, name)
    show.provenance(loaded, measure=name, test=params.test, samples=params.samples, correction=params.correction, seed=params.seed)
