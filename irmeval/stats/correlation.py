"""How alike two rankings of the same systems are. Higher scores rank first; leading axes broadcast against each other."""

from collections.abc import Callable
from functools import wraps
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from irmeval.registry import Registry
from irmeval.stats.pairs import check_share

MANY = 200
"""Systems from which on the distribution of tau over all rankings is taken for normal."""


def _part_by_part(compute: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The same, with all but the last two axes taken one by one, as every pair of systems needs room; NaN where a score is, or is alone."""

    @wraps(compute)
    def over(x: np.ndarray, y: np.ndarray, **more: Any) -> np.ndarray:
        x, y = np.broadcast_arrays(x, y)
        if x.ndim > 2:
            return np.reshape([over(x[i], y[i], **more) for i in np.ndindex(x.shape[:-2])], x.shape[:-1])
        known = ~np.isnan(x + y).any(axis=-1) & (x.shape[-1] > 1)
        value = np.full(x.shape[:-1], np.nan)
        if known.any():
            value[known] = compute(x[known], y[known], **more)
        return value[()]

    return over


@_part_by_part
def tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b between the last axes of x and y, which broadcast against each other; NaN where one is constant.

    Ties count as in Kendall (1945): (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y), from -1 to 1.
    """
    a, b = _signs(x), _signs(y)
    untied = np.count_nonzero(a, axis=-1) * np.count_nonzero(b, axis=-1)
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt(untied)


def tau_of_long(x: np.ndarray, y: np.ndarray) -> float:
    """Tau-b of two vectors too long for their pairs to be held at once, as orders of run pairs are; in n log n steps."""
    from scipy.stats import kendalltau

    return float(kendalltau(x, y).statistic) if np.ptp(x) and np.ptp(y) else np.nan


@_part_by_part
def tau_a(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau without regard to ties: (concordant - discordant) / all pairs, from -1 to 1 (Kendall 1938).

    A tied pair is neither, so that tied rankings do not reach 1 even with themselves.
    """
    return (_signs(x) * _signs(y)).mean(axis=-1)


@_part_by_part
def tau_of_disagreements(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's distance as a correlation: 1 less twice the share of the pairs in opposite orders, from -1 to 1 (Bompada et al. 2007,
    Section 4).

    A pair that is tied in one of the rankings does not disagree, so that a ranking reaches 1 with itself; NaN where one is constant.
    Without ties it is tau-a.
    """
    a, b = _signs(x), _signs(y)
    ranked = a.any(axis=-1) & b.any(axis=-1)
    return np.where(ranked, 1 - 2 * (a * b < 0).mean(axis=-1), np.nan)


@_part_by_part
def tau_ap(x: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank correlation of x with a gold ranking in which disorder near the top of x weighs most, from -1 to 1.

    2 / (n - 1) sum over ranks i > 1 of C(i) / (i - 1), less 1, C(i) being how many of the systems above rank i of x are rightly
    above its system (Yilmaz, Aslam & Robertson 2008). Not symmetric. With ties: the mean over all ways to break them
    in either ranking, as tau_ap,a of Urbano & Marrero (2017).
    """
    n = x.shape[-1]
    order = np.sign(gold[..., None, :] - gold[..., :, None])
    better = x[..., None, :] > x[..., :, None]
    above = better.sum(axis=-1)
    tied = (x[..., None, :] == x[..., :, None]).sum(axis=-1)
    # a system tied with others stands below `above` to `above + tied - 1` systems, each as likely as the next;
    # within the tie, each order and its reverse cancel out
    harmonic = np.concatenate([[0, 0], np.cumsum(1 / np.arange(1, n))])
    weight = (harmonic[above + tied] - harmonic[above]) / tied
    return (weight * (better * order).sum(axis=-1)).sum(axis=-1) / (n - 1)


@_part_by_part
def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho: Pearson's correlation of the ranks, ties at their mean rank, from -1 to 1; NaN where one is constant."""
    # how many systems one is above less how many it is below is twice its rank, centred
    a, b = (np.sign(s[..., :, None] - s[..., None, :]).sum(axis=-1) for s in (x, y))
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))


@_part_by_part
def rbo(x: np.ndarray, y: np.ndarray, *, p: float = 0.9) -> np.ndarray:
    """Rank-biased overlap, extrapolated: expected overlap seen by a reader who goes on to the next rank with probability p.

    From 0 to 1, and 1 for equal rankings (Webber, Moffat & Zobel 2010, eq. 23). Tied systems share the first of their
    ranks, and the overlap at a depth is 2 |S & T| / (|S| + |T|).
    """
    check_share("p", p)
    depth = np.arange(1, x.shape[-1] + 1)
    in_x, in_y = ((s[..., None, :] > s[..., :, None]).sum(axis=-1)[..., None] < depth for s in (x, y))
    agreement = 2 * (in_x & in_y).sum(axis=-2) / (in_x.sum(axis=-2) + in_y.sum(axis=-2))
    # from the last depth on, where all systems are in both, agreement stays what it is there
    weight = (1 - p) * p ** (depth - 1.0)
    weight[-1] = p ** (depth[-1] - 1.0)
    return (agreement * weight).sum(axis=-1)


def critical_tau(n: int, *, alpha: float = 0.01) -> float:
    """The smallest tau between rankings of n systems, without ties, that is significant at level alpha, two-sided.

    From the exact distribution of tau over all rankings (Kendall 1938), from `MANY` on from the normal one, which is as good there; NaN
    where n is too small for any tau to be significant.
    """
    check_share("alpha", alpha)
    if n >= MANY:
        return float(NormalDist().inv_cdf(1 - alpha / 2) * np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1))))
    chance = np.ones(1)
    for k in range(2, n + 1):
        # the k-th system is discordant with 0 to k - 1 of those before, all as likely
        chance = np.convolve(chance, np.full(k, 1 / k))
    discordant = np.searchsorted(2 * np.cumsum(chance), alpha, side="right") - 1
    return float(1 - 4 * discordant / (n * (n - 1))) if discordant >= 0 else np.nan


def _signs(x: np.ndarray) -> np.ndarray:
    """For each pair of systems, which scores more: 1 the first, -1 the second, 0 neither."""
    i, j = np.triu_indices(x.shape[-1], 1)
    return np.sign(x[..., i] - x[..., j])


class Correlation(NamedTuple):
    """A rank correlation, and whether Kendall's critical value applies to it."""

    label: str
    meaning: str
    compute: Callable[[np.ndarray, np.ndarray], np.ndarray]
    kendall: bool = False


CORRELATIONS: Registry[Correlation] = Registry("correlation")
for _name, _correlation in {
    "tau_b": Correlation("Kendall's tau", "pairs of runs in the same order less those in the other, ties accounted for", tau_b, True),
    "tau_a": Correlation("Kendall's tau-a", "the same over all pairs, so that runs that tie keep it below 1", tau_a, True),
    "disagreements": Correlation(
        "Kendall's tau, of disagreements",
        "1 less twice the share of pairs in opposite orders, as Bompada et al.",
        tau_of_disagreements,
        True,
    ),
    "tau_ap": Correlation(
        "tau AP", "disorder near the top weighs most; the second order (the column, the full judgments) is taken as right", tau_ap
    ),
    "spearman": Correlation("Spearman's rho", "correlation of the ranks", spearman),
    "rbo": Correlation("RBO (p .9)", "overlap of the top ranks, from 0 to 1", rbo),
}.items():
    CORRELATIONS.add(_name, _correlation)
