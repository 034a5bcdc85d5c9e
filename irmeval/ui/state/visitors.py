"""The visitors who are here, and what is kept of them. A cookie identifies each; a
visitor without a cookie has one tab only.

What they have loaded and decided is there after a restart, in all tabs and on all
servers: `sync` writes the rows that changed here since the last time, and reads those
that changed elsewhere. A row that changed in both places has the value that was written
last; a collection stays as long as either place works on it.
"""

import ctypes
import gc
import json
import logging
import math
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from dataclasses import fields
from functools import partial
from secrets import token_hex
from threading import Lock
from typing import Any

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.parallel import map_threads
from irmeval.core.text import list_few
from irmeval.ui.state import cache, home, rooms, store
from irmeval.ui.state.cookies import DAY, days_kept, key_of, sent_cookie
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import VISITOR
from irmeval.ui.state.naming import number_if_taken
from irmeval.ui.state.store import Key, Rows
from irmeval.ui.state.streamlit_internals import is_open, session_id
from irmeval.ui.state.visitor import (
    KINDS,
    Visitor,
    read_dataset,
    read_settings,
    rows_of,
    rows_of_settings,
)
from irmeval.workspace.archive import write

log = logging.getLogger("irmeval")

AGAIN = 30.0
"""Seconds until the next attempt after another server did not finish writing."""
CANNOT_WRITE = "this server cannot write to its disk"
CANNOT_STORE = "parts of them are no text that can be stored"
UNREADABLE = (
    "Stored data on this server cannot be read, perhaps yours too. The operator finds them set"
    " aside"
)
FORGOTTEN = (
    "Your data were deleted in another window, and everything you had not changed since is gone"
    " here too"
)

_failed_removals: dict[str, str] = {}
"""Reasons why data of visitors could not be removed from disk yet, by visitor."""
_logged: set[str] = set()
"""Reasons of logged failures."""


def sync(visitor: Visitor) -> None:
    """Write local changes, and read changes made elsewhere. If the disk fails,
    `Visitor.refused` has the reason.
    """
    with visitor.lock:
        if not visitor.key or not days_kept():
            return
        if visitor.key in _failed_removals and not remove(visitor.key):
            visitor.refused = CANNOT_WRITE
            return
        try:
            # a drop in another tab comes before or after, never in between
            with ExitStack() as stack:
                for dataset in [visitor.dataset, *visitor.other_datasets]:
                    stack.enter_context(dataset.lock)
                try:
                    _sync(visitor)
                except store.Damaged:
                    visitor.notify(UNREADABLE)
                    _sync(visitor)
            visitor.refused = visitor.refused if visitor.disk.failed else ""
        except OSError as error:
            visitor.disk.failed, visitor.disk.again = rows_of(visitor), time.monotonic() + AGAIN
            if isinstance(error, store.Busy | store.NoRoom):
                visitor.refused = str(error)
                return
            visitor.refused, reason = CANNOT_WRITE, error.strerror or str(error)
            if reason not in _logged:
                _logged.add(reason)
                log.warning(
                    "visitors' data cannot be stored on disk and are only in memory: %s",
                    reason[0].lower() + reason[1:],
                )
        except UnicodeError:  # a page that fails would hide the button that forgets the data
            visitor.refused = CANNOT_STORE


def forget(visitor: Visitor) -> None:
    """Delete all data of a visitor, on disk too. If the disk fails, it is tried again,
    and `why_not_forgotten` has the reason.
    """
    with visitor.lock:
        if visitor.key:
            remove(visitor.key)
        visitor.clear()


def remove(key: str) -> bool:
    """Remove all stored data of a visitor; return whether that succeeded. If not, this
    server no longer reads them.
    """
    try:
        store.forget(key)
    except OSError as error:
        if key not in _failed_removals:
            log.warning(
                "data that a visitor asked to delete cannot be removed from disk; will retry"
            )
        _failed_removals[key] = (error.strerror or str(error)).lower()
        return False
    _failed_removals.pop(key, None)
    return True


def retry_removals() -> None:
    """Retry failed removals."""
    for key in [*_failed_removals]:
        remove(key)


def why_not_forgotten(key: str) -> str:
    """Reason why a visitor's data are still on disk although they asked to delete them;
    empty if they are not.
    """
    return _failed_removals.get(key, "")


def _sync(visitor: Visitor) -> None:
    disk = visitor.disk
    # the database is another one: nobody has forgotten anything
    if disk.inode != (inode := store.inode()):
        disk.rows, disk.state, disk.inode, disk.lost = {}, "", inode, {}
    if not inode and not visitor.loaded():
        return
    mine = rows_of(visitor) if visitor.loaded() or disk.rows else {}
    if mine == disk.failed and time.monotonic() < disk.again:
        return
    changed, removed = _differences(disk.rows, mine)
    files = {str(row[0]): int(row[1]) for key, row in changed.items() if key[0] == "file"}
    damaged = {row[0] for row in disk.lost.values()}
    new = [digest for digest in files if digest in damaged or not store.path_of(digest).exists()]
    if new:
        with store.transaction(write=False) as db:
            store.check_room(db, visitor.key, sum(files[digest] for digest in new))
    gone = {
        str(disk.rows[key][0])
        for key in [*changed, *removed]
        if key[0] == "file" and key in disk.rows
    }
    try:
        for digest in new:
            _put(visitor, digest)
        with store.transaction(write=bool(changed or removed)) as db:
            state = store.find_state(db, visitor.key)
            found, forgotten = (
                (disk.rows if state == disk.state else store.rows_of(db, visitor.key)),
                disk.state and not state,
            )
            if changed or removed:
                if state != disk.state:
                    changed, removed = _merge_changes(visitor, mine, found)
                store.change(db, visitor.key, changed, removed, partial(_put, visitor))
                found, state = store.rows_of(db, visitor.key), store.find_state(db, visitor.key)
    except BaseException:
        with suppress(OSError):
            store.collect(new)
        raise
    if forgotten:
        visitor.notify(FORGOTTEN)
    disk.rows, disk.state, disk.inode, disk.failed = found, state, store.inode(), {}
    if found != mine:
        _read(visitor, mine, found)
    if gone:
        store.collect(gone)


def _differences(before: Rows, after: Rows) -> tuple[Rows, list[Key]]:
    """New or changed rows, and keys of removed ones."""
    return {key: row for key, row in after.items() if before.get(key) != row}, [
        key for key in before if key not in after
    ]


def _merge_changes(visitor: Visitor, mine: Rows, theirs: Rows) -> tuple[Rows, list[Key]]:
    """Merge changes of rows that another server has changed too: a collection stays if
    either uses it, a removal removes only what was read, and two different files of one
    name are both kept.
    """
    before = visitor.disk.rows
    changed, removed = _differences(before, mine)
    stays: list[str] = []
    for dataset in _datasets_in(mine):
        new = _of_dataset(dataset, changed).keys() - visitor.disk.lost.keys()
        if not new:
            continue
        if ("dataset", dataset) not in theirs:  # it was removed there, and changed here
            changed |= _of_dataset(dataset, mine)
            continue
        if any(_is_replaced(key, before, mine, theirs) for key in new):
            stays.append(dataset)
            changed = _without(dataset, changed) | _set_apart(visitor, dataset, mine, theirs)
    stays += [key for key in _datasets_in(removed) if _is_changed(key, before, theirs)]
    return changed, [key for key in removed if _may_go(key, stays, before, theirs)]


def _may_go(key: Key, stays: Iterable[str], before: Rows, theirs: Rows) -> bool:
    """Whether a row that was removed here is what another server still has of it."""
    if key[1] in stays:
        return False
    return theirs.get(key) == before[key]


def _without(dataset: str, rows: Rows) -> Rows:
    """Rows of all datasets but one."""
    return {key: row for key, row in rows.items() if key[1] != dataset}


def _is_changed(dataset: str, before: Rows, theirs: Rows) -> bool:
    """Whether another server has changed or added rows of a dataset."""
    there = _of_dataset(dataset, theirs)
    return any(before.get(key) != row for key, row in there.items())


def _datasets_in(keys: Iterable[Key]) -> list[str]:
    """Keys of the datasets among rows."""
    return [key[1] for key in keys if key[0] == "dataset"]


def _of_dataset(dataset: str, rows: Rows) -> Rows:
    """Rows of a dataset."""
    return {key: row for key, row in rows.items() if key[1] == dataset}


def _is_replaced(key: Key, before: Rows, mine: Rows, theirs: Rows) -> bool:
    """Whether another server has replaced content that was replaced here too, and by
    another.
    """
    there = theirs.get(key)
    known = None, before.get(key), mine[key]
    return _is_content(key) and there not in known


def _set_apart(visitor: Visitor, dataset: str, mine: Rows, theirs: Rows) -> Rows:
    """Rows of a dataset as a second one, under a name that no other has."""
    apart, own = token_hex(4), ("dataset", dataset)
    rows: Rows = {(key[0], apart, *key[2:]): row for key, row in _of_dataset(dataset, mine).items()}
    names = [str(theirs["dataset", other][0]) for other in _datasets_in(theirs)]
    rows["dataset", apart] = (number_if_taken(str(mine[own][0]), names),)
    title = theirs[own][0] or mine[own][0] or "A collection"
    visitor.notify(f"{title} was changed in two places at the same time. Both versions are kept")
    return rows


def _is_content(key: Key) -> bool:
    """Whether a row of a dataset contains data that a visitor would miss if
    replaced.
    """
    return key[0] == "file" or key[2:] in (("notes",), ("teams",))


def _put(visitor: Visitor, digest: str) -> None:
    """Write the content with a digest to disk."""
    store.put(
        digest,
        write(
            next(content for content, name, _ in visitor.disk.contents.values() if name == digest)
        ),
    )


def _read(visitor: Visitor, mine: Rows, found: Rows) -> None:
    """Update a visitor in memory, whose rows are `mine`, to the rows in the store."""
    disk, lost = visitor.disk, set[Key]()
    known: dict[str, Any] = {digest: content for content, digest, _ in disk.contents.values()}
    digests = {str(row[0]) for key, row in found.items() if key[0] == "file"}
    missing = sorted(digests - known.keys())
    known |= zip(missing, map_threads(_fetch, missing), strict=True)
    here = {dataset.key: dataset for dataset in [visitor.dataset, *visitor.other_datasets]}
    uploader = max(dataset.uploader for dataset in here.values()) + 1
    datasets = {}
    for own in dict.fromkeys(key[1] for key in found if key[0] != "setting" or key[1]):
        rows, before = (
            {key: row for key, row in some.items() if key[1] == own} for some in (found, mine)
        )
        if own in here and rows == before:
            datasets[own] = here[own]
            continue
        made, gone = read_dataset(own, rows, known, uploader)
        lost |= gone
        datasets[own] = here.get(own, made)
        if datasets[own] is not made:
            _replace_content(datasets[own], made)
    # made just now
    datasets |= {
        key: one for key, one in here.items() if ("dataset", key) not in mine and not one.bare
    }
    settings = {
        key: row
        for key, row in rows_of_settings(visitor).items()
        if key not in mine or key in found
    }
    settings |= _differences(mine, found)[0]
    decided = {
        key[2]: json.loads(str(row[0]))
        for key, row in settings.items()
        if key[:2] == ("setting", "")
    }
    chosen = decided.pop("open", "")
    opened = datasets.get(chosen) or (next(iter(datasets.values()), None) if chosen else None)
    opened = opened or (visitor.dataset if visitor.dataset.bare else Dataset())
    visitor.dataset, visitor.other_datasets = (
        opened,
        [dataset for dataset in datasets.values() if dataset is not opened],
    )
    read_settings(visitor, decided)
    if new := lost - disk.lost.keys():
        said = [f"{_describe(key, found)} of {datasets[key[1]].title}" for key in sorted(new)]
        visitor.notify(
            f"Some of your stored data cannot be read and are left out: {list_few(said)}."
            " Everything else is unchanged"
        )
    disk.lost = {key: found[key] for key in lost}
    disk.rows = {key: row for key, row in found.items() if key not in lost}
    disk.contents = {
        id(content): (content, digest, size)
        for content, digest, size in disk.contents.values()
        if digest in digests
    }
    sizes = {str(row[0]): int(row[1]) for key, row in found.items() if key[0] == "file"}
    disk.contents |= {
        id(known[digest]): (known[digest], digest, size)
        for digest, size in sizes.items()
        if known[digest] is not None
    }


def _describe(key: Key, found: Rows) -> str:
    """Description of a row whose file cannot be read."""
    _, _, kind, name = key
    return f"{KINDS[kind][1]} {name or json.loads(str(found[key][2]))}".strip()


def _fetch(digest: str) -> Any:
    with suppress(ReadError):
        return store.fetch(digest)
    return None


def _replace_content(dataset: Dataset, other: Dataset) -> None:
    """Update a dataset to equal another, in place; keep the joined lists of unchanged
    runs.
    """
    with dataset.lock:
        dataset.drop_collection()
        here, there = dataset.qrels, other.qrels
        same = here is there or (here and there and here.qrels is there.qrels)
        left = {
            key: of
            for key, of in dataset.lists.items()
            if same and dataset.runs.get(key[0]) is other.runs.get(key[0], dataset)
        }
        kept = {
            "lock",
            "lists",
            "key",
            "refused",
            "remarks",
            "replaced",
            "fresh",
            "messages",
            "dropped",
            "tab",
            "others",
            "elsewhere",
        }
        for part in fields(dataset):
            if part.name not in kept:
                setattr(dataset, part.name, getattr(other, part.name))
        dataset.lists = left


LINGER = 300.0
"""Seconds that a visitor stays in memory after their last tab was closed."""
LOOK = 30.0
"""Seconds between two checks for visitors who have left."""

_here: dict[str, Visitor] = {}
"""Visitors with an open tab, or with one until recently, by key."""
_lock = Lock()


def current() -> Visitor:
    """The visitor whose page is being drawn, by the cookie of their browser. The frame
    asks once a drawing, and `here` returns who that was.
    """
    cookie = sent_cookie()
    session = session_id()
    if not session or not cookie:
        nobody = VISITOR.get() or Visitor()
        VISITOR.set(nobody)
        return nobody
    key = key_of(cookie)
    with _lock:
        visitor = _here.get(key) or _here.setdefault(key, Visitor(key))
        new = session not in visitor.sessions
        visitor.sessions.add(session)
    VISITOR.set(visitor)
    if new:
        store.touch([key])
        sync(visitor)
    return visitor


def here() -> Visitor:
    """The visitor whose page is being drawn, or was drawn last in this tab."""
    return VISITOR.get() or current()


def owner() -> str:
    """Key of the visitor whose page is being drawn; without a cookie, their tab."""
    return here().key or session_id()


def closed_tabs() -> list[str]:
    """Sessions of this visitor's tabs that were closed or reloaded."""
    return [
        session
        for session in [*here().sessions]
        if session != session_id() and not is_open(session)
    ]


def others(visitor: Visitor) -> tuple[int, int]:
    """Bytes and runs that all other visitors have loaded."""
    with _lock:
        datasets = [
            dataset
            for other in _here.values()
            if other is not visitor
            for dataset in other.datasets
        ]
    return sum_loaded(datasets)


def sum_loaded(datasets: Iterable[Dataset]) -> tuple[int, int]:
    """Bytes and number of runs of datasets."""
    sizes, runs = zip((0, 0), *(dataset.loaded for dataset in datasets), strict=True)
    return sum(sizes), sum(runs)


def forget_gone(is_here: Callable[[str], bool]) -> None:
    """Drop visitors whose last tab was closed `LINGER` seconds ago, and the results on
    their data; their data on disk stay.
    """
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
    """Drop the results on visitors' data, except on data that others have loaded too,
    and release the memory.
    """
    if fingerprints := {used for visitor in gone for used in visitor.used}:
        with _lock:
            shared = {
                used for visitor in _here.values() if visitor not in gone for used in visitor.used
            }
        cache.store().release(fingerprints - shared)
    if gone:
        gc.collect()
        pa.default_memory_pool().release_unused()
        with suppress(AttributeError, OSError, TypeError):  # on Linux alone
            ctypes.CDLL(None).malloc_trim(0)


def watch() -> None:
    """Drop visitors who have left and data on disk that are out of date, again and
    again.
    """
    swept = -math.inf
    while True:
        for chore in (partial(forget_gone, is_open), retry_removals, cache.store().expire):
            attempt(chore)
        if time.monotonic() - swept > DAY and attempt(_sweep):
            swept = time.monotonic()
        time.sleep(LOOK)


def _sweep() -> None:
    store.touch([*_here])
    store.sweep(days_kept() or home.DAYS)
    rooms.remove_old()


def attempt(chore: Callable[[], object]) -> bool:
    """Do a chore; return whether it succeeded. An error is logged once: the thread that
    does all chores must not end with one, and they are tried again.
    """
    try:
        chore()
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        if reason not in _logged:
            _logged.add(reason)
            log.warning("clearing up failed and is tried again (%s)", reason)
        return False
    return True
