"""What results over random trials share: a row per observation, means over trials with their bands, and lines that show them."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.experiments.results import Figure, Frame, Table
from irmeval.experiments.table import tidy
from irmeval.plots.line_charts import against_rate, of_measures
from irmeval.stats.correlation import tau_b

LOW, HIGH = 5, 95
"""Percentiles over trials that a band spans."""


class OverTrials:
    """A result over random trials: values that stand along its axes, and last along the trials."""

    measures: tuple[str, ...]
    params: Any
    columns: tuple[str, ...] = ()
    """attributes that hold such values"""

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        """Name of each axis but the trials, and what stands along it: measures and rates (per cent) unless a result says otherwise."""
        return {"measure": self.measures, "rate": self.params.rates}

    @property
    def observed(self) -> dict[str, np.ndarray]:
        """Name of each column, and its values [axis, ..., trial]; the first axes may be missing."""
        return {name: getattr(self, name) for name in self.columns}

    def frame(self) -> Frame:
        """One row per observation: where it stands along the axes, trial, values."""
        return tidy({**self.axes, "trial": range(1, self.params.trials + 1)}, self.observed)

    def summary(self) -> Frame:
        """One row for each place along the axes: means over trials."""
        return self.frame().drop(columns="trial").groupby([*self.axes], sort=False).mean().reset_index()

    def tables(self) -> list[Table]:
        """Means over trials; and every trial."""
        return [Table("summary", "Summary", self.summary), Table("trials", "Every trial", self.frame)]


class Banded(OverTrials):
    """The same with bands in the summary, but for values that are the same all along the first axis."""

    def summary(self) -> Frame:
        """One row for each place along the axes: means over trials, with their 5th and 95th percentiles."""
        columns: dict[str, np.ndarray] = {}
        for name, values in self.observed.items():
            low, middle, high = band(values)
            columns |= {name: middle} | ({f"{name}_low": low, f"{name}_high": high} if values.ndim > len(self.axes) else {})
        return tidy(self.axes, columns)


class OfMeans:
    """A result on the means of runs on full judgments and on fewer: how much of the scores and of the order of the runs is kept."""

    full: np.ndarray
    """float64 [measure, run]"""
    means: np.ndarray
    """float64 [measure, level, trial, run]"""

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over runs [measure, level, trial]."""
        return self.means.mean(axis=-1)

    @cached_property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b of the runs' order with that on full judgments [measure, level, trial]."""
        return tau_b(self.means, self.full[:, None, None, :])


def band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """5th percentile, mean and 95th percentile along the last axis."""
    low, high = np.percentile(values, [LOW, HIGH], axis=-1)
    return low, values.mean(axis=-1), high


def describe_band(trials: int) -> str:
    """What a band over trials is, as part of a sentence."""
    return f"the band spans the {LOW}th to {HIGH}th percentile of {trials} trials" if trials > 1 else "one trial"


def banded(names: Sequence[str], rates: Sequence[float], values: np.ndarray, ytitle: str, **more: Any) -> Figure:
    """A line per name against the rate, of values [name, rate, trial], with its band where there are several trials."""
    low, middle, high = band(values)
    lines = of_measures(names, middle, low, high) if values.shape[-1] > 1 else of_measures(names, middle)
    return against_rate(rates, lines, values, ytitle, **more)
