"""The change of the inferred measures without each drawn document: there a nonrelevant one also matters by where a list holds it."""

from typing import NamedTuple

import numpy as np

from irmeval.metrics.hits import Hits
from irmeval.metrics.sampled import discounted, gained_by_stratum
from irmeval.metrics.strata import Stratum, above_hits, smoothed, stands_for, within_lists
from irmeval.metrics.variance import Below, Change, Drawn, changes, ideal_below, ratio_change, relevant_below


class Lists(NamedTuple):
    """Each drawn document in each run.

    Attributes
    ----------
    drawn : int [D]
        The drawn documents, by stratum.
    own : int [D]
        The stratum of each.
    relevant : bool [D]
    cell, column : int [held]
        Of each drawn document that a list holds: its place in [runs, D], flat, and its column there.
    list : int [held]
        The list.
    above : int [held]
        The number of hits before it, over all lists.
    rank, place : int [held]
        Its rank, and the number of its stratum within the topic.
    part : int [held]
        Its place in [strata of a topic, lists], flat.
    """

    drawn: np.ndarray
    own: np.ndarray
    relevant: np.ndarray
    cell: np.ndarray
    column: np.ndarray
    list: np.ndarray
    above: np.ndarray
    rank: np.ndarray
    place: np.ndarray
    part: np.ndarray

    @classmethod
    def of(cls, drawn: Drawn) -> "Lists":
        """From the hits, cut or not: the lists are whole."""
        whole = drawn.hits.retrieved
        return whole.once("lists", lambda: cls._of(drawn))

    @classmethod
    def _of(cls, drawn: Drawn) -> "Lists":
        hits, grades = drawn.hits, drawn.hits.topics.grades
        every = np.flatnonzero(grades >= 0)
        every = every[np.argsort(drawn.stratum[every], kind="stable")]
        is_relevant = np.zeros(grades.size, bool)
        is_relevant[hits.topics.relevant] = True
        column = np.full(grades.size, -1)
        column[every] = np.arange(every.size)
        slot = hits.retrieved.slot.take(hits.retrieved.entry)
        number = np.repeat(np.arange(hits.retrieved.judged.size), hits.retrieved.judged)
        above = np.cumsum(is_relevant[slot]) - is_relevant[slot]
        rank, place, at = hits.retrieved.ranks.take(hits.retrieved.entry), hits.topics.sample.place[slot], column[slot]
        cell, part = number // len(hits.R) * every.size + at, place * hits.retrieved.judged.size + number
        return cls(every, drawn.stratum[every], is_relevant[every], cell, at, number, above, rank, place, part)

    def unheld(self, hits: Hits) -> np.ndarray:
        """No change [runs, D]."""
        return np.zeros((hits.runs, self.own.size))

    def change(self, held: np.ndarray, rest: np.ndarray) -> Change:
        """From the change without each drawn document that a list holds [held], and without another one [runs, D]."""
        rest = np.ascontiguousarray(rest)
        rest.ravel()[self.cell] = held
        return Change(rest, self.own, np.ones(self.own.size))


def _fewer(stratum: Stratum, relevant: np.ndarray | bool) -> np.ndarray:
    """`smoothed` without one of the drawn documents, which is relevant or not."""
    return smoothed(stratum._replace(drawn=stratum.drawn - 1, relevant=stratum.relevant - relevant))


def _of_held(hits: Hits, lists: Lists, k: int | None) -> Stratum:
    """What the list of each drawn document holds of its stratum, down to rank k [held]."""
    counted = list(zip(*within_lists(hits, k), strict=True))[1:]
    return Stratum(lists.relevant[lists.column], *(np.stack(part).take(lists.part) for part in counted))


@changes("infP")
def _of_precision(drawn: Drawn, k: int) -> Change:
    lists = Lists.of(drawn)
    return lists.change(np.where(lists.rank <= k, _retrieved_without(drawn.hits, lists, k) / k, 0.0), lists.unheld(drawn.hits))


@changes("infNumRelRet")
def _of_retrieved(drawn: Drawn) -> Change:
    lists = Lists.of(drawn)
    return lists.change(_retrieved_without(drawn.hits, lists, None), lists.unheld(drawn.hits))


def _retrieved_without(hits: Hits, lists: Lists, k: int | None) -> np.ndarray:
    """Change of the estimated number of relevant documents of a list, without a document that it holds down to rank k [held]."""
    held = _of_held(hits, lists, k)
    return _fewer(held, held.own) - smoothed(held)


@changes("infNDCG")
def _of_ndcg(drawn: Drawn) -> Change:
    hits, lists = drawn.hits, Lists.of(drawn)
    gained, held = np.zeros(lists.column.size), _of_held(hits, lists, None)
    gained[held.own] = discounted(hits)
    shares, sums = (np.stack(part) for part in zip(*gained_by_stratum(hits), strict=True))
    total = hits.per_list((shares * sums).sum(axis=0))
    share, of = shares.take(lists.part), sums.take(lists.part)
    fewer = np.divide(held.pooled, held.drawn - 1, out=np.zeros(share.size), where=held.drawn > 1)
    rise = fewer * (of - gained) - share * of
    return _inferred_ratio(drawn, lists, total, (rise, lists.unheld(hits)), ideal_below(drawn, None))


@changes("xinfAP")
def _of_ap(drawn: Drawn) -> Change:
    hits, lists = drawn.hits, Lists.of(drawn)
    weight = stands_for(hits)
    strata = list(above_hits(hits))
    shares = [smoothed(stratum) for stratum in strata]
    precision = (1 + sum(shares)) / hits.rank
    more = drawn.more[drawn.stratum.take(hits.slot)]
    total = hits.sum(weight * precision)
    # without a document of a stratum, the other documents of it stand for more, and so does its share above the hits below it
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
    return _inferred_ratio(drawn, lists, total, (held, unheld), relevant_below(drawn, hits.topics.collection.policy.depth))


def _inferred_ratio(
    drawn: Drawn,
    lists: Lists,
    above: np.ndarray,
    without: tuple[np.ndarray, np.ndarray],
    below: Below,
) -> Change:
    """Of a ratio [runs, T], from how what is above its line changes without each drawn document ([held], [runs, D])."""
    change = lists.change(*without)
    lower = below.others[lists.own]
    lower[lists.relevant] = below.relevant
    topic = drawn.topic_of[lists.own]
    return change._replace(value=ratio_change(above, change.value, below.whole, lower, topic))
