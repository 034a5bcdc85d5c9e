"""Figures as SVG pictures, drawn without a browser.

It draws what the figures of this package are made of: lines, bands, markers, error
bars, bars, boxes, cells, words and straight shapes. It refuses everything else, so that
no figure is drawn with a part missing.
"""

import itertools
import math
from collections import defaultdict
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
    above,
    array,
    axis_of,
    below,
    fences,
    letters,
    round_values,
    share,
    title_of,
    to_numbers,
    widest,
)
from irmeval.plots.colors import GREY
from irmeval.plots.elements import INK, letters_of

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
    axes = _axes(layout, data, frame)
    # turned labels may take more room than the margins have
    across = [axis for name, axis in axes.items() if name.startswith("x")]
    height += max(0.0, max(map(below, across)) - margin["b"])
    lower = max(0.0, max(map(above, across)) - margin["t"])
    if lower:
        height += lower
        frame = frame._replace(top=frame.top + lower, bottom=frame.bottom + lower)
        axes = _axes(layout, data, frame)
    # in this order, as what comes later covers what is there
    parts = [*_grid(axes, frame)]
    shapes, notes = layout.get("shapes", ()), layout.get("annotations", ())
    for draw, items in ((_trace, data), (_shape, shapes), (_note, notes)):
        for item in items:
            parts += draw(item, axes, frame)
    if layout.get("showlegend"):
        parts += _legend(data, frame)
    left, top, right, bottom = _bounds(parts, width, height, fixed=bool(pixels))
    size = f' width="{width}" height="{height:g}"' if pixels else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {right - left}'
        f' {bottom - top}"{size} font-family="system-ui, sans-serif" font-size="{SIZE}"'
        f' fill="{INK}">{"".join(parts)}</svg>'
    )


def _axes(
    layout: Mapping[str, Any], data: Sequence[dict[str, Any]], frame: Frame
) -> dict[str, DrawnAxis]:
    """The axes of a figure in its frame, by their names in the layout."""
    names = [name for name in layout if name.startswith(("xaxis", "yaxis"))]
    return {name: axis_of(name, layout[name], data, frame) for name in names}


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
    """A trace on its axes."""
    x, y = (axes[f"{letter}axis{trace.get(f'{letter}axis', letter)[1:]}"] for letter in "xy")
    return DRAWN.get(trace["type"], _unknown)(trace, x, y, frame)


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
        if not axis.layout.get("visible", True):
            continue
        if name.startswith("x"):
            yield from _across(axis, frame)
        else:
            yield from _upright(axis, frame)


def _across(axis: DrawnAxis, frame: Frame) -> Iterator[str]:
    """An axis below the figure, or above it."""
    layout, title = axis.layout, title_of(axis.layout)
    if layout.get("showgrid", True):
        for at, _ in _seen(axis):
            yield elements.line(at, frame.top, at, frame.bottom, GRID)
    away = 24.0
    if layout.get("showticklabels", True):
        yield from _labels_across(axis, frame)
        away = _below_labels(axis)
    if not title:
        return
    middle, y = (axis.start + axis.end) / 2, frame.bottom + away
    if layout.get("side") == "top":
        y = 12
    yield elements.text(middle, y, title, "middle", 13)


def _labels_across(axis: DrawnAxis, frame: Frame) -> Iterator[str]:
    """The labels of an axis below the figure, or above it."""
    size, turn = letters(axis)
    is_above = axis.layout.get("side") == "top"
    y, anchor = frame.bottom + 13, "middle"
    if turn and is_above:
        y, anchor = frame.top - 6, "start"
    elif turn:
        y, anchor = frame.bottom + 8, "end"
    elif is_above:
        y = frame.top - 10
    for at, text in _seen(axis):
        taken = text.count("<br>") * size * 1.2
        if turn and is_above:
            yield elements.text(at - taken / 2, y, text, anchor, size, turn)
            continue
        # the last line of several is the one beside the figure
        raised = taken if is_above else 0
        yield elements.text(at, y - raised, text, anchor, size, turn)


def _below_labels(axis: DrawnAxis) -> float:
    """Distance of a title from the axis whose labels it has above it, in pixels."""
    size, turn = letters(axis)
    if not turn:
        return 36
    return widest(axis, size) * abs(math.sin(math.radians(turn))) + 24


def _upright(axis: DrawnAxis, frame: Frame) -> Iterator[str]:
    """An axis on the left of the figure, the only kind that may have a line at zero."""
    layout, title, seen = axis.layout, title_of(axis.layout), _seen(axis)
    size = layout.get("tickfont", {}).get("size", SIZE)
    if layout.get("showgrid", True):
        for at, _ in seen:
            yield elements.line(frame.left, at, frame.right, at, GRID)
    zero = axis.at(0.0)
    if layout.get("zeroline") and axis.holds(zero):
        color = layout.get("zerolinecolor", GREY)
        yield elements.line(frame.left, zero, frame.right, zero, color)
    for at, text in seen:
        yield elements.text(frame.left - 7, at, text, "end", size)
    if title:
        left = frame.left - widest(axis, size) - 22 - 16 * title.count("<br>")
        middle = (axis.start + axis.end) / 2
        yield elements.text(max(12.0, left), middle, title, "middle", 13, -90)


def _seen(axis: DrawnAxis) -> list[tuple[float, str]]:
    """The labels between the ends of an axis, of which figures may declare more."""
    return [(at, text) for at, text in axis.ticks() if axis.holds(at, beyond=0.5)]


def _scatter(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    """Texts, which may go beyond the frame; or lines and markers, which end there."""
    if trace.get("mode") == "text":
        yield from _labels(trace, x, y)
    else:
        yield elements.clipped("".join(_lines_and_markers(trace, x, y)), *frame)


def _lines_and_markers(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> Iterator[str]:
    mode, points = trace.get("mode", "lines"), _points(trace, x, y)
    if trace.get("fill") == "toself":
        yield _area(trace, points)
    if "lines" in mode and trace.get("line", {}).get("width", 2):
        yield _line(trace, points)
    if "error_x" in trace:
        yield from _errors(trace, x, y)
    if "markers" in mode:
        yield from _markers(trace, points)


Point = tuple[float, float]
"""A place in pixels, NaN where the value is missing."""


def _points(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> list[Point]:
    return [*zip(x.pixels(trace["x"]).tolist(), y.pixels(trace["y"]).tolist(), strict=True)]


def _is_drawn(point: Point) -> bool:
    return all(map(math.isfinite, point))


def _area(trace: dict[str, Any], points: Sequence[Point]) -> str:
    """The area that points enclose; empty where none is drawn."""
    corners = [*filter(_is_drawn, points)]
    if not corners:
        return ""
    return f'<path d="{elements.path(corners)}Z" {elements.fill(trace["fillcolor"])}/>'


def _line(trace: dict[str, Any], points: Sequence[Point]) -> str:
    """A line, which has gaps where there are no points."""
    line = trace["line"]
    parts = [[*part] for drawn, part in itertools.groupby(points, _is_drawn) if drawn]
    if line.get("shape") == "hv":
        parts = [*map(_stepped, parts)]
    dash = DASHES[line.get("dash", "solid")]
    looks = elements.stroke(line["color"], line.get("width", 2), dash)
    looks += elements.opacity(trace.get("opacity", 1))
    paths = [*map(elements.path, parts)]
    # of transparent parts, both are seen where two cross
    if not line["color"].startswith("rgba"):
        paths = ["".join(paths)]
    return "".join(f'<path d="{path}" fill="none" {looks}/>' for path in paths)


def _markers(trace: dict[str, Any], points: Sequence[Point]) -> Iterator[str]:
    """Marks at the points, unless they are invisible ones, which only show texts."""
    marker = trace.get("marker", {})
    if marker.get("opacity", 1) == 0:
        return
    usual = {"size": 1, "symbol": "circle", "color": 1, "opacity": 1}
    looks = [_of_each(marker.get(name, one), len(points)) for name, one in usual.items()]
    for point, size, symbol, color, opacity in zip(points, *looks, strict=True):
        if _is_drawn(point):
            left, top = point
            seen = opacity * trace.get("opacity", 1)
            yield elements.marker(left, top, size / 2, symbol, color, seen)


def _of_each(value: Any, points: int) -> Any:
    """The value of each point, from one for each of them or one for all."""
    value = array(value)
    return [value] * points if isinstance(value, str | int | float) else value


def _labels(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> Iterator[str]:
    """Words on one side of each point."""
    anchor, away = "start", AWAY
    if trace["textposition"].endswith("left"):
        anchor, away = "end", -AWAY
    size = trace["textfont"]["size"]
    for (left, middle), words in zip(_points(trace, x, y), trace["text"], strict=True):
        yield elements.text(left + away, middle, words.strip(), anchor, size)


def _errors(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> Iterator[str]:
    """The intervals of values along x."""
    error, values = trace["error_x"], to_numbers(trace["x"])
    starts = x.pixels(values - to_numbers(error["arrayminus"]))
    ends = x.pixels(values + to_numbers(error["array"]))
    for start, end, at in zip(starts, ends, y.pixels(trace["y"]), strict=True):
        if math.isfinite(end - start):  # one topic alone has no interval
            yield elements.line(start, at, end, at, error["color"], error["thickness"])


def _bar(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    if trace.get("orientation") == "h":
        for start, end, near, far, style in _bars(trace, y, trace["y"], x, trace["x"]):
            yield elements.box(near, start, far, end, style)
    else:
        for start, end, near, far, style in _bars(trace, x, trace["x"], y, trace["y"]):
            yield elements.box(start, near, end, far, style)


def _bars(
    trace: dict[str, Any], across: DrawnAxis, places: Any, along: DrawnAxis, lengths: Any
) -> Iterator[tuple[float, float, float, float, str]]:
    """Both ends of each bar across its axis, both along it, and its looks."""
    half = abs(across.at(1.0) - across.at(0.0)) * 0.42
    middles, lengths = across.pixels(places), to_numbers(lengths)
    begins = array(trace.get("base", np.zeros(lengths.size)))
    ends = np.sort([along.pixels(begins), along.pixels(begins + lengths)], axis=0)
    styles = map(elements.fill, _of_each(trace["marker"]["color"], lengths.size))
    return zip(middles - half, middles + half, *ends, styles, strict=True)


def _box(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    """Quartiles, whiskers to the last value within 1.5 times their distance, and dots
    for values beyond; or all values as dots.
    """
    groups, values = np.asarray(array(trace["x"])), to_numbers(trace["y"])
    half, known = abs(x.at(1.0) - x.at(0.0)) * 0.25, np.isfinite(values)
    for group in np.unique(groups[known]):
        here = values[known & (groups == group)]
        at = x.at(float(group))
        if trace["boxpoints"] == "all":
            # side by side in seven columns, so that equal values are all seen
            away = half * np.linspace(-0.8, 0.8, 7)[np.arange(here.size) % 7]
            yield from _dots(trace, at + away, here, y)
            continue
        low, middle, high = np.quantile(here, (0.25, 0.5, 0.75), method="hazen")  # as Plotly
        least, most = fences(here)
        inside = here[(here >= least) & (here <= most)]
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
    z = np.array(array(trace["z"]), float).reshape(len(trace["y"]), len(trace["x"]))
    rows, columns = np.nonzero(np.isfinite(z))
    across, down = x.pixels(trace["x"])[columns], y.pixels(trace["y"])[rows]
    half_x, half_y = abs(x.at(x.low + 1) - x.at(x.low)) / 2, abs(y.at(y.low + 1) - y.at(y.low)) / 2
    gap, scale = trace.get("xgap", 0) / 2, _scale(trace)
    colors = scale(share(z[rows, columns], trace["zmin"], trace["zmax"]))
    # by colour, as strokes of one path: a fifth of the bytes that rectangles take
    cells = defaultdict[str, list[str]](list)
    ends = across - half_x + gap, across + half_x - gap
    for left, right, middle, color in zip(*ends, down, colors, strict=True):
        cells[color].append(f"M{left:.1f} {middle:.2f}H{right:.1f}")
    for color, strokes in cells.items():
        thick = elements.stroke(color, 2 * (half_y - gap))
        yield f'<path d="{"".join(strokes)}" {thick}/>'
    if trace.get("texttemplate"):
        ink = trace.get("textfont", {}).get("color", INK)
        for left, middle, r, c in zip(across, down, rows, columns, strict=True):
            yield elements.text(left, middle, trace["text"][r][c], "middle", 11, color=ink)
    if not trace.get("showscale", True):
        return
    if "ticktext" in trace["colorbar"]:
        yield from _bar_in_corner(trace, scale, frame)
    else:
        yield from _bar_above(trace, scale)


Scale = Callable[[np.ndarray], list[str]]
"""The colours of levels from 0 to 1."""
STEPS = 40
"""Rectangles of a bar of colours."""


def _bar_in_corner(trace: dict[str, Any], scale: Scale, frame: Frame) -> Iterator[str]:
    """The colours of cells with their meanings, in the corner between the names."""
    bar = trace["colorbar"]
    tall = float(bar["len"])
    left, top = frame.left - LEGEND, frame.top - tall - 4
    bottom = top + tall
    edges = bottom - np.arange(STEPS + 1) * tall / STEPS
    for color, (lower, upper) in zip(_all(scale), itertools.pairwise(edges), strict=True):
        yield elements.box(left, upper, left + 8, lower, elements.fill(color))
    for value, text in zip(bar["tickvals"], bar["ticktext"], strict=True):
        at = top + tall * (1 - share(value, trace["zmin"], trace["zmax"]))
        yield elements.text(left + 12, at, text, "start", 10)


def _bar_above(trace: dict[str, Any], scale: Scale) -> Iterator[str]:
    """The same in one line above the figure, from the lowest value to the highest."""
    bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
    wide = float(bar["len"])
    left, top, bottom = 10.0, 2.0, 14.0
    edges = left + np.arange(STEPS + 1) * wide / STEPS
    for color, (start, end) in zip(_all(scale), itertools.pairwise(edges), strict=True):
        yield elements.box(start, top, end, bottom, elements.fill(color))
    for value, text in round_values(low, high, bar["nticks"]):
        if bar.get("tickformat") == ".0%":
            text = f"{value:.0%}"
        yield elements.text(left + wide * share(value, low, high), bottom + 9, text, "middle", 11)
    yield elements.text(left + wide + 8, (top + bottom) / 2, bar["title"]["text"], "start", 12)


def _all(scale: Scale) -> list[str]:
    """The colours of a bar, from the lowest level on."""
    return scale((np.arange(STEPS) + 0.5) / STEPS)


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
    if note.get("showarrow", True):
        tip = x, y
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
    start, end = frame.ends(letter)
    return start + float(item[key]) * (end - start)


def _legend(data: Sequence[dict[str, Any]], frame: Frame) -> Iterator[str]:
    left, y = frame.left, frame.top - 14
    for trace in data:
        if not trace.get("showlegend", True):
            continue
        marker = trace["marker"]
        yield elements.marker(left + 6, y, 4, marker.get("symbol", "circle"), marker["color"], 1)
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


def _stepped(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The corners of steps between the points, first across, then up."""
    corners = [points[0]]
    for (_, before), (x, y) in itertools.pairwise(points):
        corners += [(x, before), (x, y)]
    return corners
