"""Matrix: every run against every other, and any two of them topic by topic."""

import streamlit as st

from irmeval.experiments.significance.every_pair import Params
from irmeval.ui.pages import pairs
from irmeval.ui.widgets import experiment, form, session

experiment.begin("significance")
left, right = st.columns([1, 5], vertical_alignment="bottom")
names = experiment.measures("significance") or [session.scored().collection.name]
with left:
    name = form.choose("Measure", names, key="measure", help="The measure by which the runs are compared.")
with right:
    params = form.params(Params)
if result := experiment.run("significance", [name], params, title="Matrix"):
    experiment.present("significance", result, draw=lambda found: pairs.look(found, name), notes={"measure": name})
