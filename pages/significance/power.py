"""Power: how many pairs of runs each measure tells apart, and how large a difference has to be."""

import streamlit as st

from irmeval.experiments.significance import Params, significance
from irmeval.report.tables import escape_markdown
from irmeval.ui import cached, form, jobs, pairs, session, show

loaded = session.scored()
c = loaded.collection

st.title("How much does a measure tell apart?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params)
store = cached.store(c.fingerprint, "significance", params.test, params.samples, params.seed)
key = (c.fingerprint, measures, params)
result = jobs.run("Power", key, lambda progress: significance(c, measures, params, store=store, progress=progress))

if result:
    st.write(escape_markdown(result.headline()))
    pairs.power(result)
    show.provenance(loaded, test=params.test, samples=params.samples, alpha=params.alpha, correction=params.correction, seed=params.seed)
