"""Random sampling of the nonrelevant judgments alone."""

from collections.abc import Sequence

import numpy as np

from irmeval.collection import Collection
from irmeval.reductions.base import DROPPED, reduction


@reduction("nonrelevant", source="An example, of nobody's")
def nonrelevant(
    collection: Collection, levels: Sequence[float], rng: np.random.Generator
) -> np.ndarray:
    """Keep each nonrelevant judgment with a probability that is the rate, and every
    relevant one.
    """
    grade, place = collection.grade, rng.random(collection.grade.size)
    return np.stack(
        [
            np.where((grade == 0) & (place >= rate), DROPPED, grade).astype(grade.dtype)
            for rate in levels
        ]
    )
