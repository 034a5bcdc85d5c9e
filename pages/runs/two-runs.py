"""Two runs: the better one, by measure and topic."""

import streamlit as st

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import experiment

st.title("Which of two runs is better?")
experiment.block("matrix", title="Two runs", seldom=("samples", "alpha", "at_once", "seed"), draw=run_pairs.draw_two_runs)
