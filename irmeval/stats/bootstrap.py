"""Paired bootstrap over topics (Sakai 2006), for all pairs of systems at once.

With z the differences of a pair and w = z - mean(z), a resample is a vector c that says how often each topic was drawn.
Its t* grows with the cosine of the angle between the drawn w and a constant vector, sum(c w) / sqrt(n sum(c w w)), just as
t does with sum(z) / sqrt(n sum(z z)). Comparing cosines instead of t needs two matrix products for all pairs and resamples,
and no difference of large sums.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from irmeval.errors import ParamError
from irmeval.stats.pairs import (
    CELLS,
    block,
    blocks,
    centred,
    check_scores,
    check_share,
    count_true,
    differences,
    pieces,
    product,
    scratch,
    share,
)

ROUNDING = 1e-10
"""Cosines, or sums as a share of the sum of sizes, that differ by less than this are equal."""
FEW = 32
"""Up to so many resamples of a pair are looked at anew one by one; for more, it is quicker to look at all."""


def check_samples(samples: int) -> int:
    """A number of resamples, at least 1, or `ParamError`."""
    if samples < 1:
        raise ParamError(f"samples: expected at least 1, came {samples!r}.")
    return samples


def resamples(rng: np.random.Generator, samples: int, topics: int) -> np.ndarray:
    """How often each topic was drawn [samples, topics]: each row is one draw of that many topics with replacement."""
    drawn = rng.integers(topics, size=(check_samples(samples), topics)) + topics * np.arange(samples)[:, None]
    return np.bincount(drawn.ravel(), minlength=samples * topics).reshape(samples, topics).astype(np.float64)


def asl(z: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Achieved significance level per pair: the share of resamples with \\|t*\\| >= \\|t\\|, from 0 to 1.

    z [pairs, topics], counts [samples, topics] from `resamples`. Where all drawn w are equal, t* is infinite, hence a hit,
    but 0 where they are all 0. A constant nonzero z has infinite t and only such t* = 0: its level is 0. That of z all 0 is 1.
    """
    n = z.shape[1]
    length = np.sqrt(n * np.einsum("ij,ij->i", z, z))
    cosine = np.abs(z.sum(axis=1)) / np.where(length == 0, 1, length)
    bound = n * np.maximum(cosine - ROUNDING, 0) ** 2
    hits, near = _hits_in_single(z, counts, bound)
    hits[near] = _hits_in_double(z[near], counts, bound[near])
    return hits / len(counts)


def _hits_in_double(z: np.ndarray, counts: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """How many resamples of each pair have sum(c w)^2 >= bound sum(c w w) [pairs]."""
    hits = np.empty(len(z), np.int64)
    drawn = np.ascontiguousarray(counts.T)

    def work(blocks: Iterator[slice]) -> None:
        room = scratch(2, len(z), len(counts))
        for at in blocks:
            s, q = _sums(z[at], drawn, room)
            s *= s
            q *= bound[at, None]
            hits[at] = count_true(s >= q)

    share(work, pieces(len(z), len(counts)))
    return hits


def _hits_in_single(z: np.ndarray, counts: np.ndarray, bound: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same in half the time, and which pairs are left, as many resamples are too near to equality for single precision to tell.

    z are the differences of all pairs of systems, so that sum(c w) is a difference of two systems' sums. Where few resamples are near
    to equality, each of them is looked at in double precision.
    """
    samples, n = counts.shape
    systems = round((1 + (1 + 8 * len(z)) ** 0.5) / 2)
    # the scores from the first pairs, but for a shift per topic and one per system, which no w sees
    x = centred(np.vstack([np.zeros(n), -z[: systems - 1]]))
    x -= x.mean(axis=0)
    scale = np.abs(x).max() or 1.0
    x /= scale
    sums = product(x, np.ascontiguousarray(counts.T), out=np.empty((systems, samples)))
    largest = np.abs(sums).max(axis=1)
    sums, drawn = sums.astype(np.float32), np.ascontiguousarray(counts.T, np.float32)
    single, double = (float(np.finfo(kind).eps) for kind in (np.float32, np.float64))
    hits, near = np.empty(len(z), np.int64), np.empty(len(z), bool)
    first, second = np.triu_indices(systems, 1)

    def work(blocks: Iterator[slice]) -> None:
        room = np.empty((2, min(block(samples), len(z)), samples), np.float32)
        flags = np.empty(room[0].shape, bool)
        doubtful: list[tuple[np.ndarray, np.ndarray]] = []
        for at in blocks:
            (over, q), flag = room[:, : at.stop - at.start], flags[: at.stop - at.start]
            a, b, w = first[at], second[at], centred(z[at]) / scale
            # the most that a sum, and then the difference, can be off where that is near 0
            off = n * (np.abs(w - (x[a] - x[b])).max(axis=1) + n * double)
            most = largest[a] + largest[b]
            doubt = (most * ((n + 12) * single * most + 3 * off) + 1e-30).astype(np.float32)[:, None]
            sums.take(a, axis=0, out=over, mode="clip")
            over -= sums.take(b, axis=0, out=q, mode="clip")
            over *= over
            over -= product((w * w * bound[at, None]).astype(np.float32), drawn, out=q)
            hits[at] = count_true(np.greater(over, doubt, out=flag))
            row, sample = np.divmod(np.flatnonzero(np.less_equal(np.abs(over, out=over), doubt, out=flag)), samples)
            near[at] = many = np.bincount(row, minlength=len(w)) > FEW
            few = ~many[row]
            doubtful.append((at.start + row[few], sample[few]))
            if sum(len(pair) for pair, _ in doubtful) * n > CELLS // 8:
                settle(doubtful)
        settle(doubtful)

    def settle(doubtful: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Add the hits among the resamples that are in doubt, and forget them."""
        pair, sample = (np.concatenate(parts) for parts in zip(*doubtful, strict=True)) if doubtful else (np.empty(0, np.intp),) * 2
        c, w = counts[sample], centred(z[pair])
        s, q = np.einsum("ij,ij->i", c, w), np.einsum("ij,ij->i", c, w * w) + np.finfo(float).tiny
        np.add.at(hits, pair, s * s >= bound[pair] * q)
        doubtful.clear()

    share(work, pieces(len(z), samples))
    return hits, near


def required_difference(scores: np.ndarray, *, alpha: float = 0.05, samples: int = 1000, seed: int = 1) -> np.ndarray:
    """Estimated difference in mean scores that it takes to be significant at level alpha, one value per score matrix.

    Per pair \\|mean(w*)\\| of the resample whose \\|t*\\| is the (samples alpha)-th largest (of several such resamples the largest);
    of these the largest over pairs (Sakai 2006, S07a Table 3). It is a maximum: one unusual pair decides it.
    Scores [..., systems, topics]; the same seed draws the resamples that the bootstrap test has.
    """
    scores = check_scores(scores)
    *lead, _, n = scores.shape
    counts = resamples(np.random.default_rng(seed), samples, n)
    kth = samples - max(1, int(samples * check_share("alpha", alpha) + 1e-9))
    drawn = np.ascontiguousarray(counts.T)

    def of_pairs(z: np.ndarray, blocks: Iterator[slice]) -> float:
        largest, room = 0.0, scratch(2, len(z), samples)
        for at in blocks:
            s, q = _sums(z[at], drawn, room)
            np.divide(s * s, n * q, out=q)
            bound = np.partition(q, kth, axis=1)[:, kth, None]
            at_bound = np.abs(q - bound) <= ROUNDING
            largest = max(largest, np.abs(s[at_bound]).max() / n)
        return largest

    found = np.zeros(lead)
    for m in np.ndindex(*lead):
        z = differences(scores[m])
        found[m] = max(share(partial(of_pairs, z), pieces(len(z), samples)))
    return found


def interval(scores: np.ndarray, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap interval of the difference in mean scores, as (low, high), each [..., pairs] (Efron & Tibshirani 1993, ch. 13).

    The middle `level` of the means of z over resampled topics (percentile method). Scores [..., systems, topics].
    """
    scores = check_scores(scores)
    n = scores.shape[-1]
    drawn = np.ascontiguousarray(resamples(np.random.default_rng(seed), samples, n).T)
    tail = (1 - check_share("level", level)) / 2
    *lead, systems, _ = scores.shape
    ends = np.empty((2, *lead, systems * (systems - 1) // 2))

    def of_pairs(z: np.ndarray, ends: np.ndarray, blocks: Iterator[slice]) -> None:
        room = scratch(1, len(z), samples)[0]
        for at in blocks:
            sums = product(z[at], drawn, out=room[: at.stop - at.start])
            ends[:, at] = np.quantile(sums, [tail, 1 - tail], axis=1, overwrite_input=True)

    for m in np.ndindex(*lead):
        z = differences(scores[m])
        share(partial(of_pairs, z, ends[(slice(None), *m)]), pieces(len(z), samples))
    low, high = ends / n
    return low, high


def mean_interval(scores: np.ndarray, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap interval of each system's mean score, as (low, high), each [systems] (Efron & Tibshirani 1993, ch. 13).

    The middle `level` of the means over resampled topics (percentile method), of scores [systems, topics]. A topic for which a system has
    no score (NaN) is not drawn for it; a system without any score has no interval (NaN). Systems with a score for the same topics meet the
    same draws.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = mean_interval(np.array([[0.0, 0.2, 0.4, 0.6], [0.5, 0.5, 0.5, np.nan]]))
    >>> bool(0 <= low[0] < 0.3 < high[0] <= 0.6), low[1].item(), high[1].item()
    (True, 0.5, 0.5)
    """
    tail = (1 - check_share("level", level)) / 2
    ends = np.full((2, len(scores)), np.nan)
    alike, group = np.unique(~np.isnan(scores), axis=0, return_inverse=True)
    for g, scored in enumerate(alike):
        if n := int(scored.sum()):
            drawn = np.ascontiguousarray(resamples(np.random.default_rng(seed), samples, n).T)
            rows = np.flatnonzero(group == g)
            for at in blocks(len(rows), samples):
                x = scores[rows[at]][:, scored]
                sums = product(x - x[:, :1], drawn, out=np.empty((len(x), samples)))  # so that equal scores have no width
                ends[:, rows[at]] = x[:, 0] + np.quantile(sums, [tail, 1 - tail], axis=1, overwrite_input=True) / n
    low, high = ends
    return low, high


def _sums(z: np.ndarray, drawn: np.ndarray, room: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Per pair and resample, the sum of w* and of its squares (never 0, for a quotient of 0); written to the room."""
    w = centred(z)
    s, q = room[:, : len(w)]
    product(w, drawn, out=s)
    product(w * w, drawn, out=q)
    q += np.finfo(float).tiny
    return s, q


def middle(values: np.ndarray, level: float) -> np.ndarray:
    """Ends [2, ...] of the middle `level` per cent of values over resamples [samples, ...]; those where a value is undefined (NaN) are
    left out, and the ends are NaN where it is undefined in all."""
    some = np.isfinite(values).any(axis=0)
    return np.where(some, np.nanquantile(np.where(some, values, 0), [0.5 - level / 200, 0.5 + level / 200], axis=0), np.nan)


def of_orders(
    correlations: Iterable[Callable[[np.ndarray, np.ndarray], np.ndarray]], x: np.ndarray, y: np.ndarray, counts: np.ndarray, level: float
) -> np.ndarray:
    """Correlations of the orders of systems by their means, and the ends of the middle `level` per cent of each over resampled topics,
    float64 [correlation, 3].

    x, y float64 [systems, topics], the same systems by two measures or judges; counts [samples, topics] from `resamples`. Resamples in
    which a correlation is undefined are left out; NaN where it is undefined in all.
    """
    drawn = counts / x.shape[1]
    means = [product(drawn, scores.T, out=np.empty((len(counts), len(scores)))) for scores in (x, y)]
    found = [(compute(x.mean(axis=1), y.mean(axis=1)), *middle(compute(*means), level)) for compute in correlations]
    return np.array(found, float)
