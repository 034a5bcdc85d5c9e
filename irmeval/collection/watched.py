"""Watching of folders for new run files. Only new or changed files are read, after they
have stopped changing.
"""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import RLock
from typing import NamedTuple

from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import (
    Index,
    Joined,
    join_files,
    name_runs,
    read_index,
    rejoin,
    split_refused,
)
from irmeval.core.errors import ReadError
from irmeval.reading.faults import refusal_error
from irmeval.reading.files import file_state as state_of
from irmeval.reading.files import list_files
from irmeval.reading.formats import AS_TOLD, FormatNames
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Fault

STABLE_SECONDS = 1.5
"""Seconds without change before a file is read."""
MAX_POLICIES = 3
"""Number of policies for which joined runs are kept."""
State = tuple[int, int]
"""Modification time of a file, in nanoseconds, and its size."""


class _Noted(NamedTuple):
    """A file as it was last seen."""

    state: State
    since: float
    """when this state was first seen"""

    def is_old(self, now: float) -> bool:
        """Whether it is not empty, and has not changed for long enough."""
        changed, size = self.state
        # the earlier time: a file that was copied with its old time need not wait, and one
        # from a machine whose clock is ahead does not wait for that clock
        return size > 0 and now - min(changed / 1e9, self.since) >= STABLE_SECONDS


class Snapshot(NamedTuple):
    """State of the watched files.

    Attributes
    ----------
    collection : Collection of the runs that can be used
    refused : the error of each file that cannot be used
    files : paths of the runs, in their order
    """

    collection: Collection
    refused: tuple[ReadError, ...]
    files: tuple[Path, ...]


@dataclass(eq=False)
class Watched:
    """A qrels file and its runs, in files or in folders that may grow.

    Attributes
    ----------
    qrels, runs, formats : as for `irmeval.read_collection`
    clock : returns the time in seconds, comparable with the times of files

    Examples
    --------
    >>> from irmeval.reading.policy import Policy
    >>> from irmeval.collection.watched import Watched
    >>> watched = Watched("sample_data/qrels.txt.gz", ("sample_data/runs",))
    >>> changed = watched.look()
    >>> len(watched.seen(Policy()).collection.runs), watched.look() == changed
    (30, True)
    """

    qrels: str | Path
    runs: Sequence[str | Path]
    clock: Callable[[], float] = time.time
    formats: FormatNames = AS_TOLD
    waiting: tuple[str, ...] = ()
    """names of the files that are still being written"""
    _taken: dict[Path, State] = field(default_factory=dict)
    """last stable state of each file"""
    _noted: dict[Path, "_Noted"] = field(default_factory=dict)
    _joined: dict[tuple[Hashable, ...], list[Joined | tuple[Fault, ...]]] = field(
        default_factory=dict
    )
    _index: dict[Hashable, Index] = field(default_factory=dict)
    _made: dict[Policy, tuple[Hashable, Snapshot]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def look(self) -> Hashable:
        """Look for files that are new, changed, gone or stable. The returned value
        changes if there are any.
        """
        with self._lock:
            now, paths = self.clock(), [Path(self.qrels), *self._listed()]
            self._noted = {path: self._note(path, now) for path in paths}
            stable = {path: noted.state for path, noted in self._noted.items() if noted.is_old(now)}
            # a file that is being written keeps the state in which it was read
            known = self._taken | stable
            self._taken = {path: known[path] for path in paths if path in known}
            self.waiting = tuple(path.name for path in paths[1:] if path not in stable)
            return self._version(), self.waiting

    def _note(self, path: Path, now: float) -> "_Noted":
        """State of a file, with the time since when it has not changed."""
        state, before = state_of(path), self._noted.get(path)
        if before and before.state == state:
            return before
        return _Noted(state, now)

    def seen(self, policy: Policy, progress: Callable[[int, int], None] | None = None) -> Snapshot:
        """Collection of the files last found by `look`, under a policy. New files are
        read.

        A file that is still changing keeps its old content. A file that cannot be used
        is left out and reported in `refused`. Raises `ReadError` if the qrels, or all
        runs, cannot be used.
        """
        with self._lock:
            if not self.ready(policy):
                self._made[policy] = self._version(), self._make(policy, progress)
                self._made = dict([*self._made.items()][-MAX_POLICIES:])
            return self._made[policy][1]

    def ready(self, policy: Policy) -> bool:
        """Whether `seen` can answer without reading a file."""
        with self._lock:
            return policy in self._made and self._made[policy][0] == self._version()

    def _version(self) -> Hashable:
        return tuple(self._taken.items())

    def _listed(self) -> list[Path]:
        """Existing run files; a folder may still be empty."""
        listed: list[Path] = []
        for source in self.runs:
            try:
                listed += list_files([source])
            except ReadError:
                continue
        return list_files(path for path in listed if path != Path(self.qrels))

    def _make(self, policy: Policy, progress: Callable[[int, int], None] | None) -> Snapshot:
        judged = self._taken.get(Path(self.qrels)), policy.repeated, policy.exclude
        if judged not in self._index:
            # of one state alone: an index is as large as the qrels
            self._index = {judged: read_index(self.qrels, policy, self.formats.qrels_format)}
        index = self._index[judged]
        found = self._texts(judged, index, policy, progress)
        sound = [(path, text) for path, text in found if isinstance(text, Joined)]
        _, faulty = split_refused(text for _, text in found)
        if not sound and faulty:
            raise refusal_error(faulty, len(found))
        if not sound:
            remedy = "The page shows the first as soon as it arrives."
            raise ReadError("runs", None, "at least one run", "none yet", remedy)
        paths, runs = zip(*sound, strict=True)
        names = name_runs([(run.path, run.tags) for run in runs])
        join = partial(rejoin, [*dict.fromkeys(paths)], policy, form=self.formats.run_format)
        collection = assemble(index.qrels, names, [run.lists for run in runs], policy, join)
        return Snapshot(collection, tuple(faults[0].first for faults in faulty), paths)

    def _texts(
        self,
        judged: Hashable,
        index: Index,
        policy: Policy,
        progress: Callable[[int, int], None] | None,
    ) -> list[tuple[Path, Joined | tuple[Fault, ...]]]:
        """What is in each run file, joined or refused; only new files are read."""
        decided = judged, policy.depth, policy.order, policy.exclude_own
        keys = {path: (path, state, *decided) for path, state in self._taken.items()}
        keys.pop(Path(self.qrels), None)
        new = [path for path, key in keys.items() if key not in self._joined]
        read = self._read(new, index, policy, progress)
        self._joined.update(zip(map(keys.__getitem__, new), read, strict=True))
        # what was read of a file that has changed or gone is of no use to any policy
        current = {*self._taken.items()}
        self._joined = {key: found for key, found in self._joined.items() if key[:2] in current}
        return [(path, text) for path, key in keys.items() for text in self._joined[key]]

    def _read(
        self,
        files: Sequence[Path],
        index: Index,
        policy: Policy,
        progress: Callable[[int, int], None] | None,
    ) -> list[list[Joined | tuple[Fault, ...]]]:
        if not files:
            return []
        form = self.formats.run_format
        together = join_files(files, lambda: index, policy, progress, form)
        if len(together) == len(files):
            return [[text] for text in together]
        # some files hold several runs: read one by one, it is known which
        return [join_files([path], lambda: index, policy, None, form) for path in files]
