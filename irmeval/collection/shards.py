"""Collections with runs on the workers of a Dask cluster. Each worker reads its own
files, joins them with the qrels and keeps them.

Judgments, names and the length of each list are in this process. Samples are sent to
the workers, and scores come back. Each part is computed as one process computes all
runs, so every number is the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np

from irmeval.collection import Collection, read_collection
from irmeval.collection.base import assemble, lists_of
from irmeval.collection.joining import (
    Index,
    Lists,
    Outside,
    check_unchanged,
    join_files,
    name_runs,
    split_refused,
)
from irmeval.core import parallel
from irmeval.core.errors import ParamError, ReadError, reason_of
from irmeval.core.parallel import Call, Kept
from irmeval.core.text import shorten
from irmeval.reading import faults, files, foreign
from irmeval.reading.exclusions import read_policy, take_judgments
from irmeval.reading.formats import AUTO
from irmeval.reading.policy import Decisions, Policy
from irmeval.reading.sources import read_qrels_file
from irmeval.reading.trec import Fault, Qrels

T = TypeVar("T")

PARTS_PER_THREAD = 2
"""Parts per thread of the workers: more than one, so that new or fast workers also get
work.
"""
ON_WORKERS = ("judgment_index", "rank", "outside")
"""Attributes of a collection that are not in this process."""


class Part(NamedTuple):
    """Runs that are together on a worker."""

    kept: Kept
    """the `Shard`"""
    runs: slice
    """indices of the runs in the collection"""
    read: tuple[str, ...]
    """SHA-256 of the run files when they were first read; () if the shard was made from
    other shards
    """


@dataclass(frozen=True, eq=False, repr=False)
class Sharded(Collection):
    """A collection whose ranked lists are on workers. Otherwise as `Collection`.

    `judgment_index`, `rank` and `outside` are not in this process: asking for them
    raises `ParamError`.

    Attributes
    ----------
    parts : tuple of Part
        Where the runs are, in their order.

    Examples
    --------
    >>> from irmeval.collection.shards import read_shards
    >>> collection = read_shards(  # doctest: +SKIP
    ...     "sample_data/qrels.txt.gz", "sample_data/runs", "local:2"
    ... )
    >>> irmeval.evaluate(collection, ["AP", "AP'"]).means.shape  # doctest: +SKIP
    (2, 30)
    """

    judgment_index: np.ndarray = field(init=False, repr=False)
    rank: np.ndarray = field(init=False, repr=False)
    outside: Outside = field(init=False, repr=False)
    parts: tuple[Part, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name in ON_WORKERS:
            raise ParamError(
                f"The ranked lists are on the workers of {self.address}, not here."
                f" {WITHOUT_SCHEDULER}"
            )
        raise AttributeError(name)

    def with_judgments(self, name: str, *given: Any, **more: Any) -> Collection:
        """Raise `ParamError`, since the documents of other judges cannot be looked up
        on the workers.
        """
        raise ParamError(
            f"judges: the judgments of {shorten(name)} cannot be joined with runs on the workers of"
            f" {self.address}. {WITHOUT_SCHEDULER}"
        )

    @property
    def cluster(self) -> parallel.Cluster:
        """The cluster of the workers."""
        return self.parts[0].kept.cluster

    @property
    def address(self) -> str:
        """The address of the scheduler."""
        return self.cluster.address

    @property
    def concurrency(self) -> int:
        """Number of evaluations that keep every worker busy while this process handles
        results.
        """
        return max(parallel.count_processors(), 2 + self.cluster.threads // len(self.parts))

    def by_part(self, function: Callable[[Collection], T]) -> list[T]:
        """Results of a function for each part, computed on its worker."""
        return self.cluster.run(
            [
                Call(
                    _apply,
                    part.kept,
                    part.read,
                    {"runs": self.runs[part.runs], "policy": self.policy, "design": self.design},
                    function,
                )
                for part in self.parts
            ]
        )

    def among(
        self,
        runs: np.ndarray,
        topics: np.ndarray,
        subset: Callable[[Collection, np.ndarray, np.ndarray], Collection],
    ) -> tuple[Part, ...]:
        """The parts with only some runs and topics (indices, ascending); `subset` is
        applied to the collection of each part.
        """
        parts, first = [], 0
        for part in self.parts:
            chosen = runs[(runs >= part.runs.start) & (runs < part.runs.stop)]
            if chosen.size:
                kept = Kept(
                    self.cluster,
                    Call(_narrowed, part.kept, part.read, subset, chosen - part.runs.start, topics),
                )
                parts.append(Part(kept, slice(first, first + chosen.size), ()))
                first += chosen.size
        return tuple(parts)


WITHOUT_SCHEDULER = "Read the collection without a scheduler for that."


def check_local(collection: Collection, name: str) -> None:
    """Raise `ParamError` if the lists are on workers. `name` is the command or
    experiment that needs their documents.
    """
    if isinstance(collection, Sharded):
        raise ParamError(
            f"{name}: needs the documents of the lists, which are on the workers of"
            f" {collection.address}. {WITHOUT_SCHEDULER}"
        )


@dataclass(frozen=True, eq=False)
class Shard:
    """Some runs on a worker.

    Attributes
    ----------
    collection : Collection with provisional names of runs; None if no run can be used
    files : for each run, the path of its file and the tags in it
    refused : the faults of files that are refused
    """

    collection: Collection | None
    files: tuple[tuple[str, tuple[str, ...]], ...] = ()
    refused: tuple[tuple[Fault, ...], ...] = ()

    def __sizeof__(self) -> int:
        """Size in bytes, by which Dask decides whether to move it."""
        c = self.collection
        if c is None:
            return 0
        return sum(
            part.nbytes for part in (*vars(c).values(), *c.outside) if hasattr(part, "nbytes")
        )


class Facts(NamedTuple):
    """Part of a shard that is in this process."""

    files: tuple[tuple[str, tuple[str, ...]], ...]
    refused: tuple[tuple[Fault, ...], ...]
    lists: list[Lists]
    """lists of each run, without their documents"""


def read_shards(
    qrels: str | Path,
    runs: str | Path | Sequence[str | Path],
    scheduler: str,
    *,
    qrels_format: str = AUTO,
    run_format: str = AUTO,
    progress: Callable[[int, int], None] | None = None,
    refused: faults.Refuse | None = None,
    **policy: Unpack[Decisions],
) -> Sharded:
    """Read a collection as `irmeval.read_collection` does, with the runs on the workers
    of a Dask scheduler.

    Parameters
    ----------
    qrels, runs, qrels_format, run_format, progress, refused, **policy
        As in `irmeval.read_collection`. Every worker must see the files under the same
        paths; this process needs the qrels and the names of the run files.
    scheduler : ``tcp://HOST:PORT``, or ``local:N`` for N processes on this machine

    Raises
    ------
    ReadError, ParamError
        As `irmeval.read_collection`; and for a file that a worker cannot see, with the
        address of the worker.
    SchedulerError, MissingPackage
        If no scheduler answers, no worker has the same versions, or the package
        ``distributed`` is not installed.
    """
    decided = read_policy(**policy)
    workers = parallel.cluster(scheduler)
    # before the qrels are read: a scheduler that does not answer is told at once
    parts_wanted = PARTS_PER_THREAD * workers.threads
    judged = take_judgments(read_qrels_file(qrels, decided.repeated, form=qrels_format), decided)
    given = [runs] if isinstance(runs, (str, Path)) else [*runs]
    listed = [path.absolute() for path in files.list_files(given)]
    groups, state = _grouped(listed, parts_wanted), tuple(map(files.file_state, listed))
    where, how = _seen_by_workers(qrels), (decided, qrels_format, run_format)
    kept = [
        Kept(workers, Call(_load, where, judged.sha256, tuple(listed[some]), state[some], *how))
        for some in groups
    ]
    tick = parallel.ticker(progress, len(listed))
    facts: list[Facts] = workers.run(
        [Call(_facts, part) for part in kept],
        lambda number: tick(groups[number].stop - groups[number].start),
    )
    # each worker sees its own files; which may be left out depends on all
    wrong = [*chain.from_iterable(fact.refused for fact in facts)]
    read = len(wrong) + sum(len(fact.files) for fact in facts)
    named = [Path(source).absolute() for source in given]
    left_out = faults.leave_out_refused(wrong, read, named, refused)
    made = _assembled(judged, kept, facts, decided)
    strays = faults.describe_strays(left_out.strays)
    return replace(made, recognised=(*made.recognised, *strays))


def _seen_by_workers(qrels: str | Path) -> str:
    """The name of qrels in another folder; those of ir_datasets are in none."""
    is_file = not str(qrels).startswith(foreign.IRDS)
    if is_file:
        return str(Path(qrels).absolute())
    return str(qrels)


def _assembled(
    judged: Qrels, kept: Sequence[Kept], facts: Sequence[Facts], policy: Policy
) -> Sharded:
    """The collection of all parts. Raises `ReadError` if no part has a run."""
    names = name_runs([*chain.from_iterable(fact.files for fact in facts)])
    if not names:
        raise ReadError("runs", None, "at least one run", "none")
    lists = [*chain.from_iterable(fact.lists for fact in facts)]
    joined = vars(assemble(judged, names, lists, policy))
    here = {name: value for name, value in joined.items() if name not in ON_WORKERS}
    parts, first = list[Part](), 0
    for part, fact in zip(kept, facts, strict=True):
        last = first + len(fact.files)
        if fact.files:
            digests = tuple(of_run.sha256 for of_run in fact.lists)
            parts.append(Part(part, slice(first, last), digests))
        first = last
    return Sharded(**here, parts=tuple(parts))


def read_runs(
    qrels: str | Path, runs: str | Path | Sequence[str | Path], scheduler: str = "", **how: Any
) -> Collection:
    """`read_shards` if a scheduler is given and there are runs, else
    `irmeval.read_collection`; `how` are their other arguments.
    """
    if scheduler and runs:
        return read_shards(qrels, runs, scheduler, **how)
    return read_collection(qrels, runs, **how)


def _grouped(listed: Sequence[Path], groups: int) -> list[slice]:
    """Groups of neighbouring files, of about equal size in bytes."""
    size = np.array([max(files.file_state(path)[1], 1) for path in listed], float)
    # by the middle of each file, so that no group is empty where one file is large
    middle = np.cumsum(size) - size / 2
    of_group = np.minimum((middle / size.sum() * groups).astype(int), groups - 1)
    bounds = [0, *(np.flatnonzero(np.diff(of_group)) + 1).tolist(), len(listed)]
    return [slice(first, last) for first, last in pairwise(bounds)]


# ---------------------------------------------------------------- on a worker


def _load(
    qrels: str,
    sha256: str,
    paths: tuple[Path, ...],
    state: tuple[tuple[int, int], ...],
    policy: Policy,
    qrels_format: str = AUTO,
    run_format: str = AUTO,
) -> Shard:
    """Read and join some files. `state` is part of the key of the call, so that changed
    files are read again.
    """
    if not qrels.startswith(foreign.IRDS):
        _check_visible(Path(qrels))
    for path in paths:
        _check_visible(path)
    index = _index(qrels, sha256, policy, qrels_format)
    joined, refused = split_refused(join_files(paths, lambda: index, policy, form=run_format))
    named = tuple((run.path, run.tags) for run in joined)
    if not joined:
        return Shard(None, named, tuple(refused))
    names, lists = [run.path for run in joined], [run.lists for run in joined]
    return Shard(assemble(index.qrels, names, lists, policy), named, tuple(refused))


def _check_visible(path: Path) -> None:
    try:
        path.open("rb").close()
    except OSError as error:
        came = f"{reason_of(error)} on the worker {parallel.worker_address()}"
        remedy = "Put qrels and runs on a path that all workers share."
        raise ReadError(
            str(path), None, "a file that every worker can read", came, remedy
        ) from None


_reading = Lock()


def _index(qrels: str, sha256: str, policy: Policy, qrels_format: str) -> Index:
    with _reading:  # shared by all parts that a worker reads at the same time
        return _read_index(qrels, sha256, policy, qrels_format)


@lru_cache(maxsize=2)
def _read_index(qrels: str, sha256: str, policy: Policy, qrels_format: str) -> Index:
    judged = read_qrels_file(qrels, policy.repeated, form=qrels_format)
    if judged.sha256 != sha256:
        expected = "the same judgments here and on every worker"
        came = f"different ones on the worker {parallel.worker_address()}"
        raise ReadError(qrels, None, expected, came, "Make all of them read the same file.")
    return Index(take_judgments(judged, policy))


def _facts(shard: Shard) -> Facts:
    none = np.empty(0, np.int32)
    lists: list[Lists] = []
    if shard.collection:
        lists = lists_of(shard.collection)
    return Facts(
        shard.files,
        shard.refused,
        [run._replace(judgment_index=none, rank=none, outside=None) for run in lists],
    )


def _shard_collection(shard: Shard, read: tuple[str, ...]) -> Collection:
    """Collection of a shard. Files are read again after a worker is lost; raises
    `ReadError` if they have changed.
    """
    assert shard.collection is not None
    if read:
        check_unchanged([name for name, _ in shard.files], read, shard.collection.digests[1:])
    return shard.collection


def _apply(
    shard: Shard, read: tuple[str, ...], known: dict[str, Any], function: Callable[[Collection], T]
) -> T:
    """Apply a function to the collection of a shard. `known` are attributes that only
    the main process has.
    """
    return function(replace(_shard_collection(shard, read), **known))


def _narrowed(
    shard: Shard,
    read: tuple[str, ...],
    subset: Callable[..., Collection],
    runs: np.ndarray,
    topics: np.ndarray,
) -> Shard:
    return Shard(subset(_shard_collection(shard, read), runs, topics))
