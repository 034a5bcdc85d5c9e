"""Difference required between two runs for other topics to confirm which is better."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import all_of, any_of, count_noun, list_all, names_or_number
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import best_and_worst
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import (
    Chart,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    of_pairs,
    table,
    tidy,
)
from irmeval.experiments.scored import OfScores, Scored, score_runs
from irmeval.experiments.settings import Replacement, Seed, Size, Threshold
from irmeval.plots import colors, line_charts
from irmeval.stats import swap_rates as method
from irmeval.stats.swap_rates import Required, SwapCounts, find_required_difference

STEPS = 10
"""Sizes of topic sets for which the error rate is computed."""


@checked
class Params:
    """Sampling of topic sets, and the highest acceptable swap rate."""

    threshold: Threshold = 5.0
    size: Size = None
    trials: int = param(
        "trials",
        "Pairs of topic sets, 1000 in the papers; the same for all measures.",
        low=1,
        high=100_000,
        template="{} pairs of topic sets",
        default=1000,
    )
    replacement: Replacement = "without"
    seed: Seed = 1


class Swap(OfScores, Result):
    """How often two disjoint topic sets disagree about a pair of runs."""

    rates: SwapCounts
    """each [measure, ...]"""
    errors: np.ndarray
    """float64 [measure, size], share of swaps among all comparisons"""
    sizes: tuple[int, ...]
    """topics in a set, for `errors`"""
    scores: Scored
    size: int
    """topics in a set, for `rates`"""
    params: Params

    @cached_property
    def required(self) -> Required:
        """Required difference at the threshold, relative difference and sensitivity,
        each [measure].
        """
        return find_required_difference(self.rates, threshold=self.params.threshold / 100)

    @cached_property
    def best(self) -> np.ndarray:
        """Mean of the best run over all topics [measure]."""
        return self.scores.values.mean(axis=-1).max(axis=-1)

    @cached_property
    def deviation(self) -> np.ndarray:
        """Standard deviation of the runs' means over all topics [measure]."""
        return self.scores.values.mean(axis=-1).std(axis=-1)

    @cached_property
    def order(self) -> np.ndarray:
        """Measures, most sensitive first."""
        return np.argsort(-self.required.sensitivity, kind="stable")

    def frame(self) -> Frame:
        """One row per measure: required_difference, highest_mean, relative_difference,
        sensitivity, error_rate; the mean of the best run, the standard deviation of the
        runs' means, and the required difference as a share of each.
        """
        columns = {
            "measure": self.scores.names,
            "required_difference": self.required.difference,
            "highest_mean": self.rates.highest,
            "relative_difference": self.required.relative,
            "sensitivity": self.required.sensitivity,
            "error_rate": self.rates.error_rate,
            "best_mean": self.best,
            "deviation": self.deviation,
            "of_best_mean": _share(self.required.difference, self.best),
            "in_deviations": _share(self.required.difference, self.deviation),
        }
        return table(columns)

    def bins(self) -> Frame:
        """One row per measure and bin of differences: its lower end, comparisons,
        swaps, swap rate; that end as a share of the best run's mean, and in standard
        deviations of the runs' means (Ahlgren & Grönqvist 2008, Tables 5-7).
        """
        edges = self.rates.edges
        columns = {
            "comparisons": self.rates.comparisons,
            "swaps": self.rates.swaps,
            "swap rate": self.rates.rate,
            "of best mean": _share(edges, self.best[:, None]),
            "in deviations": _share(edges, self.deviation[:, None]),
        }
        return tidy({"measure": self.scores.names, "from": edges.round(2)}, columns)

    def error_rates(self) -> Frame:
        """One row per measure and number of topics in a set: share of swaps among all
        comparisons.
        """
        return tidy(
            {"measure": self.scores.names, "topics per set": self.sizes},
            {"error rate": self.errors},
        )

    def of_pairs(self, name: str) -> Frame:
        """One row per pair of runs, most often swapped first: difference in mean score
        on all topics, swap rate.
        """
        rates = self.rates.of_pairs[self.scores.names.index(name)]
        columns = {"difference": self.scores.differences(name), "swap rate": rates}
        return of_pairs(self.scores.runs, columns, by="swap rate", descending=True)

    def facts(self, choice: str = "") -> list[Fact]:
        """The required difference of each measure that has one, and the share of the
        comparisons with it, most sensitive measure first.
        """
        found = []
        for m in self.order:
            values = {
                "required difference": self.required.difference[m],
                "sensitivity": self.required.sensitivity[m],
            }
            found += [
                Fact(what, self.scores.names[m], "", float(value), level=self.params.threshold)
                for what, value in values.items()
                if np.isfinite(value)
            ]
        return found

    def verdict(self, choice: str = "") -> Verdict:
        names = self.scores.names
        if not np.ptp(self.scores.values, axis=1).any():
            runs = all_of(len(self.scores.runs), "run")
            measures = names_or_number(names, len(names), "measure")
            said = f"On every topic {runs} have the same score by {measures}: no pair swaps."
            return Verdict(said, self.scores.left_out().strip())
        needed = [fact for fact in self.facts() if fact.what == "required difference"]
        at = f"{self.params.threshold:g}%"
        if not needed:
            measures = any_of(names, "measure")
            said = f"No difference by {measures} keeps the swap rate at or below {at}."
            return Verdict(said, self.scores.left_out().strip())
        return Verdict(
            f"{self._describe_needed(needed)}: at most {at} of other topic sets then reverse the"
            " order of runs.",
            f"Between sets of {count_noun(self.size, 'topic')}.{self._describe_others()}"
            f"{self.scores.left_out()}",
            self._describe_sensitivity(),
        )

    def _describe_needed(self, needed: Sequence[Fact]) -> str:
        """The smallest and the largest required difference, with their measures."""
        ordered = sorted(needed, key=lambda fact: fact.value)
        least, most = ordered[0], ordered[-1]
        smallest = f"{least.value:.2f}" if least.value else "Any difference"
        if f"{least.value:.2f}" == f"{most.value:.2f}":
            names = [fact.measure for fact in needed]
            return f"{smallest} by {names_or_number(names, len(names), 'measure')}"
        return f"{smallest} by {least.measure}, {most.value:.2f} by {most.measure}"

    def _describe_sensitivity(self) -> str:
        """Which measure finds most differences large enough, and which fewest."""
        kept = [m for m in self.order if np.isfinite(self.required.difference[m])]
        names = pick(self.scores.names, kept)
        shares = self.required.sensitivity[kept]
        comparisons = count_noun(self.scores.pairs * self.params.trials, "comparison")
        ends = ("the most", "the fewest")
        found = best_and_worst(names, shares, "find {} large enough", ends, form=".1%")
        return f"Of {comparisons}, {found}."

    def _describe_others(self) -> str:
        """Sentences on measures without a required difference; empty if there are
        none.
        """
        names = np.array(self.scores.names, dtype=object)[self.order]
        tie = np.isnan(self.required.sensitivity[self.order])
        never = np.isnan(self.required.difference[self.order]) & ~tie
        said = ""
        if tie.any():
            said += f" By {list_all(names[tie].tolist())}, all runs tie."
        if never.any():
            said += f" By {list_all(names[never].tolist())}, no difference is large enough."
        return said

    def next_steps(self) -> list[NextStep]:
        first = self.of_pairs(self.scores.names[0]).iloc[0]
        a, b = first["run a"], first["run b"]
        power = NextStep("Which differences does a test find?", "power")
        # not `<= 0`, which is false for an unknown rate, too
        if not first["swap rate"] > 0:
            return [power]
        return [
            NextStep(f"Where do {a} and {b} swap?", "two-runs", {"run_a": a, "run_b": b}),
            power,
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        at = f"{self.params.threshold:g}%"
        errors, top = (
            line_charts.measure_curves(self.scores.names, 100 * self.errors),
            float(100 * self.errors.max()) * 1.05 or 1.0,
        )
        return [
            Chart(
                "rates",
                "Swap rate",
                f"How often a second set of {count_noun(self.size, 'topic')} reverses the order of"
                f" two runs. Beside the names: from where it stays below the dotted {at}, and the"
                " share of comparisons there. The difference is that on a first set. The last bin"
                " has all larger ones.",
                self._rates,
            ),
            Chart(
                "errors",
                "Error rate",
                "How often two disjoint sets of so many topics disagree about which of two runs is"
                " better. For half of all topics, this is the error rate of Ahlgren & Grönqvist."
                " Measures with lower lines need fewer topics.",
                lambda: line_charts.curves(
                    self.sizes,
                    errors,
                    line_charts.Axes(
                        xtitle="topics in each set", ytitle="share of swaps, %", yrange=(0, top)
                    ),
                ),
            ),
        ]

    def summary(self) -> Frame:
        """`frame`, the most sensitive measure first."""
        return (
            self.frame()
            .iloc[self.order]
            .reset_index(drop=True)
            .rename(columns=lambda c: c.replace("_", " "))
        )

    def tables(self) -> list[Table]:
        name = self.scores.names[0]
        return [
            Table("measures", "Measures", self.summary),
            Table("bins", "Bins", self.bins),
            Table("errors", "Error rates", self.error_rates),
            Table("pairs", f"Run pairs by {name}", lambda: self.of_pairs(name)),
        ]

    def _rates(self) -> Figure:
        style, edges = colors.styles(self.scores.names), self.rates.edges
        lines = []
        for m in self.order:
            name, needed, share = (
                self.scores.names[m],
                self.required.difference[m],
                self.required.sensitivity[m],
            )
            counts = [f"{n:,} comparisons" for n in self.rates.comparisons[m]]
            note = (
                "all runs tie"
                if np.isnan(share)
                else "none large enough"
                if np.isnan(needed)
                else f"{needed:.2f}, {share:.0%}"
            )
            rates = 100 * self.rates.rate[m]
            lines.append(line_charts.Path(name, edges, rates, style[name], note, counts, needed))
        return line_charts.paths(
            lines,
            xtitle="difference from",
            ytitle="swap rate, %",
            threshold=self.params.threshold,
        )


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Ratio of two shares; NaN for zero, infinite for a tiny denominator."""
    # a mean near 0 makes the ratio infinite, which is what the table then says
    with np.errstate(over="ignore"):
        return part / np.where(whole > 0, whole, np.nan)


@experiment(
    "swap",
    title="Swap",
    question="How large must a difference be?",
    does="find the difference required to hold on other topics",
    formula=r"swap(x) = Pr\left(d_1 d_2 < 0 \mid |d_1| = x\right)",
    source=(
        "Voorhees & Buckley 2002; Sakai 2007 (reliability of graded relevance metrics), Section"
        " 4.3, Tables 2-4; Ahlgren & Grönqvist 2008, Section 6.1, Tables 5-7"
    ),
    takes=(COLLECTION, MATRIX, MEASURES),
    first={"trials": 100},
    needs=PAIRS,
)
def swap(work: Work[Params]) -> Swap:
    """Draws pairs of disjoint random sets of topics, the same for all measures. A pair
    of runs is swapped if the two sets disagree on the better run. Swaps are rarer for
    larger differences on the first set; the sensitivity is the share of comparisons
    with a difference large enough for an acceptable swap rate.

    Raises `ParamError` if there are too few runs or topics.
    """
    scores, params = score_runs(work), work.params
    # two sets without a common topic have at most half of the topics each
    half = len(scores.topics) // 2
    size = params.size or half
    # of few topics, two steps may round to the same size
    sizes = tuple(map(int, np.unique(np.linspace(1, half, min(half, STEPS)).round())))
    rates, errors = [], []
    drawn: dict[str, Any] = {
        "trials": params.trials,
        "seed": params.seed,
        "replace": params.replacement == "with",
    }
    for values in work.steps(scores.values):
        rates.append(method.swap(values, size=size, **drawn))
        errors.append(method.error_rates(values, sizes, **drawn))
    return Swap(
        SwapCounts(*map(np.stack, zip(*rates, strict=True))),
        np.array(errors),
        sizes,
        scores,
        size,
        params,
    )
