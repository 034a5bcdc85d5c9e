"""A run compared with other runs: how much of it is judged, its place, and the topics where it differs."""

from typing import Any

import numpy as np

from irmeval.check.field import ALPHA, JUDGED, SAMPLES, Field
from irmeval.check.finding import Finding, fine, odd
from irmeval.check.ranking import Ranking
from irmeval.collection.joining import NEAR
from irmeval.core.lazy import pd
from irmeval.core.text import count_noun, list_few, verb
from irmeval.scoring.scores import evaluate
from irmeval.stats.defaults import CORRECTION, TEST
from irmeval.stats.means import best_first, rank_scores, tied
from irmeval.stats.significance import describe_p, name_method

MAX_NAMED = 3
"""The most measures that a finding names. The tables have all."""
TOP = 10
"""The top ranks that findings look at first."""
MIN_OTHERS = 4
"""The fewest other runs with which the score of a topic is compared."""
FENCE = 1.5
"""A score this many interquartile ranges beyond the quartiles is an outlier (Tukey 1977)."""
MIN_DIFFERENCE = 0.05
"""The least difference from the median that is reported, however close the others are."""


def judged_share(field: Field, run: int) -> "pd.DataFrame":
    """One row per cut-off: the judged share of the run, and the lowest, median and highest share of the other runs."""
    columns = {"measure": list(map(str, JUDGED)), "this run": field.judged[:, run]}
    if (others := field.judged[:, field.others(run)]).size:
        for name, of in (("least", np.min), ("median", np.median), ("most", np.max)):
            columns[f"{name} of others"] = of(others, axis=1)
    return pd.DataFrame(columns)


def judged_finding(table: "pd.DataFrame", longest: int) -> Finding:
    """Whether as much of this run is judged as of the others. Of the cut-offs only the first is named that no list reaches."""
    cuts = [int(name[7:]) for name in table["measure"]]
    named = [cut for i, cut in enumerate(cuts) if not i or cuts[i - 1] < longest]
    shares = [f"{share:.0%} of the top {cut}" for cut, share in zip(named, table["this run"], strict=False)]
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


def next_finding(table: "pd.DataFrame", p: float) -> Finding:
    """How much the unjudged documents could add, how many of them no other run retrieved, and the first of them."""
    if table.empty:
        return fine("to judge next", f"Every document down to rank {NEAR} is judged.", "Scores do not depend on missing judgments.")
    near = int((table["rank"] <= TOP).sum())
    first = list_few([f"{row.document} (topic {row.topic}, rank {row.rank})" for row in table.head(3).itertuples()])
    what = f"{count_noun(len(table), 'unjudged document')} down to rank {NEAR}, {near} of them in a top {TOP}; first {first}."
    meaning = f"If all were relevant, RBP (p={p:g}) would rise by {table['residual'].sum():.4f}"
    if "other runs" in table:
        alone = table["residual"][table["other runs"] == 0]
        meaning += (
            f"; {len(alone):,} of them ({alone.sum():.4f}) are in no other run's top {NEAR}, so that a pool of the others would miss them"
        )
    return Finding("amber" if near else "green", "to judge next", what, f"{meaning}.", "Judge the list from the top." if near else "")


def bounds(ranking: Ranking, field: Field, run: int) -> "pd.DataFrame":
    """One row per measure: the mean as judged, with all unjudged documents nonrelevant, and with all of the highest grade."""
    top = max(int(ranking.qrels.grade.max()), 1)
    none, every = (evaluate(filled, field.measures).means[:, 0] for filled in ranking.judged_as((0, top), field.policy))
    now = field.means[:, run]
    return pd.DataFrame({"measure": field.measures, "as judged": now, "if none is relevant": none, "if all are relevant": every})


def bounds_finding(table: "pd.DataFrame") -> Finding:
    """Between which bounds the scores would lie if all documents were judged."""
    ranges = "; ".join(f"{a} {b:.4f} ({min(c, d):.4f} to {max(c, d):.4f})" for a, b, c, d in table.head(MAX_NAMED).itertuples(index=False))
    wide = (table["if all are relevant"] - table["if none is relevant"]).abs().max() > MIN_DIFFERENCE
    meaning = "In brackets: the scores if no unjudged document is relevant, and if all are; both are extremes."
    return Finding("amber" if wide else "green", "bounds", f"{ranges}.", meaning, "Judge what is listed to narrow them." if wide else "")


def place_table(field: Field, run: int) -> "pd.DataFrame":
    """One row per measure: score, number of its topics, place among all runs, how many others share the place, number of runs."""
    means = tied(field.means)
    mine, others = means[:, run], means[:, field.others(run)]
    better, equal = (np.sum(which, axis=1) for which in (others > mine[:, None], others == mine[:, None]))
    topics = np.count_nonzero(~np.isnan(field.scores.values[:, run]), axis=1)
    columns: dict[str, Any] = {"measure": field.measures, "score": field.means[:, run], "topics": topics}
    columns |= {"place": better + 1, "shared with": equal, "of": len(field.collection.runs)}
    return pd.DataFrame(columns)


def ladder(field: Field, run: int) -> "pd.DataFrame":
    """All runs by the first measure, best first: the difference from this run, its interval at level `1 - ALPHA`, and the two-sided p-value
    of the default test, corrected for the number of other runs."""
    name, last = str(field.measures[0]), [*field.others(run), run]
    means, p, (low, high) = field.means[0, last], field.p(run), field.intervals(run)
    columns = {"run": [field.collection.runs[i] for i in last], name: means, "difference": means - field.means[0, run]}
    columns |= {end: np.append(of_others, 0.0) for end, of_others in (("low", low), ("high", high))} | {"p": np.append(p, np.nan)}
    columns["difference"][-1] = 0.0  # also where there is no mean
    places = rank_scores(np.nan_to_num(means, nan=-np.inf))
    frame = pd.DataFrame({"place": places, **columns, "this run": np.array(last) == run})
    return frame.iloc[best_first(means)].reset_index(drop=True)


def with_p_in_words(ladder: "pd.DataFrame") -> "pd.DataFrame":
    """The runs with p-values in words; empty for the run itself."""
    return ladder.assign(p=["" if p != p else describe_p(p, TEST, SAMPLES) for p in ladder["p"]])


def standing_finding(places: "pd.DataFrame", field: Field, run: int) -> Finding:
    """The place of the run by each measure, and the runs from which it differs significantly."""
    listed = "; ".join(
        f"{place} of {of} by {measure} ({score:.4f}{', shared with ' + count_noun(shared, 'other') if shared else ''})"
        for measure, score, _, place, shared, of in places.head(MAX_NAMED).itertuples(index=False)
    )
    means, apart = tied(field.means[0]), field.p(run) < ALPHA
    difference = means[field.others(run)] - means[run]
    differ = [
        f"{int(apart[part].sum())} of {int(part.sum())} {word} differ significantly"
        for part, word in ((difference > 0, "above"), (difference < 0, "below"))
        if part.any()
    ]
    if level := int((difference == 0).sum()):
        differ.append(f"{count_noun(level, 'run')} {verb(level, 'has', 'have')} the same mean")
    how = f"{name_method(TEST, CORRECTION)}, alpha {ALPHA:g}"
    return fine("standing", f"{listed}.", f"By {field.measures[0]}, {', '.join(differ)} ({how}).")


def same_finding(same: list[str]) -> Finding | None:
    """Names the runs with the same documents at the same ranks on all topics; None if there are none."""
    if not same:
        return None
    what = f"The same as {list_few(same)}: the same documents at the same ranks on every topic."
    return odd("same run", what, "It counts twice wherever runs are counted, paired or pooled.", "Leave one of them out.")


def by_topic(ranking: Ranking, field: Field, run: int) -> "pd.DataFrame":
    """One row per topic: the number of documents, of tied documents, and of unjudged documents in the top 10; the score by the first
    measure; and the lowest, median and highest score of the others."""
    x, y = field.scores.values[0, run], field.scores.values[0, field.others(run)]
    columns = {
        "topic": field.scores.topics,
        "documents": ranking.length,
        "tied": ranking.per_topic(ranking.in_tie),
        "unjudged in top 10": ranking.per_topic((ranking.grade < 0) & (ranking.rank <= 10)),
        str(field.measures[0]): x,
    }
    if len(y) >= MIN_OTHERS:
        low, first, middle, third, high = np.where(field.scored, np.percentile(np.nan_to_num(y), [0, 25, 50, 75, 100], axis=0), np.nan)
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
        f"{side} in {count_noun(len(names), 'topic')} ({list_few(names, 10)})"
        for side, names in (("below", below), ("above", above))
        if names
    ]
    what = f"Far {' and '.join(parts)}."
    meaning = (
        f"{name} is {where}. Below often means an error (query, encoding, topic numbers); above, luck or something that other runs lack."
    )
    if below:
        return odd("topics far off", what, meaning, "Look at these topics' lists first.")
    return fine("topics far off", what, meaning)
