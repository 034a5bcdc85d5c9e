"""Figures as SVG pictures, drawn without a browser.

It draws what the figures of this package are made of: lines, bands, markers, error
bars, bars, boxes, cells, words and straight shapes. It refuses everything else, so that
no figure is drawn with a part missing.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.plots import elements
from irmeval.plots.axes import (
    LETTER,
    SIZE,
    DrawnAxis,
    Frame,
    array,
    axis_of,
    below,
    letters,
    round_values,
    title_of,
    to_numbers,
    widest,
)
from irmeval.plots.elements import INK, letters_of
from irmeval.plots.theme import GREY

WIDTH = 720
LEGEND = 94
"""Width of a legend in the corner of a matrix, in pixels."""
AWAY = 8
"""Pixels from a point to words beside it."""
DASHES = {"dash": "8 5", "dot": "2 3", "solid": ""}
GRID = "rgba(128,128,128,0.2)"


def svg(figure: Any, *, pixels: int | None = None) -> str:
    """A Plotly figure as the text of an SVG file; text in it is data and never markup.

    It has no fixed size, and every label fits even without its font; with `pixels` it
    has this width.

    Raises `ParamError` for a kind of trace that the package does not draw.
    """
    given = figure if isinstance(figure, dict) else figure.to_dict()
    data, layout = given["data"], given["layout"]
    width, height, margin = pixels or WIDTH, layout.get("height", 440), layout["margin"]
    for_title = 14 if title_of(layout["yaxis"]) else 0
    frame = Frame(margin["l"] + for_title, margin["t"], width - margin["r"], height - margin["b"])
    names = [name for name in layout if name.startswith(("xaxis", "yaxis"))]
    axes = {name: axis_of(name, layout[name], data, frame) for name in names}
    # turned labels may take more room than the margin has
    taken = max(below(axis) for name, axis in axes.items() if name.startswith("x"))
    height += max(0.0, taken - margin["b"])
    # in this order, as what comes later covers what is there
    parts = [*_grid(axes, frame)]
    for trace in data:
        parts += _trace(trace, axes, frame)
    for shape in layout.get("shapes", ()):
        parts += _shape(shape, axes, frame)
    for note in layout.get("annotations", ()):
        parts += _note(note, axes, frame)
    if layout.get("showlegend"):
        parts += _legend(data, frame)
    left, top, right, bottom = _bounds(parts, width, height, fixed=bool(pixels))
    size = f' width="{width}" height="{height:g}"' if pixels else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {right - left}'
        f' {bottom - top}"{size} font-family="system-ui, sans-serif" font-size="{SIZE}"'
        f' fill="{INK}">{"".join(parts)}</svg>'
    )


def _bounds(
    parts: Iterable[str], width: float, height: float, *, fixed: bool
) -> tuple[int, int, int, int]:
    """The rectangle that is seen: left, top, right, bottom. Unless it is fixed, it holds
    every text, also in a font that is wider than the one that was measured.
    """
    boxes = [(0.0, 0.0, float(width), float(height))]
    if not fixed:
        boxes += [part.box for part in parts if isinstance(part, elements.Words)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    ends = math.ceil(max(rights)), math.ceil(max(bottoms))
    return math.floor(min(lefts)), math.floor(min(tops)), *ends


def _trace(trace: dict[str, Any], axes: Mapping[str, DrawnAxis], frame: Frame) -> Iterable[str]:
    """A trace on its axes. Lines and markers end at the frame; texts may go beyond."""
    x, y = (axes[f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}"] for letter in "xy")
    if trace.get("mode") == "text":
        return _labels(trace, x, y, frame)
    draw = DRAWN.get(trace["type"], _unknown)
    drawn = draw(trace, x, y, frame)
    return [elements.clipped("".join(drawn), *frame)] if draw is _scatter else drawn


def pictures(figures: Mapping[str, Any]) -> dict[str, str]:
    """Figures, by name, as SVG; a figure that `svg` refuses is left out."""
    drawn = {}
    for name, figure in figures.items():
        with suppress(ParamError):
            drawn[name] = svg(figure)
    return drawn


def _grid(axes: dict[str, DrawnAxis], frame: Frame) -> Iterator[str]:
    """Lines, labels and titles of the axes."""
    for name, axis in axes.items():
        if axis.layout.get("visible", True):
            yield from _across(axis, frame) if name.startswith("x") else _upright(axis, frame)


def _across(axis: DrawnAxis, frame: Frame) -> Iterator[str]:
    """An axis below the figure, or above it."""
    layout, title = axis.layout, title_of(axis.layout)
    above, labelled = layout.get("side") == "top", layout.get("showticklabels", True)
    size, turn = letters(axis)
    yield from _rules(axis, frame, across=True)
    for at, text in _seen(axis) if labelled else ():
        if turn:
            y, anchor = (frame.top - 6, "start") if above else (frame.bottom + 8, "end")
            yield elements.text(at, y, text, anchor, size, turn)
        else:
            raised = 10 + text.count("<br>") * size * 1.2
            y = frame.top - raised if above else frame.bottom + 13
            yield elements.text(at, y, text, "middle", size)
    middle = (axis.start + axis.end) / 2
    if title and above:
        yield elements.text(middle, 12, title, "middle", 13)
    elif title:
        turned = widest(axis, size) * abs(math.sin(math.radians(turn))) + 24
        away = (turned if turn else 36) if labelled else 24
        yield elements.text(middle, frame.bottom + away, title, "middle", 13)


def _upright(axis: DrawnAxis, frame: Frame) -> Iterator[str]:
    """An axis on the left of the figure."""
    layout, title = axis.layout, title_of(axis.layout)
    size = layout.get("tickfont", {}).get("size", SIZE)
    yield from _rules(axis, frame, across=False)
    if layout.get("showticklabels", True):
        for at, text in _seen(axis):
            yield elements.text(frame.left - 7, at, text, "end", size)
    if title:
        left = frame.left - widest(axis, size) - 22 - 16 * title.count("<br>")
        middle = (axis.start + axis.end) / 2
        yield elements.text(max(12.0, left), middle, title, "middle", 13, -90)


def _seen(axis: DrawnAxis) -> list[tuple[float, str]]:
    """The labels between the ends of an axis, of which figures may declare more."""
    low, high = sorted((axis.start, axis.end))
    return [(at, text) for at, text in axis.ticks() if low - 0.5 <= at <= high + 0.5]


def _rules(axis: DrawnAxis, frame: Frame, *, across: bool) -> Iterator[str]:
    """The lines of the grid, and the one at zero."""
    layout = axis.layout
    if layout.get("showgrid", True):
        for at, _ in _seen(axis):
            yield _rule(at, across, frame, GRID)
    low, high = sorted((axis.start, axis.end))
    if layout.get("zeroline") and low <= axis.at(0.0) <= high:
        yield _rule(axis.at(0.0), across, frame, layout.get("zerolinecolor", GREY))


def _rule(at: float, across: bool, frame: Frame, color: str) -> str:
    """A line through the whole figure at a place on an axis."""
    ends = (at, frame.top, at, frame.bottom) if across else (frame.left, at, frame.right, at)
    return elements.line(*ends, color)


def _places(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> list[tuple[float, float] | None]:
    """Places of the points of a trace; None for those that are not drawn."""
    points = zip(array(trace["x"]), array(trace["y"]), strict=True)
    return [(x.at(a), y.at(b)) if _are_drawn(a, b) else None for a, b in points]


def _scatter(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    mode, points = trace.get("mode", "lines"), _places(trace, x, y)
    here = [*filter(None, points)]
    is_area = bool(here) and trace.get("fill") == "toself"
    if is_area:
        yield f'<path d="{elements.path(here)}Z" {elements.fill(trace["fillcolor"])}/>'
    if "lines" in mode and trace.get("line", {}).get("width", 2):
        yield _line(trace, points)
    for letter in "xy":
        if error := trace.get(f"error_{letter}"):
            yield from _errors(trace, error, x, y, letter)
    if "markers" in mode:
        yield from _markers(trace, points)


def _line(trace: dict[str, Any], points: Sequence[tuple[float, float] | None]) -> str:
    """A line, which has gaps where there are no points."""
    line = trace["line"]
    parts = [*_parts(points)]
    if line.get("shape") == "hv":
        parts = [*map(_stepped, parts)]
    looks = elements.stroke(line["color"], line.get("width", 2))
    if dash := DASHES[line.get("dash", "solid")]:
        looks += f' stroke-dasharray="{dash}"'
    if trace.get("opacity", 1) != 1:
        looks += f' opacity="{trace["opacity"]}"'
    return f'<path d="{"".join(map(elements.path, parts))}" fill="none" {looks}/>'


def _markers(trace: dict[str, Any], points: Sequence[tuple[float, float] | None]) -> Iterator[str]:
    """Marks at the points, unless they are invisible ones, which only show texts."""
    marker = trace.get("marker", {})
    if marker.get("opacity", 1) == 0:
        return
    symbol = marker.get("symbol", "circle")
    looks = [marker.get(name, 1) for name in ("size", "color", "opacity")]
    for i, point in enumerate(points):
        if point is None:
            continue
        size, color, opacity = (_own(values, i) for values in looks)
        opacity *= trace.get("opacity", 1)
        yield elements.marker(*point, size / 2, _own(symbol, i), color, opacity)


def _labels(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    """Words on one side of each point, which may lie outside the frame."""
    anchor, away = ("end", -AWAY) if trace["textposition"].endswith("left") else ("start", AWAY)
    for a, b, words in zip(array(trace["x"]), array(trace["y"]), trace["text"], strict=True):
        yield elements.text(
            x.at(a) + away, y.at(b), words.strip(), anchor, trace["textfont"]["size"]
        )


def _own(values: Any, i: int) -> Any:
    """The value of point i, from a value for each point or one for all."""
    values = array(values)
    return values if isinstance(values, str | int | float) else values[i]


def _errors(
    trace: dict[str, Any], error: dict[str, Any], x: DrawnAxis, y: DrawnAxis, letter: str
) -> Iterator[str]:
    ends = zip(
        array(trace["x"]),
        array(trace["y"]),
        array(error["arrayminus"]),
        array(error["array"]),
        strict=True,
    )
    looks = error["color"], error["thickness"]
    for a, b, less, more in ends:
        if not math.isfinite(less + more):  # one topic alone has no interval
            continue
        if letter == "x":
            yield elements.line(x.at(a - less), y.at(b), x.at(a + more), y.at(b), *looks)
        else:
            yield elements.line(x.at(a), y.at(b - less), x.at(a), y.at(b + more), *looks)


def _bar(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    lies = trace.get("orientation") == "h"
    places, ends = (array(trace[letter]) for letter in ("yx" if lies else "xy"))
    begins = array(trace.get("base", [0.0] * len(ends)))
    across, along = (y, x) if lies else (x, y)
    half = abs(across.at(1.0) - across.at(0.0)) * 0.42
    for i, (place, begin, length) in enumerate(zip(places, begins, ends, strict=True)):
        middle = across.at(place)
        first, last = sorted((along.at(begin), along.at(begin + length)))
        box = (middle - half, first, middle + half, last)
        left, top, right, bottom = (box[1], box[0], box[3], box[2]) if lies else box
        style = elements.fill(_own(trace["marker"]["color"], i))
        yield elements.box(left, top, right, bottom, style)


def _box(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    """Quartiles, whiskers to the last value within 1.5 times their distance, and dots
    for values beyond; or all values as dots.
    """
    groups, values = np.asarray(array(trace["x"])), to_numbers(trace["y"])
    half = abs(x.at(1.0) - x.at(0.0)) * 0.25
    for group in np.unique(groups):
        here = values[(groups == group) & np.isfinite(values)]
        if not here.size:
            continue
        at = x.at(float(group))
        if trace["boxpoints"] == "all":
            # side by side in seven columns, so that equal values are all seen
            away = half * np.linspace(-0.8, 0.8, 7)[np.arange(here.size) % 7]
            yield from _dots(trace, at + away, here, y)
            continue
        low, middle, high = np.quantile(here, (0.25, 0.5, 0.75), method="hazen")  # as Plotly
        reach = 1.5 * (high - low)
        inside = here[(here >= low - reach) & (here <= high + reach)]
        color, line = trace["line"]["color"], trace["line"]["width"]
        style = f"{elements.fill(trace['fillcolor'])} {elements.stroke(color, line)}"
        yield elements.box(at - half, y.at(high), at + half, y.at(low), style)
        yield elements.line(at - half, y.at(middle), at + half, y.at(middle), color, 1.5)
        yield elements.line(at, y.at(inside.min()), at, y.at(low), color, line)
        yield elements.line(at, y.at(high), at, y.at(inside.max()), color, line)
        beyond = np.setdiff1d(here, inside)
        yield from _dots(trace, np.full(beyond.size, at), beyond, y)


def _dots(
    trace: dict[str, Any], across: np.ndarray, values: np.ndarray, y: DrawnAxis
) -> Iterator[str]:
    marker = trace["marker"]
    r, color, opacity = marker["size"] / 2, marker["color"], marker["opacity"]
    for at, value in zip(across, values, strict=True):
        yield elements.marker(at, y.at(value), r, "circle", color, opacity)


def _heatmap(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    z, xs, ys = np.array(array(trace["z"]), float), array(trace["x"]), array(trace["y"])
    half_x, half_y = abs(x.at(x.low + 1) - x.at(x.low)) / 2, abs(y.at(y.low + 1) - y.at(y.low)) / 2
    gap = 0.5 if trace.get("xgap") else 0.0
    low, high, scale = trace["zmin"], trace["zmax"], _scale(trace)
    known = [(int(r), int(c)) for r, c in np.argwhere(np.isfinite(z))]
    colors = [scale((row - low) / ((high - low) or 1.0)) for row in z]
    # by colour, as strokes of one path: a fifth of the bytes that rectangles take
    cells: dict[str, list[str]] = {}
    for r, c in known:
        left, right = x.at(xs[c]) - half_x + gap, x.at(xs[c]) + half_x - gap
        stroke = f"M{left:.1f} {y.at(ys[r]):.2f}H{right:.1f}"
        cells.setdefault(colors[r][c], []).append(stroke)
    for color, strokes in cells.items():
        thick = elements.stroke(color, 2 * (half_y - gap))
        yield f'<path d="{"".join(strokes)}" {thick}/>'
    if trace.get("texttemplate"):
        ink, texts = trace.get("textfont", {}).get("color", INK), trace["text"]
        for r, c in known:
            at = x.at(xs[c]), y.at(ys[r])
            yield elements.text(*at, texts[r][c], "middle", 11, color=ink)
    if not trace.get("showscale", True):
        return
    named = "ticktext" in trace["colorbar"]
    yield from _bar_in_corner(trace, scale, frame) if named else _bar_above(trace, scale)


Scale = Callable[[np.ndarray], list[str]]
"""The colours of levels from 0 to 1."""


def _bar_in_corner(trace: dict[str, Any], scale: Scale, frame: Frame) -> Iterator[str]:
    """The colours of cells with their meanings, in the corner between the names."""
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    tall = float(bar["len"])
    left, top = frame.left - LEGEND, frame.top - tall - 4
    yield from _stretch(scale, left, top, 8.0, tall)
    for value, text in zip(bar["tickvals"], bar["ticktext"], strict=True):
        at = top + tall * (1 - (value - low) / (high - low))
        yield elements.text(left + 12, at, text, "start", 10)


def _bar_above(trace: dict[str, Any], scale: Scale) -> Iterator[str]:
    """The same in one line above the figure, from the lowest value to the highest."""
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    wide, n = float(bar["len"]), 40
    left, top, bottom = 10.0, 2.0, 14.0
    for i, color in enumerate(scale((np.arange(n) + 0.5) / n)):
        ends = left + i * wide / n, left + (i + 1) * wide / n
        yield elements.box(ends[0], top, ends[1], bottom, elements.fill(color))
    for value, text in round_values(low, high, bar["nticks"]):
        said = f"{value:.0%}" if bar.get("tickformat") == ".0%" else text
        at = left + wide * (value - low) / ((high - low) or 1.0)
        yield elements.text(at, bottom + 9, said, "middle", 11)
    yield elements.text(left + wide + 8, (top + bottom) / 2, bar["title"]["text"], "start", 12)


def _stretch(scale: Scale, left: float, top: float, width: float, height: float) -> Iterator[str]:
    """A scale of colours, with the lowest value at the bottom."""
    n, right, bottom = 40, left + width, top + height
    for i, color in enumerate(scale((np.arange(n) + 0.5) / n)):
        lower, upper = bottom - i * height / n, bottom - (i + 1) * height / n
        yield elements.box(left, upper, right, lower, elements.fill(color))


def _scale(trace: dict[str, Any]) -> Scale:
    """The function that gives the colours of levels from 0 to 1."""
    known = [float(level) for level, _ in trace["colorscale"]]
    parts = np.array([elements.rgba(color) for _, color in trace["colorscale"]]).T

    def colors(levels: np.ndarray) -> list[str]:
        if trace.get("reversescale"):
            levels = 1 - levels
        levels = np.clip(levels, 0.0, 1.0)
        # red, green, blue and opacity each lie on their own line between known levels
        found = np.array([np.interp(levels, known, part) for part in parts]).T.tolist()
        return [f"rgba({r:.0f},{g:.0f},{b:.0f},{alpha:.3g})" for r, g, b, alpha in found]

    return colors


def _shape(shape: dict[str, Any], axes: dict[str, DrawnAxis], frame: Frame) -> Iterator[str]:
    if shape["type"] != "line":
        _unknown(shape)
    x0, y0, x1, y1 = (
        _place(shape, f"{letter}{end}", letter, axes, frame) for end in "01" for letter in "xy"
    )
    line = shape["line"]
    yield elements.line(
        x0, y0, x1, y1, line["color"], line["width"], DASHES[line.get("dash", "solid")]
    )


def _note(note: dict[str, Any], axes: dict[str, DrawnAxis], frame: Frame) -> Iterator[str]:
    x, y = (_place(note, letter, letter, axes, frame) for letter in "xy")
    tip = x, y
    if note.get("showarrow", True):
        x, y = x + note["ax"], y + note["ay"]
        yield elements.line(*tip, x, y, note["arrowcolor"], note["arrowwidth"])
    x, y = x + note.get("xshift", 0), y - note.get("yshift", 0)
    font = note.get("font", {})
    size, color = font.get("size", SIZE), font.get("color", INK)
    if note.get("yanchor") == "top":
        y += size * 0.75
    anchor = {"left": "start", "right": "end"}.get(note.get("xanchor", ""), "middle")
    if behind := note.get("bgcolor"):
        wide = max(map(len, letters_of(note["text"]))) * size * LETTER + 6
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        yield elements.box(left, y - size * 0.7, left + wide, y + size * 0.7, elements.fill(behind))
    beside = {"start": 3, "middle": 0, "end": -3}[anchor]
    yield elements.text(x + beside, y, note["text"], anchor, size, color=color)


def _place(
    item: dict[str, Any], key: str, letter: str, axes: dict[str, DrawnAxis], frame: Frame
) -> float:
    """The pixel of a place, in values of an axis or, on paper, as a share of the frame."""
    if item.get(f"{letter}ref") != "paper":
        return axes[f"{letter}axis"].at(item[key])
    start, end = (frame.left, frame.right) if letter == "x" else (frame.bottom, frame.top)
    return start + float(item[key]) * (end - start)


def _legend(data: Sequence[dict[str, Any]], frame: Frame) -> Iterator[str]:
    left, y = frame.left, frame.top - 14
    for trace in data:
        if not trace.get("showlegend", True):
            continue
        marker = trace["marker"]
        several = isinstance(marker["color"], list)
        color = GREY if several else marker["color"]
        yield elements.marker(left + 6, y, 4, marker.get("symbol", "circle"), color, 1)
        yield elements.text(left + 16, y, trace["name"], "start", 12)
        left += 34 + 7 * len(trace["name"])


def _unknown(part: dict[str, Any], *_: object) -> Iterator[str]:
    raise ParamError(f"a figure with {part['type']} cannot be drawn as SVG")


DRAWN: dict[str, Callable[[dict[str, Any], DrawnAxis, DrawnAxis, Frame], Iterable[str]]] = {
    "scatter": _scatter,
    "bar": _bar,
    "box": _box,
    "heatmap": _heatmap,
}


def _are_drawn(*values: Any) -> bool:
    """Whether both coordinates of a point are known: a category, or a number."""
    numbers = [value for value in values if not isinstance(value, str)]
    return None not in numbers and all(map(math.isfinite, numbers))


def _parts(points: Sequence[tuple[float, float] | None]) -> Iterator[list[tuple[float, float]]]:
    """The stretches of points without a gap."""
    part: list[tuple[float, float]] = []
    for point in (*points, None):
        if point:
            part.append(point)
        elif part:
            yield part
            part = []


def _stepped(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of steps between the points, first across, then up."""
    corners = [points[0]]
    for (_, before), (x, y) in itertools.pairwise(points):
        corners += [(x, before), (x, y)]
    return corners
