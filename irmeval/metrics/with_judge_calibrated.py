"""Expected scores from a cheap judge's grades, calibrated on a sample that an expensive
judge graded too.

The grade of a document that the expensive judge has not graded is random. Its
distribution is that of the expensive judge's grades among the drawn documents of the
same stratum with the same cheap grade (Aslam & Yilmaz 2007; Carterette 2007). Each
drawn document counts for all that it represents, and half a document is added to each
grade. The expensive judge's grades are certain, and documents are independent.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from irmeval.metrics.base import Measure
from irmeval.metrics.cumulated import discount
from irmeval.metrics.hits import Hits, Ideal
from irmeval.metrics.sampled import ideal_gain
from irmeval.metrics.with_cheap_judge import BINARY, WEIGHTS, usual_gains

SMOOTHING = 0.5
"""Documents added to each grade of a cell."""


@dataclass(frozen=True, eq=False)
class Calibrated:
    """The expected scores of a measure, with their covariance."""

    measure: Measure
    """of a metric in `irmeval.metrics.with_cheap_judge.CORRECTED`"""
    pooled: Hits
    """all documents of the pool that the lists hold, cut as the measure needs them"""
    expensive: Ideal
    """the topics under the expensive judge's grades"""
    cheap: np.ndarray
    """int [J], the cheap judge's grades"""

    @cached_property
    def gain(self) -> np.ndarray:
        """The gain of each level on each topic [T, G]; a binary measure has two
        levels.
        """
        if self.measure.metric.name in BINARY:
            return np.tile([0.0, 1.0], (len(self.expensive.R), 1))
        return usual_gains(self.expensive, self.measure.params["rel"])

    @cached_property
    def level(self) -> np.ndarray:
        """The level of each document that the expensive judge has graded, else -1
        [J].
        """
        grades = self.expensive.grades
        if self.measure.metric.name in BINARY:
            return np.where(grades >= 0, grades >= self.measure.params["rel"], -1)
        return np.maximum(grades, -1)

    @cached_property
    def cell(self) -> np.ndarray:
        """The cell of each document, from 0 [J]: its grade by the cheap judge with the
        name of its stratum.
        """
        design = self.expensive.sample.design
        code = np.unique(design.names, return_inverse=True)[1][design.stratum]
        return np.unique(
            np.maximum(self.cheap, -1).astype(np.int64) * (code.max(initial=0) + 1) + code,
            return_inverse=True,
        )[1]

    @cached_property
    def counted(self) -> np.ndarray:
        """Number of documents that the drawn ones of each cell and level represent,
        plus `SMOOTHING` [cells, G].
        """
        levels, drawn = self.gain.shape[1], np.flatnonzero(self.level >= 0)
        cells = int(self.cell.max(initial=-1)) + 1
        at = self.cell[drawn] * levels + self.level[drawn]
        return (
            np.bincount(at, self.expensive.sample.expansion[drawn], cells * levels).reshape(
                cells, levels
            )
            + SMOOTHING
        )

    @cached_property
    def chance(self) -> np.ndarray:
        """Probability of each level in each cell [cells, G]."""
        return self.counted / self.counted.sum(axis=1, keepdims=True)

    @cached_property
    def open(self) -> np.ndarray:
        """The documents that the expensive judge has not graded."""
        return np.flatnonzero(self.level < 0)

    @cached_property
    def expected(self) -> np.ndarray:
        """Expected gain, or probability of relevance, of each document [J]."""
        topic = self.expensive.collection.topic
        # a level of -1 takes the last gain here; these are the documents that the next line sets
        gain = self.gain[topic, self.level]
        gain[self.open] = (self.chance[self.cell[self.open]] * self.gain[topic[self.open]]).sum(
            axis=1
        )
        return gain

    @cached_property
    def left(self) -> np.ndarray:
        """Documents of each topic and cell that the expensive judge has not graded [T,
        cells].
        """
        T, cells = len(self.expensive.R), len(self.chance)
        at = self.expensive.collection.topic[self.open] * cells + self.cell[self.open]
        return np.bincount(at, minlength=T * cells).reshape(T, cells).astype(float)

    def below(self) -> tuple[np.ndarray, np.ndarray]:
        """The denominator [T], and how much it rises with the number of documents of
        each level [T, G]; 1 and 0 where there is none.
        """
        gain, name = self.gain, self.measure.metric.name
        T, levels = gain.shape
        known = np.flatnonzero(self.level >= 0)
        number = np.bincount(
            self.expensive.collection.topic[known] * levels + self.level[known],
            minlength=T * levels,
        ).reshape(T, levels)
        number = number + self.left @ self.chance
        if name == "AP":
            return number[:, 1], gain
        if name != "nDCG":
            return np.ones(T), np.zeros_like(gain)
        weight, last = (
            discount(self.measure.params["base"]),
            self.measure.params["k"] or self.expensive.collection.policy.depth,
        )
        best = np.argsort(-gain, axis=1, kind="stable")
        of_best, numbers = (np.take_along_axis(part, best, 1) for part in (gain, number))
        end = np.cumsum(numbers, axis=1)
        slope = np.where(end < last, weight(np.floor(end) + 1), 0.0)
        steps = slope * (of_best - np.append(of_best[:, 1:], np.zeros((T, 1)), axis=1))
        rise = np.zeros_like(gain)
        np.put_along_axis(rise, best, np.cumsum(steps[:, ::-1], axis=1)[:, ::-1], 1)
        return ideal_gain(number, gain, last, weight), rise

    def score(self) -> tuple[np.ndarray, np.ndarray]:
        """Expected scores [runs, T], and the covariance of runs, summed over topics
        [runs, runs].

        To the first order. What varies is the grades that the expensive judge would
        give to the other documents, and the sample that the probabilities come from;
        the topics are fixed.
        """
        hits, (below, rise) = self.pooled, self.below()
        own = self.expected.take(hits.judgment_index)
        if self.measure.metric.name == "AP":
            above, reach = hits.so_far(own) - own, own / hits.rank
            total = hits.sum(reach * (1 + above))
            slope = (
                (1 + above) / hits.rank
                + np.repeat(hits.sum(reach).ravel(), np.diff(hits.start))
                - hits.so_far(reach)
            )
        else:
            slope = WEIGHTS[self.measure.metric.name](hits, self.measure.params, self.expensive.H)
            total = hits.sum(own * slope)
        with np.errstate(divide="ignore", invalid="ignore"):
            score = total / below
        slope = np.divide(
            slope, hits.of_topic(below), out=np.zeros(slope.size), where=hits.of_topic(below) > 0
        )
        fall = -np.divide(score, below, out=np.zeros(score.shape), where=below > 0)
        return score, self._covariance(slope, fall, rise)

    def _covariance(self, slope: np.ndarray, fall: np.ndarray, rise: np.ndarray) -> np.ndarray:
        """The covariance of runs, from how much a score rises with the gain of each
        hit, and with its denominator [runs, T].
        """
        hits, topic = self.pooled, self.expensive.collection.topic
        T, runs, cells, levels = len(self.expensive.R), hits.runs, *self.chance.shape
        found = np.zeros((runs, runs))
        # how much the sum over topics rises with each probability
        by_chance = np.zeros((runs, cells, levels))
        left = np.flatnonzero(self.level.take(hits.judgment_index) < 0)
        run, of = np.divmod(np.repeat(np.arange(runs * T), np.diff(hits.start))[left], T)
        order = np.argsort(of, kind="stable")
        bounds = np.searchsorted(of[order], np.arange(T + 1))
        first = np.searchsorted(topic, np.arange(T + 1))
        for t, (start, end) in enumerate(pairwise(bounds)):
            own = order[start:end]
            judgment_index, at = hits.judgment_index[left[own]], run[own]
            gain, line = self.gain[t], rise[t]
            mean, mean_line = self.chance @ gain, self.chance @ line
            of_gain, of_both, of_line = (
                self.chance @ product - a * b
                for product, a, b in (
                    (gain**2, mean, mean),
                    (gain * line, mean, mean_line),
                    (line**2, mean_line, mean_line),
                )
            )
            sd = np.sqrt(of_gain.clip(0))
            shared = np.divide(of_both, sd, out=np.zeros(cells), where=sd > 0)
            # first the gain of each document, with the part of the denominator that varies with it;
            # then the rest of the denominator
            dense = np.zeros((runs, first[t + 1] - first[t]))
            dense[at, judgment_index - first[t]] = slope[left[own]] * sd[self.cell[judgment_index]]
            members = np.arange(first[t], first[t + 1])
            dense += fall[:, [t]] * np.where(
                self.level[members] < 0, shared[self.cell[members]], 0.0
            )
            rest = (self.left[t] * (of_line - shared**2).clip(0)).sum()
            found += dense @ dense.T + rest * np.outer(fall[:, t], fall[:, t])
            in_cell = np.bincount(
                at * cells + self.cell[judgment_index], slope[left[own]], runs * cells
            ).reshape(runs, cells)
            by_chance += (
                in_cell[:, :, None] * gain + (fall[:, [t]] * self.left[t])[:, :, None] * line
            )
        return found + self._of_chances(by_chance)

    def _of_chances(self, by_chance: np.ndarray) -> np.ndarray:
        """Covariance due to the sample from which the probabilities are estimated
        [runs, runs].
        """
        drawn, total = np.flatnonzero(self.level >= 0), self.counted.sum(axis=1)
        cell, weight = self.cell[drawn], self.expensive.sample.expansion[drawn]
        found = np.zeros((len(by_chance),) * 2)
        for c in range(len(total)):
            own = cell == c
            change = (np.eye(self.chance.shape[1])[self.level[drawn[own]]] - self.chance[c]) * (
                weight[own] / total[c]
            )[:, None]
            moved = by_chance[:, c] @ (change.T @ change)
            found += moved @ by_chance[:, c].T
        return found
