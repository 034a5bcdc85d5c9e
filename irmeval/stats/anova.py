"""Analysis of variance of systems and topics, and Tukey's honestly significant
differences of all pairs of systems.

Also the mean effect of several studies, where the true effect differs between them.
"""

from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import interpolate, optimize, special
from irmeval.stats.intervals import interval_of_error
from irmeval.stats.pairs import Pairs, check_scores, check_share

OTHERS = "other topics"
"""Systems are compared for other topics, of which these are a sample."""
THESE = "these topics"
"""Systems are compared for these topics alone."""
SYSTEMS = "systems"
"""Factor: the systems."""
TOPICS = "topics"
"""Factor: the topics."""
BOTH = "systems x topics"
"""Factor: the interaction of systems and topics."""
SHARDS = "shards in topics"
"""Factor: the shards of documents within topics."""
RESIDUAL = "residual"
"""Residual: variance that no factor explains."""
STEP = 0.02
"""Distance of the tabulated points of the range of normal deviates."""
NODES = 200
"""Points of a numerical integral."""
MANY = 2001
"""Number of pairs from which the studentised range is read off a curve."""


@dataclass(frozen=True, eq=False)
class Anova:
    """An analysis of variance."""

    factors: tuple[str, ...]
    """the last is the residual"""
    squares: np.ndarray
    """float64 [factor], sums of squares"""
    df: np.ndarray
    """int [factor], degrees of freedom"""
    against: np.ndarray
    """int [factor], the factor whose mean square is the denominator of F; -1 for the
    residual
    """
    means: np.ndarray
    """float64 [system]"""
    observations: int
    """number of scores of each system"""

    @cached_property
    def mean_squares(self) -> np.ndarray:
        """Sums of squares over degrees of freedom [factor]."""
        return self.squares / self.df

    @cached_property
    def F(self) -> np.ndarray:
        """Mean square over that of the error [factor]; NaN of the residual, and where
        both are 0.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                self.against < 0, np.nan, self.mean_squares / self.mean_squares[self.against]
            )

    @cached_property
    def p(self) -> np.ndarray:
        """Probability of an F this large if the factor makes no difference [factor]."""
        return np.where(
            np.isinf(self.F),
            0.0,
            special.fdtrc(self.df, self.df[self.against], np.where(np.isinf(self.F), 1.0, self.F)),
        )

    @cached_property
    def share(self) -> np.ndarray:
        """Share of the total variance, eta squared [factor], from 0 to 1; NaN without
        variance.
        """
        with np.errstate(invalid="ignore"):
            return self.squares / self.squares.sum()

    @cached_property
    def omega(self) -> np.ndarray:
        """Omega squared, the estimated share of variance in the population [factor]:
        (SS - df MS_error) / (SS_total + MS_error), at most 1, below 0 if a factor
        explains less than expected by chance; NaN of the residual.
        """
        error = self.mean_squares[self.against]
        with np.errstate(invalid="ignore"):
            return np.where(
                self.against < 0,
                np.nan,
                (self.squares - self.df * error) / (self.squares.sum() + error),
            )

    @property
    def error(self) -> int:
        """Index of the factor whose mean square is the error of the differences of
        systems.
        """
        return int(self.against[0])


def anova(scores: np.ndarray, *, holds_for: str = OTHERS) -> Anova:
    """Analyse the variance of scores [systems, topics], or with replicates [systems,
    topics, shards].

    Without replicates the factors are systems and topics (Tague-Sutcliffe & Blustein
    1995); the residual is their interaction and chance. With replicates there are also
    systems x topics and shards in topics, as each topic has its own shards. The error
    of systems is then systems x topics, to hold for other topics; F is that of the
    two-way analysis of the mean over shards. Or it is the residual, to hold for these
    topics (Ferro & Sanderson 2022). The error of all other factors is the residual.

    Raises `ParamError` for scores that are not finite, fewer than two systems or
    topics, or another word for `holds_for`.

    Examples
    --------
    >>> import numpy as np
    >>> found = anova(np.array([[0.1, 0.2, 0.6], [0.2, 0.4, 0.6]]))
    >>> found.factors, found.squares.round(3).tolist(), found.F[:2].round(2).tolist()
    (('systems', 'topics', 'residual'), [0.015, 0.21, 0.01], [3.0, 21.0])
    """
    if holds_for not in (OTHERS, THESE):
        raise ParamError(f"holds_for: expected {OTHERS} or {THESE}, found {holds_for!r}.")
    scores = np.asarray(scores, dtype=np.float64)
    cells = scores if scores.ndim == 3 else scores[..., None]
    systems, n, shards = cells.shape
    check_scores(cells.reshape(systems, -1))
    check_scores(cells.mean(axis=2))
    grand, of_systems, of_topics, of_cells = (
        cells.mean(),
        cells.mean(axis=(1, 2)),
        cells.mean(axis=(0, 2)),
        cells.mean(axis=2),
    )
    between = (
        np.square(of_systems - grand).sum() * n * shards,
        np.square(of_topics - grand).sum() * systems * shards,
    )
    rest = of_cells - of_systems[:, None] - of_topics + grand
    interaction = np.square(rest).sum() * shards
    a, b = systems - 1, n - 1
    squares, df, against = [*between, interaction], [a, b, a * b], [2, 2, -1]
    if shards > 1:
        against = [2 if holds_for == OTHERS else 4, 4, 4, 4, -1]
        of_shards = cells.mean(axis=0)
        squares.append(np.square(of_shards - of_topics[:, None]).sum() * systems)
        squares.append(
            np.square(cells - of_cells[..., None] - of_shards + of_topics[:, None]).sum()
        )
        df += [n * (shards - 1), a * n * (shards - 1)]
    # a square of rounding errors would give equal systems an F of any size
    noise = scores.size * np.square(8 * np.finfo(float).eps * np.abs(scores).max())
    known = np.where(np.array(squares) <= noise, 0, squares)  # within rounding
    factors = (
        (SYSTEMS, TOPICS, RESIDUAL) if shards == 1 else (SYSTEMS, TOPICS, BOTH, SHARDS, RESIDUAL)
    )
    return Anova(factors, known, np.array(df), np.array(against), of_systems, n * shards)


def tukey_differences(found: Anova) -> Pairs:
    """Difference and p of every pair of systems by Tukey's HSD (Tukey 1953), each
    [pairs].

    p is the chance that, were all systems equal, the largest difference of any two
    would be so large. It accounts for the number of pairs, so it needs no correction.
    It is within 1e-6 of the studentised range, and 1 for a pair that is equal.
    """
    a, b = np.triu_indices(len(found.means), 1)
    difference = found.means[a] - found.means[b]
    scale = np.sqrt(found.mean_squares[found.error] / found.observations)
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.abs(difference) / scale
    # 0 / 0 where neither systems nor topics differ
    equal = np.abs(difference) <= 8 * np.finfo(float).eps * np.abs(found.means).max()
    p = np.where(
        equal, 1.0, range_tail(np.where(equal, 0, q), len(found.means), int(found.df[found.error]))
    )
    return Pairs(np.where(equal, 0, difference), p)


def critical_difference(found: Anova, alpha: float = 0.05) -> float:
    """The smallest significant difference of two means by Tukey's HSD at level
    alpha.
    """
    systems, df = len(found.means), int(found.df[found.error])
    high = 8.0
    while range_tail(np.array([high]), systems, df)[0] > alpha:
        high *= 2
    # the tail has no inverse in closed form, and is continuous and falling
    q = optimize.brentq(lambda q: range_tail(np.array([q]), systems, df)[0] - alpha, 0, high)
    return float(q * np.sqrt(found.mean_squares[found.error] / found.observations))


def range_tail(q: np.ndarray, systems: int, df: int) -> np.ndarray:
    """Probability that the studentised range of as many normal deviates as systems
    exceeds q [...], within 1e-6 for q up to 100.

    The range of deviates of known variance is interpolated between points `STEP` apart,
    and integrated over the estimated deviation by Gauss's quadrature. SciPy integrates
    for each q, which takes a minute for the pairs of 126 systems.
    """
    if systems == 2:
        return np.asarray(2 * special.stdtr(df, -np.asarray(q) / np.sqrt(2)))
    spread = 8 / np.sqrt(2 * df)
    low, high = max(0.0, 1 - spread), 1 + spread
    s, weight = _nodes(low, high)
    half = df / 2
    density = (
        np.exp(
            half * np.log(half)
            - special.gammaln(half)
            + np.log(2)
            + (df - 1) * np.log(s)
            - half * s * s
        )
        * weight
    )
    values = np.asarray(q, dtype=np.float64)
    # of thousands of pairs a curve through `MANY` points is as exact and much faster
    if values.size > MANY:
        return np.asarray(np.clip(_curve(systems, df)(np.minimum(values, 40)), 0, 1))
    return np.clip(_above(systems)(np.minimum(values[..., None] * s, _FAR)) @ density, 0, 1)


@lru_cache(64)
def _curve(systems: int, df: int) -> Any:
    """Smooth curve of `range_tail` from 0 to 40, for many pairs. With so many systems,
    hardly any q is larger.
    """
    at = np.linspace(0, 40, MANY)
    return interpolate.CubicSpline(at, range_tail(at, systems, df))


_FAR = 16.0
"""Upper limit that the range of thousands of normal deviates exceeds with probability
1e-20.
"""


@cache
def _above(systems: int) -> Any:
    """Probability that the range of as many standard normal deviates as systems exceeds
    a number from 0 to `_FAR`, as a smooth curve.
    """
    at = np.arange(0, _FAR + STEP / 2, STEP)
    z, weight = _nodes(-9, 9)
    # the lowest deviate is z, and all others lie within the width above it
    within = special.ndtr(z + at[:, None]) - special.ndtr(z)
    chance = within ** (systems - 1) @ (systems * weight * np.exp(-z * z / 2) / np.sqrt(2 * np.pi))
    return interpolate.CubicSpline(at, 1 - chance)


def _nodes(low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights of Gauss's quadrature in an interval."""
    x, weight = _unit()
    return (high - low) / 2 * x + (high + low) / 2, (high - low) / 2 * weight


@cache
def _unit() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(NODES)


class Pooled(NamedTuple):
    """Mean effect over studies, and its variation between studies."""

    mean: float
    """weighted by the inverse of each study's variance plus the variance between
    studies; NaN if no study has an effect
    """
    low: float
    """lower end of the interval of the mean; NaN for one study"""
    high: float
    """upper end; NaN for one study"""
    p: float
    """two-sided, against a mean of 0; NaN for one study"""
    between: float
    """standard deviation of the true effects over studies, in the unit of the effects,
    at least 0; NaN for one study
    """
    inconsistency: float
    """I squared, the share of the variance of the effects that is not due to chance
    within studies, 0 to 1; NaN for one study
    """
    weights: np.ndarray
    """float64 [study], each study's share of the mean, summing to 1; 0 for a study
    without an effect
    """
    studies: int
    """number of studies with an effect"""


def _checked_effects(effects: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Effects and their standard errors as float64 [study]. Raises `ParamError`."""
    effects, errors = np.asarray(effects, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if effects.ndim != 1 or effects.shape != errors.shape:
        raise ParamError(
            f"errors: expected one per effect, found the shapes {errors.shape} and {effects.shape}."
        )
    if (errors < 0).any():
        raise ParamError(f"errors: expected none below 0, found {errors.min():g}.")
    return effects, errors


def pool_effects(effects: np.ndarray, errors: np.ndarray, *, level: float = 0.95) -> Pooled:
    """Random-effects mean of effects [study] with standard errors [study], weighted as
    by DerSimonian & Laird (1986, Section 3), and its interval at a level (a share) by
    Hartung & Knapp (2001), at least as wide as chance within studies makes it (Knapp &
    Hartung 2003).

    The variance between studies is that of DerSimonian & Laird, by Cochran's Q. The
    standard error of the mean comes from the spread of the effects, or from their
    standard errors where that gives more. Student's t has one degree of freedom less
    than there are studies, since with few studies the normal interval holds the true
    mean too rarely (see benchmarks/README.md). A study without an effect or a standard
    error (NaN) is left out. Where a standard error is 0, all studies weigh the same.

    Raises `ParamError` for arrays of different shapes, and for a negative standard
    error.

    Examples
    --------
    >>> import numpy as np
    >>> pooled = pool_effects(np.array([0.10, 0.30, 0.35]), np.array([0.05, 0.05, 0.10]))
    >>> [round(float(value), 3) for value in (pooled.mean, pooled.low, pooled.high, pooled.between)]
    [0.239, -0.108, 0.585, 0.122]
    """
    check_share("level", level)
    effects, errors = _checked_effects(effects, errors)
    known = np.isfinite(effects) & np.isfinite(errors)
    y, variance, studies = effects[known], errors[known] ** 2, int(known.sum())
    weights = np.zeros(len(effects))
    if studies == 0:
        return Pooled(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, weights, 0)
    exact = bool((variance == 0).any())
    fixed = np.ones(studies) if exact else 1 / variance
    about = float((fixed * (y - fixed @ y / fixed.sum()) ** 2).sum())  # Cochran's Q
    scale = fixed.sum() - (fixed**2).sum() / fixed.sum()
    # of Q, were chance all there is
    expected = float(variance.mean() * (studies - 1)) if exact else studies - 1.0
    between = max(0.0, (about - expected) / scale) if studies > 1 else np.nan
    share = np.ones(studies) if exact or studies == 1 else 1 / (variance + between)
    weights[known] = share / share.sum()
    mean = float(weights[known] @ y)
    if studies == 1:
        return Pooled(mean, np.nan, np.nan, np.nan, np.nan, np.nan, weights, 1)
    own = weights[known]
    error = float(
        np.sqrt(max(own @ (y - mean) ** 2 / (studies - 1), own**2 @ (variance + between)))
    )
    inconsistency = max(0.0, 1 - expected / about) if about else 0.0
    return Pooled(
        mean,
        *interval_of_error(mean, error, studies - 1, level=level),
        float(np.sqrt(between)),
        inconsistency,
        weights,
        studies,
    )
