"""Effect of new judgments on scores, ranks and decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.merge import ReturnedJudgments
from irmeval.core.places import pick
from irmeval.core.text import count_noun, share_that, verb
from irmeval.experiments.results import Frame, Table, rowwise, table, tidy
from irmeval.experiments.runs.matrix import Params as Testing
from irmeval.metrics import Measure
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.means import rank_scores
from irmeval.stats.pairs import count_pairs


@dataclass(frozen=True, eq=False)
class Changes:
    """Scores of runs before and after new judgments."""

    returned: ReturnedJudgments
    """the new judgments, and the collection that includes them"""
    before: Scores
    after: Scores
    params: Testing
    """test of pairs of runs"""

    @cached_property
    def places(self) -> np.ndarray:
        """Place of each run before and after; 1 is best [2, measure, run]."""
        return np.array([rank_scores(scores.means) for scores in (self.before, self.after)])

    @cached_property
    def tested(self) -> np.ndarray:
        """Before and after, the mean difference of each pair and p of the pair alone
        [2, 2, measure, pair]; NaN with too few topics.
        """
        runs = len(self.before.runs)
        found = np.full((2, 2, len(self.before.measures), count_pairs(runs)), np.nan)
        for when, scores in enumerate((self.before, self.after)):
            for m, values in enumerate(scores.values):
                tested = self.params.compare(values)
                found[when, :, m] = tested.difference, tested.p_alone
        return found

    @cached_property
    def decided(self) -> np.ndarray:
        """Which run of a pair is better before and after: 1 the first, -1 the second, 0
        not significant [2, measure, pair].
        """
        difference, p = self.tested[:, 0], self.tested[:, 1]
        return np.where(p < self.params.alpha, np.sign(np.nan_to_num(difference)), 0).astype(int)

    def headline(self, choice: str = "") -> str:
        """Number of new judgments, and their effect by the first measure."""
        grade = self.returned.qrels.grade
        change = self.after.means[0] - self.before.means[0]
        most = int(np.nanargmax(np.abs(np.nan_to_num(change))))
        moved = int((self.places[0, 0] != self.places[1, 0]).sum())
        other = int((self.decided[0, 0] != self.decided[1, 0]).sum())
        n = self.returned.waiting
        tau = float(tau_b(self.before.means[0], self.after.means[0]))
        relevant, pairs = int((grade > 0).sum()), self.decided.shape[-1]
        said = (
            f"{count_noun(grade.size, 'new judgment')} ({relevant:,} relevant). By"
            f" {self.before.measures[0]}, {share_that(moved, len(change), 'run', 'change place')}"
        )
        if np.isfinite(tau):
            said += f" (tau of the two orders {tau:.2f})"
        said += f"; {self._describe_change(change, most)}"
        if pairs:
            decided = share_that(other, pairs, "decision", "change")
            said += f"; {decided} ({self.params.decided_by})"
        if not n:
            return f"{said}."
        waiting = f"{count_noun(n, 'document')} of the list {verb(n, 'has', 'have')} no grade yet"
        return f"{said}. {waiting}."

    def _describe_change(self, change: np.ndarray, most: int) -> str:
        """The run whose mean changes most, and by how much; a clause."""
        if not np.nan_to_num(change[most]):
            return "no mean changes"
        by_most = "changes by"
        if len(change) > 1:
            by_most = "changes most, by"
        return f"the mean of {self.before.runs[most]} {by_most} {change[most]:+.4f}"

    def scores(self) -> Frame:
        """One row per measure and run, by mean after: mean before and after, their
        difference, places.
        """
        before, after, (was, now) = self.before.means, self.after.means, self.places
        columns = {"before": before, "after": after, "change": after - before}
        columns |= {"place before": was, "place after": now, "places gained": was - now}
        return tidy(
            {"measure": self.before.measures, "run": self.before.runs},
            columns,
            descending=np.nan_to_num(after),
        )

    def decisions(self) -> Frame:
        """One row per measure and pair of runs whose decision changed: difference and p
        before and after, and the change in words.
        """
        a, b = np.triu_indices(len(self.before.runs), 1)
        columns = (
            "measure",
            "run a",
            "run b",
            "difference before",
            "difference after",
            "p before",
            "p after",
            "now",
        )
        rows = []
        for m, i in zip(*np.nonzero(self.decided[0] != self.decided[1]), strict=True):
            runs = self.before.runs[a[i]], self.before.runs[b[i]]
            was, now = self.decided[:, m, i]
            better = runs[int(now <= 0)]
            said = f"{better} is better"
            if was and now:
                said = f"reversed: {said}"
            elif was:
                said = "no longer significant"
            rows.append(
                (
                    self.before.measures[m],
                    *runs,
                    *self.tested[:, 0, m, i],
                    *self.tested[:, 1, m, i],
                    said,
                )
            )
        return rowwise(columns, rows)

    def judged(self) -> Frame:
        """One row per new judgment: topic, document, grade."""
        qrels = self.returned.qrels
        topics = pick(qrels.topics, qrels.topic)
        return table(
            {
                "topic": topics,
                "document": qrels.documents.to_pylist(),
                "grade": qrels.grade.astype(int),
            }
        )

    def tables(self) -> list[Table]:
        """Scores and places; decisions that changed; the new judgments."""
        return [
            Table("scores", "Scores and places", self.scores),
            Table("decisions", "Decisions that changed", self.decisions),
            Table("judged", "New judgments", self.judged),
        ]


def changes(
    collection: Collection,
    returned: ReturnedJudgments,
    measures: Sequence[Measure],
    params: Testing,
) -> Changes:
    """Effect of new judgments (`irmeval.collection.merge.merge_judgments`) on their
    collection.
    """
    return Changes(
        returned, evaluate(collection, measures), evaluate(returned.collection, measures), params
    )
