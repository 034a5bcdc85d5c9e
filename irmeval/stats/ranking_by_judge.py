"""Whether a judge may rank systems: its order at the top, its decisions, its winner,
and how many topics a reference must judge.

All functions take the scores of the same systems on the same topics by both judges,
float64 [system, topic], finite; the reference first.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from irmeval.stats.blocks import product
from irmeval.stats.bootstrap import resample_batches
from irmeval.stats.correlation import tau_ap, tau_b
from irmeval.stats.intervals import correlation_intervals
from irmeval.stats.means import mean_of_known, rank_scores, tied
from irmeval.stats.mixtures import DecisionCounts, count_decisions
from irmeval.stats.pair_tests import PairTests
from irmeval.stats.powered import powered_mean

WAYS = {
    "powered": "prediction-powered",
    "calibrated": "calibrated",
    "alone": "the reference alone",
}
"""How means are estimated where the reference judged some topics: name -> in words."""


def find_top(means: np.ndarray, k: int) -> np.ndarray:
    """Numbers of the k best systems by their means, and of those that tie with the last
    of them.

    Examples
    --------
    >>> find_top(np.array([0.5, 0.9, 0.7, 0.7, 0.1]), 2).tolist()
    [1, 2, 3]
    """
    return np.flatnonzero(rank_scores(means) <= k)


def tau_intervals(
    reference: np.ndarray,
    judge: np.ndarray,
    k: Sequence[int],
    *,
    samples: int,
    seed: int,
    level: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Tau-b among the reference's k best systems, float64 [k, 3], and tau AP of all
    with the reference's order taken as right [3]; each with the ends of its interval
    over topics (`irmeval.stats.intervals.correlation_intervals`).

    The systems at the top are those by the scores at hand: the interval is of tau among
    just these.
    """
    means = mean_of_known(reference)

    def among(x: np.ndarray, y: np.ndarray, *, top: np.ndarray) -> np.ndarray:
        found: np.ndarray = tau_b(x[..., top], y[..., top])
        return found

    tops = [(partial(among, top=find_top(means, each)), -1.0) for each in k]
    found = correlation_intervals(
        [*tops, (lambda x, y: tau_ap(y, x), -1.0)],
        reference,
        judge,
        samples=samples,
        seed=seed,
        level=level,
    )
    return found[:-1], found[-1]


def decide(
    reference: PairTests, judge: PairTests, among: np.ndarray
) -> tuple[DecisionCounts, DecisionCounts]:
    """Decisions on the pairs of the systems `among` [system], taken alone and with all
    pairs at once.
    """
    pairs = np.isin(reference.first, among) & np.isin(reference.second, among)
    signs = [
        [np.sign(tests.difference) * which for which in (tests.alone, tests.at_once)]
        for tests in (reference, judge)
    ]
    alone, at_once = (
        count_decisions(first[pairs], second[pairs]) for first, second in zip(*signs, strict=True)
    )
    return alone, at_once


ROUNDING = 1e-12
"""How far a mean of taus may be below a level that it reaches."""


class Winner(NamedTuple):
    """The system that a judge puts first, as the reference scores it."""

    system: int
    """of several that tie, the last by the reference"""
    ties: int
    """systems that the judge puts first"""
    place: int
    """by the reference"""
    best: int
    """the reference's best system"""
    loss: float
    """the reference's mean of `best` less that of `system`"""
    low: float
    high: float
    """the interval of the loss, of the pair alone; NaN where there is none"""
    p_alone: float
    p_at_once: float
    """of the difference of the two; NaN where they are the same system"""


def find_winner(tests: PairTests, judge: np.ndarray) -> Winner:
    """The winner by a judge's means [system], with the reference's tests of all
    pairs.
    """
    means, places = mean_of_known(tests.scores), rank_scores(mean_of_known(tests.scores))
    first = np.flatnonzero(rank_scores(judge) == 1)
    system, best = int(first[np.argmin(tied(means)[first])]), int(np.argmin(places))
    if system == best:
        return Winner(system, first.size, 1, best, 0.0, *[np.nan] * 4)
    pair = tests.number[[best], [system]]
    ends, side = tests.intervals(pair), 1 if best < system else -1
    low, high = sorted((side * float(ends.low[0]), side * float(ends.high[0])))
    p = float(tests.p_alone[pair[0]]), float(tests.p_at_once[pair[0]])
    return Winner(
        system,
        first.size,
        int(places[system]),
        best,
        float(means[best] - means[system]),
        low,
        high,
        *p,
    )


class Enough(NamedTuple):
    """How near orders come to the reference's as it judges more topics."""

    topics: tuple[int, ...]
    """topics judged by the reference, ascending, from none to all"""
    tau: np.ndarray
    """float64 [way, topics, 3], tau-b with the reference's order on all topics, by each
    of `WAYS`: mean, 5th and 95th percentile over random sets of topics; NaN where there
    is no order
    """
    least: float
    """the lower end of the interval of the reference's own order: tau of its order on
    other topics, as many, with that on these
    """
    needed: tuple[int | None, ...]
    """per way, the fewest of `topics` from which on the mean of tau is not below
    `least`, 0 where the judge's own order is not; None where it is below even with
    all
    """


def find_enough(
    reference: np.ndarray,
    judge: np.ndarray,
    topics: Sequence[int],
    *,
    sets: int,
    samples: int,
    seed: int,
    level: float,
) -> Enough:
    """Estimate the means of systems from scores [system, topic] by a reference that
    judged some topics and by a judge that judged all, on random sets of topics.

    Prediction-powered means are those of `irmeval.stats.powered.powered_mean`.
    Calibrated means have the reference's scores where there are any, and those of the
    judge elsewhere, mapped by the straight line that fits the scores of all systems on
    the judged topics best; without judged topics they are the judge's. `level` is in
    per cent.
    """
    n, whole = reference.shape[1], mean_of_known(reference)
    means = np.empty((samples, len(reference)))
    for at, drawn in resample_batches(np.random.default_rng(seed), samples, n):
        product(drawn / n, reference.T, out=means[at])
    own = tau_b(whole, means)
    own = own[np.isfinite(own)]
    least = float(np.percentile(own, (100 - level) / 2)) if own.size else np.nan
    tau = np.empty((len(WAYS), len(topics), sets))
    for i, judged in enumerate(topics):
        estimates = np.empty((sets, len(WAYS), len(reference)))
        for s in range(sets):
            # a smaller number of topics is part of a larger one
            order = np.random.default_rng([seed, s]).permutation(n)
            known, rest = order[:judged], order[judged:]
            estimates[s] = [*estimate_means(reference[:, known], judge[:, known], judge[:, rest])]
        tau[:, i] = tau_b(whole, estimates).T
    mean = mean_of_known(tau)
    spread = np.stack([mean, *(np.percentile(tau, share, axis=-1) for share in (5, 95))], axis=-1)
    above = mean >= least - ROUNDING
    stays = np.logical_and.accumulate(above[:, ::-1], axis=1)[:, ::-1]
    stays[:, 0] = above[:, 0]  # few topics may mislead an estimate more than none
    needed = tuple(topics[int(np.argmax(row))] if row.any() else None for row in stays)
    return Enough(tuple(topics), spread, least, needed)


def estimate_means(known: np.ndarray, judged: np.ndarray, rest: np.ndarray) -> Iterable[np.ndarray]:
    """Means [system] by each of `WAYS`, from the reference's scores and the judge's on
    the same topics, and the judge's on the others.
    """
    if not known.shape[1]:
        yield from (mean_of_known(rest), mean_of_known(rest), np.full(len(rest), np.nan))
        return
    yield powered_mean(known, judged, rest).mean
    x = judged - judged.mean()
    slope = float((x * known).sum() / square) if (square := float((x * x).sum())) else 0.0
    line = known.mean() + slope * (rest - judged.mean())
    yield np.concatenate([known, line], axis=1).mean(axis=1)
    yield mean_of_known(known)
