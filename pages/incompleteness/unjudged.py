"""Unjudged: how much of what runs retrieved nobody has judged, and at which ranks."""

import streamlit as st

from irmeval.experiments.unjudged import Params, unjudged
from irmeval.report import exports
from irmeval.ui import form, jobs, session, show

loaded, measures = session.loaded(), form.measures()
c = loaded.collection

st.title("How much has nobody judged?")
session.welcome(loaded)
params = form.params(Params)
result = jobs.run("Unjudged", (c.fingerprint, measures, params), lambda progress: unjudged(c, measures, params))


def condensed() -> None:
    """A run file without what is not judged."""
    run = st.selectbox("Run", c.runs, key="run", bind="query-params", help="The run that is written without its unjudged documents.")
    st.download_button("Condensed run, in TREC's format", lambda: exports.condensed_run(c, run), f"{run}-condensed.txt", on_click="ignore")


if result:
    to_judge = {"To judge next": lambda: show.to_judge(result.next)}
    show.result("unjudged", result, {**to_judge, "Condensed runs": condensed}, default="Table")
    show.provenance(loaded)
