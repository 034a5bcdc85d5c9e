"""Unjudged: share and ranks of retrieved documents that nobody has judged."""

from functools import partial

import streamlit as st

from irmeval.collection import Collection
from irmeval.report import exports
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, form, output


def condensed(c: Collection) -> None:
    """Draw the download of a run file without unjudged documents."""
    run = form.choose(
        "Run", c.runs, key="condensed", help="Run to write without its unjudged documents."
    )
    st.download_button(
        "Condensed run, in TREC's format",
        lambda: exports.condensed_run(c, run),
        f"{run}-condensed.txt",
        on_click="ignore",
    )


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("unjudged")
    if result := experiment.make(view, "unjudged"):
        more = {
            "To judge next": partial(output.table_to_judge, result.to_judge, result.near_top),
            "Condensed runs": partial(condensed, view.selected().collection),
        }
        experiment.present(view, "unjudged", result, more, default="Table")


draw(frame.view())
