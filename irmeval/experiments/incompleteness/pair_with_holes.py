"""The difference of two runs if the holes of both were judged."""

from typing import NamedTuple

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.metrics import Measure
from irmeval.scoring.with_holes import Drawing, GradeSource, draw_pair
from irmeval.stats.intervals import LEVEL

LABELS = (
    "measure",
    "run a",
    "run b",
    "difference",
    "with holes judged",
    "low",
    "high",
    "draws with its sign",
)
"""Columns of a table of differences."""


class PairWithHoles(NamedTuple):
    """The difference of two runs, the first minus the second, if the holes of both were
    judged.
    """

    measure: str
    run_a: str
    run_b: str
    difference: float
    """on the judgments"""
    holes_mean: float
    holes_low: float
    holes_high: float
    sign: float
    """share of the draws in which it has the sign of its mean"""

    @property
    def name(self) -> str:
        """Text of the difference."""
        return f"{self.run_a} minus {self.run_b}"

    @property
    def claim(self) -> str:
        """How often the difference keeps its sign, in a sentence."""
        judged = "With unjudged documents judged,"
        better, worse = self.run_a, self.run_b
        if not self.holes_mean:
            return f"{judged} {better} and {worse} score the same by {self.measure}."
        if self.holes_mean < 0:
            better, worse = worse, better
        often = f"in {per_cent(self.sign)} of the draws"
        return f"{judged} {better} beats {worse} by {self.measure} {often}."

    def describe(self) -> str:
        """The difference, and whether its sign is safe, in a sentence."""
        safe = "is safe" if self.holes_low > 0 or self.holes_high < 0 else "is not safe"
        return (
            f"{self.name} would be {self.holes_mean:+.4f} by {self.measure} ({LEVEL:.0%} interval"
            f" {self.holes_low:+.4f} to {self.holes_high:+.4f}): its sign {safe}."
        )


def difference_of_pair(
    source: GradeSource,
    measure: Measure,
    values: np.ndarray,
    how: Drawing,
    pair: tuple[int, int],
) -> PairWithHoles:
    """The difference of two runs by one measure.

    Parameters
    ----------
    values : float64 [run, topic], scores of all runs on the judgments
    """
    means = draw_pair(source, measure, values, how, pair)
    drawn = means[:, 0] - means[:, 1]
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    a, b = pair
    return PairWithHoles(
        str(measure),
        source.pool.collection.runs[a],
        source.pool.collection.runs[b],
        difference=float(np.nanmean(values[a] - values[b])),
        holes_mean=float(drawn.mean()),
        holes_low=float(low),
        holes_high=float(high),
        sign=float((np.sign(drawn) == np.sign(drawn.mean())).mean()),
    )
