"""Paired bootstrap over topics (Sakai 2006), for all pairs of systems at once.

With z the differences of a pair and w = z - mean(z), a resample is a vector c that says how often each topic was drawn.
Its t* grows with the cosine of the angle between the drawn w and a constant vector, sum(c w) / sqrt(n sum(c w w)), just as
t does with sum(z) / sqrt(n sum(z z)). Comparing cosines instead of t needs two matrix products for all pairs and resamples,
and no difference of large sums.
"""

from collections.abc import Iterator

import numpy as np

from irmeval.errors import ParamError
from irmeval.stats.pairs import blocks, centred, check_scores, check_share, differences, product, scratch

ROUNDING = 1e-10
"""Cosines, or sums as a share of the sum of sizes, that differ by less than this are equal."""


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
    hits = np.empty(len(z))
    for at, s, q in _sums(z, counts):
        s *= s
        q *= bound[at, None]
        hits[at] = np.count_nonzero(s >= q, axis=1)
    return hits / len(counts)


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
    largest = np.zeros(lead)
    for m in np.ndindex(*lead):
        for _, s, q in _sums(differences(scores[m]), counts):
            np.divide(s * s, n * q, out=q)
            bound = np.partition(q, kth, axis=1)[:, kth, None]
            at_bound = np.abs(q - bound) <= ROUNDING
            largest[m] = max(largest[m], np.abs(s[at_bound]).max() / n)
    return largest


def interval(scores: np.ndarray, *, level: float = 0.95, samples: int = 1000, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Bootstrap interval of the difference in mean scores, as (low, high), each [..., pairs] (Efron & Tibshirani 1993, ch. 13).

    The middle `level` of the means of z over resampled topics (percentile method). Scores [..., systems, topics].
    """
    scores = check_scores(scores)
    n = scores.shape[-1]
    drawn = np.ascontiguousarray(resamples(np.random.default_rng(seed), samples, n).T)
    tail = (1 - check_share("level", level)) / 2
    ends = []
    for m in np.ndindex(*scores.shape[:-2]):
        z = differences(scores[m])
        room = scratch(1, len(z), samples)[0]
        sums = (product(z[at], drawn, out=room[: at.stop - at.start]) for at in blocks(len(z), samples))
        ends.append(np.concatenate([np.quantile(s, [tail, 1 - tail], axis=1, overwrite_input=True) for s in sums], axis=1))
    low, high = np.stack(ends, axis=1).reshape(2, *scores.shape[:-2], -1) / n
    return low, high


def _sums(z: np.ndarray, counts: np.ndarray) -> Iterator[tuple[slice, np.ndarray, np.ndarray]]:
    """Block by block: which pairs, and per pair and resample the sum of w* and of its squares (never 0, for a quotient of 0)."""
    drawn = np.ascontiguousarray(counts.T)
    room = scratch(2, len(z), len(counts))
    for at in blocks(len(z), len(counts)):
        w = centred(z[at])
        s, q = room[:, : len(w)]
        product(w, drawn, out=s)
        product(w * w, drawn, out=q)
        q += np.finfo(float).tiny
        yield at, s, q
