"""What one visitor's work saves the next: collections, scores and means, each under a key that says all it depends on.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st

from irmeval import Collection, Scores, evaluate, read_collection
from irmeval.policy import Policy
from irmeval.selection import Selected, Selection, select

SHELVES = 64
"""Kept at most."""


@st.cache_resource(max_entries=4, show_spinner="Reading the collection ...")
def collection(qrels: Path, runs: tuple[Path, ...], policy: Policy) -> Collection:
    """A collection from files that the server's owner named."""
    return read_collection(qrels, runs, **asdict(policy))


@st.cache_resource(max_entries=16, show_spinner=False)
def selected(fingerprint: str, selection: Selection, teams: tuple[tuple[str, str], ...], _collection: Collection) -> Selected:
    """What a selection leaves of a collection."""
    return select(_collection, selection, dict(teams))


@st.cache_resource(max_entries=64, show_spinner=False)
def scores(fingerprint: str, measures: tuple[str, ...], _collection: Collection) -> Scores:
    """Scores on the full judgments."""
    return evaluate(_collection, measures)


class Shelves(OrderedDict[Hashable, dict[Any, Any]]):
    """What experiments have computed, for all visitors: the shelves last used, each under a key that says all it depends on."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = Lock()

    def setdefault(self, key: Hashable, default: Any = None) -> dict[Any, Any]:
        """The shelf under a key; past `SHELVES` the one that was not used for longest goes."""
        with self.lock:
            found = super().setdefault(key, default)
            self.move_to_end(key)
            if len(self) > SHELVES:
                self.popitem(last=False)
            return found


@st.cache_resource(show_spinner=False)
def store() -> Shelves:
    """The store of all experiments."""
    return Shelves()
