"""Workspaces: collections by name, with all their settings, in one file.

The file is a zip of ``workspace.json``, which lists the content, and of qrels and runs
as plain text files. The usual readers read and check these, and so can other programs.
"""

import gzip
import io
import json
import platform
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import name_runs, path_on_disk
from irmeval.core import parallel
from irmeval.core.errors import IrmevalError, ParamError, ReadError, UnknownName
from irmeval.core.registry import check_known
from irmeval.core.saving import save
from irmeval.core.text import one_line, shorten, slug
from irmeval.core.version import __version__
from irmeval.judges.grade_maps import map_as_text
from irmeval.metrics import Measure, distinct
from irmeval.reading import files, score_matrix
from irmeval.reading.exclusions import read_policy
from irmeval.reading.faults import read_run_files
from irmeval.reading.judgments import read_qrels_file
from irmeval.reading.parsing import parse_lines
from irmeval.reading.policy import Decisions, Policy
from irmeval.reading.records import HIGHEST, LARGEST, Record, Unquoted, read_json
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.text_layout import PRELS, QRELS, RUN, STRATA
from irmeval.reading.trec import Fault, Qrels, Run
from irmeval.reading.writing import layout_of, text_of
from irmeval.scoring.selection import Selection
from irmeval.workspace.stored import NamedQrels, OtherJudge, Stored

ENDING = ".irmeval"
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


@dataclass(frozen=True, eq=False)
class Workspace:
    """Collections by name, with all their settings. It is saved in one file, which
    every command accepts in place of qrels and runs.

    Attributes
    ----------
    collections : tuple of Stored
    open : name of the collection that is in use
    measures : the measures in use
    parameters : parameters of the pages of the dashboard, by page and name

    Examples
    --------
    >>> import irmeval
    >>> workspace = irmeval.Workspace().add(
    ...     "mine", "sample_data/qrels.txt.gz", "sample_data/runs", depth=100
    ... )
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp()) / "my.irmeval"
    >>> workspace.save(file)
    >>> again = irmeval.Workspace.load(file)
    >>> same = again.collection("mine").fingerprint == workspace.collection("mine").fingerprint
    >>> again.names, same
    (('mine',), True)
    """

    collections: tuple[Stored, ...] = ()
    open: str = ""
    measures: tuple[Measure, ...] = ()
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the collections."""
        return tuple(stored.name for stored in self.collections)

    def add(
        self,
        name: str,
        qrels: str | Path,
        runs: str | Path | Iterable[str | Path],
        **policy: Unpack[Decisions],
    ) -> "Workspace":
        """The workspace with one more collection, which becomes the open one. Files,
        policy and errors as in `irmeval.read_collection`.
        """
        decided = read_policy(**policy)
        if not is_name(name) or name in self.names:
            raise ParamError(
                f"name: expected one line of at most {MAX_NAME} letters that no other collection"
                f" has, found {shorten(name)}."
            )
        judged = read_qrels_file(qrels, decided.repeated)
        given = read_run_files([runs] if isinstance(runs, (str, Path)) else runs, decided.repeated)
        named = dict(
            zip(name_runs([(path_on_disk(run.name), ()) for run in given]), given, strict=True)
        )
        stored = Stored(name, NamedQrels(files.stem(str(qrels)), judged), named, policy=decided)
        stored.everything(decided)
        return replace(self, collections=(*self.collections, stored), open=name)

    def stored(self, name: str = "") -> Stored:
        """A stored collection, by default the open one. Raises `UnknownName`, with the
        nearest names, if there is none.
        """
        by_name = {stored.name: stored for stored in self.collections}
        check_known(name or self.open, by_name, "unknown collection", UnknownCollection)
        return by_name[name or self.open]

    def collection(self, name: str = "", **policy: Unpack[Decisions]) -> Collection:
        """Selected runs and topics of a collection, by default the open one, under its
        policy; keywords replace single decisions.
        """
        stored = self.stored(name)
        return (
            replace(stored, policy=read_policy(**asdict(stored.policy) | policy))
            .selected()
            .collection
        )

    def save(self, path: str | Path) -> None:
        """Save the workspace in one file, whose name should end in ``.irmeval``."""
        save(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of the file."""
        texts: dict[str, tuple[Qrels | Run | Matrix, dict[str, Any]]] = {}

        def put(
            content: Qrels | Run | Matrix, folder: str, member: str, **said: Any
        ) -> dict[str, Any]:
            file = (
                f"{folder}/{len(texts) + 1:05}-{slug(member)[:60]}"
                f".{'csv' if isinstance(content, Matrix) else 'txt'}.gz"
            )
            texts[file] = content, {"file": file, **said}
            return texts[file][1]

        def pack(item: tuple[Qrels | Run | Matrix, dict[str, Any]]) -> bytes:
            content, said = item
            text = text_of(content)
            if said.get("sha256"):
                said["seal"] = _seal(said["sha256"], sha256(text).hexdigest())
            return gzip.compress(text, _PACKED, mtime=0)

        listed = [
            _record(stored, f"{number}-{slug(stored.name)[:60]}", put)
            for number, stored in enumerate(self.collections, 1)
        ]
        packed = parallel.map_threads(pack, texts.values())
        record = {
            "format": FORMAT,
            "versions": {
                "irmeval": __version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
            },
            "open": self.open,
            "measures": list(self.measures),
            "parameters": self.parameters,
            "collections": listed,
        }
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(RECORD, json.dumps(record, indent=1, ensure_ascii=False))
            for file, data in zip(texts, packed, strict=True):
                archive.writestr(file, data)
        return made.getvalue()

    @classmethod
    def load(cls, path: str | Path, only: str | None = None) -> "Workspace":
        """Read a workspace file. `only` is the one collection to read; an empty text
        means the open one, None all.

        Raises
        ------
        ReadError
            For a file that is no workspace, is damaged, or was written by a newer
            irmeval.
        UnknownName
            If it has no collection of that name.
        """
        return cls.parse(str(path), files.read_bytes(path, MAX_TEXT_BYTES), only)

    @classmethod
    def parse(
        cls,
        name: str,
        data: bytes,
        only: str | None = None,
        *,
        limit: int = MAX_TEXT_BYTES,
        most: int = MAX_FILES,
    ) -> "Workspace":
        """Read a workspace from bytes, with at most `limit` bytes of text and `most`
        runs.
        """
        record = _read_record(name, data)
        try:
            opened, listed = record.text("open"), record.tables("collections")
            entries = {entry.text("name"): entry for entry in listed}
            if not all(map(is_name, entries)) or len(entries) < len(listed):
                names = [entry.text("name") for entry in listed]
                raise record.refuse(
                    "collections",
                    f"different names of collections, each one line of at most {MAX_NAME} letters",
                    names,
                )
            if only is not None:
                check_known(only or opened, entries, "unknown collection", UnknownCollection)
                entries = {only or opened: entries[only or opened]}
            kinds: dict[str, tuple[str, Record]] = {}
            for entry in entries.values():
                for kind, said in _files(entry):
                    if kinds.setdefault(said.text("file"), (kind, said)) != (kind, said):
                        raise said.refuse("file", "a separate file", said.text("file"), SAVE_AGAIN)
            if (runs := sum(kind == "run" for kind, _ in kinds.values())) > most:
                raise ReadError(
                    name,
                    None,
                    f"at most {most:,} runs",
                    f"{runs:,}",
                    "Leave some out, or remove others.",
                )
            contents = _contents(name, data, kinds, limit)
            stored = tuple(_stored(entry, contents) for entry in entries.values())
            pages = record.table("parameters", {})
            parameters = {page: dict(pages.table(page).values) for page in pages.values}
            return cls(stored, opened, distinct(record.texts("measures", [])), parameters)
        except (ReadError, UnknownCollection):
            raise
        except IrmevalError as error:
            raise ReadError(record.file, None, RECORDED, str(error), SAVE_AGAIN) from None


class UnknownCollection(UnknownName):
    """No collection of a workspace has this name."""


def is_name(name: str) -> bool:
    """Whether a text can be the name of a collection."""
    return 0 < len(name.strip()) <= MAX_NAME and one_line(name) == name


def looks_like_workspace(name: str, data: bytes) -> bool:
    """Whether a file seems to be a workspace, by the end of its name or by its first
    bytes.
    """
    return name.lower().endswith(ENDING) or data[30:].startswith(RECORD.encode())


def split_path(path: str) -> tuple[str, str] | None:
    """File and name of the collection in ``my.irmeval#name``; None if the path is not a
    workspace.
    """
    file, mark, name = path.partition(f"{ENDING}#")
    return (file + ENDING, name) if mark else (path, "") if path.lower().endswith(ENDING) else None


def _read_record(name: str, data: bytes) -> Record:
    """The record of a workspace file. Raises `ReadError` for a newer format."""
    texts = [text for _, text in files.unzip(name, data, LARGEST, MAX_FILES, RECORD.__eq__)]
    if len(texts) != 1:
        raise ReadError(
            name,
            None,
            f"a workspace: a zip with one {RECORD} in it",
            f"{len(texts) or 'none'}",
            "Drop another file.",
        )
    record = read_json(f"{name}/{RECORD}", texts[0], RECORDED, SAVE_AGAIN)
    if (form := record.whole("format", 1)) > FORMAT:
        written = shorten(record.by_name("versions", {}).get("irmeval", ""))
        came = f"{form}, by irmeval {written}"
        raise ReadError(name, None, f"a workspace of format {FORMAT}", came, "Update irmeval.")
    return record


def _seal(digest: str, text: str) -> str:
    """Digest of two digests: of a file as it was read, and of its text in the
    workspace.
    """
    return sha256(f"{digest} {text}".encode()).hexdigest()


def _digest(said: Record, text: str) -> str:
    """The digest of a file as it was read. Raises `ReadError` if it was saved with a
    text of another digest than `text`.
    """
    digest, seal = said.digest("sha256", ""), said.digest("seal", "")
    if not digest or digest == text or seal == _seal(digest, text):
        return digest
    raise said.refuse(
        "sha256",
        "the SHA-256 that was saved with this text",
        Unquoted("a different one, or a different text"),
        SAVE_AGAIN,
    )


def _record(stored: Stored, folder: str, put: Any) -> dict[str, Any]:
    """The entry of a collection in the record. `put` adds a file in a folder of the
    zip, and returns its entry.
    """

    def of_file(
        parsed: Qrels | Run, folder: str, name: str, member: str, **more: Any
    ) -> dict[str, Any]:
        faults = [(fault.lines, fault.first.__reduce__()[1]) for fault in parsed.repeated]
        how = {
            "columns": str(layout_of(parsed)),
            "read_as": parsed.format,
            "read_notes": parsed.notes,
        }
        return put(
            parsed, folder, member, name=name, sha256=parsed.sha256, repeated=faults, **how, **more
        )

    return {
        "name": stored.name,
        "notes": stored.notes,
        "policy": asdict(stored.policy),
        "selection": asdict(stored.selection),
        "pinned": stored.pinned,
        "teams": dict(stored.teams),
        "kinds": dict(stored.kinds),
        "team_file": stored.team_file,
        "qrels": (
            of_file(stored.qrels.qrels, folder, stored.qrels.name, "qrels")
            if stored.qrels
            else None
        ),
        "runs": [of_file(run, f"{folder}/runs", name, name) for name, run in stored.runs.items()],
        "judges": [
            of_file(
                judge.qrels,
                f"{folder}/judges",
                name,
                name,
                map=map_as_text(judge.map),
                relevant=judge.relevant,
            )
            for name, judge in stored.judges.items()
        ],
        "beside": stored.beside,
        "matrices": [
            put(matrix, folder, matrix.name, name=matrix.name, judge=matrix.judge)
            for matrix in stored.matrices
        ],
    }


def _faults(said: Record) -> tuple[Fault, ...]:
    """Errors of left-out lines."""
    found = []
    for number, entry in enumerate(said.get("repeated", list, "a list"), 1):
        match entry:
            case [
                int(lines),
                [str(file), (int() | None) as line, str(expected), str(came), str(remedy)],
            ] if (
                0 < lines < HIGHEST
                and (line is None or 0 < line < HIGHEST)
                and bool not in {type(lines), type(line)}
            ):
                found.append(Fault(lines, ReadError(file, line, expected, came, remedy)))
            case _:
                raise said.refuse(
                    f"repeated.{number}", "a number of lines and a fault", entry, SAVE_AGAIN
                )
    return tuple(found)


def _files(entry: Record) -> Iterable[tuple[str, Record]]:
    """Kind and entry of each file of a collection."""
    if entry.values.get("qrels"):
        yield "qrels", entry.table("qrels")
    for kind, key in (("qrels", "judges"), ("matrix", "matrices"), ("run", "runs")):
        for file in entry.tables(key, []):
            yield kind, file


def _contents(
    name: str, data: bytes, kinds: Mapping[str, tuple[str, Record]], limit: int
) -> dict[str, Qrels | Run | Matrix]:
    """The contents of these files by name, read by the usual readers."""
    begin = len(name) + 1
    texts = (
        files.unzip(name, data, files.max_unpacked(len(data), limit), MAX_FILES, kinds.__contains__)
        if kinds
        else iter(())
    )

    def read(item: tuple[str, bytes]) -> tuple[str, Qrels | Run | Matrix]:
        member, text = item
        kind, said = kinds[member[begin:]]
        if kind == "matrix":
            matrix = score_matrix.parse_matrix(member, text, gaps=True)
            return member[begin:], replace(
                matrix, name=said.text("name"), judge=said.text("judge", "")
            )
        columns = said.text("columns", str(RUN if kind == "run" else QRELS))
        if columns not in LAYOUTS or (LAYOUTS[columns] == RUN) != (kind == "run"):
            raise said.refuse("columns", f"the columns of a {kind} file", columns, SAVE_AGAIN)
        parsed = parse_lines(member, text, LAYOUTS[columns])
        parsed = parsed._replace(name=said.text("name")) if isinstance(parsed, Run) else parsed
        parsed = parsed._replace(
            format=said.text("read_as", ""), notes=said.texts("read_notes", [])
        )
        return member[begin:], parsed._replace(
            repeated=_faults(said), sha256=_digest(said, parsed.sha256)
        )

    contents = dict(parallel.map_lazily(read, texts))
    for file in kinds:
        if file not in contents:
            raise ReadError(
                f"{name}/{file}", None, "a file listed in the workspace", "none", SAVE_AGAIN
            )
    return contents


def _stored(entry: Record, contents: Mapping[str, Any]) -> Stored:
    """A collection, from its entry in the record and the contents of its files."""

    def judge(said: Record) -> OtherJudge:
        return OtherJudge.of(
            contents[said.text("file")], said.text("map", ""), said.whole("relevant", 1, default=1)
        )

    runs: dict[str, Run] = {}
    for run in entry.tables("runs", []):
        name = run.text("name")
        if not all(map(files.is_file_name, name.split("/"))) or name in runs:
            raise run.refuse("name", "the path of a file that no other run has", name)
        runs[name] = contents[run.text("file")]
    qrels = entry.table("qrels") if entry.values.get("qrels") else None
    return Stored(
        name=entry.text("name"),
        qrels=NamedQrels(qrels.text("name", ""), contents[qrels.text("file")]) if qrels else None,
        runs=runs,
        matrices=tuple(contents[matrix.text("file")] for matrix in entry.tables("matrices", [])),
        policy=entry.record("policy", Policy),
        selection=entry.record("selection", Selection),
        pinned=entry.texts("pinned", []),
        teams=entry.by_name("teams", {}),
        kinds=entry.by_name("kinds", {}),
        team_file=entry.text("team_file", ""),
        notes=entry.text("notes", "")[:MAX_NOTES],
        judges={one.text("name"): judge(one) for one in entry.tables("judges", [])},
        beside=entry.text("beside", ""),
    )
