"""Curves: mean score and Kendall's tau of each measure as judgments disappear."""

import streamlit as st

from irmeval.experiments.incompleteness.curves import Incompleteness
from irmeval.report import exports
from irmeval.ui.widgets import experiment, form, output, session


def run_by_run(result: Incompleteness) -> None:
    """Draw the runs' own curves, by one measure."""
    measure = form.choose(
        "Measure", result.measures, key="measure", help="Measure whose runs are drawn."
    )
    output.chart(result.chart_of_runs(measure), "runs")


def reduced(result: Incompleteness) -> None:
    """Draw the download of the judgments of one sample."""
    params, c = result.params, session.loaded().collection
    last = len(params.rates) - 1
    rate = form.choose(
        "Rate, %", params.rates, last, key="reduced_rate", help="Share of the judgments kept."
    )
    trial = form.number(
        "Trial", 1, params.trials, key="reduced_trial", help="Number of the sample."
    )
    file = f"qrels-{params.method}-{rate:g}-{trial}.txt"
    st.download_button(
        "Reduced qrels, in TREC's format",
        lambda: exports.sample(c, params, rate, trial),
        file,
        on_click="ignore",
    )


views = {"Run by run": run_by_run, "Reduced qrels": reduced}
experiment.page("curves", seldom=("rounding", "correlation", "gold"), views=views)
