"""Stability: how often other topics contradict the order of two runs, and how often
runs tie.
"""

from functools import partial

import streamlit as st

from irmeval.experiments.measures.stability import Stability
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, form, output


def run_pairs(result: Stability) -> None:
    """Draw the pairs of runs on which topic sets disagree."""
    with st.grid(2):
        name = form.choose(
            "Measure", result.scores.names, key="measure", help="Measure whose pairs are shown."
        )
        f = form.choose(
            "f",
            result.params.fuzziness,
            result.params.fuzziness.index(result.shown_fuzziness),
            key="f",
            help="Two means tie if they differ by less than this share.",
        )
    output.table(output.without_hidden(result.of_pairs(name, f)))
    st.caption(
        "Least stable pair first: number of topic sets in which either run is better, or neither;"
        " the difference is on all topics."
    )


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("stability")
    if result := experiment.make(view, "stability"):
        experiment.present(view, "stability", result, {"Run pairs": partial(run_pairs, result)})


draw(frame.view())
