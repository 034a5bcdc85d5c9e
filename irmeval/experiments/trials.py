"""Values over random trials: their band, and lines with it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from irmeval.experiments.results import Figure
from irmeval.plots.curves import Curve, curves, of_measures

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


def said_of_band(trials: int) -> str:
    """What a band over trials is, as part of a sentence."""
    return f"the band spans the {LOW}th to {HIGH}th percentile of {trials} trials" if trials > 1 else "one trial"


def against_rate(
    rates: Sequence[float],
    lines: Sequence[Curve],
    values: np.ndarray,
    ytitle: str,
    *,
    top: float | None = None,
    levels: Mapping[float, str] | None = None,
    xtitle: str = "judgments kept",
    suffix: str = "%",
    **more: Any,
) -> Figure:
    """Lines against the share of the judgments that is kept, or against `levels` at even distances; `top` is the highest value there can
    be."""
    least = min(float(np.nanmin(values, initial=0.0)), 0.0)
    most = top or float(np.nanmax(values, initial=0.0)) or 1.0
    yrange = least * 1.05, most * 1.05
    return curves(rates, lines, xtitle=xtitle, ytitle=ytitle, yrange=yrange, ticks=levels, suffix=suffix, **more)


def banded(names: Sequence[str], rates: Sequence[float], values: np.ndarray, ytitle: str, **more: Any) -> Figure:
    """A line per name against the rate, of values [name, rate, trial], with its band where there are several trials."""
    low, middle, high = band(values)
    lines = of_measures(names, middle, low, high) if values.shape[-1] > 1 else of_measures(names, middle)
    return against_rate(rates, lines, values, ytitle, **more)
