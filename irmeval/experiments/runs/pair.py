"""Comparison of two runs, topic by topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.core.text import count_noun, list_all, list_few
from irmeval.experiments.results import Chart, Frame, NextStep, table
from irmeval.experiments.settings import Testing
from irmeval.experiments.verdicts import LONE, PAIR_BY_PAIR, together
from irmeval.plots import row_charts
from irmeval.plots.axes import spaced_indices
from irmeval.scoring.score_table import ENDS
from irmeval.stats.pair_tests import Intervals

NAMED = 5
"""Maximum number of topics listed in a sentence."""
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
        left = lead.sum() - np.cumsum(lead[order])
        few = int(np.argmax(left <= 0)) + 1 if self.difference else 0
        return [self.topics[t] for t in order[:few]]

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

    def headline(self, choice: str = "") -> str:
        """Compare the two runs: the better one, number of topics won, significance, and
        deciding topics; then the estimated difference.
        """
        return " ".join(filter(None, (self._compared(), self.estimated())))

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

    def _compared(self) -> str:
        better, worse = (self.a, self.b) if self.difference >= 0 else (self.b, self.a)
        wins, losses = (
            int(np.count_nonzero(sign * self.z > 0))
            for sign in ((1, -1) if self.difference >= 0 else (-1, 1))
        )
        alone, at_once = self.p_texts()
        told = f"p {'' if alone.startswith('<') else '= '}{alone} for this pair"
        if self.pairs > 1:
            told += f", {at_once} {together(self.family)}"
        elif self.family != LONE:
            told += f"; {self.family}"
        if not self.difference:
            return f"{self.a} and {self.b} have the same mean {self.name}: {told}."
        named = list_few(self.deciding, NAMED)
        these = "this topic" if len(self.deciding) == 1 else f"these {len(self.deciding)} topics"
        return (
            f"{better} beats {worse} on {wins} of {count_noun(len(self.topics), 'topic')}, loses on"
            f" {losses}: {told}. Without {these} it would not lead: {named}."
        )

    def facts(self) -> dict[str, str]:
        """The numbers, by name."""
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
        """The per-topic differences as bars, highest first."""
        order = self.order[self.shown]
        return Chart(
            "differences",
            f"{self.a} minus {self.b} by {self.name}",
            f"Difference in {self.name} on each topic, highest first. Blue: {self.a} is better,"
            f" orange: {self.b}. A few tall bars mean that the difference depends on a few"
            f" topics.{describe_shown(order.size, len(self.topics))}{self.limits}",
            lambda: row_charts.differences(
                [self.topics[t] for t in order],
                self.x[order],
                self.y[order],
                (self.a, self.b),
                f"difference in {self.name}",
            ),
        )

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
        f"Which judgments could change the difference of {a} and {b}?",
        "judge-next",
        {"by": "pair", "pair": (a, b)},
    )


def side_by_side(pairs: Sequence[PairOfRuns]) -> Frame:
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


def verdict(pairs: Sequence[PairOfRuns]) -> str:
    """Measures by which either run is better, tested pair by pair and together."""
    a, b, family = pairs[0].a, pairs[0].b, pairs[0].family
    parts = [part for run in (a, b) if (part := _better(pairs, run))]
    if not parts:
        by = pairs[0].name if len(pairs) == 1 else f"any of {len(pairs)} measures"
        parts = [f"{a} and {b} do not differ significantly by {by}"]
    elif rest := sum(not pair.alone for pair in pairs):
        parts.append(f"By {rest} of {len(pairs)} measures, they do not differ significantly")
    lone = f"; {family}" if pairs[0].pairs == 1 and family != LONE else ""
    return f"{'. '.join(parts)}{lone}."


def _better(pairs: Sequence[PairOfRuns], run: str) -> str:
    """By which measures a run is better, a sentence without its full stop; empty if by
    none.
    """
    better = [p for p in pairs if p.alone and (p.difference > 0) == (run == p.a)]
    if not better:
        return ""
    said = f"{run} is significantly better by {list_all([pair.name for pair in better])}"
    if pairs[0].pairs == 1:
        return said
    also = [pair.name for pair in better if pair.at_once]
    by = list_all(also) if also else "none"
    return f"{said} {PAIR_BY_PAIR}, by {by} {together(pairs[0].family)}"
