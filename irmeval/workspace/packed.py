"""The zip of a workspace: ``workspace.json``, which lists the content, and qrels and
runs as plain text files. The usual readers read and check these, and so can other
programs.
"""

import gzip
import io
import json
import platform
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain, filterfalse
from operator import attrgetter
from typing import Annotated, Any, NamedTuple

import numpy as np

from irmeval.core import parallel
from irmeval.core.errors import IrmevalError, ParamError, ReadError, UnknownName
from irmeval.core.records import Condition, Digest, Record, one_of, to_json, whole
from irmeval.core.registry import check_known
from irmeval.core.text import one_line, repeated, shorten, slug
from irmeval.core.version import __version__
from irmeval.judges.grade_maps import map_as_text
from irmeval.reading import files, score_matrix
from irmeval.reading.named_columns import LARGEST_RECORD, read_json
from irmeval.reading.parsing import parse_lines
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.text_layout import PRELS, QRELS, RUN, STRATA
from irmeval.reading.trec import Fault, Qrels, Run
from irmeval.reading.writing import layout_of, text_of
from irmeval.scoring.selection import Selection
from irmeval.workspace.archive import Archived
from irmeval.workspace.stored import NamedQrels, OtherJudge, Stored

RECORD = "workspace.json"
"""First member of the zip."""
FORMAT = 1
"""Version of the record."""
MAX_NAME = 100
"""Maximum length of the name of a collection."""
MAX_NOTES = 20_000
"""Maximum length of the notes."""
RECORDED = "a record as irmeval writes it"
"""Expectation of an error about a record."""
LAYOUTS = {str(layout): layout for layout in (QRELS, STRATA, PRELS, RUN)}
"""How files in a workspace are written."""
SAVE_AGAIN = "Save the workspace again."
"""Remedy of an error about a record."""
MAX_FILES = 10_001
"""Maximum number of files in a workspace."""
MAX_TEXT_BYTES = 32 << 30
"""Default limit of the bytes of text in a workspace."""
_PACKED = 1
"""Level of gzip; higher levels take much longer and save little."""


class UnknownCollection(UnknownName):
    """No collection of a workspace has this name."""


def is_name(name: str) -> bool:
    """Whether a text can be the name of a collection."""
    return 0 < len(name.strip()) <= MAX_NAME and one_line(name) == name


def _is_path(name: str) -> bool:
    return all(map(files.is_file_name, name.split("/")))


class TextFile(NamedTuple):
    """A qrels or run file, and how it was read."""

    file: str
    """its name in the zip"""
    name: str
    """of the run, the judge or the qrels file"""
    columns: Annotated[str, one_of(*LAYOUTS)]
    sha256: Digest = ""
    """of the file that was read; empty if there was none"""
    seal: Digest = ""
    """binds `sha256` to the text in the zip"""
    repeated: tuple[Fault, ...] = ()
    """lines that were left out"""
    read_as: str = ""
    read_notes: tuple[str, ...] = ()


QrelsFile = Annotated[TextFile, Condition("a qrels file", lambda file: file.columns != str(RUN))]
RunFile = Annotated[
    TextFile,
    Condition("a run file", lambda file: file.columns == str(RUN)),
    Condition("a run with the path of a file as its name", lambda file: _is_path(file.name)),
]


class JudgeFile(NamedTuple):
    """Judgments of another judge."""

    qrels: QrelsFile
    map: str = ""
    relevant: Annotated[int, whole(1)] = 1


class ScoresFile(NamedTuple):
    """A score matrix."""

    file: str
    name: str
    judge: str = ""


@dataclass(frozen=True)
class CollectionRecord:
    """A collection: its files, and what was decided on it."""

    name: Annotated[str, Condition(f"one line of at most {MAX_NAME} letters", is_name)]
    policy: Policy
    selection: Selection
    qrels: QrelsFile | None = None
    runs: tuple[RunFile, ...] = ()
    judges: tuple[JudgeFile, ...] = ()
    matrices: tuple[ScoresFile, ...] = ()
    pinned: tuple[str, ...] = ()
    teams: dict[str, str] | None = None
    kinds: dict[str, str] | None = None
    team_file: str = ""
    notes: str = ""
    beside: str = ""

    def __post_init__(self) -> None:
        _refuse_repeated("runs", self.runs, "name")

    def entries(self) -> "Iterator[TextFile | ScoresFile]":
        """All its files."""
        if self.qrels:
            yield self.qrels
        yield from (judge.qrels for judge in self.judges)
        yield from self.matrices
        yield from self.runs


@dataclass(frozen=True)
class WorkspaceRecord:
    """What is in a workspace."""

    format: int
    versions: dict[str, str]
    open: str
    measures: tuple[str, ...]
    parameters: dict[str, dict[str, Any]]
    collections: tuple[CollectionRecord, ...]

    def __post_init__(self) -> None:
        _refuse_repeated("collections", self.collections, "name")
        _refuse_repeated("files", self.entries(), "file")

    def entries(self) -> "Iterator[TextFile | ScoresFile]":
        """All files of its collections."""
        return chain.from_iterable(map(CollectionRecord.entries, self.collections))

    def only(self, name: str | None) -> "WorkspaceRecord":
        """The record of one collection, by default of that which is open; of all for
        None. Raises `UnknownCollection`.
        """
        if name is None:
            return self
        wanted = name or self.open
        by_name = {one.name: one for one in self.collections}
        check_known(wanted, by_name, "unknown collection", UnknownCollection)
        return replace(self, collections=(by_name[wanted],))


def _refuse_repeated(what: str, records: Iterable[object], field: str) -> None:
    twice = repeated(map(attrgetter(field), records))
    if twice:
        raise ParamError(f"{what}: expected different names, found {shorten(twice[0])} twice")


class _Packing:
    """The members of a zip, while it is made. All contents are packed at once, since
    that takes all of the time.
    """

    def __init__(self, contents: Iterable[Archived]):
        listed = [*contents]
        # by identity, since two collections may hold the same file
        self.packed = dict(zip(map(id, listed), parallel.map_threads(_pack, listed), strict=True))
        self.members: dict[str, bytes] = {}

    def add(self, content: Archived, folder: str, name: str) -> str:
        """Name in the zip of a content."""
        ending = "txt"
        if isinstance(content, Matrix):
            ending = "csv"
        # numbered, since names of runs may differ in what a file name cannot hold
        file = f"{folder}/{len(self.members) + 1:05}-{slug(name)[:60]}.{ending}.gz"
        self.members[file] = self.packed[id(content)].data
        return file

    def text(self, content: Qrels | Run, folder: str, name: str, member: str = "") -> TextFile:
        """Entry of a qrels or run file."""
        return TextFile(
            file=self.add(content, folder, member or name),
            name=name,
            columns=str(layout_of(content)),
            sha256=content.sha256,
            seal=_seal(content.sha256, self.packed[id(content)].digest),
            repeated=content.repeated,
            read_as=content.format,
            read_notes=content.notes,
        )

    def collection(self, stored: Stored, folder: str) -> CollectionRecord:
        """Entry of a collection."""
        runs, qrels = f"{folder}/runs", None
        if stored.qrels:
            qrels = self.text(stored.qrels.qrels, folder, stored.qrels.name, "qrels")
        return CollectionRecord(
            name=stored.name,
            policy=stored.policy,
            selection=stored.selection,
            qrels=qrels,
            runs=tuple(self.text(run, runs, name) for name, run in stored.runs.items()),
            judges=tuple(
                JudgeFile(
                    self.text(judge.qrels, f"{folder}/judges", name),
                    map_as_text(judge.map),
                    judge.relevant,
                )
                for name, judge in stored.judges.items()
            ),
            matrices=tuple(
                ScoresFile(self.add(matrix, folder, matrix.name), matrix.name, matrix.judge)
                for matrix in stored.matrices
            ),
            pinned=stored.pinned,
            teams=stored.teams,
            kinds=stored.kinds,
            team_file=stored.team_file,
            notes=stored.notes,
            beside=stored.beside,
        )


class _Packed(NamedTuple):
    data: bytes
    digest: str
    """SHA-256 of the text"""


def _pack(content: Archived) -> _Packed:
    text = text_of(content)
    return _Packed(gzip.compress(text, _PACKED, mtime=0), sha256(text).hexdigest())


def pack(
    collections: Iterable[Stored],
    opened: str,
    measures: Iterable[str],
    parameters: Mapping[str, Mapping[str, Any]],
) -> bytes:
    """The zip of a workspace. Equal workspaces give equal members."""
    listed = [*collections]
    packing = _Packing(content for stored in listed for content in stored.contents())
    record = WorkspaceRecord(
        format=FORMAT,
        versions={
            "irmeval": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        open=opened,
        measures=tuple(measures),
        parameters={page: dict(values) for page, values in parameters.items()},
        collections=tuple(
            packing.collection(stored, f"{number}-{slug(stored.name)[:60]}")
            for number, stored in enumerate(listed, 1)
        ),
    )
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        # first, so that a file is known by its first bytes
        archive.writestr(RECORD, json.dumps(to_json(record), indent=1, ensure_ascii=False))
        for file, data in packing.members.items():
            archive.writestr(file, data)
    return made.getvalue()


def unpack(
    name: str, data: bytes, only: str | None, limit: int, most: int
) -> tuple[WorkspaceRecord, tuple[Stored, ...]]:
    """The record in a zip, and its collections. Arguments as of `Workspace.parse`.
    Raises `ReadError` for a damaged file, and for more than `most` runs.
    """
    record = _read_record(name, data).only(only)
    runs = sum(len(one.runs) for one in record.collections)
    if runs > most:
        remedy = "Leave some out, or remove others."
        raise ReadError(name, None, f"at most {most:,} runs", f"{runs:,}", remedy)
    contents = _read_contents(name, data, record, limit)
    try:
        return record, tuple(_stored(one, contents) for one in record.collections)
    except ReadError:
        raise
    except IrmevalError as error:
        raise refused(name, error) from None


def refused(name: str, error: IrmevalError) -> ReadError:
    """Error for a record of a workspace that says what cannot be."""
    return ReadError(f"{name}/{RECORD}", None, RECORDED, str(error), SAVE_AGAIN)


def _read_record(name: str, data: bytes) -> WorkspaceRecord:
    """The record of a workspace file. Raises `ReadError` for a newer format."""
    texts = [text for _, text in files.unzip(name, data, LARGEST_RECORD, MAX_FILES, RECORD.__eq__)]
    if len(texts) != 1:
        expected = f"a workspace: a zip with one {RECORD} in it"
        raise ReadError(name, None, expected, f"{len(texts) or 'none'}", "Drop another file.")
    record = read_json(f"{name}/{RECORD}", texts[0], RECORDED, SAVE_AGAIN)
    # before anything else, which a newer format may have changed
    form = record.whole("format", 1)
    if form > FORMAT:
        came = f"{form}, by irmeval {_version_in(record)}"
        raise ReadError(name, None, f"a workspace of format {FORMAT}", came, "Update irmeval.")
    return record.made(WorkspaceRecord)


def _version_in(record: Record) -> str:
    """The version that wrote a record, of which no more is known."""
    versions = record.values.get("versions")
    if not isinstance(versions, dict):
        return "unknown"
    return shorten(versions.get("irmeval", ""))


def _seal(digest: str, text: str) -> str:
    """Digest of two digests: of a file as it was read, and of its text in the
    workspace; empty if there was no file.
    """
    if not digest:
        return ""
    return sha256(f"{digest} {text}".encode()).hexdigest()


def _read_contents(
    name: str, data: bytes, record: WorkspaceRecord, limit: int
) -> dict[str, Archived]:
    """The contents of the files by name, read by the usual readers."""
    # of one collection, only its files are unpacked
    entries = {entry.file: entry for entry in record.entries()}
    if not entries:
        return {}
    most = files.max_unpacked(len(data), limit)
    texts = files.unzip(name, data, most, MAX_FILES, entries.__contains__)
    # unpacked one by one as they are read: texts are several times as large as the zip
    contents = dict(parallel.map_lazily(partial(_read_member, len(name) + 1, entries), texts))
    missing = [*filterfalse(contents.__contains__, entries)]
    if missing:
        expected = "a file listed in the workspace"
        raise ReadError(f"{name}/{missing[0]}", None, expected, "none", SAVE_AGAIN)
    return contents


def _read_member(
    begin: int, entries: Mapping[str, TextFile | ScoresFile], item: tuple[str, bytes]
) -> tuple[str, Archived]:
    """Name in the zip, from `begin` on, and content of a member."""
    member, text = item
    file = member[begin:]
    entry = entries[file]
    if isinstance(entry, ScoresFile):
        matrix = score_matrix.parse_matrix(member, text, gaps=True)
        return file, replace(matrix, name=entry.name, judge=entry.judge)
    parsed = parse_lines(member, text, LAYOUTS[entry.columns])
    # a digest stands for a text that nobody has any more, so the seal has to bind it
    if entry.sha256 not in ("", parsed.sha256) and entry.seal != _seal(entry.sha256, parsed.sha256):
        expected, came = "the text whose SHA-256 was saved", "a different one"
        raise ReadError(member, None, expected, came, SAVE_AGAIN)
    read: dict[str, Any] = {
        "repeated": entry.repeated,
        "sha256": entry.sha256,
        "format": entry.read_as,
        "notes": entry.read_notes,
    }
    if isinstance(parsed, Run):
        return file, parsed._replace(name=entry.name, **read)
    return file, replace(parsed, **read)


def _stored(entry: CollectionRecord, contents: Mapping[str, Any]) -> Stored:
    """A collection, from its entry in the record and the contents of its files."""
    qrels = None
    if entry.qrels:
        qrels = NamedQrels(entry.qrels.name, contents[entry.qrels.file])
    judges = {
        judge.qrels.name: OtherJudge.of(contents[judge.qrels.file], judge.map, judge.relevant)
        for judge in entry.judges
    }
    return Stored(
        name=entry.name,
        qrels=qrels,
        runs={run.name: contents[run.file] for run in entry.runs},
        matrices=tuple(contents[matrix.file] for matrix in entry.matrices),
        policy=entry.policy,
        selection=entry.selection,
        pinned=entry.pinned,
        teams=entry.teams or {},
        kinds=entry.kinds or {},
        team_file=entry.team_file,
        notes=entry.notes[:MAX_NOTES],
        judges=judges,
        beside=entry.beside,
    )
