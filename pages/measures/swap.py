"""Swap: how far apart two runs must be for other topics to confirm which is better."""

import streamlit as st

from irmeval.experiments.measures.swap import SwapRates
from irmeval.ui.widgets import experiment, form, results


def run_pairs(result: SwapRates) -> None:
    """Which pairs of runs swap most."""
    name = form.choose("Measure", result.scores.names, key="measure", help="The measure whose pairs are shown.")
    results.table(results.without_hidden(result.of_pairs(name)))
    st.caption("The pair that swaps most often on top; the difference is on all topics.")


experiment.page("swap", prefix="swap_", views={"Run pairs": run_pairs})
picked = experiment.Pick("Measure", "pair_measure", "The measure by which the runs are compared.")
experiment.section("pair-orderings", prefix="pair_", pick=picked, key="pair_view")
