"""Comparison of a run with other runs: its judged share, its place, and topics on which
it differs.
"""

from typing import Any

import numpy as np

from irmeval.check.field import ALPHA, FENCE, JUDGED, MIN_OTHERS, ScoredRuns
from irmeval.check.finding import LEVELS, CheckFinding, note, warning, weigh
from irmeval.check.ranking import Ranking
from irmeval.collection.joining import NEAR
from irmeval.core.lazy import pd
from irmeval.core.text import capitalize, conjugate, count_noun, list_few, quantify, verb
from irmeval.scoring.with_holes import WithHoles
from irmeval.stats.means import best_first, rank_scores, tied
from irmeval.stats.significance import TESTS

MAX_NAMED = 3
"""Maximum number of measures in a finding. The tables have all."""
TOP = 10
"""Top ranks that findings examine first."""
WIDE = 0.05
"""Distance of bounds from which there is a remedy."""


def judged_share(field: ScoredRuns, run: int) -> "pd.DataFrame":
    """One row per cut-off: the judged share of the run, and the lowest, median and
    highest share of the other runs.
    """
    columns = {"measure": list(map(str, JUDGED)), "this run": field.judged[:, run]}
    if (others := field.judged[:, field.others(run)]).size:
        for name, of in (("least", np.min), ("median", np.median), ("most", np.max)):
            columns[f"{name} of others"] = of(others, axis=1)
    return pd.DataFrame(columns)


def judged_finding(
    table: "pd.DataFrame", of_others: np.ndarray, longest: int
) -> CheckFinding | None:
    """Judged shares of this run, and of the top 10 of the others. Only the first
    cut-off that no list reaches is given. None if no topic counts.
    """
    if table["this run"].isna().all():
        return None
    cuts = [int(name[7:]) for name in table["measure"]]
    # of a list that ends at 20, the top 100 and the top 1000 have the same share
    named = [cut for i, cut in enumerate(cuts) if not i or cuts[i - 1] < longest]
    shares = [
        f"{share:.0%} of the top {cut}"
        for cut, share in zip(named, table["this run"], strict=False)
    ]
    meaning = "Unjudged documents count as not relevant."
    if of_others.size:
        meaning = f"Of the other runs' top {TOP}, {_spread(of_others)} judged."
    return note("judged", f"{', '.join(shares)} judged.", meaning)


def _spread(shares: np.ndarray) -> str:
    """The lowest, highest and median share of several, as subject and verb."""
    low, middle, high = (f"{share:.0%}" for share in np.percentile(shares, [0, 50, 100]))
    return f"{low} is" if low == high else f"{low} to {high} (median {middle}) is"


def next_finding(table: "pd.DataFrame", p: float) -> CheckFinding:
    """Possible gain by unjudged documents, the number that no other run retrieved, and
    the first of them.
    """
    if table.empty:
        return note(
            "to judge next",
            f"Every document down to rank {NEAR} is judged.",
            "Documents further down were not looked at.",
        )
    near = int((table["rank"] <= TOP).sum())
    first = list_few(
        [
            f"{row.document} (topic {row.topic}, rank {row.rank})"
            for row in table.head(3).itertuples()
        ]
    )
    what = (
        f"{count_noun(len(table), 'unjudged document')} down to rank {NEAR}, {near} of them in a"
        f" top {TOP}; first {first}."
    )
    meaning = f"If all were relevant, RBP (p={p:g}) would rise by {table['residual'].sum():.4f}"
    if "other runs" in table:
        # a pool of the other runs would never judge these
        alone = table["residual"][table["other runs"] == 0]
        meaning += (
            f"; {len(alone):,} of them ({alone.sum():.4f}) are in no other run's top {NEAR}, so"
            " that a pool of the others would miss them"
        )
    return note(
        "to judge next", what, f"{meaning}.", "Judge the list from the top." if near else ""
    )


def bounds_finding(field: ScoredRuns, run: int) -> CheckFinding | None:
    """Bounds of the score by the first measure, whatever grades the unjudged documents
    have; None if there are none, or no score.
    """
    found, now = field.with_holes, field.means[0, run]
    if found is None or np.isnan(now) or not found.bounded[0, run]:
        return None
    # a bound is a fact, unlike an estimate, so a check may state it
    low, high = found.bound_low[0, run], found.bound_high[0, run]
    if np.isnan(low):
        return None
    holes = count_noun(found.bounded[0, run], "unjudged document")
    what = (
        f"{field.measures[0]} {now:.4f}: between {low:.4f} and {high:.4f}, whatever grades {holes}"
        f" {_bounded(found)} have."
    )
    meaning = "Deeper unjudged documents count as not relevant." if found.bounded_to[0] else ""
    return note(
        "bounds",
        what,
        meaning,
        "Judge the listed documents to narrow the bounds." if high - low > WIDE else "",
    )


def _bounded(found: WithHoles) -> str:
    """Which unjudged documents the bounds by the first measure are about."""
    return f"down to rank {found.bounded_to[0]}" if found.bounded_to[0] else "in its lists"


def place_table(field: ScoredRuns, run: int) -> "pd.DataFrame":
    """One row per measure: score, number of its topics, place among all runs, how many
    others share the place, number of runs.
    """
    # runs whose means differ by rounding share a place, as on the Leaderboard
    means = tied(field.means)
    mine, others = means[:, run], means[:, field.others(run)]
    better, equal = (
        np.sum(which, axis=1) for which in (others > mine[:, None], others == mine[:, None])
    )
    topics = np.count_nonzero(~np.isnan(field.scores.values[:, run]), axis=1)
    columns: dict[str, Any] = {
        "measure": field.measures,
        "score": field.means[:, run],
        "topics": topics,
    }
    columns |= {"place": better + 1, "shared with": equal, "of": len(field.collection.runs)}
    return pd.DataFrame(columns)


def ladder(field: ScoredRuns, run: int) -> "pd.DataFrame":
    """All runs by the first measure, best first: the difference from this run, its
    interval at level `1 - ALPHA`, and the two-sided p-value, both with all pairs of
    runs at once.
    """
    others, name = field.others(run), str(field.measures[0])
    order, means, compared = np.append(others, run), field.means[0], field.compared(run)
    columns = {
        "difference": means[order] - means[run],
        **{name: np.append(of, np.nan) for name, of in compared.items()},
    }
    for column in ("difference", "low", "high"):
        columns[column][-1] = 0.0  # also where there is no mean
    best = best_first(means[order])
    order, columns = order[best], {column: values[best] for column, values in columns.items()}
    named = {
        "place": rank_scores(np.nan_to_num(means[order], nan=-np.inf)),
        "run": [field.collection.runs[i] for i in order],
    }
    return pd.DataFrame({**named, name: means[order], **columns, "this run": order == run})


def standing_finding(places: "pd.DataFrame", field: ScoredRuns, run: int) -> CheckFinding:
    """Place of the run by each measure, and runs from which it differs
    significantly.
    """
    listed = "; ".join(
        (
            f"{place} of {of} by {measure}"
            f" ({score:.4f}{', shared with ' + count_noun(shared, 'other') if shared else ''})"
            if topics
            else f"no score by {measure}"
        )
        for measure, score, topics, place, shared, of in places.head(MAX_NAMED).itertuples(
            index=False
        )
    )
    if np.isnan(field.means[0, run]):
        return note(
            "standing",
            f"{listed}.",
            f"No topic has a document that counts as relevant by {field.measures[0]}.",
        )
    means, apart = tied(field.means[0]), field.compared(run)["p"] < ALPHA
    difference = means[field.others(run)] - means[run]
    differ = [
        f"{quantify(n, int(part.sum()), 'run')} {word} {conjugate(n, 'differ significantly')}"
        for part, word in ((difference > 0, "above"), (difference < 0, "below"))
        if part.any()
        for n in (int(apart[part].sum()),)
    ]
    if level := int((difference == 0).sum()):
        differ.append(f"{count_noun(level, 'run')} {verb(level, 'has', 'have')} the same mean")
    how = f"{TESTS[field.tests.test].label.lower()}, all pairs at once, p < {ALPHA:g}"
    return note("standing", f"{listed}.", f"By {field.measures[0]}, {', '.join(differ)} ({how}).")


def same_finding(same: list[str]) -> CheckFinding | None:
    """Runs with the same documents at the same ranks on all topics; None if there are
    none.
    """
    if not same:
        return None
    what = f"Identical to {list_few(same)}: same documents at the same ranks on every topic."
    return warning(
        "same run", what, "It counts twice in all statistics over runs.", "Leave one of them out."
    )


def by_topic(ranking: Ranking, field: ScoredRuns, run: int) -> "pd.DataFrame":
    """One row per topic: the number of documents, of tied documents, and of unjudged
    documents in the top 10; the score by the first measure; and the lowest, median and
    highest score of the others.
    """
    x = field.scores.values[0, run]
    columns = {
        "topic": field.scores.topics,
        "documents": ranking.length,
        "tied": ranking.per_topic(ranking.in_tie),
        "unjudged in top 10": ranking.per_topic((ranking.grade < 0) & (ranking.rank <= 10)),
        str(field.measures[0]): x,
    }
    if field.others(run).size >= MIN_OTHERS:
        low, least, middle, most, high = field.fences(run)
        off = np.select([x < least, x > most], ["below", "above"], "")
        columns |= {
            "lowest": low,
            "median": middle,
            "highest": high,
            "difference": x - middle,
            "far off": off,
        }
    return pd.DataFrame(columns)


def outlier_finding(
    table: "pd.DataFrame", lost: float, of_others: np.ndarray
) -> CheckFinding | None:
    """Topics on which the score of the run is far from those of other runs, and its
    loss there, compared with the loss of the others on theirs; None if there are
    none.
    """
    if "far off" not in table or not table["far off"].any():
        return None
    name, off = table.columns[4], table["far off"]
    parts = [
        f"{side} in {count_noun(len(names), 'topic')} ({list_few(names, 10)})"
        for side in ("below", "above")
        if (names := list(table["topic"][off == side]))
    ]
    meaning = (
        f"{name} is beyond {FENCE} interquartile ranges of the other runs' scores. Low outliers"
        " often mean an error (query, encoding, topic numbers); high ones, luck or a real"
        " advantage."
    )
    first, third = np.percentile(of_others, [25, 75])
    level = weigh(LEVELS[1], lost) if lost > third + FENCE * (third - first) else LEVELS[2]
    remedy = "Inspect the lists of these topics first." if lost else ""
    return CheckFinding(
        level, "topics far off", f"Far {' and '.join(parts)}.", meaning, remedy, lost
    )


def unjudged_finding(field: ScoredRuns) -> CheckFinding | None:
    """Judged share of the runs' top 10, and where that is low, the widest bounds of a
    score. None if no topic counts.
    """
    if np.isnan(field.judged).all():
        return None
    what, meaning = (
        f"Of the runs' top {TOP}, {_spread(field.judged[0])} judged.",
        "Unjudged documents count as not relevant.",
    )
    if (many := field.many_holes).size and (found := field.with_holes):
        low, high = found.bound_low[0, many], found.bound_high[0, many]
        widest = int(np.nan_to_num(high - low).argmax())
        have = (
            f"{quantify(many.size, field.longest.size, 'run')} {verb(many.size, 'has', 'have')}"
            " more than a tenth unjudged"
        )
        meaning += f" {capitalize(have)}."
        if np.isfinite(low[widest]):
            meaning += (
                f" Whatever grades these have {_bounded(found)},"
                f" {field.collection.runs[many[widest]]} scores {low[widest]:.4f} to"
                f" {high[widest]:.4f} by {field.measures[0]}, the widest range."
            )
    return note("unjudged", what, f"{meaning} See the bounds of each run.")
