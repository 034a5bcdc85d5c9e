"""Swap: how far apart two runs must be for other topics to confirm which is better."""

import streamlit as st

from irmeval.experiments.pair_orderings import Params as OrderParams
from irmeval.experiments.pair_orderings import pair_orderings
from irmeval.experiments.swap import Params, swap
from irmeval.ui import form, jobs, session, show

loaded = session.scored()
c = loaded.collection

st.title("How far apart is far enough?")
session.welcome(loaded)
measures = () if session.matrix() else form.measures()
params = form.params(Params, "swap_")
result = jobs.run("Swap", (c.fingerprint, measures, params), lambda progress: swap(c, measures, params, progress=progress))


def run_pairs() -> None:
    """Which pairs of runs swap most."""
    name = st.selectbox("Measure", result.scores.names, key="measure", bind="query-params", help="The measure whose pairs are shown.")
    show.table(result.of_pairs(name))
    st.caption("The pair that swaps most often on top; the difference is on all topics.")


if result:
    show.result("swap", result, {"Run pairs": run_pairs})
    show.provenance(loaded, topics_per_set=result.size, trials=params.trials, seed=params.seed)

st.header("Do all methods find the same pairs sure?")
params = form.params(OrderParams, "pair_")
key = (c.fingerprint, measures, params)
orders = jobs.run("Pair orderings", key, lambda progress: pair_orderings(c, measures, params, progress=progress))
if orders:
    name = form.pick_one("Measure", {n: n for n in orders.scores.names}, "pair_measure", "The measure by which the runs are compared.")
    show.result("pair-orderings", orders, charts=[orders.chart_of(name)], key="pair_view")
    show.provenance(loaded, f=params.fuzziness, topic_sets=params.sets, samples=params.samples, seed=params.seed)
