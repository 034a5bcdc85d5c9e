"""Values of a tab's widgets. Only this module and `mailboxes` use Streamlit's session
state.

Each widget has one true value, also where the browser does not show it: see `Widgets`.
"""

import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from irmeval.ui.state.mailboxes import DRAWN as PARTS
from irmeval.ui.state.mailboxes import POPOVERS, Popovers, Put

T = TypeVar("T")


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
        popovers = POPOVERS.get()
        place, put = popovers.places.get(key), popovers.put.get(key)
        is_put = put is not None and put.value == value
        if place and not is_put:
            popovers.put[key] = Put(place, value)
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
        places = POPOVERS.get().places
        st.session_state.clear()
        POPOVERS.set(Popovers(places))
        self.update(dict.fromkeys(places, NOTHING))


NOTHING = ...
"""Value that no widget can have: setting it under a widget's key resets the widget,
also in the browser.
"""
widgets = Widgets()


DRAWN = "-drawn-"
"""Ending of the keys of hidden fields. The style sheet hides what has such a key."""


@contextmanager
def drawing_popover(name: str) -> Iterator[None]:
    """Context for the widgets of a popover, with a name that no other has. Its hidden
    field has the number of this drawing.
    """
    number = time.monotonic_ns()
    st.session_state[_field(name)] = str(number)
    popovers = POPOVERS.get()
    popovers.here = name
    try:
        yield
    finally:
        popovers.here = ""
        for key, put in popovers.put.items():
            if put.place == name and put.drawn is None:
                popovers.put[key] = put._replace(drawn=number)


def note_drawn(key: str, *, from_url: bool) -> None:
    """Note the popover of a widget that has just been drawn in one, and its value if that
    was put there by the URL.
    """
    popovers = POPOVERS.get()
    place = popovers.here
    if not place:
        return
    if key == _field(place):
        return
    popovers.places[key] = place
    if from_url:
        popovers.put[key] = Put(place, st.session_state[key])


def keep_put() -> None:
    """Put values again that the browser has not shown in a popover yet, and let its own
    count where it has. Comes before anything reads them.
    """
    state, left, popovers = st.session_state, {}, POPOVERS.get()
    for key, put in popovers.put.items():
        if key not in state:
            continue
        # what is equal stays even if shown: a page may redraw itself without word from the browser
        if state[key] == put.value:
            left[key] = put
        elif not _has_shown(put):
            left[key] = put
            state[key] = put.value
    popovers.put = left


def _has_shown(put: Put) -> bool:
    """Whether the browser has built the popover with a value that was put."""
    sent = str(st.session_state.get(_field(put.place), ""))
    if put.drawn is None or not sent.isdecimal():
        return False
    return put.drawn <= int(sent)


def _field(popover: str) -> str:
    """Key of the hidden field of a popover."""
    return f"{popover}{DRAWN}"


def made_once(part: str, depends_on: tuple[Any, ...], make: Callable[[], T]) -> T:
    """Part of the page as it was last drawn if it depends on the same values, which are
    compared; else it is made. The name of the part is that of no other in the module of
    `make`.
    """
    drawn, key = PARTS.get(), (getattr(make, "func", make).__module__, part)  # or a partial's
    if key not in drawn or drawn[key][0] != depends_on:
        drawn[key] = depends_on, make()
    made: T = drawn[key][1]
    return made


def forget_drawn() -> None:
    """Drop what was drawn. Called when another page is opened."""
    PARTS.set({})
