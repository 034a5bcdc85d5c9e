"""Changes of inferred measures without each drawn document. For these the rank of a
nonrelevant document matters, too.
"""

from typing import NamedTuple

import numpy as np

from irmeval.metrics.hits import Hits
from irmeval.metrics.sampled import discounted, gained_by_stratum
from irmeval.metrics.sampling_variance import (
    Change,
    Denominator,
    DrawnDocuments,
    changes,
    ideal_denominator,
    ratio_change,
    relevant_denominator,
)
from irmeval.metrics.strata import Stratum, above_hits, smoothed, stands_for, within_lists


class DrawnInRuns(NamedTuple):
    """Each drawn document in each run."""

    drawn: np.ndarray
    """int [D], the drawn documents, by stratum"""
    own: np.ndarray
    """int [D], the stratum of each"""
    relevant: np.ndarray
    """bool [D], which are relevant"""
    cell: np.ndarray
    """int [held], the place in [runs, D], flat, of each drawn document that a list
    holds
    """
    column: np.ndarray
    """int [held], its column there"""
    list: np.ndarray
    """int [held], its list"""
    above: np.ndarray
    """int [held], the number of hits before it, over all lists"""
    rank: np.ndarray
    """int [held], its rank"""
    place: np.ndarray
    """int [held], the index of its stratum within the topic"""
    part: np.ndarray
    """int [held], its place in [strata of a topic, lists], flat"""

    @classmethod
    def of(cls, drawn: DrawnDocuments) -> "DrawnInRuns":
        """The lists of a sample. They are whole, even where the hits are cut."""
        whole = drawn.hits.retrieved
        return whole.memoize("lists", lambda: cls._of(drawn))

    @classmethod
    def _of(cls, drawn: DrawnDocuments) -> "DrawnInRuns":
        hits, grades = drawn.hits, drawn.hits.topics.grades
        every = np.flatnonzero(grades >= 0)
        every = every[np.argsort(drawn.stratum[every], kind="stable")]
        is_relevant = np.zeros(grades.size, bool)
        is_relevant[hits.topics.relevant] = True
        column = np.full(grades.size, -1)
        column[every] = np.arange(every.size)
        judgment_index = hits.retrieved.judgment_index.take(hits.retrieved.entry)
        number = np.repeat(np.arange(hits.retrieved.judged.size), hits.retrieved.judged)
        above = np.cumsum(is_relevant[judgment_index]) - is_relevant[judgment_index]
        rank, place, at = (
            hits.retrieved.ranks.take(hits.retrieved.entry),
            hits.topics.sample.place[judgment_index],
            column[judgment_index],
        )
        cell, part = (
            number // len(hits.R) * every.size + at,
            place * hits.retrieved.judged.size + number,
        )
        return cls(
            drawn=every,
            own=drawn.stratum[every],
            relevant=is_relevant[every],
            cell=cell,
            column=at,
            list=number,
            above=above,
            rank=rank,
            place=place,
            part=part,
        )

    def unheld(self, hits: Hits) -> np.ndarray:
        """No change [runs, D]."""
        return np.zeros((hits.runs, self.own.size))

    def change(self, held: np.ndarray, rest: np.ndarray) -> Change:
        """The change of estimates, without each drawn document where a list holds it
        [held], and where a list does not [runs, D].
        """
        rest = np.ascontiguousarray(rest)
        rest.ravel()[self.cell] = held
        return Change(rest, self.own, np.ones(self.own.size))


def _fewer(stratum: Stratum, relevant: np.ndarray | bool) -> np.ndarray:
    """`smoothed` without one of the drawn documents, relevant or not."""
    return smoothed(stratum._replace(drawn=stratum.drawn - 1, relevant=stratum.relevant - relevant))


def _of_held(hits: Hits, lists: DrawnInRuns, k: int | None) -> Stratum:
    """The counts of the stratum of each drawn document in its list, down to rank k
    [held].
    """
    counted = list(zip(*within_lists(hits, k), strict=True))[1:]
    return Stratum(
        lists.relevant[lists.column], *(np.stack(part).take(lists.part) for part in counted)
    )


@changes("infP")
def _of_precision(drawn: DrawnDocuments, k: int) -> Change:
    lists = DrawnInRuns.of(drawn)
    return lists.change(
        np.where(lists.rank <= k, _retrieved_without(drawn.hits, lists, k) / k, 0.0),
        lists.unheld(drawn.hits),
    )


@changes("infNumRelRet")
def _of_retrieved(drawn: DrawnDocuments) -> Change:
    lists = DrawnInRuns.of(drawn)
    return lists.change(_retrieved_without(drawn.hits, lists, None), lists.unheld(drawn.hits))


def _retrieved_without(hits: Hits, lists: DrawnInRuns, k: int | None) -> np.ndarray:
    """Change of the estimated number of relevant documents of a list, without a
    document that it holds down to rank k [held].
    """
    held = _of_held(hits, lists, k)
    return _fewer(held, held.own) - smoothed(held)


@changes("infNDCG")
def _of_ndcg(drawn: DrawnDocuments) -> Change:
    hits, lists = drawn.hits, DrawnInRuns.of(drawn)
    gained, held = np.zeros(lists.column.size), _of_held(hits, lists, None)
    gained[held.own] = discounted(hits)
    shares, sums = (np.stack(part) for part in zip(*gained_by_stratum(hits), strict=True))
    total = hits.per_list((shares * sums).sum(axis=0))
    share, of = shares.take(lists.part), sums.take(lists.part)
    fewer = np.divide(held.pooled, held.drawn - 1, out=np.zeros(share.size), where=held.drawn > 1)
    rise = fewer * (of - gained) - share * of
    return _inferred_ratio(
        drawn, lists, total, (rise, lists.unheld(hits)), ideal_denominator(drawn, None)
    )


@changes("xinfAP")
def _of_ap(drawn: DrawnDocuments) -> Change:
    hits, lists = drawn.hits, DrawnInRuns.of(drawn)
    weight = stands_for(hits)
    strata = list(above_hits(hits))
    shares = [smoothed(stratum) for stratum in strata]
    precision = (1 + sum(shares)) / hits.rank
    more = drawn.more[drawn.stratum.take(hits.judgment_index)]
    total = hits.sum(weight * precision)
    # without a document, the others of its stratum stand for more; and above the hits below it, the
    # share of relevant ones changes
    rise = (drawn.more - 1) * drawn.by_stratum(drawn.dense(weight * precision))
    held_relevant = lists.relevant[lists.column]
    lost = np.zeros(lists.column.size)
    lost[held_relevant] = more * weight * precision
    below = np.zeros(lists.column.size)
    for number, (stratum, share) in enumerate(zip(strata, shares, strict=True)):
        reach = np.where(stratum.own, more, 1.0) * weight / hits.rank * (stratum.drawn > 0)
        at = np.flatnonzero(lists.place == number)
        first, end = lists.above[at] + held_relevant[at], hits.start[1:][lists.list[at]]
        for relevant in (False, True):
            change = reach * (_fewer(stratum, relevant) - share)
            which = (held_relevant[at] == relevant) & (first < end)
            running, start = hits.running(change), first[which]
            below[at[which]] = running[end[which] - 1] - running[start] + change[start]
    unheld = rise.take(lists.own, axis=1)
    held = unheld.take(lists.cell) - lost + below
    return _inferred_ratio(
        drawn,
        lists,
        total,
        (held, unheld),
        relevant_denominator(drawn, hits.topics.collection.policy.depth),
    )


def _inferred_ratio(
    drawn: DrawnDocuments,
    lists: DrawnInRuns,
    above: np.ndarray,
    without: tuple[np.ndarray, np.ndarray],
    below: Denominator,
) -> Change:
    """The change of a ratio, from its numerator [runs, T], the changes of this ([held],
    [runs, D]), and its denominator.
    """
    change = lists.change(*without)
    lower = below.others[lists.own]
    lower[lists.relevant] = below.relevant
    topic = drawn.topic_of[lists.own]
    return change._replace(value=ratio_change(above, change.value, below.whole, lower, topic))
