"""Estimates of what a computation costs before it begins: runs of its inner loops, time, memory."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from irmeval.collection.joining import NEAR
from irmeval.collection.shards import Sharded
from irmeval.core import limits, parallel
from irmeval.stats import blocks as stats
from irmeval.stats import stability
from irmeval.stats.significance import TESTS

if TYPE_CHECKING:
    from irmeval.collection import Collection

SECONDS = {
    (SCORED := "judged documents to score"): 5e-9,
    (DRAWN := "topics to draw for samples"): 10e-9,
    (ORDERED := "topics to put in random orders"): 50e-9,
    (TESTED := "samples of pairs of runs to test"): 1.8e-9,
    (ADDED := "differences to add up in samples of more than 50 topics"): 0.1e-9,
    (SWAPPED := "topic sets to compare pairs of runs on"): 1.2e-9,
    (TIED := "topic sets to count ties of pairs of runs on"): 0.7e-9,
    (GRADED := "pairs of grades to count over resampled topics"): 500e-9,
    (UNJUDGED := "unjudged documents near the top of lists to order"): 2e-6,
    (JUDGED := "documents to judge one after the other"): 13e-6,
}
"""Kind of step -> seconds of one; measured by ``benchmarks/costs.py`` on two processors of 2023, 126 runs, 50 topics."""
USUAL = 50
"""Topics whose cost `TESTED` includes; further topics count as `ADDED`."""
LONG = 20.0
"""Seconds from which on a user is asked before a computation begins."""
LARGE = 0.5
"""Share of the allowed memory from which on a user is asked."""


@dataclass(frozen=True)
class Cost:
    """The cost of a computation."""

    steps: Mapping[str, float] = field(default_factory=dict)
    """kind of step -> how many"""
    held: float = 0.0
    """bytes of what is kept until the end"""
    room: float = 0.0
    """most bytes at any time beside that, without what every computation takes"""
    own: float = 0.0
    """bytes of each worker"""
    blocks: float = 1.0
    """number of blocks, which limits the number of workers"""

    def __add__(self, other: "Cost") -> "Cost":
        """Cost of one computation after the other, where both results are kept."""
        most = (max(getattr(self, name), getattr(other, name)) for name in ("room", "own", "blocks"))
        return Cost(Counter(self.steps) + Counter(other.steps), self.held + other.held, *most)

    def __mul__(self, times: float) -> "Cost":
        """Cost of several such computations, of which one result is held at a time."""
        return replace(self, steps={kind: steps * times for kind, steps in self.steps.items()}) if times else Cost()

    def side_by_side(self, parts: int) -> "Cost":
        """Cost where each worker does one of so many parts at a time; one part alone is cut into its blocks."""
        at_once = min(parallel.count_processors(), parts)
        return replace(self, room=at_once * (self.room + self.own), own=0.0) if at_once > 1 else self

    @property
    def memory(self) -> float:
        """Most bytes at any time, without what every computation takes."""
        return self.held + self.room + self.own * min(parallel.count_processors(), self.blocks)

    @property
    def large(self) -> bool:
        """Whether a user is asked before it begins."""
        return self.seconds > LONG or self.takes_memory

    @property
    def takes_memory(self) -> bool:
        """Whether a user is asked for its memory alone."""
        return self.memory > LARGE * limits.memory_limit()

    @property
    def seconds(self) -> float:
        """Approximate time on an idle machine."""
        return sum(steps * SECONDS[kind] for kind, steps in self.steps.items())

    def describe(self) -> str:
        """The cost in words."""
        parts = [f"{number_in_words(steps)} {kind}" for kind, steps in self.steps.items() if steps]
        return ", ".join([*parts, *self._memory_in_words()])

    def describe_most(self) -> str:
        """The cost in a line: the steps that take longest, and the memory."""
        steps = {kind: steps for kind, steps in self.steps.items() if steps}
        longest = max(steps, key=lambda kind: SECONDS[kind] * steps[kind], default=None)
        most = [] if longest is None else [f"{number_in_words(steps[longest])} {longest}{' and more' * (len(steps) > 1)}"]
        return ", ".join([*most, *self._memory_in_words()])

    def _memory_in_words(self) -> list[str]:
        return [f"{self.memory / 1e9:,.1f} GB held"] if self.memory >= 1e8 else []

    def refuse(self, what: str) -> None:
        """Raise `ParamError` where it would take more memory than is allowed."""
        limits.refuse_over(self.memory, f"{what} ({self.describe()})", "Choose fewer runs, topics, measures, rates, trials or samples")


def number_in_words(number: float) -> str:
    """A number as text, to two digits and in words where it is large."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if number >= size:
            return f"{number / size:,.2g} {word}" if number < 100 * size else f"{number / size:,.0f} {word}"
    return f"{number:,.0f}"


def duration_in_words(seconds: float) -> str:
    """A duration in words."""
    if seconds < 90:
        return f"about {max(round(seconds), 1)} s"
    return f"about {seconds / 60:.0f} min" if seconds < 5400 else f"about {seconds / 3600:,.0f} h"


def scoring(collection: "Collection", measures: int) -> Cost:
    """Cost of scoring all runs once by so many measures on all judgments."""
    entries, lists = float(collection.start[-1]), collection.length.size
    room = BYTES_OF_JUDGMENT * collection.grade.size + 8.0 * (2 * measures + 8) * lists
    own = BYTES_OF_ENTRY * min(entries, STRETCH)
    return Cost({SCORED: entries * measures}, 8.0 * measures * lists, room, own, entries / STRETCH + 1)


def estimating(collection: "Collection", share: float, *, aided: bool) -> Cost:
    """Memory beside the scores where they are estimated from a share of the judgments, with intervals: several numbers per run and drawn
    document, for a stretch of the runs; if `aided` by a cheap judge, for all runs, and for each document of the lists."""
    entries = max(float(collection.start[-1]), 1.0)
    drawn = 8.0 * share * collection.grade.size * len(collection.runs)
    stretch = entries if aided else min(entries, max(STRETCH, min(STRETCH / share, entries / 2)))
    own = TIMES_DRAWN * drawn * stretch / entries + BYTES_OF_ESTIMATED * stretch
    return Cost(own=own, blocks=entries / stretch)


def ordering(collection: "Collection") -> Cost:
    """Cost of ordering the pool of each topic once; all judgments count where the lists are on other machines."""
    here = not isinstance(collection, Sharded)
    pooled = np.count_nonzero(np.bincount(collection.slot[collection.rank <= NEAR])) if here else collection.grade.size
    room = BYTES_OF_POOLED * float(collection.start[-1]) + 200.0 * collection.grade.size + 4000.0 * len(collection.topics)
    return Cost({JUDGED: float(pooled)}, room=room)


STRETCH = 125_000
"""Judged documents of lists that a worker scores at a time."""
BYTES_OF_ENTRY, BYTES_OF_JUDGMENT = 100.0, 60.0
"""Memory per judged document of a list, and per judgment, while runs are scored."""
TIMES_DRAWN, BYTES_OF_ESTIMATED = 4.0, 100.0
"""Numbers per run and drawn document, and bytes per judged document of a list, while scores are estimated."""
BYTES_OF_POOLED = 60.0
"""Memory per judged document of a list while documents are ordered."""


def count_pairs(runs: int) -> int:
    """Number of pairs of so many runs, or of other things."""
    return runs * (runs - 1) // 2


def of_scores(measures: int, runs: int, topics: int) -> Cost:
    """Cost of keeping scores that are selected from others."""
    return kept(3, measures, runs, topics)


def of_pairs(*shape: int) -> Cost:
    """Cost of keeping numbers per pair, and of a table of them with the names of the two runs."""
    return kept(16, *shape)


def drawing(topics: int, samples: int) -> Cost:
    """Cost of resamples of topics, of which a few, or usually all, are held at a time."""
    at_once = min(samples, stats.by_eights(topics, stats.ROOM))
    return Cost({DRAWN: float(samples * topics)}, room=24.0 * at_once * topics)


def testing(test: str, runs: int, topics: int, samples: int) -> Cost:
    """Cost of testing all pairs of runs of one score matrix."""
    count, simulated = max(count_pairs(runs), 1), TESTS[test].simulated
    room = 56.0 * runs * topics + 64.0 * count + 16.0 * min(count * topics, stats.CELLS)
    if not simulated:
        exact = 2**topics if test == "wilcoxon" and topics <= 13 else 0
        cells = max(min(count * topics, max(stats.ROWWISE, topics)), 1)
        return Cost({TESTED: float(count * (10 * topics + exact))}, 0, room, 120.0 * cells, count * topics / cells + 1)
    rows = min(count, stats.pairs_at_once(samples, topics))
    room += 24.0 * runs * min(samples, stats.by_eights(topics, stats.ROOM))
    own, blocks = rows * (28.0 * samples + 64.0 * topics), count / rows + 1
    if test == "tukey":
        cells = max(runs * topics, 1)
        steps = {TESTED: float(samples * cells)}
        return Cost(steps, 0, room + 16.0 * cells * min(samples, max(1, stats.CELLS // cells)), own, blocks)
    steps = {TESTED: float(count * samples), ADDED: float(count * samples * max(topics - USUAL, 0))}
    return Cost(steps, 0, room + drawing(topics, samples).room, own, blocks) + drawing(topics, samples)


def comparing(kind: str, runs: int, topics: int, sets: int, *, times: int = 1, drawn: int = 1) -> Cost:
    """Cost of comparing all pairs of runs of one score matrix on random sets of topics, which are drawn several times."""
    count, at_once = max(count_pairs(runs), 1), min(sets, stats.by_eights(topics, stability.ROOM))
    orders, means = 80.0 * at_once * topics, 140.0 * runs * at_once
    cells = min(count * at_once, max(stability.NEAR, min(stats.CELLS, stats.BLOCK * at_once), at_once))
    steps = {kind: float(count * sets * times), ORDERED: float(sets * topics * drawn), ADDED: float(2 * runs * sets * topics * drawn)}
    return Cost(steps, 0, orders + means + 40.0 * count, 24.0 * cells + means, count * at_once / cells + 1)


def grading(judges: int, grades: int, topics: int, samples: int) -> Cost:
    """Cost of comparing the grades of every two judges over resampled topics."""
    cells, of_grades = float(samples) * grades * grades, float(grades * grades)
    tables = kept(count_pairs(judges) + 4, topics, grades * grades) + kept(120 * count_pairs(judges), topics)
    return (
        Cost({GRADED: cells * count_pairs(judges)}, room=8.0 * (8 * cells + 60 * count_pairs(judges) * samples + 4 * of_grades * topics))
        + tables
    )


def kept(*shape: int) -> Cost:
    """Cost of keeping an array of numbers of this shape."""
    return Cost(held=8.0 * float(np.prod(shape, dtype=float)))
