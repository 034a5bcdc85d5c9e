"""What one visitor's work saves the next: collections, scores and means, each under a key that says all it depends on.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the collection's fingerprint is.
"""

import inspect
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, is_dataclass, replace
from functools import cache, wraps
from pathlib import Path
from threading import Lock, RLock
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from irmeval.collection import Collection
from irmeval.collection.shards import read_shards
from irmeval.collection.watched import Snapshot, Watched
from irmeval.core.errors import ReadError
from irmeval.core.text import counted
from irmeval.reading import files
from irmeval.reading.faults import rename_files
from irmeval.reading.policy import Policy
from irmeval.reading.trec import AUTO
from irmeval.reductions import draw, level_of
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selected, Selection, select
from irmeval.ui.state import collection_cache, quotas
from irmeval.ui.state.streamlit_internals import join_page
from irmeval.workspace.stored import OtherJudge

P = ParamSpec("P")
T = TypeVar("T")

AGE = 1800
"""Seconds that something is kept after it was last asked for."""
LOOKED = "looked"
"""In a tab's state: what the server's files were like when the page was begun."""


class Cache(OrderedDict[Hashable, Any]):
    """A cache of what was used last; each key says all that its value depends on."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = RLock()
        self.used: dict[Hashable, float] = {}
        self.sizes: dict[Hashable, int] = {}
        """bytes when it, or the next, was last asked for: experiments add to what is here"""
        self.making: dict[Hashable, Lock] = {}

    def setdefault(self, key: Hashable, default: Any = None) -> Any:
        """The value under a key. Values go that nobody asked for in `AGE` seconds, and past the quota's bytes those that were not used for
        longest."""
        with self.lock:
            if (last := next(reversed(self), None)) and last != key:
                self.sizes[last] = size_of(self[last])
            value = super().setdefault(key, default)
            self.move_to_end(key)
            self.used[key], self.sizes[key] = time.monotonic(), size_of(value)
            self._shrink(1)
            return value

    def find(self, key: Hashable) -> Any:
        """The value under a key, None where there is none."""
        with self.lock:
            return self.setdefault(key) if key in self else None

    def made(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under a key, which is made where it is missing, once for all who ask for it meanwhile."""
        with self.lock:
            making = self.making.setdefault(key, Lock())
        try:
            with making:
                with self.lock:
                    if key in self:
                        return self.setdefault(key)
                return self.setdefault(key, make())
        finally:
            with self.lock:
                self.making.pop(key, None)

    def expire(self) -> None:
        """Drop the values that nobody asked for in `AGE` seconds."""
        with self.lock:
            self.sizes = {key: size_of(value) for key, value in self.items()}
            self._shrink(0)

    def release(self, fingerprints: set[str]) -> None:
        """Drop all that was made of data with these fingerprints."""
        with self.lock:
            for key in [key for key in self if isinstance(key, tuple) and key[1] in fingerprints]:
                self._drop_value(key)

    def _drop_value(self, key: Hashable) -> None:
        del self[key], self.used[key], self.sizes[key]

    def _shrink(self, spared: int) -> None:
        """Drop values that are too old, and those that were not used for longest until the rest fits the quota; the last `spared` stay."""
        now, held = time.monotonic(), sum(self.sizes.values())
        while len(self) > spared:
            kept = next(iter(self))
            if held <= quotas.limit(quotas.CACHE) and now - self.used[kept] <= AGE:
                break
            held -= self.sizes[kept]
            self._drop_value(kept)


@cache
def store() -> Cache:
    """The cache of what was computed, for all visitors."""
    return Cache()


@cache
def server_collections() -> Cache:
    """The cache of collections from files that the server's owner named."""
    return Cache()


def cache_results(shelves: Callable[[], Cache]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function so that its results are cached under its arguments, but for those whose names begin with an underscore."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        names = [*inspect.signature(function).parameters]

        @wraps(function)
        def keeping(*given: P.args, **named: P.kwargs) -> T:
            arguments = dict(zip(names, given, strict=False)) | named
            key = (function.__name__, *(arguments[name] for name in names if not name.startswith("_")))

            return shelves().made(key, lambda: function(*given, **named))

        return keeping

    return decorate


def look_again() -> None:
    """Called before a page is drawn: while it is, the server's files are checked for changes once."""
    st.session_state[LOOKED] = {}


def _state(qrels: Path, runs: tuple[Path, ...]) -> tuple[tuple[int, int], ...]:
    looked = st.session_state.setdefault(LOOKED, {})
    if (qrels, runs) not in looked:
        looked[qrels, runs] = tuple(files.state(path) for path in (qrels, *files.paths(runs)))
    state: tuple[tuple[int, int], ...] = looked[qrels, runs]
    return state


def collection(qrels: Path, runs: tuple[Path, ...], policy: Policy, scheduler: str = "", qrels_format: str = AUTO) -> Collection:
    """A collection from files that the server's owner named, on the workers of a scheduler where there is one; raises the `ReadError` of
    those that cannot be used, by their names alone: a visitor need not know where this server keeps them."""
    try:
        state = _state(qrels, runs)
    except ReadError as error:  # an empty folder
        raise _without_folder(error) from None
    made = _read(qrels, runs, policy, state, scheduler, qrels_format)
    if isinstance(made, ReadError):
        raise rename_files(made, str)  # a copy: what is raised keeps hold of all that was at work
    return made


@cache
def watched(qrels: Path, runs: tuple[Path, ...], qrels_format: str = AUTO) -> Watched:
    """The watcher of files that the server's owner named; one for all visitors."""
    return Watched(qrels, runs, qrels_format=qrels_format)


def read_watched(qrels: Path, runs: tuple[Path, ...], qrels_format: str, policy: Policy) -> Snapshot:
    """What the watched files hold under a policy; faults name files without their folders. Raises `ReadError` where none can be used."""
    held = watched(qrels, runs, qrels_format)
    try:
        with nullcontext() if held.ready(policy) else _bar() as tell:
            found = held.seen(policy, tell)
    except ReadError as error:
        raise _without_folder(error) from None
    return found._replace(refused=tuple(map(_without_folder, found.refused)))


@cache_results(server_collections)
def _read(
    qrels: Path, runs: tuple[Path, ...], policy: Policy, state: tuple[tuple[int, int], ...], scheduler: str, qrels_format: str
) -> Collection | ReadError:
    """Errors are kept like collections: every page asks for them, and finding all faults takes longer than reading."""
    try:
        with _bar() as tell:
            if scheduler:
                return read_shards(qrels, runs, scheduler, qrels_format=qrels_format, progress=tell, **asdict(policy))
            return collection_cache.read(qrels, runs, policy, tell, qrels_format)
    except ReadError as error:
        return _without_folder(error)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    """A bar that shows how many files are read; any thread may report to it."""
    bar, on_this_page = st.progress(0.0, "Reading the collection ..."), join_page()

    def tell(done: int, total: int) -> None:
        on_this_page()
        bar.progress(done / total, f"Reading the collection: {done:,} of {counted(total, 'run file')}")

    try:
        yield tell
    finally:
        bar.empty()


def _without_folder(error: ReadError) -> ReadError:
    return rename_files(error, lambda name: Path(name).name)


@cache_results(store)
def selected(fingerprint: str, selection: Selection, teams: tuple[tuple[str, str], ...], _collection: Collection) -> Selected:
    """A collection, restricted to the runs and topics of a selection."""
    return select(_collection, selection, dict(teams))


@cache_results(store)
def under_policy(fingerprint: str, policy: Policy, _make: Callable[[], Collection]) -> Collection:
    """A collection under another policy."""
    return _make()


@cache_results(store)
def reduced(fingerprint: str, method: str, kept: float, seed: int, _collection: Collection) -> Collection:
    """A collection with a share of its judgments, in per cent."""
    grade = draw(_collection, method, [level_of(method, kept)], 1, seed)[0]
    return replace(_collection, grade=grade.astype(_collection.grade.dtype), panel=None)


@cache_results(store)
def with_judges(
    fingerprint: str, first: str, read: tuple[Hashable, ...], _collection: Collection, _others: Mapping[str, OtherJudge]
) -> Collection:
    """A collection with judges beside the `first`; `read` says their names, the digests of their files, and how their grades are read."""
    for name, judge in _others.items():
        _collection = judge.beside(_collection, name, first)
    return _collection


@cache_results(store)
def judged_by(fingerprint: str, name: str, _collection: Collection) -> Collection:
    """A collection by the grades of one of its judges."""
    return _collection.judged_by(name)


@cache_results(store)
def scores(fingerprint: str, measures: tuple[str, ...], _collection: Collection) -> Scores:
    """Scores on the full judgments."""
    return evaluate(_collection, measures)


def result_of(key: Any) -> Any:
    """The result of an experiment, whose key it is, if a visitor has had it; else None."""
    return store().find(_of_result(key))


def keep_result(key: Any, looks: Iterable[T]) -> Iterator[T]:
    """The results as they come, of which the last is kept."""
    for result in looks:
        yield result
    store().setdefault(_of_result(key), result)


def _of_result(key: Any) -> Hashable:
    """An experiment's key names it, then the data: which is told where others are looked for, so that its results go with the data."""
    return "_result", key[1], key


def size_of(value: Any) -> int:
    """Bytes of the arrays in a value, also within records, dictionaries and tuples."""
    if isinstance(value, dict):
        value = tuple(value.values())  # at once: an experiment may be adding to it
    if isinstance(value, tuple):
        return sum(size_of(part) for part in value if not isinstance(part, str))  # there are many: names of runs and topics
    return size_of(vars(value)) if is_dataclass(value) else getattr(value, "nbytes", 0)
