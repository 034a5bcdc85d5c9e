"""The one cache, shared by all visitors and bounded by bytes, and what pages compute
from a collection and keep in it.

Streamlit hashes only a sample of large arrays, so no array or frame is ever a key: the
collection's fingerprint is.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass, replace
from functools import cache
from itertools import filterfalse
from threading import Lock, RLock
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from irmeval.collection import Collection
from irmeval.reductions import draw
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import Selected, Selection, select
from irmeval.ui.state import quotas
from irmeval.workspace.stored import OtherJudge

T = TypeVar("T")

AGE = 1800
"""Seconds that a value is kept after its last use."""


class Use(NamedTuple):
    """Last use of a value."""

    when: float
    """seconds"""
    size: int
    """bytes of the value"""


class Cache(OrderedDict[Hashable, Any]):
    """Values in the order of last use; arrays in returned values are read-only.

    A key is a tuple that names all its value depends on: first what it is, then the
    fingerprint of the data, then frozen parameters. A value is measured when it is
    added, and again when the next one is. A dict is the part of an experiment, which adds
    to it: it is measured again when it or the next value is used, if it holds other parts
    by then. So nothing is measured on a press that changes nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._uses: dict[Hashable, Use] = {}
        self._parts: dict[Hashable, int] = {}
        self._making: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
        self._last: Hashable = None
        self._base: Hashable = None

    def setdefault(self, key: Hashable, default: Any = None) -> Any:
        """Store a value under a key. Drops values older than `AGE`, and the least
        recently used ones beyond the quota.
        """
        with self._lock:
            new = key not in self
            value = super().setdefault(key, default)
            self.move_to_end(key)
            grown = self._measure(
                {used for used in {self._last, key} & self.keys() if new or self._has_grown(used)}
            )
            self._last, self._uses[key] = key, self._uses[key]._replace(when=time.monotonic())
            if new or grown:
                self._shrink({key, self._base})
            return value

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value under a key, by default None if there is none."""
        with self._lock:
            if key in self:
                return self.setdefault(key)
            return default

    def get_or_make(self, key: Hashable, make: Callable[[], T], *, base: bool = False) -> T:
        """Get the value under a key. If it is missing, `make` is called once for all
        concurrent callers.

        `base`: others are made of this value, so that the last such one stays, however
        much it holds.
        """
        with self._lock:
            # a lock for each value: one that takes long to make keeps nobody from others
            making = self._making.setdefault(key, Lock())
            if base:
                self._base = key
        with making:
            found = self.get(key, self)  # itself is no value: None may be one
            if found is self:
                return self.setdefault(key, make())
            return found

    def expire(self) -> None:
        """Drop the values older than `AGE`."""
        with self._lock:
            self._measure({*self})
            self._shrink(set())

    def release(self, fingerprints: set[str]) -> None:
        """Drop all values computed on data with these fingerprints."""
        with self._lock:
            for key in [key for key in self if isinstance(key, tuple) and key[1] in fingerprints]:
                self._drop(key)

    def _drop(self, key: Hashable) -> None:
        del self[key], self._uses[key]
        self._parts.pop(key, None)

    def _has_grown(self, key: Hashable) -> bool:
        """Whether a dict holds other parts than when it was measured."""
        return isinstance(self[key], dict) and self._parts.get(key) != _parts_of(self[key])

    def _measure(self, keys: set[Hashable]) -> bool:
        """Measure the values under these keys; return whether any has another size than
        before.
        """
        changed, now = False, time.monotonic()
        for key in keys:
            value, before = self[key], self._uses.get(key, Use(now, 0))
            if isinstance(value, dict):
                self._parts[key] = _parts_of(value)
            self._uses[key] = before._replace(size=size_of(value))
            changed |= self._uses[key] != before
        return changed

    def _shrink(self, spared: set[Hashable]) -> None:
        """Drop the least recently used values until none is too old and the rest fits
        the quota; spared ones stay.
        """
        now, most = time.monotonic(), quotas.limit(quotas.CACHE)
        held = sum(self._uses[key].size for key in self)
        for key in [*filterfalse(spared.__contains__, self)]:
            when, size = self._uses[key]
            is_old = now - when > AGE
            if held <= most and not is_old:
                break
            held -= size
            self._drop(key)


store = cache(Cache)
"""The cache."""


def size_of(value: Any) -> int:
    """Bytes of the arrays, tables and bytes in a value, also within records,
    dictionaries and tuples. Makes the arrays read-only.
    """
    return sum(map(_size, _leaves(value)))


def _parts_of(part: dict[Any, Any]) -> int:
    """Hash of which values a dict holds, not of what they are."""
    values = tuple(part.values())  # at once: an experiment may be adding to it
    return hash(tuple(map(id, values)))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = tuple(value.values())  # at once: an experiment may be adding to it
    if isinstance(value, tuple | list):
        for part in value:
            if not isinstance(part, str):  # names of runs and topics are many
                yield from _leaves(part)
    elif is_dataclass(value):
        yield from _leaves(vars(value))
    else:
        yield value


def _size(leaf: Any) -> int:
    # a result is shared by all who ask for it: none of them may change it
    if isinstance(leaf, np.ndarray):
        leaf.flags.writeable = False
    if isinstance(leaf, bytes):
        return len(leaf)
    size = getattr(leaf, "nbytes", None)  # of a scheduler's client a method
    if isinstance(size, int):
        return size
    if hasattr(leaf, "memory_usage"):
        return int(leaf.memory_usage().sum())
    return 0


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
    """A collection with other judges besides the `first`."""

    def make() -> Collection:
        joined = collection
        for name, judge in others.items():
            joined = judge.beside(joined, name, first)
        return joined

    read = tuple(
        (name, judge.qrels.sha256, judge.map, judge.relevant) for name, judge in others.items()
    )
    return store().get_or_make(("with_judges", collection.fingerprint, first, read), make)


def judged_by(collection: Collection, name: str) -> Collection:
    """A collection by the grades of one of its judges."""
    return store().get_or_make(
        ("judged_by", collection.fingerprint, name), lambda: collection.judged_by(name)
    )


def scores(collection: Collection, measures: tuple[str, ...]) -> Scores:
    """Scores on the full judgments."""
    return store().get_or_make(
        ("scores", collection.fingerprint, measures), lambda: evaluate(collection, measures)
    )


def result_of(key: Any) -> Any:
    """Result under the key of an experiment, if this visitor has had it; else None."""
    return store().get(_of_result(key))


def keep_result(key: Any, looks: Iterable[T]) -> Iterator[T]:
    """Yield the results, and store the last."""
    for result in looks:
        yield result
    store().setdefault(_of_result(key), result)


def _of_result(key: Any) -> Hashable:
    """Cache key of an experiment's key. In both the data are second, as `release`
    expects.
    """
    return "_result", key[1], key
