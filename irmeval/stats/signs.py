"""How probable the sign of a normal variable is."""

import numpy as np


def sure_of(expected: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Probability, from .5 to 1, that differences keep the signs of the expected ones once all is judged, by the normal distribution; .5
    for a difference of 0, 1 where the deviation is 0."""
    from scipy.special import ndtr

    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected == 0, 0.5, ndtr(np.abs(expected) / deviation))
