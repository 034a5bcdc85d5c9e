"""The tables of *Curves*: every trial, means over trials, where curves fall."""

from functools import partial
from typing import Any

import numpy as np

from irmeval.core.params import format_value
from irmeval.experiments import facts
from irmeval.experiments.facts import Fact
from irmeval.experiments.headlines import falls_below
from irmeval.experiments.incompleteness.watched_facts import falls
from irmeval.experiments.incompleteness.watched_values import CurveValues
from irmeval.experiments.results import Frame, Table, tidy
from irmeval.experiments.sweep import LEFT
from irmeval.experiments.trials import band
from irmeval.experiments.watched.base import Curve
from irmeval.stats.crossings import NEVER, describe_crossing


def list_tables(watched: CurveValues) -> list[Table]:
    """Means over trials; where curves fall to the value that counts; those of what was
    watched; every trial.
    """
    made = [Table("summary", "Summary", partial(summarize, watched))]
    if watched.with_level:
        made.append(Table("crossings", "Levels", lambda: _crossings(watched)))
    for one in watched.statistics:
        made += one.tables(watched)
    return [*made, Table("trials", "Every trial", watched.frame)]


def list_trials(watched: CurveValues) -> Frame:
    """One row per observation: measure, line, level, share left, trial, and what was
    watched.
    """
    axes, observed = _axes(watched), _observed(watched)
    along = {**axes, "trial": range(1, watched.params.trials + 1)}
    made = tidy(along, {LEFT: _rows(watched, watched.left), **observed})
    return made[[*axes, LEFT, "trial", *observed]]


def _axes(watched: CurveValues) -> dict[str, Any]:
    """The columns that name a row, and their values; only those that rows differ in."""
    axes: dict[str, Any] = {
        "measure": watched.measures,
        "line": [line.name for line in watched.lines],
        "level": watched.levels,
    }
    if not watched.by.name:
        del axes["line"]
    if not any(one.measured for one in watched.statistics):
        del axes["measure"]
    return axes


def _observed(watched: CurveValues) -> dict[str, np.ndarray]:
    return {name: _rows(watched, values) for name, values in watched.values.items()}


def _rows(watched: CurveValues, values: np.ndarray) -> np.ndarray:
    """Values without the axis of lines if there are none: it is before levels and
    trials.
    """
    if watched.by.name:
        return values
    return values[..., 0, :, :]


def summarize(watched: CurveValues) -> Frame:
    """One row per measure, line and level: means over trials, of what charts show with
    their 5th and 95th percentiles.
    """
    columns = {LEFT: _rows(watched, watched.left).mean(axis=-1)}
    charted = {curve.column for _, curve in watched.charted}
    for name, values in _observed(watched).items():
        low, columns[name], high = band(values)
        if name in charted and watched.measured(name):
            columns |= {f"{name}_low": low, f"{name}_high": high}
    return tidy(_axes(watched), columns)


def _crossings(watched: CurveValues) -> Frame:
    """Where each curve falls to the value that counts, and the kappa there if that is
    watched.
    """
    of_measures = [each for each in watched.with_level if watched.measured(each.column)]
    if not of_measures:
        # a curve of no measure has its own table only where there is no other
        return _crossings_of(watched, watched.with_level[0]).drop(columns="measure")
    made, *others = (_crossings_of(watched, curve) for curve in of_measures)
    for other in others:
        where = other.columns[-1]
        made[where] = other[where]
    if "kappa" in watched.values and watched.correlation:
        made["kappa at tau 0.9"] = watched.kappa_at_tau.ravel()
    return made


def _crossings_of(watched: CurveValues, curve: Curve) -> Frame:
    """The same for the lines of one chart: measure, line, level in words."""
    below = falls_below(curve.level or 0).removeprefix("falls ")
    unit = watched.axis.suffix or watched.axis.xtitle
    column = f"{curve.column} {below} at, {unit}"
    write = partial(_cell, watched)
    return facts.table(falls(watched, curve), column, write, lines=bool(watched.by.name))


def _cell(watched: CurveValues, fact: Fact) -> str:
    """Where a curve falls, as a cell; how far it was followed if it does not."""
    if fact.level == NEVER:
        return f"not {watched.direction} to {format_value(watched.levels[-1])}"
    if watched.realised:
        return describe_crossing(fact.left, "")
    return describe_crossing(fact.level, "")
