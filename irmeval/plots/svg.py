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
    widest,
)
from irmeval.plots.elements import INK, letters_of
from irmeval.plots.theme import GREY

WIDTH = 720
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
    right = width - margin["r"]
    frame = Frame(
        margin["l"] + (14 if title_of(layout["yaxis"]) else 0),
        margin["t"],
        right,
        height - margin["b"],
    )
    axes = {
        name: axis_of(name, layout[name], data, frame)
        for name in layout
        if name.startswith(("xaxis", "yaxis"))
    }
    height += max(
        0.0, max(below(axis) for name, axis in axes.items() if name.startswith("x")) - margin["b"]
    )
    parts = [*_grid(axes, frame)]
    for trace in data:
        x, y = (axes[f"{a}axis{trace.get(f'{a}axis', a)[1:]}"] for a in "xy")
        draw = _labels if trace.get("mode") == "text" else DRAWN.get(trace["type"]) or _unknown
        drawn = draw(trace, x, y, frame)
        parts += [elements.clipped("".join(drawn), *frame)] if draw is _scatter else drawn
    parts += (part for shape in layout.get("shapes", ()) for part in _shape(shape, axes, frame))
    parts += (part for note in layout.get("annotations", ()) for part in _note(note, axes, frame))
    parts += _legend(data, frame) if layout.get("showlegend") else []
    boxes = [(0.0, 0.0, float(width), float(height))]
    if not pixels:
        boxes += [part.box for part in parts if isinstance(part, elements.Words)]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    left, top, right, bottom = (
        math.floor(min(lefts)),
        math.floor(min(tops)),
        math.ceil(max(rights)),
        math.ceil(max(bottoms)),
    )
    size = f' width="{width}" height="{height:g}"' if pixels else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {right - left}'
        f' {bottom - top}"{size} font-family="system-ui, sans-serif" font-size="{SIZE}"'
        f' fill="{INK}">{"".join(parts)}</svg>'
    )


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
        layout = axis.layout
        if not layout.get("visible", True):
            continue
        across, above = name.startswith("x"), layout.get("side") == "top"
        size, turn = letters(axis) if across else (layout.get("tickfont", {}).get("size", SIZE), 0)
        edge = frame.top if above else frame.bottom
        low, high = sorted((axis.start, axis.end))
        labels = [(at, text) for at, text in axis.ticks() if low - 0.5 <= at <= high + 0.5]
        for at, text in labels:
            if layout.get("showgrid", True):
                yield _rule(at, across, frame, GRID)
            if not layout.get("showticklabels", True):
                continue
            if not across:
                yield elements.text(frame.left - 7, at, text, "end", size)
            elif turn:
                yield elements.text(
                    at, edge + (-6 if above else 8), text, "start" if above else "end", size, turn
                )
            else:
                lines = text.count("<br>")
                yield elements.text(
                    at, edge - 10 - lines * size * 1.2 if above else edge + 13, text, "middle", size
                )
        if layout.get("zeroline") and low <= axis.at(0.0) <= high:
            yield _rule(axis.at(0.0), across, frame, layout.get("zerolinecolor", GREY))
        if title := title_of(layout):
            middle = (axis.start + axis.end) / 2
            room = widest(axis, size)
            if not across:
                yield elements.text(
                    max(12.0, frame.left - room - 22 - 16 * title.count("<br>")),
                    middle,
                    title,
                    "middle",
                    13,
                    -90,
                )
            elif above:
                yield elements.text(middle, 12, title, "middle", 13)
            else:
                labelled = 36 if not turn else room * abs(math.sin(math.radians(turn))) + 24
                yield elements.text(
                    middle,
                    edge + (labelled if layout.get("showticklabels", True) else 24),
                    title,
                    "middle",
                    13,
                )


def _rule(at: float, across: bool, frame: Frame, color: str) -> str:
    """A line through the whole figure at a place on an axis."""
    ends = (at, frame.top, at, frame.bottom) if across else (frame.left, at, frame.right, at)
    return elements.line(*ends, color)


def _places(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis) -> list[tuple[float, float] | None]:
    """Places of the points of a trace; None for those that are not drawn."""
    return [
        (x.at(a), y.at(b)) if _drawn(a) and _drawn(b) else None
        for a, b in zip(array(trace["x"]), array(trace["y"]), strict=True)
    ]


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
    for i, point in enumerate(points):
        if point is None:
            continue
        size, color, opacity = (
            _own(marker.get(name, 1), i) for name in ("size", "color", "opacity")
        )
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
    for a, b, less, more in ends:
        if math.isfinite(less + more):  # one topic alone has no interval
            low, high = (
                ((a - less, b), (a + more, b)) if letter == "x" else ((a, b - less), (a, b + more))
            )
            yield elements.line(
                x.at(low[0]),
                y.at(low[1]),
                x.at(high[0]),
                y.at(high[1]),
                error["color"],
                error["thickness"],
            )


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
    groups, values = (
        np.asarray(array(trace["x"])),
        np.array([math.nan if v is None else v for v in array(trace["y"])], float),
    )
    color, marker, line = trace["line"]["color"], trace["marker"], trace["line"]["width"]
    half = abs(x.at(1.0) - x.at(0.0)) * 0.25
    for group in np.unique(groups):
        here = values[(groups == group) & np.isfinite(values)]
        if not here.size:
            continue
        at = x.at(float(group))
        low, middle, high = np.quantile(here, (0.25, 0.5, 0.75), method="hazen")
        inside = here[(here >= low - 1.5 * (high - low)) & (here <= high + 1.5 * (high - low))]
        dots = here
        if trace["boxpoints"] != "all":
            dots = np.setdiff1d(here, inside)
            yield elements.box(
                at - half,
                y.at(high),
                at + half,
                y.at(low),
                f"{elements.fill(trace['fillcolor'])} {elements.stroke(color, line)}",
            )
            yield elements.line(at - half, y.at(middle), at + half, y.at(middle), color, 1.5)
            yield from (
                elements.line(at, y.at(a), at, y.at(b), color, line)
                for a, b in ((inside.min(), low), (high, inside.max()))
            )
        away = (
            half * np.linspace(-0.8, 0.8, 7)[np.arange(dots.size) % 7]
            if trace["boxpoints"] == "all"
            else np.zeros(dots.size)
        )
        for value, beside in zip(dots, away, strict=True):
            yield elements.marker(
                at + beside,
                y.at(value),
                marker["size"] / 2,
                "circle",
                marker["color"],
                marker["opacity"],
            )


def _heatmap(trace: dict[str, Any], x: DrawnAxis, y: DrawnAxis, frame: Frame) -> Iterator[str]:
    z, xs, ys = np.array(array(trace["z"]), float), array(trace["x"]), array(trace["y"])
    half_x, half_y = abs(x.at(x.low + 1) - x.at(x.low)) / 2, abs(y.at(y.low + 1) - y.at(y.low)) / 2
    gap = 0.5 if trace.get("xgap") else 0.0
    low, high, scale = trace["zmin"], trace["zmax"], _scale(trace)
    texts = trace["text"] if trace.get("texttemplate") else None
    # by colour, as strokes of one path: a fifth of the bytes that rectangles take
    cells: dict[str, list[str]] = {}
    labels = []
    for r, row in enumerate(z):
        for c, (value, color) in enumerate(
            zip(row, scale((row - low) / ((high - low) or 1.0)), strict=True)
        ):
            if math.isfinite(value):
                at = x.at(xs[c]), y.at(ys[r])
                left, right = at[0] - half_x + gap, at[0] + half_x - gap
                cells.setdefault(color, []).append(f"M{left:.1f} {at[1]:.2f}H{right:.1f}")
                if texts:
                    labels.append(
                        elements.text(
                            *at,
                            texts[r][c],
                            "middle",
                            11,
                            color=trace.get("textfont", {}).get("color", INK),
                        )
                    )
    yield from (
        f'<path d="{"".join(alike)}" {elements.stroke(color, 2 * (half_y - gap))}/>'
        for color, alike in cells.items()
    )
    yield from labels
    if not trace.get("showscale", True):
        return
    bar = trace["colorbar"]
    if bar.get("orientation") == "h":
        width = bar["len"]
        left, top = frame.right - width, frame.bottom + 10
        yield from _stretch(scale, left, top, width, 10.0)
        for value, text in zip(bar["tickvals"], bar["ticktext"], strict=True):
            yield elements.text(
                left + (value - low) / (high - low) * width, top + 22, text, "middle", 11
            )
        return
    left, tall = frame.right + 14, min(float(bar["len"]), frame.bottom - frame.top)
    yield from _stretch(scale, left, frame.top, 12.0, tall)
    for value, text in round_values(low, high, 5):
        said = f"{value:.0%}" if bar.get("tickformat") == ".0%" else text
        yield elements.text(
            left + 17,
            frame.top + tall * (1 - (value - low) / ((high - low) or 1.0)),
            said,
            "start",
            11,
        )
    yield elements.text(left + 62, frame.top + tall / 2, bar["title"]["text"], "middle", 12, -90)


def _stretch(
    scale: Callable[[np.ndarray], list[str]], left: float, top: float, width: float, height: float
) -> Iterator[str]:
    """A scale of colours, with the lowest value on the left or at the bottom."""
    n, right, bottom = 40, left + width, top + height
    for i, color in enumerate(scale((np.arange(n) + 0.5) / n)):
        across = left + i * width / n, top, left + (i + 1) * width / n, bottom
        upwards = left, bottom - (i + 1) * height / n, right, bottom - i * height / n
        yield elements.box(*(across if width > height else upwards), elements.fill(color))


def _scale(trace: dict[str, Any]) -> Callable[[np.ndarray], list[str]]:
    """The function that gives the colours of levels from 0 to 1."""
    known = [float(level) for level, _ in trace["colorscale"]]
    parts = np.array([elements.rgba(color) for _, color in trace["colorscale"]]).T

    def colors(levels: np.ndarray) -> list[str]:
        levels = np.clip(1 - levels if trace.get("reversescale") else levels, 0.0, 1.0)
        found = zip(*(np.interp(levels, known, part).tolist() for part in parts), strict=True)
        return [
            f"rgba({red:.0f},{green:.0f},{blue:.0f},{alpha:.3g})"
            for red, green, blue, alpha in found
        ]

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
    y += size * 0.75 if note.get("yanchor") == "top" else 0
    anchor = {"left": "start", "right": "end"}.get(note.get("xanchor", ""), "middle")
    if behind := note.get("bgcolor"):
        wide = max(map(len, letters_of(note["text"]))) * size * LETTER + 6
        left = x - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
        yield elements.box(left, y - size * 0.7, left + wide, y + size * 0.7, elements.fill(behind))
    yield elements.text(
        x + (3 if anchor == "start" else -3 if anchor == "end" else 0),
        y,
        note["text"],
        anchor,
        size,
        color=color,
    )


def _place(
    item: dict[str, Any], key: str, letter: str, axes: dict[str, DrawnAxis], frame: Frame
) -> float:
    if item.get(f"{letter}ref") == "paper":
        start, end = (frame.left, frame.right) if letter == "x" else (frame.bottom, frame.top)
        return start + float(item[key]) * (end - start)
    return axes[f"{letter}axis"].at(item[key])


def _legend(data: Sequence[dict[str, Any]], frame: Frame) -> Iterator[str]:
    left = frame.left
    for trace in data:
        if trace.get("showlegend", True):
            marker = trace["marker"]
            yield elements.marker(
                left + 6, frame.top - 14, 4, marker.get("symbol", "circle"), marker["color"], 1
            )
            yield elements.text(left + 16, frame.top - 14, trace["name"], "start", 12)
            left += 34 + 7 * len(trace["name"])


def _unknown(part: dict[str, Any], *_: object) -> Iterator[str]:
    raise ParamError(f"a figure with {part['type']} cannot be drawn as SVG")


DRAWN: dict[str, Callable[[dict[str, Any], DrawnAxis, DrawnAxis, Frame], Iterable[str]]] = {
    "scatter": _scatter,
    "bar": _bar,
    "box": _box,
    "heatmap": _heatmap,
}


def _drawn(value: Any) -> bool:
    return isinstance(value, str) or (value is not None and math.isfinite(value))


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
    return [
        points[0],
        *(corner for (_, b), (c, d) in itertools.pairwise(points) for corner in ((c, b), (c, d))),
    ]
