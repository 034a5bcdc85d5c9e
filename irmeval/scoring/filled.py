"""Scores of a run once its unjudged documents have grades: any metric, under many sets
of grades at once.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.metrics import Measure
from irmeval.metrics.hits import Hits, Ideal, Retrieved
from irmeval.reading.gain_maps import gain_table
from irmeval.stats.blocks import fit, slices

CELLS = 1 << 19
"""Documents times sets of grades that are scored at once. No number depends on it."""
UNFILLED = "diagnostics", "sampled"
"""Families of metrics that are about what is not judged, or estimate from it."""


class HolePlaces(NamedTuple):
    """Unjudged documents that are given grades: the columns of a set of grades."""

    topic: np.ndarray
    """int [hole], ascending"""
    rank: np.ndarray
    """int [hole], in the list of the run that is scored; 0 where it does not have the
    document
    """


def holes_of(collection: Collection, run: int, depth: int | None = None) -> HolePlaces:
    """The unjudged documents of a run's lists, or of their top, by topic and rank."""
    T = len(collection.topics)
    length = collection.length[run * T : run * T + T].astype(np.int64)
    if depth:
        length = np.minimum(length, depth)
    first = np.cumsum(length) - length
    topic = np.repeat(np.arange(T), length)
    rank = np.arange(topic.size) - first[topic] + 1
    entry = np.arange(*collection.start[[run * T, run * T + T]])
    judgment = collection.judgment_index[entry]
    judged = (collection.grade[judgment] >= 0) & (
        collection.rank[entry] <= length[collection.topic[judgment]]
    )
    # what is not judged is a hole; judged documents are few
    hole = np.full(topic.size, True)
    hole[first[collection.topic[judgment[judged]]] + collection.rank[entry[judged]] - 1] = False
    return HolePlaces(topic[hole], rank[hole])


class Filled:
    """The lists of a run on those topics where it, or a run beside it, has holes."""

    def __init__(self, collection: Collection, grades: np.ndarray, run: int, holes: HolePlaces):
        T = len(collection.topics)
        self.collection, self.holes = collection, holes
        self.topics, self._column_topic = np.unique(holes.topic, return_inverse=True)
        """int [topic], those with holes"""
        levels = collection.top_grade + 1
        judged = np.flatnonzero(grades >= 0)
        cell = collection.topic[judged] * levels + grades[judged]
        self.counts = np.bincount(cell, minlength=T * levels).reshape(T, levels)[self.topics].T
        """int [grade, topic], judged documents"""
        self.length = collection.length[run * T + self.topics]

        place_of = np.full(T, -1)
        place_of[self.topics] = np.arange(self.topics.size)
        entry = np.arange(*collection.start[[run * T, run * T + T]])
        judgment = collection.judgment_index[entry]
        topic = place_of[collection.topic[judgment]]
        known = (grades[judgment] >= 0) & (topic >= 0)
        listed = np.flatnonzero(holes.rank > 0)
        topic = np.append(topic[known], self._column_topic[listed])
        rank = np.append(collection.rank[entry[known]], holes.rank[listed])
        grade = np.append(grades[judgment[known]], np.full(listed.size, -1))
        # -1 is the last of `column` in `_on`
        hole = np.append(np.full(int(known.sum()), -1), listed)

        order = np.lexsort((rank, topic))
        self.topic, self.rank = topic[order], rank[order]
        self.grade, self.hole = grade[order], hole[order]
        self.condensed = np.arange(order.size) - np.searchsorted(self.topic, self.topic) + 1

    def scores(self, measure: Measure, grades: np.ndarray, *, grows: bool = True) -> np.ndarray:
        """Scores under some sets of grades [set, hole], float64 [set, topic]; NaN
        without a relevant document.

        `grows` is whether the ideal lists, and R and N, take up the documents that the
        sets add.
        """
        scores = np.empty((len(grades), self.topics.size))
        for topics, sets, which in self._distinct(grades):
            part = self._on(topics)
            of_sets = part._score_sets(measure, sets, sets if grows else None)
            scores[:, topics] = of_sets[which, np.arange(topics.size)]
        if self.collection.policy.empty == "zero":
            np.nan_to_num(scores, copy=False)
        return scores

    def scores_apart(self, measure: Measure, listed: np.ndarray, ideal: np.ndarray) -> np.ndarray:
        """Scores of lists whose holes have some grades, beside ideal lists that take up
        others; both [set, hole], scores float64 [set, topic].
        """
        return self._score_sets(measure, listed, ideal)

    def with_one_grade(self, rel: int) -> "Filled":
        """The same lists with one grade for all judged documents that are relevant; the
        ideal lists keep theirs.
        """
        flat = copy(self)
        flat.grade = np.where(self.grade >= rel, rel, self.grade)
        return flat

    def _distinct(self, grades: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Topics with about as many distinct sets of grades, those sets [set, hole of
        these topics], and which of them is each of the given ones on each topic [set,
        topic]. A list with two holes and three grades has at most nine.
        """
        first = np.searchsorted(self._column_topic, np.arange(self.topics.size + 1))
        base, found = len(self.counts), []
        for start, end in pairwise(first.tolist()):
            columns, rows, which = (
                grades[:, start:end],
                np.arange(len(grades)),
                np.arange(len(grades)),
            )
            # a set as one number, as long as that fits 64 bits: sorting numbers is faster
            # than rows
            if base ** (end - start) < 2**62:
                _, rows, which = np.unique(
                    columns @ base ** np.arange(end - start), return_index=True, return_inverse=True
                )
            found.append((columns[rows], which))
        sizes = np.array([len(sets) for sets, _ in found], int)
        # powers of two: few groups, and no list is scored twice as often as it needs
        sizes = 2 ** np.ceil(np.log2(sizes)).astype(int)
        for size in np.unique(sizes).tolist():
            topics = np.flatnonzero(sizes == size)
            most = max(len(found[t][0]) for t in topics)
            sets = [found[t][0][np.minimum(np.arange(most), len(found[t][0]) - 1)] for t in topics]
            yield (
                topics,
                np.concatenate(sets, axis=1),
                np.stack([found[t][1] for t in topics], axis=1),
            )

    def _on(self, topics: np.ndarray) -> "Filled":
        """The same on some of the topics, by index."""
        # the usual case, for which nothing is copied
        if topics.size == self.topics.size:
            return self
        part = copy(self)
        place = np.full(self.topics.size, -1)
        place[topics] = np.arange(topics.size)
        columns = np.flatnonzero(place[self._column_topic] >= 0)
        column = np.full(self._column_topic.size + 1, -1)
        column[columns] = np.arange(columns.size)
        part._column_topic = place[self._column_topic[columns]]
        part.topics, part.length = self.topics[topics], self.length[topics]
        part.counts = self.counts[:, topics]
        kept = place[self.topic] >= 0
        part.topic = place[self.topic[kept]]
        part.hole = column[self.hole[kept]]
        part.rank, part.grade = self.rank[kept], self.grade[kept]
        part.condensed = self.condensed[kept]
        return part

    def _score_sets(
        self, measure: Measure, grades: np.ndarray, ideal: np.ndarray | None
    ) -> np.ndarray:
        """Scores under sets of grades [set, topic]; `ideal` are those that the ideal
        lists take up.
        """
        scores = np.empty((len(grades), self.topics.size))
        place = self.condensed if measure.prime else self.rank
        within = np.flatnonzero(place <= (measure.params.get("k") or place.max(initial=1)))
        for some in slices(
            len(grades), max(1, fit(CELLS) // max(within.size + 10 * self.topics.size, 1))
        ):
            parallel.check_cancelled()
            topics = self._ideal(
                measure, grades[some].shape[0], ideal if ideal is None else ideal[some]
            )
            hits = self._hits(measure, grades[some], within, topics)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores[some] = measure.score(hits).reshape(-1, self.topics.size)
        return scores

    def _hits(
        self, measure: Measure, grades: np.ndarray, within: np.ndarray, topics: Ideal
    ) -> Hits:
        """The hits of all lists, set by set, each a topic of its own."""
        T, sets, rel = self.topics.size, len(grades), measure.params["rel"]
        hole, topic = self.hole[within], self.topic[within]
        of_set = np.broadcast_to(self.grade[within].astype(np.int8), (sets, within.size)).copy()
        of_set[:, hole >= 0] = grades[:, hole[hole >= 0]]
        row, column = np.nonzero(of_set >= rel)
        cell = row * T + topic[column]
        start = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=sets * T))])
        condensed = self.condensed[within[column]].astype(np.float64)
        hits = Hits(
            start=start,
            judgment_index=of_set[row, column].astype(np.intp),
            rank=self.rank[within[column]].astype(np.float64),
            condensed_rank=condensed,
            count=np.arange(1.0, cell.size + 1) - start[cell],
            pooled=condensed - 1,
            runs=1,
            topics=topics,
            retrieved=self._retrieved(sets),
        )
        return hits.condensed() if measure.prime else hits

    def _ideal(self, measure: Measure, sets: int, grades: np.ndarray | None) -> Ideal:
        """The ideal lists, down to the cut-off, of every set and topic; without grades,
        those of the judgments.
        """
        c, rel = self.collection, measure.params["rel"]
        table = gain_table(c.top_grade, rel, c.policy.gains or None)
        start = np.searchsorted(self._column_topic, np.arange(self.topics.size))
        counts = [
            0 if grades is None else np.add.reduceat(grades == g, start, axis=1, dtype=np.int64)
            for g in range(c.top_grade + 1)
        ]
        each = np.array(
            [
                np.broadcast_to(known, (sets, known.size)) + more
                for known, more in zip(self.counts, counts, strict=True)
            ]
        )
        by_gain = np.array([g for g in np.argsort(-table, kind="stable") if g >= rel], np.intp)
        R, N = each[rel:].sum(axis=0).ravel(), each[:rel].sum(axis=0).ravel()
        kept = each[by_gain].reshape(by_gain.size, sets * self.topics.size)
        if k := measure.params.get("k"):
            kept = np.diff(np.minimum(np.cumsum(kept, axis=0), k), axis=0, prepend=0)
        return _Ideal(
            kept,
            table[by_gain],
            R=R.astype(np.float64),
            N=N.astype(np.float64),
            H=float(table[c.top_grade]) if c.top_grade >= rel else 0.0,
            of_judgment=table,
            grades=np.arange(c.top_grade + 1),
            relevant=np.empty(0, np.intp),
            collection=c,
        )

    def _retrieved(self, sets: int) -> Retrieved:
        """The lengths of the lists, and how many of their documents are judged."""
        judged = np.tile(np.bincount(self.topic, minlength=self.topics.size), sets)
        none, start = np.empty(0, np.intp), np.concatenate([[0], np.cumsum(judged)])
        return Retrieved(np.tile(self.length, sets), start, none, none, none, start)


class _Ideal(Ideal):
    """Ideal lists that are made where a metric needs them."""

    _counts: np.ndarray
    _gains: np.ndarray

    def __init__(self, counts: np.ndarray, gains: np.ndarray, **known: Any):
        """From the documents with each gain, highest first [gain, topic]."""
        for name, value in {"_counts": counts, "_gains": gains, **known}.items():
            object.__setattr__(self, name, value)

    @cached_property
    def _sizes(self) -> np.ndarray:
        sizes: np.ndarray = self._counts.sum(axis=0)
        return sizes

    @cached_property
    def gain(self) -> np.ndarray:
        return np.repeat(np.tile(self._gains, self._sizes.size), self._counts.T.ravel())

    @cached_property
    def topic(self) -> np.ndarray:
        return np.repeat(np.arange(self._sizes.size), self._sizes)

    @cached_property
    def rank(self) -> np.ndarray:
        return np.arange(1, self.topic.size + 1) - np.repeat(
            np.cumsum(self._sizes) - self._sizes, self._sizes
        )


def can_fill(measure: Measure) -> bool:
    """Whether a measure has a score under given grades: all have, but those about the
    unjudged and estimators.
    """
    return measure.metric.family not in UNFILLED and not measure.metric.summed


def check_can_fill(collection: Collection, measures: Sequence[Measure]) -> None:
    """Raise `ParamError` for measures and gains without scores under given grades."""
    if unfit := [measure for measure in measures if not can_fill(measure)]:
        raise ParamError(
            f"what-if: {unfit[0]} is about judgments, or estimates from them. Choose a measure such"
            " as nDCG@10."
        )
    if collection.policy.gains == "adjusted":
        raise ParamError(
            "what-if: expected gains that are fixed for each grade, found adjusted ones. Choose"
            " other gains."
        )
