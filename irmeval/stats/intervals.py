"""Intervals over topics for means, statistics of counts and rank correlations, and over
trials for shares. Coverage: benchmarks/README.md.
"""

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from irmeval.core import parallel
from irmeval.core.lazy import special
from irmeval.stats.blocks import product
from irmeval.stats.bootstrap import resample_batches
from irmeval.stats.means import TIE, mean_of_known
from irmeval.stats.pairs import Differences, by_rows, by_topics, check_scores, check_share

TO_NO_NOISE = 1 / (np.sqrt(2) - 1)
"""Step from the noise of n topics to no noise, as a multiple of the step to double that
noise. It assumes that the loss grows with the standard deviation of the noise, as does
the number of pairs of means within that distance.
"""
LEVEL = 0.95
"""Level of an interval where nobody chooses another."""


def mean_interval(
    scores: np.ndarray,
    *,
    level: float = LEVEL,
    bounds: tuple[float, float] | np.ndarray = (-np.inf, np.inf),
) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of each system's mean score, corrected for skew, as (low,
    high), each [systems].

    mean + g s (2 t^2 + 1) / (6 n) -+ t s / sqrt(n), with g the skewness, s the standard
    deviation, and t Student's quantile with n - 1 degrees of freedom: Johnson (1978)
    with the second term of Hall (1983). It moves by at most half its width, so that it
    holds the mean, and is cut at `bounds`, the lowest and highest possible score, each
    a number or one per system. Scores [systems, topics]; a topic without a score for a
    system (NaN) is left out for that system. With fewer than two scores there is no
    interval (NaN).

    Equal scores c on n topics show that other scores are rare, not that there are none:
    with L = ((1 - level) / 2)^(1 / n), the least share of such topics that would often
    give n of them (Clopper & Pearson 1934), and all others at the lowest or the highest
    possible score, the interval of a score from 0 to 1 is from c L to c L + 1 - L.
    Without `bounds` it has no width.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.0, 0.2, 0.4, 0.6], [0.5, 0.5, 0.5, np.nan]])
    >>> low, high = mean_interval(scores, bounds=(0, 1))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.146], [0.711, 0.854])
    """
    check_share("level", level)
    ends, least, most = (
        np.full((len(scores), 2), np.nan),
        *(np.broadcast_to(bound, len(scores)) for bound in bounds),
    )
    for scored, rows in by_topics(~np.isnan(scores)):
        parallel.check_cancelled()
        if (n := int(scored.sum())) > 1:
            x = scores[np.ix_(rows, scored)]
            ends[rows] = _ends(x, level)
            equal = (
                (np.ptp(x, axis=1) <= TIE * np.abs(x).max(axis=1))
                & np.isfinite(least[rows])
                & np.isfinite(most[rows])
            )
            # equal scores have no spread, yet other topics may have other scores
            held, of = ((1 - level) / 2) ** (1 / n), rows[equal]
            ends[of, 0] = least[of] + held * (x[equal, 0] - least[of])
            ends[of, 1] = most[of] - held * (most[of] - x[equal, 0])
    low, high = np.clip(ends.T, least, most)
    return low, high


def difference_interval(
    scores: np.ndarray, *, level: float = LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """`mean_interval` of each difference in mean scores, as (low, high), each [...,
    pairs], from scores [..., systems, topics].

    Pairs are in the order of ``np.triu_indices(systems, 1)``; the second system is
    subtracted from the first.
    """
    scores = check_scores(scores)
    *lead, _, _ = scores.shape
    of_rows = partial(_ends, level=check_share("level", level))
    ends = [by_rows(of_rows, Differences(scores[m])) for m in np.ndindex(*lead)]
    low, high = np.moveaxis(np.reshape(ends, (*lead, -1, 2)), -1, 0)
    return low, high


def _ends(x: np.ndarray, level: float) -> np.ndarray:
    """Ends [rows, 2] of the interval of the mean of each row of x [rows, n], n at least
    2.
    """
    n = x.shape[1]
    t = student_quantile(level, n)
    above = x - x[:, :1]  # so that equal values have no width
    mean = above.mean(axis=1)
    w = above - mean[:, None]
    s = w.std(axis=1, ddof=1)
    half = t * s / np.sqrt(n)
    moved = np.divide(
        (w**3).mean(axis=1) * (2 * t * t + 1), 6 * n * s**2, out=np.zeros_like(s), where=s > 0
    )
    middle = x[:, 0] + mean + np.clip(moved, -half, half)
    return np.stack([middle - half, middle + half], axis=1)


def jackknife_interval(
    estimate: np.ndarray,
    left_out: np.ndarray,
    drawn: np.ndarray,
    *,
    level: float,
    bounds: tuple[np.ndarray, np.ndarray] | tuple[float, float],
) -> tuple[np.ndarray, np.ndarray]:
    """Student's interval of a statistic of counts that are summed over topics,
    corrected for skew, as (low, high), each [...].

    estimate -+ t s, with s the jackknife's standard error (Efron & Tibshirani 1993,
    Equation 11.5), and t Student's quantile with n - 1 degrees of freedom. It is moved
    half as far as `mean_interval`, as few topics estimate skew badly: by s g (2 t^2 +
    1) / 12, with g the skewness of the statistic on resampled topics, and by at most t
    s, so that it holds the estimate. It is cut at `bounds`, the lowest and highest
    possible value.

    `left_out` [n, ...] is the statistic without each topic in turn, `drawn` [samples,
    ...] that on resampled topics, where NaN is left out; `level` is a share. NaN for
    fewer than two topics, or where the statistic is undefined without one of them.
    """
    n = len(left_out)
    if n < 2:
        return np.full_like(estimate, np.nan), np.full_like(estimate, np.nan)
    t = student_quantile(check_share("level", level), n)
    half = t * np.sqrt((n - 1) * left_out.var(axis=0))
    count = np.isfinite(drawn).sum(axis=0)
    above = np.nan_to_num(drawn - np.nansum(drawn, axis=0) / np.maximum(count, 1))
    square, cube = ((above**power).sum(axis=0) / np.maximum(count, 1) for power in (2, 3))
    skew = np.divide(cube, square**1.5, out=np.zeros_like(cube), where=square**1.5 > 0)
    middle = estimate + half * np.clip(skew * (2 * t * t + 1) / (12 * t), -1, 1)
    # moved for skew, an end may pass the estimate by rounding
    low, high = np.clip([middle - half, middle + half], *bounds)
    return np.minimum(low, estimate), np.maximum(high, estimate)


def interval_around(
    estimate: float, drawn: np.ndarray, topics: int, level: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Interval, as (low, high), of a statistic that noise biases in one direction, such
    as a rank correlation.

    Resampled topics double the noise, so the mean of `drawn` is further from the value
    on very many topics than the estimate is. The value without noise is extrapolated:
    it lies on the other side of the estimate, `TO_NO_NOISE` times as far (Cook &
    Stefanski 1994). The interval spans all three values, and Student's t times the
    bootstrap's standard error on either side; so it holds the estimate.

    `drawn` [samples] are the values on resampled topics, where NaN is left out; `level`
    is a share; the interval is cut at `bounds`, the lowest and highest possible value.
    NaN where the estimate is undefined.
    """
    defined = drawn[np.isfinite(drawn)]
    if not (np.isfinite(estimate) and defined.size):
        return np.nan, np.nan
    mean = defined.mean()
    centres = estimate, mean, estimate - TO_NO_NOISE * (mean - estimate)
    half = student_quantile(level, topics) * defined.std() * np.sqrt(topics / (topics - 1))
    least, most = min(estimate, bounds[0]), max(estimate, bounds[1])  # rounding may put 1 above 1
    return float(max(min(centres) - half, least)), float(min(max(centres) + half, most))


def interval_of_error(
    estimate: float, error: float, freedom: float, *, level: float
) -> tuple[float, float, float]:
    """Student's interval of an estimate with a standard error and its degrees of
    freedom, and the two-sided p against 0: (low, high, p). Without an error, p is 1 for
    an estimate of 0, else 0. `level` is a share.

    Examples
    --------
    >>> [round(value, 3) for value in interval_of_error(0.5, 0.2, 9, level=0.9)]
    [0.133, 0.867, 0.034]
    """
    half = student_quantile(level, freedom + 1) * error
    return (
        estimate - half,
        estimate + half,
        (
            2 * float(special.stdtr(freedom, -abs(estimate) / error))
            if error
            else float(estimate == 0)
        ),
    )


def share_interval(
    shares: np.ndarray, size: float, *, level: float
) -> tuple[np.ndarray, np.ndarray]:
    """Interval of the mean share of clusters of `size` units each, as (low, high), each
    [...], from shares [..., cluster].

    It is that of Clopper & Pearson (1934) with an effective number of units: the number
    with which the mean would vary as it does between clusters (Korn & Graubard 1998,
    for their degrees of freedom), at most all units, and one per cluster where all
    clusters agree. The end nearer to one half counts at most one unit per cluster, as
    few clusters seldom include the rare ones in that direction. `level` is a share.

    Examples
    --------
    >>> [round(float(end), 3) for end in share_interval(np.ones(10), 7, level=0.95)]
    [0.692, 1.0]
    >>> shares = np.array([1, 0.8, 0.9, 1, 0.7, 0.9, 1, 0.8])
    >>> [round(float(end), 3) for end in share_interval(shares, 10, level=0.95)]
    [0.487, 0.962]
    """
    clusters, mean = shares.shape[-1], shares.mean(axis=-1)
    units = np.full_like(mean, clusters)
    if clusters > 1:
        # exactly 0 where all are equal
        spread = (shares - shares[..., :1]).var(axis=-1, ddof=1) / clusters
        quantiles = student_quantile(
            check_share("level", level), clusters * size
        ) / student_quantile(level, clusters)
        np.divide(mean * (1 - mean) * quantiles**2, spread, out=units, where=spread > 0)
    units = np.minimum(units, clusters * size)
    # few clusters seldom have one of the rare kind, so that end is wider
    few = np.minimum(units, clusters)
    high = _highest_share(mean, np.where(mean > 0.5, units, few), level)
    return 1 - _highest_share(1 - mean, np.where(mean > 0.5, few, units), level), high


def clustered_share_interval(
    hit: np.ndarray, cluster: np.ndarray, *, level: float
) -> tuple[float, float]:
    """`share_interval` of the share of units that are hit, in clusters of different
    sizes, as (low, high).

    The share is a ratio of two sums over clusters: a cluster departs from it by its
    hits minus that share of its units (Cochran 1977, 6.3). `hit` bool [unit], `cluster`
    int [unit], from 0; `level` is a share.

    Examples
    --------
    >>> import numpy as np
    >>> hit, cluster = np.array([1, 1, 1, 1, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2, 3, 4])
    >>> low, high = clustered_share_interval(hit, cluster, level=0.95)
    >>> bool(low < 0.75 < high)
    True
    """
    units, hits = np.bincount(cluster), np.bincount(cluster, hit)
    # the mean of clusters' shares would weigh a small cluster like a large one
    share, size = float(hits.sum() / units.sum()), float(units.mean())
    low, high = share_interval(share + (hits - share * units) / size, size, level=level)
    return min(float(low), share), max(float(high), share)


def _highest_share(share: np.ndarray, units: np.ndarray, level: float) -> np.ndarray:
    """Upper limit at a level: the highest true share that gives a share this low with
    the remaining probability.
    """
    others = units * (1 - share)
    return np.where(
        others == 0,
        1.0,
        special.betaincinv(units * share + 1, np.where(others == 0, 1.0, others), (1 + level) / 2),
    )


def correlation_intervals(
    correlations: Iterable[tuple[Callable[[np.ndarray, np.ndarray], np.ndarray], float]],
    x: np.ndarray,
    y: np.ndarray,
    *,
    samples: int,
    seed: int,
    level: float,
) -> np.ndarray:
    """Correlations of two orders of systems by their means, each with the limits of
    `interval_around` at `level` per cent, float64 [correlation, 3]; NaN if undefined.

    Each correlation is given with its lowest possible value. x, y float64 [systems,
    topics] are the same systems by two measures or judges, on at least two topics.
    Resamples in which a correlation is undefined are left out.
    """
    topics = x.shape[1]
    means = np.empty((2, samples, len(x)))
    for at, drawn in resample_batches(np.random.default_rng(seed), samples, topics):
        # counts become weights in place: a copy would double the memory
        drawn /= topics
        for of, scores in zip(means, (x, y), strict=True):
            product(drawn, scores.T, out=of[at])
    found = []
    for compute, lowest in correlations:
        estimate = float(compute(mean_of_known(x), mean_of_known(y)))
        found.append(
            (
                estimate,
                *interval_around(estimate, compute(*means), topics, level / 100, (lowest, 1.0)),
            )
        )
    return np.array(found, float)


def student_quantile(level: float, n: float) -> float:
    """The value that the absolute Student's t with n - 1 degrees of freedom stays below
    with probability `level`.
    """
    return float(special.stdtrit(n - 1, (1 + level) / 2))
