"""Agreement of significance decisions on reduced and full judgments, and the rate down
to which a curve stays high.
"""

from typing import NamedTuple

import numpy as np

from irmeval.core.errors import ParamError


class DecisionAgreement(NamedTuple):
    """Agreement of decisions on reduced judgments with those on full ones; each a share
    from 0 to 1, NaN if its denominator is 0.

    H0: two systems do not differ. The names are those of Bompada et al. (2007), who
    call a pair with H0 accepted a positive: so a "false positive" is a missed
    difference, a "false negative" a false difference.
    """

    confusion: np.ndarray
    """Number of pairs [..., 2, 2]: H0 accepted, rejected on full judgments (rows) and
    on reduced ones (columns).
    """
    accuracy: np.ndarray
    """Pairs with the same decision on both."""
    g_mean: np.ndarray
    """Geometric mean of two shares: pairs with H0 accepted on both, among those
    accepted on full and among those on reduced judgments.
    """
    false_positive_rate: np.ndarray
    """Of the pairs that differ on full judgments, those no longer found: C21 / (C21 +
    C22).
    """
    false_negative_rate: np.ndarray
    """Of the pairs that do not differ on full judgments, those that differ on reduced
    ones: C12 / (C11 + C12).
    """
    error_rate: np.ndarray
    """Of the pairs that differ on reduced judgments, those that do not differ on full
    ones (SK08 Table 5): C12 / (C12 + C22).
    """


def decisions(full: np.ndarray, reduced: np.ndarray) -> DecisionAgreement:
    """Compare the decisions (true = significant) per pair, full and reduced [...,
    pairs], which broadcast against each other.
    """
    full, reduced = np.broadcast_arrays(
        np.asarray(full, dtype=bool), np.asarray(reduced, dtype=bool)
    )
    # rows by the full judgments, as SK08 have it: C12 is found on reduced ones alone
    cells = [[~full & ~reduced, ~full & reduced], [full & ~reduced, full & reduced]]
    counts = np.array([[np.count_nonzero(cell, axis=-1) for cell in row] for row in cells])
    return agreement_of_counts(np.moveaxis(counts, (0, 1), (-2, -1)))


def agreement_of_counts(confusion: np.ndarray) -> DecisionAgreement:
    """The agreement of decisions from the number of pairs [..., 2, 2], or its mean or
    sum over trials.
    """
    (c11, c12), (c21, c22) = np.moveaxis(confusion, (-2, -1), (0, 1))
    with np.errstate(invalid="ignore"):
        return DecisionAgreement(
            confusion=confusion,
            accuracy=(c11 + c22) / (c11 + c12 + c21 + c22),
            g_mean=np.sqrt(c11 / (c11 + c12) * (c11 / (c11 + c21))),
            false_positive_rate=c21 / (c21 + c22),
            false_negative_rate=c12 / (c11 + c12),
            error_rate=c12 / (c12 + c22),
        )


class Knee(NamedTuple):
    """The lowest rate down to which a curve stays above a threshold; NaN if it is not
    above it at the highest rate.
    """

    interpolated: np.ndarray
    """Rate at which the line to the next lower rate crosses the threshold."""
    measured: np.ndarray
    """The lowest of the given rates."""
    below: np.ndarray
    """bool: whether the curve stays above the threshold down to the lowest rate. The
    knee then lies below it, and `interpolated` and `measured` are that rate.
    """
    lowest: np.ndarray
    """The lowest of the given rates at which the curve is above the threshold, even
    after a dip; NaN if none.
    """

    @property
    def falls(self) -> np.ndarray:
        """bool: whether the curve is above the threshold at the highest rate and not at
        the lowest.
        """
        return ~(np.isnan(self.interpolated) | self.below)


def knee(rates: np.ndarray, curve: np.ndarray, *, threshold: float = 0.9) -> Knee:
    """Share of judgments that is enough: rates [rates] in any order, curve [...,
    rates]; each result [...] (Bompada et al. 2007, Tables 3, 5).

    The curve is read from the highest rate down, so that one that recovers has its knee
    above the dip. Where a curve becomes NaN, its knee is at the last rate before.
    Raises `ParamError` unless a curve has one value per rate.
    """
    rates, curve = np.asarray(rates, dtype=np.float64), np.asarray(curve, dtype=np.float64)
    if rates.ndim != 1 or not len(rates) or curve.shape[-1:] != rates.shape:
        raise ParamError(
            f"curve: expected one value per rate, found the shapes {curve.shape} and {rates.shape}."
        )
    order = np.argsort(-rates)
    rates, curve = rates[order], curve[..., order]
    # NaN is not above, so a curve ends where it becomes undefined
    above = np.count_nonzero(np.logical_and.accumulate(curve > threshold, axis=-1), axis=-1)
    last = np.maximum(above - 1, 0)
    following = np.minimum(last + 1, len(rates) - 1)
    high, low = (
        np.take_along_axis(curve, i[..., None], axis=-1)[..., 0] for i in (last, following)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        # nothing to cross towards the last rate, which is its own neighbour
        share = np.where(low <= threshold, (high - threshold) / (high - low), 0)
        interpolated = rates[last] - share * (rates[last] - rates[following])
    lowest = np.where(curve > threshold, rates, np.inf).min(axis=-1)
    return Knee(
        np.where(above == 0, np.nan, interpolated),
        np.where(above == 0, np.nan, rates[last]),
        above == len(rates),
        np.where(np.isinf(lowest), np.nan, lowest),
    )


def describe_knee(rates: np.ndarray, below: np.ndarray) -> list[str]:
    """Text of knees [n]: ``12.5``, or ``< 10`` if the knee is below the lowest rate;
    empty if there is none.
    """
    return [
        "" if np.isnan(rate) else f"< {rate:.3g}" if under else f"{rate:.1f}"
        for rate, under in zip(rates.tolist(), below.tolist(), strict=True)
    ]
