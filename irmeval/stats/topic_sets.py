"""How often other topics prefer the same system, over many topic sets (Buckley &
Voorhees 2000).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.stats.blocks import blocks, fit, map_blocks, product, rows_multiple_of_8, slices
from irmeval.stats.means import TIE, tied
from irmeval.stats.pairs import check_count, check_scores

FUZZINESS = tuple(f / 100 for f in range(1, 11))
"""Values of f of the papers' curves."""
ROOM = 2**21
"""Maximum number of topic sets times topics in memory, in half a dozen arrays. Results
do not depend on it, except for the last bits of means.
"""
NEAR = 2**17
"""Pairs times topic sets per block: few enough for a processor's cache. Results do not
depend on it.
"""
ROUNDING = 8 * np.finfo(float).eps
"""Rounding error of a mean, as a share of the largest score, for any order of
summation.
"""


class WinsAndTies(NamedTuple):
    """Number of topic sets in which one system of a pair (a, b) beats the other, each
    int [..., fuzziness, pairs].
    """

    wins: np.ndarray
    """Sets in which a is better, GT(a, b)."""
    losses: np.ndarray
    """Sets in which b is better, GT(b, a)."""
    ties: np.ndarray
    """Sets in which the difference is too small to count, EQ(a, b)."""

    @property
    def minority_of_pairs(self) -> np.ndarray:
        """Share of the topic sets that favour the less favoured system, per pair [...,
        fuzziness, pairs], from 0 to .5.
        """
        return np.minimum(self.wins, self.losses) / (self.wins + self.losses + self.ties)

    @property
    def minority_rate(self) -> np.ndarray:
        """MR [..., fuzziness]: how often a topic set misleads, over all pairs, from 0
        to .5.
        """
        return self.minority_of_pairs.mean(axis=-1)

    @property
    def proportion_of_ties(self) -> np.ndarray:
        """PT [..., fuzziness]: how often the systems of a pair tie, over all pairs,
        from 0 to 1.
        """
        return (self.ties / (self.wins + self.losses + self.ties)).mean(axis=-1)


def stability(
    scores: np.ndarray,
    *,
    size: int | None = None,
    sets: int = 1000,
    seed: int = 1,
    replace: bool = False,
    fuzziness: tuple[float, ...] = FUZZINESS,
) -> WinsAndTies:
    """Wins and ties of all pairs over random topic sets, from scores [..., systems,
    topics] (Buckley & Voorhees 2000; S07r 3).

    On a topic set the systems of a pair tie if their means differ by less than f times
    the larger mean, or not at all. `size` is the number of topics in a set, by default
    half of them; with `replace`, a topic may be drawn again. Every score matrix meets
    the same topic sets. `ParamError` for scores that are not finite, fewer than two
    systems or topics, or more topics than there are.
    """
    scores = check_scores(scores)
    *lead, systems, n = scores.shape
    size = check_size(n // 2 if size is None else size, None if replace else n)
    rng = np.random.default_rng(seed)
    pairs = systems * (systems - 1) // 2
    wins, losses = np.zeros((2, *lead, len(fuzziness), pairs), np.int64)
    for some in batch_sizes(check_count("sets", sets), n):
        counts = topic_sets(rng, some, n, size, replace=replace)
        for m in np.ndindex(*lead):
            _count(scores[m], counts, fuzziness, wins[m], losses[m])
    return WinsAndTies(wins, losses, sets - wins - losses)


def _count(
    scores: np.ndarray,
    counts: np.ndarray,
    fuzziness: tuple[float, ...],
    wins: np.ndarray,
    losses: np.ndarray,
) -> None:
    """Add the number of sets in which either system of each pair is better to `wins`
    and `losses`, each [fuzziness, pairs].
    """
    systems, (sets, _) = len(scores), counts.shape
    means, noise = set_means(scores, counts)
    means, slack = tied(means.T, noise).T.copy(), TIE * float(np.abs(scores).max())
    rising, place = np.unique(fuzziness, return_inverse=True)
    levels = rising.size + 1
    first, second = np.triu_indices(systems, 1)
    step = min(first.size, max(1, fit(NEAR) // sets))

    def work(blocks: Iterator[slice]) -> None:
        room = np.empty((3, step, sets))
        passed, flags = (
            np.empty(room[0].shape, np.min_scalar_type(2 * levels)),
            np.empty(room[0].shape, bool),
        )
        cells = np.empty(room[0].shape, np.intp)
        for at in blocks:
            n = at.stop - at.start
            (a, b, reach), level, flag, cell = room[:, :n], passed[:n], flags[:n], cells[:n]
            means.take(first[at], axis=0, out=a, mode="clip")
            means.take(second[at], axis=0, out=b, mode="clip")
            # how many f the difference passes, counted separately where a is better and where b is
            np.multiply(np.greater(a, b, out=flag), levels, out=level, dtype=level.dtype)
            # the difference with its rounding error as a share of the larger mean; inf where that
            # mean is not above 0, -inf where tied
            np.abs(np.subtract(a, b, out=reach), out=reach)
            np.copyto(reach, -np.inf, where=np.equal(reach, 0, out=flag))
            reach += slack
            reach /= np.maximum(np.maximum(a, b, out=a), 0, out=a)
            for f in rising:
                level += np.greater(reach, f, out=flag)
            np.add(level, 2 * levels * np.arange(n)[:, None], out=cell)
            counted = np.bincount(cell.ravel(), minlength=2 * levels * n).reshape(n, 2, levels)
            better = counted[:, :, :0:-1].cumsum(axis=2)[:, :, ::-1][:, :, place]
            for found, counted in zip((losses, wins), better.transpose(1, 2, 0), strict=True):
                found[:, at] += counted

    with np.errstate(divide="ignore"):
        map_blocks(work, slices(first.size, step))


def batch_sizes(sets: int, topics: int) -> Iterator[int]:
    """Number of topic sets drawn and compared at a time, as memory allows; most often
    all.
    """
    for some in slices(sets, rows_multiple_of_8(topics, ROOM)):
        parallel.check_cancelled()
        yield some.stop - some.start


def topic_sets(
    rng: "np.random.Generator", sets: int, topics: int, size: int, *, replace: bool = False
) -> np.ndarray:
    """How often each topic is in each set [sets, topics]. Without `replace`, a larger
    size only adds to the sets of a smaller one.
    """
    check_count("sets", sets)
    drawn = (
        rng.integers(topics, size=(sets, size))
        if replace
        else random_orders(rng, sets, topics)[:, :size]
    )
    return count_draws(drawn, topics)


def random_orders(rng: "np.random.Generator", count: int, topics: int) -> np.ndarray:
    """Random orders of the topics [count, topics]."""
    drawn = np.empty((count, topics), np.intp)
    for at in blocks(count, topics):
        drawn[at] = rng.random((at.stop - at.start, topics)).argsort(axis=1)
    return drawn


def count_draws(drawn: np.ndarray, topics: int) -> np.ndarray:
    """How often each topic was drawn [sets, topics], from the topics of each set [sets,
    size].
    """
    sets = len(drawn)
    cell = drawn + topics * np.arange(sets)[:, None]
    return (
        np.bincount(cell.ravel(), minlength=sets * topics).reshape(sets, topics).astype(np.float64)
    )


def set_means(scores: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, float]:
    """Mean of each system over each topic set [systems, sets], and their rounding
    error.
    """
    means = product(
        scores, np.ascontiguousarray(counts.T), out=np.empty((len(scores), len(counts)))
    )
    return means / counts[0].sum(), ROUNDING * float(np.abs(scores).max())


def check_size(size: int, most: int | None) -> int:
    """Return the number of topics in a set, from 1 to `most`, or raise `ParamError`."""
    if size < 1 or (most is not None and size > most):
        expected = f"from 1 to {most} topics" if most else "at least 1 topic"
        raise ParamError(f"size: expected {expected}, found {size!r}.")
    return size


def minority_rate_at(stability: WinsAndTies, share: float = 0.1) -> np.ndarray:
    """Minority rate at the proportion of ties `share` [...], by linear interpolation
    between two points of the curve.

    NaN where the curve does not reach it. The fuzziness must rise.
    """
    return _rate_at(stability.minority_rate, stability.proportion_of_ties, share)


def _rate_at(minority: np.ndarray, ties: np.ndarray, share: float) -> np.ndarray:
    """Minority rate at a share of ties, of curves [..., fuzziness]."""
    levels = ties.shape[-1]
    rows = zip(ties.reshape(-1, levels), minority.reshape(-1, levels), strict=True)
    return np.reshape(
        [np.interp(share, tie, rate, left=np.nan, right=np.nan) for tie, rate in rows],
        ties.shape[:-1],
    )


def minority_rate_over_runs(
    counts: WinsAndTies, runs: int, share: float = 0.1, *, samples: int = 200, seed: int = 1
) -> np.ndarray:
    """`minority_rate_at` with the runs resampled [sample, ...]: how much it depends on
    which runs there are. Pairs are as in ``np.triu_indices(runs, 1)``; a run that is
    drawn twice makes no pair with itself.
    """
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(runs, 1)
    minority = counts.minority_of_pairs
    ties = counts.ties / (counts.wins + counts.losses + counts.ties)
    found = []
    for _ in range(samples):
        times = np.bincount(rng.integers(runs, size=runs), minlength=runs)
        weight = (times[first] * times[second]).astype(float)
        weight /= weight.sum() or np.nan
        found.append(_rate_at(minority @ weight, ties @ weight, share))
    return np.array(found)
