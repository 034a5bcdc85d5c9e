"""Scores by a cheap judge's grades of the whole pool, corrected by an expensive judge's
grades of a sample of it.

A score is a sum over documents by the cheap judge's grades. For each drawn document the
difference of the two judges is added, times the number of documents that it represents:
the difference estimator (Cochran 1977, 7.9; Sarndal, Swensson & Wretman 1992, 6.3; with
a model as the cheap judge, Angelopoulos et al. 2023). It is unbiased for any cheap
judge. Its variance is that of the difference.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.metrics.base import Measure
from irmeval.metrics.cumulated import discount
from irmeval.metrics.hits import Hits, Ideal
from irmeval.metrics.sampled import LOG2, gains_by_level, ideal_gain
from irmeval.metrics.sampling_variance import (
    Denominator,
    DrawnDocuments,
    Spread,
    levels_without,
    pairs_without,
    ratio,
    sum_without,
)
from irmeval.metrics.strata import so_far_above, stands_for
from irmeval.reading.gain_maps import gain_table

Weight = Callable[[Hits, Mapping[str, Any], float], np.ndarray]
WEIGHTS: dict[str, Weight] = {
    "P": lambda hits, given, H: np.full(hits.rank.size, 1 / given["k"]),
    "statDCG": lambda hits, given, H: hits.by_rank(LOG2),
    "RBP": (
        lambda hits, given, H: (
            (1 - given["p"]) * hits.by_rank(lambda rank: given["p"] ** (rank - 1)) / H
        )
    ),
    "nDCG": lambda hits, given, H: hits.by_rank(discount(given["base"])),
}
"""Contribution of a relevant document, or of a gain of 1, at the rank of each hit, by
metric; H is the highest gain.
"""
BINARY = {"P", "AP"}
"""Metrics of binary relevance."""
CORRECTED = (*WEIGHTS, "AP")
"""Metrics that can be corrected."""
MOST_DEVIATION = 0.5
"""The largest standard deviation of a value between 0 and 1 (Popoviciu 1935)."""


@dataclass(frozen=True, eq=False)
class Corrected:
    """Difference estimates of a measure. All hits are cut as it needs them."""

    measure: Measure
    """of a metric in `CORRECTED`"""
    cheap: Hits
    """the hits under the cheap judge's grades of the whole pool"""
    drawn: DrawnDocuments
    """the drawn documents; its hits are those that either judge finds relevant"""
    expensive: Ideal
    """the topics under the expensive judge's grades"""

    @cached_property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """The value of each document by the cheap judge and by the expensive one,
        float64 [J] each: its gain, or 1 if it is relevant.
        """
        topics = self.cheap.topics, self.expensive
        if self.measure.metric.name not in BINARY:
            return topics[0].of_judgment, topics[1].of_judgment
        cheap, expensive = (
            (of.grades >= self.measure.params["rel"]).astype(float) for of in topics
        )
        return cheap, expensive

    def score(self) -> tuple[np.ndarray, Spread]:
        """Estimates [runs, T], NaN without anything relevant, with their bias and
        covariance over other draws.
        """
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
        hits, weight, given = (
            self.drawn.hits,
            WEIGHTS[self.measure.metric.name],
            (self.measure.params, self.expensive.H),
        )
        cheap, expensive = self.values
        value = (
            weight(hits, *given) * (expensive - cheap).take(hits.judgment_index) * stands_for(hits)
        )
        whole = self.cheap.sum(weight(self.cheap, *given) * cheap.take(self.cheap.judgment_index))
        return whole + hits.sum(value), sum_without(self.drawn, self.drawn.dense(value))

    def _precisions(self) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """The sum of precisions at the relevant documents, and how it changes without
        each drawn one.
        """
        hits = self.drawn.hits
        total = self.cheap.sum(self.cheap.count / self.cheap.rank)
        parts = []
        for value, sign in zip(self.values, (-1, 1), strict=True):
            weight = value.take(hits.judgment_index) * stands_for(hits)
            total = total + sign * _pairs(hits, weight)
            relevant, others = pairs_without(self.drawn, weight)[1]
            parts.append((sign * relevant, sign * others))
        (relevant, others), (by_expensive, others_by_expensive) = parts
        return total, (relevant + by_expensive, others + others_by_expensive)

    def _share(
        self, above: np.ndarray, without: tuple[np.ndarray, np.ndarray], below: Denominator
    ) -> tuple[np.ndarray, Spread]:
        """A ratio within 0 to 1, and its covariance, with a standard deviation of at
        most one half. The bias, which is poorly estimated, counts as 0.
        """
        change = ratio(self.drawn, above, without, below)
        score = np.divide(
            above, below.whole, out=np.full(above.shape, np.nan), where=below.whole > 0
        ).clip(0, 1)
        root, topic = self.drawn.spread(change).root, self.drawn.topic_of[change.stratum]
        variance = np.stack([np.bincount(topic, row, score.shape[1]) for row in root**2])
        share = np.minimum(
            1, MOST_DEVIATION / np.sqrt(variance, out=np.ones(score.shape), where=variance > 0)
        )
        return score, Spread(np.zeros(score.shape), root * share[:, topic])

    def _relevant(self) -> Denominator:
        """Number of relevant documents: at least as many as were drawn."""
        rel = self.measure.params["rel"]
        return self._below(
            lambda number, known, _: np.maximum(
                number[:, rel:].sum(axis=1), known[:, rel:].sum(axis=1)
            )
        )

    def _ideal(self) -> Denominator:
        """Discounted gain of the ideal list of the estimated documents of each grade,
        not rounded, and at least as many as were drawn.
        """
        given, gain = self.measure.params, usual_gains(self.expensive, self.measure.params["rel"])
        last, weight = given["k"] or self.expensive.collection.policy.depth, discount(given["base"])
        return self._below(
            lambda number, known, topic: ideal_gain(
                np.maximum(number, known), gain[topic], last, weight
            )
        )

    def _below(self, of: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]) -> Denominator:
        """A function of the estimated numbers of documents of each grade, of how many
        are known (both [n, levels]) and of the topic [n]: for each topic, without each
        drawn document, without a document of each stratum on which the judges agree.
        """
        drawn, expensive, cheap = (
            self.drawn,
            self.expensive.grades,
            np.maximum(self.cheap.topics.grades, 0),
        )
        topic, T, levels = (
            self.expensive.collection.topic,
            len(self.expensive.R),
            self.expensive.collection.top_grade + 1,
        )

        def count(topic: np.ndarray, level: np.ndarray) -> np.ndarray:
            return (
                np.bincount(topic * levels + level, minlength=T * levels)
                .reshape(T, levels)
                .astype(float)
            )

        judged, at = np.flatnonzero(expensive >= 0), np.arange(drawn.own.size)
        each = np.zeros((drawn.own.size, levels))
        each[at, expensive[drawn.relevant]] += drawn.stands_for
        each[at, cheap[drawn.relevant]] -= drawn.stands_for
        known = count(topic[judged], expensive[judged])
        without_each = known[drawn.topic_of[drawn.own]]
        without_each[at, expensive[drawn.relevant]] -= 1
        numbers = levels_without(drawn, each, count(topic, cheap))
        certain = known, without_each, known[drawn.topic_of]
        return Denominator(
            *(
                of(number, known, topic)
                for (number, topic), known in zip(numbers, certain, strict=True)
            )
        )


def usual_gains(topics: Ideal, rel: int) -> np.ndarray:
    """Gain of each grade on each topic [T, levels], by the policy where no document of
    the topic has the grade.
    """
    collection = topics.collection
    return gains_by_level(
        topics, gain_table(collection.top_grade, rel, collection.policy.gains or None)
    )


def _pairs(hits: Hits, weight: np.ndarray) -> np.ndarray:
    """The sum of precisions over pairs of drawn documents, as in statAP [runs, T]; each
    hit represents `weight` documents [hits].
    """
    sample = hits.topics.sample
    pairs = weight * (hits.so_far(weight) - weight)
    if sample.design.alike:
        stratum = sample.design.stratum.take(hits.judgment_index)
        once = sample.expansion.take(hits.judgment_index)
        joint = np.divide(
            sample.repeat_expansion.take(stratum), once**2, out=np.ones(once.size), where=once > 0
        )
        pairs += weight * so_far_above(hits, stratum, weight) * (joint - 1)
    return hits.sum((weight + pairs) / hits.rank)
