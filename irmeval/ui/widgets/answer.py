"""The answer in a sentence and the line of the settings, between a page's question and its charts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown

P = ParamSpec("P")

NAME, SENTENCE, LINE = "answer_of", "place_of_sentence", "place_of_line"
"""In a tab's state: name of the block, place of its sentence, and its line of settings, both None until they are drawn."""
SO_FAR = "so_far"
"""In a tab's state: the part of the work that the sentence rests on while the rest is computed; empty at the end."""
NOTE, LEFT_OUT = "place_of_note", "left_out"
"""In a tab's state: a place in the page's first line of settings, and whether the page leaves out hidden runs."""


class Stopped(Exception):
    """Raised by `stop_page`."""


def stop_page() -> NoReturn:
    """End the drawing of the page. After `st.stop` nothing can be drawn any more, not even in a ``finally``; after this it can."""
    raise Stopped


@contextmanager
def may_stop() -> Iterator[None]:
    """Context in which `stop_page` ends the drawing: that of the page, or of a fragment."""
    with suppress(Stopped):
        yield


def fragment(draw: Callable[P, None]) -> Callable[P, None]:
    """A part of a page that is drawn again alone, and that `stop_page` ends. A decorator."""
    return st.fragment(may_stop()(draw))


def start_block(name: str) -> None:
    """Called before a page, or another block on it, is drawn; the name tells one from the other."""
    st.session_state.update(
        {NAME: name, SENTENCE: None, LINE: None, SO_FAR: ""} | ({NOTE: None, LEFT_OUT: False} if name == "page" else {})
    )


def settings_line() -> DeltaGenerator:
    """The line of the settings, for widgets that are used often; the sentence goes above it."""
    state = st.session_state
    if not state.get(LINE):
        state[SENTENCE] = st.empty()
        state[LINE] = st.container(key=f"in_force-{state[NAME]}", horizontal=True, vertical_alignment="center")
        note = state[LINE].empty()
        if state.get(NOTE, ...) is None:
            state[NOTE] = note
    return state[LINE]


@contextmanager
def settings(label: str = "Change") -> Iterator[list[str]]:
    """Context for widgets behind a button, in the line of the settings. The line shows the texts that are appended to the yielded list."""
    in_force: list[str] = []
    with settings_line():
        place = st.empty()
        with st.popover(label, key=f"{label}-{st.session_state[NAME]}"):
            try:
                yield in_force
            finally:  # the page may stop here
                if in_force:
                    place.caption(escape_markdown(" · ".join(in_force)))


def show_sentence(text: str) -> None:
    """Show a sentence above the line of the settings, or here if there is none; one that is not final says so."""
    part = st.session_state.get(SO_FAR)
    (st.session_state.get(SENTENCE) or st).markdown(escape_markdown(f"Preliminary, {part} so far. {text}" if part else text))


@contextmanager
def errors_shown() -> Iterator[None]:
    """Context whose `IrmevalError` is shown here; the page goes on."""
    try:
        yield
    except IrmevalError as error:
        st.error(escape_markdown(str(error)))


def refuse(text: str) -> NoReturn:
    """Show what is wrong with the settings, in place of the sentence, and stop the page."""
    (st.session_state.get(SENTENCE) or st).error(escape_markdown(text))
    stop_page()
