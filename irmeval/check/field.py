"""The runs that a check compares, and what is computed once for all of them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from irmeval.check.finding import Finding
from irmeval.check.shape import judgment_findings
from irmeval.collection import Collection
from irmeval.collection.base import assemble, digests_of_runs, lists_of, qrels_of
from irmeval.collection.joining import Index, Lists
from irmeval.core.errors import ParamError
from irmeval.metrics import Measure, distinct
from irmeval.reading.policy import Policy
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.scoring.unjudged_near_top import PERSISTENCE, RunsUnjudged
from irmeval.stats.defaults import CORRECTION, TEST
from irmeval.stats.intervals import difference_interval
from irmeval.stats.significance import compare, correct

JUDGED: tuple[Measure, ...] = distinct(("Judged@10", "Judged@100", "Judged@1000"))
ALPHA = 0.05
SAMPLES = 1000
"""Samples of a simulated test."""


@dataclass(frozen=True, eq=False)
class Field:
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
    def of(cls, collection: Collection, measures: Sequence[str | Measure], scores: Scores | None = None) -> Self:
        """The runs of a collection. `scores` are their scores by these measures, if they are known."""
        return cls(Index(qrels_of(collection)), collection, scores or _scored(collection, distinct(measures)))

    @classmethod
    def joined(cls, index: Index, lists: dict[str, Lists], measures: Sequence[str | Measure], policy: Policy) -> Self:
        """Runs by name, with their lists as `index` joined them under the policy."""
        collection = assemble(index.qrels, [*lists], [*lists.values()], policy)
        return cls(index, collection, _scored(collection, distinct(measures)))

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
        """The parameter p of the first measure that has one, else the default. The residual of RBP depends on it."""
        return next((float(m.params["p"]) for m in self.measures if "p" in m.params), PERSISTENCE)

    def with_run(self, name: str, lists: Lists) -> "Field":
        """The field with one more run at its end."""
        runs = self.collection
        own = assemble(self.index.qrels, [name], [lists], self.policy)
        scores = evaluate(own, self.measures)
        collection = assemble(self.index.qrels, [*runs.runs, name], [*lists_of(runs), lists], self.policy)
        values = np.concatenate([self.scores.values, scores.values], axis=1)
        return replace(self, collection=collection, scores=Scores(values, self.measures, collection.runs, collection.topics))

    @cached_property
    def means(self) -> np.ndarray:
        """Mean scores [measures, runs]."""
        return self.scores.means

    @cached_property
    def judged(self) -> np.ndarray:
        """Means of `JUDGED` [measures, runs]."""
        return evaluate(self.collection, JUDGED).means

    @cached_property
    def judgments(self) -> tuple[Finding, ...]:
        """Findings about the qrels."""
        return tuple(judgment_findings(self.collection))

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

    def others(self, run: int) -> np.ndarray:
        """The other runs, in their order."""
        return np.delete(np.arange(len(self.collection.runs)), run)

    def p(self, run: int) -> np.ndarray:
        """Two-sided p-values of the differences between each other run and a run by the first measure [others]. The default test is used,
        and corrected for the number of runs. NaN if fewer than two topics have scores."""
        return correct(self._p[run, self.others(run)], CORRECTION, TEST, SAMPLES)

    @cached_property
    def _p(self) -> np.ndarray:
        """Uncorrected p-values of all pairs [runs, runs]."""
        n = len(self.collection.runs)
        found = np.full((n, n), np.nan)
        with suppress(ParamError):  # fewer than two topics
            found[np.triu_indices(n, 1)] = compare(self.scores.values[0][:, self.scored], TEST, samples=SAMPLES).p
        return np.where(np.isnan(found), found.T, found)

    def intervals(self, run: int) -> tuple[np.ndarray, np.ndarray]:
        """Low and high ends of the intervals of these differences at level `1 - ALPHA`, each [others]; NaN where p is NaN."""
        y = self.scores.values[0][:, self.scored]
        pairs = np.stack([y[self.others(run)], np.broadcast_to(y[run], (len(y) - 1, y.shape[1]))], axis=1)
        try:
            low, high = difference_interval(pairs, level=1 - ALPHA)
        except ParamError:
            return np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
        return low[:, 0], high[:, 0]

    def same(self, run: int) -> list[str]:
        """The other runs that have the same documents at the same ranks on all topics."""
        return [name for i, name in enumerate(self.collection.runs) if i != run and self._digests[i] == self._digests[run]]

    @cached_property
    def _digests(self) -> list[bytes]:
        return digests_of_runs(self.collection)


def _scored(collection: Collection, measures: tuple[Measure, ...]) -> Scores:
    if collection.runs:
        return evaluate(collection, measures)
    return Scores(np.empty((len(measures), 0, len(collection.topics))), measures, (), collection.topics)
