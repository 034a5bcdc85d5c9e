"""Mean score and system ranking as judgments disappear."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from irmeval import reductions
from irmeval.collection import Collection
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.settings import Correlate
from irmeval.experiments.sweep import Store, by_rate
from irmeval.metrics import Measure, distinct, measure
from irmeval.params import Param, check
from irmeval.reductions.stratified import ROUNDINGS
from irmeval.scores import evaluate
from irmeval.stats.correlation import CORRELATIONS, critical_tau

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from irmeval.plots.curves import Curve

LOW, HIGH = 5, 95
"""Percentiles over trials that a band spans."""

PAPERS = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0)
"""The rates of Sakai & Kando 2008 and Sakai 2007."""
OFFERS = (*map(float, range(100, 10, -5)), *map(float, range(10, 0, -1)))


Rates = Annotated[
    tuple[float, ...], Param("rates, %", "Share of the judgments that is kept.", low=0.1, high=100, offers=OFFERS, falling=True)
]
Seed = Annotated[int, Param("seed", "Same seed, same samples.", low=0, high=2**31 - 1)]
Rounding = Annotated[
    str,
    Param(
        "rounding",
        "How a share of R or N becomes a whole number: floor as Sakai & Kando, ceil as Bompada et al., half-up as Ahlgren & Grönqvist.",
        choices=tuple(ROUNDINGS),
    ),
]
Method = Annotated[
    str,
    Param(
        "sampling",
        "stratified: relevant and nonrelevant documents apart, so that each topic keeps some of both. uniform: all alike; a topic that is "
        "left without relevant documents has no score.",
        choices=reductions.by_rate(),
    ),
]


@dataclass(frozen=True)
class Params:
    """What to reduce, how often, and from which seed."""

    rates: Rates = PAPERS
    trials: Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=1000)] = 10
    seed: Seed = 1
    rounding: Rounding = "floor"
    method: Method = "stratified"
    correlation: Correlate = "tau_b"
    gold: Annotated[
        str,
        Param(
            "compared with",
            "A measure, whose order of the runs on full judgments all orders are compared with. Empty: each measure's own order there.",
            empty="its own order",
        ),
    ] = ""

    def __post_init__(self) -> None:
        check(self)
        if self.gold:
            object.__setattr__(self, "gold", str(measure(self.gold)))


@dataclass(frozen=True, eq=False)
class Incompleteness:
    """Mean scores of runs on full and reduced judgments.

    Attributes
    ----------
    full : float64 [measure, run]
        Means on the full judgments.
    means : float64 [measure, rate, trial, run]
    gold : float64 [measure, run]
        Whose order each measure's orders are compared with.
    measures, runs, params : what the axes stand for
    """

    full: np.ndarray
    means: np.ndarray
    gold: np.ndarray
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over runs [measure, rate, trial]."""
        return self.means.mean(axis=-1)

    @cached_property
    def tau(self) -> np.ndarray:
        """The correlation of the runs' order with that on full judgments [measure, rate, trial]; Kendall's tau-b unless asked otherwise."""
        return CORRELATIONS[self.params.correlation].compute(self.means, self.gold[:, None, None, :])

    @property
    def correlation(self) -> str:
        """Its name in tables: tau, where it is the usual one."""
        return "tau" if self.params.correlation == "tau_b" else self.params.correlation

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, rate (per cent), trial, mean, tau (or the correlation asked for, under its name)."""
        import pandas as pd

        names = [str(m) for m in self.measures]
        index = pd.MultiIndex.from_product([names, self.params.rates, range(1, self.params.trials + 1)], names=["measure", "rate", "trial"])
        return pd.DataFrame({"mean": self.mean.ravel(), self.correlation: self.tau.ravel()}, index).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure and rate: means over trials of mean score and tau, with their 5th and 95th percentiles."""
        import pandas as pd

        index = pd.MultiIndex.from_product([[str(m) for m in self.measures], self.params.rates], names=["measure", "rate"])
        columns: dict[str, np.ndarray] = {}
        for name, values in (("mean", self.mean), (self.correlation, self.tau)):
            low, middle, high = band(values)
            columns |= {name: middle.ravel(), f"{name}_low": low.ravel(), f"{name}_high": high.ravel()}
        return pd.DataFrame(columns, index).reset_index()

    def headline(self) -> str:
        """Whose order of runs holds best and worst at the lowest rate."""
        rate, tau = self.params.rates[-1], self.tau[:, -1].mean(axis=-1)
        left = self.mean[:, -1].mean(axis=-1) / np.where(self.full.mean(axis=-1) == 0, np.nan, self.full.mean(axis=-1))
        if rate == 100 or not np.isfinite(tau).any() or not np.isfinite(left).any():
            return f"{len(self.runs)} runs scored by {len(self.measures)} measures on the full judgments."
        best, worst = int(np.nanargmax(tau)), int(np.nanargmin(tau))
        fall = int(np.nanargmin(left))
        name = "tau" if self.correlation == "tau" else CORRELATIONS[self.correlation].label
        orders = f"the order of the runs by {self.params.gold} is met" if self.params.gold else "the order of the runs is kept"
        return (
            f"With {rate:g}% of the judgments left, {orders} best by {self.measures[best]} ({name} {tau[best]:.2f}) "
            f"and worst by {self.measures[worst]} ({name} {tau[worst]:.2f}); the mean {self.measures[fall]} falls to {left[fall]:.0%} of what it was."
        )

    def charts(self) -> list[Chart]:
        """Mean score and tau against the rate."""
        over = said_of_band(self.params.trials)
        found, yardstick = CORRELATIONS[self.params.correlation], self.params.gold or "the same measure"
        critical = critical_tau(len(self.runs)) if found.kendall else np.nan
        chance = (
            f"; between unrelated orders of {len(self.runs)} runs one in a hundred is {critical:.2f} or more from 0"
            if critical == critical
            else ""
        )
        return [
            Chart(
                "Mean score",
                f"Mean score over all runs and topics; a flat line is a measure whose values survive, {over}.",
                lambda: banded(self.measures, self.params.rates, self.mean, "mean score over runs and topics"),
            ),
            Chart(
                found.label,
                f"How alike the order of the runs is to that by {yardstick} on full judgments: 1 is the same, dotted .9 is "
                f"commonly taken as nearly the same{chance}; {over}.",
                lambda: banded(
                    self.measures, self.params.rates, self.tau, f"{found.label} with the full judgments", top=1.0, threshold=0.9
                ),
            ),
        ]

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per measure and rate; and every trial."""
        return {"Summary": self.summary(), "Every trial": self.frame()}

    def chart_of_runs(self, measure: str) -> Chart:
        """Mean score of every run against the rate by one measure; the best and the worst run on full judgments are named."""
        from irmeval.plots import curves, theme

        i = [str(m) for m in self.measures].index(measure)
        values = self.means[i].mean(axis=1)
        order = np.argsort(-self.full[i], kind="stable")
        named = {int(order[0]), int(order[-1])}
        own, grey = theme.styles([measure])[measure], theme.Style(theme.GREY, "solid", "circle")
        lines = [curves.Curve(self.runs[r], values[:, r], own if r in named else grey) for r in order[::-1]]
        names = {self.runs[r] for r in named}
        return Chart(
            "Each run",
            f"Mean {measure} of each run over the trials; named are the best and the worst on full judgments. Lines that cross are runs that change places.",
            lambda: _against_rate(self.params.rates, lines, f"mean {measure} over topics", values, named=names),
        )


def banded(
    measures: Sequence[Measure | str],
    rates: Sequence[float],
    values: np.ndarray,
    ytitle: str,
    *,
    top: float | None = None,
    threshold: float | None = None,
) -> "go.Figure":
    """A line per measure against the rate, of values [measure, rate, trial], with its band over trials where there are several."""
    return _against_rate(rates, lines_of(list(map(str, measures)), values), ytitle, values, top, threshold=threshold)


def lines_of(names: Sequence[str], values: np.ndarray) -> "list[Curve]":
    """A line per name, of values [name, place, trial], with its band over trials where there are several."""
    from irmeval.plots import curves, theme

    low, middle, high = band(values)
    style = theme.styles(names)
    several = values.shape[-1] > 1
    return [
        curves.Curve(name, middle[i], style[name], low[i] if several else None, high[i] if several else None)
        for i, name in enumerate(names)
    ]


def _against_rate(
    rates: Sequence[float], lines: "list[Curve]", ytitle: str, values: np.ndarray, top: float | None = None, **more: Any
) -> "go.Figure":
    from irmeval.plots import curves

    least = min(float(np.nanmin(values, initial=0.0)), 0.0)
    most = top or float(np.nanmax(values, initial=0.0)) or 1.0
    return curves.curves(rates, lines, xtitle="judgments kept", suffix="%", ytitle=ytitle, yrange=(least * 1.05, most * 1.05), **more)


def said_of_band(trials: int) -> str:
    """What a band over trials is, as part of a sentence."""
    return f"the band spans the {LOW}th to {HIGH}th percentile of {trials} trials" if trials > 1 else "one trial"


def band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """5th percentile, mean and 95th percentile along the last axis."""
    low, high = np.percentile(values, [LOW, HIGH], axis=-1)
    return low, values.mean(axis=-1), high


@experiment(
    "incompleteness",
    title="Curves",
    source="Sakai & Kando 2008, Figs. 3-4, 7-8, Table 7; Sakai 2007 (alternatives to bpref), Figs. 1-2; Ahlgren & Grönqvist 2008, Fig. 5",
    params=Params,
)
def incompleteness(
    collection: Collection,
    measures: Sequence[str | Measure],
    params: Params = Params(),
    *,
    store: Store[np.ndarray] | None = None,
    progress: Progress | None = None,
) -> Incompleteness:
    """Judgments are taken away at random, at each rate and in each trial anew; every run is scored on what is left,
    and the order of the runs is compared with their order on the full judgments.

    Means that a `store` holds are not computed again; one serves one collection, seed, rounding and method.
    """
    chosen = distinct(measures)
    cells = by_rate(collection, chosen, params, lambda sample: sample.means, {} if store is None else store, progress)
    full, means = map(np.array, cells)
    gold = np.broadcast_to(evaluate(collection, [params.gold]).means, full.shape) if params.gold else full
    return Incompleteness(full, means, gold, chosen, collection.runs, params)
