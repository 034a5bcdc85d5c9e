"""A visitor of whom something is kept, without a page: what they drop, what is on disk,
and what a server that is started anew finds.
"""

import time
from pathlib import Path

from irmeval.reading.policy import Policy
from irmeval.ui.state import store, visitors
from irmeval.ui.state.visitor import Visitor
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines

FILES = [
    ("../qrels", TINY_QRELS.encode()),
    *((name, run_lines(name, lists).encode()) for name, lists in TINY_RUNS.items()),
]
MATRIX = [("scores.csv", b"a,b\n0.1,0.2\n0.3,0.4\n")]


def loaded(files: list[tuple[str, bytes]] = FILES, key: str = "one") -> Visitor:
    """A visitor who has dropped files, and whose pages were drawn."""
    visitor = Visitor(key)
    visitor.dataset.add(files)
    visitor.dataset.collection(Policy())
    visitors.sync(visitor)
    return visitor


def back(key: str = "one") -> Visitor:
    """The visitor on a server that knows nothing but what is on disk."""
    visitor = Visitor(key)
    visitors.sync(visitor)
    return visitor


def bytes_of(key: str = "one") -> set[str]:
    """Digests of the files of a visitor, by their rows."""
    with store.transaction(write=False) as db:
        return {
            str(row[0]) for row_key, row in store.rows_of(db, key).items() if row_key[0] == "file"
        }


def on_disk() -> set[str]:
    """Names of all files beside the database."""
    return {path.name for path in (store.folder() / "files").glob("*")}


def file_of(kind: str, name: str = "", title: str = "", key: str = "one") -> Path:
    """The bytes of a file of a visitor, in the collection with a given name."""
    with store.transaction(write=False) as db:
        rows = store.rows_of(db, key)
    return next(
        store.path_of(str(row[0]))
        for (table, *place), row in rows.items()
        if table == "file" and place[1:] == [kind, name] and rows["dataset", place[0]] == (title,)
    )


def trust_clock() -> None:
    """As if a server had swept for the last time as long ago as a clock is trusted."""
    with store.transaction() as db:
        db.execute("DELETE FROM clock")
        db.execute("INSERT INTO clock VALUES (?)", (time.time() - store.SURE,))


def damage(path: Path) -> None:
    """Replace all bytes by zeros."""
    path.write_bytes(bytes(path.stat().st_size))
