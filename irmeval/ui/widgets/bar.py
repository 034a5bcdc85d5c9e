"""A bar that shows how much of some work in another thread is done."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import streamlit as st

from irmeval.ui.state.naming import Tell

T = TypeVar("T")
LOOK = 0.1
"""Seconds between two updates."""


class Bar:
    """A bar with words for both numbers. If the visitor goes on to another page, the work
    is still done, and so is what follows it, until `leave`.
    """

    def __init__(self, words: str):
        self._words = words
        self._bar = st.empty()
        self._left: BaseException | None = None

    def work(self, do: Callable[[Tell], T]) -> T:
        """Result of ``do(tell)``."""
        seen = (0, 1)

        def tell(done: int, total: int) -> None:
            nonlocal seen
            seen = done, total

        with ThreadPoolExecutor(1) as worker:
            working = worker.submit(do, tell)
            while not wait([working], LOOK).done:
                self._show(*seen)
        return working.result()

    def _show(self, done: int, total: int) -> None:
        if self._left:
            return
        try:
            self._bar.progress(done / total, self._words.format(f"{done:,}", f"{total:,}"))
        except BaseException as left:  # how Streamlit ends a page that is left
            self._left = left

    def leave(self) -> None:
        """End the page if the visitor has left it meanwhile."""
        if self._left:
            raise self._left
