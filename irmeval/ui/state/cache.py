"""The one cache: collections, selections, scores, parts of experiments and results, shared by all visitors and bounded by bytes."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import is_dataclass
from functools import cache
from threading import Lock, RLock
from typing import Any, NamedTuple, TypeVar
from weakref import WeakValueDictionary

import numpy as np

from irmeval.ui.state import quotas

T = TypeVar("T")

AGE = 1800
"""Seconds that a value is kept after its last use."""


class Use(NamedTuple):
    """The last use of a value."""

    when: float
    """seconds"""
    size: int
    """bytes of the value"""


class Cache(OrderedDict[Hashable, Any]):
    """Values in the order of last use; arrays in what a later call finds are read-only.

    A key is a tuple that names all its value depends on: first what it is, then the fingerprint of the data, then frozen parameters. A dict
    as a value is the part of an experiment, which adds to it: it is measured again when it is used, and when the next value is. Any
    other value is measured when it comes, and once more when the next one does.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._uses: dict[Hashable, Use] = {}
        self._making: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
        self._last: Hashable = None
        self._base: Hashable = None

    def setdefault(self, key: Hashable, default: Any = None) -> Any:
        """The value under a key. Drops values older than `AGE`, and the least recently used ones beyond the quota."""
        with self._lock:
            new = key not in self
            value = super().setdefault(key, default)
            self.move_to_end(key)
            self._measure({used for used in {self._last, key} & self.keys() if new or isinstance(self[used], dict)})
            self._last, self._uses[key] = key, self._uses[key]._replace(when=time.monotonic())
            self._shrink({key, self._base})
            return value

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value under a key, by default None if there is none."""
        with self._lock:
            return self.setdefault(key) if key in self else default

    def get_or_make(self, key: Hashable, make: Callable[[], T], *, base: bool = False) -> T:
        """The value under a key. If it is missing, `make` is called once for all who ask meanwhile.

        `base`: others are made of this value, so that the last such one stays, however much it holds.
        """
        with self._lock:
            making = self._making.setdefault(key, Lock())
            self._base = key if base else self._base
        with making:
            return found if (found := self.get(key, self)) is not self else self.setdefault(key, make())

    def expire(self) -> None:
        """Drop the values older than `AGE`."""
        with self._lock:
            self._measure({*self})
            self._shrink(set())

    def release(self, fingerprints: set[str]) -> None:
        """Drop all values that were computed on data with these fingerprints."""
        with self._lock:
            for key in [key for key in self if isinstance(key, tuple) and key[1] in fingerprints]:
                del self[key], self._uses[key]

    def _measure(self, keys: set[Hashable]) -> None:
        for key in keys:
            self._uses[key] = Use(self._uses[key].when if key in self._uses else time.monotonic(), size_of(self[key]))

    def _shrink(self, spared: set[Hashable]) -> None:
        """Drop the least recently used values until none is too old and the rest fits the quota; the spared ones stay."""
        now, most, held = time.monotonic(), quotas.limit(quotas.CACHE), sum(self._uses[key].size for key in self)
        for key in [key for key in self if key not in spared]:
            when, size = self._uses[key]
            if held <= most and now - when <= AGE:
                break
            held -= size
            del self[key], self._uses[key]


store = cache(Cache)
"""Returns the cache."""


def size_of(value: Any) -> int:
    """Bytes of the arrays, tables and bytes in a value, also within records, dictionaries and tuples. Makes the arrays read-only."""
    return sum(map(_size, _leaves(value)))


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
    if isinstance(leaf, np.ndarray):
        leaf.flags.writeable = False
    if isinstance(leaf, bytes):
        return len(leaf)
    return leaf.nbytes if hasattr(leaf, "nbytes") else int(leaf.memory_usage().sum()) if hasattr(leaf, "memory_usage") else 0
