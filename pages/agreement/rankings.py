"""Rankings: the order of the runs by one measure, seen by the others."""

import streamlit as st

from irmeval.experiments.agreement.rankings import LINES, POINTS, Params
from irmeval.ui.widgets import experiment, form

experiment.begin("rankings")
names = form.measures()
columns = st.columns(4, vertical_alignment="bottom")
with columns[0]:
    by = form.choose("Sorted by", names, key="sorted_by", help="The measure that puts the runs in order.")
with columns[1]:
    against = form.choose(
        "Against",
        names,
        None,
        key="against",
        placeholder="least alike",
        help="Compared with it; empty: the one that agrees least.",
    )
with columns[2]:
    lines = form.pick_one("Lines", {n: n for n in LINES}, "lines", "Mean scores or ranks of the runs.")
with columns[3]:
    points = form.pick_one(
        "Points", {n: n for n in POINTS}, "points", "A point of the scatter plot is a run's mean, or a topic's mean over the runs."
    )
if result := experiment.run("rankings", names, Params(by, against or "", lines, points)):
    experiment.present("rankings", result, notes={"against": result.measures[result.against]})
