"""Counts of documents by the strata of a sample: above each relevant document, and in
each list.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from irmeval.metrics.hits import Hits, Ideal

STANDS = (
    "A pooled document that was not drawn is represented by the drawn ones of its stratum; one"
    " outside the pool is nonrelevant."
)


class Stratum(NamedTuple):
    """The documents of the lists that are in one stratum of their topic."""

    own: np.ndarray
    """bool [hits], which hits are in the stratum"""
    pooled: np.ndarray
    """int [n], documents of the stratum above each hit, or in each list"""
    drawn: np.ndarray
    """int [n], those of them that were drawn"""
    relevant: np.ndarray
    """int [n], those of them that were drawn and are relevant"""


FEW = 20
"""Number of strata per topic up to which counts are shared by all metrics. More are
counted again for each metric, to save memory.
"""


def above_hits(hits: Hits) -> Iterable[Stratum]:
    """Yield each stratum of a topic in turn, counted above each hit."""
    return _kept(hits, above_hits, _above_hits(hits))


def _above_hits(hits: Hits) -> Iterator[Stratum]:
    sample, retrieved = hits.topics.sample, hits.retrieved
    if sample.places == 1:
        yield Stratum(
            np.ones(hits.rank.size, bool), hits.pooled, hits.condensed_rank - 1, hits.count - 1
        )
        return
    n = np.diff(hits.start)
    yield from _by_stratum(
        hits, np.repeat(retrieved.pooled_start[:-1], n) + hits.pooled.astype(np.intp), n
    )


def _kept(hits: Hits, key: Hashable, strata: Iterator[Stratum]) -> Iterable[Stratum]:
    return hits.memoize(key, lambda: [*strata]) if hits.topics.sample.places <= FEW else strata


def within_lists(hits: Hits, k: int | None = None) -> Iterable[Stratum]:
    """Yield each stratum of a topic in turn, counted in each list down to rank k, at
    which the hits are cut.
    """
    return _kept(hits, (within_lists, k), _within_lists(hits, k))


def _within_lists(hits: Hits, k: int | None) -> Iterator[Stratum]:
    start = hits.retrieved.pooled_start
    yield from _by_stratum(
        hits, start[1:] if k is None else _ends(start, hits.retrieved.ranks <= k), 1
    )


KINDS = 3
"""Number of counts per stratum: pooled, drawn and relevant documents."""


def _by_stratum(hits: Hits, end: np.ndarray, times: np.ndarray | int) -> Iterator[Stratum]:
    """Each stratum of a topic in turn, counted from the start of a list down to `end`,
    places among the pooled documents, of which a list has so many `times`. One integer
    counts several numbers side by side in its bits, as many as fit for the longest
    list.
    """
    sample, retrieved = hits.topics.sample, hits.retrieved
    place = sample.place.take(hits.judgment_index)
    bits = max(int(np.diff(retrieved.pooled_start).max(initial=0)).bit_length(), 1)
    # the sign of a 64-bit integer is left alone
    at_once = 63 // bits

    def counts() -> Iterator[np.ndarray]:
        for first in range(0, sample.places * KINDS, at_once):
            running = _running(
                _packed(hits.topics, first, at_once, bits).take(retrieved.judgment_index), np.int64
            )
            counted = running.take(end) - np.repeat(
                running.take(retrieved.pooled_start[:-1]), times
            )
            yield from (counted >> bits * i & (1 << bits) - 1 for i in range(at_once))

    # one iterator three times: its counts come in the order pooled, drawn, relevant
    for number, counted in zip(
        range(sample.places), zip(*[counts()] * KINDS, strict=False), strict=False
    ):
        yield Stratum(place == number, *counted)


def _packed(topics: Ideal, first: int, numbers: int, bits: int) -> np.ndarray:
    """What each document adds to the packed counts from number `first` on [J]; the
    counts of a stratum stand beside each other.
    """
    total = np.zeros(topics.grades.size, np.int64)
    is_relevant = np.zeros(total.size, bool)
    is_relevant[topics.relevant] = True
    for kind, flag in enumerate((np.ones(total.size, bool), topics.grades >= 0, is_relevant)):
        number = topics.sample.place.astype(np.int64) * KINDS + kind - first
        inside = np.flatnonzero(flag & (number >= 0) & (number < numbers))
        total[inside] += 1 << number[inside] * bits
    return total


def smoothed(stratum: Stratum) -> np.ndarray:
    """Estimated relevant documents among the pooled ones of a stratum, with the
    epsilons of sample_eval.pl.
    """
    return stratum.pooled * (stratum.relevant + 1e-5) / (stratum.drawn + 3e-5)


def stands_for(hits: Hits) -> np.ndarray:
    """Number of documents of the pool that each hit represents [hits]."""
    return hits.topics.sample.expansion.take(hits.judgment_index)


def estimated_relevant(topics: Ideal) -> np.ndarray:
    """Estimated number of relevant documents per topic [T]: each drawn one counts for
    all that it represents.
    """
    collection, rel = topics.collection, topics.relevant
    return np.bincount(collection.topic[rel], topics.sample.expansion[rel], len(topics.R))


def estimated_retrieved(hits: Hits, k: int | None = None) -> np.ndarray:
    """Estimated number of relevant documents in each list, down to rank k, which the
    hits are cut at [runs, T].
    """
    return hits.per_list(sum(map(smoothed, within_lists(hits, k)), np.zeros(1)))


def _running(value: np.ndarray, dtype: type = np.int32) -> np.ndarray:
    """Sum of the whole numbers before each place, and the total last [n + 1]."""
    total: np.ndarray = np.zeros(value.size + 1, dtype)
    np.cumsum(value, out=total[1:])
    return total


def _ends(start: np.ndarray, top: np.ndarray) -> np.ndarray:
    """End of the top of each list, from a mask that is true for the first documents of
    each list.
    """
    held = _running(top)
    return start[:-1] + held.take(start[1:]) - held.take(start[:-1])


def by_list_and_stratum(hits: Hits, stratum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order that sorts the hits by list, then stratum, then rank; and where each
    stretch starts, with the end of the last.
    """
    key = (
        np.repeat(np.arange(hits.start.size - 1), np.diff(hits.start))
        * (stratum.max(initial=0) + 1)
        + stratum
    )
    order = np.argsort(key, kind="stable")
    return order, np.append(np.flatnonzero(np.diff(key[order], prepend=-1)), key.size)


def so_far_above(hits: Hits, stratum: np.ndarray, value: np.ndarray) -> np.ndarray:
    """At each hit, the sum of a value over the hits of the same stratum above it
    [hits].
    """
    order, lists = by_list_and_stratum(hits, stratum)
    above = np.empty(value.size)
    above[order] = so_far_in(hits, value[order], lists) - value[order]
    return above


def so_far_in(hits: Hits, value: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Running sum within each stretch; a stretch lies in one list, and lists keep their
    order.
    """
    total = hits.running(value)
    return total - np.repeat(total[start[:-1]] - value[start[:-1]], np.diff(start))


def total_in(value: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The sum over its stretch, at each place."""
    # reduceat refuses an empty array
    return np.repeat(np.add.reduceat(value, start[:-1]), np.diff(start)) if value.size else value
