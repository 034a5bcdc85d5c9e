"""Stability: how often other topics mislead, and how often they do not tell two runs apart."""

import streamlit as st

from irmeval.experiments.measures.stability import MinorityRates
from irmeval.ui.widgets import experiment, form, results


def run_pairs(result: MinorityRates) -> None:
    """Which pairs of runs the topic sets are at odds about."""
    with st.grid(2):
        name = form.choose("Measure", result.scores.names, key="measure", help="The measure whose pairs are shown.")
        f = form.choose("f", result.params.fuzziness, key="f", help="Two means tie where they differ by less than this share.")
    results.table(results.without_hidden(result.of_pairs(name, f)))
    st.caption(
        "The least steady pair on top: in how many topic sets the one run is better, the other, or neither; the difference is "
        "on all topics."
    )


experiment.page("stability", views={"Run pairs": run_pairs})
