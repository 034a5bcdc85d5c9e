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
from irmeval.collection.joining import Index, Joined, join_files, name_runs, rejoin
from irmeval.core.errors import ReadError
from irmeval.reading.exclusions import take_judgments
from irmeval.reading.faults import refusal_error
from irmeval.reading.files import file_state as state_of
from irmeval.reading.files import list_files
from irmeval.reading.formats import AS_TOLD, FormatNames
from irmeval.reading.judgments import read_qrels_file
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Fault

STABLE_SECONDS = 1.5
"""Seconds without change before a file is read."""
MAX_POLICIES = 3
"""Number of policies for which joined runs are kept."""
State = tuple[int, int]
"""Modification time of a file, in nanoseconds, and its size."""


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
    _noted: dict[Path, tuple[State, float]] = field(default_factory=dict)
    """state of each file, and when it was first seen"""
    _joined: dict[Hashable, list[Joined | tuple[Fault, ...]]] = field(default_factory=dict)
    _index: dict[Hashable, Index] = field(default_factory=dict)
    _made: dict[Policy, tuple[Hashable, Snapshot]] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def look(self) -> Hashable:
        """Look for files that are new, changed, gone or stable. The returned value
        changes if there are any.
        """
        with self._lock:
            now, taken, waiting = self.clock(), {}, []
            noted: dict[Path, tuple[State, float]] = {}
            for path in (Path(self.qrels), *self._listed()):
                state = state_of(path)
                before, since = self._noted.get(path, (None, now))
                noted[path] = state, since if state == before else now
                if now - min(state[0] / 1e9, noted[path][1]) >= STABLE_SECONDS and state[1]:
                    taken[path] = state
                else:
                    waiting += [path.name] if path != Path(self.qrels) else []
                    if path in self._taken:  # unchanged
                        taken[path] = self._taken[path]
            self._noted, self._taken, self.waiting = noted, taken, tuple(waiting)
            return self._version(), self.waiting

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
            self._index = {
                judged: Index(
                    take_judgments(
                        read_qrels_file(
                            self.qrels, policy.repeated, form=self.formats.qrels_format
                        ),
                        policy,
                    )
                )
            }
        index = self._index[judged]
        files = [path for path in self._taken if path != Path(self.qrels)]
        keys = {
            path: (path, self._taken[path], judged, policy.depth, policy.order, policy.exclude_own)
            for path in files
        }
        new = [path for path in files if keys[path] not in self._joined]
        self._joined |= {
            keys[path]: found
            for path, found in zip(new, self._read(new, index, policy, progress), strict=True)
        }
        current = {(path, state) for path, state in self._taken.items()}
        self._joined = {
            key: found
            for key, found in self._joined.items()
            if isinstance(key, tuple) and key[:2] in current
        }
        found = [(path, text) for path in files for text in self._joined[keys[path]]]
        sound = [(path, text) for path, text in found if isinstance(text, Joined)]
        faulty = [text for _, text in found if not isinstance(text, Joined)]
        if not sound:
            if faulty:
                raise refusal_error(faulty, len(found))
            raise ReadError(
                "runs",
                None,
                "at least one run",
                "none yet",
                "The page shows the first as soon as it arrives.",
            )
        names = name_runs([(run.path, run.tags) for _, run in sound])
        join = partial(
            rejoin,
            [*dict.fromkeys(path for path, _ in sound)],
            policy,
            form=self.formats.run_format,
        )
        collection = assemble(index.qrels, names, [run.lists for _, run in sound], policy, join)
        return Snapshot(
            collection,
            tuple(faults[0].first for faults in faulty),
            tuple(path for path, _ in sound),
        )

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
