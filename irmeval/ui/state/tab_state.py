"""State of a tab between reruns, and values of its widgets. Only this module uses
Streamlit's session state.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import streamlit as st

T = TypeVar("T")

widgets = st.session_state
"""Values of widgets by key. A value set before the widget is drawn becomes its
value.
"""


@dataclass(frozen=True)
class Value(Generic[T]):
    """A value of each tab, kept over reruns."""

    key: str
    usual: T
    """value until one is set"""

    def is_set(self) -> bool:
        """Whether a value was set since the tab was opened."""
        return self.key in widgets

    def get(self) -> T:
        """The value."""
        found: T = widgets.get(self.key, self.usual)
        return found

    def set(self, value: T) -> None:
        """Replace the value."""
        widgets[self.key] = value

    def setdefault(self, value: T) -> T:
        """Set the value unless one is set already; return the current one."""
        found: T = widgets.setdefault(self.key, value)
        return found

    def pop(self) -> T:
        """Return the value and remove it."""
        found: T = widgets.pop(self.key, self.usual)
        return found


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
