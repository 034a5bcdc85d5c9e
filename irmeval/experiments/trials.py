"""Shared parts of results over random trials: a table of all trials, a summary with
bands, and line charts.

Also what was really kept where a share was asked for.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.core.text import capitalize, count_noun
from irmeval.experiments.facts import Verdict
from irmeval.experiments.headlines import describe_crossings, falls_below
from irmeval.experiments.results import Chart, Figure, Frame, Result, Table, tidy
from irmeval.experiments.sweep import LEFT
from irmeval.plots.colors import Style
from irmeval.plots.line_charts import Crossing, against_rate, are_crowded, measure_curves
from irmeval.reductions import REDUCTIONS
from irmeval.stats.correlation import tau_b
from irmeval.stats.crossings import find_crossings
from irmeval.stats.decision_agreement import Knee, knee

CLOSE = 0.5
"""Tolerance: a realised share within this many per cent of all, and within a twentieth
of the share asked for, is as asked.
"""
TWENTIETH = 1 / 20
"""Minimum share of judgments that must be removed for a verdict on robustness."""
ROUNDED = {"ceil": "up", "half-up": "to the nearest"}
"""Text of roundings that may leave more than was asked for."""
WHOLE = 100.0
"""All judgments, in per cent."""


class Realised(NamedTuple):
    """A share asked for and the realised one: in per cent, or in documents of a
    topic.
    """

    asked: float
    left: float
    why: str = ""
    """reason for the difference"""
    unit: str = "%"
    whole: float = WHOLE
    """total amount"""

    @property
    def as_asked(self) -> bool:
        """Whether sentences may state what was asked."""
        return abs(self.left - self.asked) <= min(CLOSE, self.asked * TWENTIETH)

    @property
    def reached(self) -> float:
        """What sentences and crossings are about: what was asked, where that is
        realised but for rounding.
        """
        if self.as_asked:
            return self.asked
        return self.left

    @property
    def nearly_all(self) -> bool:
        """Whether less than a twentieth is removed; 95% asked and 95.03% left is a
        twentieth.
        """
        return self.reached > self.whole * (1 - TWENTIETH)

    @property
    def too_much(self) -> bool:
        """Whether less than a twentieth is removed although less than all was asked
        for.
        """
        return self.asked < self.whole and self.nearly_all

    @property
    def amount(self) -> str:
        """Text of the realised amount: ``10%``."""
        if self.as_asked:
            return f"{self.asked:,g}{self.unit}"
        if self.unit == "%" and self.left >= 10:
            return per_cent(self.left / WHOLE)
        return f"{self.left:.2g}{self.unit}"

    @property
    def beside(self) -> str:
        """Text after an amount that is not as asked: `` (10% asked)``; else empty."""
        if self.as_asked:
            return ""
        return f" ({self._asked})"

    @property
    def reason(self) -> str:
        """A sentence after one with `beside`: `` Every topic keeps at least 1
        document.``; else empty.
        """
        if self.beside and self.why:
            return f" {capitalize(self.why)}."
        return ""

    @property
    def _asked(self) -> str:
        return f"{self.asked:,g}{'%' if self.unit == '%' else ''} asked"

    def refuse_verdict(self) -> str:
        """The text of `refusal`."""
        return self.refusal().text

    def refusal(self) -> Verdict:
        """What stands in place of a verdict if too little is removed."""
        if self.as_asked:
            return Verdict(describe_removed(self.left), f"{self.amount} of the judgments is left.")
        said = f"{self._asked}, {self.amount} left"
        if self.why:
            said += f": {self.why}"
        return Verdict(describe_removed(self.left), f"{said}.")


def describe_removed(left: float) -> str:
    """A sentence on the removal of less than a twentieth of the judgments, of which so
    many per cent are left.
    """
    removed = "Less than a twentieth of the judgments"
    if left == WHOLE:
        removed = "No judgment"
    return f"{removed} is removed, too little to tell how robust a measure is."


def realise(params: Any, rates: Sequence[float], left: np.ndarray) -> list[Realised]:
    """Shares asked for and realised in an experiment with `params`; per cent, the mean
    over trials of `left` [rate, trial].
    """
    reduction, means = REDUCTIONS[params.method], left.mean(axis=-1).tolist()
    own = {name: getattr(params, name, one.default) for name, one in reduction.params.items()}
    more = reduction.least.format(**own)
    rounded = ROUNDED.get(own.get("rounding", ""))
    if rounded:
        more = f"numbers of documents are rounded {rounded}, and {more}"
    return [
        Realised(rate, mean, more if mean > rate else reduction.less)
        for rate, mean in zip(rates, means, strict=True)
    ]


def find_knee(found: Sequence[Realised], curve: np.ndarray, *, threshold: float = 0.9) -> Knee:
    """The knee of a curve [..., rate] over realised shares, descending; undefined if
    less than a twentieth was removed.
    """
    # the last level removes most: if that is too little, so are all
    return knee(
        np.array(_reached(found)), np.where(found[-1].too_much, np.nan, curve), threshold=threshold
    )


def find_falls(found: Sequence[Realised], curve: np.ndarray, level: float) -> np.ndarray:
    """The realised share at which a curve [..., rate] falls to a level; undefined if
    less than a twentieth was removed.
    """
    return find_crossings(_reached(found), np.where(found[-1].nearly_all, np.nan, curve), level)


def _reached(found: Sequence[Realised]) -> list[float]:
    return [one.reached for one in found]


def describe_depth(depth: int, longest: int) -> str:
    """A sentence on a pool depth that no list reaches, given the length of the longest
    list; else empty.
    """
    if depth <= longest:
        return ""
    return f"No list reaches rank {depth:,}, the longest has {count_noun(longest, 'document')}."


def note_depths(depths: Sequence[int], longest: int) -> str:
    """A sentence of a caption on pool depths that no list reaches: `` No list reaches
    rank 100.``; else empty.
    """
    deeper = [depth for depth in depths if depth > longest]
    if not deeper:
        return ""
    return f" No list reaches rank {min(deeper):,}."


def describe_span(found: Sequence[Realised]) -> str:
    """Text of several realised shares of the same share asked for: ``10%``, or ``33% to
    60% (10% asked)``.
    """
    least, most = (end(found, key=lambda one: one.left) for end in (min, max))
    beside = next((one.beside for one in found if one.beside), "")
    if least.amount == most.amount:
        return f"{least.amount}{beside}"
    return f"{least.amount} to {most.amount}{beside}"


def describe_asked(found: Sequence[Realised]) -> str:
    """A sentence of a caption on shares that are not as asked: `` Judged: 60% (50%
    asked), 33% (10% asked).``; else empty.
    """
    apart = [f"{one.amount}{one.beside}" for one in found if not one.as_asked]
    if not apart:
        return ""
    return f" Judged: {', '.join(apart)}."


def describe_spread(trials: int, what: str, *, random: bool, wide: bool) -> str:
    """A sentence of a caption on what bands over trials span, or why there are none:
    `random` if trials differ at all, `wide` if a band has a width.
    """
    if trials == 1:
        return " One trial."
    if not random:
        return " Nothing is random, so all trials are equal."
    if not wide:
        return f" All {trials} trials are equal."
    # of fewer, no trial is beyond these percentiles
    if trials < WHOLE / LOW:
        return f" {what} spans the middle {HIGH - LOW}% of {trials} trials, interpolated."
    return f" {what} spans the {LOW}th to {HIGH}th percentile of {trials} trials."


def name_bands(low: np.ndarray, high: np.ndarray, trials: int) -> str:
    """What spans the trials in a chart: bars, where bands would cover each other."""
    if trials > 1 and are_crowded(low, high):
        return "Each bar"
    return "The band"


CHANCE = "at-random"
"""A method whose trials differ, for experiments without a choice of methods."""
EQUIVALENT = 0.9
"""Correlation from which two orders commonly count as equivalent (Voorhees 2001)."""
LOW = 5
"""Lower percentile of bands over trials."""
HIGH = 95
"""Upper percentile."""


class OverTrials:
    """A result over random trials. Its arrays have the axes in `axes`, and trials
    last.
    """

    measures: tuple[str, ...]
    params: Any
    columns: tuple[str, ...] = ()
    """attributes with such arrays"""
    left: np.ndarray | None
    """float64 [..., trial], realised share of the judgments, in per cent; None if no
    share is asked for
    """

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        """Name of each axis before the trials, and its labels: measures and rates (per
        cent) by default.
        """
        return {"measure": self.measures, "rate": self.params.rates}

    @property
    def observed(self) -> dict[str, np.ndarray]:
        """Column name -> array [axis, ..., trial]; leading axes may be missing."""
        return {name: getattr(self, name) for name in self.columns}

    @cached_property
    def realised(self) -> list[Realised]:
        """Realised shares at each rate; empty if no share is asked for."""
        if self.left is None:
            return []
        return realise(self.params, self.params.rates, self.left)

    @property
    def lowest(self) -> str:
        """How far curves were followed that do not fall: ``not down to 10``, in per
        cent of the judgments.
        """
        return f"not down to {_reached(self.realised)[-1]:.3g}"

    def describe_falls(self, what: str, names: Sequence[Any], curves: np.ndarray) -> str:
        """A sentence on the realised shares at which curves of tau [name, rate] fall to
        `EQUIVALENT`; empty if there are none.
        """
        falls = find_falls(self.realised, curves, EQUIVALENT)
        return describe_crossings(
            what,
            falls_below(EQUIVALENT),
            names,
            falls,
            "at {:.0f}%".format,
            end=f"{self.lowest}%",
            first=_reached(self.realised)[0],
            descending=True,
        )

    @property
    def x_axis(self) -> dict[str, Any]:
        """Options of the x-axis of charts: `rates`, the positions along it, and options
        of `irmeval.plots.line_charts.against_rate`.
        """
        axis = {"rates": self.params.rates}
        if all(one.as_asked for one in self.realised):
            return axis
        return axis | {"xtitle": "judgments asked for"}

    @property
    def band_of(self) -> str:
        """Caption text after *the band* if not every line has one."""
        return ""

    def describe_bands(self, what: str = "The band", *, wide: bool = True) -> str:
        """Sentences of a caption on the bands, and on realised shares that are not as
        asked; `wide` if a band has a width.
        """
        random = REDUCTIONS[getattr(self.params, "method", CHANCE)].random
        spread = describe_spread(
            self.params.trials, f"{what}{self.band_of}", random=random, wide=wide
        )
        return f"{spread}{describe_asked(self.realised)}"

    def frame(self) -> Frame:
        """One row per observation: labels along the axes, realised share, trial,
        values.
        """
        left: dict[str, np.ndarray] = {}
        if self.left is not None:
            left = {LEFT: self.left}
        made = tidy({**self.axes, "trial": range(1, self.params.trials + 1)}, left | self.observed)
        return made[[*self.axes, *left, *made.columns[len(self.axes) :].drop([*left])]]

    def summary(self) -> Frame:
        """One row per combination of the axes: means over trials."""
        return (
            self.frame()
            .drop(columns="trial")
            .groupby([*self.axes], sort=False)
            .mean()
            .reset_index()
        )

    def tables(self) -> list[Table]:
        """Means over trials; every trial."""
        return [
            Table("summary", "Summary", self.summary),
            Table("trials", "Every trial", self.frame),
        ]

    def line_chart(
        self,
        name: str,
        title: str,
        caption: str,
        values: np.ndarray,
        ytitle: str = "",
        lines: Sequence[str] = (),
        **more: Any,
    ) -> Chart:
        """A line per measure, or per name in `lines`, of values [line, x, trial] with
        their bands.

        `ytitle` is by default the title in lower case. With a `threshold`, the chart
        marks where lines fall to it, or with `rising` where they rise to it.
        """
        names, ytitle = lines or self.measures, ytitle or title.lower()
        low, _, high = band(values)
        wide = bool((high > low).any())
        said = self.describe_bands(name_bands(low, high, values.shape[-1]), wide=wide)
        return Chart(
            name,
            title,
            f"{caption}{said}",
            lambda: banded(names, values=values, ytitle=ytitle, **self.x_axis, **more),
        )

    def tau_chart(
        self,
        whose: str,
        values: np.ndarray,
        ytitle: str = "Kendall's tau",
        lines: Sequence[str] = (),
        **more: Any,
    ) -> Chart:
        """Line chart of Kendall's tau between the order of the runs and a reference
        order, which `whose` describes.
        """
        caption = (
            f"Agreement of the order of the runs with that {whose}. 1 is the same order; above the"
            " dotted 0.9, two orders commonly count as equivalent."
        )
        return self.line_chart(
            "tau",
            "Kendall's tau",
            caption,
            values,
            ytitle,
            lines,
            top=1.0,
            threshold=EQUIVALENT,
            **more,
        )


class Banded(OverTrials):
    """The same with bands in the summary, except for columns that lack the first
    axis.
    """

    def summary(self) -> Frame:
        """One row per combination of the axes: means over trials, with their 5th and
        95th percentiles.
        """
        columns = dict[str, np.ndarray]()
        if self.left is not None:
            columns[LEFT] = self.left.mean(axis=-1)
        for name, values in self.observed.items():
            low, columns[name], high = band(values)
            if values.ndim > len(self.axes):
                columns |= {f"{name}_low": low, f"{name}_high": high}
        return tidy(self.axes, columns)


class OfMeans(OverTrials, Result):
    """A result that compares the means of runs on fewer judgments with those on all."""

    full: np.ndarray
    """float64 [measure, run], means on all judgments"""
    means: np.ndarray
    """float64 [..., measure, level, trial, run], means on fewer judgments"""
    measures: tuple[Any, ...]
    runs: tuple[str, ...]
    params: Any

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over runs [..., measure, level, trial]."""
        return self.means.mean(axis=-1)

    @cached_property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b between the order of the runs and their order on all
        judgments [..., measure, level, trial].
        """
        return tau_b(self.means, self.full[:, None, None])

    @cached_property
    def error(self) -> np.ndarray:
        """Root mean square, over runs, of a mean minus that on all judgments [...,
        measure, level, trial].
        """
        return np.sqrt(((self.means - self.full[:, None, None]) ** 2).mean(axis=-1))


def over_trials(values: np.ndarray) -> np.ndarray:
    """Mean along the last axis of the trials that have a value; NaN if none has."""
    known = ~np.isnan(values)
    # NumPy's nanmean would warn where no trial has a value
    n = np.count_nonzero(known, axis=-1)
    return np.where(known, values, 0).sum(axis=-1) / np.where(n > 0, n, np.nan)


def band(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """5th percentile, mean and 95th percentile along the last axis, of the trials that
    have a value.
    """
    known = ~np.isnan(values)
    if known.all():  # many times as fast
        low, high = np.percentile(values, [LOW, HIGH], axis=-1)
        return low, over_trials(values), high
    # NumPy warns where a trial has no value
    some = np.where(known.any(axis=-1, keepdims=True), values, 0)
    ends = np.nanpercentile(some, [LOW, HIGH], axis=-1)
    low, high = np.where(known.any(axis=-1), ends, np.nan)
    return low, over_trials(values), high


def banded(
    names: Sequence[str],
    rates: Sequence[float],
    values: np.ndarray,
    ytitle: str,
    *,
    threshold: float | None = None,
    rising: bool = False,
    crossings: Mapping[str, Crossing] | None = None,
    styles: Sequence[Style] = (),
    **more: Any,
) -> Figure:
    """A line per name against the rate, from values [name, rate, trial], with a band
    where there are several trials, and marked where it crosses the threshold: at
    `crossings`, if they are given. `styles` are those of the lines, by default of
    measures with their names.
    """
    low, middle, high = band(values)
    if threshold is not None and crossings is None:
        at = find_crossings(rates, middle, threshold, rising=rising).tolist()
        unit = more.get("suffix", "%")
        found = zip(map(str, names), at, strict=True)
        crossings = {name: Crossing(x, f"{x:.0f}{unit}") for name, x in found}
    if threshold is not None:
        more |= {"threshold": threshold, "crossings": crossings}
    lines = measure_curves(names, middle)
    if values.shape[-1] > 1:
        lines = measure_curves(names, middle, low, high)
        more |= {"bars": are_crowded(low, high)}
    if styles:
        lines = [line._replace(style=own) for line, own in zip(lines, styles, strict=True)]
    return against_rate(rates, lines, values, ytitle, **more)
