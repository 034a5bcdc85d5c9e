"""Stability: how often other topics mislead, and how often they do not tell two runs apart."""

import streamlit as st

from irmeval.experiments.stability import Params, stability
from irmeval.ui import form, jobs, session, show

loaded = session.scored()
c = loaded.collection

st.title("Would other topics say the same?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params)
key = (c.fingerprint, measures, params)
result = jobs.run("Stability", key, lambda progress: stability(c, measures, params, progress=progress))


def run_pairs() -> None:
    """Which pairs of runs the topic sets are at odds about."""
    left, right = st.columns(2)
    name = left.selectbox("Measure", result.scores.names, key="measure", bind="query-params", help="The measure whose pairs are shown.")
    f = right.selectbox(
        "f", params.fuzziness, key="f", bind="query-params", help="Two means tie where they differ by less than this share."
    )
    show.table(result.of_pairs(name, f))
    st.caption(
        "The least steady pair on top: in how many topic sets the one run is better, the other, or neither; the difference is on all topics."
    )


if result:
    show.result("stability", result, {"Run pairs": run_pairs})
    show.provenance(loaded, topics_per_set=result.size, topic_sets=params.sets, replacement=params.replacement, seed=params.seed)
