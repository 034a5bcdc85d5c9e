"""What goes on by itself: a step after so many seconds, unless something else happens first."""

import time
from collections.abc import Callable

import streamlit as st

LOOK = 0.5
"""Seconds between two looks at the clock."""


def after(seconds: float, go: Callable[[], None]) -> None:
    """Call a function so many seconds after the page was drawn, and draw it again; whatever draws it earlier begins the wait anew."""
    _wait(time.monotonic() + seconds, go)


@st.fragment(run_every=LOOK)
def _wait(due: float, go: Callable[[], None]) -> None:
    if time.monotonic() >= due:
        go()
        st.rerun(scope="app")
