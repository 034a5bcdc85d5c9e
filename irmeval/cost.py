"""What a computation takes, said before it begins: how often its inner loops run, how long that takes about, how much memory it holds."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from irmeval import limits

if TYPE_CHECKING:
    from irmeval.collection import Collection

SCORED, TESTED, SWAPPED, TIED, GRADED, UNJUDGED = (
    "judged documents to score",
    "samples of pairs of runs to test",
    "topic sets to compare pairs of runs on",
    "topic sets to count ties of pairs of runs on",
    "pairs of grades to count over resampled topics",
    "unjudged documents near the top of lists to order",
)
SECONDS = {SCORED: 5e-9, TESTED: 5e-9, SWAPPED: 3e-9, TIED: 0.7e-9, GRADED: 500e-9, UNJUDGED: 5e-6}
"""What one of each takes; measured by ``benchmarks/costs.py`` on two processors of 2023, 126 runs, 50 topics."""
LONG = 20.0
"""Seconds from which on it is said, and asked, before it is begun."""


@dataclass(frozen=True)
class Cost:
    """What a computation takes.

    Attributes
    ----------
    steps : how many of which kind
    held : bytes at most at a time, but for what every computation has
    """

    steps: Mapping[str, float] = field(default_factory=dict)
    held: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """Of the one after the other, whose results are both kept."""
        return Cost(Counter(self.steps) + Counter(other.steps), self.held + other.held)

    def __mul__(self, times: float) -> "Cost":
        """Of so many like it, of which one is held at a time."""
        return Cost({kind: steps * times for kind, steps in self.steps.items()}, self.held)

    @property
    def seconds(self) -> float:
        """About how long it takes on a machine that has nothing else to do."""
        return sum(steps * SECONDS[kind] for kind, steps in self.steps.items())

    def said(self) -> str:
        """What there is to do, in words."""
        parts = [f"{amount(steps)} {kind}" for kind, steps in self.steps.items() if steps]
        return ", ".join([*parts, f"{self.held / 1e9:,.1f} GB held"] if self.held >= 1e8 else parts)

    def refuse(self, what: str) -> None:
        """Raise `ParamError` where it would hold more memory than is allowed."""
        limits.refuse_over(self.held, f"{what} ({self.said()})", "Choose fewer runs, measures, rates, trials or samples")


def amount(number: float) -> str:
    """A number, to two digits and in words where it is large."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:,.2g} {word}" if number < 100 * size else f"{number / size:,.0f} {word}"
    return f"{number:,.0f}"


def about(seconds: float) -> str:
    """So long, in words."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:,.0f} h"


def scoring(collection: "Collection", measures: int) -> Cost:
    """Of all runs scored by so many measures once, on all judgments."""
    return Cost({SCORED: float(collection.start[-1] * measures)}, 8.0 * measures * collection.length.size)


def pairs(runs: int) -> int:
    """Pairs of so many runs, or of anything else."""
    return runs * (runs - 1) // 2


HELD = 4
"""Numbers that a test holds at a time per pair of runs and topic."""


def testing(test: str, runs: int, topics: int, samples: int) -> Cost:
    """Of one score matrix whose pairs of runs are all tested."""
    count = pairs(runs)
    of_test = {"bootstrap": count * samples, "randomization": count * samples, "tukey": samples * runs * topics}
    exact = 2**topics if test == "wilcoxon" and topics <= 13 else 0
    return Cost({TESTED: float(of_test.get(test, count * (10 * topics + exact)))}, 8.0 * HELD * count * topics)


def comparing(kind: str, runs: int, topics: int, sets: int) -> Cost:
    """Of one score matrix whose pairs of runs are compared on random sets of topics."""
    return Cost({kind: float(pairs(runs) * sets)}, 8.0 * sets * (2 * runs + 3 * topics))


def grading(judges: int, grades: int, samples: int) -> Cost:
    """Of every two judges, whose grades are compared over resampled topics."""
    cells = float(samples) * grades * grades
    return Cost({GRADED: cells * pairs(judges)}, 8.0 * HELD * cells)


def kept(*shape: int) -> Cost:
    """Of results that are kept: numbers in an array of that shape."""
    return Cost(held=8.0 * float(np.prod(shape, dtype=float)))
