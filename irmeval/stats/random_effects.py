"""Mean effect of several studies whose true effects differ."""

from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.stats.intervals import interval_of_error
from irmeval.stats.pairs import check_share


class Pooled(NamedTuple):
    """Mean effect over studies, and its variation between studies."""

    mean: float
    """weighted by the inverse of each study's variance plus the variance between studies; NaN if no study has an effect"""
    low: float
    """lower end of the interval of the mean; NaN for one study"""
    high: float
    """upper end; NaN for one study"""
    p: float
    """two-sided, against a mean of 0; NaN for one study"""
    between: float
    """standard deviation of the true effects over studies, in the unit of the effects, at least 0; NaN for one study"""
    inconsistency: float
    """I squared, the share of the variance of the effects that is not due to chance within studies, 0 to 1; NaN for one study"""
    weights: np.ndarray
    """float64 [study], each study's share of the mean, summing to 1; 0 for a study without an effect"""
    studies: int
    """number of studies with an effect"""


def pool_effects(effects: np.ndarray, errors: np.ndarray, *, level: float = 0.95) -> Pooled:
    """Random-effects mean of effects [study] with standard errors [study], weighted as by DerSimonian & Laird (1986, Section 3), and its
    interval at a level (a share) by Hartung & Knapp (2001), at least as wide as chance within studies makes it (Knapp & Hartung 2003).

    The variance between studies is that of DerSimonian & Laird, by Cochran's Q. The standard error of the mean comes from the spread of the
    effects, or from their standard errors where that gives more. Student's t has one degree of freedom less than there are studies, since
    with few studies the normal interval holds the true mean too rarely (see benchmarks/README.md). A study without an effect or a standard
    error (NaN) is left out. Where a standard error is 0, all studies weigh the same.

    Raises `ParamError` for arrays of different shapes, and for a negative standard error.

    Examples
    --------
    >>> import numpy as np
    >>> pooled = pool_effects(np.array([0.10, 0.30, 0.35]), np.array([0.05, 0.05, 0.10]))
    >>> [round(float(value), 3) for value in (pooled.mean, pooled.low, pooled.high, pooled.between)]
    [0.239, -0.108, 0.585, 0.122]
    """
    effects, errors = np.asarray(effects, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    check_share("level", level)
    if effects.ndim != 1 or effects.shape != errors.shape:
        raise ParamError(f"errors: expected one per effect, found the shapes {errors.shape} and {effects.shape}.")
    if (errors < 0).any():
        raise ParamError(f"errors: expected none below 0, found {errors.min():g}.")
    known = np.isfinite(effects) & np.isfinite(errors)
    y, variance, studies = effects[known], errors[known] ** 2, int(known.sum())
    weights = np.zeros(len(effects))
    if studies == 0:
        return Pooled(np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, weights, 0)
    exact = bool((variance == 0).any())
    fixed = np.ones(studies) if exact else 1 / variance
    about = float((fixed * (y - fixed @ y / fixed.sum()) ** 2).sum())  # Cochran's Q
    scale = fixed.sum() - (fixed**2).sum() / fixed.sum()
    expected = float(variance.mean() * (studies - 1)) if exact else studies - 1.0  # of Q, were chance all there is
    between = max(0.0, (about - expected) / scale) if studies > 1 else np.nan
    share = np.ones(studies) if exact or studies == 1 else 1 / (variance + between)
    weights[known] = share / share.sum()
    mean = float(weights[known] @ y)
    if studies == 1:
        return Pooled(mean, np.nan, np.nan, np.nan, np.nan, np.nan, weights, 1)
    own = weights[known]
    error = float(np.sqrt(max(own @ (y - mean) ** 2 / (studies - 1), own**2 @ (variance + between))))
    inconsistency = max(0.0, 1 - expected / about) if about else 0.0
    return Pooled(mean, *interval_of_error(mean, error, studies - 1, level=level), float(np.sqrt(between)), inconsistency, weights, studies)
