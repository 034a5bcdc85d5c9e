"""Measures that a page without data opens on: those of the paper that it reproduces."""

from irmeval.ui.state.view import View
from irmeval.ui.widgets import answer, form

OF_PAPER = {
    "top-heaviness": ("RBP(p=0.5)", "nDCG(base=2)"),  # Sakai & Kando 2008, Fig. 1
    "swap-property": ("Bpref_10", "RankEff"),  # Ahlgren & Grönqvist 2008, Section 5
}
"""Page -> measures of its paper, which show what the others are compared with."""


def pick(view: View, page: str) -> list[str]:
    """Draw the measures of the paper, each of which can be left out; those of the
    sidebar come after them.
    """
    with answer.controls():
        picked = form.pick_some(
            "Measures of the paper",
            OF_PAPER[page],
            f"{page}_paper",
            "Those of the sidebar come after them.",
        )
    every = [*picked, *view.measures]
    return every or list(form.measures(view))
