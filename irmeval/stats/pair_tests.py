"""Tests of pairs of systems in two readings: each pair alone, and all pairs at once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.stats.blocks import (
    EIGHT,
    ROOM,
    map_blocks,
    pair_slices,
    product,
    rows_multiple_of_8,
    slices,
)
from irmeval.stats.bootstrap import ROUNDING, TINY, Draws, t_of_cosine
from irmeval.stats.means import exact_sum
from irmeval.stats.pairs import (
    Differences,
    by_rows,
    by_topics,
    centred,
    check_count,
    check_share,
    noise_of,
    small_sample,
    without_noise,
)
from irmeval.stats.significance import TEST, TESTS, benjamini_hochberg, holm, least_hits, p_of_pairs

FAMILYWISE = "family-wise"
"""Familywise error: the probability of any false difference is at most alpha."""
DISCOVERIES = "benjamini-hochberg"
"""False discovery rate: the expected share of false differences among those found is at
most alpha.
"""
ADJUST = {FAMILYWISE: holm, DISCOVERIES: benjamini_hochberg}
"""Functions from the p-values of all pairs alone to p-values at once."""
LETTERED = 20
"""Maximum number of systems with letters: 129 systems have 448 groups."""
ROUNDED = 1 - 4 * np.finfo(float).eps
"""Factor that keeps an interval limit away from 0."""


class Ranks(NamedTuple):
    """Range of ranks of each system, int [systems]; 1 is the best."""

    low: np.ndarray
    """1 + the number of systems that are better at once"""
    high: np.ndarray
    """number of systems - the number of those that are worse at once"""


class Intervals(NamedTuple):
    """Limits of the intervals of differences at level 1 - alpha, arrays of a shape or
    numbers; NaN if there is none.
    """

    low: Any
    high: Any
    """of each pair alone"""
    low_at_once: Any
    high_at_once: Any
    """of all pairs at once"""


@dataclass(frozen=True, eq=False)
class PairTests:
    """Tests of pairs of systems; arrays [pairs] are NaN for pairs with fewer than two
    topics in common.
    """

    scores: np.ndarray
    """float64 [systems, topics], NaN for no score"""
    first: np.ndarray
    second: np.ndarray
    """int [pairs], the two systems of each pair, in the order of
    ``np.triu_indices(systems, 1)``
    """
    topics: np.ndarray
    """int [pairs], topics with a score for both"""
    difference: np.ndarray
    """mean score of the first minus that of the second on these topics"""
    error: np.ndarray
    """standard error of the difference"""
    p_alone: np.ndarray
    """two-sided p-value of the pair alone"""
    p_at_once: np.ndarray
    """p-value that accounts for all pairs; never below `p_alone`"""
    won: np.ndarray
    lost: np.ndarray
    """shares of the topics on which the first has the higher, and the lower score"""
    quantile_at_once: float
    """critical value of abs(t) at once; NaN if p_at_once is not based on the maximum of
    t
    """
    test: str
    samples: int
    alpha: float
    seed: int
    widest: float = np.inf
    """largest possible difference"""

    @property
    def alone(self) -> np.ndarray:
        """Pairs that differ significantly alone, bool [pairs]."""
        return self.p_alone < self.alpha

    @property
    def at_once(self) -> np.ndarray:
        """Pairs that differ significantly with all pairs at once, bool [pairs]."""
        return self.p_at_once < self.alpha

    @property
    def t(self) -> np.ndarray:
        """Student's t statistic [pairs]: 0 for equal systems, infinite for a constant
        difference.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.difference == 0, 0.0, self.difference / self.error)

    @property
    def effect(self) -> np.ndarray:
        """Mean difference in standard deviations over topics, d_z of Cohen (1988)
        [pairs]: 0 for equal systems.
        """
        return self.t / np.sqrt(self.topics)

    @property
    def hedges(self) -> np.ndarray:
        """`effect` for few topics, nearly unbiased: Hedges' g [pairs]."""
        return small_sample(self.effect, self.topics)

    @property
    def number(self) -> np.ndarray:
        """Index of the pair of two systems in either order, int [systems, systems]; -1
        if they are not tested.
        """
        found = np.full((len(self.scores),) * 2, -1)
        found[self.first, self.second] = found[self.second, self.first] = np.arange(self.first.size)
        return found

    @property
    def verdict(self) -> np.ndarray:
        """Verdict of the row's system against the column's, int8 [systems, systems]:
        positive is better, negative worse; 2 at once, 1 alone, 0 not significant.
        """
        found = np.zeros((len(self.scores),) * 2, np.int8)
        # without two topics in common it is NaN, which no integer holds
        found[self.first, self.second] = np.sign(np.nan_to_num(self.difference)) * (
            self.alone + self.at_once.astype(np.int8)
        )
        return found - found.T

    @property
    def ranks(self) -> Ranks:
        """Ranges of ranks from the pairs at once: they contain all true ranks in 1 -
        alpha of cases (Al Mohamad et al. 2022).
        """
        verdict = self.verdict
        return Ranks(1 + (verdict == -2).sum(axis=1), len(verdict) - (verdict == 2).sum(axis=1))

    @cached_property
    def interval_quantile(self) -> float:
        """Critical value of the intervals at once, at least that of the tests: the k-th
        largest of the largest abs(t*) that any pair has in each resample of the topics.
        NaN if the test has no intervals at once; infinite if too many resamples of a
        pair are constant.
        """
        # NaN without a maximum of t; 0 for one pair, which is its own family
        if not self.quantile_at_once > 0:
            return self.quantile_at_once
        pairs, topics = list(_by_topics(self.scores, self.first, self.second)), self.scores.shape[1]
        largest = np.sort(
            _largest_t(pairs, Draws(self.seed, self.samples, topics), _resampled, self.samples)
        )
        kth = least_hits(self.samples, self.alpha, plus_one=True)
        return max(self.quantile_at_once, float(largest[self.samples - kth]) if kth else np.inf)

    def intervals(self, pairs: np.ndarray | None = None) -> Intervals:
        """Intervals of the differences of some pairs, by number, or of all: difference
        -+ q error, with q the critical value of abs(t).

        Alone, q is that of the test. At once it is by the maximum of t over resampled
        topics (Romano & Wolf 2005): flipped signs, which give p, assume that runs do
        not differ. An interval is without 0 exactly where its pair is significant; an
        end beyond 0, or beyond the largest possible difference, is cut there. A
        constant difference has no width.
        """
        chosen = np.arange(self.first.size) if pairs is None else np.asarray(pairs)
        alone, critical = np.full(chosen.size, np.nan), TESTS[self.test].critical
        if critical is not None:
            for at, _, z in _by_topics(self.scores, self.first[chosen], self.second[chosen]):
                alone[at] = critical(z, self.alpha, self.samples, self.seed)
        difference, ends = self.difference[chosen], list[np.ndarray]()
        for quantile, significant in (
            (alone, self.alone),
            (
                np.maximum(alone, self.interval_quantile),
                self.at_once,
            ),
        ):
            with np.errstate(invalid="ignore"):
                half = np.where(self.error[chosen] > 0, quantile * self.error[chosen], 0 * quantile)
            half = np.where(np.isfinite(half), half, np.nan)
            near = np.maximum(np.abs(difference) - half, -self.widest)
            far = np.minimum(np.abs(difference) + half, self.widest)
            away = np.abs(difference) * (1 - ROUNDED)
            near = np.where(significant[chosen], np.maximum(near, away), np.minimum(near, 0))
            ends += [*np.where(difference < 0, [-far, -near], [near, far])]
        return Intervals(*ends)


def p_alone(
    scores: np.ndarray,
    test: str = TEST,
    *,
    pairs: np.ndarray | None = None,
    samples: int = 1000,
    seed: int = 1,
    until: float = 1.0,
) -> np.ndarray:
    """p-values of all pairs of systems alone, or of some by number [pairs], as
    `compare_pairs` finds them. Values from `until` on may be too low, but not below it;
    those of the bootstrap are found sooner then.
    """
    first, second = np.triu_indices(len(scores), 1)
    if pairs is not None:
        first, second = first[pairs], second[pairs]
    p = np.full(first.size, np.nan)
    for at, _, z in _by_topics(scores, first, second):
        p[at] = p_of_pairs(z, TESTS[test], samples, seed, until)
    return p


def p_of_two(
    scores: np.ndarray, test: str = TEST, *, samples: int = 1000, seed: int = 1
) -> np.ndarray:
    """`p_alone` of two systems, for many scores of them [..., 2, topics], faster than
    one by one [...].
    """
    chosen, flat = TESTS[test], scores.reshape(-1, *scores.shape[-2:])
    p = np.full(len(flat), np.nan)
    for known, at in by_topics(np.isfinite(flat).all(axis=1)):
        if np.count_nonzero(known) < 2:
            continue
        pairs = flat[at][:, :, known]
        if chosen.simulated:
            p[at] = [p_of_pairs(Differences(pair), chosen, samples, seed)[0] for pair in pairs]
        else:
            p[at] = p_of_pairs(
                without_noise(pairs[:, 0] - pairs[:, 1], noise_of(pairs)), chosen, samples, seed
            )
    return p.reshape(scores.shape[:-2])


def compare_pairs(
    scores: np.ndarray,
    test: str = TEST,
    *,
    baselines: Sequence[int] = (),
    samples: int = 1000,
    alpha: float = 0.05,
    seed: int = 1,
    at_once: str | None = FAMILYWISE,
    widest: float = np.inf,
) -> PairTests:
    """Test all pairs of systems, or all pairs with one of the baselines, alone and at
    once, from scores [systems, topics].

    A pair is compared on the topics with a score for both (NaN for no score). At once,
    p of a simulated test is by the maximum of t (Westfall & Young 1993, single step):
    the signs of the topics' differences are flipped, the same topics for all pairs, and
    p is the share of flips, (hits + 1) / (samples + 1), whose largest abs(t) of all
    pairs is at least that of the pair. The chance of even one false difference is then
    at most alpha, also for a pair that was picked by its scores. Closed-form tests are
    corrected by Holm's method instead. Benjamini and Hochberg's method (`at_once`)
    limits the share of false differences among those found. One pair is its own family.
    Without a method (None) p at once is NaN.

    Raises `ParamError` for alpha outside of (0, 1) or samples below 1, or `UnknownName`.

    Examples
    --------
    >>> import numpy as np
    >>> low, high = [0.1, 0.2, 0.3, 0.4, 0.1, 0.2], [0.4, 0.5, 0.7, 0.6, 0.4, 0.4]
    >>> found = compare_pairs(np.array([low, high, [0.4, 0.5, 0.6, 0.7, 0.5, 0.3]]))
    >>> found.alone.tolist(), found.at_once.tolist(), [x.tolist() for x in found.ranks]
    ([True, False, False], [True, False, False], [[2, 1, 1], [3, 2, 3]])
    """
    scores, chosen = np.asarray(scores, np.float64), TESTS[test]
    check_count("samples", samples)
    check_share("alpha", alpha)
    first, second = _list_pairs(len(scores), baselines)
    known = np.isfinite(scores).astype(np.float64)
    topics = (known @ known.T)[first, second].astype(np.int64)
    difference, error, won, lost, p, cosine = np.full((6, first.size), np.nan)
    groups = list(_by_topics(scores, first, second))
    for at, _, z in groups:
        p[at] = p_of_pairs(z, chosen, samples, seed)
        difference[at], error[at], won[at], lost[at], cosine[at] = by_rows(_moments, z).T
    adjusted, quantile, tested = np.full(first.size, np.nan), np.nan, np.isfinite(p)
    if first.size == 1:
        # as of several pairs, of which no flip is reached
        least = 1 / (samples + 1) if chosen.simulated else 0.0
        adjusted, quantile = np.maximum(p, least), 0.0 if least < alpha else np.inf
    elif at_once == FAMILYWISE and chosen.simulated:
        observed = t_of_cosine(np.maximum(cosine - ROUNDING, 0) ** 2, topics)
        flips = _flips(scores.shape[1], samples, seed)
        largest = np.sort(_largest_t(groups, flips, _flipped, samples))
        adjusted[tested], quantile = _by_largest(p[tested], observed[tested], largest, alpha)
    elif at_once is not None:
        least = 1 / samples if chosen.simulated else 0
        adjusted[tested] = ADJUST[at_once](np.maximum(p[tested], least))
    pairs = first, second, topics, difference, error, p, adjusted, won, lost
    return PairTests(scores, *pairs, quantile, test, samples, alpha, seed, widest)


def _list_pairs(systems: int, baselines: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """First and second system of each pair; of pairs with a baseline alone, if any."""
    first, second = np.triu_indices(systems, 1)
    if not len(baselines):
        return first, second
    tested = np.isin(first, baselines) | np.isin(second, baselines)
    return first[tested], second[tested]


def _by_largest(
    p: np.ndarray, observed: np.ndarray, largest: np.ndarray, alpha: float
) -> tuple[np.ndarray, float]:
    """p at once [pairs] of pairs with these abs(t), from the largest abs(t) of all pairs
    in each sample [samples], ascending; and the abs(t) from which p is at most alpha.
    """
    samples = largest.size
    reached = samples - np.searchsorted(largest, observed)
    kth = least_hits(samples, alpha, plus_one=True)
    quantile = float(largest[samples - kth]) if kth else np.inf
    return np.maximum(p, (reached + 1) / (samples + 1)), quantile


_Group = tuple[np.ndarray, np.ndarray, Differences]
"""Indices of the pairs with the same topics in common, these topics, bool [topics], and
the differences on them.
"""


def _by_topics(scores: np.ndarray, first: np.ndarray, second: np.ndarray) -> Iterator[_Group]:
    """The pairs by the topics that they have in common, at least two."""
    known, group = np.isfinite(scores), np.empty(len(scores), np.int64)
    patterns = []
    for k, (topics, systems) in enumerate(by_topics(known)):
        group[systems] = k
        patterns.append(topics)
    low, high = np.minimum(group[first], group[second]), np.maximum(group[first], group[second])
    both = low * len(patterns) + high
    # of thousands of pairs most have the same topics in common: few groups, large
    # products
    for code in np.unique(both).tolist():
        one, other = divmod(code, len(patterns))
        common = patterns[one] & patterns[other]
        if np.count_nonzero(common) < 2:
            continue
        at = np.flatnonzero(both == code)
        tested = np.zeros(len(scores), bool)
        tested[first[at]] = tested[second[at]] = True
        systems, place = np.flatnonzero(tested), np.cumsum(tested) - 1
        yield (
            at,
            common,
            Differences(scores[np.ix_(systems, common)], (place[first[at]], place[second[at]])),
        )


def _moments(z: np.ndarray) -> np.ndarray:
    """Mean of each row of z [rows, n], its standard error, shares above and below 0,
    and the cosine of z and a constant [rows, 5].
    """
    # exactly rounded, so that no bit depends on the order of the topics
    n, w, mean = z.shape[1], centred(z), exact_sum(z) / z.shape[1]
    # the t of a pair grows with this cosine, and resampled cosines are one product of
    # matrices
    length = np.sqrt(n * np.einsum("ij,ij->i", z, z))
    cosine = np.divide(np.abs(z.sum(axis=1)), length, out=np.zeros(len(z)), where=length > 0)
    error = np.sqrt(np.einsum("ij,ij->i", w, w) / (n * (n - 1)))
    return np.stack(
        [mean, error, (z > 0).mean(axis=1), (z < 0).mean(axis=1), np.minimum(cosine, 1)], axis=1
    )


def _flips(topics: int, samples: int, seed: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield random signs of the topics in batches that fit into memory: the slice of
    each batch, and its signs [topics, some].
    """
    rng = np.random.default_rng(seed)
    for some in slices(samples, rows_multiple_of_8(topics, ROOM)):
        # a row per sample: batches of any size draw the same signs
        yield some, 1.0 - 2 * rng.integers(2, size=(some.stop - some.start, topics)).T


def _largest_t(
    groups: list[_Group],
    batches: Iterable[tuple[slice, np.ndarray]],
    largest_cosines: Callable[[np.ndarray, np.ndarray], np.ndarray],
    samples: int,
) -> np.ndarray:
    """The largest abs(t) of all pairs under each sample of signs, or counts, of the
    topics [samples].

    `largest_cosines` returns the largest over z [pairs, topics] of the cosine of a
    sampled z and a constant [some], from z and the signs or counts [topics, some]. Rows
    are filled up to a multiple of `EIGHT`, so that no bit depends on the order of the
    systems.
    """
    largest = np.zeros(samples)
    for some, weights in batches:
        for _, known, z in groups:
            of_topics = np.ascontiguousarray(weights[known])

            def work(
                blocks: Iterator[slice], z: Differences = z, of_topics: np.ndarray = of_topics
            ) -> np.ndarray:
                found = np.zeros(of_topics.shape[1])
                for at in blocks:
                    rows = z[at]
                    padded = np.zeros((-(-len(rows) // EIGHT) * EIGHT, rows.shape[1]))
                    padded[: len(rows)] = rows
                    np.maximum(found, largest_cosines(padded, of_topics), out=found)
                return found

            cosine = np.max(map_blocks(work, pair_slices(len(z), *of_topics.shape[::-1])), axis=0)
            largest[some] = np.maximum(
                largest[some], t_of_cosine(cosine**2, np.abs(of_topics).sum(axis=0))
            )
    return largest


def _flipped(z: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """The largest cosine under each flip: a flip leaves sum(z z) alone, so it is the
    product of normalised z and signs.
    """
    length = np.sqrt(z.shape[1] * np.einsum("ij,ij->i", z, z))[:, None]
    np.divide(z, length, out=z, where=length > 0)
    cosine = product(z, signs, out=np.empty((len(z), signs.shape[1])))
    found: np.ndarray = np.maximum(cosine.max(axis=0), -cosine.min(axis=0))
    return found


def _resampled(z: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The largest cosine in each resample of centred z; 1 if all that is drawn of a
    pair is equal, and not 0.
    """
    w = centred(z)
    s, q = (product(x, counts, out=np.empty((len(z), counts.shape[1]))) for x in (w, w * w))
    square = np.divide(s * s, q * counts.sum(axis=0) + TINY, out=s).max(axis=0)
    return np.where(square > 1 - ROUNDING, 1.0, np.sqrt(square))


def letters(different: np.ndarray) -> list[str]:
    """Letters of systems, best first: two share a letter if and only if they do not
    differ, bool [systems, systems] (Piepho 2004).

    The first group is a; after z come aa, ab. More than `LETTERED` systems have no
    letters.

    Examples
    --------
    >>> import numpy as np
    >>> letters(np.array([[False, False, True], [False, False, False], [True, False, False]]))
    ['a', 'ab', 'b']
    """
    systems = len(different)
    if systems > LETTERED:
        return [""] * systems
    # from one group of all, split by every pair that differs (Piepho's insert and absorb)
    groups = {frozenset(range(systems))}
    for a, b in zip(*np.nonzero(np.triu(different, 1)), strict=True):
        groups = _absorbed(_without_pair(groups, a, b))
    ordered = sorted(groups, key=sorted)
    letters_of: list[list[str]] = [[] for _ in range(systems)]
    for i, group in enumerate(ordered):
        for system in group:
            letters_of[system].append(_letter(i))
    # of more groups some have two letters, which would be read as two groups
    apart = "" if len(ordered) <= 26 else " "
    return [apart.join(own) for own in letters_of]


Sharing = set[frozenset[int]]
"""Systems that share a letter."""


def _without_pair(groups: Sharing, a: int, b: int) -> Sharing:
    """Groups, each that holds both of two systems in place of two that hold one."""
    both = {group for group in groups if {a, b} <= group}
    apart = {group - {system} for group in both for system in (a, b)}
    return (groups - both) | apart


def _absorbed(groups: Sharing) -> Sharing:
    """The groups that lie in no other."""
    return {group for group in groups if not any(group < other for other in groups)}


def _letter(i: int) -> str:
    return (_letter(i // 26 - 1) if i >= 26 else "") + chr(ord("a") + i % 26)
