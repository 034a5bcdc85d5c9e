"""Computed collections, scores and results, shared by all visitors. Each has a key that names all it depends on.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import asdict, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from threading import Lock, RLock
from typing import Any, TypeVar

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.shards import read_shards
from irmeval.collection.watched import Snapshot, Watched
from irmeval.core.errors import Cancelled, ReadError
from irmeval.core.text import count_noun
from irmeval.reading import files
from irmeval.reading.faults import rename_files
from irmeval.reading.policy import Policy
from irmeval.reading.trec import AUTO
from irmeval.reductions import draw
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selected, Selection, select
from irmeval.ui.state import collection_cache, quotas
from irmeval.workspace.stored import OtherJudge

T = TypeVar("T")

AGE = 1800
"""Seconds that a value is kept after its last use."""
LOOKED = "looked"
"""In a tab's state: size and time of the server's files when the page was begun; emptied before each drawing."""
LOOK = 0.1
"""Seconds between two looks at how many files are read."""
BAR = "place_of_bar"
"""In a tab's state: the place on the page of the bar that shows how many files are read."""


class Cache(OrderedDict[Hashable, Any]):
    """A cache in the order of last use. A key names all that its value depends on: first what it is, then the fingerprint of the data."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = RLock()
        self.used: dict[Hashable, float] = {}
        self.sizes: dict[Hashable, int] = {}
        """bytes, of what `setdefault` returned as they were at its next call: experiments add to the value meanwhile"""
        self.growing: Hashable = None
        self.making: dict[Hashable, Lock] = {}

    def setdefault(self, key: Hashable, default: Any = None) -> Any:
        """The value under a key. Drops values older than `AGE`, and the least recently used ones beyond the quota."""
        with self.lock:
            if self.growing in self and self.growing != key:
                self.sizes[self.growing] = size_of(self[self.growing])
            value = super().setdefault(key, default)
            self._note_use(key)
            self.growing, self.sizes[key] = key, size_of(value)
            self._shrink(1)
            return value

    def find(self, key: Hashable) -> Any:
        """The value under a key, None if there is none."""
        with self.lock:
            return self._note_use(key) if key in self else None

    def get_or_make(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under a key. If it is missing, `make` is called once for all who ask meanwhile."""
        with self.lock:
            making = self.making.setdefault(key, Lock())
        try:
            with making:
                with self.lock:
                    if key in self:
                        return self._note_use(key)
                return self.setdefault(key, make())
        finally:
            with self.lock:
                self.making.pop(key, None)

    def expire(self) -> None:
        """Drop the values older than `AGE`."""
        with self.lock:
            self.sizes = {key: size_of(value) for key, value in self.items()}
            self._shrink(0)

    def release(self, fingerprints: set[str]) -> None:
        """Drop all values that were computed on data with these fingerprints."""
        with self.lock:
            for key in [key for key in self if isinstance(key, tuple) and key[1] in fingerprints]:
                self._drop_value(key)

    def _note_use(self, key: Hashable) -> Any:
        """The value under a key, which is now the last one used."""
        self.move_to_end(key)
        self.used[key] = time.monotonic()
        return self[key]

    def _drop_value(self, key: Hashable) -> None:
        del self[key], self.used[key], self.sizes[key]

    def _shrink(self, spared: int) -> None:
        """Drop the oldest values until none is too old and the rest fits the quota; the last `spared` stay."""
        now, held = time.monotonic(), sum(self.sizes.values())
        while len(self) > spared:
            oldest = next(iter(self))
            if held <= quotas.limit(quotas.CACHE) and now - self.used[oldest] <= AGE:
                break
            held -= self.sizes[oldest]
            self._drop_value(oldest)


store = cache(Cache)
"""Returns the cache of all that was computed."""
server_collections = cache(Cache)
"""Returns the cache of collections from files that the operator named."""


def _state(qrels: Path, runs: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    looked = st.session_state.setdefault(LOOKED, {})
    if (qrels, runs) not in looked:
        looked[qrels, runs] = tuple(files.file_state(path) for path in (qrels, *files.list_files(runs)))
    return looked[qrels, runs]


def collection(qrels: Path, runs: tuple[Path, ...], policy: Policy, scheduler: str = "", qrels_format: str = AUTO) -> Collection:
    """A collection from files that the operator named, on the workers of a scheduler if one is named. Raises `ReadError` for files that
    cannot be used, which names them without the server's folders."""
    try:
        state = _state(qrels, runs)
    except ReadError as error:  # an empty folder
        raise _without_folder(error) from None
    key = "_read", qrels, runs, policy, state, scheduler, qrels_format
    made = server_collections().get_or_make(key, lambda: _read(qrels, runs, policy, scheduler, qrels_format))
    if isinstance(made, ReadError):
        raise rename_files(made, str)  # a copy: a raised error keeps hold of all frames that it passed
    return made


@cache
def watched(qrels: Path, runs: tuple[Path, ...], qrels_format: str = AUTO) -> Watched:
    """The watcher of files that the operator named; one for all visitors."""
    return Watched(qrels, runs, qrels_format=qrels_format)


def read_watched(qrels: Path, runs: tuple[Path, ...], qrels_format: str, policy: Policy) -> Snapshot:
    """The content of the watched files under a policy; faults name files without folders. Raises `ReadError` if none can be used."""
    held = watched(qrels, runs, qrels_format)
    try:
        found = held.seen(policy, None) if held.ready(policy) else _with_bar(partial(held.seen, policy))
    except ReadError as error:
        raise _without_folder(error) from None
    return found._replace(refused=tuple(map(_without_folder, found.refused)))


def _read(qrels: Path, runs: tuple[Path, ...], policy: Policy, scheduler: str, qrels_format: str) -> Collection | ReadError:
    """Read a collection. An error is returned, and so cached too: finding all faults takes longer than reading."""
    try:
        if scheduler:
            return _with_bar(lambda tell: read_shards(qrels, runs, scheduler, qrels_format=qrels_format, progress=tell, **asdict(policy)))
        return _with_bar(lambda tell: collection_cache.read(qrels, runs, policy, tell, qrels_format))
    except ReadError as error:
        return _without_folder(error)


def _with_bar(read: Callable[[Callable[[int, int], None]], T]) -> T:
    """The result of read(progress), which any thread may call; meanwhile a bar shows how many files are read."""
    bar, seen, left = st.session_state.get(BAR, st).progress(0.0, "Reading the collection ..."), (0, 1), False

    def tell(done: int, total: int) -> None:
        nonlocal seen
        seen = done, total
        if left:
            raise Cancelled("Stopped.")

    with ThreadPoolExecutor(1) as worker:
        reading = worker.submit(read, tell)
        try:
            while not wait([reading], LOOK).done:
                done, total = seen
                bar.progress(done / total, f"Reading the collection: {done:,} of {count_noun(total, 'run file')}")
            bar.empty()
        finally:  # the page may be left
            left = True
    return reading.result()


def _without_folder(error: ReadError) -> ReadError:
    return rename_files(error, lambda name: Path(name).name)


def selected(collection: Collection, selection: Selection, teams: Mapping[str, str]) -> Selected:
    """A collection, restricted to the runs and topics of a selection."""
    key = "selected", collection.fingerprint, selection, tuple(teams.items())
    return store().get_or_make(key, lambda: select(collection, selection, teams))


def reduced(collection: Collection, method: str, kept: float, seed: int) -> Collection:
    """A collection with a share of its judgments, in per cent."""

    def make() -> Collection:
        grade = draw(collection, method, [kept], 1, seed)[0]
        return replace(collection, grade=grade.astype(collection.grade.dtype), panel=None)

    return store().get_or_make(("reduced", collection.fingerprint, method, kept, seed), make)


def with_judges(collection: Collection, first: str, others: Mapping[str, OtherJudge]) -> Collection:
    """A collection with other judges beside the `first`."""

    def make() -> Collection:
        joined = collection
        for name, judge in others.items():
            joined = judge.beside(joined, name, first)
        return joined

    read = tuple((name, judge.qrels.sha256, judge.map, judge.relevant) for name, judge in others.items())
    return store().get_or_make(("with_judges", collection.fingerprint, first, read), make)


def judged_by(collection: Collection, name: str) -> Collection:
    """A collection by the grades of one of its judges."""
    return store().get_or_make(("judged_by", collection.fingerprint, name), lambda: collection.judged_by(name))


def scores(collection: Collection, measures: tuple[str, ...]) -> Scores:
    """Scores on the full judgments."""
    return store().get_or_make(("scores", collection.fingerprint, measures), lambda: evaluate(collection, measures))


def result_of(key: Any) -> Any:
    """The result under the key of an experiment, if a visitor has had it; else None."""
    return store().find(_of_result(key))


def keep_result(key: Any, looks: Iterable[T]) -> Iterator[T]:
    """Pass on the results as they come, and keep the last."""
    for result in looks:
        yield result
    store().setdefault(_of_result(key), result)


def _of_result(key: Any) -> Hashable:
    """The key in the cache of an experiment's key. In both the data come second, as `release` expects."""
    return "_result", key[1], key


def size_of(value: Any) -> int:
    """Bytes of the arrays in a value, also within records, dictionaries and tuples."""
    if isinstance(value, dict):
        value = tuple(value.values())  # at once: an experiment may be adding to it
    if isinstance(value, tuple):
        return sum(size_of(part) for part in value if not isinstance(part, str))  # names of runs and topics are many
    return size_of(vars(value)) if is_dataclass(value) else getattr(value, "nbytes", 0)
