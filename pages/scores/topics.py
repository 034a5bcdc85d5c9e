"""Topics: how the scores of each run are spread, and which topics are hard."""

import streamlit as st

from irmeval.experiments.topics import KINDS, Params, topics
from irmeval.ui import form, jobs, session, show

loaded = session.scored()
c = loaded.collection

st.title("How are scores spread over topics?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
names = [str(m) for m in measures] or [c.name]
left, right = st.columns([1, 3], vertical_alignment="bottom")
with left:
    name = st.selectbox("Measure", names, key="measure", bind="query-params", help="The measure whose scores are shown.")
with right:
    drawn = form.pick_one(
        "Drawn as", {k: k for k in KINDS}, "drawn", "box: quartiles, with what lies far off as dots. strip: every score as a dot."
    )
params = Params(name if measures else "", drawn)
result = jobs.run("Topics", (c.fingerprint, params), lambda progress: topics(c, measures, params))
if result:
    show.result("topics", result)
    show.provenance(loaded, measure=name)
