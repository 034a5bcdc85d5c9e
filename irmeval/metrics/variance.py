"""How sure an estimate from a sample is: what it would be without each drawn document in turn.

Where a document is left out, the others of its stratum stand for more. The spread of these estimates is the variance of the draw, and their
mean shows the bias of a ratio (Quenouille 1956; for samples without replacement in strata, Jones 1974, Wolter 2007, 4.5).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmeval.metrics.base import METRICS, Measure
from irmeval.metrics.cumulated import Discount
from irmeval.metrics.hits import Hits
from irmeval.metrics.sampled import LOG2, discounted, stat_dcg
from irmeval.metrics.strata import estimated_relevant, stands_for


class Change(NamedTuple):
    """By how much an estimate changes without a drawn document.

    Attributes
    ----------
    value : float64 [runs, columns]
        A column is a drawn document, or several of one stratum that change every run alike.
    stratum : int [columns]
        The stratum of each.
    documents : float64 [columns]
        How many documents each is.
    """

    value: np.ndarray
    stratum: np.ndarray
    documents: np.ndarray

    def by_stratum(self, strata: int) -> np.ndarray:
        """Sum over the documents of each stratum [runs, S]."""
        total = np.zeros((len(self.value), strata))
        first = np.flatnonzero(np.diff(self.stratum, prepend=-1) | np.diff(self.documents, prepend=-1).astype(bool))
        if first.size:  # neighbours in one stratum are summed at once
            sums = np.add.reduceat(self.value, first, axis=1) * self.documents[first]
            np.add.at(total.T, self.stratum[first], sums.T)
        return total


class Spread(NamedTuple):
    """What the draw does to the estimates.

    Attributes
    ----------
    bias : float64 [runs, T]
        Estimated bias, by which an estimate is too high.
    root : float64 [runs, columns]
        The covariance of two runs, summed over topics, is the sum of the products of their rows.
    """

    bias: np.ndarray
    root: np.ndarray


class Deviation(NamedTuple):
    """How much the documents of each stratum differ in what they add to an estimate.

    Attributes
    ----------
    square : float64 [rows, S]
        Squared standard deviation within the stratum, of n - 1, for each run; 0 where fewer than two were drawn.
    documents : int [S]
        Documents of each, drawn or not; 0 of one that was joined to its neighbour.
    """

    square: np.ndarray
    documents: np.ndarray


NOTHING = 1e-9
"""The share below which what is left of a sum is a rounding error."""
CHANGES: dict[str, Callable[..., Change]] = {}
"""By metric, the function that computes the `Change`."""


def spread(measure: Measure, hits: Hits) -> Spread:
    """What the draw does to the estimates of a measure; the hits are cut as it needs them.

    A stratum of which one document was drawn is joined to its neighbour in the topic. A topic with one drawn document has no variance here.
    """
    params = {name: value for name, value in measure.params.items() if name != "rel"}
    drawn = Drawn(hits)
    return drawn.spread(CHANGES[measure.metric.name](drawn, **params))


def deviation(measure: Measure, hits: Hits, pair: bool = False) -> Deviation:
    """The spread within strata of what a document adds to the estimates, summed over topics, of a measure whose hits are cut as it needs
    them: what a plan of a sample is made from, be all judged or some. Of two runs, with `pair`, of what it adds to their difference."""
    params = {name: value for name, value in measure.params.items() if name != "rel"}
    drawn = Drawn(hits)
    change = CHANGES[measure.metric.name](drawn, **params)
    value = change.value[:1] - change.value[1:] if pair else change.value
    n, documents = drawn.n, np.bincount(drawn.stratum, minlength=drawn.n.size)

    def within(rows: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(change.stratum, row, n.size) for row in change.documents * rows])

    # left out, a document changes the total by N / (n - 1) of how far it is from the mean of its stratum
    squares = within(value**2) - within(value) ** 2 / np.maximum(n, 1)
    return Deviation((n - 1).clip(0) * squares.clip(0) / np.maximum(documents, 1) ** 2.0, documents)


def changes(name: str) -> Callable[[Callable[..., Change]], Callable[..., Change]]:
    """Register the function that computes the change of an estimator, from the drawn documents and the parameters of the metric."""

    def register(function: Callable[..., Change]) -> Callable[..., Change]:
        CHANGES[METRICS[name].name] = function
        return function

    return register


@dataclass(frozen=True, eq=False)
class Drawn:
    """The drawn documents of all topics, and where each run has them."""

    hits: Hits

    @cached_property
    def stratum(self) -> np.ndarray:
        """The stratum of each document of the pool, those with one drawn document joined to a neighbour [J]."""
        return self.hits.topics.once("joined strata", self._joined)

    def _joined(self) -> np.ndarray:
        sample, topic = self.hits.topics.sample, self.topic_of
        joined = np.arange(sample.design.S)
        for s in np.flatnonzero((sample.drawn == 1) & (sample.pooled > 1)):
            near = [i for i in (s - 1, s + 1) if 0 <= i < joined.size and topic[i] == topic[s] and sample.drawn[i]]
            joined[joined == joined[s]] = joined[near[0]] if near else joined[s]
        return joined[sample.design.stratum]

    @cached_property
    def n(self) -> np.ndarray:
        """Drawn documents by stratum [S]."""
        topics = self.hits.topics
        return topics.once("n", lambda: np.bincount(self.stratum[topics.grades >= 0], minlength=topics.sample.design.S).astype(float))

    @cached_property
    def more(self) -> np.ndarray:
        """By how much more the others of a stratum stand for, if one is left out: n / (n - 1) [S]; 1 where no other was drawn."""
        return np.divide(self.n, self.n - 1, out=np.ones(self.n.size), where=self.n > 1)

    @cached_property
    def relevant(self) -> np.ndarray:
        """The drawn relevant documents, by stratum [M]."""
        relevant = self.hits.topics.relevant
        return self.hits.topics.once("sorted", lambda: relevant[np.argsort(self.stratum[relevant], kind="stable")])

    @cached_property
    def own(self) -> np.ndarray:
        """The stratum of each of these [M]."""
        return self.stratum[self.relevant]

    @cached_property
    def stands_for(self) -> np.ndarray:
        """How many documents each of these stands for [M]."""
        return self.hits.topics.sample.expansion[self.relevant]

    @cached_property
    def place(self) -> np.ndarray:
        """Where each hit is in [runs, M], flat [hits]."""
        T, n = len(self.hits.R), np.diff(self.hits.start)
        column = np.full(self.hits.topics.grades.size, -1)
        column[self.relevant] = np.arange(self.relevant.size)
        return np.repeat(np.arange(n.size) // T * self.relevant.size, n) + column[self.hits.slot]

    def of_lists(self, value: np.ndarray) -> np.ndarray:
        """A value per list [runs, T], given to each hit."""
        return np.repeat(value.ravel(), np.diff(self.hits.start))

    def dense(self, value: np.ndarray) -> np.ndarray:
        """A value per hit, as [runs, M]; 0 where a run has not retrieved the document."""
        filled = np.zeros((self.hits.runs, self.relevant.size))
        filled.ravel()[self.place] = value
        return filled

    def by_stratum(self, value: np.ndarray) -> np.ndarray:
        """Sum over the drawn relevant documents of each stratum: [..., M] to [..., S]."""
        total = np.zeros((*value.shape[:-1], self.n.size))
        present, start = np.unique(self.own, return_index=True)
        if present.size:
            total[..., present] = np.add.reduceat(value, start, axis=-1)
        return total

    def by_topic(self, value: np.ndarray) -> np.ndarray:
        """A value per topic [..., T], given to each stratum [..., S]."""
        return value[..., self.topic_of]

    @property
    def topic_of(self) -> np.ndarray:
        """The topic of each stratum [S]."""
        return self.hits.topics.sample.topic_of

    def change(self, relevant: np.ndarray, others: np.ndarray) -> Change:
        """From the change without each drawn relevant document [runs, M] and without a nonrelevant one of each stratum [runs, S]."""
        rest = self.n - np.bincount(self.own, minlength=self.n.size)
        kept = np.flatnonzero(rest)
        value = np.concatenate([relevant, others[:, kept]], axis=1)
        return Change(value, np.concatenate([self.own, kept]), np.concatenate([np.ones(self.own.size), rest[kept]]))

    def spread(self, change: Change) -> Spread:
        """Bias and covariance of the estimates from their changes."""
        S, n = self.n.size, self.n
        sample = self.hits.topics.sample
        drawn = np.flatnonzero(sample.grades >= 0)
        left = np.bincount(self.stratum[drawn], 1 - sample.probability[drawn], S) / np.maximum(n, 1)
        mean = change.by_stratum(S) / np.maximum(n, 1)
        kept = left * (1 - 1 / np.maximum(n, 1))
        bias = np.stack([np.bincount(self.topic_of, row, len(self.hits.R)) for row in left * (n - 1).clip(0) * mean])
        root = mean.take(change.stratum, axis=1)
        np.subtract(change.value, root, out=root)
        root *= np.sqrt(change.documents * kept[change.stratum])
        return Spread(bias, root)


# ---------------------------------------------------------------- sums


def sum_without(drawn: Drawn, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How a sum over documents, each counted as many as it stands for, changes without each drawn relevant one [..., M], and without a
    nonrelevant one of each stratum [..., S]; `value` [..., M] is what each adds."""
    rise = (drawn.more - 1) * drawn.by_stratum(value)
    return rise[..., drawn.own] - drawn.more[drawn.own] * value, rise


def _gained(drawn: Drawn, worth: np.ndarray) -> np.ndarray:
    """What each drawn relevant document adds to a sum over the hits [runs, M], from what it is worth [hits]."""
    return drawn.dense(worth * stands_for(drawn.hits))


@changes("statP")
def _of_precision(drawn: Drawn, k: int) -> Change:
    return drawn.change(*sum_without(drawn, _gained(drawn, np.full(drawn.hits.rank.size, 1 / k))))


@changes("statDCG")
def _of_dcg(drawn: Drawn, k: int | None) -> Change:
    return drawn.change(*sum_without(drawn, _gained(drawn, discounted(drawn.hits))))


@changes("statRBP")
def _of_rbp(drawn: Drawn, p: float) -> Change:
    hits = drawn.hits
    worth = (1 - p) * hits.gain * hits.by_rank(lambda rank: p ** (rank - 1)) / hits.H
    return drawn.change(*sum_without(drawn, _gained(drawn, worth)))


@changes("statR")
def _of_relevant(drawn: Drawn) -> Change:
    return drawn.change(*sum_without(drawn, np.tile(drawn.stands_for, (drawn.hits.runs, 1))))


# ---------------------------------------------------------------- ratios


def ratio(drawn: Drawn, above: np.ndarray, without: tuple[np.ndarray, np.ndarray], below: "Below") -> Change:
    """Of a ratio [runs, T]: what is above its line, its change without each document ([runs, M], [runs, S]), and what is below."""
    relevant = ratio_change(above, without[0], below.whole, below.relevant, drawn.topic_of[drawn.own])
    return drawn.change(relevant, ratio_change(above, without[1], below.whole, below.others, drawn.topic_of))


def ratio_change(above: np.ndarray, change: np.ndarray, below: np.ndarray, without: np.ndarray, topic: np.ndarray) -> np.ndarray:
    """(above + change) / without - above / below, from what is of a topic, `above` [runs, T] and `below` [T], and what is of a document,
    `change` [runs, n], `without` and `topic` [n]; 0 where nothing relevant is left, and so no estimate to compare with."""
    left = without > NOTHING * below[topic]
    found = above.take(topic, axis=1)
    found += change
    found /= np.where(left, without, 1)
    found -= (above / np.where(below > 0, below, 1)).take(topic, axis=1)
    found[:, ~left] = 0
    return found


class Below(NamedTuple):
    """What is below the line of a ratio: of each topic [T], without each drawn relevant document [M], without a nonrelevant one of each
    stratum [S]."""

    whole: np.ndarray
    relevant: np.ndarray
    others: np.ndarray


def relevant_below(drawn: Drawn, most: float = np.inf) -> Below:
    """Estimated number of relevant documents, at most so many."""

    def below() -> Below:
        whole, (relevant, others) = estimated_relevant(drawn.hits.topics), sum_without(drawn, drawn.stands_for)
        of_strata = drawn.by_topic(whole)
        return Below(*(np.minimum(part, most) for part in (whole, of_strata[drawn.own] + relevant, of_strata + others)))

    return drawn.hits.topics.once((relevant_below, most), below)


def ideal_gain(numbers: np.ndarray, gain: np.ndarray, last: int, discount: Discount = LOG2) -> np.ndarray:
    """Discounted gain of ideal lists down to rank `last` [n], from numbers of documents, of which a part counts as a part, and their gain
    [n, levels], the highest first."""
    table = np.concatenate([[0], np.cumsum(discount(np.arange(1, last + 1, dtype=float)))])
    reached = np.interp(np.cumsum(numbers.clip(0), axis=1), np.arange(last + 1), table)
    return (gain * np.diff(reached, axis=1, prepend=0)).sum(axis=1)


def ideal_below(drawn: Drawn, k: int | None) -> Below:
    """Discounted gain of the ideal list of the estimated documents, not rounded to whole ones, down to rank k."""
    topics = drawn.hits.topics
    last = k or topics.collection.policy.depth
    return topics.once((ideal_below, last), lambda: _ideal_down_to(drawn, last))


def _ideal_down_to(drawn: Drawn, last: int) -> Below:
    """The same, down to the last rank."""
    topics = drawn.hits.topics
    T, levels, own = len(topics.R), topics.collection.top_grade + 1, drawn.own
    level = topics.grades[drawn.relevant]
    gain = np.zeros((T, levels))
    gain[drawn.topic_of[own], level] = topics.of_judgment[drawn.relevant]
    best = np.argsort(-gain, axis=1, kind="stable")
    number = np.zeros((drawn.n.size, levels))
    np.add.at(number, (own, level), drawn.stands_for)
    of_topic = np.zeros((T, levels))
    np.add.at(of_topic, drawn.topic_of, number)

    def ideal(numbers: np.ndarray, topic: np.ndarray) -> np.ndarray:
        """Of numbers of documents by level [n, levels]."""
        return ideal_gain(np.take_along_axis(numbers, best[topic], 1), np.take_along_axis(gain[topic], best[topic], 1), last)

    scaled = of_topic[drawn.topic_of] + (drawn.more - 1)[:, None] * number
    less = scaled[own]
    less[np.arange(own.size), level] -= drawn.more[own] * drawn.stands_for
    return Below(ideal(of_topic, np.arange(T)), ideal(less, drawn.topic_of[own]), ideal(scaled, drawn.topic_of))


@changes("statNDCG")
def _of_ndcg(drawn: Drawn, k: int | None) -> Change:
    gained = _gained(drawn, discounted(drawn.hits))
    return ratio(drawn, stat_dcg(drawn.hits), sum_without(drawn, gained), ideal_below(drawn, k))


@changes("statAP")
def _of_ap(drawn: Drawn) -> Change:
    total, without = pairs_without(drawn, stands_for(drawn.hits))
    return ratio(drawn, total, without, relevant_below(drawn))


def pairs_without(drawn: Drawn, weight: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The sum of precisions, over pairs of documents, from how many documents each hit stands for, 0 where it is not relevant [hits]: of
    each list [runs, T], and how it changes without each drawn document ([runs, M], [runs, S])."""
    hits, more = drawn.hits, drawn.more
    sample, reach = hits.topics.sample, weight / hits.rank
    stratum = drawn.stratum.take(hits.slot)
    # of each hit: weights above it, reach below it, in its own stratum and in all
    above, below = hits.so_far(weight) - weight, drawn.of_lists(hits.sum(reach)) - hits.so_far(reach)
    order, lists = _by_list_and_stratum(hits, stratum)
    own_above, own_below = so_far_above(hits, stratum, weight), np.empty(weight.size)
    own_below[order] = _total_in(reach[order], lists) - _so_far_in(hits, reach[order], lists)
    S = more.size
    if sample.design.alike:  # the joint probability of two of n, and of two of n - 1
        joint = sample.repeat_expansion / (sample.pooled / np.maximum(sample.drawn, 1)) ** 2
        fewer = np.divide(drawn.n, drawn.n - 2, out=np.zeros(S), where=drawn.n > 2)
    else:
        joint, fewer = np.ones(S), more**2
    crossing = drawn.dense(reach + reach * (above - own_above) + weight * (below - own_below))
    inside = drawn.dense(joint[stratum] * (reach * own_above + weight * own_below))
    single, double = drawn.by_stratum(crossing), drawn.by_stratum(inside) / 2
    total = hits.sum(reach * (1 + above + (joint[stratum] - 1) * own_above))
    own, rise = drawn.own, (more - 1) * single + (fewer - 1) * double
    return total, (rise[:, own] - more[own] * crossing - fewer[own] * inside, rise)


def _by_list_and_stratum(hits: Hits, stratum: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order that sorts the hits by list, then stratum, then rank; and where each stretch starts, with the end."""
    key = np.repeat(np.arange(hits.start.size - 1), np.diff(hits.start)) * (stratum.max(initial=0) + 1) + stratum
    order = np.argsort(key, kind="stable")
    return order, np.append(np.flatnonzero(np.diff(key[order], prepend=-1)), key.size)


def so_far_above(hits: Hits, stratum: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Sum of a value over the hits of its own stratum above each hit [hits]."""
    order, lists = _by_list_and_stratum(hits, stratum)
    above = np.empty(value.size)
    above[order] = _so_far_in(hits, value[order], lists) - value[order]
    return above


def _so_far_in(hits: Hits, value: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Running sum within each stretch; each is of one list, and lists are in their order."""
    total = hits.running(value)
    return total - np.repeat(total[start[:-1]] - value[start[:-1]], np.diff(start))


def _total_in(value: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Sum of each stretch, at each of its places."""
    return np.repeat(np.add.reduceat(value, start[:-1]), np.diff(start)) if value.size else value
