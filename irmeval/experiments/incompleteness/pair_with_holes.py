"""The difference of two runs if the holes of both were judged."""

from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.incompleteness.filled_holes import Source
from irmeval.experiments.work import Work
from irmeval.scoring.with_holes import LEVEL, Drawing, draw_pair

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


class Difference(NamedTuple):
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

    def describe(self) -> str:
        """The difference, and whether its sign is safe, in a sentence."""
        safe = "is safe" if self.holes_low > 0 or self.holes_high < 0 else "is not safe"
        return (
            f"{self.run_a} minus {self.run_b} would be {self.holes_mean:+.4f} by {self.measure}"
            f" ({LEVEL:.0%} interval {self.holes_low:+.4f} to {self.holes_high:+.4f}): its sign"
            f" {safe}."
        )


def difference_of_pair(
    work: Work[Any], source: Source, how: Drawing, m: int, values: np.ndarray, pair: tuple[int, int]
) -> Difference:
    """The difference of two runs by one measure."""
    measure, (a, b) = work.measures[m], pair
    named = [work.collection.runs[run] for run in pair]
    means = draw_pair(
        work.collection,
        measure,
        values,
        source.pool,
        source.learnt[how.reach(measure, source.pool)],
        how,
        (a, b),
    )
    drawn = means[:, 0] - means[:, 1]
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    same = float((np.sign(drawn) == np.sign(drawn.mean())).mean())
    raw = float(np.nanmean(values[a] - values[b]))
    return Difference(
        str(measure), named[0], named[1], raw, float(drawn.mean()), float(low), float(high), same
    )
