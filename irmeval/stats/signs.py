"""Probability of the sign of a normal variable."""

import numpy as np

from irmeval.core.lazy import special


def sign_probability(expected: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Normal probability that differences have their expected signs, from .5 for a difference of 0 to 1 for a deviation of 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected == 0, 0.5, special.ndtr(np.abs(expected) / deviation))
