"""A visitor: what they have loaded and decided, in memory and as rows of the store."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.records import read_kept
from irmeval.judges.grade_maps import map_as_text
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels, Run
from irmeval.report.items import ITEMS
from irmeval.ui.state import home
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.naming import name_of, number_if_taken
from irmeval.ui.state.store import Key, Rows, rows_in
from irmeval.workspace.archive import Archived, write
from irmeval.workspace.stored import NamedQrels, OtherJudge

MOST_NOTICES = 10
"""Maximum number of notices above a visitor's pages."""


class Content(NamedTuple):
    """The content of a file, and where it is on disk."""

    value: Archived
    digest: str
    size: int
    """bytes"""


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
    contents: dict[int, Content] = field(default_factory=dict)
    """those in memory, by id; a digest takes as long as writing"""
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
    def every_dataset(self) -> list[Dataset]:
        """All their datasets, the one opened last first."""
        return [self.dataset, *self.other_datasets]

    @property
    def datasets(self) -> list[Dataset]:
        """All their datasets by title; an empty one is last."""
        return sorted(
            self.every_dataset,
            key=lambda dataset: (not dataset.has_content, dataset.title.lower(), dataset.key),
        )

    def note_use(self, dataset: Dataset, *collections: Collection) -> None:
        """Note that results on these collections of a dataset are private to the
        visitor, if the data are the visitor's own.
        """
        if dataset.used:
            self.used.update(collection.fingerprint for collection in collections)

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
        # in place: open tabs and threads hold the record
        vars(self).update(vars(empty))

    def notify(self, text: str) -> None:
        """Show a notice above their pages until they dismiss it."""
        if text not in self.notices:
            self.notices = [*self.notices, text][-MOST_NOTICES:]

    @property
    def new(self) -> bool:
        """Whether pages are those for a visitor without data and decisions."""
        parameters = any(self.parameters.values())
        datasets = any(map(_is_used, self.datasets))
        parts = self.measures, parameters, datasets
        return not any(parts)

    @property
    def has_own(self) -> bool:
        """Whether they are known by a cookie, and the dataset opened last is their own."""
        return bool(self.key) and self.dataset.has_content

    def looks_at_shared(self, dataset: Dataset) -> bool:
        """Whether a tab with this dataset shows the shared collection although the
        visitor has opened one of their own.
        """
        return self.dataset.has_content and not dataset.has_content

    def loaded(self) -> bool:
        """Whether there is anything to delete."""
        parts = not self.new, self.report, self.habits, self.lessons
        return any(parts)

    def open(self, dataset: Dataset) -> None:
        """Make a dataset the one opened last. At most one empty dataset is kept."""
        with self.lock:
            _, *others = dict.fromkeys([dataset, *self.every_dataset])
            empty = [other for other in [dataset, *others] if other.bare]
            self.dataset = dataset
            # an empty one stands for the shared collection, and one does that
            self.other_datasets = [other for other in others if other not in empty[1:]]

    def empty_dataset(self) -> Dataset:
        """Their empty dataset, which represents the collection that all visitors
        see.
        """
        for dataset in self.every_dataset:
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


class FileKind(NamedTuple):
    """A kind of files."""

    content: Any
    """its type"""
    said: str
    """what messages call a file of it"""


KINDS = {
    "run": FileKind(Run, "the run"),
    "qrels": FileKind(Qrels, "the judgments"),
    "judge": FileKind(Qrels, "the judge"),
    "matrix": FileKind(Matrix, "the score matrix"),
}


class StoredFile(NamedTuple):
    """A file of a dataset, as a row of the store has it."""

    kind: str
    name: str
    """of a run or a judge; empty for the qrels, and for the matrix that is shown"""
    content: Archived
    detail: Any = ""
    """what else is to be known of it, as JSON has it"""


@dataclass(frozen=True)
class BesideSettings:
    """Fields of a dataset that are rows like `Dataset.settings`."""

    teams: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    team_file: str = ""
    notes: Any = ""  # of any length
    addresses: tuple[str, ...] = ()
    unpacked: int = 0


BESIDE = tuple(BesideSettings.__annotations__)


@dataclass(frozen=True)
class VisitorChoices:
    """What a visitor has decided, apart from their collections. Of what is by name each
    entry is a row of its own: two servers may change two of them at once.
    """

    open: str = ""
    """key of the dataset opened last"""
    measures: tuple[str, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    """by page and name, as in ``curves/trials``"""
    habits: dict[str, bool] = field(default_factory=dict)
    lessons: dict[str, Any] = field(default_factory=dict)
    report: dict[str, Any] = field(default_factory=dict)
    """the report without its items"""
    item: dict[str, Any] = field(default_factory=dict)
    """its items by key"""
    order: tuple[str, ...] = ()
    """of these keys"""


def rows_of(visitor: Visitor) -> Rows:
    """All rows of a visitor."""
    rows: Rows = {}
    for dataset in visitor.every_dataset:
        with dataset.lock:
            if not dataset.bare:
                rows |= _rows_of_dataset(visitor, dataset)
    return rows | rows_of_settings(visitor)


def rows_of_settings(visitor: Visitor) -> Rows:
    """VisitorChoices of a visitor."""
    report, opened = dict(visitor.report), ""
    items = {_key_of(item): item for item in report.pop("items", ())}
    if not visitor.dataset.bare:
        opened = visitor.dataset.key
    decided = VisitorChoices(
        opened,
        tuple(visitor.measures),
        _flattened(visitor.parameters),
        visitor.habits,
        visitor.lessons,
        report,
        items,
        tuple(items),
    )
    return _rows_of_decisions("", _flattened(vars(decided)))


def _rows_of_decisions(dataset: str, decided: Mapping[str, Any]) -> Rows:
    """Rows of settings by name; `decisions_in` reads them."""
    return {("setting", dataset, name): (json.dumps(value),) for name, value in decided.items()}


def _key_of(item: dict[str, Any]) -> str:
    """Key of a result in the report; of one without, its whole text."""
    return str(item.get("key") or json.dumps(item, sort_keys=True))


def _flattened(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by name, those of a dictionary each under its own: ``habits/tour``."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            flat |= {f"{name}/{key}": one for key, one in value.items()}
        else:
            flat[name] = value
    return flat


def _folded(flat: Mapping[str, Any]) -> dict[str, Any]:
    """The values that `_flattened` has made flat."""
    folded: dict[str, Any] = {}
    for path, value in flat.items():
        name, is_below, key = path.partition("/")
        if is_below:
            folded.setdefault(name, {})[key] = value
        else:
            folded[name] = value
    return folded


def _rows_of_dataset(visitor: Visitor, dataset: Dataset) -> Rows:
    key = dataset.key
    rows: Rows = {("dataset", key): (dataset.name,)}
    for file in _files_of(dataset):
        content = _identify(visitor, file.content)
        detail = json.dumps(file.detail)
        rows["file", key, file.kind, file.name] = content.digest, content.size, detail
    texts = {name: getattr(dataset, name) for name in BESIDE}
    decided = dataset.settings | {name: value for name, value in texts.items() if value}
    return rows | _rows_of_decisions(key, decided)


def _files_of(dataset: Dataset) -> Iterator[StoredFile]:
    """The files of a dataset; `_put_into` puts them back."""
    for name, run in dataset.runs.items():
        yield StoredFile("run", name, run)
    if dataset.qrels:
        yield StoredFile("qrels", "", dataset.qrels.qrels, dataset.qrels.name)
    for name, judge in dataset.judges.items():
        yield StoredFile("judge", name, judge.qrels, [map_as_text(judge.map), judge.relevant])
    for i, matrix in enumerate(dataset.matrices):
        name = f"{matrix.judge}: {matrix.name}" if i else ""
        yield StoredFile("matrix", name, matrix)


def _put_into(dataset: Dataset, file: StoredFile) -> None:
    content: Any = file.content
    match file.kind:
        case "run":
            dataset.runs[file.name] = content
        case "judge":
            dataset.judges[file.name] = OtherJudge.of(content, *file.detail)
        case "qrels":
            dataset.qrels = NamedQrels(file.detail, content)
        case "matrix" if file.name:
            dataset.matrices = (*dataset.matrices, content)
        case "matrix":  # the one that is shown is first
            dataset.matrices = (content, *dataset.matrices)


def _identify(visitor: Visitor, value: Archived) -> Content:
    """A content with its digest and number of bytes."""
    # by id, which lasts as long as the content: to write it takes as long as to read it
    known = visitor.disk.contents.get(id(value))
    if known:
        return known
    data = write(value)
    made = visitor.disk.contents[id(value)] = Content(value, home.hash_of(data), data.size)
    return made


def read_dataset(
    own: str, rows: Rows, known: Mapping[str, Content], uploader: int
) -> tuple[Dataset, set[Key]]:
    """Dataset with these rows, from contents by digest, and the rows whose content is
    missing.
    """
    (name,) = rows.get(("dataset", own), ("",))
    dataset = Dataset(uploader=uploader, name=str(name), key=own)
    lost = set()
    for key, (digest, _, detail) in rows_in("file", rows).items():
        *_, kind, title = key
        held = known.get(str(digest))
        if held and isinstance(held.value, KINDS[kind].content):
            _put_into(dataset, StoredFile(kind, title, held.value, json.loads(str(detail))))
        else:
            lost.add(key)
    decided = decisions_in(rows)
    beside = read_kept(BesideSettings, decided, "settings").record
    vars(dataset).update(vars(beside) | {"addresses": [*beside.addresses]})
    dataset.settings = decided
    return dataset, lost


def decisions_in(rows: Rows) -> dict[str, Any]:
    """Values of the settings among rows of a dataset, or of a visitor's own, by name."""
    settings = rows_in("setting", rows)
    return {name: json.loads(str(value)) for (*_, name), (value,) in settings.items()}


def read_settings(visitor: Visitor, kept: dict[str, Any]) -> None:
    """Set a visitor's decisions from their settings by name."""
    decided = read_kept(VisitorChoices, _folded(kept), "settings").record
    visitor.measures = [*decided.measures]
    visitor.habits, visitor.lessons, visitor.report = (
        decided.habits,
        decided.lessons,
        decided.report,
    )
    visitor.parameters = {}
    for path, value in decided.parameters.items():
        page, _, name = path.partition("/")
        visitor.parameters.setdefault(page, {})[name] = value
    # another server may have added results that the order here does not have
    order = dict.fromkeys([*decided.order, *decided.item])
    if decided.item or decided.report:
        visitor.report["items"] = [decided.item[key] for key in order if key in decided.item][
            :ITEMS
        ]
