"""The visitors who are here. A cookie identifies each, in all tabs and after a restart; a visitor without a cookie has one tab only."""

import ctypes
import gc
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Lock

from irmeval.core.lazy import pa
from irmeval.ui.state import cache, home, keeping, store
from irmeval.ui.state.cookies import DAY, days_kept, key_of, sent_cookie
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.streamlit_internals import is_open, session_id
from irmeval.ui.state.tab_state import Value
from irmeval.ui.state.visitor import Visitor

LINGER = 300.0
"""Seconds that a visitor stays in memory after their last tab was closed."""
LOOK = 30.0
"""Seconds between two checks for visitors who have left."""

NOBODY = Value[Visitor | None]("visitor", None)
"""The visitor of a tab without a cookie."""

_here: dict[str, Visitor] = {}
"""Key -> visitor who has a tab open, or had one until recently."""
_lock = Lock()


def current() -> Visitor:
    """The visitor whose page is being drawn."""
    cookie = sent_cookie()
    session = session_id()
    if not session or not cookie:
        nobody = NOBODY.get() or Visitor()
        NOBODY.set(nobody)
        return nobody
    key = key_of(cookie)
    with _lock:
        visitor = _here.get(key) or _here.setdefault(key, Visitor(key))
        new = session not in visitor.sessions
        visitor.sessions.add(session)
    if new:
        store.touch([key])
        keeping.sync(visitor)
    return visitor


def owner() -> str:
    """Identifies the visitor whose page is being drawn; without a cookie, their tab."""
    return current().key or session_id()


def closed_tabs() -> list[str]:
    """The sessions of this visitor's tabs that were closed or reloaded."""
    return [session for session in [*current().sessions] if session != session_id() and not is_open(session)]


def others(visitor: Visitor) -> tuple[int, int]:
    """Bytes and runs that all other visitors have loaded."""
    with _lock:
        datasets = [dataset for other in _here.values() if other is not visitor for dataset in other.datasets]
    return sum_loaded(datasets)


def sum_loaded(datasets: Iterable[Dataset]) -> tuple[int, int]:
    """Bytes and number of runs of datasets."""
    sizes, runs = zip((0, 0), *(dataset.loaded for dataset in datasets), strict=True)
    return sum(sizes), sum(runs)


def forget_gone(is_here: Callable[[str], bool]) -> None:
    """Forget the visitors whose last tab was closed `LINGER` seconds ago, and the results on their data; their data on disk stay."""
    now = time.monotonic()
    gone = []
    with _lock:
        for key, visitor in [*_here.items()]:
            if any(map(is_here, visitor.sessions)):
                visitor.seen = now
            elif now - visitor.seen > LINGER:
                gone.append(_here.pop(key))
    release(gone)


def release(gone: Iterable[Visitor]) -> None:
    """Drop the results on visitors' data, except on data that others have loaded too, and give the memory back."""
    if fingerprints := {used for visitor in gone for used in visitor.used}:
        with _lock:
            shared = {used for visitor in _here.values() if visitor not in gone for used in visitor.used}
        cache.store().release(fingerprints - shared)
    if gone:
        give_back()


def give_back() -> None:
    """Give free memory back to the system: that of Arrow, and on Linux that of the C library."""
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def watch() -> None:
    """Forget visitors who have left and data on disk that were not used for long, again and again."""
    swept = -math.inf
    while True:
        forget_gone(is_open)
        keeping.retry_removals()
        cache.store().expire()
        if time.monotonic() - swept > DAY:
            swept = time.monotonic()
            store.touch([*_here])
            store.sweep(days_kept() or home.DAYS)
        time.sleep(LOOK)
