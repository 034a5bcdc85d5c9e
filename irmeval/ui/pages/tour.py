"""The first screen: what this is and where to go on; and a tour of six steps, each on the page that it is about."""

from collections.abc import Mapping

import streamlit as st

from irmeval.ui.state.tab_state import Value
from irmeval.ui.widgets import session

ON_TOUR = Value("on_tour", False)
"""Whether the tab is on the tour."""
FIRST_SCREEN = Value("first_screen", False)
"""Whether the tab was opened at the bare root."""
ASKED = "tour"
"""In an address: that the tour begins."""

STEPS = {
    "": "Judgments disappear from left to right: what happens to the mean of each measure, and to the order of the runs?",
    "leaderboard": "The same runs, by the same measures. Measures stand in the sidebar and hold on every page: pick others, or type one, "
    "as `P@10`.",
    "matrix": "Every run against every other: coloured where they differ significantly. Click a cell to see that pair topic by topic.",
    "lab": "One ranked list. Click a grade or move a document, and see what each measure makes of it, rank by rank.",
    "glossary": "Every word is explained here. The words under a page's title open their entry on the spot.",
    "collection": "Drop your own qrels and runs here, and every page shows them. The address of a page keeps all that you set.",
}
"""The steps of the tour: the address of a page, and the sentence above it."""
INTRODUCTION = (
    "**irmeval** shows how far measures of search quality can be trusted when judgments are missing. This sample is **synthetic**."
)


def start_or_end(page: str) -> None:
    """Begin the tour if the address asks for it; end it on a page that is no step of it."""
    if not FIRST_SCREEN.is_set():
        FIRST_SCREEN.set(page == "" and not st.query_params)
    if ASKED in st.query_params:
        del st.query_params[ASKED]
        ON_TOUR.set(True)
    if page not in STEPS:
        ON_TOUR.set(False)


def draw(page: str, pages: Mapping[str, st.Page]) -> None:
    """Draw the page's step of the tour, or on the first screen what this is and two ways on; both only on the sample."""
    session.INTRODUCED.set((ON_TOUR.get() or (page == "" and FIRST_SCREEN.get())) and session.on_sample())
    if session.INTRODUCED.get():
        with st.container(key="tour", border=True, horizontal=True, vertical_alignment="center"):
            if ON_TOUR.get():
                _step(page, pages)
            else:
                st.markdown(INTRODUCTION, width="stretch")
                with st.container(key="ways", horizontal=True, width="content"):
                    st.page_link(pages["collection"], label="Use my files")
                    st.page_link(pages["lessons"], label="Teach a class")
                offer(pages)


def offer(pages: Mapping[str, st.Page]) -> None:
    """Draw a link that starts the tour."""
    if session.on_sample():
        st.page_link(pages[""], label="Take the tour", query_params={ASKED: "1"})


def _step(page: str, pages: Mapping[str, st.Page]) -> None:
    steps, last = [*STEPS], len(STEPS) - 1
    at = steps.index(page)
    st.markdown(f"**{at + 1} of {last + 1}** {STEPS[page]}", width="stretch")
    for step, label in ((at - 1, "Back"), (at + 1, "Next")):
        if 0 <= step <= last:
            st.page_link(pages[steps[step]], label=label)
    st.button("Skip" if at < last else "Done", key="tour_end", on_click=ON_TOUR.set, args=(False,))
