"""Mean score and system ranking as judgments disappear."""

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irmeval import parallel
from irmeval.collection import Collection
from irmeval.evaluate import evaluate
from irmeval.experiments.base import Progress, experiment
from irmeval.metrics import Measure, measure
from irmeval.params import Param, check
from irmeval.reductions import draw
from irmeval.reductions.stratified import ROUNDINGS
from irmeval.stats.correlation import tau_b

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

LOW, HIGH = 5, 95
"""Percentiles over trials that a band spans."""

Store = MutableMapping[tuple[str, float, int], np.ndarray]
"""(measure, rate, trial) -> mean score of every run: what need not be computed again."""


@dataclass(frozen=True)
class Params:
    """What to reduce, how often, and from which seed."""

    rates: Annotated[tuple[float, ...], Param("rates, %", "Share of the judgments that is kept.", low=0.1, high=100)] = (
        100.0,
        90.0,
        70.0,
        50.0,
        30.0,
        10.0,
    )
    trials: Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=1000)] = 10
    seed: Annotated[int, Param("seed", "Same seed, same samples.", low=0, high=2**31 - 1)] = 1
    rounding: Annotated[
        str,
        Param(
            "rounding",
            "How a share of R or N becomes a whole number: floor as Sakai & Kando, ceil as Bompada et al., half-up as Ahlgren & Grönqvist.",
            choices=tuple(ROUNDINGS),
        ),
    ] = "floor"

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "rates", tuple(sorted(set(self.rates), reverse=True)))


@dataclass(frozen=True, eq=False)
class Incompleteness:
    """Mean scores of runs on full and reduced judgments.

    Attributes
    ----------
    full : float64 [measure, run]
        Means on the full judgments.
    means : float64 [measure, rate, trial, run]
    measures, runs, params : what the axes stand for
    """

    full: np.ndarray
    means: np.ndarray
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over runs [measure, rate, trial]."""
        return self.means.mean(axis=-1)

    @cached_property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b of the runs' order with the same measure's order on full judgments [measure, rate, trial]."""
        return tau_b(self.means, self.full[:, None, None, :])

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, rate (per cent), trial, mean, tau."""
        import pandas as pd

        names = [str(m) for m in self.measures]
        index = pd.MultiIndex.from_product(
            [names, self.params.rates, range(1, self.params.trials + 1)], names=["measure", "rate", "trial"]
        )
        return pd.DataFrame({"mean": self.mean.ravel(), "tau": self.tau.ravel()}, index).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure and rate: means over trials of mean score and tau, with their 5th and 95th percentiles."""
        import pandas as pd

        index = pd.MultiIndex.from_product([[str(m) for m in self.measures], self.params.rates], names=["measure", "rate"])
        columns = {}
        for name, values in (("mean", self.mean), ("tau", self.tau)):
            low, middle, high = band(values)
            columns |= {name: middle.ravel(), f"{name}_low": low.ravel(), f"{name}_high": high.ravel()}
        return pd.DataFrame(columns, index).reset_index()


    def figure(self, quantity: str = "mean") -> "go.Figure":
        """Mean score (``"mean"``) or tau (``"tau"``) against the rate, a line per measure with its band over trials."""
        from irmeval.plots import curves, theme

        values = {"mean": self.mean, "tau": self.tau}[quantity]
        low, middle, high = band(values)
        style = theme.styles(map(str, self.measures))
        banded = self.params.trials > 1
        lines = [
            curves.Curve(str(m), middle[i], style[str(m)], low[i] if banded else None, high[i] if banded else None)
            for i, m in enumerate(self.measures)
        ]
        least = min(float(np.nanmin(values, initial=0.0)), 0.0)
        most = 1.0 if quantity == "tau" else float(np.nanmax(values, initial=0.0)) or 1.0
        return curves.curves(
            self.params.rates,
            lines,
            xtitle="judgments kept",
            suffix="%",
            ytitle="Kendall's tau with the full judgments" if quantity == "tau" else "mean score over runs and topics",
            yrange=(least * 1.05, most * 1.05),
            threshold=0.9 if quantity == "tau" else None,
        )

    def run_figure(self, measure: str) -> "go.Figure":
        """Mean score of every run against the rate, by one measure; the best and the worst run on full judgments are named."""
        from irmeval.plots import curves, theme

        i = [str(m) for m in self.measures].index(measure)
        style = theme.styles([measure])[measure]
        grey = theme.Style(theme.GREY, "solid", "circle")
        values = self.means[i].mean(axis=1)
        order = np.argsort(-self.full[i], kind="stable")
        named = {int(order[0]), int(order[-1])}
        lines = [curves.Curve(self.runs[r], values[:, r], style if r in named else grey) for r in order[::-1]]
        return curves.curves(
            self.params.rates,
            lines,
            xtitle="judgments kept",
            suffix="%",
            ytitle=f"mean {measure} over topics",
            yrange=(0.0, float(np.nanmax(values, initial=0.0)) * 1.05 or 1.0),
            named={self.runs[r] for r in named},
        )


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
    store: Store | None = None,
    progress: Progress | None = None,
) -> Incompleteness:
    """Judgments are taken away at random, at each rate and in each trial anew; every run is scored on what is left,
    and the order of the runs is compared with their order on the full judgments.

    Parameters
    ----------
    collection : Collection
    measures : texts or measures
    params : Params
    store : mapping, optional
        Means found here are not computed again, new ones are added. One store serves one collection, seed and rounding.
    progress : callable, optional
        Called with (trials done, trials in all).

    Returns
    -------
    Incompleteness
    """
    chosen = tuple(dict.fromkeys(measure(m) for m in measures))
    store = {} if store is None else store
    done, lock = 0, Lock()

    def fill(trial: int, rates: Sequence[float], wanted: dict[float, list[Measure]]) -> None:
        grades = draw(collection, "stratified", [r / 100 for r in rates], trial, params.seed, rounding=params.rounding)
        for rate, vector in zip(rates, grades, strict=True):
            scores = evaluate(collection, wanted[rate], grades=vector)
            for one, means in zip(scores.measures, scores.means, strict=True):
                store[str(one), rate, trial] = means

    def step(trial: int) -> None:
        nonlocal done
        wanted = {rate: [m for m in chosen if (str(m), rate, trial) not in store] for rate in params.rates if rate < 100}
        if rates := [rate for rate, missing in wanted.items() if missing]:
            fill(trial, rates, wanted)
        with lock:
            done += 1
            if progress:
                progress(done, params.trials)

    if missing := [m for m in chosen if (str(m), 100.0, 0) not in store]:
        scores = evaluate(collection, missing)
        store.update({(str(m), 100.0, 0): means for m, means in zip(scores.measures, scores.means, strict=True)})
    parallel.each(step, range(1, params.trials + 1))
    trials = range(1, params.trials + 1)
    means = [[[store[str(m), rate, trial if rate < 100 else 0] for trial in trials] for rate in params.rates] for m in chosen]
    full = np.array([store[str(m), 100.0, 0] for m in chosen])
    return Incompleteness(full, np.array(means), chosen, collection.runs, params)
