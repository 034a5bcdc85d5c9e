"""Swap: difference required between two runs for other topics to confirm which is
better.
"""

from functools import partial

import streamlit as st

from irmeval.experiments.measures.swap import Swap
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, form, output


def run_pairs(result: Swap) -> None:
    """Draw the pairs of runs that swap most."""
    name = form.choose(
        "Measure", result.scores.names, key="measure", help="Measure whose pairs are shown."
    )
    output.table(output.without_hidden(result.of_pairs(name)))
    st.caption("Most often swapped pair first; the difference is on all topics.")


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("swap")
    if result := experiment.make(view, "swap", "swap_"):
        experiment.present(view, "swap", result, {"Run pairs": partial(run_pairs, result)})
    # with a prefix of its own: both experiments of the page have a seed
    experiment.section(view, "pair-orderings", prefix="pair_", key="pair_view")


draw(frame.view())
