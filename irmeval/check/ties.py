"""How much the scores of a run depend on how ties are broken."""

import numpy as np

from irmeval.check.finding import MATTERS, Finding, fine, odd
from irmeval.check.ranking import BY_SCORE, Ranking
from irmeval.core.lazy import pd
from irmeval.core.text import count_noun
from irmeval.metrics import Measure, distinct
from irmeval.metrics.hits import ideal_lists
from irmeval.reading.policy import Policy
from irmeval.scoring.scores import evaluate
from irmeval.stats.means import mean_of_known

MEASURES: tuple[Measure, ...] = distinct(("AP", "nDCG", "RR", "P@10"))
"""Measures with a formula for their mean over all orders of ties (McSherry & Najork 2008)."""


def tie_range(ranking: Ranking, policy: Policy) -> "pd.DataFrame":
    """One row per measure of `MEASURES`: its mean over topics as scored, and the worst, expected and best mean over all orders of ties."""
    collection = ranking.collection(policy)
    worst = best = as_scored = evaluate(collection, MEASURES)
    if ranking.in_tie.any():
        up, down = (np.lexsort((sign * ranking.grade.astype(int), ranking.group)) for sign in (1, -1))
        worst, best = (evaluate(ranking.collection(policy, order), MEASURES) for order in (up, down))
    topics = ideal_lists(collection, collection.grade)
    tied = ranking.tied(np.maximum(ranking.grade, 0).astype(float), policy.depth)
    with np.errstate(divide="ignore", invalid="ignore"):  # topics without relevant documents
        ndcg = tied.ndcg(topics.discounted(lambda rank: 1 / np.log2(rank + 1)))
        expected = np.array([tied.average_precision(topics.R), ndcg, tied.reciprocal_rank(), tied.precision(10)])
    # topics without a score have no expected score either
    expected = np.where(np.isnan(as_scored.values[:, 0]), np.nan, np.where(topics.R > 0, expected, 0))
    columns = {"worst": worst.means[:, 0], "as scored": as_scored.means[:, 0]}
    columns |= {"expected": mean_of_known(expected), "best": best.means[:, 0]}
    return pd.DataFrame({"measure": list(map(str, MEASURES)), **columns, "range": columns["best"] - columns["worst"]})


def tie_finding(ranking: Ranking, policy: Policy, table: "pd.DataFrame") -> Finding:
    """How many documents are tied, and how much that could change scores."""
    tied = ranking.in_tie
    if not tied.any():
        return fine("ties", "No two documents of a topic have the same score.", "There is one order, whatever the rule for ties.")
    largest = int(np.bincount(ranking.group).max())
    groups = len(np.unique(ranking.group[tied]))
    topics = int(np.count_nonzero(ranking.per_topic(tied)))
    what = (
        f"{count_noun(int(tied.sum()), 'document')} in {count_noun(groups, 'tie')} over {count_noun(topics, 'topic')}; the largest "
        f"holds {largest:,}."
    )
    ranges = "; ".join(f"{row.measure} {row.worst:.4f} to {row.best:.4f} (expected {row.expected:.4f})" for row in table.itertuples())
    if policy.order not in BY_SCORE:
        return fine("ties", what, f"Lists are ordered by {policy.order}, which no tie touches. By score: {ranges}.")
    meaning = f"By the order within ties alone: {ranges}."
    if table["range"].max() >= MATTERS:
        return odd("ties", what, meaning, "Break ties yourself, with scores that all differ.")
    return fine("ties", what, meaning)
