"""Lines of a run in ranked order, with their judgments.

Also how much its scores depend on how ties are broken.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.check.finding import LEVELS, CheckFinding, note, weigh
from irmeval.collection import Collection
from irmeval.collection.base import assemble
from irmeval.collection.joining import Index, LinePlaces, Lists
from irmeval.core.lazy import pd
from irmeval.core.text import count_noun
from irmeval.metrics import Measure, distinct
from irmeval.metrics.hits import ideal_lists
from irmeval.reading.order import sorting_permutation
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.scores import evaluate
from irmeval.stats.means import mean_of_known
from irmeval.stats.tied_lists import Tied, place_in_group

BY_SCORE = ("trec_eval", "double")
"""Orders in which ties must be broken."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The lines of a run on judged topics, by topic and rank, before lists are cut.

    Attributes
    ----------
    run : Run
    qrels : Qrels
    line : int [n]
        Index of the line in the run.
    topic : int [n]
        Ascending.
    judgment_index : int [n]
        Index of the judgment; -1 for a document outside the pool.
    order : str
        The order of the policy by which the lines are sorted.
    """

    run: Run
    qrels: Qrels
    line: np.ndarray
    topic: np.ndarray
    judgment_index: np.ndarray
    order: str

    @cached_property
    def rank(self) -> np.ndarray:
        """Rank of each line in its list, from 1 [n]."""
        return place_in_group(self.topic)

    @cached_property
    def grade(self) -> np.ndarray:
        """Grade of each document, -1 if not judged [n]."""
        return np.where(
            self.judgment_index >= 0, np.maximum(self.qrels.grade[self.judgment_index], -1), -1
        )

    @cached_property
    def length(self) -> np.ndarray:
        """The number of lines of each topic [topics]."""
        return np.bincount(self.topic, minlength=len(self.qrels.topics))

    @cached_property
    def score(self) -> np.ndarray:
        """Score of each line, float64 [n]."""
        return self.run.score[self.line]

    @cached_property
    def key(self) -> np.ndarray:
        """The score of each line with the precision of the order [n]."""
        # a score too large for 32 bits is infinite, as in trec_eval
        with np.errstate(over="ignore"):
            return self.score if self.order == "double" else self.score.astype(np.float32)

    @cached_property
    def same(self) -> np.ndarray:
        """Whether a line has the same topic as the line above it [n - 1]."""
        return self.topic[1:] == self.topic[:-1]

    @cached_property
    def group(self) -> np.ndarray:
        """Index of the tie of each line, ascending [n]. An untied line has its own
        index.
        """
        is_tied = self.same & (self.key[1:] == self.key[:-1])
        # a new number wherever a line is not tied with the one above it
        return np.concatenate([[0], np.cumsum(~is_tied)])

    @cached_property
    def in_tie(self) -> np.ndarray:
        """Whether a line is tied with another [n]."""
        return np.bincount(self.group)[self.group] > 1

    def ties_by_grade(self, sign: int) -> np.ndarray:
        """Judgment indices of the lines [n], each tie sorted by grade times `sign`."""
        tied, indices = np.flatnonzero(self.in_tie), self.judgment_index.copy()
        # by group first, which is the last key of `lexsort`: each tie stays where it is
        order = np.lexsort((sign * self.grade[tied].astype(int), self.group[tied]))
        indices[tied] = indices[tied[order]]
        return indices

    def per_topic(self, which: np.ndarray) -> np.ndarray:
        """Number of marked lines of each topic [topics]. `which` marks all lines [n];
        or all but the first [n - 1], like a comparison with the line above.
        """
        lines = self.topic[self.topic.size - which.size :]
        return np.bincount(lines[which], minlength=len(self.qrels.topics))

    def topics(self, which: np.ndarray) -> list[str]:
        """The names of the topics that are marked in `which`."""
        return [self.qrels.topics[t] for t in np.flatnonzero(which)]

    def tied(self, gain: np.ndarray, depth: int) -> Tied:
        """The lists with their ties, in the form for expected scores. `gain` is that of
        each line [n].
        """
        return Tied(self.topic, self.group, gain, len(self.qrels.topics), depth)

    def collection(self, policy: Policy, *more: np.ndarray) -> Collection:
        """A collection of this run alone; then once more for each of `more`, the
        judgment indices of its lines in another order within their topics.
        """
        depth, names = policy.depth, [self.run.name, *map(str, range(len(more)))]
        length, above = np.minimum(self.length, depth).astype(np.int32), self.rank <= depth
        lists = []
        for judgment_index in (self.judgment_index, *more):
            kept = np.flatnonzero((judgment_index >= 0) & above)
            pooled = np.bincount(self.topic[kept], minlength=len(length))
            lists.append(
                Lists(
                    judgment_index[kept].astype(np.int32),
                    self.rank[kept].astype(np.int32),
                    pooled,
                    length,
                    (),
                )
            )
        return assemble(self.qrels, names, lists, policy)


def ranking_of(run: Run, index: Index, order: str, places: LinePlaces | None = None) -> Ranking:
    """Sort the lines of a run and look up their judgments. `places` are the places of
    its lines in the qrels, if known.

    Raises
    ------
    ReadError
        If the run shares no topic with the qrels, or cannot be ordered by its rank
        column.
    """
    _, topic, judgment_index = places or index.find(run)
    sequence = sorting_permutation(run, topic, order)
    line = np.arange(topic.size) if sequence is None else sequence
    line = line[topic[line] >= 0]
    return Ranking(run, index.qrels, line, topic[line], judgment_index[line], order)


MEASURES: tuple[Measure, ...] = distinct(("AP", "nDCG", "RR", "P@10"))
"""Measures with a formula for their mean over all orders of ties (McSherry & Najork
2008).
"""


def tie_range(ranking: Ranking, policy: Policy, first: Measure = MEASURES[0]) -> "pd.DataFrame":
    """One row per measure, those of `MEASURES` and the first: its mean over topics as
    scored, and the worst, expected and best mean over all orders of ties. The expected
    mean is known only for `MEASURES`, and the limits of another one are by the order of
    grades.
    """
    up_and_down = [ranking.ties_by_grade(sign) for sign in (1, -1)] if ranking.in_tie.any() else []
    collection = ranking.collection(policy, *up_and_down)
    measures = distinct((*MEASURES, first))
    scores = evaluate(collection, measures)
    as_scored, worst, best = scores.means.T if up_and_down else (scores.means[:, 0],) * 3
    topics = ideal_lists(collection, collection.grade)
    tied = ranking.tied(np.maximum(ranking.grade, 0).astype(float), policy.depth)
    with np.errstate(divide="ignore", invalid="ignore"):  # topics without relevant documents
        ndcg = tied.ndcg(topics.discounted(lambda rank: 1 / np.log2(rank + 1)))
        expected = np.array(
            [tied.average_precision(topics.R), ndcg, tied.reciprocal_rank(), tied.precision(10)]
        )
    # topics without a score have no expected score either
    expected = np.where(
        np.isnan(scores.values[: len(MEASURES), 0]), np.nan, np.where(topics.R > 0, expected, 0)
    )
    columns = {"worst": worst, "as scored": as_scored}
    columns |= {
        "expected": np.append(mean_of_known(expected), [np.nan] * (len(measures) - len(MEASURES))),
        "best": best,
    }
    return pd.DataFrame(
        {
            "measure": list(map(str, measures)),
            **columns,
            "range": columns["best"] - columns["worst"],
        }
    )


def tie_finding(
    ranking: Ranking, policy: Policy, table: "pd.DataFrame", first: Measure
) -> CheckFinding | None:
    """Number of tied documents, and their possible effect on scores, first of all the
    mean of the first measure; None without ties.
    """
    tied = ranking.in_tie
    if not tied.any():
        return None
    largest = int(np.bincount(ranking.group).max())
    groups = len(np.unique(ranking.group[tied]))
    topics = int(np.count_nonzero(ranking.per_topic(tied)))
    what = (
        f"{count_noun(int(tied.sum()), 'document')} in {count_noun(groups, 'tie')} over"
        f" {count_noun(topics, 'topic')}; the largest has {largest:,}."
    )
    means = {
        name: tuple(map(float, row))
        for name, *row in table[["measure", "worst", "as scored", "expected", "best"]].values
    }
    ranges = "; ".join(
        f"{name} {worst:.4f} to"
        f" {best:.4f}{f' (expected {expected:.4f})' if expected == expected else ''}"
        for name, (worst, _, expected, best) in means.items()
    )
    if policy.order not in BY_SCORE:
        return note(
            "ties",
            what,
            f"Lists are sorted by {policy.order}, independent of ties. By score: {ranges}.",
        )
    worst, now, _, best = means[str(first)]
    effect = max(worst - now, best - now, key=abs)
    meaning = f"Range over orders within ties: {ranges}."
    return CheckFinding(
        weigh(LEVELS[1], effect), "ties", what, meaning, "Break ties by distinct scores.", effect
    )
