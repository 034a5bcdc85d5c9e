"""Workspaces: collections by name, with all their settings, in one file."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

from irmeval.collection import Collection
from irmeval.collection.joining import name_runs, path_on_disk
from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.registry import check_known
from irmeval.core.saving import save
from irmeval.core.text import shorten
from irmeval.core.written import WORKSPACE
from irmeval.metrics import Measure, distinct
from irmeval.reading import files
from irmeval.reading.exclusions import read_policy
from irmeval.reading.faults import read_run_files
from irmeval.reading.policy import Decisions
from irmeval.reading.sources import read_qrels_file
from irmeval.workspace.packed import (
    MAX_FILES,
    MAX_NAME,
    MAX_TEXT_BYTES,
    RECORD,
    UnknownCollection,
    is_name,
    pack,
    refused,
    unpack,
)
from irmeval.workspace.stored import NamedQrels, Stored


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

    def __post_init__(self) -> None:
        if not isinstance(self.collections, tuple):
            raise ParamError("Workspace: irmeval.Workspace.load(file) reads one.")

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
        policy and errors as in `irmeval.read_collection`; raises `ParamError` for a name
        that is taken or no name.
        """
        decided = read_policy(**policy)
        if not is_name(name) or name in self.names:
            raise ParamError(
                f"name: expected one line of at most {MAX_NAME} letters that no other collection"
                f" has, found {shorten(name)}."
            )
        judged = read_qrels_file(qrels, decided.repeated)
        if isinstance(runs, (str, Path)):
            runs = [runs]
        given = read_run_files(runs, decided.repeated)
        # by their files, since a tag says nothing of what is in the workspace
        names = name_runs([(path_on_disk(run.name), ()) for run in given])
        named = dict(zip(names, given, strict=True))
        stored = Stored(name, NamedQrels(files.stem(str(qrels)), judged), named, policy=decided)
        # joined now, so that what cannot be is told before it is saved
        stored.everything(decided)
        return replace(self, collections=(*self.collections, stored), open=name)

    def stored(self, name: str = "") -> Stored:
        """A stored collection, by default the open one. Raises `UnknownName`, with the
        nearest names, if there is none.
        """
        wanted = name or self.open
        by_name = dict(zip(self.names, self.collections, strict=True))
        check_known(wanted, by_name, "unknown collection", UnknownCollection)
        return by_name[wanted]

    def collection(self, name: str = "", **policy: Unpack[Decisions]) -> Collection:
        """Selected runs and topics of a collection, by default the open one, under its
        policy; keywords replace single decisions.
        """
        stored = self.stored(name)
        decided = read_policy(**asdict(stored.policy) | policy)
        return replace(stored, policy=decided).selected().collection

    def save(self, path: str | Path) -> None:
        """Save the workspace in one file, whose name should end in ``.irmeval``."""
        save(path, self.to_bytes())

    def to_bytes(self) -> bytes:
        """The content of the file."""
        return pack(self.collections, self.open, map(str, self.measures), self.parameters)

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
        record, stored = unpack(name, data, only, limit, most)
        try:
            measures = distinct(record.measures)
        except IrmevalError as error:
            raise refused(name, error) from None
        return cls(stored, record.open, measures, record.parameters)


def looks_like_workspace(name: str, data: bytes) -> bool:
    """Whether a file seems to be a workspace, by the end of its name or by its first
    bytes.
    """
    # in a zip, the name of its first member begins after 30 bytes
    return name.lower().endswith(WORKSPACE) or data[30:].startswith(RECORD.encode())
