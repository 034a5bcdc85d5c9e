"""Input of metrics: the relevant documents retrieved, under one vector of grades.

This is the only hot loop. Relevant documents are few, so a metric is a short formula
over them. Its condensed-list form (the prime) is the same formula with the ranks of the
condensed list.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.metrics.sample_weights import WeightedSample
from irmeval.reading.gain_maps import Gains, gain_table

Made = TypeVar("Made")


class Shared:
    """A record that caches values computed from it, for several measures."""

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def memoize(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Result of `make`, which is called only for new keys."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]


@dataclass(frozen=True, eq=False)
class Ideal(Shared):
    """Topics under one grade vector: numbers of relevant documents, and the ideal
    lists.
    """

    R: np.ndarray
    """float64 [T], judged relevant and judged nonrelevant documents"""
    N: np.ndarray
    gain: np.ndarray
    """each [sum of R]: the ideal lists of relevant documents by topic, then descending
    gain; ranks from 1
    """
    rank: np.ndarray
    topic: np.ndarray
    H: float
    """highest gain over all topics of the full qrels, independent of reductions"""
    of_judgment: np.ndarray
    """float64 [J], gain of each judgment; 0 if nonrelevant or unjudged"""
    grades: np.ndarray
    """int [J], grades in use"""
    relevant: np.ndarray
    """int [sum of R], indices of the relevant judgments"""
    collection: Collection

    @cached_property
    def whole(self) -> bool:
        """Whether every gain is a whole number."""
        return bool(np.all(self.gain == np.rint(self.gain)))

    @cached_property
    def pool(self) -> np.ndarray:
        """Documents in the full qrels, judged or not, per topic [T]."""
        return np.bincount(self.collection.topic, minlength=len(self.R))

    @cached_property
    def sample(self) -> WeightedSample:
        """The judgments as a sample of the pool: one stratum per topic unless the
        collection has another design.
        """
        return WeightedSample(self.collection, self.grades)

    @cached_property
    def total(self) -> np.ndarray:
        """cgI(R): the total gain of the relevant documents, per topic [T]."""
        return self.sum(self.gain)

    @cached_property
    def first(self) -> np.ndarray:
        """Start of each topic in the result of `running` [T + 1]."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.topic, minlength=len(self.R)) + 1)])

    @cached_property
    def cumulated(self) -> np.ndarray:
        """cgI of every topic, flat, each from rank 0 to R."""
        return self.running(self.gain)

    def running(self, value: np.ndarray) -> np.ndarray:
        """Running sum of a value over the ideal list of every topic, flat, from 0 at
        rank 0 to the total at rank R.
        """
        steps = np.zeros(self.first[-1])
        steps[self.first[self.topic] + self.rank] = value
        total = np.cumsum(steps)
        return total - np.repeat(total[self.first[:-1]], np.diff(self.first))

    def sum(self, value: np.ndarray) -> np.ndarray:
        """Per topic, the sum of a value over the ideal list [T]."""
        return np.bincount(self.topic, value, len(self.R))

    def by_rank(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """A function of the rank alone, at each document of the ideal lists."""
        return _look_up(function, self.rank)

    def discounted(
        self, discount: Callable[[np.ndarray], np.ndarray], k: int | None = None
    ) -> np.ndarray:
        """Per topic, the ideal list's discounted cumulative gain, down to rank k
        [T].
        """
        weight = self.gain * self.by_rank(discount)
        return self.sum(weight if k is None else weight * (self.rank <= k))


def judgment_gains(
    collection: Collection, grades: np.ndarray, rel: int, gains: Gains | None
) -> tuple[np.ndarray, float]:
    """Gain of each judgment under a grade vector, float64 [J], and H, the highest in
    the full qrels.

    With ``adjusted`` (Sakai 2007, "On the reliability of information retrieval metrics
    based on graded relevance", 4.5) a level's gain falls towards that of the level
    below as its share of the topic's relevant documents grows; H is then that of the
    gains before, so that no reduction lifts a gain above it.
    """
    table = gain_table(collection.top_grade, rel, gains)
    level = np.maximum(grades, 0)
    H = float(table[collection.top_grade]) if collection.top_grade >= rel else 0.0
    if gains != "adjusted":
        return table[level], H
    relevant = grades >= rel
    cell = collection.topic[relevant] * table.size + level[relevant]
    per_level = np.bincount(cell, minlength=len(collection.topics) * table.size).reshape(
        -1, table.size
    )
    share = per_level / np.maximum(per_level.sum(axis=1, keepdims=True), 1)
    adjusted = table - share * np.diff(table, prepend=0.0)
    return adjusted[collection.topic, level], H


def ideal_lists(
    collection: Collection, grades: np.ndarray, rel: int = 1, gains: Gains | None = None
) -> Ideal:
    """The topics of a collection under a grade vector, at a relevance level and with a
    gain map (default: that of the policy).
    """
    T = len(collection.topics)
    relevant = np.flatnonzero(grades >= rel)
    decided = (collection.policy.gains or None) if gains is None else gains
    of_judgment, H = judgment_gains(collection, grades, rel, decided)
    gain, topic = of_judgment[relevant], collection.topic[relevant]
    order = np.lexsort((-gain, topic))
    gain = gain[order]
    R = np.bincount(topic, minlength=T)
    N = np.bincount(collection.topic[grades >= 0], minlength=T) - R
    rank = np.arange(1, topic.size + 1) - np.repeat(np.cumsum(R) - R, R)
    return Ideal(
        R=R.astype(float),
        N=N.astype(float),
        gain=gain,
        rank=rank,
        topic=topic,
        H=H,
        of_judgment=of_judgment,
        grades=grades,
        relevant=relevant,
        collection=collection,
    )


class NonemptyLists(NamedTuple):
    """Nonempty lists."""

    lists: int
    """number of all lists, empty ones included"""
    list: np.ndarray
    """int [filled], index of each list"""
    start: np.ndarray
    """int [filled], where each starts"""
    n: np.ndarray
    """int [filled], length of each"""

    @classmethod
    def of(cls, start: np.ndarray) -> "NonemptyLists":
        """Start of every list and end of the last [lists + 1]."""
        n = np.diff(start)
        filled = np.flatnonzero(n)
        return cls(n.size, filled, start[filled], n[filled])

    def reduce(self, value: np.ndarray, how: np.ufunc = np.add) -> np.ndarray:
        """Sum of a value over each list, or another reduction; 0 for an empty list
        [lists].
        """
        found = np.zeros(self.lists)
        if self.list.size:
            # of an empty list reduceat would take the value at its start, that of the next list
            found[self.list] = how.reduceat(value, self.start, dtype=np.float64)
        return found


@dataclass(frozen=True, eq=False)
class Retrieved(Shared):
    """Judged documents of the lists, relevant or not, for the few metrics that need
    them.
    """

    length: np.ndarray
    """int [lists], documents retrieved, judged or not"""
    start: np.ndarray
    """int [lists + 1], where each list starts among the judged documents retrieved"""
    entry: np.ndarray
    """int [judged documents retrieved], index of each in `ranks` and
    `judgment_index`
    """
    ranks: np.ndarray
    """int [pooled documents retrieved], the rank and the judgment of each"""
    judgment_index: np.ndarray
    pooled_start: np.ndarray
    """int [lists + 1], where each list starts among the pooled documents retrieved"""

    @cached_property
    def judged(self) -> np.ndarray:
        """Judged documents in each list [lists]."""
        return np.diff(self.start)

    def sum(self, value: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Sum of a function of the rank over the judged documents of each list
        [lists].
        """
        values = _look_up(value, self.ranks.take(self.entry))
        return NonemptyLists.of(self.start).reduce(values)


@dataclass(frozen=True, eq=False)
class Hits(Shared):
    """Relevant documents retrieved, flat [hits], sorted by list and rank. A list is one
    run on one topic.
    """

    start: np.ndarray
    """int [lists + 1], start of each list (run * T + topic) among the hits"""
    judgment_index: np.ndarray
    """int [hits], index of each hit's judgment"""
    rank: np.ndarray
    """float64 [hits], ranks from 1: in the list, and in the condensed list, which has
    no unjudged documents
    """
    condensed_rank: np.ndarray
    count: np.ndarray
    """float64 [hits], relevant documents down to and including this one"""
    pooled: np.ndarray
    """float64 [hits], documents above it that the full qrels contain, still judged or
    not
    """
    runs: int
    topics: Ideal
    retrieved: Retrieved
    """the whole lists, neither cut nor condensed"""
    whole: "Hits | None" = None
    """the hits that these are a view of, if any; values that are equal in both are
    computed there
    """

    R = property(attrgetter("topics.R"), doc="Judged relevant documents per topic [T].")
    N = property(attrgetter("topics.N"), doc="Judged nonrelevant documents per topic [T].")
    H = property(attrgetter("topics.H"), doc="Highest gain over all topics of the full qrels.")

    @cached_property
    def nonrelevant(self) -> np.ndarray:
        """Judged nonrelevant documents above each hit."""
        return self.whole.nonrelevant if self.whole else self.condensed_rank - self.count

    @cached_property
    def gain(self) -> np.ndarray:
        """Gain of each hit."""
        return self.whole.gain if self.whole else self.topics.of_judgment.take(self.judgment_index)

    @cached_property
    def grade(self) -> np.ndarray:
        """Grade of each hit, int64, since arithmetic on the stored type would overflow
        or lose digits.
        """
        return self.topics.grades.take(self.judgment_index).astype(np.int64)

    @cached_property
    def cum_gain(self) -> np.ndarray:
        """cg at each hit: the gain of its list so far, including this one."""
        if self.whole:
            return self.whole.cum_gain
        # summing integers takes a quarter of the time
        quick = self.topics.whole and self.H * self.rank.size < 2**31
        return self.so_far(self.gain.astype(np.int32) if quick else self.gain)

    @cached_property
    def ideal_cum_gain(self) -> np.ndarray:
        """cgI at the rank of each hit; flat past R."""
        return self.in_ideal(self.topics.cumulated, self.rank)

    @cached_property
    def best_rank(self) -> np.ndarray:
        """At each hit, the first rank in its list with the highest gain in the list."""
        start, n = self._filled.start, self._filled.n
        if not n.size:
            return self.rank
        best = np.repeat(np.maximum.reduceat(self.gain, start), n)
        return np.repeat(
            np.minimum.reduceat(np.where(self.gain == best, self.rank, self.rank.max()), start), n
        )

    @cached_property
    def _filled(self) -> "NonemptyLists":
        """Lists with hits."""
        return self.whole._filled if self.whole else NonemptyLists.of(self.start)

    @cached_property
    def _place(self) -> np.ndarray:
        """The ranks as whole numbers."""
        return self.rank.astype(np.intp)

    def so_far(self, value: np.ndarray) -> np.ndarray:
        """Sum of a value over the list of each hit down to and including it."""
        total = self.running(value)
        start = self._filled.start
        total -= np.repeat(total[start] - value[start], self._filled.n)
        return total.astype(np.float64, copy=False)

    def running(self, value: np.ndarray) -> np.ndarray:
        """Sum of a value down to each hit. Rounded sums are computed run by run, so
        that runs do not depend on each other.
        """
        total = np.empty_like(value)
        bounds = (
            self.start[:: len(self.R)]
            if value.dtype.kind == "f"
            else self.start[:: self.start.size - 1]
        )
        for first, last in pairwise(bounds.tolist()):
            np.cumsum(value[first:last], dtype=value.dtype, out=total[first:last])
        return total

    def in_ideal(self, running: np.ndarray, rank: np.ndarray | int) -> np.ndarray:
        """Running sum at each hit over its topic's ideal list down to a rank (one, or
        one per hit); flat past R.
        """
        first = self.topics.first
        place = self._place if rank is self.rank else np.asarray(rank, dtype=np.intp)
        return running.take(
            np.minimum(self.of_topic(first[:-1]) + place, self.of_topic(first[1:] - 1))
        )

    def of_topic(self, value: np.ndarray) -> np.ndarray:
        """A value per topic [T], given to each hit."""
        return value[None].repeat(self.runs, axis=0).ravel().repeat(np.diff(self.start))

    def per_list(self, value: np.ndarray) -> np.ndarray:
        """A value per list [lists], as [runs, T]."""
        return value.reshape(self.runs, len(self.R))

    def by_rank(self, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """A function of the rank alone, at each hit."""
        return _look_up(function, self._place)

    def sum(self, value: np.ndarray | None = None, where: np.ndarray | None = None) -> np.ndarray:
        """Sum of a value over the hits of each list, or their number [runs, T]; with
        `where`, only over hits for which it holds.
        """
        start, filled = self.start, self._filled
        if where is not None:
            kept = np.flatnonzero(where)
            start = np.searchsorted(kept, start)
            if value is not None:
                value, filled = value.take(kept), NonemptyLists.of(start)
        return self.per_list(
            np.diff(start).astype(np.float64) if value is None else filled.reduce(value)
        )

    def max(self, value: np.ndarray, where: np.ndarray) -> np.ndarray:
        """Highest value over the hits of each list for which `where` holds, 0 if there
        are none [runs, T].
        """
        kept = np.flatnonzero(where)
        return self.per_list(
            NonemptyLists.of(np.searchsorted(kept, self.start)).reduce(value.take(kept), np.maximum)
        )

    def condensed(self) -> "Hits":
        """The same lists with every unjudged document removed."""
        # all that a condensed list holds is judged, and so in the pool
        return replace(self, rank=self.condensed_rank, pooled=self.condensed_rank - 1, whole=self)

    def cut(self, k: int) -> "Hits":
        """The same lists, cut at rank k."""
        kept = np.flatnonzero(self.rank <= k)
        if kept.size == self.rank.size:
            return self
        # what was made of the uncut hits is not taken over: sums and running sums differ
        parts = {
            name: getattr(self, name).take(kept)
            for name in ("judgment_index", "rank", "condensed_rank", "count", "pooled")
        }
        return replace(self, start=np.searchsorted(kept, self.start), whole=None, **parts)


def find_hits(
    collection: Collection,
    grades: np.ndarray,
    topics: Ideal,
    rel: int = 1,
    runs: slice = slice(None),
) -> Hits:
    """The hits of a slice of the runs under a grade vector [J]; `topics` must be made
    from the same grades and level.
    """
    T = len(collection.topics)
    first_run, last_run, _ = runs.indices(len(collection.runs))
    bounds = collection.start[first_run * T : last_run * T + 1]
    judgment_index, ranks = (
        part[bounds[0] : bounds[-1]] for part in (collection.judgment_index, collection.rank)
    )
    grade = grades.take(judgment_index)
    judged = np.flatnonzero(grade >= 0)
    relevant = np.flatnonzero(grade.take(judged) >= rel)
    entry = judged.take(relevant)
    pooled_start = bounds - bounds[0]
    judged_start = np.searchsorted(judged, pooled_start)
    start = np.searchsorted(relevant, judged_start)
    n = np.diff(start)

    def since(starts: np.ndarray, position: np.ndarray) -> np.ndarray:
        """Positions within each list, from 0."""
        return np.subtract(position, np.repeat(starts[:-1], n), dtype=np.float64)

    return Hits(
        start=start,
        judgment_index=judgment_index.take(entry),
        rank=ranks.take(entry).astype(np.float64),
        # less 1, since ranks and counts begin at 1
        condensed_rank=since(judged_start - 1, relevant),
        count=since(start - 1, np.arange(entry.size)),
        pooled=since(pooled_start, entry),
        runs=last_run - first_run,
        topics=topics,
        retrieved=Retrieved(
            collection.length[first_run * T : last_run * T],
            judged_start,
            judged,
            ranks,
            judgment_index,
            pooled_start,
        ),
    )


def _look_up(function: Callable[[np.ndarray], np.ndarray], rank: np.ndarray) -> np.ndarray:
    """function(rank), computed only once for every possible rank."""
    table = np.zeros(rank.max(initial=0) + 1)
    table[1:] = function(np.arange(1, table.size, dtype=float))
    return table.take(rank)
