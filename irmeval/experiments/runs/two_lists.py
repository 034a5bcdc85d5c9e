"""The lists of two runs for one topic, side by side."""

from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.experiments.results import Frame, rowwise

UNJUDGED = "unjudged"
"""Text in place of a grade."""


class RankedDocument(NamedTuple):
    """A document of a list."""

    rank: int
    document: str
    grade: str
    """`UNJUDGED` if it has none"""


NOTHING = RankedDocument(0, "", "")
"""Below the end of a list."""


def top_of_list(collection: Collection, run: str, topic: str, depth: int) -> list[RankedDocument]:
    """The documents of a run for a topic down to a rank of at most 100, beyond which a
    collection does not keep documents outside the pool.
    """
    topics = len(collection.topics)
    place = collection.runs.index(run) * topics + collection.topics.index(topic)
    depth = min(depth, NEAR)
    pooled = slice(*collection.start[[place, place + 1]])
    ranks, judgments = collection.rank[pooled], collection.judgment_index[pooled]
    found = [
        RankedDocument(int(rank), collection.documents[int(j)].as_py(), _grade(collection, j))
        for rank, j in zip(ranks, judgments, strict=True)
        if rank <= depth
    ]
    outside = collection.outside
    beyond = slice(*np.searchsorted(outside.list, [place, place + 1]))
    found += [
        RankedDocument(int(rank), document, UNJUDGED)
        for rank, document in zip(
            outside.rank[beyond], outside.documents[beyond].to_pylist(), strict=True
        )
        if rank <= depth
    ]
    return sorted(found)


def _grade(collection: Collection, judgment: int) -> str:
    grade = int(collection.grade[judgment])
    return str(grade) if grade >= 0 else UNJUDGED


def lists_of_topic(collection: Collection, a: str, b: str, topic: str, depth: int) -> Frame:
    """One row per rank: the document of either run, its grade, and its rank in the
    other list down to `depth`; empty where a list is shorter.
    """
    first, second = (
        {each.rank: each for each in top_of_list(collection, run, topic, depth)} for run in (a, b)
    )
    rank_in_a, rank_in_b = (
        {each.document: str(rank) for rank, each in ranked.items()} for ranked in (first, second)
    )
    rows = []
    for rank in range(1, max(len(first), len(second)) + 1):
        x, y = first.get(rank, NOTHING), second.get(rank, NOTHING)
        in_b, in_a = rank_in_b.get(x.document, ""), rank_in_a.get(y.document, "")
        rows.append((rank, x.document, x.grade, in_b, y.document, y.grade, in_a))
    names = "rank", a, f"grade in {a}", f"rank in {b}", b, f"grade in {b}", f"rank in {a}"
    return rowwise(names, rows)
