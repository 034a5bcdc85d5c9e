"""Paired bootstrap over topics (Sakai 2006), for all pairs of systems at once.

With z the differences of a pair and w = z - mean(z), a resample is a vector c, the
number of times that each topic was drawn. Its t* grows with the cosine of the angle
between the drawn w and a constant vector, sum(c w) / sqrt(n sum(c w w)), just as t
grows with sum(z) / sqrt(n sum(z z)). So cosines are compared instead of t: two matrix
products serve all pairs and resamples, and no large sums are subtracted from each
other.
"""

from collections.abc import Iterator
from math import inf

import numpy as np

from irmeval.core import parallel
from irmeval.stats.blocks import (
    CELLS,
    ROOM,
    ROWWISE,
    count_true,
    fit,
    map_blocks,
    pair_slices,
    product,
    rows_multiple_of_8,
    scratch,
    slices,
)
from irmeval.stats.pairs import (
    Differences,
    Rows,
    by_rows,
    centred,
    check_count,
    check_scores,
    check_share,
)

ROUNDING = 1e-10
"""Tolerance within which cosines, or sums as a share of the sum of sizes, are equal."""
FEW = 32
"""Maximum number of doubtful resamples per pair that are decided one by one; for more,
computing all of them again is faster.
"""
SINGLE = 2**13
"""Maximum number of topics for single precision."""
PART = 256
"""Resamples between two looks whether a pair is decided: few enough for a processor's
cache.
"""
TINY = np.finfo(float).tiny
"""Added to sums of squares to avoid division by 0."""


def resamples(rng: "np.random.Generator", samples: int, topics: int) -> np.ndarray:
    """How often each topic was drawn [samples, topics]: each row is one draw of that
    many topics with replacement.
    """
    counts = np.empty((check_count("samples", samples), topics))
    for at in slices(samples, max(1, fit(CELLS) // topics)):
        n = at.stop - at.start
        drawn = rng.integers(topics, size=(n, topics))
        # one bincount for all draws of a batch, each in a range of numbers of its own
        drawn += topics * np.arange(n)[:, None]
        counts[at] = np.bincount(drawn.ravel(), minlength=n * topics).reshape(n, topics)
    return counts


def resample_batches(
    rng: "np.random.Generator", samples: int, topics: int
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield `resamples` in batches that fit into memory, most often one: the slice of
    each batch, and its counts [some, topics].
    """
    for at in slices(check_count("samples", samples), rows_multiple_of_8(topics, ROOM)):
        parallel.check_cancelled()
        yield at, resamples(rng, at.stop - at.start, topics)


class Resamples:
    """Resamples of a seed for repeated iteration: kept if memory allows, else drawn
    again each time.
    """

    def __init__(self, seed: int, samples: int, topics: int):
        self.seed, self.samples, self.topics = seed, samples, topics
        self.kept = (
            list(self._drawn()) if check_count("samples", samples) * topics <= fit(ROOM) else None
        )

    def __iter__(self) -> Iterator[tuple[slice, np.ndarray]]:
        return iter(self.kept) if self.kept else self._drawn()

    def _drawn(self) -> Iterator[tuple[slice, np.ndarray]]:
        return resample_batches(np.random.default_rng(self.seed), self.samples, self.topics)


class Draws(Resamples):
    """The resamples with topics first [topics, some], for sums over topics."""

    def _drawn(self) -> Iterator[tuple[slice, np.ndarray]]:
        for at, counts in super()._drawn():
            yield at, np.ascontiguousarray(counts.T)

    def pieces(self, count: int) -> list[slice]:
        """Slices of `count` items, long ones where the resamples are drawn again for
        each.
        """
        return (
            pair_slices(count, self.samples, self.topics)
            if self.kept
            else slices(count, rows_multiple_of_8(max(self.samples, self.topics), ROOM))
        )

    def room(self, arrays: int, count: int) -> np.ndarray:
        """An array [arrays, piece, samples] that every piece reuses."""
        return np.empty(
            (
                arrays,
                max((at.stop - at.start for at in self.pieces(count)), default=0),
                self.samples,
            )
        )

    def sums(self, *to_add: tuple[np.ndarray, np.ndarray]) -> None:
        """Write the sums of each x [rows, topics] over all resamples to the array
        [rows, samples] beside it.
        """
        for at, drawn in self:
            for x, out in to_add:
                product(x, drawn, out=out[:, at])


def bounds(z: Rows) -> np.ndarray:
    """Threshold that a resample of a pair must reach to be a hit [pairs]: n times the
    squared cosine of z, less a rounding error.
    """
    n = z.shape[1]

    def of_rows(z: np.ndarray) -> np.ndarray:
        length = np.sqrt(n * np.einsum("ij,ij->i", z, z))
        cosine = np.abs(z.sum(axis=1)) / np.where(length == 0, 1, length)
        return n * np.maximum(cosine - ROUNDING, 0) ** 2

    return by_rows(of_rows, z, quick=True)


def hits(z: Differences, counts: np.ndarray, bound: np.ndarray, enough: float = inf) -> np.ndarray:
    """Number of resamples that reach the threshold of each pair [pairs]; of a pair with
    `enough` of them, perhaps not all. If all drawn w are equal, t* is infinite, a hit;
    if all are 0, t* is 0. So a constant nonzero z, whose t is infinite, has no hit, and
    a z of zeros has only hits.
    """
    # on so many topics sums in single precision leave most resamples in doubt
    if z.shape[1] > SINGLE:
        return _hits_in_double(z, np.arange(len(z)), counts, bound)
    found, near = _hits_in_single(z, counts, bound, enough)
    # the doubtful pairs alone: usually none, or a few
    if near.any():
        found[near] = _hits_in_double(z, np.flatnonzero(near), counts, bound[near])
    return found


def _hits_in_double(
    z: Rows, which: np.ndarray, counts: np.ndarray, bound: np.ndarray
) -> np.ndarray:
    """Number of resamples of some pairs with sum(c w)^2 >= bound sum(c w w) [some
    pairs].
    """
    found = np.empty(len(which), np.int64)
    samples, n = counts.shape
    drawn = np.ascontiguousarray(counts.T)

    def work(blocks: Iterator[slice]) -> None:
        room = scratch(2, len(which), samples, n)
        for at in blocks:
            w = centred(z[which[at]])
            s, q = room[:, : len(w)]
            product(w, drawn, out=s)
            product(np.square(w, out=w), drawn, out=q)
            q += TINY
            s *= s
            q *= bound[at, None]
            found[at] = count_true(s >= q)

    map_blocks(work, pair_slices(len(which), samples, n))
    return found


def _scaled(scores: np.ndarray) -> tuple[np.ndarray, float]:
    """Scores as numbers of at most 1 in absolute value, and what they were divided by.
    They are less a shift per topic and one per system, which change no difference from
    a mean.
    """
    x = centred(scores)
    x -= x.mean(axis=0)
    scale = np.abs(x).max() or 1.0
    x /= scale
    return x, scale


def _hits_in_single(
    z: Differences, counts: np.ndarray, bound: np.ndarray, enough: float
) -> tuple[np.ndarray, np.ndarray]:
    """Count hits in single precision, in half the time; the pairs, bool [pairs], with
    resamples too near the threshold remain open.

    The sum(c w) of a pair is a difference of two systems' sums. Where few resamples are
    near the bound, each of them is decided in double precision.
    """
    samples, n = counts.shape
    x, scale = _scaled(z.scores)
    drawn = np.vstack([counts.T, np.ones(samples)])
    sums = product(x, drawn[:n], out=np.empty((len(x), samples)))
    largest, x = np.abs(sums).max(axis=1), x.astype(np.float32)
    parts = [
        (at.start, *(np.ascontiguousarray(of[:, at], np.float32) for of in (sums, drawn)))
        for at in slices(samples, PART)
    ]
    single = float(np.finfo(np.float32).eps)
    off = n * (2 * single + 3 * z.noise.max() / scale)  # the largest error of a sum
    found, near = np.empty(len(z), np.int64), np.empty(len(z), bool)
    some = slices(len(z), rows_multiple_of_8(max(n, PART), ROWWISE))

    def work(blocks: Iterator[slice]) -> None:
        room = np.empty((2, some[0].stop * PART), np.float32)
        for at in blocks:
            pair, a, b = np.arange(at.start, at.stop), z.first[at], z.second[at]
            most = largest[a] + largest[b]
            error = most * ((n + 14) * single / 2 * most + 3 * off) + 1e-30
            limit = (2.001 * error).astype(np.float32)
            weight = np.empty((len(pair), n + 1), np.float32)
            weight[:, :n] = np.square(x[a] - x[b]) * bound[at, None].astype(np.float32)
            weight[:, n] = limit / 2
            doubtful, unsure, found[at] = [], np.zeros(len(pair), np.int64), 0
            for begun, sum_of, draw in parts:
                q, s = room[:, : len(pair) * draw.shape[1]].reshape(2, len(pair), draw.shape[1])
                sum_of.take(a, axis=0, out=s, mode="clip")
                s -= sum_of.take(b, axis=0, out=q, mode="clip")
                s *= s
                product(weight, draw, out=q)
                q -= s  # below 0 for a hit, up to the limit for what may be one
                found[pair] += count_true(q < 0)
                row, sample = _find_small(q, limit)
                doubtful.append((pair[row], begun + sample))
                unsure += np.bincount(pair[row] - at.start, minlength=len(unsure))
                kept = np.flatnonzero((found[pair] < enough) & (unsure[pair - at.start] <= FEW))
                if len(kept) < len(pair):
                    pair, a, b, weight, limit = (of[kept] for of in (pair, a, b, weight, limit))
                if not len(kept):
                    break
            # with enough sure hits, the doubtful ones decide nothing
            near[at] = (unsure > FEW) & (found[at] < enough)
            row, sample = (np.concatenate(of) for of in zip(*doubtful, strict=True))
            few = unsure[row - at.start] <= FEW
            _add_hits(found, z, counts, bound, row[few], sample[few])

    map_blocks(work, some)
    return found, near


def _find_small(q: np.ndarray, limit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row and column of the values from 0 to the limit of their row, float32 [rows, n]
    and [rows].
    """
    # as whole numbers, positive values keep their order, and negative ones are larger
    row, column = np.divmod(
        np.flatnonzero(q.view(np.uint32) <= limit.max().view(np.uint32)), q.shape[1]
    )
    small = q[row, column] <= limit[row]
    return row[small], column[small]


def _add_hits(
    found: np.ndarray,
    z: Differences,
    counts: np.ndarray,
    bound: np.ndarray,
    pair: np.ndarray,
    sample: np.ndarray,
) -> None:
    """Decide resamples of pairs one by one, and add the hits to the number found."""
    for at in slices(len(pair), max(1, fit(CELLS) // counts.shape[1])):
        # pairs and resamples are scattered: no product of matrices has just these
        c, w = counts[sample[at]], centred(z[pair[at]])
        s, q = np.einsum("ij,ij->i", c, w), np.einsum("ij,ij->i", c, w * w) + TINY
        np.add.at(found, pair[at], s * s >= bound[pair[at]] * q)


def t_of_cosine(square: np.ndarray, topics: np.ndarray | int) -> np.ndarray:
    """abs(t) of differences z [pairs, topics], from the squared cosine of the angle
    between each and a constant [pairs].
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(square * (np.asarray(topics) - 1) / (1 - np.minimum(square, 1)))


def critical_resamples(
    z: Rows, kth: int, *, samples: int = 1000, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Resample of each pair with the kth largest |t*|: its squared cosine, from 0 to 1,
    and its |mean(w*)|, the largest of equals, each [pairs].
    """
    n = z.shape[1]
    draws = Draws(seed, samples, n)
    square, mean = np.empty(len(z)), np.empty(len(z))

    def work(blocks: Iterator[slice]) -> None:
        room = draws.room(2, len(z))
        for at in blocks:
            w = centred(z[at])
            s, q = room[:, : len(w)]
            draws.sums((w, s), (w * w, q))
            q += TINY
            np.divide(s * s, n * q, out=q)
            square[at] = bound = np.partition(q, samples - kth, axis=1)[:, samples - kth]
            mean[at] = (
                np.where(np.abs(q - bound[:, None]) <= ROUNDING, np.abs(s), 0).max(axis=1) / n
            )

    map_blocks(work, draws.pieces(len(z)))
    return square, mean


def required_difference(
    scores: np.ndarray, *, alpha: float = 0.05, samples: int = 1000, seed: int = 1
) -> np.ndarray:
    """Estimated difference in mean scores required for significance at level alpha, one
    value per score matrix.

    For each pair, it takes \\|mean(w*)\\| of the resample whose \\|t*\\| is the
    (samples alpha)-th largest, or the largest such value of several; then the maximum
    over pairs (Sakai 2006, S07a Table 3). So one unusual pair decides it. Scores [...,
    systems, topics]; the same seed draws the resamples of the bootstrap test.
    """
    scores = check_scores(scores)
    kth, lead = (
        max(1, int(check_count("samples", samples) * check_share("alpha", alpha) + 1e-9)),
        scores.shape[:-2],
    )
    found = [
        critical_resamples(Differences(scores[m]), kth, samples=samples, seed=seed)[1].max()
        for m in np.ndindex(*lead)
    ]
    return np.reshape(found, lead)
