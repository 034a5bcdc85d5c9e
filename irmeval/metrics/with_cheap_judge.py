"""Scores by a cheap judge's grades of the whole pool, corrected by what a dear judge says of a sample of it.

To a sum over documents as the cheap judge has it is added what a drawn document has more by the dear judge, times the documents that it
stands for: the difference estimator (Cochran 1977, 7.9; Sarndal, Swensson & Wretman 1992, 6.3; with a model as the cheap judge,
Angelopoulos et al. 2023). It is unbiased whatever the cheap judge says, and its variance is that of the difference of the two.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.metrics.base import Measure
from irmeval.metrics.cumulated import discount
from irmeval.metrics.hits import Hits, Ideal
from irmeval.metrics.sampled import LOG2
from irmeval.metrics.strata import stands_for
from irmeval.metrics.variance import Below, Drawn, Spread, ideal_gain, pairs_without, ratio, so_far_above, sum_without
from irmeval.reading.gain_maps import gain_table

Weight = Callable[[Hits, Mapping[str, Any], float], np.ndarray]
WEIGHTS: dict[str, Weight] = {
    "P": lambda hits, given, H: np.full(hits.rank.size, 1 / given["k"]),
    "statDCG": lambda hits, given, H: hits.by_rank(LOG2),
    "RBP": lambda hits, given, H: (1 - given["p"]) * hits.by_rank(lambda rank: given["p"] ** (rank - 1)) / H,
    "nDCG": lambda hits, given, H: hits.by_rank(discount(given["base"])),
}
"""By metric, what a relevant document, or a gain of 1, is worth at each hit; H is the highest gain."""
BINARY, CORRECTED = {"P", "AP"}, (*WEIGHTS, "AP")
"""Those of relevance, whatever the grade; all that can be corrected."""
MOST_DEVIATION = 0.5
"""The largest standard deviation of what lies between 0 and 1 (Popoviciu 1935)."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """A measure as two judges have it; all hits are cut as it needs them.

    Attributes
    ----------
    measure : Measure
        One of `CORRECTED`.
    cheap : Hits
        Under the cheap judge's grades of the whole pool.
    drawn : Drawn
        The drawn documents. Its hits are those that either judge finds relevant, under any grade.
    dear : Ideal
        The topics under the grades that the dear judge gave.
    """

    measure: Measure
    cheap: Hits
    drawn: Drawn
    dear: Ideal

    @cached_property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """What each document is by the cheap judge and by the dear one: its gain, or 1 if it is relevant. float64 [J] each."""
        topics = self.cheap.topics, self.dear
        if self.measure.metric.name not in BINARY:
            return topics[0].of_judgment, topics[1].of_judgment
        cheap, dear = ((of.grades >= self.measure.params["rel"]).astype(float) for of in topics)
        return cheap, dear

    @cached_property
    def more(self) -> np.ndarray:
        """What each document is more by the dear judge than by the cheap one; of use where it is drawn [J]."""
        cheap, dear = self.values
        return dear - cheap

    def score(self) -> tuple[np.ndarray, Spread]:
        """The estimates [runs, T], NaN where no document is relevant by them, and what the draw does to them."""
        name = self.measure.metric.name
        if name == "AP":
            above, without = self._precisions()
            return self._share(above, without, self._relevant())
        above, without = self._sum()
        if name == "nDCG":
            return self._share(above, without, self._ideal())
        return above, self.drawn.spread(self.drawn.change(*without))

    def _sum(self) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """A sum over documents, and how it changes without each drawn one."""
        hits, weight, given = self.drawn.hits, WEIGHTS[self.measure.metric.name], (self.measure.params, self.dear.H)
        value = weight(hits, *given) * self.more.take(hits.slot) * stands_for(hits)
        whole = self.cheap.sum(weight(self.cheap, *given) * self.values[0].take(self.cheap.slot))
        return whole + hits.sum(value), sum_without(self.drawn, self.drawn.dense(value))

    def _precisions(self) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """The sum of precisions at the relevant documents, and how it changes without each drawn one."""
        hits = self.drawn.hits
        total = self.cheap.sum(self.cheap.count / self.cheap.rank)
        parts = []
        for value, sign in zip(self.values, (-1, 1), strict=True):
            weight = value.take(hits.slot) * stands_for(hits)
            total = total + sign * _pairs(hits, weight)
            relevant, others = pairs_without(self.drawn, weight)[1]
            parts.append((sign * relevant, sign * others))
        (relevant, others), (by_dear, others_by_dear) = parts
        return total, (relevant + by_dear, others + others_by_dear)

    def _share(self, above: np.ndarray, without: tuple[np.ndarray, np.ndarray], below: Below) -> tuple[np.ndarray, Spread]:
        """A ratio and what the draw does to it, within what is possible: from 0 to 1, with a standard deviation of at most one half. The
        jackknife's bias is left out, which few relevant documents make larger than what it would mend."""
        change = ratio(self.drawn, above, without, below)
        score = np.divide(above, below.whole, out=np.full(above.shape, np.nan), where=below.whole > 0).clip(0, 1)
        root, topic = self.drawn.spread(change).root, self.drawn.topic_of[change.stratum]
        variance = np.stack([np.bincount(topic, row, score.shape[1]) for row in root**2])
        share = np.minimum(1, MOST_DEVIATION / np.sqrt(variance, out=np.ones(score.shape), where=variance > 0))
        return score, Spread(np.zeros(score.shape), root * share[:, topic])

    def _relevant(self) -> Below:
        """The number of relevant documents: at least as many as were drawn."""
        rel = self.measure.params["rel"]
        return self._below(lambda number, known, _: np.maximum(number[:, rel:].sum(axis=1), known[:, rel:].sum(axis=1)))

    def _ideal(self) -> Below:
        """Discounted gain of the ideal list of the estimated documents of each level, at least as many as were drawn; a part of a document
        counts as a part."""
        given, collection, gain = self.measure.params, self.cheap.topics.collection, gains_by_level(self.dear, self.measure.params["rel"])
        best = np.argsort(-gain, axis=1, kind="stable")

        def of(number: np.ndarray, known: np.ndarray, topic: np.ndarray) -> np.ndarray:
            sorted_number, sorted_gain = (np.take_along_axis(part, best[topic], 1) for part in (np.maximum(number, known), gain[topic]))
            return ideal_gain(sorted_number, sorted_gain, given["k"] or collection.policy.depth, discount(given["base"]))

        return self._below(of)

    def _below(self, of: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> Below:
        """A function of the estimated numbers of documents by level, the drawn ones among them (both [n, levels]) and the topic [n]: of
        each topic, without each drawn document, without a document of each stratum on which the judges agree."""
        drawn, cheap, own = self.drawn, np.maximum(self.cheap.topics.grades, 0), self.drawn.own
        topic, levels = self.cheap.topics.collection.topic, self.cheap.topics.collection.top_grade + 1
        T, S, M, at = len(self.cheap.R), drawn.n.size, own.size, np.arange(own.size)

        def count(place: np.ndarray, level: np.ndarray, size: int) -> np.ndarray:
            return np.bincount(place * levels + level, minlength=size * levels).reshape(size, levels).astype(float)

        judged = np.flatnonzero(self.dear.grades >= 0)
        known = count(topic[judged], self.dear.grades[judged], T)
        each = np.zeros((M, levels))
        each[at, self.dear.grades[drawn.relevant]] += drawn.stands_for
        each[at, cheap[drawn.relevant]] -= drawn.stands_for
        of_stratum, of_topic = np.zeros((S, levels)), count(topic, cheap, T)
        np.add.at(of_stratum, own, each)
        np.add.at(of_topic, drawn.topic_of, of_stratum)
        scaled = of_topic[drawn.topic_of] + (drawn.more - 1)[:, None] * of_stratum
        less = scaled[own] - drawn.more[own, None] * each
        fewer = known[drawn.topic_of[own]]
        fewer[at, self.dear.grades[drawn.relevant]] -= 1
        return Below(
            of(of_topic, known, np.arange(T)), of(less, fewer, drawn.topic_of[own]), of(scaled, known[drawn.topic_of], drawn.topic_of)
        )


def gains_by_level(topics: Ideal, rel: int) -> np.ndarray:
    """Gain of each grade on each topic [T, levels]."""
    collection, of = topics.collection, topics.relevant
    table = gain_table(collection.top_grade, rel, collection.policy.gains or None)
    gain = np.tile(table, (len(collection.topics), 1))
    gain[collection.topic[of], topics.grades[of]] = topics.of_judgment[of]
    return gain


def _pairs(hits: Hits, weight: np.ndarray) -> np.ndarray:
    """The sum of precisions over pairs of drawn documents, from how many documents each hit stands for, as statAP has it [runs, T]."""
    sample = hits.topics.sample
    pairs = weight * (hits.so_far(weight) - weight)
    if sample.design.alike:
        stratum = sample.design.stratum.take(hits.slot)
        once = sample.expansion.take(hits.slot)
        joint = np.divide(sample.repeat_expansion.take(stratum), once**2, out=np.ones(once.size), where=once > 0)
        pairs += weight * so_far_above(hits, stratum, weight) * (joint - 1)
    return hits.sum((weight + pairs) / hits.rank)


def corrected(measure: Measure, cheap: Hits, drawn: Hits, dear: Ideal) -> tuple[np.ndarray, Spread]:
    """Difference estimates of a measure [runs, T], NaN where it estimates nothing relevant, and what the draw does to them.

    Parameters
    ----------
    measure : one of `CORRECTED`
    cheap : the hits under the cheap judge's grades of the pool, cut as the measure needs them
    drawn : those among the drawn documents that either judge finds relevant, whatever the grade, cut alike
    dear : the topics under the grades that the dear judge gave to the drawn documents
    """
    return Corrected(measure, cheap, Drawn(drawn), dear).score()
