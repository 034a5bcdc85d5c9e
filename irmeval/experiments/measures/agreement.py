"""Agreement of measures on the order of the runs."""

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import capitalize, count_noun, share_that
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import best_and_worst
from irmeval.experiments.needs import Needs
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table, table, tidy
from irmeval.experiments.scored import OfScores
from irmeval.experiments.settings import Correlate
from irmeval.plots import cells
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import CORRELATIONS, count_disagreements, critical_tau
from irmeval.stats.orderings import order_by_similarity


@checked
class Params:
    """How two orders of the runs are compared."""

    correlation: Correlate = "tau_b"
    alpha: float = param(
        "alpha",
        "Level of the critical value of Kendall's tau, two-sided.",
        low=0.0001,
        high=0.5,
        # as in Sakai's papers, where a tau of 30 runs is significant above .34
        default=0.01,
    )


class Agreement(OfScores, Result):
    """Correlation of the orders of the runs by every two measures."""

    values: np.ndarray
    """float64 [measure, measure], correlation of the order by the first with that by
    the second; NaN if a measure ties all runs
    """
    scores: Scores
    params: Params

    @cached_property
    def critical(self) -> float:
        """The smallest significant tau; NaN if there is none, or for another
        correlation.
        """
        kendall = CORRELATIONS[self.params.correlation].kendall
        if kendall:
            return critical_tau(len(self.scores.runs), alpha=self.params.alpha)
        return np.nan

    @cached_property
    def order(self) -> np.ndarray:
        """The measures, similar ones side by side."""
        return order_by_similarity(self.values)

    def frame(self) -> Frame:
        """One row per two measures: measure_a, measure_b, the correlation under its
        name, disagreements (pairs of runs in opposite orders), significant (empty if
        unknown).
        """
        M = len(self.measures)
        names = np.array(self.measures, dtype=object)
        # tau AP takes one of the two orders as right, so that both directions are rows
        symmetric = np.allclose(self.values, self.values.T, equal_nan=True)
        a, b = np.triu_indices(M, 1) if symmetric else np.nonzero(~np.eye(M, dtype=bool))
        values = self.values[a, b]
        means = self.scores.means
        columns = {
            "measure_a": names[a],
            "measure_b": names[b],
            self.params.correlation: values,
            "opposed": count_disagreements(means[a], means[b]),
        }
        frame = table(columns)
        return (
            frame.assign(significant=np.abs(values) >= self.critical)
            if np.isfinite(self.critical)
            else frame
        )

    def square(self) -> Frame:
        """The correlations as a table, one row and one column per measure, similar ones
        side by side.
        """
        names = pick(self.measures, self.order)
        return tidy(
            {"measure": names},
            dict(zip(names, self.values[np.ix_(self.order, self.order)].T, strict=True)),
        )

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Indices of every two measures whose orders can be compared."""
        every = combinations(range(len(self.measures)), 2)
        return [pair for pair in every if np.isfinite(self.values[pair])]

    def facts(self, choice: str = "") -> list[Fact]:
        """How alike every two measures order the runs."""
        what = CORRELATIONS[self.params.correlation].label
        return [
            Fact(what, self.measures[a], self.measures[b], float(self.values[a, b]))
            for a, b in self.pairs
        ]

    def verdict(self, choice: str = "") -> Verdict:
        facts = self.facts()
        if not facts:
            return Verdict(
                "There are no two orders to compare: pick at least two measures that do not tie"
                " all runs."
            )
        agree = best_and_worst(
            [f"{fact.measure} and {fact.line}" for fact in facts],
            [fact.value for fact in facts],
            "agree {}",
            ("most", "least"),
            label=facts[0].what,
            noun="pair of measures",
        )
        return Verdict(f"{capitalize(agree)}.", self._on, self._describe_significant(facts))

    @property
    def _on(self) -> str:
        return f"On the order of {count_noun(len(self.scores.runs), 'run')}."

    def _describe_significant(self, facts: Sequence[Fact]) -> str:
        """A sentence on the critical value; empty if there is none."""
        if np.isnan(self.critical):
            return ""
        reached = sum(abs(fact.value) >= self.critical for fact in facts)
        told = share_that(reached, len(facts), "pair of measures", "reach it")
        significant = f"{self.critical:.2f} or more is significant at {self.params.alpha:g}"
        return f"A tau of {significant}; {told}."

    def next_steps(self) -> list[NextStep]:
        facts = self.facts()
        if not facts:
            return [
                NextStep("Which measures are there?", "catalogue"),
                NextStep("Which run is best?", "leaderboard"),
            ]
        least = min(facts, key=lambda fact: fact.value)
        pair = {"sorted_by": least.measure, "against": least.line}
        return [
            NextStep(
                f"Which runs do {least.measure} and {least.line} rank differently?",
                "rankings",
                pair,
            ),
            NextStep("Which measure is the most robust?", "scorecard"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        names, values = (
            pick(self.measures, self.order),
            self.values[np.ix_(self.order, self.order)],
        )
        weak = np.abs(values) < self.critical  # none where the critical value is NaN
        written = weak.any() and len(names) <= cells.WRITTEN
        bracket = "; in brackets: not significant" if written else ""
        label = CORRELATIONS[self.params.correlation].label
        return [
            Chart(
                "matrix",
                "Agreement of measures",
                f"The bluer a cell, the more alike two measures order the runs{bracket}. A"
                " hierarchical clustering orders rows and columns, so that measures that agree form"
                " blocks on the diagonal.",
                lambda: cells.cells(
                    names,
                    names,
                    values,
                    title=label,
                    shades=cells.Shades(high=1.0, diagonal=True),
                    printed=cells.numbers(values, ".2f", framed=weak),
                ),
            )
        ]

    def tables(self) -> list[Table]:
        return [
            Table("matrix", "Matrix", self.square),
            Table("list", "Two measures each", self.frame),
        ]


@experiment(
    "agreement",
    title="Agreement",
    question="Which measures agree?",
    does="compare the orders of runs by different measures",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai & Kando 2008, Table 6; Sakai 2007 (alternatives to bpref), Table 2; Sakai 2007"
        " (reliability), Tables 5-11; Ahlgren & Grönqvist 2008, Table 8"
    ),
    needs=Needs(runs=2),
)
def agreement(work: Work[Params]) -> Agreement:
    """Compares the orders of the runs by every two measures on the full judgments.

    Raises `ParamError` where there are fewer than two runs.
    """
    scores = evaluate(work.collection, work.measures)
    return Agreement(correlations(scores, work.params), scores, work.params)


def correlations(scores: Scores, params: Params) -> np.ndarray:
    """Correlations of the orders of the runs by every two measures [measure,
    measure].
    """
    # a run without any score counts as 0, so that all measures order the same runs
    means = np.nan_to_num(scores.means)
    return np.array([CORRELATIONS[params.correlation].compute(row, means) for row in means])
