"""What a visitor has loaded and decided, and how it is kept in step with their record on disk."""

import json
import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from copy import copy
from dataclasses import dataclass, field, fields
from functools import partial
from threading import RLock
from typing import Any

from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.parallel import map_threads
from irmeval.core.text import list_few
from irmeval.ui.state import disk_store, merging, record
from irmeval.ui.state.cookies import days_kept
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.locking import Busy
from irmeval.workspace.archive import Archived

log = logging.getLogger("irmeval")

DAMAGED = IrmevalError, LookupError, TypeError, ValueError, AttributeError
"""What comes of reading a record that is not as it was written."""
AGAIN = 30.0
"""Seconds after which it is tried again where another server held the lock."""
DECIDED: dict[str, Callable[[Any], Any]] = {
    "measures": lambda kept: [str(text) for text in kept],
    "parameters": lambda kept: {str(page): dict(values) for page, values in kept.items()},
    "choices": lambda kept: {str(mark): str(names) for mark, names in kept.items()},
    "report": dict,
    "habits": lambda kept: {str(name): bool(is_so) for name, is_so in kept.items()},
}
"""What is kept of a visitor beside their collections, and how it is read."""
TOLD = 10
"""Notices above a visitor's pages, at most."""
UNREADABLE = "Your stored data cannot be read: they are damaged, or of a different version of irmeval. The operator finds them set aside"


@dataclass
class OnDisk:
    """What this server knows of a visitor's record on disk."""

    record: dict[str, Any] = field(default_factory=dict)
    """as it was last read or written here"""
    state: str = ""
    """tells that from what another server has written since"""
    spoiled: str = ""
    """the state of a record of which something could not be read"""
    saved: object = None
    """what the visitor had when that was"""
    contents: dict[int, tuple[object, str, int]] = field(default_factory=dict)
    """by its id here, what is on disk: what it is, the name of its file and the size"""
    again: float = 0.0
    """when it is next tried to write, where another server held the lock"""


@dataclass(eq=False)
class KeptVisitor:
    """What is kept of a visitor."""

    key: str = ""
    """names their folder on disk; empty for a visitor without a cookie"""
    dataset: Dataset = field(default_factory=Dataset)
    """the dataset that they opened last; a tab whose address names none begins with it"""
    beside: list[Dataset] = field(default_factory=list)
    """their other datasets"""
    measures: list[str] = field(default_factory=list)
    """the measures that they picked last; empty where they never picked any"""
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """page -> the parameters that they set last"""
    report: dict[str, Any] = field(default_factory=dict)
    """their report, as `irmeval.report.items.plan_as_dict` has it"""
    choices: dict[str, str] = field(default_factory=dict)
    """mark in an address -> the names of runs that it stands for"""
    habits: dict[str, bool] = field(default_factory=dict)
    """how they have the dashboard shown, and whether they have seen the tour"""
    refused: str = ""
    """why what is loaded now cannot be kept on disk"""
    told: list[str] = field(default_factory=list)
    """notices above every page until they dismiss them"""
    disk: OnDisk = field(default_factory=OnDisk, repr=False)
    lock: RLock = field(default_factory=RLock, repr=False)

    @property
    def datasets(self) -> list[Dataset]:
        """All their datasets by title; one without content comes last."""
        return sorted([self.dataset, *self.beside], key=lambda dataset: (not dataset.has_content, dataset.title.lower(), dataset.key))

    def load_kept(self) -> None:
        """Load what is kept on disk where it differs from what is in memory: another server may have written it."""
        with self.lock:
            if self.key and days_kept():
                _load(self)

    def keep(self) -> None:
        """Write to disk what has changed since it was last written; where that cannot be, `refused` says why."""
        with self.lock:
            if self.key and days_kept():
                _keep(self)

    def forget(self) -> None:
        """Forget everything, on disk too. Where the disk refuses, it is tried again, and `why_not_forgotten` says why."""
        with self.lock:
            if self.key:
                forget(self.key)
            self.clear()

    def clear(self) -> None:
        """Forget everything in memory."""
        empty = KeptVisitor(self.key, lock=self.lock)
        for part in fields(empty):
            setattr(self, part.name, getattr(empty, part.name))

    def tell(self, text: str) -> None:
        """Show a notice above their pages until they dismiss it."""
        if text not in self.told:
            self.told = [*self.told, text][-TOLD:]

    @property
    def new(self) -> bool:
        """Whether they have loaded and decided nothing that a page is drawn on."""
        decided = any(dataset.has_content or dataset.settings or dataset.teams or dataset.judges for dataset in self.datasets)
        return not (self.measures or any(self.parameters.values()) or decided)

    def loaded(self) -> bool:
        """Whether there is anything to forget."""
        return bool(not self.new or self.report or self.habits)

    def decided(self) -> dict[str, Any]:
        """What they have decided beside their collections, as `DECIDED` names it."""
        parameters = {page: {**values} for page, values in self.parameters.items() if values}
        return {name: copy(getattr(self, name)) for name in DECIDED} | {"parameters": parameters}

    def state(self) -> object:
        """A value that changes whenever what they have loaded or decided changes."""
        return [*map(_state_of, [self.dataset, *self.beside])], self.decided()

    def record(self, put: Callable[[Any], str | None]) -> dict[str, Any]:
        """The visitor as JSON, the dataset that was opened last first; `put` writes a file and returns its name."""
        desks = [record.encode_dataset(dataset, put) for dataset in [self.dataset, *self.beside]]
        found: dict[str, Any] = json.loads(json.dumps({"desks": desks, **self.decided()}))
        return found


def _state_of(dataset: Dataset) -> tuple[Any, ...]:
    made = dataset.made[1] if dataset.made else None
    content = id(dataset), dataset.uploader, dataset.matrix, made  # the last two are equal to themselves alone
    judges = tuple((name, id(judge.qrels), judge.map, judge.relevant) for name, judge in dataset.judges.items())
    return *content, judges, dataset.name, dataset.settings, dataset.teams, dataset.team_file, dataset.notes


_failed_removals: dict[str, str] = {}
"""Visitors who asked that their data be forgotten, by whose folder the disk has not let that be yet, and why."""


def _load(visitor: KeptVisitor) -> None:
    disk = visitor.disk
    if visitor.key in _failed_removals and not forget(visitor.key):
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
            with suppress(OSError):  # a disk that cannot be written can be read
                stack.enter_context(disk_store.lock_visitor(visitor.key))
            kept = disk_store.load(visitor.key)
            if kept.state == disk.state:
                return
            if kept.record is not None:
                _apply_record(visitor, kept, None)
                disk.saved = visitor.state()
            elif kept.state:
                visitor.tell(UNREADABLE)
                disk.spoiled, disk.saved = kept.state, None if visitor.loaded() else visitor.state()
            elif disk_store.folder().is_dir():
                visitor.clear()
                visitor.tell(merging.FORGOTTEN)
            else:  # the disk is another, and nobody has forgotten anything
                disk.record, disk.saved = {}, None
            disk.state = kept.state
    except OSError as error:
        visitor.tell(f"Your stored data cannot be read at the moment: {(error.strerror or str(error)).lower()}")


def _keep(visitor: KeptVisitor) -> None:
    disk, state = visitor.disk, visitor.state()
    if state == disk.saved or not (disk.state or visitor.loaded()) or time.monotonic() < disk.again:
        return
    try:
        if visitor.key in _failed_removals and not forget(visitor.key):
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
        disk_store.failed(error)
        visitor.refused = str(error) if isinstance(error, disk_store.NoRoom) else "this server cannot write to its disk"
        disk.contents.clear()
        disk.saved = state


def forget(key: str) -> bool:
    """Remove all that is kept of a visitor, and return whether that succeeded. Where it did not, this server reads none of it any more."""
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
        forget(key)


def why_not_forgotten(key: str) -> str:
    """Why a visitor's data are still on disk although they asked to have them forgotten; empty where they are not."""
    return _failed_removals.get(key, "")


def _write(visitor: KeptVisitor) -> None:
    """Write the visitor, merged with what another server has written since; the lock is held."""
    disk, kept = visitor.disk, disk_store.load(visitor.key)
    mine = visitor.record(partial(_put, visitor))
    theirs, files = kept.record or {}, {name: size for _, name, size in disk.contents.values()}
    said: list[str] = []
    found = mine
    if kept.state != disk.state:
        try:
            if kept.state and kept.record is None:
                raise ValueError
            if kept.state or disk_store.folder().is_dir():  # else as above
                found, said = merging.merge_records(disk.record, mine, theirs)
                files |= theirs.get("files", {})
                if not record.files_of(found["desks"]) <= files.keys():
                    raise ValueError
        except DAMAGED:
            disk.spoiled = kept.state
            found, said = mine, [UNREADABLE]
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
    for text in said:
        visitor.tell(text)


def _put(visitor: KeptVisitor, content: Archived | None) -> str | None:
    """The name of the file of a content, which is written where it is missing."""
    if content is None:
        return None
    known = visitor.disk.contents.get(id(content))
    if known is None or not disk_store.holds(visitor.key, *known[1:]):
        known = visitor.disk.contents[id(content)] = (content, *disk_store.put(visitor.key, content))
    return known[1]


def _apply_record(visitor: KeptVisitor, kept: disk_store.KeptRecord, mine: dict[str, Any] | None) -> None:
    """Make the visitor what a record says; `mine` is the record of what is in memory already."""
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
        visitor.tell(f"Some of your stored data cannot be read and are left out: {list_few(lost)}. The rest is unchanged")


def _fetch(key: str, name: str) -> Archived | None:
    with suppress(ReadError):
        return disk_store.fetch(key, name)
    return None


def _replace_content(dataset: Dataset, other: Dataset) -> None:
    """Make a dataset equal to another, in place; runs that are the same are not joined again."""
    with dataset.lock:
        dataset.drop_collection()
        pairs = (dataset.qrels, other.qrels), (dataset.held_qrels, other.held_qrels)
        same = all(here is there or (here and there and here.qrels is there.qrels) for here, there in pairs)
        before, now = ({**of.held, **of.runs} for of in (dataset, other))
        left = {key: lists for key, lists in dataset.lists.items() if same and before.get(key[0]) is now.get(key[0], dataset)}
        kept = {"lock", "lists", "refused", "remarks", "told", "others", "elsewhere"}
        for part in fields(dataset):
            if part.name not in kept:
                setattr(dataset, part.name, getattr(other, part.name))
        dataset.lists = left
