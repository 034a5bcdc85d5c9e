"""Unjudged: share and ranks of retrieved documents that nobody has judged."""

from functools import partial

import streamlit as st

from irmeval.report import exports
from irmeval.ui.widgets import experiment, form, output, session


def condensed() -> None:
    """Draw the download of a run file without unjudged documents."""
    c = session.loaded().collection
    run = form.choose(
        "Run", c.runs, key="condensed", help="Run to write without its unjudged documents."
    )
    st.download_button(
        "Condensed run, in TREC's format",
        lambda: exports.condensed_run(c, run),
        f"{run}-condensed.txt",
        on_click="ignore",
    )


experiment.show_question("unjudged")
if result := experiment.make("unjudged"):
    more = {
        "To judge next": partial(output.table_to_judge, result.to_judge, result.near_top),
        "Condensed runs": condensed,
    }
    experiment.present("unjudged", result, more, default="Table")
