"""Values over random trials: their band, and lines with it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.experiments.results import Figure
from irmeval.plots.curves import against_rate, of_measures

LOW, HIGH = 5, 95
"""Percentiles over trials that a band spans."""


def band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """5th percentile, mean and 95th percentile along the last axis."""
    low, high = np.percentile(values, [LOW, HIGH], axis=-1)
    return low, values.mean(axis=-1), high


def spread(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of a table: the mean over the last axis under a name, and the ends of its band."""
    low, middle, high = band(values)
    return {name: middle, f"{name}_low": low, f"{name}_high": high}


def describe_band(trials: int) -> str:
    """What a band over trials is, as part of a sentence."""
    return f"the band spans the {LOW}th to {HIGH}th percentile of {trials} trials" if trials > 1 else "one trial"


def banded(names: Sequence[str], rates: Sequence[float], values: np.ndarray, ytitle: str, **more: Any) -> Figure:
    """A line per name against the rate, of values [name, rate, trial], with its band where there are several trials."""
    low, middle, high = band(values)
    lines = of_measures(names, middle, low, high) if values.shape[-1] > 1 else of_measures(names, middle)
    return against_rate(rates, lines, values, ytitle, **more)
