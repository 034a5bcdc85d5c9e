"""Curves: mean score and Kendall's tau of each measure as judgments disappear."""

import streamlit as st

from irmeval.experiments.incompleteness import Params, incompleteness
from irmeval.report import exports
from irmeval.ui import cached, form, jobs, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("What happens as judgments disappear?")
session.welcome(loaded)
params = form.params(Params, more=("rounding", "correlation", "gold"))
store = cached.store(c.fingerprint, "incompleteness", params.seed, params.rounding, params.method)
key = (c.fingerprint, measures, params)
result = jobs.run("Curves", key, lambda progress: incompleteness(c, measures, params, store=store, progress=progress))


def run_by_run() -> None:
    """The runs' own curves, by one measure."""
    names = [str(m) for m in measures]
    measure = st.selectbox("Measure", names, key="measure", bind="query-params", help="The measure whose runs are drawn.")
    show.chart(result.chart_of_runs(measure), "runs")


def reduced() -> None:
    """The judgments of one sample, to work on elsewhere."""
    rate = st.selectbox(
        "Rate, %", params.rates, len(params.rates) - 1, key="reduced_rate", bind="query-params", help="Share of the judgments that is kept."
    )
    trial = st.number_input("Trial", 1, params.trials, key="reduced_trial", bind="query-params", help="Which of the samples.")
    file = f"qrels-{params.method}-{rate:g}-{trial}.txt"
    st.download_button("Reduced qrels, in TREC's format", lambda: exports.sample(c, params, rate, trial), file, on_click="ignore")


if result:
    show.result("incompleteness", result, {"Run by run": run_by_run, "Reduced qrels": reduced})
    compared = {"correlation": params.correlation, "compared_with": params.gold or "its own order"}
    show.provenance(loaded, seed=params.seed, trials=params.trials, sampling=params.method, rounding=params.rounding, **compared)
