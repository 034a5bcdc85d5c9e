"""Means over topics that are independent of the order of topics, and ties between
means.
"""

import math

import numpy as np

from irmeval.stats.blocks import slices

TIE = 1e-10
"""Relative tolerance: neighbouring values this close tie, since a sum of rounded scores
is no more exact.
"""
CELLS = 2**15
"""Values summed per block: few enough for a processor's cache."""
LARGE = 2.0**900
"""Values from this size on are summed one by one."""


def exact_sum(values: np.ndarray) -> np.ndarray:
    """Exactly rounded sums along the last axis [...], as by `math.fsum`, in whatever
    order the values are.

    Values are cut into parts that are multiples of a power of two, coarse enough for
    every sum of a part to be exact (Rump, Ogita & Oishi 2008, Algorithm 3.2). Two parts
    hold all digits of most scores, and one addition rounds their sums.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])).tolist(), 0.1 + 0.2 + 0.3
    ([0.6, 0.6], 0.6000000000000001)
    """
    rows = values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
    sums = np.empty(len(rows))
    for at in slices(len(rows), max(1, CELLS // max(values.shape[-1], 1))):
        sums[at] = _exact_sum(rows[at])
    return sums.reshape(values.shape[:-1])


def _exact_sum(rows: np.ndarray) -> np.ndarray:
    largest = float(max(rows.max(initial=0), -rows.min(initial=0)))
    if not largest < LARGE:
        return np.array([_sum_of_large(row) for row in rows.tolist()])
    spare = (rows.shape[-1] + 2).bit_length()
    grid, rest, part = (
        math.ldexp(1.0, math.frexp(largest)[1] + spare),
        rows.copy(),
        np.empty_like(rows),
    )
    sums: list[np.ndarray] = []
    while not sums or np.count_nonzero(rest):
        np.add(rest, grid, out=part)
        part -= grid
        rest -= part
        sums.append(part.sum(axis=-1))
        grid = math.ldexp(grid, spare - 53)
    if len(sums) < 3:
        return np.asarray(sum(sums))
    return np.array(
        [math.fsum(parts) for parts in zip(*(part.tolist() for part in sums), strict=True)]
    )


def _sum_of_large(row: list[float]) -> float:
    try:
        return math.fsum(row)
    except (OverflowError, ValueError):  # a sum beyond all floats, or of both infinities
        return sum(row)


def mean_of_known(values: np.ndarray) -> np.ndarray:
    """Mean along the last axis, NaN left out, of an exact sum; NaN if nothing is
    left.
    """
    scored = ~np.isnan(values)
    n = np.count_nonzero(scored, axis=-1)
    return np.where(n > 0, exact_sum(np.where(scored, values, 0)) / np.maximum(n, 1), np.nan)


def tied(values: np.ndarray, noise: float = 0.0) -> np.ndarray:
    """Values in which those of a tie along the last axis are made equal, to the lowest
    of them. All orders of runs are based on these.

    Sorted values whose neighbours differ by a share of at most `TIE`, or by at most
    `noise`, form one tie, in whatever order they are given. NaN ties with nothing.

    Examples
    --------
    >>> import numpy as np
    >>> tied(np.array([0.1 + 0.2, 0.5, 0.3])).tolist()
    [0.3, 0.5, 0.3]
    """
    values = np.asarray(values, np.float64)
    order, rising, apart = _sorted(values, noise)
    first = np.zeros(values.shape, np.intp)
    np.multiply(apart, np.arange(1, values.shape[-1]), out=first[..., 1:])
    found = np.empty_like(rising)
    np.put_along_axis(
        found,
        order,
        np.take_along_axis(rising, np.maximum.accumulate(first, axis=-1), axis=-1),
        axis=-1,
    )
    return found


def dense_ranks(values: np.ndarray, noise: float = 0.0) -> np.ndarray:
    """Ranks from 0 along the last axis, lowest first, equal for ties (`tied`); of the
    smallest type that fits.
    """
    order, _, apart = _sorted(values, noise)
    level = np.zeros(values.shape, np.min_scalar_type(values.shape[-1]))
    np.cumsum(apart, axis=-1, dtype=level.dtype, out=level[..., 1:])
    found = np.empty_like(level)
    np.put_along_axis(found, order, level, axis=-1)
    return found


def _sorted(values: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ascending order of values along the last axis, the sorted values, and whether
    each differs from the one before [..., n - 1].
    """
    order = np.argsort(values, axis=-1)
    rising = np.take_along_axis(values, order, axis=-1)
    below, above = rising[..., :-1], rising[..., 1:]
    larger = np.maximum(above, -below)  # in size
    return (
        order,
        rising,
        ~(above <= below + np.maximum(np.where(larger < np.inf, TIE * larger, 0), noise)),
    )


def best_first(values: np.ndarray) -> np.ndarray:
    """Indices along the last axis from the highest value to the lowest; ties keep their
    order; NaN last.
    """
    return np.argsort(-tied(values), axis=-1, kind="stable")


def rank_scores(scores: np.ndarray) -> np.ndarray:
    """Rank of each system by its score, int [..., systems], 1 is the best; ties share
    the best of their ranks.
    """
    scores = tied(scores)
    return 1 + (scores[..., None, :] > scores[..., :, None]).sum(axis=-1)
