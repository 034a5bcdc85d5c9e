"""What one visitor's work saves the next: collections, scores and means, each under a key that says all it depends on.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import streamlit as st

from irmeval import Collection, Scores, evaluate, read_collection
from irmeval.policy import Policy
from irmeval.selection import Selected, Selection, select


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


@st.cache_resource(max_entries=32, show_spinner=False)
def store(fingerprint: str, *key: Any) -> dict[Any, Any]:
    """What an experiment has computed so far on one collection; filled by the experiment itself."""
    return {}
