"""Gains: whether it matters how much a grade of relevance is worth."""

import streamlit as st

from irmeval.experiments.binary_tertiary import Params as Reduced
from irmeval.experiments.binary_tertiary import binary_tertiary
from irmeval.experiments.gains import Params, gains
from irmeval.experiments.parameters import GAINS, having
from irmeval.ui import form, jobs, session, show

loaded = session.loaded()
c = loaded.collection

st.title("Does it matter what a grade is worth?")
session.welcome(loaded)
measures = having(form.measures(), GAINS)
if not measures:
    st.info("None of the measures in the sidebar tells grades of relevance apart: add nDCG or Q, say.")
    st.stop()
names = {str(m): str(m) for m in measures}
params = form.params(Params, "gains_")
result = jobs.run("Gains", (c.fingerprint, measures, params), lambda progress: gains(c, measures, params, progress=progress))
if result:
    name = form.pick_one("Stability of", names, "stable", "The measure whose stability is drawn.")
    show.result("gains", result, charts=[*result.charts()[:2], result.chart_of(name)])
    show.provenance(loaded, topic_sets=params.sets, seed=params.seed, **({"own_gains": params.own} if params.own else {}))

st.header("Do grades help when judgments are missing?")
params = form.params(Reduced, "reduced_")
key = (c.fingerprint, measures, params)
reduced = jobs.run("Binary and tertiary", key, lambda progress: binary_tertiary(c, measures, params, progress=progress))
if reduced:
    name = form.pick_one("Measure", names, "reduced_measure", "The measure that is drawn.")
    show.result("binary-tertiary", reduced, charts=[reduced.chart_of(name)], key="reduced_view")
    show.provenance(loaded, trials=params.trials, rounding=params.rounding, seed=params.seed)
