"""State of a tab between reruns, and values of its widgets. Only this module uses
Streamlit's session state.

Each widget has one true value, also where the browser does not show it: see `Widgets`.
"""

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

T = TypeVar("T")


class Put(NamedTuple):
    """A value that this server has put under the key of a widget in a popover."""

    place: str
    """the popover"""
    value: Any
    drawn: int | None = None
    """drawing of the popover that sent it to the browser; None before that"""


class Widgets(MutableMapping[str, Any]):
    """Values of widgets by key. A value set before the widget is drawn becomes its
    value.

    The browser builds the widgets of a popover when it is opened, and none while it is
    closed. Of a closed one it sends the values of the last time, and would undo what was
    put there since. Therefore each popover has a hidden field with the number of its
    drawing: a value that was put later than the number that the browser
    sends stays (`keep_put`).
    """

    def __getitem__(self, key: str) -> Any:
        return st.session_state[key]

    def __setitem__(self, key: str, value: Any) -> None:
        place, put = _PLACES.get().get(key), _PUT.get()
        if place and (key not in put or put[key].value != value):
            _PUT.set(put | {key: Put(place, value)})
        st.session_state[key] = value

    def __delitem__(self, key: str) -> None:
        del st.session_state[key]

    def __iter__(self) -> Iterator[str]:
        return map(str, st.session_state)

    def __len__(self) -> int:
        return len(st.session_state)

    def __contains__(self, key: object) -> bool:
        return key in st.session_state

    def clear(self) -> None:
        """Reset all widgets, also those of closed popovers."""
        places = _PLACES.get()
        st.session_state.clear()
        _PLACES.set(places)
        self.update(dict.fromkeys(places, NOTHING))


NOTHING = ...
"""Value that no widget can have: setting it under a widget's key resets the widget,
also in the browser.
"""
widgets = Widgets()


@dataclass(frozen=True)
class Value(Generic[T]):
    """A value of each tab, kept over reruns."""

    key: str
    usual: T
    """value until one is set"""

    def is_set(self) -> bool:
        """Whether a value was set since the tab was opened."""
        return self.key in st.session_state

    def get(self) -> T:
        """The value."""
        found: T = st.session_state.get(self.key, self.usual)
        return found

    def set(self, value: T) -> None:
        """Replace the value."""
        st.session_state[self.key] = value

    def setdefault(self, value: T) -> T:
        """Set the value unless one is set already; return the current one."""
        found: T = st.session_state.setdefault(self.key, value)
        return found

    def pop(self) -> T:
        """Return the value and remove it."""
        found: T = st.session_state.pop(self.key, self.usual)
        return found


DRAWN = "-drawn-"
"""Ending of the keys of hidden fields. The style sheet hides what has such a key."""
_PLACES = Value[dict[str, str]]("places_of_widgets", {})
"""Popover of each widget in one, by key of the widget."""
_PUT = Value[dict[str, Put]]("put", {})
"""Values put under keys of widgets in popovers, until the browser has another."""
_HERE = Value("popover_drawn", "")
"""The popover that is being drawn; empty outside."""


@contextmanager
def drawing_popover(name: str) -> Iterator[None]:
    """Context for the widgets of a popover, with a name that no other has. Its hidden
    field has the number of this drawing.
    """
    number = time.monotonic_ns()
    st.session_state[_field(name)] = str(number)
    _HERE.set(name)
    try:
        yield
    finally:
        _HERE.set("")
        for key, put in _PUT.get().items():
            if put.place == name and put.drawn is None:
                _PUT.set(_PUT.get() | {key: put._replace(drawn=number)})


def note_drawn(key: str, *, from_url: bool) -> None:
    """Note the popover of a widget that has just been drawn in one, and its value if that
    was put there by the URL.
    """
    place = _HERE.get()
    if not place:
        return
    if key == _field(place):
        return
    _PLACES.set(_PLACES.get() | {key: place})
    if from_url:
        _PUT.set(_PUT.get() | {key: Put(place, st.session_state[key])})


def keep_put() -> None:
    """Put values again that the browser has not shown in a popover yet, and let its own
    count where it has. Comes before anything reads them.
    """
    state, left = st.session_state, {}
    for key, put in _PUT.get().items():
        if key not in state:
            continue
        # what is equal stays even if shown: a page may redraw itself without word from the browser
        if state[key] == put.value:
            left[key] = put
        elif not _has_shown(put):
            left[key] = put
            state[key] = put.value
    _PUT.set(left)


def _has_shown(put: Put) -> bool:
    """Whether the browser has built the popover with a value that was put."""
    sent = str(st.session_state.get(_field(put.place), ""))
    return put.drawn is not None and sent.isdecimal() and put.drawn <= int(sent)


def _field(popover: str) -> str:
    """Key of the hidden field of a popover."""
    return f"{popover}{DRAWN}"


_DRAWN = Value[dict[tuple[str, str], tuple[tuple[Any, ...], Any]]]("drawn", {})
"""Parts of the page as they were last drawn, by module and name: what each depends on,
and what was made.
"""


def made_once(part: str, depends_on: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Part of the page as it was last drawn if it depends on the same values, which are
    compared; else it is made. The name of the part is that of no other in the module of
    `make`.
    """
    drawn, key = _DRAWN.setdefault({}), (make.__module__, part)
    if key not in drawn or drawn[key][0] != depends_on:
        drawn[key] = depends_on, make()
    made: T = drawn[key][1]
    return made


def forget_drawn() -> None:
    """Drop what was drawn. Called when another page is opened."""
    _DRAWN.set({})
