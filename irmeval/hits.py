"""What a metric sees: the relevant documents that were retrieved, under one vector of grades.

This is the only hot loop. Relevant documents are few, so a metric is a short formula over them, and its condensed-list
form (the prime) is the same formula over other ranks.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from irmeval.collection import Collection


@dataclass(frozen=True, eq=False)
class Ideal:
    """The topics under one grade vector: how much there is to find, and the ideal lists.

    Attributes
    ----------
    R, N : float64 [T]
        Judged relevant and judged nonrelevant documents.
    gain, rank, topic : [sum of R]
        The ideal lists: relevant documents by topic, then falling gain, ranks from 1.
    H : float
        Highest gain over all topics of the full qrels, whatever the reduction.
    of_judgment : float64 [J]
        Gain of each judgment; 0 where nonrelevant or unjudged.
    """

    R: np.ndarray
    N: np.ndarray
    gain: np.ndarray
    rank: np.ndarray
    topic: np.ndarray
    H: float
    of_judgment: np.ndarray

    @cached_property
    def cumulated(self) -> tuple[np.ndarray, np.ndarray]:
        """cgI of every topic, flat, each from rank 0 to R; and where each topic's ranks start."""
        first = np.concatenate([[0], np.cumsum(self.R.astype(np.int64) + 1)])
        steps = np.zeros(first[-1])
        steps[first[self.topic] + self.rank] = self.gain
        total = np.cumsum(steps)
        return total - np.repeat(total[first[:-1]], np.diff(first)), first[:-1]

    def sum(self, value: np.ndarray) -> np.ndarray:
        """Per topic, the sum of a value over the ideal list [T]."""
        return np.bincount(self.topic, value, len(self.R))

    def discounted(self, discount: Callable[[np.ndarray], np.ndarray], k: int | None = None) -> np.ndarray:
        """Per topic, the ideal list's discounted cumulative gain, down to rank k [T]."""
        weight = self.gain * _look_up(discount, self.rank)
        return self.sum(weight if k is None else weight * (self.rank <= k))


def ideal(collection: Collection, grades: np.ndarray, rel: int = 1, gains: Mapping[int, float] | None = None) -> Ideal:
    """The topics of a collection under a grade vector, at a relevance level and with a gain map (default: gain = grade)."""
    T = len(collection.topics)
    relevant = np.flatnonzero(grades >= rel)
    table = gain_table(collection.top_grade, rel, gains)
    of_judgment = table[np.maximum(grades, 0)]
    gain, topic = of_judgment[relevant], collection.topic[relevant]
    order = np.lexsort((-gain, topic))
    gain = gain[order]
    R = np.bincount(topic, minlength=T)
    N = np.bincount(collection.topic[grades >= 0], minlength=T) - R
    rank = np.arange(1, topic.size + 1) - np.repeat(np.cumsum(R) - R, R)
    H = float(table[collection.grade[collection.grade >= rel]].max(initial=0))
    return Ideal(R.astype(float), N.astype(float), gain, rank, topic, H, of_judgment)


def gain_table(top: int, rel: int, gains: Mapping[int, float] | None) -> np.ndarray:
    """float64 [top + 1]: gain of each grade, by default the grade itself; 0 below the relevance level."""
    table = np.arange(max(top, 0) + 1, dtype=float)
    for grade, gain in (gains or {}).items():
        if 0 <= grade <= top:
            table[grade] = gain
    table[: max(rel, 0)] = 0
    return table


@dataclass(frozen=True, eq=False)
class Hits:
    """The relevant documents retrieved, flat [hits], sorted by list and rank; the lists are runs x topics.

    Attributes
    ----------
    list : index of the list (run * T + topic) each hit belongs to
    slot : which judgment it is
    rank, condensed_rank : from 1, in the list and in the condensed list (unjudged documents removed)
    count : relevant documents so far, this one included
    pooled : documents above that the full qrels mention, whether still judged or not
    runs : number of runs
    topics : the topics' side (`Ideal`)
    """

    list: np.ndarray
    slot: np.ndarray
    rank: np.ndarray
    condensed_rank: np.ndarray
    count: np.ndarray
    pooled: np.ndarray
    runs: int
    topics: Ideal

    @property
    def R(self) -> np.ndarray:
        """Judged relevant documents per topic [T]."""
        return self.topics.R

    @property
    def N(self) -> np.ndarray:
        """Judged nonrelevant documents per topic [T]."""
        return self.topics.N

    @property
    def H(self) -> float:
        """Highest gain over all topics of the full qrels."""
        return self.topics.H

    @cached_property
    def topic(self) -> np.ndarray:
        """Topic of each hit."""
        return self.list % len(self.R)

    @cached_property
    def nonrelevant(self) -> np.ndarray:
        """Judged nonrelevant documents above each hit."""
        return self.condensed_rank - self.count

    @cached_property
    def gain(self) -> np.ndarray:
        """Gain of each hit."""
        return self.topics.of_judgment[self.slot]

    @cached_property
    def cum_gain(self) -> np.ndarray:
        """cg at each hit: the gain of its list so far, this one included."""
        total = np.cumsum(self.gain)
        first = np.arange(total.size) - self.count + 1
        return total - (total - self.gain)[first]

    @cached_property
    def ideal_cum_gain(self) -> np.ndarray:
        """cgI at the rank of each hit; flat past R."""
        values, first = self.topics.cumulated
        return values[first[self.topic] + np.minimum(self.rank, self.R.astype(np.int64)[self.topic])]

    def of_topic(self, value: np.ndarray) -> np.ndarray:
        """A value per topic [T], given to each hit."""
        return value[self.topic]

    def by_rank(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """A function of the rank alone, at each hit."""
        return _look_up(function, self.rank)

    def sum(self, value: np.ndarray | float = 1.0, where: np.ndarray | None = None) -> np.ndarray:
        """Sum of a value over the hits of each list [runs, T]; with `where`, only over hits for which it holds."""
        value = np.broadcast_to(value, self.list.shape)
        lists = self.list
        if where is not None:
            lists, value = lists[where], value[where]
        return np.bincount(lists, value, self.runs * len(self.R)).reshape(self.runs, len(self.R))

    def condensed(self) -> "Hits":
        """The same lists with every unjudged document removed."""
        return replace(self, rank=self.condensed_rank, pooled=self.condensed_rank - 1)

    def cut(self, k: int) -> "Hits":
        """The same lists, cut at rank k."""
        kept = self.rank <= k
        names = ("list", "slot", "rank", "condensed_rank", "count", "pooled")
        return replace(self, **{name: getattr(self, name)[kept] for name in names})


def hits(collection: Collection, grades: np.ndarray, topics: Ideal, rel: int = 1, runs: slice = slice(None)) -> Hits:
    """The hits of a stretch of runs under a grade vector [J]; `topics` must come from the same grades and level."""
    T = len(collection.topics)
    first_run, last_run, _ = runs.indices(len(collection.runs))
    bounds = collection.start[first_run * T : last_run * T + 1]
    stretch = slice(bounds[0], bounds[-1])
    slot = collection.slot[stretch]
    grade = grades[slot]
    judged = np.flatnonzero(grade >= 0)
    relevant = np.flatnonzero(grade[judged] >= rel)
    entry = judged[relevant]
    # where each list starts: among the pooled, the judged, the relevant entries
    pooled_start = bounds - bounds[0]
    judged_start = np.searchsorted(judged, pooled_start)
    start = np.searchsorted(relevant, judged_start)
    n = np.diff(start)

    def since(starts: np.ndarray, position: np.ndarray) -> np.ndarray:
        return position - np.repeat(starts[:-1], n)

    return Hits(
        list=np.repeat(np.arange(n.size), n),
        slot=slot[entry],
        rank=collection.rank[stretch][entry],
        condensed_rank=since(judged_start, relevant) + 1,
        count=since(start, np.arange(entry.size)) + 1,
        pooled=since(pooled_start, entry),
        runs=last_run - first_run,
        topics=topics,
    )


def _look_up(function: Callable[[np.ndarray], np.ndarray], rank: np.ndarray) -> np.ndarray:
    """function(rank), computed once for every rank that can occur."""
    table = function(np.arange(1, rank.max(initial=0) + 1, dtype=float))
    return table[rank - 1]
