"""Difference required between two runs for other topics to confirm which is better."""

from functools import cached_property
from typing import Any

import numpy as np

from irmeval.core.params import checked, param
from irmeval.core.text import all_of, any_of, count_noun, list_all, names_or_number, percent
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.headlines import best_and_worst, describe_crossings
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
from irmeval.plots import line_charts, theme
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

    def headline(self, choice: str = "") -> str:
        at, names, needed = f"{self.params.threshold:g}%", self.scores.names, self.required
        kept = [m for m in self.order if not np.isnan(needed.difference[m])]
        if not np.ptp(self.scores.values, axis=1).any():
            runs, measures = (
                all_of(len(self.scores.runs), "run"),
                names_or_number(names, len(names), "measure"),
            )
            return (
                f"On every topic {runs} have the same score by {measures}: no pair"
                f" swaps.{self.scores.left_out()}"
            )
        if not kept:
            told = (
                f"No difference by {any_of(names, 'measure')} is large enough to keep the swap rate"
                f" at or below {at}."
            )
            return told + self.scores.left_out()
        first, comparisons = (
            kept[0],
            count_noun(self.scores.pairs * self.params.trials, "comparison"),
        )
        apart = needed.difference[first]
        text = (
            f"By {names[first]}, {f'a difference of {apart:.2f}' if apart else 'any difference'}"
            f" keeps the swap rate at or below {at} between sets of"
            f" {count_noun(self.size, 'topic')}. "
        )
        if apart and not np.isnan(needed.relative[first]):
            text += f"That is {needed.relative[first]:.0%} of the highest mean of any topic set. "
        shares, ends = needed.sensitivity[kept], ("the most", "the fewest")
        found = best_and_worst(
            [names[m] for m in kept], shares, "find {} large enough", ends, form=".1%"
        )
        text += f"Of {comparisons}, {found}"
        tie = [names[m] for m in self.order if np.isnan(needed.sensitivity[m])]
        never = [names[m] for m in self.order if m not in kept and names[m] not in tie]
        text += f". By {list_all(tie)}, all runs tie." if tie else "."
        text += f" By {list_all(never)}, no difference is large enough." if never else ""
        within = describe_crossings(
            "The swap rate",
            f"stays within {at}",
            names,
            needed.difference,
            "from {:.2f}".format,
            end="nowhere",
        )
        return f"{text} {within if len(kept) > 1 else ''}".rstrip() + self.scores.left_out()

    def next_steps(self) -> list[NextStep]:
        first = self.of_pairs(self.scores.names[0]).iloc[0]
        pair, rate = {"run_a": first["run a"], "run_b": first["run b"]}, float(first["swap rate"])
        often = f"{'most often' if self.scores.pairs > 1 else 'places'} ({percent(rate)})"
        swapped = (
            [NextStep(f"{first['run a']} and {first['run b']} swap {often}", "two-runs", pair)]
            if rate > 0
            else []
        )
        return [
            *swapped,
            NextStep("Which of these differences does a test find significant?", "power"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        at = f"{self.params.threshold:g}%"
        errors, top = (
            line_charts.measure_curves(self.scores.names, self.errors),
            float(self.errors.max()) * 1.05 or 1.0,
        )
        return [
            Chart(
                "rates",
                "Swap rate",
                f"How often a second set of {count_noun(self.size, 'topic')} reverses the order of"
                " two runs, by their difference on a first set. The last bin contains all larger"
                " ones. The required difference is where a measure's line stays below the dotted"
                f" {at}. Beside the names: that difference, and the share of comparisons with it.",
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
                        xtitle="topics in each set", ytitle="share of swaps", yrange=(0, top)
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
        style, edges = theme.styles(self.scores.names), self.rates.edges
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
            lines.append(
                line_charts.Path(name, edges, self.rates.rate[m], style[name], note, counts, needed)
            )
        return line_charts.paths(
            lines,
            xtitle="difference from",
            ytitle="swap rate",
            threshold=self.params.threshold / 100,
        )


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Ratio of two shares; NaN for zero, infinite for a tiny denominator."""
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
    half = len(scores.topics) // 2
    size = params.size or half
    sizes = tuple(int(n) for n in np.unique(np.linspace(1, half, min(half, STEPS)).round()))
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
