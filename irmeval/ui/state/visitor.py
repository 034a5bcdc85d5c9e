"""A visitor: what they have loaded and decided, in memory and as rows of the store."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

from irmeval.core.errors import IrmevalError
from irmeval.judges.grade_maps import map_as_text
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run
from irmeval.report.items import ITEMS
from irmeval.ui.state import home
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.naming import name_of, number_if_taken
from irmeval.ui.state.store import Key, Rows
from irmeval.workspace.archive import Archived, write
from irmeval.workspace.stored import NamedQrels, OtherJudge

MOST_NOTICES = 10
"""Maximum number of notices above a visitor's pages."""


@dataclass
class OnDisk:
    """State of a visitor's rows on this server."""

    rows: Rows = field(default_factory=dict)
    """as they were last read or written here, without unreadable ones"""
    state: str = ""
    """`store.find_state` of these; another one means that another server has written"""
    inode: int = 0
    """of their database"""
    lost: Rows = field(default_factory=dict)
    """rows whose file could not be read; they stay until replaced"""
    contents: dict[int, tuple[Archived, str, int]] = field(default_factory=dict)
    """content by id, with its digest and bytes"""
    failed: Rows = field(default_factory=dict)
    """as they were when the disk failed"""
    again: float = 0.0
    """time of the next attempt to write these"""


@dataclass(eq=False)
class Visitor:
    """A visitor: what they have loaded and decided. What `rows_of` names is kept on
    disk, the rest only in memory.
    """

    key: str = ""
    """name of their folder on disk; empty for a visitor without a cookie"""
    dataset: Dataset = field(default_factory=Dataset)
    """dataset opened last; new tabs start with it unless the URL has another"""
    other_datasets: list[Dataset] = field(default_factory=list)
    """their other datasets"""
    measures: list[str] = field(default_factory=list)
    """measures picked last; empty if never changed"""
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """parameters set last, by page"""
    report: dict[str, Any] = field(default_factory=dict)
    """their report, in the form of `irmeval.report.items.plan_as_json`"""
    habits: dict[str, bool] = field(default_factory=dict)
    """display settings, and whether they have seen the tour"""
    lessons: dict[str, str] = field(default_factory=dict)
    """texts of their own lessons, by name"""
    refused: str = ""
    """reason why the loaded data cannot be stored on disk"""
    notices: list[str] = field(default_factory=list)
    """notices above every page until they are dismissed"""
    disk: OnDisk = field(default_factory=OnDisk, repr=False)
    undo: Callable[[], None] | None = None
    """restores what was removed last"""
    removed: str = ""
    """text on what was removed last"""
    pictures: dict[str, str] = field(default_factory=dict)
    """small picture of the first chart of each item of the report, as SVG, by key"""
    lock: RLock = field(default_factory=RLock, repr=False)
    token: object = field(default_factory=object)
    """identifies this record of the visitor in memory"""
    used: set[str] = field(default_factory=set)
    """fingerprints of the collections that their pages were drawn on"""
    sessions: set[str] = field(default_factory=set)
    """their tabs"""
    seen: float = field(default_factory=time.monotonic)
    """when a tab of theirs was last open"""

    @property
    def datasets(self) -> list[Dataset]:
        """All their datasets by title; an empty one is last."""
        found = [self.dataset, *self.other_datasets]
        return sorted(
            found, key=lambda dataset: (not dataset.has_content, dataset.title.lower(), dataset.key)
        )

    def clear(self) -> None:
        """Forget everything in memory."""
        empty = Visitor(
            self.key,
            lock=self.lock,
            token=self.token,
            used=self.used,
            sessions=self.sessions,
            seen=self.seen,
        )
        vars(self).update(vars(empty))

    def notify(self, text: str) -> None:
        """Show a notice above their pages until they dismiss it."""
        if text not in self.notices:
            self.notices = [*self.notices, text][-MOST_NOTICES:]

    @property
    def new(self) -> bool:
        """Whether pages are those for a visitor without data and decisions."""
        if self.measures or any(self.parameters.values()):
            return False
        return not any(map(_is_used, self.datasets))

    @property
    def has_own(self) -> bool:
        """Whether they are known by a cookie, and the dataset opened last is their own."""
        return bool(self.key) and self.dataset.has_content

    def loaded(self) -> bool:
        """Whether there is anything to delete."""
        return bool(not self.new or self.report or self.habits or self.lessons)

    def open(self, dataset: Dataset) -> None:
        """Make a dataset the one opened last. At most one empty dataset is kept."""
        with self.lock:
            everything = dict.fromkeys([self.dataset, *self.other_datasets])
            others = [other for other in everything if other is not dataset]
            empty = [other for other in [dataset, *others] if other.bare]
            self.dataset = dataset
            self.other_datasets = [other for other in others if other not in empty[1:]]

    def empty_dataset(self) -> Dataset:
        """Their empty dataset, which represents the collection that all visitors
        see.
        """
        for dataset in [self.dataset, *self.other_datasets]:
            if not dataset.has_content:
                return dataset
        return Dataset()

    def unused_name(self, name: str, *, but: Dataset | None = None) -> str:
        """The name, numbered if another dataset has it already."""
        return number_if_taken(
            name, (dataset.title for dataset in self.datasets if dataset is not but)
        )

    def name_by_files(self, dataset: Dataset, places: Sequence[str] = ()) -> None:
        """Name a dataset by its qrels, or by the archives or folder (`places`) of its
        files, unless it has another name already.
        """
        if not (dataset.has_content and dataset.is_nameless):
            return
        dataset.name, judged = "", dataset.qrels
        name = dataset.title
        if judged:
            name = name_of([judged.name, *places], [*dataset.runs], len(judged.qrels.topics))
        dataset.name = self.unused_name(name, but=dataset)

    def offer_undo(self, removed: str, restore: Callable[[], None]) -> None:
        """Let the visitor restore the removed data, until they do or drop new files."""

        def undo() -> None:
            restore()
            self.undo = None

        self.removed, self.undo = removed, undo


def _is_used(dataset: Dataset) -> bool:
    """Whether a visitor has put anything into a dataset."""
    parts = dataset.has_content, dataset.settings, dataset.teams, dataset.judges
    return any(parts)


KINDS: dict[str, tuple[Any, str]] = {
    "run": (Run, "the run"),
    "qrels": (Qrels, "the judgments"),
    "judge": (Qrels, "the judge"),
    "matrix": (Matrix, "the score matrix"),
}
"""Kinds of files: type of the content, and name in messages."""
TEXTS = ("teams", "kinds", "team_file", "notes", "addresses", "unpacked")
"""Fields of a dataset that are settings of it, besides `Dataset.settings`."""


def rows_of(visitor: Visitor) -> Rows:
    """All rows of a visitor."""
    rows: Rows = {}
    for dataset in [visitor.dataset, *visitor.other_datasets]:
        with dataset.lock:
            rows |= {} if dataset.bare else _rows_of_dataset(visitor, dataset)
    return rows | rows_of_settings(visitor)


def rows_of_settings(visitor: Visitor) -> Rows:
    """Decisions of a visitor, apart from their collections."""
    report = {name: value for name, value in visitor.report.items() if name != "items"}
    items = {_key_of(item): item for item in visitor.report.get("items", ())}
    own: dict[str, Any] = {
        "open": "" if visitor.dataset.bare else visitor.dataset.key,
        "measures": visitor.measures,
        "order": [*items],
    }
    for page, values in visitor.parameters.items():
        own |= _under(f"parameters/{page}", values)
    own |= _under("habits", visitor.habits) | _under("lessons", visitor.lessons)
    own |= _under("report", report) | _under("item", items)
    return {("setting", "", name): (json.dumps(value),) for name, value in own.items()}


def _under(name: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values under a name of their own, as in a folder."""
    return {f"{name}/{key}": value for key, value in values.items()}


def _key_of(item: dict[str, Any]) -> str:
    """Key of a result in the report; of one without, its whole text."""
    return str(item.get("key") or json.dumps(item, sort_keys=True))


def _rows_of_dataset(visitor: Visitor, dataset: Dataset) -> Rows:
    key = dataset.key
    rows: Rows = {("dataset", key): (dataset.name,)}

    def add(kind: str, name: str, content: Archived, detail: object = "") -> None:
        rows["file", key, kind, name] = (*_identify(visitor, content), json.dumps(detail))

    for name, run in dataset.runs.items():
        add("run", name, run)
    if dataset.qrels:
        add("qrels", "", dataset.qrels.qrels, dataset.qrels.name)
    for name, judge in dataset.judges.items():
        add("judge", name, judge.qrels, [map_as_text(judge.map), judge.relevant])
    for i, matrix in enumerate(dataset.matrices):
        add("matrix", f"{matrix.judge}: {matrix.name}" if i else "", matrix)
    texts = {name: getattr(dataset, name) for name in TEXTS}
    decided = dataset.settings | {name: value for name, value in texts.items() if value}
    return rows | {("setting", key, name): (json.dumps(value),) for name, value in decided.items()}


def _identify(visitor: Visitor, content: Archived) -> tuple[str, int]:
    """Digest and number of bytes of a content."""
    if not (known := visitor.disk.contents.get(id(content))):
        data = write(content)
        known = visitor.disk.contents[id(content)] = content, home.hash_of(data), data.size
    return known[1], known[2]


def read_dataset(
    own: str, rows: Rows, known: dict[str, Any], uploader: int
) -> tuple[Dataset, set[Key]]:
    """Dataset with these rows, from contents by digest, and the rows whose content is
    missing.
    """
    decided = {key[2]: json.loads(str(row[0])) for key, row in rows.items() if key[0] == "setting"}
    ((name,),) = [row for key, row in rows.items() if key[0] == "dataset"] or [("",)]
    dataset = Dataset(uploader=uploader, name=str(name), key=own)
    lost = set()
    files = {key: row for key, row in rows.items() if key[0] == "file"}
    for key, (digest, _, detail) in files.items():
        content = known[str(digest)]
        if isinstance(content, KINDS[key[2]][0]):
            _put_into(dataset, key, content, json.loads(str(detail)))
        else:
            lost.add(key)
    for part in TEXTS:
        setattr(dataset, part, decided.pop(part, getattr(dataset, part)))
    with suppress(IrmevalError, TypeError, ValueError):  # settings of another version
        dataset.settings = decided
    return dataset, lost


def _put_into(dataset: Dataset, key: Key, content: Any, detail: Any) -> None:
    """Put a content into a dataset, as its row says."""
    kind, name = key[2:]
    if kind == "run":
        dataset.runs[name] = content
    elif kind == "judge":
        dataset.judges[name] = OtherJudge.of(content, *detail)
    elif kind == "qrels":
        dataset.qrels = NamedQrels(detail, content)
    elif name:
        dataset.matrices = (*dataset.matrices, content)
    else:  # the matrix that is shown is first
        dataset.matrices = (content, *dataset.matrices)


def read_settings(visitor: Visitor, kept: dict[str, Any]) -> None:
    """Set a visitor's decisions from their settings by name."""
    visitor.measures = kept.get("measures", [])
    visitor.habits, visitor.lessons = _below("habits", kept), _below("lessons", kept)
    visitor.parameters = {}
    for key, value in _below("parameters", kept).items():
        page, name = key.split("/", 1)
        visitor.parameters.setdefault(page, {})[name] = value
    items, visitor.report = _below("item", kept), _below("report", kept)
    # another server may have added results that the order here does not have
    order = dict.fromkeys([*kept.get("order", ()), *items])
    if items or visitor.report:
        visitor.report["items"] = [items[key] for key in order if key in items][:ITEMS]


def _below(name: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Values that `_under` has put under a name."""
    start = f"{name}/"
    return {key[len(start) :]: value for key, value in kept.items() if key.startswith(start)}
