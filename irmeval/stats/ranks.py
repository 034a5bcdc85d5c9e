"""Ranks of systems by their scores."""

import numpy as np


def rank_scores(scores: np.ndarray) -> np.ndarray:
    """Rank of each system by its score, int [..., systems], 1 is the best; equal scores share the best of their ranks."""
    return 1 + (scores[..., None, :] > scores[..., :, None]).sum(axis=-1)
