"""Power: number of significant pairs by measure, and the required difference."""

import streamlit as st

from irmeval.ui.pages import frame, run_pairs
from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, experiment, output


def draw(view: View) -> None:
    """Draw the page."""
    st.title("How many differences does a measure find?")
    if result := experiment.make(view, "matrix", title="Power"):
        if not experiment.compare(view, "matrix", result, charts=("power", "levels")):
            output.show_verdict("matrix", result)
            with answer.body():
                run_pairs.draw_power(result)
        experiment.provenance(view, "matrix", result)


draw(frame.view())
