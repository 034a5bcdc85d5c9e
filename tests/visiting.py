"""A visitor of whom something is kept, without a page: what they drop, what is on disk, and what a server that is started anew finds."""

import json
from pathlib import Path

from irmeval.reading.policy import Policy
from irmeval.ui.state import disk_store, keeping
from irmeval.ui.state.visitor import Visitor
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines

FILES = [("../qrels", TINY_QRELS.encode()), *((name, run_lines(name, lists).encode()) for name, lists in TINY_RUNS.items())]
MATRIX = [("scores.csv", b"a,b\n0.1,0.2\n0.3,0.4\n")]


def loaded(files: list[tuple[str, bytes]] = FILES, key: str = "one") -> Visitor:
    """A visitor who has dropped files, and whose pages were drawn."""
    visitor = Visitor(key)
    visitor.dataset.add(files)
    visitor.dataset.collection(Policy())
    keeping.keep(visitor)
    return visitor


def back(key: str = "one") -> Visitor:
    """The visitor on a server that knows nothing but what is on disk."""
    visitor = Visitor(key)
    keeping.load_kept(visitor)
    return visitor


def kept(folder: Path, key: str = "one") -> dict[str, Path]:
    """What is on disk of a visitor, by name."""
    return {path.name: path for path in (folder / key).iterdir()}


def named(folder: Path, *place: str, desk: int = 0) -> Path:
    """The file that the record names in a place."""
    found = json.loads((folder / "one" / disk_store.RECORD).read_bytes())["desks"][desk]
    for key in place:
        found = found[key]
    return folder / "one" / (found if isinstance(found, str) else found[0])
