"""Matrix: every run against every other, and any two of them topic by topic."""

from dataclasses import asdict

import streamlit as st

from irmeval.experiments.significance import Params
from irmeval.ui import form, pairs, session, show

loaded = session.scored()
c = loaded.collection

st.title("Which runs can be told apart?")
session.welcome(loaded)
names = [c.name] if session.matrix() else [str(m) for m in form.measures()]
left, right = st.columns([1, 5], vertical_alignment="bottom")
name = left.selectbox("Measure", names, key="measure", bind="query-params", help="The measure by which the runs are compared.")
with right:
    params = form.params(Params)
result = pairs.tested("Matrix", loaded, [name], params)
if result:
    pairs.look(result, name)
    show.provenance(loaded, measure=name, **asdict(params))
