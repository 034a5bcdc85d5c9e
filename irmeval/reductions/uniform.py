"""Uniform random sampling of the judgments."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Param
from irmeval.reductions.base import reduction
from irmeval.reductions.stratified import ROUNDINGS, sample_strata


@reduction(
    "uniform",
    source="Yilmaz & Aslam 2006, who draw such samples of a pool for infAP",
    least="every topic keeps at least 1 document",
    less="numbers of documents are rounded",
)
def uniform(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    rounding: Annotated[
        str, Param("rounding", "How a share of the judgments is rounded.", choices=tuple(ROUNDINGS))
    ] = "floor",
) -> np.ndarray:
    """Shuffle all judgments of each topic, and at each rate keep the first, at least 1.
    A topic without relevant ones has no score.
    """
    return sample_strata(
        collection,
        levels,
        rng,
        rounding,
        collection.topic,
        np.ones(len(collection.topics), np.int64),
    )
