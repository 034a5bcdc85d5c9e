"""The runs that a check compares, with shared computations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.base import assemble, digests_of_runs, lists_of, qrels_of
from irmeval.collection.joining import Index, Lists
from irmeval.core import parallel
from irmeval.metrics import Measure, at_least_one, distinct
from irmeval.reading.policy import Policy
from irmeval.scoring.filled import can_fill
from irmeval.scoring.hole_grades import TeamPool
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.unjudged_near_top import PERSISTENCE, RunsUnjudged
from irmeval.scoring.with_holes import Drawing, GradeSource, WithHoles, have_many_holes, with_holes
from irmeval.stats.pair_tests import Intervals, PairTests, compare_pairs

JUDGED: tuple[Measure, ...] = distinct(("Judged@10", "Judged@100", "Judged@1000"))
ALPHA = 0.05
"""Level of the tests."""
MIN_OTHERS = 4
"""Minimum number of other runs for a comparison of a topic's score."""
FENCE = 1.5
"""Number of interquartile ranges beyond the quartiles at which a score is an outlier
(Tukey 1977).
"""
MIN_DIFFERENCE = 0.05
"""Minimum difference from a quartile that is reported."""


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """Runs under one policy, and their scores.

    Attributes
    ----------
    index : Index
        The qrels.
    collection : Collection
        The runs joined with them; there may be none.
    scores : Scores
        Scores of these runs. The first measure ranks the runs.
    """

    index: Index
    collection: Collection
    scores: Scores

    @classmethod
    def of(
        cls, collection: Collection, measures: Sequence[str | Measure], scores: Scores | None = None
    ) -> Self:
        """The runs of a collection. `scores` are their scores by these measures, if
        they are known.
        """
        return cls(
            Index(qrels_of(collection)),
            collection,
            scores or _scored(collection, at_least_one(measures)),
        )

    @classmethod
    def joined(
        cls,
        index: Index,
        lists: dict[str, Lists],
        measures: Sequence[str | Measure],
        policy: Policy,
    ) -> Self:
        """Runs by name, with their lists as joined by `index` under the policy."""
        collection = assemble(index.qrels, [*lists], [*lists.values()], policy)
        return cls(index, collection, _scored(collection, at_least_one(measures)))

    @property
    def policy(self) -> Policy:
        """The policy of the collection."""
        return self.collection.policy

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of the scores."""
        return self.scores.measures

    @property
    def persistence(self) -> float:
        """Parameter p of the first measure that has one, else the default. The residual
        of RBP depends on it.
        """
        return next((float(m.params["p"]) for m in self.measures if "p" in m.params), PERSISTENCE)

    def with_run(self, name: str, lists: Lists) -> "ScoredRuns":
        """The field with one more run at its end."""
        runs = self.collection
        own = assemble(self.index.qrels, [name], [lists], self.policy)
        scores = evaluate(own, self.measures)
        collection = assemble(
            self.index.qrels, [*runs.runs, name], [*lists_of(runs), lists], self.policy
        )
        # the others are not scored again: their scores do not depend on it
        values = np.concatenate([self.scores.values, scores.values], axis=1)
        return replace(
            self,
            collection=collection,
            scores=Scores(values, self.measures, collection.runs, collection.topics),
        )

    @cached_property
    def means(self) -> np.ndarray:
        """Mean scores [measures, runs]."""
        return self.scores.means

    @cached_property
    def judged(self) -> np.ndarray:
        """Means of `JUDGED` [measures, runs]."""
        return evaluate(self.collection, JUDGED).means

    @cached_property
    def with_holes(self) -> WithHoles | None:
        """Bounds of the scores by the first measure, as *What if* gives them; None if
        the unjudged documents cannot be given grades.
        """
        if (
            not can_fill(self.measures[0])
            or self.policy.gains == "adjusted"
            or self.collection.design
        ):
            return None
        # each run as a team of its own, since no list of teams is given
        pool, alone = TeamPool.of(self.collection, self.collection.runs), self.scores.values[:1]
        source = GradeSource(pool, {})
        return with_holes(source, self.measures[:1], alone, Drawing(), lambda _: None)

    @cached_property
    def many_holes(self) -> np.ndarray:
        """The runs with many unjudged documents in their top 10, int [some]."""
        return np.flatnonzero(have_many_holes(self.collection))

    @cached_property
    def unjudged(self) -> RunsUnjudged:
        """The unjudged documents of each run."""
        return RunsUnjudged(self.collection)

    @cached_property
    def longest(self) -> np.ndarray:
        """Documents in the longest list of each run, at most the depth [runs]."""
        return self.collection.length.reshape(len(self.collection.runs), -1).max(axis=1)

    @cached_property
    def scored(self) -> np.ndarray:
        """Topics on which every run has a score by the first measure, bool [topics]."""
        return ~np.isnan(self.scores.values[0]).any(axis=0)

    def prepare(self) -> Self:
        """The field, once what the checks of several runs share is computed, on all
        processors.
        """
        if self.collection.runs:
            # on one thread each, before the runs are checked on all: they would wait for
            # it
            shared = "with_holes", "unjudged", "_digests", "_intervals", "lost_far_below"
            parallel.map_threads(lambda name: getattr(self, name), shared)
        return self

    def others(self, run: int) -> np.ndarray:
        """The other runs, in their order."""
        return np.delete(np.arange(len(self.collection.runs)), run)

    @cached_property
    def tests(self) -> PairTests:
        """All pairs of runs by the first measure."""
        widest = float(np.ptp(self.scores.measures[0].metric.range))
        return compare_pairs(self.scores.values[0], alpha=ALPHA, widest=widest)

    @cached_property
    def _intervals(self) -> Intervals:
        return self.tests.intervals()

    def compared(self, run: int) -> dict[str, np.ndarray]:
        """Differences of the other runs from a run by the first measure: interval
        limits ``low`` and ``high`` at level `1 - ALPHA`, and two-sided ``p``, with all
        pairs at once, each [others]; NaN with fewer than two topics in common.
        """
        others = self.others(run)
        pairs = self.tests.number[run, others]
        low, high = self._intervals.low_at_once[pairs], self._intervals.high_at_once[pairs]
        # a pair is stored once, as the difference of the earlier run from the later
        ends = np.where(others < run, [low, high], [-high, -low])
        return {"low": ends[0], "high": ends[1], "p": self.tests.p_at_once[pairs]}

    def lost_below(self, rank: int, run: int) -> float:
        """Median loss in mean, by the first measure, of other runs with longer lists if
        these were cut at a rank; 0 if there are none, or none has a score.
        """
        if rank not in self._lost:
            self._lost[rank] = self._cut_at(rank)
        lost = self._lost[rank][self.others(run)]
        longer = lost[self.usual[self.others(run)] > rank]
        return float(np.nan_to_num(np.median(longer))) if longer.size else 0.0

    def _cut_at(self, rank: int) -> np.ndarray:
        """Loss in mean, by the first measure, of each run with longer lists if these
        are cut at a rank, 0 for others [runs].
        """
        longer, lost = np.flatnonzero(self.usual > rank), np.zeros(len(self.collection.runs))
        lists = [_cut_lists(self._lists[run], rank) for run in longer]
        collection = assemble(
            self.index.qrels, [self.collection.runs[run] for run in longer], lists, self.policy
        )
        # without the tops of their lists nothing else changes, so all are scored together
        lost[longer] = self.means[0, longer] - _scored(collection, self.measures[:1]).means[0]
        return lost

    @cached_property
    def _lost(self) -> dict[int, np.ndarray]:
        return {}

    @cached_property
    def _lists(self) -> list[Lists]:
        return lists_of(self.collection)

    @cached_property
    def usual(self) -> np.ndarray:
        """Median length of the lists of each run, at most the depth [runs]."""
        lengths = self.collection.length.reshape(len(self.collection.runs), -1)
        return np.array([np.median(of[of > 0]) if of.any() else 0.0 for of in lengths])

    def fences(self, run: int) -> np.ndarray:
        """The lowest score of the other runs by the first measure on each topic, the
        lower fence, the median, the upper fence and the highest score [5, topics]; NaN
        if some run has no score. Scores beyond a fence are outliers.
        """
        y = self.scores.values[0, self.others(run)]
        low, first, middle, third, high = np.where(
            self.scored, np.percentile(np.nan_to_num(y), [0, 25, 50, 75, 100], axis=0), np.nan
        )
        # where most runs score the same, any difference would be beyond a fence
        reach = np.maximum(FENCE * (third - first), MIN_DIFFERENCE)
        return np.stack([low, first - reach, middle, third + reach, high])

    @cached_property
    def lost_far_below(self) -> np.ndarray:
        """Loss of each run against the median run on topics where it is far below, in
        the mean of the first measure [runs].
        """
        if len(self.collection.runs) <= MIN_OTHERS:
            return np.zeros(len(self.collection.runs))
        lost = []
        for run, x in enumerate(self.scores.values[0]):
            _, fence, middle, *_ = self.fences(run)
            lost.append(
                float((middle - x)[x < fence].sum()) / max(int(np.count_nonzero(~np.isnan(x))), 1)
            )
        return np.array(lost)

    def same(self, run: int) -> list[str]:
        """Other runs with the same documents at the same ranks on all topics."""
        return [
            name
            for i, name in enumerate(self.collection.runs)
            if i != run and self._digests[i] == self._digests[run]
        ]

    @cached_property
    def _digests(self) -> list[bytes]:
        return digests_of_runs(self.collection)


def _scored(collection: Collection, measures: tuple[Measure, ...]) -> Scores:
    if collection.runs:
        return evaluate(collection, measures)
    return Scores(
        np.empty((len(measures), 0, len(collection.topics))), measures, (), collection.topics
    )


def _cut_lists(lists: Lists, last: int) -> Lists:
    """Lists of a run cut at a rank, without the documents outside the pool, which no
    score depends on.
    """
    topics, kept = len(lists.length), lists.rank <= last
    pooled = np.bincount(np.repeat(np.arange(topics), lists.pooled)[kept], minlength=topics)
    length = np.minimum(lists.length, np.int32(last))
    return lists._replace(
        judgment_index=lists.judgment_index[kept],
        rank=lists.rank[kept],
        pooled=pooled,
        length=length,
        outside=None,
    )
