"""Visitors: a cookie names each, and what they have loaded is there in all their tabs, and after a restart of the server.

Without a cookie it is there in one tab alone.
"""

import ctypes
import gc
import math
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock

import streamlit as st

from irmeval.core.errors import ParamError
from irmeval.core.text import shorten
from irmeval.ui.state import cached, disk_store, keeping, merging
from irmeval.ui.state.cookies import DAY, days_kept, key_of, sent_cookie
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.streamlit_internals import is_open, session_id

LINGER = 300.0
"""Seconds for which a visitor is remembered after their last tab was closed."""
LOOK = 30.0
"""Seconds between two checks of which visitors have left."""
SHORT, MARK = 200, "@"
"""Longest choice of runs that an address spells out, in letters, and what the mark of a longer one begins with."""


@dataclass(eq=False)
class Visitor(keeping.KeptVisitor):
    """A visitor: what is kept of them, and what is in memory only."""

    undo: Callable[[], None] | None = None
    """takes back the last removal"""
    removed: str = ""
    """what was removed, in words"""
    pictures: dict[str, str] = field(default_factory=dict)
    """key of an item of the report -> a small picture of its first chart, as SVG"""
    token: object = field(default_factory=object)
    """tells this record of the visitor from a later one"""
    used: set[str] = field(default_factory=set)
    """fingerprints of the collections that their pages were drawn on"""
    sessions: set[str] = field(default_factory=set)
    """their tabs"""
    seen: float = field(default_factory=time.monotonic)

    def clear(self) -> None:
        """Forget everything in memory."""
        super().clear()
        self.undo, self.pictures = None, {}

    def open(self, dataset: Dataset) -> None:
        """Make a dataset the one that was opened last; of those without content, one stays."""
        with self.lock:
            if dataset is not self.dataset:
                self.beside = [other for other in [self.dataset, *self.beside] if other is not dataset]
                self.dataset = dataset
            empty = [other for other in self.beside if not other.has_content]
            for other in empty[0 if not dataset.has_content else 1 :]:
                self.beside.remove(other)

    def empty_dataset(self) -> Dataset:
        """Their dataset without content, which stands for what everybody sees."""
        return next((dataset for dataset in [self.dataset, *self.beside] if not dataset.has_content), Dataset())

    def unused_name(self, name: str, *, but: Dataset | None = None) -> str:
        """The name, with a number where another dataset has it already."""
        return merging.number_if_taken(name, (dataset.title for dataset in self.datasets if dataset is not but))

    def shorten_choice(self, names: str) -> str:
        """Names of runs as an address has them: where they are long, a mark that stands for them."""
        if len(names) <= SHORT or names.startswith(MARK):
            return names
        mark = MARK + blake2b(names.encode(), digest_size=4).hexdigest()
        self.choices = dict([*self.choices.items(), (mark, names)][-merging.CHOICES :])
        return mark

    def chosen(self, text: str) -> str:
        """The names of runs that an address says; `ParamError` for an unknown mark."""
        if not text.startswith(MARK):
            return text
        if text not in self.choices:
            raise ParamError(
                f"runs_only: the runs that {shorten(text)} stands for are known to who chose them alone. Choose them again, or open "
                "their workspace."
            )
        return self.choices[text]


_here: dict[str, Visitor] = {}
"""Key -> visitor who has a tab open, or had one until a moment ago."""
_lock = Lock()


def current() -> Visitor:
    """The visitor whose page is being drawn."""
    cookie = sent_cookie()
    session = session_id()
    if not session or not cookie:
        nobody: Visitor | None = st.session_state.get("visitor")
        if nobody is None:
            nobody = st.session_state["visitor"] = Visitor()
        return nobody
    key = key_of(cookie)
    with _lock:
        visitor = _here.get(key) or _here.setdefault(key, Visitor(key))
        new = session not in visitor.sessions
        visitor.sessions.add(session)
    if new:
        visitor.load_kept()
    return visitor


def owner() -> str:
    """An identifier of the visitor whose page is being drawn; without a cookie, that of their tab."""
    return current().key or session_id()


def note_others_loaded(visitor: Visitor, dataset: Dataset) -> None:
    """Note on a dataset how much else is loaded, by this visitor and by all others."""
    dataset.others, dataset.elsewhere = others(visitor), sum_loaded(other for other in visitor.datasets if other is not dataset)


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
    """Forget the visitors whose last tab was closed a while ago, and what was computed for them; what is on disk stays."""
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
    """Drop what was computed for visitors, except on data that others have loaded too, and give the memory back."""
    if fingerprints := {used for visitor in gone for used in visitor.used}:
        with _lock:
            shared = {used for visitor in _here.values() if visitor not in gone for used in visitor.used}
        cached.store().release(fingerprints - shared)
    if gone:
        give_back()


def give_back() -> None:
    """Give free memory back to the system: that of Arrow, and on Linux that of the C library."""
    import pyarrow as pa

    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def watch() -> None:
    """Forget, again and again, the visitors who have left and the data on disk that nobody has used for long."""
    swept = -math.inf
    while True:
        forget_gone(is_open)
        keeping.retry_removals()
        for shelves in (cached.store(), cached.server_collections()):
            shelves.expire()
        if time.monotonic() - swept > DAY:
            swept = time.monotonic()
            for key in [*_here]:
                disk_store.touch(key)
            disk_store.sweep(days_kept() or disk_store.DAYS)
        time.sleep(LOOK)
