"""The jackknife: variance and bias of estimates from a sample, by leaving out each
drawn document in turn.

When a document is left out, the others of its stratum stand for more. The spread of
these estimates gives the variance of the draw, their mean the bias of a ratio
(Quenouille 1956; for samples without replacement in strata, Jones 1974, Wolter 2007,
4.5).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from irmeval.metrics.base import METRICS, Measure
from irmeval.metrics.hits import Hits
from irmeval.metrics.sampled import discounted, gains_by_level, ideal_gain, stat_dcg
from irmeval.metrics.strata import (
    by_list_and_stratum,
    estimated_relevant,
    so_far_above,
    so_far_in,
    stands_for,
    total_in,
)


class Change(NamedTuple):
    """Change of an estimate without a drawn document."""

    value: np.ndarray
    """float64 [runs, columns]; a column is a drawn document, or several of one stratum
    with equal changes
    """
    stratum: np.ndarray
    """int [columns], the stratum of each column"""
    documents: np.ndarray
    """float64 [columns], the number of documents in each column"""

    def by_stratum(self, strata: int) -> np.ndarray:
        """Sum over the documents of each stratum [runs, S]."""
        total = np.zeros((len(self.value), strata))
        first = np.flatnonzero(
            np.diff(self.stratum, prepend=-1) | np.diff(self.documents, prepend=-1).astype(bool)
        )
        if first.size:  # neighbours in one stratum are summed at once
            sums = np.add.reduceat(self.value, first, axis=1) * self.documents[first]
            np.add.at(total.T, self.stratum[first], sums.T)
        return total


class Spread(NamedTuple):
    """Bias and covariance of the estimates over other draws."""

    bias: np.ndarray
    """float64 [runs, T], how much an estimate is too high on average"""
    root: np.ndarray
    """float64 [runs, columns]; the product of two rows is the covariance of two runs,
    summed over topics
    """


class Deviation(NamedTuple):
    """Spread of the documents of each stratum in their contributions to an estimate."""

    square: np.ndarray
    """float64 [rows, S], variance within the stratum, divided by n - 1, for each run; 0
    where fewer than two were drawn
    """
    documents: np.ndarray
    """int [S], documents of each stratum, drawn or not; 0 for one that was joined to
    its neighbour
    """


NOTHING = 1e-9
"""Share of a sum below which it is a rounding error."""
CHANGES: dict[str, Callable[..., Change]] = {}
"""Functions that compute the `Change` of each metric."""


def spread(measure: Measure, hits: Hits) -> Spread:
    """Bias and covariance of the estimates of a measure over other draws, from hits
    that are cut as the measure needs them.

    A stratum of which one document was drawn is joined to its neighbour in the topic. A
    topic with one drawn document has no variance here.
    """
    drawn = DrawnDocuments(hits)
    return drawn.spread(CHANGES[measure.metric.name](drawn, **measure.arguments))


def deviation(measure: Measure, hits: Hits, pair: bool = False) -> Deviation:
    """Spread of the documents of a stratum in their contributions to the estimates of a
    measure, summed over topics, or with `pair` to the difference of two runs. Samples
    are planned by it. All documents may be judged, or some; the hits are cut as the
    measure needs them.
    """
    drawn = DrawnDocuments(hits)
    change = CHANGES[measure.metric.name](drawn, **measure.arguments)
    value = change.value[:1] - change.value[1:] if pair else change.value
    n, documents = drawn.n, np.bincount(drawn.stratum, minlength=drawn.n.size)

    def within(rows: np.ndarray) -> np.ndarray:
        return np.stack(
            [np.bincount(change.stratum, row, n.size) for row in change.documents * rows]
        )

    # without a document, the total changes by N / (n - 1) times its distance from the mean of its
    # stratum
    squares = within(value**2) - within(value) ** 2 / np.maximum(n, 1)
    return Deviation((n - 1).clip(0) * squares.clip(0) / np.maximum(documents, 1) ** 2.0, documents)


def changes(name: str) -> Callable[[Callable[..., Change]], Callable[..., Change]]:
    """Register the function that computes the change of an estimator, from the drawn
    documents and the parameters of the metric.
    """

    def register(function: Callable[..., Change]) -> Callable[..., Change]:
        CHANGES[METRICS[name].name] = function
        return function

    return register


@dataclass(frozen=True, eq=False)
class DrawnDocuments:
    """Drawn documents of all topics, and their ranks in each run."""

    hits: Hits

    @cached_property
    def stratum(self) -> np.ndarray:
        """The stratum of each document of the pool, those with one drawn document
        joined to a neighbour [J].
        """
        return self.hits.topics.memoize("joined strata", self._joined)

    def _joined(self) -> np.ndarray:
        sample, topic = self.hits.topics.sample, self.topic_of
        joined = np.arange(sample.design.S)
        for s in np.flatnonzero((sample.drawn == 1) & (sample.pooled > 1)):
            near = [
                i
                for i in (s - 1, s + 1)
                if 0 <= i < joined.size and topic[i] == topic[s] and sample.drawn[i]
            ]
            joined[joined == joined[s]] = joined[near[0]] if near else joined[s]
        return joined[sample.design.stratum]

    @cached_property
    def n(self) -> np.ndarray:
        """Drawn documents by stratum [S]."""
        topics = self.hits.topics
        return topics.memoize(
            "n",
            lambda: np.bincount(
                self.stratum[topics.grades >= 0], minlength=topics.sample.design.S
            ).astype(float),
        )

    @cached_property
    def more(self) -> np.ndarray:
        """Factor by which the weights of other documents of a stratum increase without
        one: n / (n - 1) [S]; 1 if no other was drawn.
        """
        return np.divide(self.n, self.n - 1, out=np.ones(self.n.size), where=self.n > 1)

    @cached_property
    def relevant(self) -> np.ndarray:
        """The drawn relevant documents, by stratum [M]."""
        relevant = self.hits.topics.relevant
        return self.hits.topics.memoize(
            "sorted", lambda: relevant[np.argsort(self.stratum[relevant], kind="stable")]
        )

    @cached_property
    def own(self) -> np.ndarray:
        """The stratum of each drawn relevant document [M]."""
        return self.stratum[self.relevant]

    @cached_property
    def stands_for(self) -> np.ndarray:
        """Number of documents that each drawn relevant document represents [M]."""
        return self.hits.topics.sample.expansion[self.relevant]

    @cached_property
    def place(self) -> np.ndarray:
        """Where each hit is in [runs, M], flat [hits]."""
        T, n = len(self.hits.R), np.diff(self.hits.start)
        column = np.full(self.hits.topics.grades.size, -1)
        column[self.relevant] = np.arange(self.relevant.size)
        return (
            np.repeat(np.arange(n.size) // T * self.relevant.size, n)
            + column[self.hits.judgment_index]
        )

    def dense(self, value: np.ndarray) -> np.ndarray:
        """A value per hit, as [runs, M]; 0 where a run has not retrieved the
        document.
        """
        filled = np.zeros((self.hits.runs, self.relevant.size))
        filled.ravel()[self.place] = value
        return filled

    def by_stratum(self, value: np.ndarray) -> np.ndarray:
        """Sum over the drawn relevant documents of each stratum: [..., M] to [...,
        S].
        """
        total = np.zeros((*value.shape[:-1], self.n.size))
        present, start = np.unique(self.own, return_index=True)
        if present.size:
            total[..., present] = np.add.reduceat(value, start, axis=-1)
        return total

    @property
    def topic_of(self) -> np.ndarray:
        """The topic of each stratum [S]."""
        return self.hits.topics.sample.topic_of

    def change(self, relevant: np.ndarray, others: np.ndarray) -> Change:
        """The change of estimates, from that without each drawn relevant document
        [runs, M] and without a nonrelevant one [runs, S].
        """
        rest = self.n - np.bincount(self.own, minlength=self.n.size)
        kept = np.flatnonzero(rest)
        value = np.concatenate([relevant, others[:, kept]], axis=1)
        return Change(
            value,
            np.concatenate([self.own, kept]),
            np.concatenate([np.ones(self.own.size), rest[kept]]),
        )

    def spread(self, change: Change) -> Spread:
        """Bias and covariance of the estimates, from their changes."""
        S, n = self.n.size, self.n
        sample = self.hits.topics.sample
        drawn = np.flatnonzero(sample.grades >= 0)
        # the finite population correction: a stratum that is drawn whole has no variance
        left = np.bincount(self.stratum[drawn], 1 - sample.probability[drawn], S) / np.maximum(n, 1)
        mean = change.by_stratum(S) / np.maximum(n, 1)
        kept = left * (1 - 1 / np.maximum(n, 1))
        bias = np.stack(
            [
                np.bincount(self.topic_of, row, len(self.hits.R))
                for row in left * (n - 1).clip(0) * mean
            ]
        )
        root = mean.take(change.stratum, axis=1)
        np.subtract(change.value, root, out=root)
        root *= np.sqrt(change.documents * kept[change.stratum])
        return Spread(bias, root)


# ---------------------------------------------------------------- sums


def sum_without(drawn: DrawnDocuments, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Change of a sum over documents without each drawn relevant one [..., M], and
    without a nonrelevant one of each stratum [..., S]; `value` [..., M] is the
    contribution of each, weighted by the number of documents it represents.
    """
    rise = (drawn.more - 1) * drawn.by_stratum(value)
    return rise[..., drawn.own] - drawn.more[drawn.own] * value, rise


def _gained(drawn: DrawnDocuments, worth: np.ndarray) -> np.ndarray:
    """Contribution of each drawn relevant document to a sum over the hits [runs, M],
    from its value [hits].
    """
    return drawn.dense(worth * stands_for(drawn.hits))


def _sum_change(drawn: DrawnDocuments, value: np.ndarray) -> Change:
    return drawn.change(*sum_without(drawn, value))


@changes("statP")
def _of_precision(drawn: DrawnDocuments, k: int) -> Change:
    return _sum_change(drawn, _gained(drawn, np.full(drawn.hits.rank.size, 1 / k)))


@changes("statDCG")
def _of_dcg(drawn: DrawnDocuments, k: int | None) -> Change:
    return _sum_change(drawn, _gained(drawn, discounted(drawn.hits)))


@changes("statRBP")
def _of_rbp(drawn: DrawnDocuments, p: float) -> Change:
    hits = drawn.hits
    return _sum_change(
        drawn,
        _gained(drawn, (1 - p) * hits.gain * hits.by_rank(lambda rank: p ** (rank - 1)) / hits.H),
    )


@changes("statR")
def _of_relevant(drawn: DrawnDocuments) -> Change:
    return _sum_change(drawn, np.tile(drawn.stands_for, (drawn.hits.runs, 1)))


# ---------------------------------------------------------------- ratios


def ratio(
    drawn: DrawnDocuments,
    above: np.ndarray,
    without: tuple[np.ndarray, np.ndarray],
    below: "Denominator",
) -> Change:
    """The change of a ratio, from its numerator [runs, T], the changes of this ([runs,
    M], [runs, S]), and its denominator.
    """
    relevant = ratio_change(
        above, without[0], below.whole, below.relevant, drawn.topic_of[drawn.own]
    )
    return drawn.change(
        relevant, ratio_change(above, without[1], below.whole, below.others, drawn.topic_of)
    )


def ratio_change(
    above: np.ndarray, change: np.ndarray, below: np.ndarray, without: np.ndarray, topic: np.ndarray
) -> np.ndarray:
    """(above + change) / without - above / below [runs, n]. `above` [runs, T] and
    `below` [T] are given per topic, `change` [runs, n], `without` and `topic` [n] per
    document. 0 if nothing relevant is left, so that there is no estimate to compare
    with.
    """
    left = without > NOTHING * below[topic]
    found = above.take(topic, axis=1)
    found += change
    found /= np.where(left, without, 1)
    found -= (above / np.where(below > 0, below, 1)).take(topic, axis=1)
    found[:, ~left] = 0
    return found


class Denominator(NamedTuple):
    """The denominator of a ratio: per topic [T], without each drawn relevant document
    [M], without a nonrelevant one per stratum [S].
    """

    whole: np.ndarray
    relevant: np.ndarray
    others: np.ndarray


def relevant_denominator(drawn: DrawnDocuments, most: float = np.inf) -> Denominator:
    """Estimated number of relevant documents, at most `most`."""

    def below() -> Denominator:
        whole, (relevant, others) = (
            estimated_relevant(drawn.hits.topics),
            sum_without(drawn, drawn.stands_for),
        )
        of_strata = whole[drawn.topic_of]
        return Denominator(
            *(
                np.minimum(part, most)
                for part in (whole, of_strata[drawn.own] + relevant, of_strata + others)
            )
        )

    return drawn.hits.topics.memoize((relevant_denominator, most), below)


def ideal_denominator(drawn: DrawnDocuments, k: int | None) -> Denominator:
    """Discounted gain of the ideal list of the estimated documents down to rank k;
    their numbers are not rounded.
    """
    topics = drawn.hits.topics
    last = k or topics.collection.policy.depth

    def below() -> Denominator:
        gain = gains_by_level(topics)
        each = np.zeros((drawn.relevant.size, gain.shape[1]))
        each[np.arange(each.shape[0]), topics.grades[drawn.relevant]] = drawn.stands_for
        numbers = levels_without(drawn, each, np.zeros(gain.shape))
        return Denominator(*(ideal_gain(number, gain[topic], last) for number, topic in numbers))

    return topics.memoize((ideal_denominator, last), below)


def levels_without(
    drawn: DrawnDocuments, each: np.ndarray, others: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Estimated numbers of documents of each grade [n, levels], and the topic of each
    row [n], in the order of `Denominator`: of each topic, without each drawn relevant
    document, without a nonrelevant one of each stratum. `each` [M, levels] is what a
    drawn document adds, `others` [T, levels] what does not depend on the draw.
    """
    number, of_topic = np.zeros((drawn.n.size, each.shape[1])), others.copy()
    np.add.at(number, drawn.own, each)
    np.add.at(of_topic, drawn.topic_of, number)
    scaled = of_topic[drawn.topic_of] + (drawn.more - 1)[:, None] * number
    yield of_topic, np.arange(len(of_topic))
    yield scaled[drawn.own] - drawn.more[drawn.own, None] * each, drawn.topic_of[drawn.own]
    yield scaled, drawn.topic_of


@changes("statNDCG")
def _of_ndcg(drawn: DrawnDocuments, k: int | None) -> Change:
    gained = _gained(drawn, discounted(drawn.hits))
    return ratio(
        drawn, stat_dcg(drawn.hits), sum_without(drawn, gained), ideal_denominator(drawn, k)
    )


@changes("statAP")
def _of_ap(drawn: DrawnDocuments) -> Change:
    total, without = pairs_without(drawn, stands_for(drawn.hits))
    return ratio(drawn, total, without, relevant_denominator(drawn))


def pairs_without(
    drawn: DrawnDocuments, weight: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """The sum of precisions of each list [runs, T] over pairs of documents, and how it
    changes without each drawn document ([runs, M], [runs, S]). `weight` [hits] is the
    number of documents that each hit represents, 0 where it is not relevant.
    """
    hits, more = drawn.hits, drawn.more
    sample, reach = hits.topics.sample, weight / hits.rank
    stratum = drawn.stratum.take(hits.judgment_index)
    # for each hit: the weights above it and the reach below it, in all strata and in its own
    above, below = (
        hits.so_far(weight) - weight,
        np.repeat(hits.sum(reach).ravel(), np.diff(hits.start)) - hits.so_far(reach),
    )
    order, lists = by_list_and_stratum(hits, stratum)
    own_above, own_below = so_far_above(hits, stratum, weight), np.empty(weight.size)
    own_below[order] = total_in(reach[order], lists) - so_far_in(hits, reach[order], lists)
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
