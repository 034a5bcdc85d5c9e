"""A run compared with the loaded ones: how much of it is judged, its place, and the topics where it differs."""

from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.check.finding import Finding, fine, odd
from irmeval.check.ranking import Ranking
from irmeval.collection import Collection
from irmeval.collection.base import lists_of
from irmeval.collection.joining import NEAR, Lists
from irmeval.core.errors import ParamError
from irmeval.core.text import counted, list_few
from irmeval.metrics import Measure, distinct
from irmeval.reading.policy import Policy
from irmeval.scoring.judge_next import rank_unjudged
from irmeval.scoring.scores import Scores, evaluate
from irmeval.stats.intervals import difference_interval
from irmeval.stats.significance import compare, describe_p

if TYPE_CHECKING:
    import pandas as pd

JUDGED: tuple[Measure, ...] = distinct(("Judged@10", "Judged@100", "Judged@1000"))
ALPHA = 0.05
SAMPLES = 1000
"""Of the bootstrap."""
MAX_NAMED = 3
"""Measures that a finding names; the tables have all."""
TOP = 10
"""Ranks that a reader looks at first."""
MIN_OTHERS = 4
"""The fewest other runs with which the score of a topic is compared."""
FENCE = 1.5
"""A score this many interquartile ranges beyond the quartiles is an outlier (Tukey 1977)."""
MIN_DIFFERENCE = 0.05
"""The least difference from the median that is reported, however close the others are."""


def judged_share(own: Collection, field: Collection | None) -> "pd.DataFrame":
    """One row per cut-off: judged share of the run, and lowest, median and highest of the other runs."""
    import pandas as pd

    columns = {"measure": list(map(str, JUDGED)), "this run": evaluate(own, JUDGED).means[:, 0]}
    if field is not None:
        others = evaluate(field, JUDGED).means
        for name, of in (("least", np.min), ("median", np.median), ("most", np.max)):
            columns[f"{name} of others"] = of(others, axis=1)
    return pd.DataFrame(columns)


def judged_finding(table: "pd.DataFrame") -> Finding:
    """Whether this run is judged as well as the others."""
    shares = [f"{share:.0%} of the top {name[7:]}" for name, share in zip(table["measure"], table["this run"], strict=True)]
    what = f"{', '.join(shares)} judged."
    if "least of others" not in table:
        return fine("judged", what, "What is not judged counts as not relevant.")
    top = table.iloc[0]
    beside = (
        f"Of the other runs' top 10, {top['least of others']:.0%} to {top['most of others']:.0%} are judged (median "
        f"{top['median of others']:.0%})."
    )
    if top["this run"] < top["least of others"]:
        meaning = f"{beside} No other run has so few judged documents, so its score is less certain than theirs."
        return odd("judged", what, meaning, "Compare by primes (AP'), or judge what is listed.")
    return fine("judged", what, beside)


def judge_next(own: Collection, p: float, field: Collection | None) -> "pd.DataFrame":
    """The unjudged documents near the top of the run's lists, by what they could add to its mean RBP: topic, document, rank, residual, and
    the number of other runs that have it near the top."""
    return rank_unjudged(own, p, field).drop(columns="runs").rename(columns={"best rank": "rank"})


def next_finding(table: "pd.DataFrame", p: float) -> Finding:
    """How much the unjudged documents could add, how many of them no other run has, and the first ones."""
    if table.empty:
        return fine("to judge next", f"Every document down to rank {NEAR} is judged.", "Scores do not depend on missing judgments.")
    near = int((table["rank"] <= TOP).sum())
    first = list_few([f"{row.document} (topic {row.topic}, rank {row.rank})" for row in table.head(3).itertuples()])
    what = f"{counted(len(table), 'unjudged document')} down to rank {NEAR}, {near} of them in a top {TOP}; first {first}."
    meaning = f"If all were relevant, RBP (p={p:g}) would rise by {table['residual'].sum():.4f}"
    if "other runs" in table:
        alone = table["residual"][table["other runs"] == 0]
        meaning += (
            f"; {len(alone):,} of them ({alone.sum():.4f}) are in no other run's top {NEAR}, so that a pool of the others would miss them"
        )
    return Finding("amber" if near else "green", "to judge next", what, f"{meaning}.", "Judge the list from the top." if near else "")


def bounds(ranking: Ranking, policy: Policy, measures: tuple[Measure, ...]) -> "pd.DataFrame":
    """One row per measure: its mean as scored, with all unjudged documents nonrelevant, and with all of the highest grade."""
    import pandas as pd

    top = max(int(ranking.qrels.grade.max()), 1)
    judged = [ranking.collection(policy), ranking.judged_as(0, policy), ranking.judged_as(top, policy)]
    now, none, every = (evaluate(collection, measures).means[:, 0] for collection in judged)
    return pd.DataFrame({"measure": measures, "as judged": now, "if none is relevant": none, "if all are relevant": every})


def bounds_finding(table: "pd.DataFrame") -> Finding:
    """The bounds of the scores if all documents were judged."""
    ranges = "; ".join(f"{a} {b:.4f} ({min(c, d):.4f} to {max(c, d):.4f})" for a, b, c, d in table.head(MAX_NAMED).itertuples(index=False))
    wide = (table["if all are relevant"] - table["if none is relevant"]).abs().max() > MIN_DIFFERENCE
    meaning = "In brackets: the scores if no unjudged document is relevant, and if all are; both are extremes."
    return Finding("amber" if wide else "green", "bounds", f"{ranges}.", meaning, "Judge what is listed to narrow them." if wide else "")


def place_table(mine: Scores, others: Scores) -> "pd.DataFrame":
    """One row per measure: score, over how many topics it is, place among all runs, how many others share it, and how many there are."""
    import pandas as pd

    better = np.sum(others.means > mine.means, axis=1)
    columns: dict[str, Any] = {"measure": mine.measures, "score": mine.means[:, 0], "topics": mine.counts[:, 0]}
    columns |= {"place": better + 1, "shared with": np.sum(others.means == mine.means, axis=1), "of": len(others.runs) + 1}
    return pd.DataFrame(columns)


def ladder(mine: Scores, others: Scores) -> "pd.DataFrame":
    """The runs by the first measure, best first: difference from the run, its interval at level `1 - ALPHA`, and the two-sided p-value of
    the paired bootstrap (1000 samples, seed 1); 0 where no sample reached the difference."""
    import pandas as pd

    x, y, scored = _by_first_measure(mine, others)
    both = np.stack([y[:, scored], np.broadcast_to(x[scored], (len(y), int(scored.sum())))], axis=1)
    try:
        p, low, high = (of_pairs[:, 0] for of_pairs in (compare(both, samples=SAMPLES).p, *difference_interval(both, level=1 - ALPHA)))
    except ParamError:  # fewer than two topics
        p = low = high = np.full(len(y), np.nan)
    name = str(mine.measures[0])
    columns: dict[str, list[object]] = {"run": [*others.runs, mine.runs[0]], name: [*others.means[0], mine.means[0, 0]]}
    columns |= {"difference": [*(others.means[0] - mine.means[0, 0]), 0.0], "low": [*low, 0.0], "high": [*high, 0.0], "p": [*p, np.nan]}
    frame = pd.DataFrame({**columns, "this run": [False] * len(y) + [True]})
    frame = frame.sort_values(name, ascending=False, kind="stable", ignore_index=True)
    frame.insert(0, "place", frame[name].rank(ascending=False, method="min", na_option="bottom").astype(int))
    return frame


def with_p_in_words(ladder: "pd.DataFrame") -> "pd.DataFrame":
    """The runs with p as a reader sees it: what no sample reached is below 1 in so many; none of the run itself."""
    return ladder.assign(p=["" if p != p else describe_p(p, "bootstrap", SAMPLES) for p in ladder["p"]])


def _by_first_measure(mine: Scores, others: Scores) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scores by the first measure of the run [topics] and of the others [runs, topics], and which topics have all of them."""
    x, y = mine.values[0, 0], others.values[0]
    return x, y, ~np.isnan(x) & ~np.isnan(y).any(axis=0)


def standing_finding(places: "pd.DataFrame", ladder: "pd.DataFrame") -> Finding:
    """The place of the run by each measure, and the runs from which it differs significantly."""
    listed = "; ".join(
        f"{place} of {of} by {measure} ({score:.4f}{', shared with ' + counted(shared, 'other') if shared else ''})"
        for measure, score, _, place, shared, of in places.head(MAX_NAMED).itertuples(index=False)
    )
    others = ladder[~ladder["this run"]]
    above, below, level = (others[others["difference"].map(which)] for which in (lambda d: d > 0, lambda d: d < 0, lambda d: d == 0))
    name = ladder.columns[2]
    differ = [
        f"{int((part['p'] < ALPHA).sum())} of {len(part)} {word} differ significantly"
        for part, word in ((above, "above"), (below, "below"))
        if len(part)
    ]
    differ += [f"{counted(len(level), 'run')} {'has' if len(level) == 1 else 'have'} the same mean"] if len(level) else []
    return fine("standing", f"{listed}.", f"By {name}, paired bootstrap at {ALPHA:g}, uncorrected: {', '.join(differ)}.")


def same_finding(own: Collection, others: Collection) -> Finding | None:
    """The other runs that have the same documents at the same ranks on all topics; None where there are none. Documents that the qrels do
    not mention are compared down to rank `NEAR`."""
    mine = _ranked(lists_of(own)[0])
    same = [name for name, lists in zip(others.runs, lists_of(others), strict=True) if all(map(np.array_equal, _ranked(lists), mine))]
    if not same:
        return None
    what = f"The same as {list_few(same)}: the same documents at the same ranks on every topic."
    return odd("same run", what, "It counts twice wherever runs are counted, paired or pooled.", "Leave one of them out.")


def _ranked(lists: Lists) -> list[np.ndarray]:
    """All that a ranked list is compared by."""
    outside = lists.outside
    unknown = [outside.list, outside.rank, np.array(outside.documents.to_pylist(), dtype=object)] if outside else []
    return [lists.pooled, lists.length, lists.slot, lists.rank, *unknown]


def by_topic(ranking: Ranking, mine: Scores, others: Scores | None) -> "pd.DataFrame":
    """One row per topic: documents, tied ones, unjudged ones in the top 10, score by the first measure, and lowest, median and highest of
    the others."""
    import pandas as pd

    name = str(mine.measures[0])
    columns = {
        "topic": mine.topics,
        "documents": ranking.length,
        "tied": ranking.per_topic(ranking.in_tie),
        "unjudged in top 10": ranking.per_topic((ranking.grade < 0) & (ranking.rank <= 10)),
        name: mine.values[0, 0],
    }
    if others is not None and len(others.runs) >= MIN_OTHERS:
        x, y, scored = _by_first_measure(mine, others)
        low, first, middle, third, high = np.where(scored, np.percentile(np.nan_to_num(y), [0, 25, 50, 75, 100], axis=0), np.nan)
        reach = np.maximum(FENCE * (third - first), MIN_DIFFERENCE)
        off = np.select([x < first - reach, x > third + reach], ["below", "above"], "")
        columns |= {"lowest": low, "median": middle, "highest": high, "difference": x - middle, "far off": off}
    return pd.DataFrame(columns)


def outlier_finding(table: "pd.DataFrame") -> Finding | None:
    """Topics where the score of the run is far from those of other runs."""
    if "far off" not in table:
        return None
    name = table.columns[4]
    below, above = (list(table["topic"][table["far off"] == side]) for side in ("below", "above"))
    where = "beyond 1.5 interquartile ranges of the other runs' scores"
    if not below and not above:
        return fine("topics far off", f"None: no topic's {name} is {where}.", "The run does well and badly where others do.")
    parts = [
        f"{side} in {counted(len(names), 'topic')} ({list_few(names, 10)})" for side, names in (("below", below), ("above", above)) if names
    ]
    what = f"Far {' and '.join(parts)}."
    meaning = (
        f"{name} is {where}. Below often means an error (query, encoding, topic numbers); above, luck or something that other runs lack."
    )
    if below:
        return odd("topics far off", what, meaning, "Look at these topics' lists first.")
    return fine("topics far off", what, meaning)
