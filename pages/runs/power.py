"""Power: number of significant pairs by measure, and the required difference."""

import streamlit as st

from irmeval.ui.pages import run_pairs
from irmeval.ui.widgets import answer, experiment, output

st.title("How many differences does a measure find?")
if result := experiment.make("matrix", title="Power"):
    if not experiment.compare("matrix", result, charts=("power", "levels")):
        output.show_verdict("matrix", result)
        with answer.body():
            run_pairs.draw_power(result)
    experiment.provenance("matrix", result)
