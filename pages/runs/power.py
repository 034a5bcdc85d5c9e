"""Power: number of significant pairs by measure, and the required difference."""

import streamlit as st

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import experiment

st.title("How many differences does a measure find?")
experiment.block(
    "matrix",
    title="Power",
    draw=run_pairs.draw_power,
    charts_of=lambda result: [result.chart_of_power(), result.chart_of_levels()],
)
