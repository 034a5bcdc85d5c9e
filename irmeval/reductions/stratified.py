"""Stratified random sampling of the judgments (Buckley & Voorhees 2004)."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Param
from irmeval.reductions.base import DROPPED, keep_judgments, reduction

ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "floor": np.floor,
    "ceil": np.ceil,
    "half-up": lambda x: np.floor(x + 0.5),
}
LEAST_RELEVANT = 1
"""Minimum number of relevant documents kept per topic."""
LEAST_NONRELEVANT = 10
"""Minimum number of nonrelevant documents kept per topic."""
LeastRelevant = Annotated[
    int,
    Param(
        "least relevant",
        "Relevant documents that a topic keeps at every rate, if it has as many: 1 in the papers.",
        low=0,
        high=1000,
        template="at least {} relevant kept",
    ),
]
LeastNonrelevant = Annotated[
    int,
    Param(
        "least nonrelevant",
        "Nonrelevant documents that a topic keeps at every rate: 10 in the papers.",
        low=0,
        high=1000,
        template="at least {} nonrelevant kept",
    ),
]


@reduction(
    "stratified",
    source=(
        "Buckley & Voorhees 2004; floor: Sakai & Kando 2008, ceil: Bompada et al. 2007, half-up:"
        " Ahlgren & Grönqvist 2008"
    ),
    least=(
        "every topic keeps at least {least_relevant} relevant and {least_nonrelevant} nonrelevant"
        " documents"
    ),
    less="numbers of documents are rounded",
)
def stratified(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    rounding: Annotated[
        str, Param("rounding", "How a share of R or N is rounded.", choices=tuple(ROUNDINGS))
    ] = "floor",
    least_relevant: LeastRelevant = LEAST_RELEVANT,
    least_nonrelevant: LeastNonrelevant = LEAST_NONRELEVANT,
) -> np.ndarray:
    """Shuffle the relevant and the nonrelevant judgments of each topic, and keep the
    first of both, at least as many as the two minimums, in the papers 1 and 10.
    """
    stratum = 2 * collection.topic.astype(np.int64) + (collection.grade > 0)
    return sample_strata(
        collection,
        levels,
        rng,
        rounding,
        stratum,
        np.tile([least_nonrelevant, least_relevant], len(collection.topics)),
    )


def sample_strata(
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    rounding: str,
    stratum: np.ndarray,
    least: np.ndarray,
) -> np.ndarray:
    """Grade vectors [levels, J]: each stratum, int [J], is shuffled once; a rate keeps
    its first judgments, at least `least` [strata].
    """
    place, size = shuffle_strata(collection, rng, stratum, least.size)
    # 100 times a rate such as 0.07 is a little less than 7, so it is first rounded to nine digits
    keep = [np.maximum(ROUNDINGS[rounding](np.round(size * rate, 9)), least) for rate in levels]
    return np.stack([keep_judgments(collection, place < kept[stratum]) for kept in keep])


def shuffle_strata(
    collection: Collection, rng: np.random.Generator, stratum: np.ndarray, strata: int
) -> tuple[np.ndarray, np.ndarray]:
    """The place from 0 of each judged document in the random order of its stratum, int
    [J], and how many each has, int [strata].
    """
    judged = np.flatnonzero(collection.grade >= 0)
    order = judged[np.lexsort((rng.random(collection.grade.size)[judged], stratum[judged]))]
    size = np.bincount(stratum[judged], minlength=strata)
    place = np.empty(collection.grade.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
    return place, size


def shards(collection: Collection, count: int, rng: np.random.Generator) -> np.ndarray:
    """Grade vectors [count, J]: relevant and nonrelevant judgments of each topic are
    assigned at random, each to one of `count` shards.
    """
    stratum = 2 * collection.topic.astype(np.int64) + (collection.grade > 0)
    place, _ = shuffle_strata(collection, rng, stratum, 2 * len(collection.topics))
    apart = (collection.grade >= 0) & (place % count != np.arange(count)[:, None])
    return np.where(apart, DROPPED, collection.grade).astype(collection.grade.dtype)
