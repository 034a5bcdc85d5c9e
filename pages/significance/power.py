"""Power: how many pairs of runs each measure tells apart, and how large a difference has to be."""

from dataclasses import asdict

import streamlit as st

from irmeval.experiments.significance import Params
from irmeval.report.tables import escape_markdown
from irmeval.ui import form, pairs, session, show

loaded = session.scored()

st.title("How much does a measure tell apart?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params)
result = pairs.tested("Power", loaded, measures, params)
if result:
    st.write(escape_markdown(result.headline()))
    pairs.power(result)
    show.provenance(loaded, **asdict(params))
