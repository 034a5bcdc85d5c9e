"""Division of work on many pairs of systems into blocks that fit the processor's cache
and the allowed memory, on all processors.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from irmeval.core import limits, parallel
from irmeval.core.parallel import single_threaded_algebra

S = TypeVar("S")
T = TypeVar("T")
BLOCK = 512
"""Pairs, or trials, per block: few enough for their samples to stay in a processor's
cache. Results do not depend on it.
"""
CELLS = 2**21
"""Maximum number of pairs times samples, or topics, per block: a fraction of a second
of work.
"""
ROWWISE = 2**18
"""Pairs times topics per block if each needs a dozen numbers."""
ROOM = 2**23
"""Maximum number of samples times topics in memory. Results do not depend on it."""
EIGHT = 8
"""Rows per block are a multiple of this number; otherwise the last bits of a product
could depend on the division.
"""
CELL_BYTES = 64
"""Bytes per cell, intermediate results included."""


def fit(most: int, bytes_each: float = CELL_BYTES) -> int:
    """Maximum number of cells, each of so many bytes, that a worker may use at once:
    `most`, or fewer if memory is short.

    All workers together may hold half of what one computation may take
    (`irmeval.core.limits.memory_limit`); the other half is for scores and results.
    """
    allowed = limits.memory_limit() / 2 / parallel.count_processors()
    return max(1, min(most, int(allowed / bytes_each)))


def pairs_at_once(samples: int, topics: int = 0) -> int:
    """Number of pairs per block; a multiple of `EIGHT`."""
    return min(BLOCK, rows_multiple_of_8(max(samples, topics), CELLS))


def rows_multiple_of_8(length: int, cells: int = CELLS) -> int:
    """Number of rows of this length in so many cells, and within memory (`fit`); a
    multiple of `EIGHT`, at least `EIGHT`.
    """
    return max(fit(cells) // max(length, 1) // EIGHT, 1) * EIGHT


def pair_slices(count: int, samples: int, topics: int = 0) -> list[slice]:
    """Slices of a number of pairs, each as long as `pairs_at_once` allows."""
    return slices(count, pairs_at_once(samples, topics))


def slices(count: int, step: int) -> list[slice]:
    """Slices of `count` items, at most `step` in each."""
    return [slice(k, min(k + step, count)) for k in range(0, count, step)]


def blocks(count: int, samples: int) -> Iterator[slice]:
    """Yield the same slices one by one; calls `check_cancelled` before each."""
    for piece in pair_slices(count, samples):
        parallel.check_cancelled()
        yield piece


def map_blocks(work: Callable[[Iterator[T]], S], blocks: Sequence[T]) -> list[S]:
    """Work on blocks on all cores. Each worker gets several, so that it can reuse one
    allocated array.
    """

    def looked(some: Sequence[T]) -> Iterator[T]:
        for each in some:
            parallel.check_cancelled()
            yield each

    n = min(parallel.count_processors(), len(blocks))
    return parallel.map_threads(lambda some: work(looked(some)), [blocks[i::n] for i in range(n)])


def scratch(arrays: int, count: int, samples: int, topics: int = 0) -> np.ndarray:
    """An array [arrays, block, samples] that every block reuses, since allocation costs
    more than the products that fill it.
    """
    return np.empty((arrays, min(pairs_at_once(samples, topics), count), samples))


def count_true(flags: np.ndarray) -> np.ndarray:
    """Number of true values in each row [rows], twice as fast as NumPy's count along an
    axis.
    """
    return np.bitwise_count(np.packbits(flags, axis=1)).sum(axis=1, dtype=np.int64)


def product(x: np.ndarray, y: np.ndarray, *, out: np.ndarray) -> np.ndarray:
    """x [m, n] @ y [n, k], written to out [m, k]."""
    with single_threaded_algebra():
        return np.matmul(x, y, out=out)
