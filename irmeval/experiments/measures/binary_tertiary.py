"""Effect of grades on the order of the runs as judgments disappear."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.core.params import checked
from irmeval.core.text import all_of
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.measures.parameters import GAINS, with_parameter
from irmeval.experiments.needs import Needs
from irmeval.experiments.results import Chart, NextStep, Table, result, table_of_crossings
from irmeval.experiments.settings import PAPERS, Correlate, Rates, Rounding, Seed, Trials
from irmeval.experiments.sweep import at_rates
from irmeval.experiments.trials import EQUIVALENT, Banded, find_falls, over_trials
from irmeval.metrics import Measure
from irmeval.reductions import share_left
from irmeval.scoring.scores import evaluate_by_gains
from irmeval.stats.correlation import CORRELATIONS

MAPS = {
    "binary": "flat",
    "tertiary 2:1": "bompada2",
    "tertiary 10:1": "bompada10",
    "tertiary 100:1": "bompada100",
}


@checked
class Params:
    """What to reduce, how often, and from which seed."""

    rates: Rates = PAPERS
    trials: Trials = 10
    seed: Seed = 1
    rounding: Rounding = "floor"
    method = "stratified"
    correlation: Correlate = "tau_b"


@result
class BinaryTertiary(Banded):
    """Correlations of the order of the runs as judgments disappear, with one and with
    two grades of relevance.
    """

    tau: np.ndarray
    """float64 [measure, map, rate, trial], correlation with the order on full judgments
    under the same of `MAPS`; tau-b by default
    """
    left: np.ndarray
    """float64 [rate, trial], realised share of the judgments, in per cent"""
    measures: tuple[Measure, ...]
    params: Params
    columns = ("tau",)

    @cached_property
    def mean(self) -> np.ndarray:
        """Tau, mean over trials [measure, map, rate]."""
        return over_trials(self.tau)

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        return {"measure": self.measures, "gains": list(MAPS), "rate": self.params.rates}

    def headline(self) -> str:
        if (last := self.realised[-1]).too_much:
            return last.refuse_verdict()
        apart = np.abs(self.mean[:, 1:] - self.mean[:, :1])
        if not np.isfinite(apart).any():
            return "No two runs differ, so there is no order of runs to compare."
        m, g, r = np.unravel_index(int(np.nanargmax(apart)), apart.shape)
        name, which, there = self.measures[m], list(MAPS)[g + 1], self.realised[r]
        before, after = self.mean[m, 0, r], self.mean[m, g + 1, r]
        falls = self.describe_falls(
            f"{CORRELATIONS[self.params.correlation].label} by {self.measures[0]}",
            [*MAPS],
            self.mean[0],
        )
        if np.isclose(before, after):
            who = (
                self.measures[0]
                if len(self.measures) == 1
                else all_of(len(self.measures), "measure")
            )
            few = (
                f", with {last.amount} of the judgments left{last.beside} at the lowest"
                if not last.as_asked
                else ""
            )
            return (
                f"Binary and tertiary gains give the same tau at every rate by {who}{few}. {falls}"
            ).rstrip() + last.reason
        return (
            f"Binary and {which} gains differ most by {name} with {there.amount} of the judgments"
            f" left{there.beside}: tau {before:.3f} and {after:.3f}. On average over rates,"
            f" measures and gains, tau differs by {np.nanmean(apart):.3f}. {falls}"
        ).rstrip() + there.reason

    def tables(self) -> list[Table]:
        """Means over trials; where the correlation falls below .9; every trial."""
        (summary, trials), falls = (
            super().tables(),
            find_falls(self.realised, self.mean, EQUIVALENT),
        )
        axes = {"measure": self.measures, "gains": list(MAPS)}
        return [
            summary,
            table_of_crossings("Correlation below .9", "below .9 at, %", axes, falls, self.lowest),
            trials,
        ]

    def next_steps(self) -> list[NextStep]:
        return [NextStep("Which measures keep their order as judgments disappear?", "curves")]

    def charts(self) -> list[Chart]:
        return [self.chart_of(self.measures[0])]

    def chart_of(self, name: str) -> Chart:
        """Tau against the rate by one measure, a line per gain map."""
        tau, label = (
            self.tau[self.measures.index(name)],
            CORRELATIONS[self.params.correlation].label,
        )
        caption = (
            f"{label} of the order of the runs with that on full judgments, under the same gains."
            " Binary gains are equal for all relevant documents; tertiary ones are 2, 10 or 100"
            " times as high for highly relevant ones. If lines coincide, grades do not help."
        )
        ytitle = f"{label} with the full judgments"
        return self.line_chart(
            "tau",
            f"Binary and tertiary {name}",
            caption,
            tau,
            ytitle,
            list(MAPS),
            top=1.0,
            threshold=EQUIVALENT,
        )


@experiment(
    "binary-tertiary",
    title="Binary and tertiary",
    question="Do grades help when judgments are missing?",
    does="compare graded and binary measures as judgments disappear",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source="Bompada et al. 2007, Fig. 3",
    first={"trials": 1},
    pages=("gains",),
    needs=Needs(graded=True),
)
def binary_tertiary(work: Work[Params]) -> BinaryTertiary:
    """Removes judgments at random. The graded measures are computed on the rest, first
    with equal gains of all relevant documents and then with higher gains of highly
    relevant ones, and the order of the runs is compared with that on the full
    judgments.

    Measures that do not use grades are left out. Raises `ParamError` where none is
    left.
    """
    collection, params = work.collection, work.params
    graded = with_parameter(work.measures, GAINS)

    def means(grades: np.ndarray) -> np.ndarray:
        """Means [measure, map, run]."""
        return np.stack(
            [
                scores.means
                for scores in evaluate_by_gains(
                    collection, graded, list(MAPS.values()), grades=grades
                )
            ],
            axis=1,
        )

    full, correlation = means(collection.grade), CORRELATIONS[params.correlation].compute

    def step(trial: int) -> tuple[np.ndarray, np.ndarray]:
        drawn = at_rates(collection, params, trial)
        tau = [
            correlation(full if grades is collection.grade else means(grades), full)
            for grades in drawn
        ]
        return np.stack(tau, axis=-1), share_left(collection.grade, np.array(drawn))

    steps = work.each(step, range(1, params.trials + 1), collection.concurrency)
    tau, left = (np.stack(of_trials, axis=-1) for of_trials in zip(*steps, strict=True))
    return BinaryTertiary(tau, left, graded, params)
