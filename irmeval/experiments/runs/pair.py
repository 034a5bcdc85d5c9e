"""Comparison of two runs, topic by topic."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.core.numbers import telling_apart
from irmeval.core.places import pick
from irmeval.core.text import capitalize, count_noun
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Frame, NextStep, table
from irmeval.experiments.settings import Testing
from irmeval.experiments.verdicts import LONE, PAIR_BY_PAIR, together
from irmeval.plots import row_charts
from irmeval.plots.axes import spaced_indices
from irmeval.scoring.score_table import ENDS
from irmeval.stats.pair_tests import Intervals

BARS = 2000
"""Maximum number of topics in a figure."""


@dataclass(frozen=True, eq=False)
class PairOfRuns:
    """Scores of two runs by one measure, and a test of their difference."""

    name: str
    """of the measure"""
    a: str
    b: str
    """the runs"""
    topics: tuple[str, ...]
    """the topics with a score"""
    x: np.ndarray
    y: np.ndarray
    """float64 [topic], scores of a and of b"""
    difference: float
    """mean difference, a minus b"""
    p_alone: float
    p_at_once: float
    intervals: Intervals
    """limits of the interval of the mean difference, each a number"""
    effect: float
    """mean difference in standard deviations over topics"""
    hedges: float
    """Hedges' g of the difference: the effect size corrected for few topics"""
    params: Testing
    """settings of the test"""
    pairs: int
    """number of pairs tested at once"""
    family: str
    """text of the family of pairs"""
    ends: Sequence[float] = ()
    """the estimated difference on a sample of the judgments, as
    `irmeval.scoring.estimated_scores.ENDS`; else empty
    """
    limits: str = ""
    """a sentence on intervals that are not valid or not known; else empty"""

    @cached_property
    def z(self) -> np.ndarray:
        """Differences per topic, a minus b [topic]."""
        return self.x - self.y

    @property
    def better(self) -> str:
        """The run with the higher mean; the first if both have the same."""
        return self.a if self.difference >= 0 else self.b

    @property
    def worse(self) -> str:
        """The other run."""
        return self.b if self.better == self.a else self.a

    @property
    def won(self) -> float:
        """Share of the topics on which a is better."""
        return float((self.z > 0).mean())

    @property
    def alone(self) -> bool:
        """Whether the two differ significantly alone."""
        return self.p_alone < self.params.alpha

    @property
    def at_once(self) -> bool:
        """Whether the two differ significantly with all pairs at once."""
        return self.p_at_once < self.params.alpha

    @property
    def level(self) -> str:
        """The level of the intervals."""
        return f"{1 - self.params.alpha:.0%}"

    def p_texts(self) -> tuple[str, str]:
        """p alone and at once as text."""
        alone, at_once = self.params.write_p(np.array([self.p_alone, self.p_at_once]))
        return alone, at_once

    @cached_property
    def deciding(self) -> list[str]:
        """The smallest set of topics, most in favour of the better run first, without
        which it has no lead.
        """
        lead = np.sign(self.difference) * self.z
        order = np.argsort(-lead, kind="stable")
        # from the last topic on, so that nothing but 0 is left without any: a difference of two
        # sums is not 0, and named one topic of 50 that all favour the run
        left = np.append(np.cumsum(lead[order][:0:-1])[::-1], 0.0)
        few = int(np.argmax(left <= 0)) + 1 if self.difference else 0
        return pick(self.topics, order[:few])

    @property
    def order(self) -> np.ndarray:
        """The topics, highest difference first."""
        return np.argsort(-self.z, kind="stable")

    @property
    def shown(self) -> np.ndarray:
        """Positions in `order` of the topics with a bar: all, or `BARS` of them evenly
        spaced.
        """
        return spaced_indices(len(self.topics), BARS)

    def of_topics(self, places: Sequence[int]) -> str:
        """A sentence on the difference with and without some topics, given by their
        positions in `order`.
        """
        chosen = np.isin(np.arange(len(self.z)), self.order[list(places)])
        mean = (
            f"{count_noun(int(chosen.sum()), 'topic')}: mean difference in {self.name}"
            f" {self.z[chosen].mean():+.4f}"
        )
        return (
            f"{mean}, on all {self.difference:+.4f}, without them {self.z[~chosen].mean():+.4f}."
            if not chosen.all()
            else f"{mean}."
        )

    def verdict(self) -> Verdict:
        """Whether the two runs differ, each reading named; then the estimated
        difference.
        """
        return Verdict(self._claim(), self._beside(), self._below())

    def _claim(self) -> str:
        p = self.params.say_p(self.p_alone)
        if not self.difference:
            return f"{self.a} and {self.b} have the same mean {self.name}."
        if not self.alone:
            return f"{self.better} and {self.worse} do not differ by {self.name} ({p})."
        high, low = sorted((self.x.mean(), self.y.mean()), reverse=True)
        form = telling_apart(high, low, ".3f")
        return (
            f"{self.better} is better than {self.worse} by {self.name}: {high:{form}} against"
            f" {low:{form}} ({p})."
        )

    def _beside(self) -> str:
        """The reading with all pairs at once, or the family, and the estimate."""
        said = ""
        if self.pairs > 1:
            said = f"{capitalize(together(self.family))}, {self.params.say_p(self.p_at_once)}."
        elif self.family != LONE:
            said = f"{capitalize(self.family)}."
        return " ".join(filter(None, [said, self.estimated(), self.limits]))

    def _below(self) -> str:
        wins, losses = self.wins_of(self.better), self.wins_of(self.worse)
        topics = count_noun(len(self.topics), "topic")
        return f"{self.better} wins {wins} of {topics} and loses {losses}."

    def wins_of(self, run: str) -> int:
        """Number of topics on which one of the two is better."""
        sign = 1 if run == self.a else -1
        return int(np.count_nonzero(sign * self.z > 0))

    def estimated(self) -> str:
        """The estimated difference with its intervals, and whether another sample could
        change its sign; empty without an estimate.
        """
        if not self.ends:
            return ""
        mean, low, high, least, most = self.ends
        turned = (
            "could make the other run better"
            if low <= 0 <= high
            else "would not change which run is better"
        )
        return (
            f"On all judgments, the difference is estimated at {mean:+.4f}. {self.level} intervals:"
            f" {low:+.4f} to {high:+.4f} over judgments, {least:+.4f} to {most:+.4f} over topics."
            f" Another sample of judgments {turned}."
        )

    def numbers(self) -> dict[str, str]:
        """The numbers as text, by name."""
        level = self.level
        spans = {"alone": self.intervals[:2], "at once": self.intervals[2:]}
        intervals = {
            f"{level} interval {how}": f"{low:+.4f} to {high:+.4f}"
            for how, (low, high) in spans.items()
            if low == low
        }
        if self.ends:
            mean, low, high, least, most = (f"{end:+.4f}" for end in self.ends)
            over = {
                f"{level} over judgments": f"{low} to {high}",
                f"{level} over topics": f"{least} to {most}",
            }
            intervals = {"Estimated difference": mean, **over}
        alone, at_once = self.p_texts()
        return {
            "Difference": f"{self.difference:+.4f}",
            **intervals,
            "p alone": alone,
            "p at once": at_once,
            "Effect size": f"{self.effect:+.2f}",
            "Hedges' g": f"{self.hedges:+.2f}",
            "Topics won": f"{self.won:.0%}",
        }

    def chart(self) -> Chart:
        """The per-topic differences as bars, highest first, and their mean with the
        interval of this pair alone.
        """
        order = self.order[self.shown]
        mean = row_charts.MeanLine(self.difference, *self.intervals[:2])
        return Chart(
            "differences",
            f"{self.a} minus {self.b} by {self.name}",
            self._caption(),
            lambda: row_charts.differences(
                pick(self.topics, order),
                self.x[order],
                self.y[order],
                (self.a, self.b),
                f"difference in {self.name}",
                mean,
            ),
        )

    def _caption(self) -> str:
        said = f"Blue: {self.a} is better, orange: {self.b}; dashed: the mean"
        if np.isfinite(self.intervals.low):
            said += f" and its {self.level} interval, for this pair"
        said += f".{describe_shown(self.shown.size, len(self.topics))}"
        if self.deciding:
            n = len(self.deciding)
            most = "the topic that favours" if n == 1 else f"the {n} topics that favour"
            said += f" Without {most} it most, {self.better} would not lead."
        return said

    def frame(self) -> Frame:
        """One row per topic, highest difference first: topic, score of either run,
        difference.
        """
        columns = {
            "topic": self.topics,
            f"{self.a} {self.name}": self.x,
            f"{self.b} {self.name}": self.y,
            "difference": self.z,
        }
        return table(columns, by="difference", descending=True)


def describe_shown(shown: int, topics: int) -> str:
    """A sentence on the topics in a figure; empty if it shows all of them."""
    return (
        f" The figure shows {shown:,} of {topics:,} topics, evenly spaced."
        if shown < topics
        else ""
    )


def step_to_judging(a: str, b: str) -> NextStep:
    """Link from two runs to the unjudged documents that matter most to their
    difference.
    """
    return NextStep(
        "Which judgments could change the difference?",
        "judge-next",
        {"by": "pair", "pair": (a, b)},
    )


def table_by_measure(pairs: Sequence[PairOfRuns]) -> Frame:
    """One row per measure, for the same two runs: their means, difference, its
    intervals and p alone and at once, effect size, topics won and lost by the first,
    Hedges' g, share of topics won; on a sample of the judgments, the estimated
    difference.
    """
    a, b, sampled = pairs[0].a, pairs[0].b, any(pair.ends for pair in pairs)
    rows = [
        {
            "measure": pair.name,
            f"mean {a}": pair.x.mean(),
            f"mean {b}": pair.y.mean(),
            "difference": pair.difference,
            # beside estimates, other measures have empty cells; without any there are no such
            # columns
            **dict(zip(ENDS, pair.ends or [np.nan] * len(ENDS) * sampled, strict=False)),
            **dict(zip(("p alone", "p at once"), pair.p_texts(), strict=True)),
            **{name.replace("_", " "): end for name, end in pair.intervals._asdict().items()},
            "effect size": pair.effect,
            "wins": (pair.z > 0).sum(),
            "losses": (pair.z < 0).sum(),
            "Hedges' g": pair.hedges,
            "topics won": pair.won,
        }
        for pair in pairs
    ]
    return table(rows)


def facts_of_pair(pair: PairOfRuns) -> list[Fact]:
    """The means of both runs, their difference, and both of its p."""
    line = f"{pair.a}, {pair.b}"
    return [
        Fact("mean", pair.name, pair.a, float(pair.x.mean())),
        Fact("mean", pair.name, pair.b, float(pair.y.mean())),
        Fact("difference", pair.name, line, pair.difference),
        Fact("p", pair.name, line, pair.p_alone, reading="alone"),
        Fact("p", pair.name, line, pair.p_at_once, reading="at once"),
    ]


def count_measures(pairs: Sequence[PairOfRuns]) -> str:
    """By how many measures either run is better, a sentence; empty for one measure."""
    if len(pairs) == 1:
        return ""
    better = Counter(pair.better for pair in pairs if pair.alone)
    if not better:
        return f"They differ by none of {len(pairs)} measures."
    runs = pairs[0].a, pairs[0].b
    said = [f"{run} by {better[run]}" for run in runs if better[run]]
    return f"Better {PAIR_BY_PAIR}, of {len(pairs)} measures: {', '.join(said)}."
