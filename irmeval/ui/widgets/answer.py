"""The answer in a sentence and the line of the settings, between a page's question and
its charts; how a page stops or goes on.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.ui.state.tab_state import Value

P = ParamSpec("P")

NAME = Value("answer_of", "page")
"""Name of the block."""
SENTENCE = Value[DeltaGenerator | None]("place_of_sentence", None)
"""Place of its sentence; None until its line of settings is drawn."""
LINE = Value[DeltaGenerator | None]("place_of_line", None)
"""Its line of settings; None until it is drawn."""
SO_FAR = Value("so_far", "")
"""Part of the work behind the sentence while the rest is computed; empty at the end."""
NOTE = Value[DeltaGenerator | None]("place_of_note", None)
"""A place in the page's first line of settings; None until that is drawn."""
LEFT_OUT = Value("left_out", False)
"""Whether the page leaves out hidden runs."""


class Stopped(Exception):
    """Raised by `stop_page`."""


def stop_page() -> NoReturn:
    """Stop drawing the page. After `st.stop` nothing can be drawn any more, not even in
    a ``finally``; after this it can.
    """
    raise Stopped


@contextmanager
def may_stop() -> Iterator[None]:
    """Context that `stop_page` ends: the page, or a fragment."""
    with suppress(Stopped):
        yield


def fragment(draw: Callable[P, None]) -> Callable[P, None]:
    """Decorate a part of a page that is redrawn alone, and that `stop_page` ends."""
    return st.fragment(may_stop()(draw))


def start_block(name: str) -> None:
    """Start a page, or another block on it; the name distinguishes them."""
    for value in (SENTENCE, LINE, SO_FAR, *((NOTE, LEFT_OUT) if name == "page" else ())):
        value.pop()
    NAME.set(name)


def settings_line() -> DeltaGenerator:
    """Draw the line of settings, for frequently used widgets; the sentence is above
    it.
    """
    if line := LINE.get():
        return line
    SENTENCE.set(st.empty())
    line = LINE.setdefault(
        st.container(key=f"in_force-{NAME.get()}", horizontal=True, vertical_alignment="center")
    )
    assert line
    note = line.empty()
    if NAME.get() != "sidebar":
        NOTE.setdefault(note)
    return line


@contextmanager
def settings(label: str = "Change") -> Iterator[list[str]]:
    """Context for widgets behind a button, in the line of the settings. The line shows
    the texts that are appended to the yielded list.
    """
    in_force: list[str] = []
    with settings_line():
        place = st.empty()
        with st.popover(label, key=f"{label}-{NAME.get()}"):
            try:
                yield in_force
            finally:  # the page may stop here
                if in_force:
                    place.caption(escape_markdown(" · ".join(in_force)))


def show_sentence(text: str) -> None:
    """Show a sentence above the line of settings, or here if there is none."""
    (SENTENCE.get() or st).markdown(escape_markdown(mark_preliminary(text)))


def mark_preliminary(text: str) -> str:
    """A sentence on the last result, with a remark if that is preliminary."""
    part = SO_FAR.get()
    return f"Preliminary, {part} so far. {text}" if part else text


@contextmanager
def errors_shown() -> Iterator[None]:
    """Context whose `IrmevalError` is shown here; the page continues."""
    try:
        yield
    except IrmevalError as error:
        st.error(escape_markdown(str(error)))


def refuse(text: str) -> NoReturn:
    """Show the error of the settings in place of the sentence, and stop the page."""
    (SENTENCE.get() or st).error(escape_markdown(text))
    stop_page()


LOOK = 0.5
"""Seconds between two checks of the clock."""


def call_after(seconds: float, go: Callable[[], None]) -> None:
    """Call a function some seconds after the page was drawn, and redraw it. An earlier
    rerun restarts the wait.
    """
    _wait(time.monotonic() + seconds, go)


@st.fragment(run_every=LOOK)
def _wait(due: float, go: Callable[[], None]) -> None:
    if time.monotonic() >= due:
        go()
        st.rerun(scope="app")
