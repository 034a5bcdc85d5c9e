"""The lowest and the highest score that a run's holes allow.

A bound is exact, or further out than any score: never an estimate. Which grades are the
worst and the best is known of measures that rise with every grade, of AP, and of sums
over the ideal sum. Of others all grades are tried if they are few. If they are many, Q
and AWP have looser bounds, and the rest has the range of the measure.
"""

from collections.abc import Callable
from itertools import combinations_with_replacement, product
from math import comb
from typing import NamedTuple

import numpy as np

from irmeval.metrics import Measure
from irmeval.metrics.cumulated import Discount, discount
from irmeval.reading.gain_maps import gain_table
from irmeval.scoring.filled import Filled
from irmeval.stats.means import exact_sum

TINY = 1e-15
"""Difference of two ratios from which one is higher."""
SETS = 256
"""The most sets of grades that are tried for a list."""
CELLS = 16
"""Parts into which the numbers of relevant holes are divided for a looser bound."""
RISING = frozenset(["P", "Success", "hits", "RR", "DCG", "RBP", "ERR", "SetP"])
"""Metrics that never fall when a grade rises: no ideal list is part of them."""
RISING_IF_FIXED = RISING | {
    *("AP", "IPrec", "AP_11pt", "R", "R_cap", "F", "Rprec", "SetR", "SetF", "SetAP", "SetRelP"),
    *("nDCG", "nCG", "AnCG", "AnDCG", "RnDCG", "RWP", "AWP", "Q", "R-measure"),
}
"""Metrics that never fall when a grade rises while the ideal lists stay as they are."""
ORDERED = frozenset(
    [
        *("IPrec", "AP_11pt", "F", "Rprec", "SetF", "SetAP", "SetRelP"),
        *("Bpref", "Bpref_R", "Bpref_N", "Bpref_10", "Bpref_old", "Bpref_relative2", "RankEff"),
        *("AnCG", "AnDCG", "RnDCG", "RWP", "R-measure", "rpref_N"),
    ]
)
"""Metrics that, with so many holes of each grade, are highest if grades fall with the
rank, and lowest if they rise.
"""
LOOSE = frozenset(["Q", "AWP"])
"""Metrics that have looser bounds if sets are too many."""


class Sum(NamedTuple):
    """A metric that is a sum over the list, divided by that over the ideal list."""

    weight: Discount
    """weight of a rank"""
    graded: bool
    """whether gains are summed, and not relevant documents"""
    cut: bool
    """whether the ideal list is cut as well"""


def _ones(rank: np.ndarray) -> np.ndarray:
    return np.ones(len(rank))


SUMS: dict[str, Callable[[Measure], Sum]] = {
    "nDCG": lambda measure: Sum(discount(measure.params["base"]), graded=True, cut=True),
    "nCG": lambda _: Sum(_ones, graded=True, cut=True),
    "R": lambda _: Sum(_ones, graded=False, cut=False),
    "R_cap": lambda _: Sum(_ones, graded=False, cut=True),
    "SetR": lambda _: Sum(_ones, graded=False, cut=False),
}


class TopicList(NamedTuple):
    """A run's list for one topic."""

    hole: np.ndarray
    """int [hole], ranks of the holes, ascending"""
    hit: np.ndarray
    """int [hit], ranks of the judged relevant documents"""
    hit_grade: np.ndarray
    """int [hit]"""
    judged: np.ndarray
    """int [grade], judged documents of the topic with each grade, retrieved or not"""
    gain: np.ndarray
    """float64 [grade]"""


def bound_means(
    raw: np.ndarray, lists: Filled, measure: Measure, *, grows: bool
) -> tuple[float, float]:
    """The lowest and the highest mean over topics, whatever grades the holes have; NaN
    if nothing bounds it.

    Parameters
    ----------
    raw : float64 [topic], scores on the judgments
    """
    low, high = bound_scores(lists, measure, grows=grows)
    always = lists.counts[measure.params["rel"] :].sum(axis=0) > 0
    if lists.collection.policy.empty == "zero":
        # a topic where nothing turns out to be relevant scores 0
        low, high = np.where(always, low, np.fmin(low, 0)), np.where(always, high, np.fmax(high, 0))
        always = np.full(always.size, True)
    rest = np.delete(raw, lists.topics)
    return _lowest_mean(rest, low, always), -_lowest_mean(-rest, -high, always)


def bound_scores(lists: Filled, measure: Measure, *, grows: bool) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest score on each topic with holes, float64 [topic]; NaN
    on a topic without a score, and infinite where nothing bounds it.
    """
    if not lists.topics.size:
        return np.empty(0), np.empty(0)
    order = np.lexsort((lists.holes.rank, lists.holes.topic))
    columns = np.split(order, np.flatnonzero(np.diff(lists.holes.topic)) + 1)
    topics = [_topic(lists, measure, t, of_topic) for t, of_topic in enumerate(columns)]
    decisive = [_decisive_sets(topic, measure, grows) for topic in topics]
    most = max((len(sets) for sets in decisive if sets is not None), default=0)
    grades = np.zeros((max(most, 1), order.size), np.int8)
    for of_topic, sets in zip(columns, decisive, strict=True):
        if sets is not None:
            grades[:, of_topic] = sets[np.minimum(np.arange(len(grades)), len(sets) - 1)]
    scores = lists.scores(measure, grades, grows=grows)
    low, high = np.fmin.reduce(scores), np.fmax.reduce(scores)
    many = np.array([sets is None for sets in decisive], bool)
    if many.any():
        low[many], high[many] = _loose(lists, measure, columns, grows)[:, many]
    return low, high


def _topic(lists: Filled, measure: Measure, t: int, columns: np.ndarray) -> TopicList:
    """The list of the t-th topic with holes, as far as the measure reads it."""
    own = slice(*np.searchsorted(lists.topic, [t, t + 1]))
    place = (lists.condensed if measure.prime else lists.rank)[own]
    grade, hole = lists.grade[own], lists.hole[own]
    k = measure.params.get("k") or np.inf
    hit = (grade >= measure.params["rel"]) & (place <= k)
    rank_of = dict(zip(hole.tolist(), place.tolist(), strict=True))
    ranks = np.array([rank_of[column] for column in columns.tolist()], float)
    gains = lists.collection.policy.gains or None
    return TopicList(
        np.where(ranks <= k, ranks, np.inf),
        place[hit],
        grade[hit],
        lists.counts[:, t],
        gain_table(lists.collection.top_grade, measure.params["rel"], gains),
    )


def _decisive_sets(topic: TopicList, measure: Measure, grows: bool) -> np.ndarray | None:
    """Grades of the holes, by rank, int8 [set, hole], of which one set gives the lowest
    score and one the highest; None if too many would have to be tried.
    """
    n, top, rel = topic.hole.size, topic.judged.size - 1, measure.params["rel"]
    name = measure.metric.name
    if top < rel:
        return np.zeros((1, n), np.int8)
    if name in (RISING if grows else RISING_IF_FIXED):
        # a topic may have no score before a hole is relevant: the last, of the lowest grade
        sets = np.zeros((3, n), np.int8)
        sets[1, -1], sets[2] = rel, top
        return sets
    if grows and name == "AP":
        return _sets_of_average_precision(topic, measure)
    if grows and name in SUMS:
        return _sets_of_sum(topic, measure, SUMS[name](measure))
    levels = [0, *(range(rel, top + 1) if measure.metric.graded else [top])]
    if name in ORDERED and comb(n + len(levels) - 1, n) <= SETS:
        falling = np.array([*combinations_with_replacement(levels[::-1], n)], np.int8)
        return np.concatenate([falling, falling[:, ::-1]])
    if len(levels) ** n <= SETS:
        return np.array([*product(levels, repeat=n)], np.int8)
    return None


def _sets_of_average_precision(topic: TopicList, measure: Measure) -> np.ndarray:
    """The sets for AP. With m relevant holes it is highest if these are the first, and
    lowest if they are the last.
    """
    hole, hit, n = topic.hole, np.sort(topic.hit), topic.hole.size
    R = int(topic.judged[measure.params["rel"] :].sum())
    least = int(R == 0)
    above = np.searchsorted(hit, hole)
    below = np.append(np.cumsum((1 / hit)[::-1])[::-1], 0.0)[above]
    known = ((np.arange(hit.size) + 1) / hit).sum()
    # what one more relevant hole adds: its own precision, and 1/r for every one below it
    from_top = (above + np.arange(1, n + 1)) / hole + below
    from_end = (above + 1) / hole + below + np.append(np.cumsum((1 / hole)[:0:-1])[::-1], 0.0)
    relevant = np.arange(least, n + 1)
    sets = []
    for added, best, lasts in ((from_top, np.argmax, False), (from_end[::-1], np.argmin, True)):
        total = known + np.append(0.0, np.cumsum(added))
        m = relevant[best(total[least:] / (R + relevant))]
        sets.append(np.arange(n) >= n - m if lasts else np.arange(n) < m)
    return np.array(sets, np.int8) * np.int8(topic.judged.size - 1)


def _sets_of_sum(topic: TopicList, measure: Measure, of: Sum) -> np.ndarray:
    """The sets for a sum of gains over that of the ideal list.

    Both are sums over the grades g of what documents of this grade or more add, of
    which there are a_g among the holes, and a_1 >= a_2 >= ... For a given number of
    holes of each grade the sum is highest if these are the first, lowest if they are
    the last. No a has a higher ratio than q if none makes sum - q * ideal sum positive
    (Dinkelbach 1967), and what makes that highest is found grade by grade.
    """
    n, rel = topic.hole.size, measure.params["rel"]
    levels = np.arange(rel, topic.gain.size) if of.graded else np.array([rel])
    steps = np.diff(topic.gain[levels], prepend=0.0) if of.graded else np.ones(1)
    gains = topic.gain[topic.hit_grade] if of.graded else np.ones(topic.hit.size)
    known = (gains * of.weight(topic.hit.astype(float))).sum()
    judged = np.cumsum(topic.judged[::-1])[::-1][levels]
    deepest = (measure.params.get("k") if of.cut else None) or int(judged[0]) + n
    of_ideal = np.append(0.0, np.cumsum(of.weight(np.arange(1.0, deepest + 1))))
    ideal = of_ideal[np.minimum(judged[:, None] + np.arange(n + 1), deepest)] * steps[:, None]
    weight = np.where(np.isfinite(topic.hole), of.weight(topic.hole), 0.0)
    sets = []
    for weights, sign in ((weight[::-1], -1), (weight, 1)):
        part = np.append(0.0, np.cumsum(weights)) * steps[:, None]
        counts = _best_counts(known, part, ideal, sign, least=int(judged[0] == 0))
        falling = np.zeros(n, np.int8)
        for grade, count in zip(levels.tolist(), counts, strict=True):
            falling[:count] = grade
        sets.append(falling[::sign])
    return np.array(sets)


def _best_counts(
    known: float, part: np.ndarray, ideal: np.ndarray, sign: int, least: int
) -> list[int]:
    """How many holes have each grade or more, so that (known + sum of `part`) / sum of
    `ideal` is highest, or lowest if `sign` is -1; both are [grade, number of holes]. At
    least so many holes are relevant.
    """

    def ratio(counts: list[int]) -> float:
        grade = np.arange(len(counts))
        return float((known + part[grade, counts].sum()) / ideal[grade, counts].sum())

    best = [part.shape[1] - 1] * len(part)
    while True:
        worth = sign * (part - ratio(best) * ideal)
        # from the highest grade down, as fewer holes have a higher one
        for grade in range(len(worth) - 2, -1, -1):
            worth[grade] += np.maximum.accumulate(worth[grade + 1])
        counts = [least + int(worth[0, least:].argmax())]
        for row in worth[1:]:
            counts.append(int(row[: counts[-1] + 1].argmax()))
        if sign * (ratio(counts) - ratio(best)) <= TINY:
            return best
        best = counts


def _loose(lists: Filled, measure: Measure, columns: list[np.ndarray], grows: bool) -> np.ndarray:
    """Bounds of the scores that need not be reached, float64 [2, topic].

    Q and AWP sum a share of each pair of relevant documents, that of the gain of the
    upper one at the rank of the lower one. With so many relevant holes they are highest
    if all of these have the top grade and the ideal list has them with the lowest. At
    the lowest, the ideal list has them with the top grade, they are last with the
    lowest grade, and in a pair with one of them a judged document has no more. Numbers
    of relevant holes are taken together in cells.
    """
    least, most = measure.metric.range if grows else (-np.inf, np.inf)
    if not grows or measure.metric.name not in LOOSE:
        return np.repeat([[least], [most]], len(columns), axis=1)
    rel, top = measure.params["rel"], lists.collection.top_grade
    many, few, few_last = np.zeros((3, CELLS, sum(map(len, columns))), np.int8)
    for t, of_topic in enumerate(columns):
        n, at = of_topic.size, np.arange(of_topic.size)
        parts = np.floor(n * (np.arange(CELLS + 1) / CELLS) ** 2).astype(int)[:, None]
        if not lists.counts[rel:, t].any():
            parts = np.maximum(parts, 1)
        fewest, most_of_cell = parts[:-1], parts[1:]
        many[:, of_topic] = np.where(at < most_of_cell, top, 0)
        few[:, of_topic] = np.where(at < fewest, rel, 0)
        few_last[:, of_topic] = np.where(at >= n - fewest, rel, 0)
    none, flat = np.zeros_like(few), lists.with_one_grade(rel)
    of_holes = flat.scores_apart(measure, few_last, many) - flat.scores_apart(measure, none, many)
    low = lists.scores_apart(measure, none, many) + of_holes
    high = lists.scores_apart(measure, many, few)
    return np.clip([low.min(axis=0), high.max(axis=0)], least, most)


def _lowest_mean(rest: np.ndarray, least: np.ndarray, always: np.ndarray) -> float:
    """The lowest mean over topics: those without holes [other topic], and the lowest
    scores of those with holes [topic]. A topic that need not have a score counts if
    that makes the mean lower. NaN if nothing bounds it.
    """
    known = ~np.isnan(least)
    counted = np.append(rest[np.isfinite(rest)], least[always & known])
    some = np.sort(least[~always & known])
    if not counted.size + some.size or np.isinf(least[known]).any():
        return np.nan
    counts = counted.size + np.arange(some.size + 1)
    totals = counted.sum() + np.append(0, np.cumsum(some))
    n = int(np.argmin(np.where(counts > 0, totals / np.maximum(counts, 1), np.inf)))
    return float(exact_sum(np.append(counted, some[:n])) / counts[n])
