"""Number of topics required to detect a difference of means, or for a short interval
(Sakai 2016).

The answer depends on the variance of the scores that neither systems nor topics
explain.

Also how many units to draw from each stratum.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import special
from irmeval.stats.anova import anova
from irmeval.stats.pairs import check_scores, check_share

TWO_WAY = "two-way"
"""Residual variance without that of topics."""
ONE_WAY = "one-way"
"""Variance with that of topics."""
WAYS = (TWO_WAY, ONE_WAY)
MAX_TOPICS = 2**40
"""Maximum number of topics considered."""
FREEDOM = 1e8
"""Maximum degrees of freedom; beyond it the distributions do not change."""


class ScoreVariance(NamedTuple):
    """Variance of a score, with its degrees of freedom."""

    value: float
    freedom: int


def score_variance(scores: np.ndarray, way: str = TWO_WAY) -> ScoreVariance:
    """Variance of scores [system, topic] about the means of systems, or two-way of
    systems and topics (Sakai 2016).

    Two-way it is ``sum (x - system - topic + all)^2 / ((m - 1)(n - 1))``, one-way ``sum
    (x - system)^2 / (m (n - 1))``; the variance of a difference of two systems on a
    topic is twice the two-way one. Raises `ParamError` for fewer than two systems or
    topics.

    Examples
    --------
    >>> import numpy as np
    >>> found = score_variance(np.array([[0.1, 0.2, 0.6], [0.2, 0.4, 0.6]]))
    >>> round(found.value, 4), found.freedom
    (0.005, 2)
    """
    if way not in WAYS:
        raise ParamError(f"variance: expected one of {', '.join(WAYS)}, found {way!r}.")
    found = anova(scores)
    factors = slice(1, None) if way == ONE_WAY else slice(2, None)
    freedom = int(found.df[factors].sum())
    return ScoreVariance(float(found.squares[factors].sum()) / freedom, freedom)


def pool_variances(parts: Iterable[ScoreVariance]) -> ScoreVariance:
    """The pooled variance of several collections, weighted by degrees of freedom (Sakai
    2016). `ParamError` where there is none.

    Examples
    --------
    >>> pool_variances([ScoreVariance(0.04, 100), ScoreVariance(0.01, 200)])
    ScoreVariance(value=0.02, freedom=300)
    """
    known = list(parts)
    if not (freedom := sum(part.freedom for part in known)):
        raise ParamError("variance: expected at least one to pool, found none.")
    return ScoreVariance(sum(part.value * part.freedom for part in known) / freedom, freedom)


def resampled_variances(scores: np.ndarray, counts: np.ndarray, way: str = TWO_WAY) -> np.ndarray:
    """Variance of scores [system, topic] on resampled topics, from how often each is
    drawn [resample, topic]. It is multiplied by n / (n - 1) for n topics drawn, so that
    its mean over resamples is the variance of the scores. NaN if fewer than two are
    drawn.
    """
    check_scores(scores)
    m, n = len(scores), counts.sum(axis=1).astype(float)
    # a resample of one topic has no variance
    n[n < 2] = np.nan
    rest = scores - scores.mean(axis=0) if way == TWO_WAY else scores
    rest = rest - rest.mean(axis=1, keepdims=True)
    # sums of squares less squares of sums: one product for all resamples
    squares = counts @ np.square(rest).sum(axis=0) - np.square(counts @ rest.T).sum(axis=1) / n
    freedom = (m - 1) * (n - 1) if way == TWO_WAY else m * (n - 1)
    return np.asarray(np.maximum(squares, 0) / freedom * n / (n - 1))


def power(
    topics: Any,
    difference: Any,
    variance: Any,
    *,
    alpha: float = 0.05,
    systems: int = 2,
    paired: bool = True,
) -> np.ndarray:
    """Power: the probability that a test detects a difference of means on this many
    topics, from alpha to 1 [...]; exact.

    The paired test is the t test of two systems, whose square is a noncentral F with 1
    and n - 1 degrees of freedom. The other one is the one-way analysis of variance of m
    systems with m - 1 and m (n - 1), where the best and the worst lie `difference`
    apart and all others between them. The noncentrality is n difference^2 / (2
    variance) in both (Sakai 2016).

    Examples
    --------
    >>> unpaired = power(96, 0.05, 0.015, systems=10, paired=False)
    >>> power(96, 0.05, 0.015).round(3).item(), unpaired.round(3).item()
    (0.799, 0.45)
    """
    n = np.asarray(topics, dtype=np.float64)
    between = 1 if paired else systems - 1
    within = np.minimum(n - 1 if paired else systems * (n - 1), FREEDOM)
    with np.errstate(divide="ignore"):
        away = np.minimum(
            n * np.square(difference) / (2 * np.asarray(variance, dtype=np.float64)), 1e4
        )
    return np.asarray(
        1 - special.ncfdtr(between, within, away, special.fdtri(between, within, 1 - alpha))
    )


def interval_width(topics: Any, variance: Any, *, alpha: float = 0.05) -> np.ndarray:
    """Expected width [...] of the 1 - alpha interval of the difference of two systems on
    so many topics, under such a residual variance; both broadcast against each other
    (Sakai 2016).
    """
    n = np.asarray(topics, dtype=np.float64)
    deviation = (
        np.sqrt(2 / (n - 1))
        * special.poch((n - 1) / 2, 0.5)
        * np.sqrt(2 * np.asarray(variance, dtype=np.float64))
    )
    return np.asarray(
        2 * special.stdtrit(np.minimum(n - 1, FREEDOM), 1 - alpha / 2) * deviation / np.sqrt(n)
    )


def topics_for_power(
    difference: Any,
    variance: Any,
    *,
    alpha: float = 0.05,
    beta: float = 0.2,
    systems: int = 2,
    paired: bool = True,
) -> np.ndarray:
    """The fewest topics on which the test of `power` finds a difference with
    probability 1 - beta, int [...], at least 2.

    Raises `ParamError` for alpha or beta outside 0 to 1, a difference that is not above
    0, a variance below 0, and fewer than two systems.

    Examples
    --------
    >>> topics_for_power([0.05, 0.1], 0.015).tolist()
    [97, 26]
    """
    _check(difference, variance, alpha=alpha, beta=beta)
    if not systems >= 2:
        raise ParamError(f"systems: expected at least 2, found {systems}.")
    how: dict[str, Any] = {"alpha": alpha, "systems": systems, "paired": paired}
    return _fewest(lambda n, d, v: power(n, d, v, **how) >= 1 - beta, difference, variance)


def topics_for_interval(width: Any, variance: Any, *, alpha: float = 0.05) -> np.ndarray:
    """The fewest topics on which the 1 - alpha interval of a difference has at most
    this expected width, int [...], at least 2.

    Raises `ParamError` as `topics_for_power` does.

    Examples
    --------
    >>> topics_for_interval(0.1, 0.015).tolist()
    49
    """
    _check(width, variance, alpha=alpha)
    return _fewest(lambda n, d, v: interval_width(n, v, alpha=alpha) <= d, width, variance)


def _check(difference: Any, variance: Any, **levels: float) -> None:
    for name, level in levels.items():
        check_share(name, level)
    if not (np.asarray(difference) > 0).all():
        raise ParamError(f"difference: expected values above 0, found {np.min(difference)}.")
    if not (np.asarray(variance) >= 0).all():
        raise ParamError(f"variance: expected at least 0, found {np.min(variance)}.")


def _fewest(
    enough: Callable[[Any, Any, Any], np.ndarray], difference: Any, variance: Any
) -> np.ndarray:
    """The smallest sufficient n from 2 on for a difference and a variance [...], by
    bisection; `MAX_TOPICS` if none below is sufficient.
    """
    d, v = np.broadcast_arrays(np.asarray(difference, np.float64), np.asarray(variance, np.float64))
    low, high = np.full(d.shape, 1, np.int64), np.full(d.shape, 2, np.int64)
    # doubled until it is enough, then halved: all cells of a table at once
    while (short := ~enough(high, d, v) & (high < MAX_TOPICS)).any():
        low, high = np.where(short, high, low), np.where(short, 2 * high, high)
    while (high - low > 1).any():
        middle = (low + high) // 2
        found = enough(np.maximum(middle, 2), d, v)
        high, low = np.where(found, np.maximum(middle, 2), high), np.where(found, low, middle)
    return high


LEAST = 2
"""Minimum number of units from a stratum, since a variance needs two."""


def allocate(
    units: np.ndarray,
    deviation: np.ndarray,
    drawn: np.ndarray,
    variance: float,
    *,
    share: float = 0.0,
) -> np.ndarray:
    """The smallest sample per stratum for a required variance of the estimated total:
    Neyman's allocation, in proportion to size times standard deviation (Neyman 1934;
    Cochran 1977, 5.5, with strata that are drawn whole as in 5.8).

    `units` int [S] is the size N of each stratum, `deviation` float64 [S] the standard
    deviation within it, with N - 1. The result, int64 [S], is from the units already
    `drawn`, int [S], to all; it is at least `LEAST` and a `share` of each stratum, from
    0 to 1.
    """
    least = np.minimum(np.maximum(drawn, np.maximum(np.ceil(share * units), LEAST)), units)

    def sizes(times: float) -> np.ndarray:
        return np.clip(np.floor(times * units * deviation + 0.5), least, units).astype(np.int64)

    def enough(times: float) -> bool:
        return variance_of_total(units, deviation, sizes(times)) <= variance

    return sizes(_least(enough, deviation))


def _least(enough: Callable[[float], bool], deviation: np.ndarray) -> float:
    """The smallest sufficient factor, to twelve digits; the largest factor draws all
    units.
    """
    most = 1 / deviation[deviation > 0].min() if (deviation > 0).any() else 0.0
    low, high = 0.0, most
    if enough(low):
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def variance_of_total(units: np.ndarray, deviation: np.ndarray, sizes: np.ndarray) -> float:
    """Variance of the estimated total of a sample without replacement within strata
    [S]: sum of N^2 S^2 (1/n - 1/N) (Cochran 1977, 5.7).
    """
    parts = (units * deviation) ** 2 * (1 / np.maximum(sizes, 1) - 1 / np.maximum(units, 1))
    return float(parts[units > 0].sum())
