"""The lists divided by the strata of a sample: what stands above each relevant document, and in a whole list."""

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from irmeval.metrics.hits import Hits, Ideal

STANDS = "A pooled document that was not drawn is represented by the drawn ones of its stratum; one outside the pool is nonrelevant."


class Stratum(NamedTuple):
    """The documents of the lists that are in one stratum of their topic.

    Attributes
    ----------
    own : bool [hits]
        Which hits are in it.
    pooled, drawn, relevant : int [n]
        Documents of it in the pool, drawn, and drawn and relevant: above each hit, or in each list.
    """

    own: np.ndarray
    pooled: np.ndarray
    drawn: np.ndarray
    relevant: np.ndarray


FEW = 20
"""Strata of a topic up to which they are counted once for all metrics; more of them are counted anew, which takes less memory."""


def above_hits(hits: Hits) -> Iterable[Stratum]:
    """Each stratum of a topic in turn, counted above each hit."""
    return _kept(hits, above_hits, _above_hits(hits))


def _above_hits(hits: Hits) -> Iterator[Stratum]:
    sample, retrieved = hits.topics.sample, hits.retrieved
    if sample.places == 1:
        yield Stratum(np.ones(hits.rank.size, bool), hits.pooled, hits.condensed_rank - 1, hits.count - 1)
        return
    n = np.diff(hits.start)
    pooled_at, drawn_at = (
        np.repeat(start[:-1], n) + above.astype(np.intp)
        for start, above in ((retrieved.pooled_start, hits.pooled), (retrieved.start, hits.condensed_rank - 1))
    )
    yield from _by_stratum(hits, (pooled_at, drawn_at, np.arange(hits.rank.size)), n)


def _kept(hits: Hits, key: Hashable, strata: Iterator[Stratum]) -> Iterable[Stratum]:
    return hits.once(key, lambda: [*strata]) if hits.topics.sample.places <= FEW else strata


def above_in_own(hits: Hits) -> np.ndarray:
    """Relevant documents of its own stratum above each hit, as drawn [hits]."""
    place, above = hits.topics.sample.place.take(hits.slot), np.empty(hits.rank.size)
    for number in range(hits.topics.sample.places):
        own = np.flatnonzero(place == number)
        start = np.searchsorted(own, hits.start)
        above[own] = np.arange(own.size) - np.repeat(start[:-1], np.diff(start))
    return above


def within_lists(hits: Hits, k: int | None = None) -> Iterable[Stratum]:
    """Each stratum of a topic in turn, counted in each list down to rank k, which the hits are cut at."""
    return _kept(hits, (within_lists, k), _within_lists(hits, k))


def _within_lists(hits: Hits, k: int | None) -> Iterator[Stratum]:
    retrieved = hits.retrieved
    pooled_start, drawn_start = retrieved.pooled_start, retrieved.start
    if k is None:
        pooled_end, drawn_end = pooled_start[1:], drawn_start[1:]
    else:
        top = retrieved.ranks <= k
        pooled_end, drawn_end = _ends(pooled_start, top), _ends(drawn_start, top.take(retrieved.entry))
    yield from _by_stratum(hits, (pooled_end, drawn_end, hits.start[1:]), 1)


def _by_stratum(hits: Hits, to: tuple[np.ndarray, np.ndarray, np.ndarray], times: np.ndarray | int) -> Iterator[Stratum]:
    """Each stratum of a topic in turn, counted from the start of a list to places among the pooled, the drawn and the relevant documents;
    so many `times` for each list."""
    sample, retrieved = hits.topics.sample, hits.retrieved
    place, hit_place = sample.place.take(retrieved.slot), sample.place.take(hits.slot)
    drawn_place = place.take(retrieved.entry)
    starts = retrieved.pooled_start, retrieved.start, hits.start
    for number in range(sample.places):
        counted = []
        for of, end, start in zip((place, drawn_place, hit_place), to, starts, strict=True):
            running = _running(of == number)
            counted.append(running.take(end) - np.repeat(running.take(start[:-1]), times))
        yield Stratum(hit_place == number, *counted)


def smoothed(stratum: Stratum) -> np.ndarray:
    """Estimated relevant documents among the pooled ones of a stratum, with the epsilons of sample_eval.pl."""
    return stratum.pooled * (stratum.relevant + 1e-5) / (stratum.drawn + 3e-5)


def stands_for(hits: Hits) -> np.ndarray:
    """How many documents of the pool each hit stands for [hits]."""
    return hits.topics.sample.expansion.take(hits.slot)


def estimated_relevant(topics: Ideal) -> np.ndarray:
    """Estimated number of relevant documents per topic [T]: each drawn one counts as many as it stands for."""
    collection, rel = topics.collection, topics.relevant
    return np.bincount(collection.topic[rel], topics.sample.expansion[rel], len(topics.R))


def estimated_retrieved(hits: Hits, k: int | None = None) -> np.ndarray:
    """Estimated number of relevant documents in each list, down to rank k, which the hits are cut at [runs, T]."""
    return hits.per_list(sum(map(smoothed, within_lists(hits, k)), np.zeros(1)))


def _running(mask: np.ndarray) -> np.ndarray:
    """How often the mask holds before each place, and in all."""
    total = np.zeros(mask.size + 1, np.int32)
    np.cumsum(mask, out=total[1:])
    return total


def _ends(start: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Where the top of each list ends; the mask holds for the first documents of a list only."""
    held = _running(top)
    return start[:-1] + held.take(start[1:]) - held.take(start[:-1])
