"""Pools of topics, and orders of judging their documents.

An order is a generator: it yields the next document and is sent its judgment, so it
sees no other judgments.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.registry import Registry
from irmeval.reductions.base import BUDGET, REDUCTIONS, Reduction, keep_judgments
from irmeval.reductions.teams import PoolDepth

LEAST = "numbers of documents are rounded, and every pool has at least 1 document judged"
"""Minimum of every budget."""


def cut(values: np.ndarray, starts: np.ndarray) -> list[np.ndarray]:
    """Parts [length] of an array [value], one from each start to the next, ten times as
    fast as `np.split`.
    """
    return [values[first:last] for first, last in pairwise([*starts.tolist(), values.size])]


Following: TypeAlias = Generator[int, bool | None, None]
"""Generator of the next document of a topic; receives whether it is relevant, or None
if unknown.
"""


@dataclass(frozen=True, eq=False)
class Topic:
    """The pool of a topic, and the places of its documents in the runs."""

    judgments: np.ndarray
    """int [n], indices of the judgments in the pool, by document id; documents are
    numbered in this order
    """
    document: np.ndarray
    """int [entries], documents of the runs down to the pool depth, by run, then rank"""
    run: np.ndarray
    """int [entries]"""
    rank: np.ndarray
    """int [entries], from 1"""
    runs: int
    depth: int
    """depth of the pool"""
    numbers: np.ndarray
    """float64 [n], a random number from 0 to 1 for each document; empty for an order
    that is not random
    """

    @property
    def size(self) -> int:
        """Number of documents in the pool."""
        return self.judgments.size

    @cached_property
    def start(self) -> np.ndarray:
        """Start of the documents of each run among the entries, int [runs + 1]."""
        return np.searchsorted(self.run, np.arange(self.runs + 1))

    @cached_property
    def by_document(self) -> np.ndarray:
        """The entries sorted by document, then run, int [entries]."""
        return np.argsort(self.document, kind="stable")

    @cached_property
    def first(self) -> np.ndarray:
        """Where the entries of each document start in `by_document`, int [n]."""
        return np.searchsorted(self.document[self.by_document], np.arange(self.size))

    @cached_property
    def runs_of(self) -> list[np.ndarray]:
        """Runs with each document, in the order of its entries."""
        return cut(self.run[self.by_document], self.first)

    @cached_property
    def lists(self) -> list[list[int]]:
        """The documents of each run, by rank."""
        return [documents.tolist() for documents in cut(self.document, self.start[:-1])]


class Order(NamedTuple):
    """A registered order."""

    follow: Callable[..., Following]
    random: bool


ORDERS: Registry[Order] = Registry("order of judging")
"""Orders of judging by name; each is a reduction too."""


def order(name: str, *, source: str, random: bool = False) -> Any:
    """Register an order, also as a reduction by budget. Its docstring is the
    description; users may set its annotated parameters.
    """

    def make(follow: Callable[..., Following], meaning: str) -> Reduction:
        ORDERS.add(name, Order(follow, random))
        # an order is a reduction that keeps what it would have judged first
        params, strategy = fields(pool_topics) | fields(follow), partial(_keep, name)
        return Reduction(
            name,
            meaning,
            source,
            params,
            strategy,
            BUDGET,
            random,
            least=LEAST,
            less="only the pools are judged",
        )

    return REDUCTIONS.decorator(name, make)


def _keep(
    name: str,
    collection: Collection,
    levels: Sequence[float],
    rng: np.random.Generator,
    pool: int,
    **params: Any,
) -> np.ndarray:
    """Strategy of an order: keep the documents of each pool that it judges first."""
    topics = pool_topics(collection, pool, rng=rng if ORDERS[name].random else None)
    return cut_order(
        collection,
        topics,
        follow_order(name, topics, collection.grade, max(levels), **params),
        levels,
        share_of,
    )


def cut_order(
    collection: Collection,
    topics: Sequence[Topic],
    followed: Sequence[np.ndarray],
    levels: Sequence[float],
    count: Callable[[int, float], int],
) -> np.ndarray:
    """Grade vectors [levels, J] that keep the first `count(size, level)` judgments of
    an order in each pool (`share_of`, `number_of`).
    """
    kept = np.zeros((len(levels), collection.grade.size), bool)
    for topic, judged in zip(topics, followed, strict=True):
        for row, level in zip(kept, levels, strict=True):
            row[judged[: count(topic.size, level)]] = True
    return np.stack([keep_judgments(collection, row) for row in kept])


def share_of(size: int, level: float) -> int:
    """The number of documents in a budget of `level` per cent of a pool: rounded half
    up, at least one if there are any.
    """
    # rounded first: 64.6% of 250 would be 161.49999999999997, and not rounded up
    return min(size, max(1, int(round(level * size / 100, 9) + 0.5)))


def number_of(size: int, level: float) -> int:
    """The number of documents in a budget of `level` documents: rounded down, at least
    one if there are any.
    """
    return min(size, max(1, int(level)))


def follow_order(
    name: str,
    topics: Sequence[Topic],
    seen: np.ndarray,
    level: float = 100,
    count: Callable[[int, float], int] = share_of,
    **params: Any,
) -> list[np.ndarray]:
    """The judgments of each topic that come first in an order of `ORDERS` with its
    parameters, int [share of the pool].

    `seen` int [J] are the grades that the order is shown one by one; a negative grade
    is unknown. `level` is a share of each pool in per cent, or what `count` makes of
    it, as in `cut_order`.
    """
    follow = ORDERS[name].follow

    def first(topic: Topic) -> np.ndarray:
        parallel.check_cancelled()
        size = count(topic.size, level)
        judged = walk(follow(topic, **params), seen[topic.judgments].tolist()) if size else iter(())
        return topic.judgments[np.fromiter(judged, np.int64, size)]

    return [*map(first, topics)]


def walk(following: Following, seen: Sequence[int]) -> Iterator[int]:
    """Documents of an order; the order receives the relevance of each before it yields
    the next.
    """
    # None is sent for an unknown judgment, so that a for loop will not do
    document = next(following, None)
    while document is not None:
        yield document
        try:
            document = following.send(None if seen[document] < 0 else seen[document] > 0)
        except StopIteration:
            return


def pool_topics(
    collection: Collection,
    pool: PoolDepth = 100,
    *,
    rng: np.random.Generator | None = None,
    of_runs: np.ndarray | None = None,
) -> list[Topic]:
    """The pool of each topic: the judged documents that some run, or some of `of_runs`,
    bool [runs], has down to the rank `pool`. With the generator `rng` of a trial, each
    judgment of the qrels gets a random number, in the pool or not. Raises `ParamError`
    without runs.
    """
    if not collection.runs:
        raise ParamError("pool: expected runs, found none. Read the runs too.")
    sizes, runs, judgments, ranks = zip(
        *collection.by_part(partial(_entries, pool=pool)), strict=True
    )
    # each part numbers its runs from 0
    firsts = np.cumsum([0, *sizes[:-1]])
    run = np.concatenate([own + first for own, first in zip(runs, firsts, strict=True)])
    judgment_index, rank = np.concatenate(judgments), np.concatenate(ranks)
    # what nobody has judged cannot be shown to an order
    kept = collection.grade[judgment_index] >= 0
    if of_runs is not None:
        kept &= of_runs[run]
    return split_topics(
        collection,
        collection.topic,
        judgment_index[kept],
        run[kept],
        rank[kept],
        pool=pool,
        # for all judgments: pools of two depths then break ties alike
        numbers=np.empty(0) if rng is None else rng.random(collection.grade.size),
    )


def split_topics(
    collection: Collection,
    topic: np.ndarray,
    judgment_index: np.ndarray,
    run: np.ndarray,
    rank: np.ndarray,
    *,
    pool: int,
    numbers: np.ndarray,
) -> list[Topic]:
    """The pool of each topic, from the topic of documents, int [J], the entries by run,
    topic, rank, and random `numbers` [J] or none.
    """
    # stable: within a topic, entries stay sorted by run and rank
    order = np.argsort(topic[judgment_index], kind="stable")
    run, judgment_index, rank = run[order], judgment_index[order], rank[order]
    starts = np.searchsorted(topic[judgment_index], np.arange(len(collection.topics)))
    topics = []
    for of_topic in zip(
        *(cut(column, starts) for column in (run, judgment_index, rank)), strict=True
    ):
        judgments, document = np.unique(of_topic[1], return_inverse=True)
        drawn = numbers[judgments] if numbers.size else numbers
        topics.append(
            Topic(judgments, document, of_topic[0], of_topic[2], len(collection.runs), pool, drawn)
        )
    return topics


def _entries(part: Collection, pool: int) -> tuple[int, np.ndarray, np.ndarray, np.ndarray]:
    """The number of runs; and the run, judgment and rank of each entry down to a
    rank.
    """
    entry = np.flatnonzero(part.rank <= pool)
    run = np.searchsorted(part.start[:: len(part.topics)], entry, side="right") - 1
    return len(part.runs), run, part.judgment_index[entry], part.rank[entry]
