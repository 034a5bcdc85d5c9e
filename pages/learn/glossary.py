"""Glossary: meaning of the words on pages."""

import streamlit as st

from irmeval.ui.pages import frame, terms
from irmeval.ui.state.view import View


def draw(view: View) -> None:
    """Draw the page."""
    st.title("What do the words mean?")
    term = terms.asked_term()
    if term:
        terms.entry(term)
        st.button("All words", key="all_words", on_click=st.query_params.pop, args=(terms.TERM,))
        return
    found, searched = terms.search()
    if not searched:
        terms.index(found)
        return
    if not found:
        st.info("No entry matches all of that. Remove a word.")
    half = (len(found) + 1) // 2  # the one column of a telephone is then in order too
    for column, some in zip(st.columns(2), (found[:half], found[half:]), strict=True):
        with column:
            for one in some:
                terms.card(one)


draw(frame.view())
