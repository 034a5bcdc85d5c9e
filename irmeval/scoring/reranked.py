"""Runs in the order of a judge's grades, and the judge's ideal lists: what a judge
alone could make of them.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import Outside
from irmeval.core.lazy import pa
from irmeval.metrics import Measure
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate

ORDERS = 10
"""Random orders of the documents that tie in the judge's ideal list."""


def rerank(collection: Collection, grades: np.ndarray) -> Collection:
    """The runs, each list in order of these grades [judgment]: documents of a grade
    stay in their order, unjudged ones come last.

    Documents that are not in the pool are unjudged, too; `Collection.outside` keeps its
    ranks.
    """
    of_list = np.repeat(np.arange(len(collection.start) - 1), np.diff(collection.start))
    given = grades[collection.judgment_index]
    judged = given >= 0
    order = np.lexsort((collection.rank, -given, of_list))
    place, ahead = np.empty((2, given.size), np.int64)
    # judged documents come first
    place[order] = np.arange(given.size) - collection.start[of_list[order]] + 1
    above = np.cumsum(judged)
    end = np.concatenate([[0], above])[collection.start[1:]][of_list]
    ahead = end - above  # judged documents further down, which move above
    rank = np.where(judged, place, collection.rank + ahead)
    order = np.lexsort((rank, of_list))
    return replace(
        collection,
        judgment_index=collection.judgment_index[order],
        rank=rank[order].astype(np.int32),
    )


class Ceiling(NamedTuple):
    """Scores of a judge's ideal list, float64 [measure, topic]: NaN where a topic has
    none.
    """

    mean: np.ndarray
    """over random orders of documents that tie"""
    low: np.ndarray
    high: np.ndarray
    """with ties in the worst and in the best order for the measure's grades"""


def score_ideal_lists(
    collection: Collection,
    grades: np.ndarray,
    reference: np.ndarray,
    measures: tuple[Measure, ...],
    seed: int,
) -> Ceiling:
    """The scores by the reference's grades [judgment] of the list of all documents that
    a judge graded, best grade first.

    No run that is ordered by this judge alone scores higher than the ceiling, up to how
    documents with the same grade are ordered.
    """
    rng, T = np.random.default_rng(seed), len(collection.topics)
    judged = np.flatnonzero(grades >= 0)
    topic, own = collection.topic[judged], grades[judged]
    within = [reference[judged], -reference[judged], *rng.random((ORDERS, judged.size))]
    lists = np.concatenate([judged[np.lexsort((ties, -own, topic))] for ties in within])
    length = np.tile(np.bincount(topic, minlength=T), len(within)).astype(np.int32)
    start = np.concatenate([[0], np.cumsum(length, dtype=np.int64)])
    rank = np.arange(lists.size) - np.repeat(start[:-1], length) + 1
    runs = tuple(map(str, range(len(within))))
    none = np.empty(0, np.int32)
    made = replace(
        collection,
        runs=runs,
        judgment_index=lists.astype(np.int32),
        rank=rank.astype(np.int32),
        start=start,
        length=length,
        unknown=((),) * len(runs),
        outside=Outside(none, none, pa.array([], pa.string())),
        repeated=(0,) * len(runs),
        digests=(),
        headers=(),
        source=None,
        excluded=(),
    )
    scores: Scores = evaluate(made, measures, grades=reference)
    low, high, *others = scores.values.swapaxes(0, 1)
    return Ceiling(np.mean(others, axis=0), low, high)
