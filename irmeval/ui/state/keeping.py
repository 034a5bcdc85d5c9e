"""Visitors on disk: what they have loaded and decided is there after a restart, and on all servers that share the folder."""

import logging
import time
from contextlib import ExitStack, suppress
from dataclasses import fields
from functools import partial
from typing import Any

from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import list_few
from irmeval.ui.state import disk_store, merging, record
from irmeval.ui.state.cookies import days_kept
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.locking import Busy
from irmeval.ui.state.visitor import DECIDED, Visitor
from irmeval.workspace.archive import Archived

log = logging.getLogger("irmeval")

DAMAGED = IrmevalError, LookupError, TypeError, ValueError, AttributeError
"""Errors of reading a record that was changed or damaged."""
AGAIN = 30.0
"""Seconds until the next try to write, after another server held the lock."""
UNREADABLE = "Your stored data cannot be read: they are damaged, or of a different version of irmeval. The operator finds them set aside"


_failed_removals: dict[str, str] = {}
"""Folder of a visitor whose data could not be removed from disk yet -> why."""


def load_kept(visitor: Visitor) -> None:
    """Load a visitor's record on disk if another server has changed it."""
    with visitor.lock:
        if visitor.key and days_kept():
            _load(visitor)


def keep(visitor: Visitor) -> None:
    """Write changes of a visitor to disk. If that fails, `Visitor.refused` says why."""
    with visitor.lock:
        if visitor.key and days_kept():
            _keep(visitor)


def forget(visitor: Visitor) -> None:
    """Forget all of a visitor, on disk too. If the disk refuses, it is tried again, and `why_not_forgotten` says why."""
    with visitor.lock:
        if visitor.key:
            remove(visitor.key)
        visitor.clear()


def _load(visitor: Visitor) -> None:
    disk = visitor.disk
    if visitor.key in _failed_removals and not remove(visitor.key):
        return
    if visitor.refused or (visitor.state() != disk.saved and (disk.state or visitor.loaded())):
        disk.saved = None
        _keep(visitor)
        return
    if not disk.state and not disk_store.is_kept(visitor.key):
        return
    disk_store.touch(visitor.key)
    try:
        with ExitStack() as stack:
            with suppress(OSError):  # a disk that cannot be written may still be read
                stack.enter_context(disk_store.lock_visitor(visitor.key))
            kept = disk_store.load(visitor.key)
            if kept.state == disk.state:
                return
            if kept.record is not None:
                _apply_record(visitor, kept, None)
                disk.saved = visitor.state()
            elif kept.state:
                visitor.notify(UNREADABLE)
                disk.spoiled, disk.saved = kept.state, None if visitor.loaded() else visitor.state()
            elif disk_store.folder().is_dir():
                visitor.clear()
                visitor.notify(merging.FORGOTTEN)
            else:  # another disk was mounted, and nobody has forgotten anything
                disk.record, disk.saved = {}, None
            disk.state = kept.state
    except OSError as error:
        visitor.notify(f"Your stored data cannot be read at the moment: {(error.strerror or str(error)).lower()}")


def _keep(visitor: Visitor) -> None:
    disk, state = visitor.disk, visitor.state()
    if state == disk.saved or not (disk.state or visitor.loaded()) or time.monotonic() < disk.again:
        return
    try:
        if visitor.key in _failed_removals and not remove(visitor.key):
            raise OSError(_failed_removals[visitor.key])
        with disk_store.lock_visitor(visitor.key):
            try:
                _write(visitor)
            except OSError:
                disk_store.remove_unnamed_files(visitor.key)
                raise
        visitor.refused, disk.saved = "", visitor.state()
    except Busy as error:
        visitor.refused, disk.again = str(error), time.monotonic() + AGAIN
    except OSError as error:
        disk_store.log_failure(error)
        visitor.refused = str(error) if isinstance(error, disk_store.NoRoom) else "this server cannot write to its disk"
        disk.contents.clear()
        disk.saved = state


def remove(key: str) -> bool:
    """Remove all that is kept of a visitor; return whether that succeeded. If not, this server reads none of it any more."""
    try:
        disk_store.forget(key)
    except OSError as error:
        if key not in _failed_removals:
            log.warning("the data of a visitor who asked to forget them cannot be removed from disk; it is tried again")
        _failed_removals[key] = (error.strerror or str(error)).lower()
        return False
    _failed_removals.pop(key, None)
    return True


def retry_removals() -> None:
    """Try again the removals that failed."""
    for key in [*_failed_removals]:
        remove(key)


def why_not_forgotten(key: str) -> str:
    """Why a visitor's data are still on disk although they asked to forget them; empty if they are not."""
    return _failed_removals.get(key, "")


def _write(visitor: Visitor) -> None:
    """Write the visitor's record, merged with what another server has written since; the lock is held."""
    disk, kept = visitor.disk, disk_store.load(visitor.key)
    mine = visitor.record(partial(_put, visitor))
    theirs, files = kept.record or {}, {name: size for _, name, size in disk.contents.values()}
    notices: list[str] = []
    found = mine
    if kept.state != disk.state:
        try:
            if kept.state and kept.record is None:
                raise ValueError
            if kept.state or disk_store.folder().is_dir():  # else another disk was mounted
                found, notices = merging.merge_records(disk.record, mine, theirs)
                files |= theirs.get("files", {})
                if not record.files_of(found["desks"]) <= files.keys():
                    raise ValueError
        except DAMAGED:
            disk.spoiled = kept.state
            found, notices = mine, [UNREADABLE]
    if kept.state and disk.spoiled == kept.state:
        disk_store.set_aside(visitor.key)
    names = record.files_of(found["desks"])
    written = disk_store.save(visitor.key, found, {name: files[name] for name in sorted(names)})
    disk.state = written.state
    if found is mine:
        disk.record = mine
        disk.contents = {key: known for key, known in disk.contents.items() if known[1] in names}
    else:
        _apply_record(visitor, written, mine)
    for text in notices:
        visitor.notify(text)


def _put(visitor: Visitor, content: Archived | None) -> str | None:
    """Name of the file of a content, which is written if it is missing."""
    if content is None:
        return None
    known = visitor.disk.contents.get(id(content))
    if known is None or not disk_store.holds(visitor.key, *known[1:]):
        known = visitor.disk.contents[id(content)] = (content, *disk_store.put(visitor.key, content))
    return known[1]


def _apply_record(visitor: Visitor, kept: disk_store.KeptRecord, mine: dict[str, Any] | None) -> None:
    """Make a visitor equal to a record; `mine` is the record of what is in memory already."""
    disk, found = visitor.disk, {**merging.EMPTY, **(kept.record or {})}
    known = {name: content for content, name, _ in disk.contents.values()}
    here = {dataset.key: dataset for dataset in [visitor.dataset, *visitor.beside]}
    same = {data["key"]: data for data in mine["desks"]} if mine else {}
    uploader = max(dataset.uploader for dataset in here.values()) + 1
    contents = {key: known for key, known in disk.contents.items() if known[1] in found["files"]}
    datasets: list[Dataset] = []
    lost: list[str] = []
    for data in found["desks"]:
        try:
            names = record.files_of([data])
            missing = sorted(names - known.keys())
            known |= zip(missing, map_threads(partial(_fetch, visitor.key), missing), strict=True)
            if data["key"] in here and same.get(data["key"]) == data:
                datasets.append(here[data["key"]])
                continue
            dataset, gone = record.decode_dataset(data, known, uploader)
            if (before := here.get(dataset.key)) and before is not dataset:
                _replace_content(before, dataset)
                dataset = before
        except DAMAGED as error:
            log.warning("not read: a collection that was kept of a visitor is damaged (%s); the rest stays", type(error).__name__)
            lost.append(f"the collection {data.get('name') if isinstance(data, dict) else ''}".strip())
            continue
        datasets.append(dataset)
        lost += [f"{what} of {dataset.title or 'a collection'}" for what in gone]
        contents |= {id(known[name]): (known[name], name, found["files"][name]) for name in names if known[name] is not None}
    visitor.dataset, *visitor.beside = datasets or [Dataset()]
    for name, read in DECIDED.items():
        try:
            setattr(visitor, name, read(found[name]))
        except DAMAGED:
            lost.append(f"the {name}")
    disk.record, disk.state, disk.contents = found, kept.state, contents
    if lost:
        disk.spoiled = kept.state
        visitor.notify(f"Some of your stored data cannot be read and are left out: {list_few(lost)}. The rest is unchanged")


def _fetch(key: str, name: str) -> Archived | None:
    with suppress(ReadError):
        return disk_store.fetch(key, name)
    return None


def _replace_content(dataset: Dataset, other: Dataset) -> None:
    """Make a dataset equal to another, in place; keep the joined lists of runs that are the same."""
    with dataset.lock:
        dataset.drop_collection()
        pairs = (dataset.qrels, other.qrels), (dataset.held_qrels, other.held_qrels)
        same = all(here is there or (here and there and here.qrels is there.qrels) for here, there in pairs)
        before, now = ({**of.held, **of.runs} for of in (dataset, other))
        left = {key: lists for key, lists in dataset.lists.items() if same and before.get(key[0]) is now.get(key[0], dataset)}
        kept = {"lock", "lists", "refused", "remarks", "messages", "others", "elsewhere"}
        for part in fields(dataset):
            if part.name not in kept:
                setattr(dataset, part.name, getattr(other, part.name))
        dataset.lists = left
