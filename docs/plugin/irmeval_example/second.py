"""Rank of the second relevant document."""

import numpy as np

from irmeval.metrics.base import OptionalCutoff, metric
from irmeval.metrics.hits import Hits


@metric("RR2", formula=r"\frac{1}{r_2}", source="An example, of nobody's", top_heavy=True)
def second(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """One over the rank of the second relevant document. Fewer than two score 0."""
    return hits.sum(1 / hits.rank, where=hits.count == 2)
