"""Rankings: the order of the runs by one measure, seen by the others."""

import streamlit as st

from irmeval.experiments.rankings import LINES, POINTS, Params, rankings
from irmeval.ui import form, jobs, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("Which runs do measures see differently?")
session.welcome(loaded)
names = [str(m) for m in measures]
columns = st.columns(4, vertical_alignment="bottom")
with columns[0]:
    by = st.selectbox("Sorted by", names, key="sorted_by", bind="query-params", help="The measure that puts the runs in order.")
with columns[1]:
    against = st.selectbox(
        "Against",
        names,
        None,
        key="against",
        bind="query-params",
        placeholder="least alike",
        help="Compared with it; empty: the one that agrees least.",
    )
with columns[2]:
    lines = form.pick_one("Lines", {n: n for n in LINES}, "lines", "Mean scores or ranks of the runs.")
with columns[3]:
    points = form.pick_one(
        "Points", {n: n for n in POINTS}, "points", "A point of the scatter plot is a run's mean, or a topic's mean over the runs."
    )
params = Params(by, against or "", lines, points)
result = jobs.run("Rankings", (c.fingerprint, measures, params), lambda progress: rankings(c, measures, params))
if result:
    show.result("rankings", result)
    show.provenance(loaded, sorted_by=result.measures[result.by], against=result.measures[result.against])
