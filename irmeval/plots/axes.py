"""Axes of a Plotly figure that is drawn without a browser: from values to pixels, and the texts beside them."""

import base64
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from irmeval.plots.elements import letters_of

SIZE = 12
"""Height of letters, in pixels."""
LETTER = 0.58
"""Width of a letter as a share of its height."""


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high` in values, from `start` to `end` in pixels."""

    low: float
    high: float
    start: float
    end: float
    layout: dict[str, Any]
    places: dict[str, int]
    """category -> its index"""

    def at(self, value: Any) -> float:
        """The pixel of a value, or of a category's index."""
        number = float(self.places.get(value, math.nan) if isinstance(value, str) else value)
        return self.start + (number - self.low) / ((self.high - self.low) or 1.0) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """The positions and texts of the axis's labels."""
        if "tickvals" in self.layout:
            values = array(self.layout["tickvals"])
            return list(zip(map(self.at, values), self.layout.get("ticktext", [f"{v:g}" for v in values]), strict=True))
        most = 1 + min(max(4, int(abs(self.end - self.start) / (40 if self.start > self.end else 80))), 9)  # as Plotly has them
        return [(self.at(v), text) for v, text in round_values(self.low, self.high, most)]


class Frame(NamedTuple):
    """The rectangle of the plotting area, in pixels."""

    left: float
    top: float
    right: float
    bottom: float


def array(values: Any) -> Any:
    """An array of values as Plotly keeps it; it may be packed as base64."""
    if isinstance(values, dict):
        shape = [int(n) for n in str(values["shape"]).split(",")] if "shape" in values else [-1]
        return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).reshape(shape)
    return values


def round_values(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """At most about `most` round numbers between low and high, with their texts.

    Examples
    --------
    >>> round_values(0.0, 1.0, 5)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1')]
    """
    low, high = min(low, high), max(low, high)
    if not (math.isfinite(low) and math.isfinite(high)):  # there are no values
        return []
    rough = (high - low) / most or 1.0
    ten = 10 ** math.floor(math.log10(rough))
    step = next(m * ten for m in (1, 2, 5, 10) if m * ten >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(round(k * step, 12), f"{round(k * step, 12):,.12g}") for k in range(first, last + 1)]


def axis_of(name: str, layout: dict[str, Any], data: Sequence[dict[str, Any]], frame: Frame) -> Axis:
    """An axis from the layout of a figure, and from the traces on it where the layout has no range."""
    x = name.startswith("x")
    places = {label: i for i, label in enumerate(array(layout.get("categoryarray", ())))}
    if layout.get("range") is not None:
        low, high = map(float, layout["range"])
    else:
        low, high = _extent(data, name[0], name.replace("axis", ""))
        low = min(low, 0.0) if layout.get("rangemode") == "tozero" else low
    first, last = layout.get("domain", (0, 1))
    start, end = (frame.left, frame.right) if x else (frame.bottom, frame.top)
    return Axis(low, high, start + first * (end - start), start + last * (end - start), layout, places)


def _extent(data: Sequence[dict[str, Any]], letter: str, name: str) -> tuple[float, float]:
    """A range that shows all values along an axis, with their error bars."""
    values: list[float] = []
    for trace in data:
        if trace.get(f"{letter}axis", letter) == name:
            numbers = np.array([math.nan if v is None else v for v in array(trace[letter])], float)
            error = trace.get(f"error_{letter}", {})
            values += [*numbers, *(numbers + array(error.get("array", 0.0))), *(numbers - array(error.get("arrayminus", 0.0)))]
            values += [0.0] if trace["type"] == "bar" and letter == "y" else []
    finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    away = (max(finite) - min(finite) or 1.0) * 0.05
    return min(finite) - away, max(finite) + away


def widest(axis: Axis, size: float) -> float:
    """Width of the longest label of an axis, in pixels."""
    return max((len(line) for _, text in axis.ticks() for line in letters_of(text)), default=0) * size * LETTER


def letters(axis: Axis) -> tuple[float, float]:
    """Size and rotation of the labels below or above a figure, so that no two touch."""
    size, turn = axis.layout.get("tickfont", {}).get("size", SIZE), axis.layout.get("tickangle")
    places = sorted(at for at, text in axis.ticks() if text)
    apart = min((b - a for a, b in itertools.pairwise(places)), default=math.inf)
    if turn is None and axis.layout.get("side") != "top" and widest(axis, size) > apart:
        return min(size, max(7.0, apart)), -60
    return (min(size, max(8.0, size * (apart - 4) / max(widest(axis, size), 1))), 0) if not turn else (size, turn)


def below(axis: Axis) -> float:
    """Height of labels and title below a figure, in pixels."""
    size, turn = letters(axis)
    if not turn or axis.layout.get("side") == "top" or not axis.layout.get("showticklabels", True):
        return 0.0
    return widest(axis, size) * abs(math.sin(math.radians(turn))) + (40 if title_of(axis.layout) else 16)


def title_of(axis: dict[str, Any]) -> str:
    """The title of an axis; empty where it has none."""
    title = axis.get("title") or ""
    return str(title.get("text") or "") if isinstance(title, dict) else title
