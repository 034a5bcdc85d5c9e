"""Two runs: which is better, by which measures, on which topics."""

from dataclasses import asdict

import streamlit as st

from irmeval.experiments.significance import Params
from irmeval.ui import form, pairs, session, show

loaded = session.scored()

st.title("Which of two runs is better?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params)
result = pairs.tested("Two runs", loaded, measures, params)
if result:
    pairs.two(result)
    show.provenance(loaded, **asdict(params))
