"""p-values adjusted for the number of tests. Each is at least p and at most 1; significant if below alpha."""

from collections.abc import Callable

import numpy as np


def holm(p: np.ndarray) -> np.ndarray:
    """Familywise error, step-down: the k-th smallest p applies to the tests from k on [..., tests] (Holm 1979)."""
    return _step(p, np.arange(p.shape[-1], 0, -1), lambda stepped: np.minimum(np.maximum.accumulate(stepped, axis=-1), 1))


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """False discovery rate, step-up: the k-th smallest p applies to the tests up to k [..., tests] (Benjamini & Hochberg 1995)."""
    k = np.arange(1, p.shape[-1] + 1)
    return _step(p, p.shape[-1] / k, lambda stepped: np.minimum.accumulate(stepped[..., ::-1], axis=-1)[..., ::-1])


def _step(p: np.ndarray, factor: np.ndarray, accumulate: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The sorted p-values, each times its factor, accumulated and put back into the order of p."""
    order, adjusted = np.argsort(p, axis=-1), np.empty_like(p)
    np.put_along_axis(adjusted, order, accumulate(np.take_along_axis(p, order, axis=-1) * factor), axis=-1)
    return adjusted
