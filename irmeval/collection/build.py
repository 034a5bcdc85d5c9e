"""Small collections from lists of numbers."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Lists
from irmeval.reading import foreign, trec
from irmeval.reading.policy import Policy


def from_lists(judgments: Sequence[Sequence[int]], runs: Mapping[str, Sequence[Sequence[int]]]) -> Collection:
    """A collection from lists: per topic the grades of its judgments; per run and topic a ranked list.

    A ranked list holds the index of each document among the judgments of the topic; -1 is a document outside the pool.
    """
    topics = tuple(str(t) for t in range(1, len(judgments) + 1))
    first = np.cumsum([0, *map(len, judgments)])
    topic = np.repeat(np.arange(len(topics), dtype=np.int32), np.diff(first))
    grade = np.array([g for grades in judgments for g in grades], np.int16)
    qrels = trec.Qrels(topics, topic, foreign.string_array(f"d{i}" for i in range(grade.size)), grade)
    length = np.array([[len(ranking) for ranking in lists] for lists in runs.values()], np.int32).reshape(len(runs), len(topics))
    place = np.array([d for lists in runs.values() for ranking in lists for d in ranking], np.int32)
    of_list = np.repeat(np.arange(length.size), length.ravel())
    rank = np.arange(1, place.size + 1) - np.repeat(np.cumsum(length) - length.ravel(), length.ravel())
    pooled = np.flatnonzero(place >= 0)
    judgment_index = (place + first[of_list % len(topics)])[pooled].astype(np.int32)
    rank = rank[pooled].astype(np.int32)
    count = np.bincount(of_list[pooled], minlength=length.size).reshape(length.shape)
    ends = np.cumsum([0, *count.sum(axis=1)]).tolist()
    joined = [
        Lists(judgment_index[start:end], rank[start:end], of_run, own, ())
        for (start, end), of_run, own in zip(pairwise(ends), count, length, strict=True)
    ]
    return assemble(qrels, list(runs), joined, Policy(order="rank"))
