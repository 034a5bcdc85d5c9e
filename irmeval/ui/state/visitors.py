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
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import fields
from functools import partial
from itertools import chain, filterfalse
from threading import Lock
from typing import Any

from irmeval.collection.joining import Lists
from irmeval.core.errors import ReadError, reason_of
from irmeval.core.lazy import pa
from irmeval.core.parallel import map_threads
from irmeval.core.text import list_few
from irmeval.ui.state import cache, home, merging, rooms, store
from irmeval.ui.state.cookies import DAY, days_kept, key_of, sent_cookie
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import VISITOR
from irmeval.ui.state.store import Key, Rows
from irmeval.ui.state.streamlit_internals import drop_closed_sessions, is_open, session_id
from irmeval.ui.state.visitor import (
    KINDS,
    Content,
    Visitor,
    decisions_in,
    read_dataset,
    read_settings,
    rows_of,
    rows_of_settings,
)
from irmeval.workspace.archive import write
from irmeval.workspace.stored import RunLists

log = logging.getLogger("irmeval")

AGAIN = 30.0
"""Seconds until the next attempt after another server did not finish writing."""
CANNOT_WRITE = "this server cannot write to its disk"
CANNOT_STORE = "parts of them are no text that can be stored"
UNREADABLE = (
    "Stored data on this server cannot be read, perhaps yours too. The operator finds them set"
    " aside"
)
APART = "{} was changed in two places at the same time. Both versions are kept"
LOST = "Some of your stored data cannot be read and are left out: {}. Everything else is unchanged"
FORGOTTEN = (
    "Your data were deleted in another window, and everything you had not changed since is gone"
    " here too"
)

_failed_removals: dict[str, str] = {}
"""Reasons why data of visitors could not be removed from disk yet, by visitor."""
_logged: set[str] = set()
"""Warnings that were logged."""


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
            _sync_unchanging(visitor)
        except OSError as error:
            visitor.disk.failed, visitor.disk.again = rows_of(visitor), time.monotonic() + AGAIN
            visitor.refused = _why_not_stored(error)
        except UnicodeError:  # a page that fails would hide the button that forgets the data
            visitor.refused = CANNOT_STORE
        else:
            if not visitor.disk.failed:
                visitor.refused = ""


def _sync_unchanging(visitor: Visitor) -> None:
    """Write and read while no collection changes: a drop in another tab comes before or
    after, never in between.
    """
    with ExitStack() as stack:
        for dataset in visitor.every_dataset:
            stack.enter_context(dataset.lock)
        try:
            _sync(visitor)
        except store.Damaged:  # it is set aside by now, and another one is written
            visitor.notify(UNREADABLE)
            _sync(visitor)


def _why_not_stored(error: OSError) -> str:
    """What a visitor is told of an error of the disk. Only the log says what it was."""
    if isinstance(error, store.Busy | store.NoRoom):
        return str(error)
    reason = reason_of(error)
    _warn_once(f"visitors' data cannot be stored on disk and are only in memory: {reason}")
    return CANNOT_WRITE


def _warn_once(text: str) -> None:
    """Log a warning, unless it has been logged: a full disk is met by every press."""
    if text not in _logged:
        _logged.add(text)
        log.warning("%s", text)


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
        _failed_removals[key] = reason_of(error)
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
    disk, inode = visitor.disk, store.inode()
    if disk.inode != inode:  # the database is another one: nobody has forgotten anything
        disk.rows, disk.state, disk.inode, disk.lost = {}, "", inode, {}
    mine: Rows = {}
    if visitor.loaded() or disk.rows:
        mine = rows_of(visitor)
    elif not inode:  # nothing is kept of anybody
        return
    if mine == disk.failed and time.monotonic() < disk.again:
        return
    own = merging.compare(disk.rows, mine)
    replaced = merging.compare(mine, disk.rows).changed
    found, disk.state = _write(visitor, mine, own)
    disk.rows, disk.inode, disk.failed = found, store.inode(), {}
    # reading makes new records of what has changed, and forgets what pages have joined
    if found != mine:
        _read(visitor, mine, found)
    # at the end: until the rows are committed, they name these files
    gone = _files(replaced)
    if gone:
        store.collect(gone)


def _write(visitor: Visitor, mine: Rows, own: merging.RowChange) -> tuple[Rows, str]:
    """Write files and rows that have changed here; return the rows that are there then, and
    their state.
    """
    new = _files_to_write(visitor, own.changed)
    try:
        for digest in new:
            _put(visitor, digest)
        return _write_rows(visitor, mine, own)
    except BaseException:
        with suppress(OSError):
            store.collect(new)
        raise


def _files_to_write(visitor: Visitor, changed: Rows) -> list[str]:
    """Digests of the files of changed rows that are not on disk, or are damaged there.
    Raises `NoRoom` if a quota is used up.
    """
    files, damaged = _files(changed), _files(visitor.disk.lost)
    new = [name for name in files if name in damaged or not store.path_of(name).exists()]
    if not new:
        return []
    with store.transaction(write=False) as db:
        store.check_room(db, visitor.key, sum(files[digest] for digest in new))
    return new


def _files(rows: Rows) -> dict[str, int]:
    """Digest -> bytes, of the files among rows."""
    return {str(digest): int(size) for digest, size, _ in store.rows_in("file", rows).values()}


def _put(visitor: Visitor, digest: str) -> None:
    """Write the content with a digest to disk."""
    contents = visitor.disk.contents.values()
    store.put(digest, write(next(one.value for one in contents if one.digest == digest)))


def _write_rows(visitor: Visitor, mine: Rows, own: merging.RowChange) -> tuple[Rows, str]:
    """Write the rows that have changed here, merged with what has changed elsewhere."""
    disk = visitor.disk
    with store.transaction(write=own.is_any) as db:
        state = store.find_state(db, visitor.key)
        if disk.state and not state:
            visitor.notify(FORGOTTEN)
        theirs = disk.rows
        # a press that changes nothing reads one row
        if state != disk.state:
            theirs = store.rows_of(db, visitor.key)
        if not own.is_any:
            return theirs, state
        merged, apart = merging.merge(disk.rows, mine, theirs)
        for title in apart:
            visitor.notify(APART.format(title))
        store.change(db, visitor.key, merged.changed, merged.removed, partial(_put, visitor))
        return store.rows_of(db, visitor.key), store.find_state(db, visitor.key)


def _read(visitor: Visitor, mine: Rows, found: Rows) -> None:
    """Update a visitor in memory, whose rows are `mine`, to the rows in the store."""
    disk, files = visitor.disk, _files(found)
    known = {content.digest: content for content in disk.contents.values()}
    missing = sorted(files.keys() - known.keys())
    for digest, value in zip(missing, map_threads(_fetch, missing), strict=True):
        if value is not None:
            known[digest] = Content(value, digest, files[digest])
    datasets, lost = _read_datasets(visitor, mine, found, known)
    _read_decisions(visitor, mine, found, datasets)
    new = lost - disk.lost.keys()
    if new:
        said = [f"{_describe(key, found)} of {datasets[key[1]].title}" for key in sorted(new)]
        visitor.notify(LOST.format(list_few(said)))
    disk.rows, disk.lost = dict(found), {}
    for key in lost:
        disk.lost[key] = disk.rows.pop(key)
    disk.contents = {id(known[digest].value): known[digest] for digest in files.keys() & known}


def _fetch(digest: str) -> Any:
    """Content with a digest; None if it cannot be read."""
    with suppress(ReadError):
        return store.fetch(digest)
    return None


def _describe(key: Key, found: Rows) -> str:
    """Description of a row whose file cannot be read."""
    _, _, kind, name = key
    return f"{KINDS[kind].said} {name or json.loads(str(found[key][2]))}".strip()


def _read_datasets(
    visitor: Visitor, mine: Rows, found: Rows, known: Mapping[str, Content]
) -> tuple[dict[str, Dataset], set[Key]]:
    """Datasets by key, of contents by digest; and rows whose content cannot be read."""
    here = {dataset.key: dataset for dataset in visitor.every_dataset}
    uploader = max(dataset.uploader for dataset in here.values()) + 1
    before, there = merging.by_dataset(mine), merging.by_dataset(found)
    there.pop("", None)  # the visitor's own settings
    datasets, lost = dict[str, Dataset](), set[Key]()
    for own, rows in there.items():
        held = here.get(own)
        if held and rows == before.get(own):
            datasets[own] = held
            continue
        made, gone = read_dataset(own, rows, known, uploader)
        lost |= gone
        # pages that are drawn hold the record: a new one would change nothing for them
        datasets[own] = _with_content(held, made) if held else made
    for own in here.keys() - before.keys():
        if not here[own].bare:  # another tab has made it just now
            datasets[own] = here[own]
    return datasets, lost


def _read_decisions(
    visitor: Visitor, mine: Rows, found: Rows, datasets: dict[str, Dataset]
) -> None:
    """Set a visitor's decisions to those in the store, apart from what another tab has
    changed just now.
    """
    before, there = merging.by_dataset(mine), merging.by_dataset(found)
    elsewhere = merging.compare(before.get("", {}), there.get("", {}))
    settings = rows_of_settings(visitor)
    for key in elsewhere.removed:
        settings.pop(key, None)
    decided = decisions_in(settings | elsewhere.changed)
    opened = _opened(decided.get("open", ""), datasets, visitor.dataset)
    others = dict(datasets)
    others.pop(opened.key, None)
    visitor.dataset, visitor.other_datasets = opened, [*others.values()]
    read_settings(visitor, decided)


def _opened(chosen: str, datasets: dict[str, Dataset], before: Dataset) -> Dataset:
    """The dataset that the visitor opened last, or another if that is gone."""
    first = next(iter(datasets.values()), None)
    if chosen and first:
        return datasets.get(chosen, first)
    if before.bare:
        return before
    return Dataset()


OF_TAB = {"refused", "remarks", "replaced", "fresh", "messages", "dropped", "tab"}
"""Fields of a dataset that are about the last drop here."""
OF_SERVER = {"lock", "key", "others", "elsewhere"}
"""Fields of a dataset that are of this server."""
OF_CONTENT = {part.name for part in fields(Dataset)} - OF_TAB - OF_SERVER
"""The others."""


def _with_content(dataset: Dataset, other: Dataset) -> Dataset:
    """A dataset, changed to equal another; the joined lists of unchanged runs stay."""
    with dataset.lock:
        dataset.drop_collection()
        lists = _lists_of_unchanged(dataset, other)
        vars(dataset).update({name: getattr(other, name) for name in OF_CONTENT})
        dataset.lists = lists
    return dataset


def _lists_of_unchanged(dataset: Dataset, other: Dataset) -> dict[RunLists, Lists]:
    """Joined lists of the runs that two datasets share, if these have the same judgments."""
    if not _same_judgments(dataset, other):
        return {}
    same = {name for name, run in dataset.runs.items() if other.runs.get(name) is run}
    return {key: lists for key, lists in dataset.lists.items() if key[0] in same}


def _same_judgments(one: Dataset, other: Dataset) -> bool:
    """Whether the first judge's judgments are the same in memory."""
    if one.qrels is None or other.qrels is None:
        return one.qrels is other.qrels
    return one.qrels.qrels is other.qrels.qrels


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
    if not cookie:
        # without a cookie their tab is all that tells them from others
        nobody = VISITOR.get() or Visitor()
        VISITOR.set(nobody)
        return nobody
    key = key_of(cookie)
    with _lock:
        if key not in _here:
            _here[key] = Visitor(key)
        visitor = _here[key]
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
    others = here().sessions - {session_id()}
    return [*filterfalse(is_open, others)]


def others(visitor: Visitor) -> tuple[int, int]:
    """Bytes and runs that all other visitors have loaded."""
    with _lock:
        others = {*_here.values()} - {visitor}
    return sum_loaded(chain.from_iterable(other.datasets for other in others))


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
    left = {*gone}
    if not left:
        return
    with _lock:
        stay = {*_here.values()} - left
    # two visitors who loaded the same files share results
    used = set[str]().union(*(visitor.used for visitor in left))
    cache.store().release(used.difference(*(visitor.used for visitor in stay)))
    give_back_memory()


def give_back_memory() -> None:
    """Return to the system what was dropped."""
    # what refers to itself in circles is found by a search through memory alone
    gc.collect()
    pa.default_memory_pool().release_unused()
    with suppress(AttributeError, OSError, TypeError):  # on Linux alone
        ctypes.CDLL(None).malloc_trim(0)


def drop_old_results() -> None:
    """Drop what nobody has asked for long enough, and return its memory."""
    held = len(cache.store())
    cache.store().expire()
    if len(cache.store()) < held:
        give_back_memory()


def watch() -> None:
    """Drop visitors who have left and data on disk that are out of date, again and
    again.
    """
    swept = -math.inf
    while True:
        # sessions first, as they hold what visitors who have gone had on their pages
        for chore in (
            drop_closed_sessions,
            partial(forget_gone, is_open),
            retry_removals,
            drop_old_results,
        ):
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
        _warn_once(f"clearing up failed and is tried again ({type(error).__name__}: {error})")
        return False
    return True
