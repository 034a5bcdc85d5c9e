"""Gains: effect of the gains of relevance grades."""

import streamlit as st

from irmeval.experiments.measures.parameters import GAINS, with_parameter
from irmeval.ui.widgets import answer, experiment, form

experiment.show_question("gains")
if not with_parameter(form.measures(), GAINS):
    st.info("No measure in the sidebar uses grades of relevance. Add nDCG or Q, for example.")
    answer.stop_page()
experiment.block("gains", prefix="gains_", seldom=("trials", "size", "seed"))
