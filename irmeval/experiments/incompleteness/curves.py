"""Mean score and system ranking as judgments disappear."""

from functools import cached_property

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, count_with_be, percent
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.headlines import WORST, best_and_worst
from irmeval.experiments.results import Chart, NextStep, Table, result, table_of_crossings
from irmeval.experiments.settings import PAPERS, Correlate, Method, Rates, Rounding, Seed, Trials
from irmeval.experiments.sweep import by_rate
from irmeval.experiments.trials import (
    EQUIVALENT,
    Banded,
    OfMeans,
    describe_asked,
    find_falls,
    over_trials,
)
from irmeval.metrics import measure
from irmeval.plots import line_charts, theme
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import CORRELATIONS, critical_tau
from irmeval.stats.means import best_first


@checked
class Params:
    """How judgments are removed, and how often."""

    rates: Rates = PAPERS
    trials: Trials = 10
    seed: Seed = 1
    rounding: Rounding = "floor"
    method: Method = "stratified"
    correlation: Correlate = "tau_b"
    gold: str = param(
        "compared with",
        "The measure whose order of the runs on full judgments is the reference for all. Empty:"
        " each measure's own order.",
        empty="its own order",
        default="",
    )

    def __post_init__(self) -> None:
        if self.gold:
            object.__setattr__(self, "gold", str(measure(self.gold)))


@result
class Incompleteness(Banded, OfMeans):
    """Mean scores of runs on full and reduced judgments."""

    left: np.ndarray
    """float64 [rate, trial], realised share of the judgments, in per cent"""
    gold: np.ndarray
    """float64 [measure, run], the means that give the reference order of each
    measure
    """

    @cached_property
    def tau(self) -> np.ndarray:
        """Correlation of the order of the runs with the reference order [measure, rate,
        trial]; Kendall's tau-b by default.
        """
        return CORRELATIONS[self.params.correlation].compute(
            self.means, self.gold[:, None, None, :]
        )

    @cached_property
    def falls(self) -> np.ndarray:
        """Share of the judgments, in per cent, at which the mean correlation over
        trials falls below .9 [measure].
        """
        return find_falls(self.realised, over_trials(self.tau), EQUIVALENT)

    def tables(self) -> list[Table]:
        """Means over trials; where each measure's correlation falls below .9; every
        trial.
        """
        summary, trials = super().tables()
        return [
            summary,
            table_of_crossings(
                f"{self.correlation} below .9",
                "below .9 at, %",
                {"measure": self.measures},
                self.falls,
                self.lowest,
            ),
            trials,
        ]

    @property
    def correlation(self) -> str:
        """Name of the correlation in tables: ``tau`` for the default."""
        return "tau" if self.params.correlation == "tau_b" else self.params.correlation

    @property
    def observed(self) -> dict[str, np.ndarray]:
        return {"mean": self.mean, self.correlation: self.tau}

    def headline(self) -> str:
        last, tau = self.realised[-1], self.last_tau
        share = self.mean[:, -1].mean(axis=-1) / np.where(
            self.full.mean(axis=-1) == 0, np.nan, self.full.mean(axis=-1)
        )
        if last.asked == 100:
            return (
                f"{count_with_be(len(self.runs), 'run')} scored by"
                f" {count_noun(len(self.measures), 'measure')} on the full judgments."
            )
        if last.too_much:
            return last.refuse_verdict()
        if not np.isfinite(share).any():
            return (
                "There is no mean score to compare: every run scores 0 on all judgments, or has no"
                f" score with {last.amount} of them."
            )
        name = "tau" if self.correlation == "tau" else CORRELATIONS[self.correlation].label
        by = f" by {self.params.gold}" if self.params.gold else ""
        said = best_and_worst(
            self.measures, tau, f"keep the order of the runs{by} {{}}", label=name
        )
        fall = int(np.nanargmin(share))
        turn = "falls to" if share[fall] < 0.995 else "is"
        below = self.describe_falls(name.capitalize(), self.measures, over_trials(self.tau))
        mean = f"mean {self.measures[fall]} {turn} {percent(share[fall])} of its full value."
        left = f"With {last.amount} of the judgments left{last.beside},"
        return (
            " ".join(
                filter(
                    None,
                    [f"{left} {said}.", below, f"The {mean}"] if said else [f"{left} the {mean}"],
                )
            )
            + last.reason
        )

    def next_steps(self) -> list[NextStep]:
        tau, n = self.last_tau, len(self.measures)
        if len(self.runs) < 2:
            return [
                NextStep("What if the pool had been shallower?", "pools"),
                NextStep("How much of the run is unjudged?", "unjudged"),
            ]
        if not np.isfinite(tau).any() or self.params.rates[-1] == 100 or self.realised[-1].too_much:
            return [
                NextStep("Which runs differ on all judgments?", "matrix"),
                NextStep("What if the pool had been shallower?", "pools"),
            ]
        worst = best_and_worst(self.measures, tau, ends=WORST, label=self.correlation)
        sound = f"Which of {n} measures is" if n > 1 else f"Is {self.measures[0]}"
        return [
            NextStep(f"{worst}: which differences are still significant?", "decisions"),
            NextStep(
                "Judgments are rarely missing at random: what about a shallower pool?", "pools"
            ),
            NextStep(f"{sound} sound by other criteria too?", "scorecard"),
        ]

    def charts(self) -> list[Chart]:
        correlation, yardstick = (
            CORRELATIONS[self.params.correlation],
            self.params.gold or "the same measure",
        )
        critical = critical_tau(len(self.runs)) if correlation.kendall else np.nan
        chance = (
            f" Between two random orders of {len(self.runs)} runs, it exceeds {critical:.2f} in"
            " absolute value in 1% of cases."
            if critical == critical
            else ""
        )
        if self.params.correlation == "tau_a":
            chance += " Tied runs keep it below 1 even at 100%."
        return [
            self.line_chart(
                "mean",
                "Mean score",
                "Mean score over all runs and topics. Where a line is flat, scores do not depend on"
                " the number of judgments.",
                self.mean,
                "mean score over runs and topics",
            )._replace(beside=True),
            self.tau_chart(
                f"by {yardstick} on full judgments",
                self.tau,
                f"{correlation.label} with the full judgments",
                title=correlation.label,
                note=chance,
            ),
        ]

    def chart_of_runs(self, measure: str) -> Chart:
        """Mean score of each run against the rate, by one measure."""
        m = self.measures.index(measure)
        values = self.means[m].mean(axis=1)
        order = best_first(self.full[m])
        names = {self.runs[order[0]], self.runs[order[-1]]}
        own, grey = theme.styles(self.measures)[self.measures[m]], theme.Style(theme.GREY)
        lines = [
            line_charts.Curve(self.runs[r], values[:, r], own if self.runs[r] in names else grey)
            for r in order[::-1]
        ]
        named = " Labelled: the best and the worst run on full judgments."
        return Chart(
            "runs",
            "Each run",
            f"Mean {measure} of each run over the trials.{named} Where lines cross, runs change"
            f" places.{describe_asked(self.realised)}",
            lambda: line_charts.against_rate(
                self.params.rates,
                lines,
                values,
                f"mean {measure} over topics",
                named=names,
                order=True,
            ),
            usual=named,
        )


@experiment(
    "curves",
    title="Curves",
    question="What happens as judgments disappear?",
    does="compute mean scores and run orders as judgments disappear",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai & Kando 2008, Figs. 3-4, 7-8, Table 7; Sakai 2007 (alternatives to bpref), Figs."
        " 1-2; Ahlgren & Grönqvist 2008, Figs. 5-8; Bompada et al. 2007, Fig. 1"
    ),
    stored=("seed", "rounding", "method"),
    first={"trials": 1},
)
def incompleteness(work: Work[Params]) -> Incompleteness:
    """Removes judgments, anew for each rate and trial: at random, or all but the first
    in an order of judging. Every run is scored on the remaining judgments, and the
    order of the runs is compared with their order on the full judgments.

    The gold measure, if one is named, orders the runs on the full judgments.
    """
    full, means, left = map(np.array, by_rate(work, work.params, lambda sample: sample.means))
    gold = (
        np.broadcast_to(evaluate(work.collection, [work.params.gold]).means, full.shape)
        if work.params.gold
        else full
    )
    return Incompleteness(full, means, work.measures, work.collection.runs, work.params, left, gold)
