"""Stratified random sampling of the judgments (Buckley & Voorhees 2004)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Param
from irmeval.reductions.base import DROPPED, reduction

ROUNDINGS: dict[str, Callable[[Any], Any]] = {"floor": np.floor, "ceil": np.ceil, "half-up": lambda x: np.floor(x + 0.5)}
LEAST_RELEVANT, LEAST_NONRELEVANT = 1, 10


@reduction(
    "stratified", source="Buckley & Voorhees 2004; floor: Sakai & Kando 2008, ceil: Bompada et al. 2007, half-up: Ahlgren & Grönqvist 2008"
)
def stratified(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    rounding: Annotated[str, Param("rounding", "How a share of R or N becomes a whole number.", choices=tuple(ROUNDINGS))] = "floor",
) -> np.ndarray:
    """Per topic, shuffle the relevant and the nonrelevant judgments once each, and at each rate keep the first ones of both:
    at least 1 relevant and 10 nonrelevant, as far as there are."""
    stratum = 2 * collection.topic.astype(np.int64) + (collection.grade > 0)
    return sample_strata(collection, levels, rng, rounding, stratum, np.tile([LEAST_NONRELEVANT, LEAST_RELEVANT], len(collection.topics)))


def sample_strata(
    collection: Collection, levels: Sequence[float], rng: np.random.Generator, rounding: str, stratum: np.ndarray, least: np.ndarray
) -> np.ndarray:
    """Grade vectors [levels, J]: the judgments of each stratum, int [J], are shuffled once, and at each rate the first ones are kept, at
    least so many, int [strata]."""
    grade = collection.grade
    judged = np.flatnonzero(grade >= 0)
    order = judged[np.lexsort((rng.random(grade.size)[judged], stratum[judged]))]
    size = np.bincount(stratum[judged], minlength=least.size)
    place = np.empty(grade.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
    reduced = np.empty((len(levels), grade.size), grade.dtype)
    for row, rate in zip(reduced, levels, strict=True):
        # a rate such as 0.07 times 100 is a hair under 7: round what the eye takes for whole
        keep = np.maximum(ROUNDINGS[rounding](np.round(size * rate, 9)), least)
        row[:] = np.where((grade < 0) | (place < keep[stratum]), grade, DROPPED)
    return reduced
