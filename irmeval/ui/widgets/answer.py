"""The places of a page, below its question: the verdict, what the page is played with,
its charts, the line of the settings, and the rest; how a page stops or goes on.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, ParamSpec

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from irmeval.core.errors import IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.facts import Verdict
from irmeval.ui.state.mailboxes import BLOCK, PageBlock, Places
from irmeval.ui.widgets import inputs

P = ParamSpec("P")


class Stopped(Exception):
    """Raised by `stop_page`."""


def stop_page() -> NoReturn:
    """Stop drawing the page. After `st.stop` nothing can be drawn any more, not even in
    a ``finally``; after this it can.
    """
    # an own exception, as that of `st.stop` ends the script, and the frame draws after the page
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
    page = BLOCK.get()
    if name == "page":
        page = PageBlock()
    BLOCK.set(PageBlock(name, note=page.note, left_out=page.left_out))


def _places() -> Places:
    """The places of the block, which are made at the first call."""
    block = BLOCK.get()
    if block.places:
        return block.places
    name = block.name
    places = Places(
        st.container(key=f"verdict-{name}").empty(),
        _line(f"in_force-controls-{name}"),
        st.container(key=f"body-{name}"),
        _line(f"in_force-{name}"),
        st.container(key=f"rest-{name}"),
    )
    note = places.settings.empty()
    # the sidebar is drawn first, and its line of settings is not that of the page
    if name != "sidebar":
        block.note = block.note or note
    block.places = places
    return places


def _line(key: str) -> DeltaGenerator:
    return st.container(key=key, horizontal=True, vertical_alignment="center")


def controls() -> DeltaGenerator:
    """The place of what a reader changes most: a measure, a pair of runs."""
    return _places().controls


def body() -> DeltaGenerator:
    """The place of the charts."""
    return _places().body


def rest() -> DeltaGenerator:
    """The place of what follows the charts and the line of the settings."""
    return _places().rest


def settings_line() -> DeltaGenerator:
    """The line with the values in force, below the charts."""
    return _places().settings


@contextmanager
def settings(label: str = "Change") -> Iterator[list[str]]:
    """Context for widgets behind a button, in the line of the settings. The line shows
    the texts that are appended to the yielded list.
    """
    in_force: list[str] = []
    with settings_line():
        place = st.empty()
        with inputs.popover(label, f"{label}-{BLOCK.get().name}"):
            try:
                yield in_force
            finally:  # the page may stop here
                if in_force:
                    place.caption(escape_markdown(" · ".join(in_force)))


def show_sentence(said: Verdict | str) -> None:
    """Show the claim that answers the question of the block in large type, and in small
    type what stands beside it; what is below is kept for the tables.
    """
    if isinstance(said, str):
        said = Verdict(said)
    claim, beside, BLOCK.get().below = mark_preliminary(said)
    text = escape_markdown(claim)
    if beside:
        text += f"\n\n:small[{escape_markdown(beside)}]"
    # a line does not end between a sign and its number
    _places().verdict.markdown(text.replace("± ", "±\u00a0"))


def said_below() -> str:
    """What the sentence of the block says below, with the tables; may be empty."""
    return BLOCK.get().below


def note_so_far(part: str) -> None:
    """Note that the sentence of the block is on a part of the work; empty: on all."""
    BLOCK.get().so_far = part


def note_left_out() -> None:
    """Note that the page leaves out hidden runs."""
    BLOCK.get().left_out = True


def mark_preliminary(verdict: Verdict) -> Verdict:
    """A verdict on the last result, with a remark if that is preliminary."""
    part = BLOCK.get().so_far
    if not part:
        return verdict
    return verdict._replace(beside=f"Preliminary, {part} so far. {verdict.beside}".strip())


@contextmanager
def errors_shown() -> Iterator[None]:
    """Context whose `IrmevalError` is shown here; the page continues."""
    try:
        yield
    except IrmevalError as error:
        st.error(escape_markdown(str(error)))


def refuse(text: str) -> NoReturn:
    """Show the error of the settings in place of the sentence, and stop the page."""
    _places().verdict.error(escape_markdown(text))
    stop_page()


LOOK = 0.5
"""Seconds between two checks of the clock."""


def call_after(seconds: float, go: Callable[[], None]) -> None:
    """Call a function some seconds after the page was drawn, and redraw it. An earlier
    rerun restarts the wait.
    """
    # a fragment looks at the clock: a sleeping script would answer no press meanwhile
    _wait(time.monotonic() + seconds, go)


@st.fragment(run_every=LOOK)
def _wait(due: float, go: Callable[[], None]) -> None:
    if time.monotonic() >= due:
        go()
        st.rerun(scope="app")
