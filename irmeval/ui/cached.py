"""What one visitor's work saves the next: collections, scores and means, each under a key that says all it depends on.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st

from irmeval import Collection, ReadError, Scores, evaluate, read_collection
from irmeval.policy import Policy
from irmeval.reading.faults import renamed
from irmeval.reading.files import paths
from irmeval.selection import Selected, Selection, select

AGE = 1800
"""Seconds that something is kept after it was last asked for."""
SIZE = 1 << 30
"""Bytes that are kept of what experiments have computed."""


def collection(qrels: Path, runs: tuple[Path, ...], policy: Policy) -> Collection:
    """A collection from files that the server's owner named; raises the `ReadError` of those that cannot be used, by their names alone: a
    visitor need not know where this server keeps them."""
    try:
        state = tuple(_state(path) for path in (qrels, *paths(runs)))
    except ReadError as error:  # an empty folder
        raise _bare(error) from None
    made = _read(qrels, runs, policy, state)
    if isinstance(made, ReadError):
        raise renamed(made, str)  # a copy: what is raised keeps hold of all that was at work
    return made


@st.cache_resource(max_entries=4, show_spinner="Reading the collection ...")
def _read(qrels: Path, runs: tuple[Path, ...], policy: Policy, state: tuple[tuple[int, int], ...]) -> Collection | ReadError:
    """Errors are kept like collections: every page asks for them, and finding all faults takes longer than reading."""
    try:
        return read_collection(qrels, runs, **asdict(policy))
    except ReadError as error:
        return _bare(error)


def _bare(error: ReadError) -> ReadError:
    return renamed(error, lambda name: Path(name).name)


def _state(path: Path) -> tuple[int, int]:
    """What changes with a file: when it was written, and its size; zeros for one that is not there."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@st.cache_resource(max_entries=16, ttl=AGE, show_spinner=False)
def selected(fingerprint: str, selection: Selection, teams: tuple[tuple[str, str], ...], _collection: Collection) -> Selected:
    """What a selection leaves of a collection."""
    return select(_collection, selection, dict(teams))


@st.cache_resource(max_entries=64, ttl=AGE, show_spinner=False)
def scores(fingerprint: str, measures: tuple[str, ...], _collection: Collection) -> Scores:
    """Scores on the full judgments."""
    return evaluate(_collection, measures)


class Shelves(OrderedDict[Hashable, dict[Any, Any]]):
    """What experiments have computed, for all visitors: the shelves last used, each under a key that says all it depends on."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = Lock()
        self.used: dict[Hashable, float] = {}

    def setdefault(self, key: Hashable, default: Any = None) -> dict[Any, Any]:
        """The shelf under a key. Those not asked for in `AGE` seconds go, and past `SIZE` bytes in all those not used for longest."""
        with self.lock:
            shelf = super().setdefault(key, default)
            self.move_to_end(key)
            self.used[key] = now = time.monotonic()
            sizes = {kept: size_of(cells) for kept, cells in self.items()}
            held = sum(sizes.values())
            for kept in [*self][:-1]:
                if held <= SIZE and now - self.used[kept] <= AGE:
                    break
                held -= sizes[kept]
                del self[kept], self.used[kept]
            return shelf


def size_of(value: Any) -> int:
    """Bytes of the arrays in a value, as far down as dictionaries and tuples go."""
    if isinstance(value, dict):
        return sum(map(size_of, [*value.values()]))  # a list: an experiment may be adding to it
    return sum(map(size_of, value)) if isinstance(value, tuple) else getattr(value, "nbytes", 0)


@st.cache_resource(show_spinner=False)
def store() -> Shelves:
    """The store of all experiments."""
    return Shelves()
