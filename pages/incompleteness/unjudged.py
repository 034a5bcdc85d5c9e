"""Unjudged: how much of what runs retrieved nobody has judged, and at which ranks."""

import streamlit as st

from irmeval.experiments.incompleteness.unjudged import Unjudged
from irmeval.report import exports
from irmeval.ui.widgets import experiment, form, results, session


def condensed(result: Unjudged) -> None:
    """A run file without what is not judged."""
    c = session.loaded().collection
    run = form.choose("Run", c.runs, key="condensed", help="The run that is written without its unjudged documents.")
    st.download_button("Condensed run, in TREC's format", lambda: exports.condensed_run(c, run), f"{run}-condensed.txt", on_click="ignore")


views = {"To judge next": lambda result: results.table_to_judge(result.to_judge, result.near_top), "Condensed runs": condensed}
experiment.page("unjudged", views=views, default="Table")
