"""Swap: difference required between two runs for other topics to confirm which is
better.
"""

import streamlit as st

from irmeval.experiments.measures.swap import Swap
from irmeval.ui.widgets import experiment, form, output


def run_pairs(result: Swap) -> None:
    """Draw the pairs of runs that swap most."""
    name = form.choose(
        "Measure", result.scores.names, key="measure", help="Measure whose pairs are shown."
    )
    output.table(output.without_hidden(result.of_pairs(name)))
    st.caption("Most often swapped pair first; the difference is on all topics.")


experiment.page("swap", prefix="swap_", views={"Run pairs": run_pairs})
picked = experiment.Pick("Measure", "pair_measure", "Measure by which the runs are compared.")
experiment.section("pair-orderings", prefix="pair_", pick=picked, key="pair_view")
