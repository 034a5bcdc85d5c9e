"""Axes of a Plotly figure that is drawn without a browser: from values to pixels, and
the texts beside them.

Also where an axis of values begins, and common scales of two figures.
"""

import base64
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.registry import check_known
from irmeval.plots.canvas import FREE, LEFT, Figure, axis_room
from irmeval.plots.elements import letters_of, measure

SIZE = 12
"""Height of letters, in pixels."""
SMALLEST = 8.0
"""Least height of letters that stand side by side, in pixels."""
LETTER = 0.58
"""Width of a letter as a share of its height."""
DIGIT = 9.5
"""Size at which `elements.measure` gives the width of a number on a page, whose font is
narrower.
"""
MINUS = "\u2212"
"""As Plotly writes it."""
GAP = 3
"""Pixels between a tick and its label."""
FINEST = 10
"""The most numbers that Plotly has beside an axis."""


@dataclass(frozen=True)
class DrawnAxis:
    """An axis from `low` to `high` in values, from `start` to `end` in pixels."""

    low: float
    high: float
    start: float
    end: float
    layout: dict[str, Any]
    places: dict[str | None, float]
    """category -> its index; a gap has none"""

    def at(self, value: Any) -> float:
        """The pixel of a value, or of a category; NaN of a gap."""
        number = float(self.places.get(value, value))
        return self.start + share(number, self.low, self.high) * (self.end - self.start)

    def pixels(self, values: Any) -> np.ndarray:
        """The pixels of several of them."""
        return np.array([*map(self.at, array(values))], float)

    def holds(self, at: float, beyond: float = 0.0) -> bool:
        """Whether a pixel is between the ends, or so little beyond one of them."""
        low, high = sorted((self.start, self.end))
        return low - beyond <= at <= high + beyond

    def ticks(self) -> list[tuple[float, str]]:
        """The positions and texts of the axis's labels."""
        if "tickvals" in self.layout:
            values = array(self.layout["tickvals"])
            texts = self.layout.get("ticktext") or [*map("{:g}".format, values)]
            return [*zip(map(self.at, values), texts, strict=True)]
        # as Plotly has them: 40 pixels for a label of an upright axis, 80 for one beside another
        room = 40 if self.start > self.end else 80
        most = 1 + min(max(4, int(abs(self.end - self.start) / room)), 9)
        return [(self.at(value), text) for value, text in round_values(self.low, self.high, most)]


class Frame(NamedTuple):
    """The rectangle of the plotting area, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def ends(self, letter: str) -> tuple[float, float]:
        """The start and end of an axis ``x`` or ``y``. Pixels count from the top, so
        that an upright axis starts at the bottom.
        """
        return {"x": (self.left, self.right), "y": (self.bottom, self.top)}[letter]


def share(value: Any, low: float, high: float) -> Any:
    """Where a number, or each of an array, is between two ends, from 0 to 1."""
    extent = (high - low) or 1.0
    return (value - low) / extent


def array(values: Any) -> Any:
    """An array of values as Plotly keeps it; it may be packed as base64."""
    if not isinstance(values, dict):
        return values
    shape = [int(n) for n in str(values.get("shape", -1)).split(",")]
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(shape)


def round_values(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """At most about `most` round numbers between low and high, with their texts.

    Examples
    --------
    >>> round_values(0.0, 1.0, 5)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1')]
    """
    low, high = min(low, high), max(low, high)
    # there may be no values
    if not math.isfinite(high - low):
        return []
    rough = (high - low) / most or 1.0
    ten = 10 ** math.floor(math.log10(rough))
    # with some tolerance: 0.3 / 3 is a little more than 0.1
    step = next(m * ten for m in (1, 2, 5, 10) if m * ten >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    # as 3 * 0.1 is 0.30000000000000004
    values = [round(k * step, 12) for k in range(first, last + 1)]
    return [(value, f"{value:,.12g}") for value in values]


def left_of(low: float, high: float) -> float:
    """The left margin of a figure whose upright axis has a title and numbers between
    these, in pixels.
    """
    numbers = [text.replace("-", MINUS) for _, text in round_values(low, high, FINEST)]
    longest = max((measure(text, DIGIT) for text in numbers), default=0.0)
    return max(LEFT, FREE + axis_room(GAP + longest))


def axis_of(
    name: str, layout: dict[str, Any], data: Sequence[dict[str, Any]], frame: Frame
) -> DrawnAxis:
    """An axis from the layout of a figure, and from the traces on it where the layout
    has no range.
    """
    places: dict[str | None, float] = {None: math.nan}
    places |= dict(zip(array(layout.get("categoryarray", ())), count(), strict=False))
    if layout.get("range") is not None:
        low, high = map(float, layout["range"])
    else:
        low, high = _extent(data, name[0], name.replace("axis", ""))
        if layout.get("rangemode") == "tozero":
            low = min(low, 0.0)
    start, end = frame.ends(name[0])
    first, last = (start + share * (end - start) for share in layout.get("domain", (0, 1)))
    return DrawnAxis(low, high, first, last, layout, places)


def _extent(data: Sequence[dict[str, Any]], letter: str, name: str) -> tuple[float, float]:
    """A range that shows all values along an axis, with their error bars."""
    finite = _shown_along(data, letter, name)
    if not finite.size:
        finite = np.array([0.0, 1.0])
    return _with_room(finite)


def _shown_along(data: Sequence[dict[str, Any]], letter: str, name: str) -> np.ndarray:
    """All finite numbers that an axis of this name must show, of the traces on it."""
    own = [trace for trace in data if trace.get(f"{letter}axis", letter) == name]
    values = np.concatenate([np.empty(0), *(_ends_along(trace, letter) for trace in own)])
    return values[np.isfinite(values)]


def _with_room(values: np.ndarray) -> tuple[float, float]:
    """A range of these values with free space on either side."""
    low, high = float(values.min()), float(values.max())
    free = AWAY * (high - low or 1.0)
    return low - free, high + free


def _ends_along(trace: dict[str, Any], letter: str) -> np.ndarray:
    """All that an axis must show of a trace: values and ends of error bars."""
    numbers = to_numbers(trace[letter])
    error = trace.get(f"error_{letter}", {})
    ends = [
        numbers,
        numbers + array(error.get("array", 0.0)),
        numbers - array(error.get("arrayminus", 0.0)),
    ]
    if trace["type"] == "bar" and letter == "y":
        ends.append(np.zeros(1))  # bars stand on 0
    return np.concatenate(ends)


def to_numbers(values: Any) -> np.ndarray:
    """Values of a trace as numbers; Plotly has None for a gap."""
    return np.array(array(values), float)


def fences(values: np.ndarray) -> tuple[float, float]:
    """Beyond which no whisker of a box of these values goes: 1.5 times the distance of
    the quartiles from each of them, as Plotly has them.
    """
    low, high = np.quantile(values, (0.25, 0.75), method="hazen").tolist()
    reach = 1.5 * (high - low)
    return low - reach, high + reach


def widest(axis: DrawnAxis, size: float) -> float:
    """Width of the longest label of an axis, in pixels."""
    lines = chain.from_iterable(letters_of(text) for _, text in axis.ticks())
    return max(map(len, lines), default=0) * size * LETTER


def _least_distance(axis: DrawnAxis) -> float:
    """Distance of the two labels of an axis that are nearest to each other, in pixels."""
    places = sorted(at for at, text in axis.ticks() if text)
    return float(np.diff(places).min(initial=math.inf))


def letters(axis: DrawnAxis) -> tuple[float, float]:
    """Size and rotation of the labels below or above a figure, so that no two touch."""
    layout = axis.layout
    size, turn = layout.get("tickfont", {}).get("size", SIZE), layout.get("tickangle")
    if turn:
        return size, turn
    width, apart = _widest_anywhere(axis, size), _least_distance(axis)
    is_above = layout.get("side") == "top"
    # as Plotly does, unless it is told not to turn them
    if turn is None and width > apart and not is_above:
        return min(size, max(7.0, apart)), -60
    smaller = min(size, max(SMALLEST, size * (apart - 4) / max(width, 1)))
    if turn is None and _widest_anywhere(axis, smaller) > apart:
        return min(size, max(SMALLEST, apart / 2)), -90
    return smaller, 0


def _widest_anywhere(axis: DrawnAxis, size: float) -> float:
    """The same as `widest` in the widest of the usual fonts, in pixels."""
    lines = chain.from_iterable(letters_of(text) for _, text in axis.ticks())
    return max((measure(line, size) for line in lines), default=0.0)


def above(axis: DrawnAxis) -> float:
    """Height of turned labels above a figure, in pixels."""
    size, turn = letters(axis)
    if not turn or axis.layout.get("side") != "top":
        return 0.0  # the margin has room for labels that are not turned
    beyond = 26 if title_of(axis.layout) else 8
    return _widest_anywhere(axis, size) + beyond


def below(axis: DrawnAxis) -> float:
    """Height of labels and title below a figure, in pixels."""
    size, turn = letters(axis)
    are_below = axis.layout.get("side") != "top" and axis.layout.get("showticklabels", True)
    if not (turn and are_below):
        return 0.0  # the margin has room for labels that are not turned
    height = widest(axis, size) * abs(math.sin(math.radians(turn)))
    beneath = 40 if title_of(axis.layout) else 16
    return height + beneath


def title_of(axis: dict[str, Any]) -> str:
    """The title of an axis; empty where it has none."""
    return str(axis.get("title", {}).get("text", ""))


def spaced_indices(count: int, most: int) -> np.ndarray:
    """The numbers from 0 to count - 1; if there are more than `most`, that many at even
    distances, with the first and the last.
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def square(figure: Figure) -> Figure:
    """Give both axes of a figure the same scale: what is equal lies on a diagonal."""
    figure.update_yaxes(scaleanchor="x", scaleratio=1, constrain="domain")
    figure.update_xaxes(constrain="domain")  # a longer range would begin elsewhere
    return figure


def on_one_scale(first: Figure, second: Figure) -> tuple[Figure, Figure]:
    """Give two figures the same ends of axes and of cell colours, except for axes of
    names, of other directions or marks.
    """
    _share_axis(first, second, "x")
    _share_axis(first, second, "y")
    for a, b in zip(first.data, second.data, strict=False):
        if a.type == b.type == "heatmap":
            a.zmin = b.zmin = min(a.zmin, b.zmin)
            a.zmax = b.zmax = max(a.zmax, b.zmax)
    return first, second


def _share_axis(first: Figure, second: Figure, letter: str) -> None:
    """Give the axes of two figures in one direction the same ends."""
    figures = first, second
    axes = [figure.layout[f"{letter}axis"] for figure in figures]
    for figure, axis in zip(figures, axes, strict=True):
        axis.range = axis.range or _ends_of_values(figure, letter)
    feet = _foot_of(first), _foot_of(second)
    _share_ends(*axes)
    if letter == "y":
        _move_feet(first, feet[0])
        _move_feet(second, feet[1])


def _foot_of(figure: Figure) -> float:
    """The lower end of the axis of heights; 0 if it has no ends."""
    return float(min(figure.layout.yaxis.range or [0.0]))


def _move_feet(figure: Figure, before: float) -> None:
    """Let drop lines, and the texts at their feet, reach the lower end of the axis, which
    was at `before`.
    """
    layout = figure.layout
    lowest = _foot_of(figure)
    for shape in layout.shapes:
        # upright, and not one of those across the figure
        end = shape.yref, shape.x1, shape.y1
        if end == (None, shape.x0, before):
            shape.y1 = lowest
    for note in layout.annotations:
        is_raised = bool(note.yshift)
        if is_raised and note.y == before:
            note.y = lowest


PLAIN = ("scatter", "box")
"""Types of traces whose values alone tell where an axis ends."""


def _ends_of_values(figure: Figure, letter: str) -> tuple[float, float] | None:
    """Where an axis without fixed ends begins and ends, from the values of the traces on
    it and their error bars; None for an axis of names, or of other traces.
    """
    axis = figure.layout[f"{letter}axis"]
    if axis.tickvals or axis.autorange or axis.type not in (None, "linear"):
        return None
    known = _known_values(figure, letter)
    if not known.size:
        return None
    low, high = _with_room(known)
    if axis.rangemode == "tozero" and known.min() >= 0:
        return 0.0, high
    return low, high


def _known_values(figure: Figure, letter: str) -> np.ndarray:
    """The values of the traces on an axis, with the ends of their error bars; none of
    names, or where they alone do not tell where it ends.
    """
    none = np.array([])
    traces = [trace.to_plotly_json() for trace in figure.data]
    kinds = {trace["type"] for trace in traces}
    if not kinds.issubset(PLAIN):
        return none
    try:
        return _shown_along(traces, letter, letter)
    except (TypeError, ValueError):  # names
        return none


def _share_ends(one: Any, other: Any) -> None:
    """Give two axes the ends of both, unless these cannot be compared."""
    have_ends = one.range and other.range
    if not have_ends or one.tickvals != other.tickvals:
        return
    (a, b), (c, d) = one.range, other.range
    rises = a <= b
    if rises != (c <= d):
        return
    if rises:
        one.range = other.range = [min(a, c), max(b, d)]
    else:  # as of ranks, whose axis begins with the highest
        one.range = other.range = [max(a, c), min(b, d)]


FIT = "fit"
"""Axes begin at 0, or near the values if their order matters and 0 is far away."""
ZERO = "zero"
"""They begin at 0."""
ZOOM = "zoom"
"""They begin near the values."""
SCALES = (FIT, ZERO, ZOOM)
NEAR = 2 / 3
"""Values are far from 0 where their extent is less than this share of the largest
absolute value.
"""
AWAY = 0.05
"""Free space on either side, as a share of the extent of the values."""


@dataclass
class Scale:
    """How figures begin their axes, and whether any figure drawn so has an axis that
    begins near its values.
    """

    how: str = FIT
    zoomed: bool = False


USUAL = Scale()
"""The scale outside of a context, where nobody reads whether a figure has zoomed."""
_SCALE: ContextVar[Scale] = ContextVar("scale", default=USUAL)


@contextmanager
def use_scale(how: str = FIT) -> Iterator[Scale]:
    """Draw figures with axes of values from 0 (``zero``), near the values (``zoom``),
    or as each figure needs (``fit``); as a context, or as a decorator of a function
    that draws.

    Raises `UnknownName` for any other word.
    """
    check_known(how, SCALES, "unknown scale")
    scale = Scale(how)
    before = _SCALE.set(scale)
    try:
        yield scale
    finally:
        _SCALE.reset(before)


def zooms(values: Any, *, order: bool = True, near: float = NEAR) -> bool:
    """Whether the axis of these values begins near them: as `use_scale` says, else
    where their `order` matters and their extent is less than the share `near` of the
    largest. Values of both signs, or all equal, have 0 on their axis.

    Examples
    --------
    >>> zooms([0.7, 0.9]), zooms([0.1, 0.9]), zooms([0.7, 0.9], order=False)
    (True, False, False)
    """
    finite = np.asarray(values, float)
    finite = finite[np.isfinite(finite)]
    if not finite.size:
        return False
    extent, farthest = np.ptp(finite), np.abs(finite).max()
    # of both signs, or all equal
    if not 0 < extent < farthest:
        return False
    how = _SCALE.get().how
    if how == FIT:
        return bool(order and extent < near * farthest)
    return how == ZOOM


def note_ends(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis of values, noted in `Scale.zoomed` if 0 lies outside them."""
    _SCALE.get().zoomed |= low > 0 or high < 0
    return low, high


def range_mode(values: Any) -> str:
    """Plotly's range mode for the axis of these values."""
    if not zooms(values):
        return "tozero"
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    away = AWAY * (most - least)
    note_ends(least - away, most + away)
    return "normal"


def axis_ends(
    whole: tuple[float, float], values: Any, *, order: bool = True
) -> tuple[float, float]:
    """The ends of an axis: `whole`, which holds 0, or near the values and within
    `whole`. A falling axis, as of ranks, stays as it is.
    """
    low, high = whole
    if low > high or not zooms(values, order=order):
        return whole
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    away = AWAY * (most - least)
    return note_ends(max(low, least - away), min(high, most + away))
