"""Lines of a chart: by the levels of a second axis, by a choice of the axis, or by gain
maps.
"""

from collections.abc import Mapping, Sequence
from itertools import chain, product
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import Field, format_value
from irmeval.core.registry import check_known
from irmeval.core.text import shorten
from irmeval.experiments.axes.base import AXES, Axis, Trial
from irmeval.experiments.sweep import Drawn
from irmeval.reading.gain_maps import PRESETS

GAINS = "gains"
"""Lines by gain maps, named as in `irmeval.reading.gain_maps.PRESETS`."""


class By(NamedTuple):
    """What tells lines apart, and its values."""

    name: str = ""
    """of an axis, of a choice of the axis, or `GAINS`; empty for no lines"""
    values: tuple[Any, ...] = ()

    @property
    def text(self) -> str:
        """As it is given: ``judge=lenient,strict``."""
        if not self.name:
            return ""
        return f"{self.name}={','.join(map(format_value, self.values))}"

    @property
    def axis(self) -> Axis | None:
        """The second axis, if lines are by its levels."""
        if self.name not in AXES:
            return None
        return AXES[self.name]


class Line(NamedTuple):
    """One line."""

    name: str
    """the value that tells it apart, as text; empty for the only one"""
    own: Any
    """the axis' own parameters on this line"""
    level: Any = None
    """of the second axis"""
    gains: str | None = None
    """name of a gain map; None for the policy's own"""


def choices_of(axis: Axis) -> dict[str, Field]:
    """The axis' own parameters that lines may differ in."""
    return {name: field for name, field in axis.own.items() if field.param.choices}


def names_for(axis: Axis) -> list[str]:
    """What lines may differ in."""
    return [*(name for name in AXES if name != axis.name), *choices_of(axis), GAINS]


def parse_lines(text: str, axis: Axis) -> By:
    """Read ``NAME=V,V``; of a name with an underscore, what is before it is enough.
    Raises `ParamError` for a name or a value that lines of this axis cannot have.
    """
    if not text:
        return By()
    name, _, listed = text.partition("=")
    if not listed:
        raise ParamError(
            f"by: expected NAME=V,V, as in judgments=100,10, found {shorten(text)}; NAME is one of"
            f" {', '.join(names_for(axis))}."
        )
    if name == axis.name:
        raise ParamError(f"by: {name} is what disappears already; choose another name.")
    known = names_for(axis)
    name = next((one for one in known if one.startswith(f"{name}_")), name)
    check_known(name, known, "by: unknown name", ParamError)
    values = [*map(str.strip, listed.split(","))]
    if name in AXES:
        return By(name, AXES[name].levels.check(values))
    if name == GAINS:
        checked = [*map(_check_gain_map, values)]
    else:
        checked = [*map(axis.own[name].check, values)]
    return By(name, tuple(dict.fromkeys(checked)))


def _check_gain_map(name: str) -> str:
    check_known(name, PRESETS, "by: unknown gain map", ParamError)
    return name


def lines_of(by: By, own: Any, values: Sequence[Any]) -> list[Line]:
    """The lines; one without a name if there are none. `own` are the axis' own
    parameters, `values` those that tell lines apart, of a second axis the levels that
    there can be.
    """
    if not by.name:
        return [Line("", own)]
    return [_line_of(by, value, own) for value in values]


def _line_of(by: By, value: Any, own: Any) -> Line:
    """The line at a level of the second axis, of a gain map, or of a choice of the axis."""
    if by.axis:
        return Line(format_value(value), own, value)
    if by.name == GAINS:
        return Line(value, own, gains=value)
    return Line(value, type(own)(**{**vars(own), by.name: value}))


def draw_lines(
    trial: Trial, axis: Axis, beside: Axis | None, of_beside: Any, wanted: Mapping[Line, Any]
) -> dict[tuple[Line, Any], Drawn]:
    """What is left on each line at its levels; `of_beside` are the own parameters of
    the second axis.
    """
    collection = trial.collection
    made: dict[tuple[Line, Any], Drawn] = {}
    if beside is None:
        for line, levels in wanted.items():
            drawn = axis.draw(trial, levels, line.own)
            made |= dict(zip(product([line], levels), drawn, strict=True))
        return made
    lines = [*wanted]
    # all lines share what the first axis leaves, so that only the second tells them apart
    every = list(dict.fromkeys(chain.from_iterable(wanted.values())))
    # lines of a second axis differ in its level alone, so any of them has the parameters of the
    # first
    first = dict(zip(every, axis.draw(trial, every, lines[0].own), strict=True))
    second = beside.draw(trial, [line.level for line in lines], of_beside)
    for line, kept in zip(lines, second, strict=True):
        made |= {(line, level): both(collection, first[level], kept) for level in wanted[line]}
    return made


def both(collection: Collection, one: Drawn, other: Drawn) -> Drawn:
    """What two samples leave together: a judgment and a topic that both keep, and the
    grade that either changed.
    """
    in_use = [each.topics for each in (one, other) if each.topics is not None]
    topics = np.logical_and.reduce(in_use) if in_use else None
    # the array itself, where only one has changed it: equal arrays are scored once
    if one.grades is collection.grade:
        return Drawn(other.grades, topics)
    if other.grades is collection.grade:
        return Drawn(one.grades, topics)
    changed = np.where(one.grades != collection.grade, one.grades, other.grades)
    # a dropped judgment is negative, so the lower one is dropped where either is
    dropped = np.minimum(one.grades, other.grades)
    return Drawn(np.where(dropped < 0, dropped, changed).astype(one.grades.dtype), topics)


def at_whole(axis: Axis, level: Any, beside: Axis | None, line: Line) -> bool:
    """Whether nothing is taken away at a level of a line."""
    return axis.whole == level and (beside is None or beside.whole == line.level)
