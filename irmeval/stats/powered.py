"""Prediction-powered means, from a few values by an expensive judge and many by a cheap
one.

Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023 (Science 382); power tuning:
Angelopoulos, Duchi & Zrnic 2023 (PPI++, arXiv 2311.01453).
"""

from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.lazy import special
from irmeval.stats.pairs import check_share

NORMAL = "normal"
"""Interval limits from quantiles of the normal distribution."""
STUDENT = "student"
"""Interval limits from quantiles of Student's t distribution."""
QUANTILES = (NORMAL, STUDENT)
FEW = 20
"""Number of cases below which intervals contain the true mean too rarely
(`benchmarks/README.md`, "Prediction-powered means").
"""


class Powered(NamedTuple):
    """Prediction-powered means, one or several at once."""

    mean: np.ndarray
    """float64 [...]"""
    variance: np.ndarray
    """float64 [...], of the mean over other draws of cases; NaN for fewer than two
    cases with an expensive value
    """
    share: np.ndarray
    """float64 [...], lambda, the weight of the cheap values: 0 = none, 1 = that of the
    expensive ones
    """
    cases: int
    """cases with an expensive value"""

    def interval(
        self, level: float = 0.95, *, quantile: str = NORMAL
    ) -> tuple[np.ndarray, np.ndarray]:
        """Limits of the interval of each mean, by the normal quantile, as in
        ppi-python, or by Student's, which is larger for few cases. Raises `ParamError`
        for another quantile.
        """
        if quantile not in QUANTILES:
            raise ParamError(f"quantile: expected {' or '.join(QUANTILES)}, found {quantile!r}.")
        share = (1 + check_share("level", level)) / 2
        times = (
            special.ndtri(share)
            if quantile == NORMAL
            else special.stdtrit(max(self.cases - 1, 1), share)
        )
        return self.mean - times * np.sqrt(self.variance), self.mean + times * np.sqrt(
            self.variance
        )


def powered_mean(
    expensive: np.ndarray, cheap: np.ndarray, others: np.ndarray, *, share: float | None = None
) -> Powered:
    """Estimated means of the expensive judge's values over all cases.

    mean Y + lambda (mean f over the N others - mean f over the n), with the variance
    var(Y - lambda f) / n + lambda^2 var(f) / N, variances divided by n and by N. By
    default lambda = cov(Y, f) / ((1 + n/N) var f), between 0 and 1, where the
    covariance is divided by n and var f, over all n + N cases, by n + N - 1: as the
    package ppi-python has it.

    `expensive` and `cheap` float64 [..., n] are the values of both judges (Y and f) for
    the same cases, `others` float64 [..., N] those of the cheap judge for the other
    cases. Without other cases, the means are those of the expensive judge. `share` sets
    lambda: 1 is prediction-powered inference without tuning, 0 ignores the cheap judge.
    Raises `ParamError` where the shapes of `expensive` and `cheap` differ, or n is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from irmeval.stats.powered import powered_mean
    >>> expensive, cheap = np.array([0.2, 0.5, 0.7]), np.array([0.3, 0.5, 0.9])
    >>> others = np.array([0.1, 0.4, 0.3, 0.2])
    >>> found = powered_mean(expensive, cheap, others)
    >>> round(float(found.mean), 3), [round(float(end), 3) for end in found.interval()]
    (0.337, [0.202, 0.471])
    """
    if expensive.shape != cheap.shape or not expensive.shape[-1]:
        raise ParamError(
            "values: expected as many of the expensive judge as of the cheap one, at least 1,"
            f" found {expensive.shape} and {cheap.shape}."
        )
    n, N = expensive.shape[-1], others.shape[-1]
    if share is not None:
        relied = np.full(expensive.shape[:-1], float(share if N else 0))
    else:
        # without other cases the cheap judge has nothing to add
        relied = _best_share(expensive, cheap, others) if N else np.zeros(expensive.shape[:-1])
    rest = expensive - relied[..., None] * cheap
    mean, variance = rest.mean(axis=-1), rest.var(axis=-1) / n
    if N:
        mean, variance = (
            mean + relied * others.mean(axis=-1),
            variance + relied**2 * others.var(axis=-1) / N,
        )
    return Powered(mean, variance if n > 1 else np.full(mean.shape, np.nan), relied, n)


def describe_few_cases(cases: int, quantile: str) -> str:
    """A sentence on intervals from so few cases that they contain the true mean too
    rarely; else empty.
    """
    if cases >= FEW:
        return ""
    held = (
        "82 to 90 of 100 at 5 topics, 86 to 92 at 10"
        if quantile == STUDENT
        else "74 to 80 of 100 at 5 topics, 83 to 88 at 10"
    )
    offered = "" if quantile == STUDENT else " Student's quantile makes them wider."
    return (
        f"On under {FEW} judged topics, 95% prediction-powered intervals contain the true mean too"
        f" rarely: {held}.{offered}"
    )


def _best_share(expensive: np.ndarray, cheap: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The lambda with the smallest variance; 0 if the cheap judge gives all cases the
    same value.
    """
    n, N = expensive.shape[-1], others.shape[-1]
    covariance = (
        (expensive - expensive.mean(axis=-1, keepdims=True))
        * (cheap - cheap.mean(axis=-1, keepdims=True))
    ).mean(axis=-1)
    # over all cases and by n + N - 1, as ppi-python has it: tests compare with it
    spread = (1 + n / N) * np.concatenate([cheap, others], axis=-1).var(axis=-1, ddof=1)
    return np.clip(
        np.divide(covariance, spread, out=np.zeros(covariance.shape), where=spread > 0), 0, 1
    )
