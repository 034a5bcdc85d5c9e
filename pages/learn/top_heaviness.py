"""Top-heaviness: what a rank is worth to each measure, and what an ideal list scores."""

import streamlit as st

from irmeval.experiments import EXPERIMENTS
from irmeval.ui.widgets import experiment

experiment.page("top-heaviness")
st.header(EXPERIMENTS["ideal-lists"].question, divider="gray")
experiment.block("ideal-lists", prefix="ideal_", key="ideal_view", default="Table")
