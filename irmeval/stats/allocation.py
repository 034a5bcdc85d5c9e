"""Sample sizes per stratum that give an estimated total a required variance."""

from collections.abc import Callable

import numpy as np

LEAST = 2
"""Minimum number of units from a stratum, since a variance needs two."""


def allocate(units: np.ndarray, deviation: np.ndarray, drawn: np.ndarray, variance: float, *, share: float = 0.0) -> np.ndarray:
    """The smallest sample per stratum for a required variance of the estimated total: Neyman's allocation, in proportion to size times
    standard deviation (Neyman 1934; Cochran 1977, 5.5, with strata that are drawn whole as in 5.8).

    `units` int [S] is the size N of each stratum, `deviation` float64 [S] the standard deviation within it, with N - 1. The result, int64
    [S], is from the units already `drawn`, int [S], to all; it is at least `LEAST` and a `share` of each stratum, from 0 to 1.
    """
    least = np.minimum(np.maximum(drawn, np.maximum(np.ceil(share * units), LEAST)), units)

    def sizes(times: float) -> np.ndarray:
        return np.clip(np.floor(times * units * deviation + 0.5), least, units).astype(np.int64)

    def enough(times: float) -> bool:
        return variance_of_total(units, deviation, sizes(times)) <= variance

    return sizes(_least(enough, deviation))


def _least(enough: Callable[[float], bool], deviation: np.ndarray) -> float:
    """The smallest sufficient factor, to twelve digits; the largest factor draws all units."""
    most = 1 / deviation[deviation > 0].min() if (deviation > 0).any() else 0.0
    low, high = 0.0, most
    if enough(low):
        return low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def variance_of_total(units: np.ndarray, deviation: np.ndarray, sizes: np.ndarray) -> float:
    """Variance of the estimated total of a sample without replacement within strata [S]: sum of N^2 S^2 (1/n - 1/N) (Cochran 1977, 5.7)."""
    parts = (units * deviation) ** 2 * (1 / np.maximum(sizes, 1) - 1 / np.maximum(units, 1))
    return float(parts[units > 0].sum())
