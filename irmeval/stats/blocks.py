"""How work on many pairs of systems is divided: into blocks that fit a processor's cache, on all processors."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np

from irmeval.core import parallel
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
"""Samples times topics held at once, at most. No number depends on it, but for the last bits of sums."""


def pairs_at_once(samples: int, topics: int = 0) -> int:
    """How many pairs are worked on at once; a multiple of eight where the topics limit it (`by_eights`)."""
    return max(1, min(BLOCK, CELLS // samples, by_eights(topics)))


def by_eights(topics: int, cells: int = CELLS) -> int:
    """How many rows of so many topics fit into `cells`, a multiple of eight: with another number, the last bits of a product could depend
    on how the rows are divided."""
    most = cells // max(topics, 1)
    return max(1, most - most % 8 if most > 8 else most)


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
