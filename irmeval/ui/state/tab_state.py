"""What a tab remembers from one drawing to the next, and the values of its widgets. Only this module knows Streamlit's session state."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import streamlit as st

T = TypeVar("T")

widgets = st.session_state
"""Key of a widget -> its value. A value that is put here before the widget is drawn is what it shows."""


@dataclass(frozen=True)
class Value(Generic[T]):
    """A value that each tab has for itself, however often it is drawn again."""

    key: str
    usual: T
    """the value until one is set"""

    def is_set(self) -> bool:
        """Whether one was set since the tab was opened."""
        return self.key in widgets

    def get(self) -> T:
        """The value."""
        found: T = widgets.get(self.key, self.usual)
        return found

    def set(self, value: T) -> None:
        """Replace the value."""
        widgets[self.key] = value

    def setdefault(self, value: T) -> T:
        """Set the value unless one is set already; return that which is then set."""
        found: T = widgets.setdefault(self.key, value)
        return found

    def pop(self) -> T:
        """Return the value, and forget it."""
        found: T = widgets.pop(self.key, self.usual)
        return found
