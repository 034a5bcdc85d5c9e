"""Pages that go on by themselves."""

import time
from collections.abc import Callable

import streamlit as st

LOOK = 0.5
"""Seconds between two looks at the clock."""


def call_after(seconds: float, go: Callable[[], None]) -> None:
    """Call a function some seconds after the page was drawn, and draw the page again. An earlier drawing starts the wait again."""
    _wait(time.monotonic() + seconds, go)


@st.fragment(run_every=LOOK)
def _wait(due: float, go: Callable[[], None]) -> None:
    if time.monotonic() >= due:
        go()
        st.rerun(scope="app")
