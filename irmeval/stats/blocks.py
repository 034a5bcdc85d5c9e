"""How work on many pairs of systems is divided: into blocks that fit a processor's cache and the allowed memory, on all processors."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from irmeval.core import limits, parallel
from irmeval.core.algebra import single_threaded_algebra

S = TypeVar("S")
T = TypeVar("T")
BLOCK = 512
"""Pairs, or trials, worked on at once: few enough for their samples to stay in a processor's cache. No number depends on it."""
CELLS = 2**21
"""Pairs times samples, or topics, worked on at once, at most: that many take a fraction of a second."""
ROWWISE = 2**18
"""Pairs times topics worked on at once where each needs a dozen numbers."""
ROOM = 2**23
"""Samples times topics held at once, at most. No number depends on it."""
EIGHT = 8
"""Rows are divided at multiples of it: otherwise the last bits of a product could depend on how they are divided."""
CELL_BYTES = 64
"""Bytes of a cell, with all that is computed of it meanwhile."""


def fit(most: int, bytes_each: float = CELL_BYTES) -> int:
    """How many cells, each of so many bytes, a worker may hold at once: `most`, or fewer where memory is short.

    All workers together may hold half of what one computation may take (`irmeval.core.limits.memory_limit`); the other half is for scores
    and results.
    """
    allowed = limits.memory_limit() / 2 / parallel.count_processors()
    return max(1, min(most, int(allowed / bytes_each)))


def pairs_at_once(samples: int, topics: int = 0) -> int:
    """How many pairs are worked on at once; a multiple of `EIGHT` where the topics limit it."""
    return max(1, min(BLOCK, fit(CELLS) // samples, rows_multiple_of_8(topics)))


def rows_multiple_of_8(length: int, cells: int = CELLS) -> int:
    """How many rows of this length fit into so many cells, and into memory (`fit`); a multiple of `EIGHT`, which is the least."""
    return max(fit(cells) // max(length, 1) // EIGHT, 1) * EIGHT


def pair_slices(count: int, samples: int, topics: int = 0) -> list[slice]:
    """Slices of a number of pairs, each as long as `pairs_at_once` allows."""
    return slices(count, pairs_at_once(samples, topics))


def slices(count: int, step: int) -> list[slice]:
    """Slices of `count` items, at most `step` in each."""
    return [slice(k, min(k + step, count)) for k in range(0, count, step)]


def blocks(count: int, samples: int) -> Iterator[slice]:
    """The same slices one by one; before each, `check_cancelled` is called."""
    for piece in pair_slices(count, samples):
        parallel.check_cancelled()
        yield piece


def map_blocks(work: Callable[[Iterator[T]], S], blocks: Sequence[T]) -> list[S]:
    """Work on blocks on all cores. Each worker is given several, so that it can use one allocated array for all of them."""

    def looked(some: Sequence[T]) -> Iterator[T]:
        for each in some:
            parallel.check_cancelled()
            yield each

    n = min(parallel.count_processors(), len(blocks))
    return parallel.map_threads(lambda some: work(looked(some)), [blocks[i::n] for i in range(n)])


def scratch(arrays: int, count: int, samples: int, topics: int = 0) -> np.ndarray:
    """An array [arrays, block, samples] that every block reuses, since fresh memory costs more than the products that fill it."""
    return np.empty((arrays, min(pairs_at_once(samples, topics), count), samples))


def count_true(flags: np.ndarray) -> np.ndarray:
    """Number of true values in each row [rows], in half the time that NumPy takes to count along an axis."""
    return np.bitwise_count(np.packbits(flags, axis=1)).sum(axis=1, dtype=np.int64)


def product(x: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> np.ndarray:
    """x @ y for two matrices, written to out."""
    with single_threaded_algebra():
        return np.matmul(x, y, out=out)
