"""Places in an order."""

import numpy as np


def places(scores: np.ndarray) -> np.ndarray:
    """Place of each system by its score, int [..., systems], 1 the best; equal scores share the best of their places."""
    return 1 + (scores[..., None, :] > scores[..., :, None]).sum(axis=-1)
