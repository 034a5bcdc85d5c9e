"""Correlations of two rankings of the same systems. Higher scores rank first; leading
axes broadcast against each other.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from itertools import combinations
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import stats
from irmeval.core.registry import Registry
from irmeval.stats.means import tied
from irmeval.stats.pairs import check_share

MANY = 200
"""Number of systems from which the distribution of tau is treated as normal."""
CELLS = 2**18
"""Scores, or systems, per block: few enough for a processor's cache."""
FEW = 2**12
"""Number of comparisons up to which comparing all scores with each other is faster than
sorting.
"""


def _part_by_part(compute: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """Extend a correlation of rows [rows, systems] to any leading axes, block by block,
    on scores whose ties are equal (`tied`). A row with a NaN, or of one system, gives
    NaN.
    """

    @wraps(compute)
    def over(x: np.ndarray, y: np.ndarray, **more: Any) -> np.ndarray:
        x, y = np.broadcast_arrays(x, y)
        if x.ndim > 2 and x.size > CELLS:
            return np.reshape(
                [over(*parts, **more) for parts in zip(x, y, strict=True)], x.shape[:-1]
            )
        if x.size > CELLS and len(x) > (step := max(1, CELLS // x.shape[-1])) and x.ndim > 1:
            return np.concatenate(
                [over(x[i : i + step], y[i : i + step], **more) for i in range(0, len(x), step)]
            )
        known = ~np.isnan(x + y).any(axis=-1) & (x.shape[-1] > 1)
        value = np.full(x.shape[:-1], np.nan)
        if known.any():
            value[known] = compute(tied(x[known]), tied(y[known]), **more)
        return value[()]

    return over


@_part_by_part
def tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b between the last axes of x and y, which broadcast against each
    other; NaN where one is constant.

    Ties count as in Kendall (1945): (concordant - discordant) / sqrt(pairs untied in x
    * pairs untied in y), from -1 to 1.
    """
    of_x, of_y = find_standing(x), find_standing(y)
    agree, disagree = _above_in_both(of_x, of_y)
    with np.errstate(invalid="ignore"):
        return (agree - disagree).sum(axis=-1) / np.sqrt(
            of_x.above.sum(axis=-1) * of_y.above.sum(axis=-1)
        )


def tau_of_long(vectors: Sequence[np.ndarray]) -> np.ndarray:
    """Tau-b between vectors [vector, vector] that are too long for all pairs of values
    in memory, such as orders of run pairs.
    """
    tau = np.full((len(vectors), len(vectors)), np.nan)
    vectors = [tied(values) for values in vectors]
    # neither constant nor with a NaN
    known = [v for v, values in enumerate(vectors) if np.ptp(values) > 0]
    tau[known, known] = 1
    for y, x in combinations(known, 2):
        tau[x, y] = tau[y, x] = stats.kendalltau(vectors[x], vectors[y]).statistic
    return tau


@_part_by_part
def tau_a(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau [...] of x and y [..., system] without regard to ties: (concordant -
    discordant) / all pairs, from -1 to 1 (Kendall 1938).

    A tied pair is neither, so that tied rankings do not reach 1 even with themselves.
    """
    agree, disagree = _above_in_both(find_standing(x), find_standing(y))
    return (agree - disagree).sum(axis=-1) / _pairs(x)


@_part_by_part
def tau_of_disagreements(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's distance of x and y [..., system] as a correlation [...]: 1 less twice
    the share of the pairs in opposite orders, from -1 to 1 (Bompada et al. 2007,
    Section 4).

    A pair that is tied in one of the rankings does not disagree, so that a ranking
    reaches 1 with itself; NaN where one is constant. Without ties it is tau-a.
    """
    of_x, of_y = find_standing(x), find_standing(y)
    ranked = of_x.above.any(axis=-1) & of_y.above.any(axis=-1)
    _, disagree = _above_in_both(of_x, of_y)
    return np.where(ranked, 1 - 2 * (disagree.sum(axis=-1) / _pairs(x)), np.nan)


@_part_by_part
def count_disagreements(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The number [...] of pairwise disagreements: pairs that the two rankings [...,
    system] have in opposite orders (Bompada et al. 2007, Section 4). A tied pair does
    not disagree.
    """
    _, disagree = _above_in_both(find_standing(x), find_standing(y))
    return disagree.sum(axis=-1).astype(float)


@_part_by_part
def tau_ap(x: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank correlation [...] of x with a gold ranking, both [..., system], that weighs
    disorder near the top of x most, from -1 to 1.

    2 / (n - 1) sum over ranks i > 1 of C(i) / (i - 1), less 1, C(i) being how many of
    the systems above rank i of x are rightly above its system (Yilmaz, Aslam &
    Robertson 2008). Not symmetric. With ties: the mean over all ways to break them in
    either ranking, as tau_ap,a of Urbano & Marrero (2017).
    """
    n = x.shape[-1]
    above, below = of_x = find_standing(x)
    agree, disagree = _above_in_both(of_x, find_standing(gold))
    tied = n - above - below
    # in a tie a system has `above` to `above + tied - 1` systems above it, all equally likely;
    # within the tie, each order and its reverse cancel out
    harmonic = np.concatenate([[0, 0], np.cumsum(1 / np.arange(1, n))])
    weight = (harmonic[above + tied] - harmonic[above]) / tied
    return (weight * (agree - disagree)).sum(axis=-1) / (n - 1)


@_part_by_part
def spearman(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Spearman's rho [...] of x and y [..., system]: Pearson's correlation of the ranks,
    ties at their mean rank, from -1 to 1; NaN where one is constant.
    """
    # the number of systems below less that above is twice the centred rank
    a, b = (below - above for above, below in (find_standing(x), find_standing(y)))
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1))


@_part_by_part
def rbo(x: np.ndarray, y: np.ndarray, *, p: float = 0.9) -> np.ndarray:
    """Rank-biased overlap [...] of x and y [..., system], extrapolated: expected overlap
    seen by a reader who goes on to the next rank with probability p.

    From 0 to 1, and 1 for equal rankings (Webber, Moffat & Zobel 2010, eq. 23). Tied
    systems share the first of their ranks, and the overlap at a depth is 2 |S & T| /
    (|S| + |T|).
    """
    check_share("p", p)
    n = x.shape[-1]
    depth = np.arange(1, n + 1)
    above = [find_standing(s).above for s in (x, y)]

    def down_to(place: np.ndarray) -> np.ndarray:
        """Number of systems at each depth or above."""
        cells = place + n * np.arange(len(place))[:, None]
        return np.bincount(cells.ravel(), minlength=place.size).reshape(place.shape).cumsum(axis=-1)

    agreement = 2 * down_to(np.maximum(*above)) / (down_to(above[0]) + down_to(above[1]))
    # beyond the last depth, which holds all systems in both, agreement no longer changes
    weight = (1 - p) * p ** (depth - 1.0)
    weight[-1] = p ** (depth[-1] - 1.0)
    return (agreement * weight).sum(axis=-1)


def count_opposed_pairs(
    x: np.ndarray, y: np.ndarray, equal: float = 0.0
) -> tuple[int, tuple[int, int]]:
    """Number of pairs that x and y [values] order in opposite ways, and the first such
    pair, or (0, 0). Differences up to `equal` do not count.
    """
    count, first = 0, (0, 0)
    for i in range(len(x)):
        more, less = x[i + 1 :] - x[i], y[i + 1 :] - y[i]
        against = ((more > equal) & (less < -equal)) | ((more < -equal) & (less > equal))
        if not count and against.any():
            first = i, i + 1 + int(against.argmax())
        count += int(against.sum())
    return count, first


def critical_tau(n: int, *, alpha: float = 0.01) -> float:
    """The smallest tau between rankings of n systems, without ties, that is significant
    at level alpha, two-sided.

    It is computed from the exact distribution of tau over all rankings (Kendall 1938),
    from `MANY` systems on from the normal distribution, which is as good there. NaN
    where n is too small for any tau to be significant.
    """
    check_share("alpha", alpha)
    if n >= MANY:
        return float(
            NormalDist().inv_cdf(1 - alpha / 2) * np.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
        )
    chance = np.ones(1)
    for k in range(2, n + 1):
        # the k-th system is discordant with 0 to k - 1 of those before it, all equally likely
        chance = np.convolve(chance, np.full(k, 1 / k))
    discordant = np.searchsorted(2 * np.cumsum(chance), alpha, side="right") - 1
    return float(1 - 4 * discordant / (n * (n - 1))) if discordant >= 0 else np.nan


def kendall_w(values: np.ndarray) -> float:
    """Kendall's coefficient of concordance of rankings of the same systems, values
    [ranking, system]: 0 is no agreement, 1 the same order.

    W = 12 S / (k^2 (n^3 - n) - k sum (t^3 - t)), with k rankings of n systems, S the
    sum of squared deviations of the systems' rank sums from their mean, and t the
    systems in each group of ties, at their mean rank (Kendall & Babington Smith 1939;
    Kendall 1970, Chapter 6). NaN for fewer than two rankings or systems, and where all
    rankings are constant. `ParamError` for values that are NaN.

    Examples
    --------
    >>> kendall_w(np.array([[0.9, 0.5, 0.1], [0.8, 0.4, 0.3], [0.2, 0.7, 0.1]]))
    0.7777777777777778
    """
    values = tied(values)
    if values.ndim != 2 or np.isnan(values).any():
        raise ParamError("values: expected known values [ranking, system].")
    k, n = values.shape
    above, below = find_standing(values)
    ties = sum(
        int((count**3 - count).sum())
        for row in values
        for count in [np.unique(row, return_counts=True)[1]]
    )
    most = k * k * (n**3 - n) - k * ties
    twice = (below - above).sum(axis=0)  # of each rank sum, less its mean
    return 3 * float(twice @ twice) / most if k > 1 and most else np.nan


def chance_of_w(rankings: int, systems: int) -> float:
    """The 95th percentile of Kendall's W over random orders without ties, from 10,000
    draws.

    Examples
    --------
    >>> chance_of_w(2, 4)
    0.9
    """
    rng = np.random.default_rng(1)
    ranks = rng.permuted(
        np.broadcast_to(np.arange(systems, dtype=np.float64), (10_000, rankings, systems)), axis=-1
    )
    sums = ranks.sum(axis=1) - rankings * (systems - 1) / 2
    w = 12 * (sums**2).sum(axis=-1) / (rankings**2 * (systems**3 - systems))
    return float(np.quantile(w, 0.95, method="higher"))


class Standing(NamedTuple):
    """Number of systems with a higher score, and with a lower one, int [rows, systems];
    ties count as neither.
    """

    above: np.ndarray
    below: np.ndarray


def find_standing(x: np.ndarray) -> Standing:
    """Rank of each system by its score [rows, systems]."""
    n = x.shape[-1]
    if x.size * n <= FEW:
        return Standing(
            *(compare(x[:, None], x[:, :, None]).sum(axis=-1) for compare in (np.greater, np.less))
        )
    order = np.argsort(x, axis=-1) + n * np.arange(len(x))[:, None]
    _, first, size = find_ties(x.take(order))
    above, below = np.empty((2, x.size), np.intp)
    below[order.ravel()] = np.repeat(first, size)
    above[order.ravel()] = np.repeat(n - first - size, size)
    return Standing(above.reshape(x.shape), below.reshape(x.shape))


def find_ties(rising: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, place of the first value, and number of values of each tie in ascending rows
    [rows, n]; a value that no other has is one too.
    """
    new = np.ones(rising.shape, bool)
    np.greater(rising[:, 1:], rising[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    row = start // rising.shape[1]
    return row, start - row * rising.shape[1], np.diff(start, append=rising.size)


def _above_in_both(x: Standing, y: Standing) -> tuple[np.ndarray, np.ndarray]:
    """Of the systems above each one in x, the numbers above and below it in y, int
    [rows, systems].
    """
    rows, n = x.above.shape
    kind = np.min_scalar_type(n)
    # rows come last, so that each step for a system is done for all rows at once
    of_x, of_y = (s.above.T.astype(kind, order="C") for s in (x, y))
    agree, disagree = np.empty((2, n, rows), np.int64)
    step = max(1, min(n, CELLS // (rows * n)))
    room = np.empty((2, step, n, rows), bool)
    for some in (slice(i, i + step) for i in range(0, n, step)):
        higher, both = room[:, : len(of_x[some])]
        np.less(of_x, of_x[some, None], out=higher)
        for counted, compare in ((agree, np.less), (disagree, np.greater)):
            compare(of_y, of_y[some, None], out=both)
            both &= higher
            counted[some] = both.view(np.uint8).sum(axis=1, dtype=kind)
    return np.ascontiguousarray(agree.T), np.ascontiguousarray(disagree.T)


def _pairs(x: np.ndarray) -> int:
    return x.shape[-1] * (x.shape[-1] - 1) // 2


class Correlation(NamedTuple):
    """A rank correlation, and whether Kendall's critical value applies to it."""

    label: str
    meaning: str
    compute: Callable[[np.ndarray, np.ndarray], np.ndarray]
    kendall: bool = False


CORRELATIONS: Registry[Correlation] = Registry("correlation")
for _name, _correlation in {
    "tau_b": Correlation(
        "Kendall's tau",
        "pairs of runs in the same order minus those in opposite orders, corrected for ties",
        tau_b,
        True,
    ),
    "tau_a": Correlation(
        "Kendall's tau-a", "the same over all pairs, so that tied runs keep it below 1", tau_a, True
    ),
    "disagreements": Correlation(
        "Kendall's tau, of disagreements",
        "1 minus twice the share of pairs in opposite orders, as in Bompada et al.",
        tau_of_disagreements,
        True,
    ),
    "tau_ap": Correlation(
        "tau AP",
        "disorder near the top weighs most; the second order (the column, the full judgments) is"
        " the reference",
        tau_ap,
    ),
    "spearman": Correlation("Spearman's rho", "correlation of the ranks", spearman),
    "rbo": Correlation("RBO (p 0.9)", "overlap of the top ranks, from 0 to 1", rbo),
}.items():
    CORRELATIONS.add(_name, _correlation)
