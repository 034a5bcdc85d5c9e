"""How alike two rankings of the same systems are."""

import numpy as np


def tau_b(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Kendall's tau-b between the last axes of x and y, which broadcast against each other; NaN where one is constant.

    Ties count as in Kendall (1945): (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y), from -1 to 1.
    """
    i, j = np.triu_indices(x.shape[-1], 1)
    a = np.sign(x[..., i] - x[..., j])
    b = np.sign(y[..., i] - y[..., j])
    untied = np.count_nonzero(a, axis=-1) * np.count_nonzero(b, axis=-1)
    with np.errstate(invalid="ignore"):
        return (a * b).sum(axis=-1) / np.sqrt(untied)
