"""Uniform random sampling of the judgments."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Param
from irmeval.reductions.base import DROPPED, reduction
from irmeval.reductions.stratified import ROUNDINGS


@reduction("uniform", source="Yilmaz & Aslam 2006, who draw such samples of a pool for infAP")
def uniform(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    rounding: Annotated[str, Param("rounding", "How a share of the judgments becomes a whole number.", choices=tuple(ROUNDINGS))] = "floor",
) -> np.ndarray:
    """Per topic, shuffle all judgments once and at each rate keep the first ones, at least 1. Nothing keeps a relevant one:
    a topic may be left without, and then has no score."""
    grade, topic = collection.grade, collection.topic
    judged = np.flatnonzero(grade >= 0)
    order = judged[np.lexsort((rng.random(grade.size)[judged], topic[judged]))]
    size = np.bincount(topic[judged], minlength=len(collection.topics))
    place = np.zeros(grade.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
    # a rate such as 0.07 times 100 is a hair under 7: round what the eye takes for whole
    keep = [np.maximum(ROUNDINGS[rounding](np.round(size * rate, 9)), 1) for rate in levels]
    return np.stack([np.where((grade < 0) | (place < most[topic]), grade, DROPPED).astype(grade.dtype) for most in keep])
