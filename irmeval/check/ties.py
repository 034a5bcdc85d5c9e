"""How much the scores of a run depend on how ties are broken."""

import numpy as np

from irmeval.check.finding import LEVELS, Finding, note, weigh
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


def tie_range(ranking: Ranking, policy: Policy, first: Measure = MEASURES[0]) -> "pd.DataFrame":
    """One row per measure, those of `MEASURES` and the first: its mean over topics as scored, and the worst, expected and best mean over
    all orders of ties. The expected mean is known by `MEASURES` alone, and the ends of another one are by the order of grades."""
    collection, measures = ranking.collection(policy), distinct((*MEASURES, first))
    worst = best = as_scored = evaluate(collection, measures)
    if ranking.in_tie.any():
        up, down = (np.lexsort((sign * ranking.grade.astype(int), ranking.group)) for sign in (1, -1))
        worst, best = (evaluate(ranking.collection(policy, order), measures) for order in (up, down))
    topics = ideal_lists(collection, collection.grade)
    tied = ranking.tied(np.maximum(ranking.grade, 0).astype(float), policy.depth)
    with np.errstate(divide="ignore", invalid="ignore"):  # topics without relevant documents
        ndcg = tied.ndcg(topics.discounted(lambda rank: 1 / np.log2(rank + 1)))
        expected = np.array([tied.average_precision(topics.R), ndcg, tied.reciprocal_rank(), tied.precision(10)])
    # topics without a score have no expected score either
    expected = np.where(np.isnan(as_scored.values[: len(MEASURES), 0]), np.nan, np.where(topics.R > 0, expected, 0))
    columns = {"worst": worst.means[:, 0], "as scored": as_scored.means[:, 0]}
    columns |= {"expected": np.append(mean_of_known(expected), [np.nan] * (len(measures) - len(MEASURES))), "best": best.means[:, 0]}
    return pd.DataFrame({"measure": list(map(str, measures)), **columns, "range": columns["best"] - columns["worst"]})


def tie_finding(ranking: Ranking, policy: Policy, table: "pd.DataFrame", first: Measure) -> Finding | None:
    """How many documents are tied, and how much that could change scores, the mean of the first measure above all; None where none is."""
    tied = ranking.in_tie
    if not tied.any():
        return None
    largest = int(np.bincount(ranking.group).max())
    groups = len(np.unique(ranking.group[tied]))
    topics = int(np.count_nonzero(ranking.per_topic(tied)))
    what = (
        f"{count_noun(int(tied.sum()), 'document')} in {count_noun(groups, 'tie')} over {count_noun(topics, 'topic')}; the largest "
        f"holds {largest:,}."
    )
    means = {name: tuple(map(float, row)) for name, *row in table[["measure", "worst", "as scored", "expected", "best"]].values}
    ranges = "; ".join(
        f"{name} {worst:.4f} to {best:.4f}{f' (expected {expected:.4f})' if expected == expected else ''}"
        for name, (worst, _, expected, best) in means.items()
    )
    if policy.order not in BY_SCORE:
        return note("ties", what, f"Lists are sorted by {policy.order}, which no tie changes. By score: {ranges}.")
    worst, now, _, best = means[str(first)]
    effect = max(worst - now, best - now, key=abs)
    meaning = f"By the order within ties alone: {ranges}."
    return Finding(weigh(LEVELS[1], effect), "ties", what, meaning, "Break ties yourself, with scores that all differ.", effect)
