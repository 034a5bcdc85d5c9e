"""What stands between a page's question and its charts: the answer in a sentence, and one line of the settings in force, which opens."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import streamlit as st

from irmeval.core.tables import escape_markdown

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

NAME, SENTENCE, LINE = "answer_of", "place_of_sentence", "place_of_line"
"""In a tab's state: what is answered, where the sentence goes, and the line of the settings; None where neither is drawn yet."""
NOTE, LEFT_OUT = "place_of_note", "left_out"
"""In a tab's state: a place in the first such line of a page, and whether the page leaves out hidden runs."""


def begin(name: str) -> None:
    """Called before anything of a page, or of another block on it, is drawn; the name tells one from the other."""
    st.session_state.update({NAME: name, SENTENCE: None, LINE: None} | ({NOTE: None, LEFT_OUT: False} if name == "page" else {}))


def line() -> "DeltaGenerator":
    """The line of the settings, for what is picked often; above it there is room for the sentence."""
    state = st.session_state
    if not state.get(LINE):
        state[SENTENCE] = st.empty()
        state[LINE] = st.container(key=f"in_force-{state[NAME]}", horizontal=True, vertical_alignment="center")
        note = state[LINE].empty()
        if state.get(NOTE, ...) is None:
            state[NOTE] = note
    drawn: DeltaGenerator = state[LINE]
    return drawn


@contextmanager
def settings(label: str = "Change") -> Iterator[list[str]]:
    """Draw widgets behind a button, in a line that says what they are set to: what is appended to the list that this yields. The browser
    draws the widgets when the button is pressed."""
    said: list[str] = []
    with line():
        place = st.empty()
        with st.popover(label, key=f"{label}-{st.session_state[NAME]}"):
            yield said
    if said:
        place.caption(escape_markdown(" · ".join(said)))


def say(text: str) -> None:
    """Put a sentence above the line of the settings, or where the page is where it has none."""
    (st.session_state.get(SENTENCE) or st).markdown(escape_markdown(text))


def refuse(text: str) -> NoReturn:
    """Say what is wrong with the settings, where it is seen while they are closed, and draw no more of the page."""
    (st.session_state.get(SENTENCE) or st).error(escape_markdown(text))
    st.stop()
