"""What if: what runs would score if their unjudged documents were judged, and whether
such intervals hold.
"""

from functools import partial

import streamlit as st

from irmeval.experiments.incompleteness.what_if import WhatIf
from irmeval.ui.pages import frame
from irmeval.ui.state.view import View
from irmeval.ui.widgets import experiment, output


def held(result: WhatIf) -> None:
    """How often intervals held the truth on this collection, against scores without
    them.
    """
    output.table(result.held_frame())


def in_doubt(result: WhatIf) -> None:
    """Pairs whose sign unjudged documents may turn."""
    if not result.unsure:
        st.caption("No pair is in doubt by AP, P or RBP, the measures for which pairs are listed.")
        return
    output.table(result.unsure_pairs())
    st.caption(
        "Least sure first. Name a pair under *Change* to see how often its difference keeps its"
        " sign."
    )


def draw(view: View) -> None:
    """Draw the page."""
    experiment.show_question("what-if")
    seldom = ("holes_to", "prior", "ideal", "pool", "seed")
    if result := experiment.make(
        view, "what-if", seldom=seldom, decided=experiment.teams_and_kinds(view)
    ):
        more = {
            "Check of the intervals": partial(held, result),
            "Pairs in doubt": partial(in_doubt, result),
        }
        experiment.present(view, "what-if", result, more)


draw(frame.view())
