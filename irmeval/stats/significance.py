"""Tests of whether two systems differ, each over all pairs of systems at once.

Also p-values adjusted for the number of tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from math import ceil
from typing import Any

import numpy as np

from irmeval.core import registry
from irmeval.core.lazy import special
from irmeval.core.registry import Registry
from irmeval.core.text import capitalize
from irmeval.stats.blocks import (
    ROOM,
    blocks,
    count_true,
    fit,
    map_blocks,
    pair_slices,
    product,
    rows_multiple_of_8,
    scratch,
    slices,
)
from irmeval.stats.bootstrap import (
    ROUNDING,
    bounds,
    critical_resamples,
    hits,
    resample_batches,
    t_of_cosine,
)
from irmeval.stats.correlation import find_ties
from irmeval.stats.pairs import (
    Differences,
    Pairs,
    Rows,
    by_rows,
    centred,
    check_count,
    check_scores,
)

TEST = "bootstrap"


@dataclass(frozen=True)
class Test:
    """A two-sided test, with its name and description.

    Its function takes the differences [pairs, topics] of some pairs and returns
    p-values [pairs]. That of a simulated test takes the differences of all pairs, the
    number of samples and a random generator; if it `stops`, also a value from which p
    may be too low.
    """

    name: str
    words: str
    """name within a sentence: ``paired t``, ``Wilcoxon signed rank``"""
    meaning: str
    source: str
    p: Callable[..., np.ndarray]
    simulated: bool = False
    stops: bool = False
    critical: Callable[..., np.ndarray] | None = None
    """critical value of abs(t) of each pair [pairs], from differences [pairs, topics],
    alpha, samples and seed; None if the test is not based on t
    """
    variant_of: str = ""
    """test that shares all but the count behind p with this one"""

    @property
    def label(self) -> str:
        """Name as a heading: ``Paired t``."""
        return capitalize(self.words)


TESTS: Registry[Test] = Registry("test")


def test(name: str, words: str, *, source: str, **more: Any) -> Any:
    """Register a test; its docstring describes its assumptions and its treatment of
    zeros and ties. `more` are other fields of `Test`.
    """
    return TESTS.decorator(name, lambda p, meaning: Test(name, words, meaning, source, p, **more))


def compare(scores: np.ndarray, test: str = TEST, *, samples: int = 1000, seed: int = 1) -> Pairs:
    """Difference and two-sided p-value of every pair of systems, each [..., pairs],
    from scores [..., systems, topics].

    Every score matrix meets the same random draws, which depend on the seed, the
    samples and the number of topics alone. A pair that is equal on all topics has p = 1
    in every test. `ParamError` for scores that are not finite, or fewer than two
    systems or topics.
    """
    scores = check_scores(scores)
    chosen = TESTS[test]
    check_count("samples", samples)
    lead = scores.shape[:-2]
    difference, p = [], []
    # all score matrices under the same draws, so that trials differ by judgments alone
    for m in np.ndindex(*lead):
        z = Differences(scores[m])
        difference.append(by_rows(lambda z: z.mean(axis=1), z, quick=True))
        p.append(p_of_pairs(z, chosen, samples, seed))
    return Pairs(np.reshape(difference, (*lead, -1)), np.reshape(p, (*lead, -1)))


def p_of_pairs(z: Rows, chosen: Test, samples: int, seed: int, until: float = 1.0) -> np.ndarray:
    """p-values [pairs] of the differences z [pairs, topics] of all pairs of some
    systems; 1 for a pair that is equal on all topics. Values from `until` on may be too
    low, but not below it: a test that `stops` finds them sooner.
    """
    # a closed form has nothing to stop
    more = [until] if chosen.stops else []
    level = (
        chosen.p(z, samples, np.random.default_rng(seed), *more)
        if chosen.simulated
        else by_rows(chosen.p, z)
    )
    return np.where(by_rows(lambda z: np.asarray(z.any(axis=1)), z, quick=True), level, 1.0)


def describe_p(p: float, test: str, samples: int) -> str:
    """Text of a p-value to three digits; below 1 / samples if no sample of a simulated
    test reached the difference.
    """
    return f"< {1 / samples:g}" if p < 1 / samples and TESTS[test].simulated else f"{p:.3g}"


def least_hits(samples: int, alpha: float, *, plus_one: bool) -> int:
    """Minimum number of hits with which p, (hits + 1) / (samples + 1) or hits /
    samples, is not below alpha: abs(t) is significant above the sample value of this
    rank from the top; 0 if it never is.
    """
    return max(ceil(alpha * (samples + plus_one) - plus_one - 1e-9), 0)


def _critical_t(z: Rows, alpha: float, samples: int, seed: int) -> np.ndarray:
    return np.full(len(z), special.stdtrit(z.shape[1] - 1, 1 - alpha / 2))


def _critical_bootstrap(
    z: Rows, alpha: float, samples: int, seed: int, *, plus_one: bool = False
) -> np.ndarray:
    if not (kth := least_hits(samples, alpha, plus_one=plus_one)):
        return np.full(len(z), np.inf)
    return t_of_cosine(critical_resamples(z, kth, samples=samples, seed=seed)[0], z.shape[1])


def _critical_flips(z: Rows, alpha: float, samples: int, seed: int) -> np.ndarray:
    if not (kth := least_hits(samples, alpha, plus_one=True)):
        return np.full(len(z), np.inf)
    n, found = z.shape[1], np.empty(len(z))

    def keep(at: slice, flipped: np.ndarray) -> None:
        found[at] = np.partition(flipped, samples - kth, axis=1)[:, samples - kth]

    _each_flipped(z, samples, np.random.default_rng(seed), keep)
    square = by_rows(lambda z: n * np.einsum("ij,ij->i", z, z), z, quick=True)
    return t_of_cosine(np.divide(found**2, square, out=np.zeros(len(z)), where=square > 0), n)


@test(
    "bootstrap",
    "paired bootstrap",
    source="Sakai 2006",
    simulated=True,
    stops=True,
    critical=_critical_bootstrap,
)
def bootstrap(
    z: Differences, samples: int, rng: "np.random.Generator", until: float = 1.0
) -> np.ndarray:
    """Share of resampled topic sets whose t statistic, of differences moved to mean 0,
    is at least as far from 0 as the observed one (hits / samples). A constant nonzero
    difference has p = 0.
    """
    return _bootstrap_hits(z, samples, rng, until) / samples


def _bootstrap_hits(
    z: Differences, samples: int, rng: "np.random.Generator", until: float
) -> np.ndarray:
    """Number of resampled topic sets with a t at least as far from 0 as the observed
    one [pairs]; perhaps not all where p is at least `until`.
    """
    found, bound = np.zeros(len(z), np.int64), bounds(z)
    for _, counts in resample_batches(rng, samples, z.shape[1]):
        found += hits(z, counts, bound, ceil(until * (samples + 1)) + 1)
    return found


@test("t", "paired t", source="Student 1908", critical=_critical_t)
def t(z: np.ndarray) -> np.ndarray:
    """Student's t on the differences, assumed normal. A constant nonzero difference has
    p = 0.
    """
    n = z.shape[1]
    w = centred(z)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = z.mean(axis=1) / np.sqrt((w * w).sum(axis=1) / (n * (n - 1)))
    return 2 * special.stdtr(n - 1, -np.abs(statistic))


@test("wilcoxon", "Wilcoxon signed rank", source="Wilcoxon 1945; choices of scipy.stats.wilcoxon")
def wilcoxon(z: np.ndarray) -> np.ndarray:
    """Signed ranks of the differences, zeros dropped, ties at their mean rank. Exact up
    to 50 topics without zeros or ties and up to 13 with them; else the normal
    approximation, corrected for ties but not for continuity. As in SciPy, .3 - .2 and
    .2 - .1 do not tie, since they differ in the last bit.
    """
    n = z.shape[1]
    # as whole numbers, sizes keep their order; shifted, they leave a bit for the sign
    rising = np.sort(np.ascontiguousarray(z, np.float64).view(np.uint64) << 1 | (z > 0), axis=1)
    row, first, size = find_ties(rising >> 1)
    m = np.count_nonzero(z, axis=1)
    zeros = (n - m)[:, None]
    rank = np.repeat(first + (size + 1) / 2, size).reshape(z.shape) - zeros
    above = np.einsum("ij,ij->i", rank, (rising & 1).astype(float))
    smaller = np.minimum(above, m * (m + 1) / 2 - above)
    tied = np.flatnonzero((size > 1) & (first >= zeros[row, 0]))
    ties = np.bincount(row[tied], size[tied] ** 3 - size[tied], len(z))
    variance = (m * (m + 1) * (2 * m + 1) - ties / 2) / 24
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * special.ndtr((smaller - m * (m + 1) / 4) / np.sqrt(variance))
    plain = (ties == 0) & (m == n)
    if n <= 50:
        # without ties and zeros, each rank 1..n falls on one side with probability 1/2
        p[plain] = np.minimum(2 * _rank_sums(n)[smaller[plain].astype(int)], 1)
    if n <= 13:
        p[~plain] = _exact_tied(np.where(rising == 0, 0, rank)[~plain], smaller[~plain])
    return p


@cache
def _rank_sums(n: int) -> np.ndarray:
    """Probability that a rank sum is at most s, for s from 0 to n (n + 1) / 2."""
    chance = np.ones(1)
    for k in range(1, n + 1):
        chance = (np.pad(chance, (0, k)) + np.pad(chance, (k, 0))) / 2
    return np.cumsum(chance)


def _exact_tied(rank: np.ndarray, smaller: np.ndarray) -> np.ndarray:
    """p of the smaller rank sum over all ways to sign the given ranks [pairs,
    topics].
    """
    n = rank.shape[1]
    sides = (np.arange(2**n) >> np.arange(n)[:, None] & 1).astype(float)
    # ranks are multiples of 1/2, so that their sums are exact
    reached = np.empty(len(rank))
    room = scratch(1, len(rank), 2**n)[0]
    for at in blocks(len(rank), 2**n):
        sums = product(rank[at], sides, out=room[: at.stop - at.start])
        reached[at] = np.count_nonzero(sums <= smaller[at, None], axis=1)
    return np.minimum(2 * reached / 2**n, 1)


@test(
    "sign",
    "sign test",
    source="Arbuthnot 1710; Sakai 2007 (reliability of graded relevance metrics)",
)
def sign(z: np.ndarray) -> np.ndarray:
    """Exact binomial test of the number of differences above 0; zeros are dropped."""
    above, below = np.count_nonzero(z > 0, axis=1), np.count_nonzero(z < 0, axis=1)
    return np.minimum(2 * special.bdtr(np.minimum(above, below), above + below, 0.5), 1)


@test(
    "randomization",
    "paired randomisation",
    source="Fisher 1935; Smucker, Allan & Carterette 2007",
    simulated=True,
    critical=_critical_flips,
)
def randomization(z: Rows, samples: int, rng: "np.random.Generator") -> np.ndarray:
    """Share of random sign flips of the differences with a mean at least as far from 0
    as the observed one, (hits + 1) / (samples + 1).
    """
    bound = by_rows(
        lambda z: np.abs(z.sum(axis=1)) - ROUNDING * np.abs(z).sum(axis=1), z, quick=True
    )
    hits = np.empty(len(z))

    def count(at: slice, flipped: np.ndarray) -> None:
        hits[at] = count_true(flipped >= bound[at, None])

    _each_flipped(z, samples, rng, count)
    return (hits + 1) / (samples + 1)


def _each_flipped(
    z: Rows, samples: int, rng: "np.random.Generator", use: Callable[[slice, np.ndarray], None]
) -> None:
    """Pass a function the absolute sums of z under random sign flips, block by block: a
    slice of pairs, and sums [some, samples].
    """
    n, start = z.shape[1], rng.bit_generator.state

    def signs(topics: slice) -> np.ndarray:
        drawn = rng.integers(2, size=(topics.stop - topics.start, samples)).astype(np.float64)
        drawn *= -2
        drawn += 1
        return drawn

    if n * samples <= fit(ROOM):
        drawn = signs(slice(0, n))

        def work(blocks: Iterator[slice]) -> None:
            room = scratch(1, len(z), samples, n)[0]
            for at in blocks:
                flipped = product(z[at], drawn, out=room[: at.stop - at.start])
                use(at, np.abs(flipped, out=flipped))

        map_blocks(work, pair_slices(len(z), samples, n))
    else:  # the signs of some topics at a time, drawn again for each slice of the pairs
        for at in slices(len(z), rows_multiple_of_8(max(n, samples), ROOM)):
            rng.bit_generator.state = start
            lot, flipped = z[at], np.zeros((at.stop - at.start, samples))
            for topics in blocks(n, samples):
                flipped += lot[:, topics] @ signs(topics)
            use(at, np.abs(flipped, out=flipped))


@test(
    "bootstrap-plus-one",
    "paired bootstrap plus one",
    source="Davison & Hinkley 1997, eq. 4.11",
    simulated=True,
    stops=True,
    variant_of="bootstrap",
    critical=partial(_critical_bootstrap, plus_one=True),
)
def bootstrap_plus_one(
    z: Differences, samples: int, rng: "np.random.Generator", until: float = 1.0
) -> np.ndarray:
    """The paired bootstrap with the observed topics as one more sample, (hits + 1) /
    (samples + 1). p is never 0.
    """
    return (_bootstrap_hits(z, samples, rng, until) + 1) / (samples + 1)


registry.load("irmeval.tests", TESTS)
APART = tuple(name for name, test in TESTS.items() if not test.variant_of)
"""Tests that order pairs differently: all but the variants."""


def holm(p: np.ndarray) -> np.ndarray:
    """Familywise error, step-down: the k-th smallest p applies to the tests from k on
    [..., tests] (Holm 1979).
    """
    return _step(
        p,
        np.arange(p.shape[-1], 0, -1),
        lambda stepped: np.minimum(np.maximum.accumulate(stepped, axis=-1), 1),
    )


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """False discovery rate, step-up: the k-th smallest p applies to the tests up to k
    [..., tests] (Benjamini & Hochberg 1995).
    """
    k = np.arange(1, p.shape[-1] + 1)
    return _step(
        p,
        p.shape[-1] / k,
        lambda stepped: np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1],
    )


def _step(
    p: np.ndarray, factor: np.ndarray, accumulate: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """The sorted p-values, each times its factor, accumulated and put back into the
    order of p.
    """
    order, adjusted = np.argsort(p, axis=-1), np.empty_like(p)
    np.put_along_axis(
        adjusted, order, accumulate(np.take_along_axis(p, order, axis=-1) * factor), axis=-1
    )
    return adjusted
