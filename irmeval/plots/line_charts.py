"""Lines over a common axis, each with a band, and its name beside its last point.

Also falling lines that each have their own points.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.plots import pins
from irmeval.plots.axes import axis_ends, left_of, round_values, spaced_indices
from irmeval.plots.canvas import (
    BOTTOM,
    HEIGHT,
    INNER,
    LABEL,
    MARGIN,
    PAD,
    TELEPHONE,
    Figure,
    drop_line,
    escape_name,
    in_two_lines,
    make_figure,
    value_line,
)
from irmeval.plots.colors import PAGE, PALETTE, Style, faint, ink, styles
from irmeval.plots.elements import letters_of, measure
from irmeval.plots.names import APART as UPRIGHT
from irmeval.plots.names import LETTER, TYPE, label_width, list_names, shorten_names, space_out

TEXT = 17
"""Pixels from one label to the next."""
LONG = 14
"""Longest name in letters that has one line; longer ones have two, since they narrow
the chart.
"""
MARKS = "-_"
"""Where the name of a run may be broken."""
POINTS = 60
"""The most points of a long line."""
EDGE = 0.03
"""Free space before the first and after the last point, as a share of the extent of
x.
"""
BAND = " band"
"""End of the name of a band."""
CROWDED = 2.0
"""Average number of bands over each other from which bars at the points replace
them.
"""
APART = 0.02
"""Distance of bars at the same point, as a share of the extent of x; less where many
lines would not fit.
"""
ROOM = 0.08
"""Least distance of points with bars, as a share of the extent of x."""
LEADER = "leader"
"""Name of the shape that leads from the end of a line to its name."""
TURNED = 12.5
"""Pixels that a number takes of an axis below which it is turned."""
HALF = 480
"""Width of a figure that shares the page with another, in pixels. In a narrower one
Plotly turns the numbers below the axis.
"""
FOOT = 9
"""Height in pixels of the middle of the lowest text at the foot of a drop line."""
ROW = 15
"""Pixels from one of these texts to the next above it."""
EARLY = 0.35
"""Share of the axis within which a drop line has its text on the right."""


class ChartLine(NamedTuple):
    """A line [points], with the lower and upper edge of its band where it has one."""

    name: str
    y: np.ndarray
    style: Style
    low: np.ndarray | None = None
    high: np.ndarray | None = None


def measure_curves(names: Sequence[str], y: np.ndarray, *edges: np.ndarray) -> list[ChartLine]:
    """A line per name in the style of a measure, of values [name, point]; with two
    edges, low and high, each has a band.
    """
    style = styles(names)
    rows = zip(names, y, *edges, strict=True)
    return [ChartLine(name, row, style[name], *ends) for name, row, *ends in rows]


class Crossing(NamedTuple):
    """Where a line crosses the threshold."""

    x: float
    """not finite where it does not"""
    text: str
    """the place in words, beside the name of the line"""


class Axes(NamedTuple):
    """The axes of a chart of lines."""

    xtitle: str
    ytitle: str
    yrange: tuple[float, float]
    suffix: str = ""
    """what follows the values of x, as in "10%\""""
    ticks: Mapping[float, str] | None = None
    """labelled places on the axis of x -> their texts; by default every x"""
    mark: float | None = None
    """value of x that has a line"""


def curves(
    x: Sequence[float],
    lines: Sequence[ChartLine],
    axes: Axes,
    *,
    threshold: float | None = None,
    named: Collection[str] | None = None,
    crossings: Mapping[str, Crossing] = MappingProxyType({}),
    order: bool = False,
    bars: bool = False,
) -> Figure:
    """Lines over x, from its first value on the left to its last on the right, rising
    or falling.

    The name of a line is at the height of its last point: on the right of the figure,
    or beside the point where the line ends earlier. `threshold` draws a dotted level;
    `named` are the lines with a name at their end, by default all; `crossings` has where
    a line crosses the threshold, from where a thin line leads to the axis, with a text
    at its foot; `order` means that the order of the lines matters, as it does with a
    threshold, so that the axis need not begin at 0 (`axes.axis_ends`); `bars` puts
    bars, side by side at each point, in place of bands.
    """
    names, lines = pins.without_hidden([line.name for line in lines], lines)
    lines, some = _marked_last(lines), pins.names_shown(names, named)
    # of many lines, hovering shows one
    hovermode, named = ("x unified", {*names}) if some is None else ("closest", some)
    yrange = _yrange(lines, axes.yrange, threshold, order=order)
    ends, gap = _named_ends(lines, named, yrange)
    right = MARGIN + label_width(chain.from_iterable(end.text.split("<br>") for end in ends))
    left = left_of(*yrange)
    below = _ticks(x, axes.suffix, axes.ticks, beside=left + right)
    turned = _room_turned(below, abs(x[-1] - x[0]), left + right)
    crossed = _crossed(ends, crossings)
    shapes = _lines_across(("y", threshold, "dot"), ("x", axes.mark, "solid"))
    shapes += [_drop_line(line, at, threshold, min(yrange)) for line, at in crossed]
    shapes += leaders([end.leader for end in ends if end.is_on_right(x)], gap)
    return make_figure(
        # bands first, so that no line is below one
        [*_spread(x, lines, bars=bars), *_drawn(x, lines, named)],
        hovermode=hovermode,
        height=HEIGHT + turned,
        margin={"l": left, "r": right, "b": BOTTOM + turned},
        xaxis={"title": axes.xtitle, "range": _reach(x), "showgrid": False, **below},
        yaxis={"title": axes.ytitle, "range": list(yrange)},
        annotations=[
            *(_name_at_end(end, x) for end in ends),
            *_texts_of_crossings(crossed, x, yrange, threshold),
        ],
        shapes=shapes,
    )


def _lines_across(*levels: tuple[str, float | None, str]) -> list[dict[str, Any]]:
    """Lines through a figure: axis, value on it and dash of each; none without a value."""
    return [value_line(axis, at, dash) for axis, at, dash in levels if at is not None]


def _spread(
    x: Sequence[float], lines: Sequence[ChartLine], *, bars: bool
) -> Iterator[dict[str, object]]:
    """The bands of the lines that have one, or their bars."""
    for line, shift in _side_by_side(x, lines):
        yield _bars(x, line, shift) if bars else _band(x, line)


class _End(NamedTuple):
    """The end of a line, which has its name there."""

    line: ChartLine
    point: int
    """index of the last one"""
    text: str
    """the name, in one or two rows"""
    height: float
    """of the name"""

    def is_on_right(self, x: Sequence[float]) -> bool:
        """Whether the line goes to the end of the figure, where its name is beside it."""
        return self.point == len(x) - 1 > 0

    @property
    def leader(self) -> tuple[float, float, str]:
        """Height of the last point, height of the name, colour."""
        return float(self.line.y[self.point]), self.height, self.line.style.color


def _yrange(
    lines: Sequence[ChartLine], yrange: tuple[float, float], threshold: float | None, *, order: bool
) -> tuple[float, float]:
    """The ends of the axis of y, which begins at 0 unless the order of lines matters."""
    drawn = [edge for line in lines for edge in (line.y, line.low, line.high) if edge is not None]
    if threshold is None:
        return axis_ends(yrange, np.concatenate(drawn), order=order)
    return axis_ends(yrange, np.concatenate([*drawn, [threshold]]), order=True)


def _lines_of(texts: Sequence[str]) -> int:
    """Number of lines that the longest of these texts takes."""
    return max((text.count("<br>") + 1 for text in texts), default=1)


def _last_point(line: ChartLine) -> int:
    return int(np.flatnonzero(np.isfinite(line.y))[-1])


def _end_text(name: str) -> str:
    """A name at the end of a line: a long one in two lines, which end at a blank or, in
    the name of a run, behind a mark.
    """
    if len(name) <= LONG:
        return name
    if " " in name:
        return in_two_lines(name)
    ends = [i + 1 for i in range(1, len(name) - 1) if name[i] in MARKS]
    at = min(ends, key=lambda end: abs(end - len(name) / 2), default=len(name))
    return "<br>".join(filter(None, (name[:at], name[at:])))


def in_one_line(text: str) -> str:
    """A name at the end of a line, as it was before `_end_text`."""
    for mark in MARKS:
        text = text.replace(f"{mark}<br>", mark)
    return text.replace("<br>", " ")


def _named_ends(
    lines: Sequence[ChartLine], named: Collection[str], yrange: tuple[float, float]
) -> tuple[list[_End], float]:
    """The ends of the lines with a name and a point, and the distance of two names, so
    that none touches another.
    """
    shown = [line for line in lines if line.name in named and np.isfinite(line.y).any()]
    texts = [*map(_end_text, shorten_names([line.name for line in shown]))]
    gap = _lines_of(texts) * TEXT / INNER * abs(yrange[1] - yrange[0])
    points = [*map(_last_point, shown)]
    at = [float(line.y[point]) for line, point in zip(shown, points, strict=True)]
    heights = space_out(at, gap, min(yrange), max(yrange))
    ends = [*map(_End, shown, points, texts, heights)]
    return ends, gap


def _crossed(
    ends: Sequence[_End], crossings: Mapping[str, Crossing]
) -> list[tuple[ChartLine, Crossing]]:
    """The lines that cross the threshold, and where."""
    found = [(end.line, crossings[end.line.name]) for end in ends if end.line.name in crossings]
    return [(line, at) for line, at in found if np.isfinite(at.x)]


def _drop_line(
    line: ChartLine, at: Crossing, threshold: float | None, bottom: float
) -> dict[str, Any]:
    """A thin line to the axis of x, from where a line crosses the threshold."""
    return drop_line(at.x, threshold, bottom, line.style.color, escape_name(line.name))


def _texts_of_crossings(
    crossed: Sequence[tuple[ChartLine, Crossing]],
    x: Sequence[float],
    yrange: tuple[float, float],
    threshold: float | None,
) -> list[dict[str, Any]]:
    """The texts at the feet of drop lines. Where lines come from below, which are there,
    they stand above the threshold instead, before the first line that crosses it.
    """
    texts = _texts_at_foot(crossed, x, min(yrange))
    if threshold is None:
        return texts
    if not any(line.y[0] < threshold for line, _ in crossed):
        return texts
    first = _first_place(crossed, x)
    high = len(texts) * ROW / INNER * abs(yrange[1] - yrange[0])
    is_early = abs(first - x[0]) < EARLY * abs(x[-1] - x[0])
    if is_early or threshold + high > max(yrange):
        return texts
    return [text | {"x": first, "y": threshold} for text in texts]


def _first_place(crossed: Sequence[tuple[ChartLine, Crossing]], x: Sequence[float]) -> float:
    """Where the first line crosses, as the axis goes."""
    return min((at.x for _, at in crossed), key=lambda place: abs(place - x[0]))


def _texts_at_foot(
    crossed: Sequence[tuple[ChartLine, Crossing]], x: Sequence[float], bottom: float
) -> list[dict[str, Any]]:
    """Name and place at the foot of each drop line, one above the other: side by side
    they would not fit in a narrow figure.
    """
    in_order = sorted(crossed, key=lambda one: abs(one[1].x - x[0]))
    extent = abs(x[-1] - x[0]) or 1.0
    texts = []
    for row, (line, at) in enumerate(in_order):
        side, shift = "right", -3
        if abs(at.x - x[0]) < EARLY * extent:
            side, shift = "left", 3
        texts.append(
            {
                "x": at.x,
                "y": bottom,
                "yshift": FOOT + ROW * row,
                "xshift": shift,
                "xanchor": side,
                "yanchor": "middle",
                "text": escape_name(f"{shorten_names([line.name])[0]} {at.text}"),
                "font": {"color": ink(line.style.color), "size": 11},
                "bgcolor": faint(PAGE, 0.8),
                "borderpad": 0,
                "showarrow": False,
            }
        )
    return texts


def _marked_last(lines: Sequence[ChartLine]) -> list[ChartLine]:
    """The lines in the visitor's colours, those with one and those marked above the
    others.
    """
    own = pins.colors(line.name for line in lines)
    marked = pins.marked(own)
    colored = [line._replace(style=pins.style(line.name, own, line.style)) for line in lines]
    return sorted(colored, key=lambda line: (line.name in own, line.name in marked))


def _ticks(
    x: Sequence[float], suffix: str, ticks: Mapping[float, str] | None, *, beside: float
) -> dict[str, Any]:
    """The labelled places of an axis: those given, or every x that has room. `beside`
    is the width of the margins, in pixels.
    """
    shown = ticks or _that_fit(x, [f"{v:g}{suffix}" for v in x], beside)
    return {
        "tickvals": list(shown),
        "ticktext": list(shown.values()),
        "autotickangles": [0, -90],
    }


def _room_turned(axis: Mapping[str, Any], extent: float, beside: float) -> int:
    """Pixels that the labels below an axis take more than one line of text: on a telephone
    Plotly turns them where two would touch, and draws the figure a second time if its
    margin has no room for that.
    """
    texts = ["".join(letters_of(text)) for text in axis["ticktext"]]
    wide = [measure(text, TYPE) for text in texts]
    along = sorted(zip(axis["tickvals"], wide, strict=True))
    pixel = (TELEPHONE - beside) / (extent * (1 + 2 * EDGE) or 1.0)
    touch = any(
        pixel * (after - before) < (left + right) / 2 + PAD
        for (before, left), (after, right) in pairwise(along)
    )
    if not touch:
        return 0
    return max(0, math.ceil(UPRIGHT + max(wide) - LABEL))


def _reach(x: Sequence[float]) -> list[float]:
    """The ends of an axis from the first x to the last, with free space on both
    sides.
    """
    if len(x) == 1:
        return [x[0] - 1 - EDGE, x[0] + 1 + EDGE]
    away = (x[-1] - x[0]) * EDGE
    return [x[0] - away, x[-1] + away]


def _name_at_end(end: _End, x: Sequence[float]) -> dict[str, Any]:
    """The name of a line beside its last point, or on the right of the figure."""
    if end.point == len(x) - 1:
        place = {"x": 1.01, "xref": "paper"}
    else:
        place = {"x": x[end.point], "xshift": 10}
    return {
        **place,
        "y": end.height,
        "text": "<br>".join(map(escape_name, end.text.split("<br>"))),
        "align": "left",
        "font": {"color": ink(end.line.style.color), "size": 13},
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "middle",
    }


def leaders(names: Sequence[tuple[float, float, str]], gap: float) -> list[dict[str, Any]]:
    """Thin lines from the ends of lines to names at least a quarter of a `gap` away:
    (end, height of the name, colour).
    """
    ends = {
        "type": "line",
        "name": LEADER,
        "xref": "paper",
        "x0": 1 - EDGE / (1 + 2 * EDGE),
        "x1": 1.008,
    }
    moved = [name for name in names if abs(name[1] - name[0]) >= gap / 4]
    return [
        {**ends, "y0": y, "y1": height, "line": {"color": ink(color), "width": 1}}
        for y, height, color in moved
    ]


def against_rate(
    rates: Sequence[float],
    lines: Sequence[ChartLine],
    values: np.ndarray,
    ytitle: str,
    *,
    top: float | None = None,
    levels: Mapping[float, str] | None = None,
    xtitle: str = "judgments kept",
    suffix: str = "%",
    **more: Any,
) -> Figure:
    """Lines against the share of judgments that is kept, or against `levels` at even
    distances; `top` is the highest possible value.
    """
    least = min(float(np.nanmin(values, initial=0.0)), 0.0)
    most = top or float(np.nanmax(values, initial=0.0)) or 1.0
    yrange = least * 1.05, most * 1.05
    return curves(rates, lines, Axes(xtitle, ytitle, yrange, suffix, levels), **more)


def long_line(first: int, y: np.ndarray, xtitle: str, ytitle: str, mark: int) -> Figure:
    """One line over the whole numbers from `first` on, thinned to at most `POINTS`
    points; a vertical line is at the number `mark`.
    """
    at = np.unique(np.append(spaced_indices(y.size, POINTS), mark - first))
    x = (at + first).tolist()
    line = ChartLine(ytitle, y[at], Style(PALETTE["blue"]))
    ticks = {
        value: f"{value:,.0f}" for value, _ in round_values(x[0], x[-1], 5) if value == int(value)
    }
    yrange = 0.0, float(y.max()) * 1.05 or 1.0
    figure = curves(x, [line], Axes(xtitle, ytitle, yrange, ticks=ticks, mark=mark))
    return without_names(figure).update_yaxes(exponentformat="none")


def without_names(figure: Figure) -> Figure:
    """A figure of one line, which its axis names: without the name at the end, and the
    room for that.
    """
    figure.layout.annotations, figure.layout.margin.r = (), MARGIN
    return figure


def _that_fit(x: Sequence[float], texts: Sequence[str], beside: float) -> dict[float, str]:
    """The texts under an axis by place, the ends before the others: one that would touch
    another one is left out, where they are side by side, and where they are turned.
    """
    extent = abs(x[-1] - x[0])
    letter = extent * LETTER / (HALF - beside)
    turned = extent * TURNED / (TELEPHONE - beside)
    shown: dict[int, str] = {}
    ends_first = sorted(range(len(x)), key=lambda i: 0 < i < len(x) - 1)

    def touch(i: int, k: int) -> bool:
        room = max(letter * ((len(texts[i]) + len(texts[k])) / 2 + 1), turned)
        return abs(x[i] - x[k]) < room

    for i in ends_first:
        if not any(touch(i, k) for k in shown):
            shown[i] = texts[i]
    return {x[i]: shown[i] for i in sorted(shown)}


def _band(x: Sequence[float], line: ChartLine) -> dict[str, object]:
    """One closed polygon, along the lower edge and back along the upper one."""
    assert line.low is not None and line.high is not None
    return {
        "type": "scatter",
        "x": [*x, *reversed(x)],
        "y": [*line.low, *line.high[::-1]],
        "fill": "toself",
        "fillcolor": faint(line.style.color),
        "line": {"width": 0},
        "mode": "lines",
        "hoverinfo": "skip",
        "name": escape_name(line.name) + BAND,
    }


def are_crowded(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether bands, with edges [line, point], would hide each other."""
    length = np.nan_to_num(high - low)
    start = np.where(np.isfinite(high - low), low, np.nanmin(low, initial=0))
    order = np.argsort(start, axis=0)
    start, end = (np.take_along_axis(edge, order, axis=0) for edge in (start, start + length))
    before = np.maximum.accumulate(np.vstack([start[:1], end[:-1]]), axis=0)
    covered = np.clip(end - np.maximum(start, before), 0, None).sum()
    return bool(length.sum() > CROWDED * covered)


def _side_by_side(
    x: Sequence[float], lines: Sequence[ChartLine]
) -> Iterator[tuple[ChartLine, float]]:
    """The lines with a band, each with the distance of its bars from the points."""
    banded = [line for line in lines if line.low is not None]
    step = min(APART, 2 * EDGE / max(len(banded) - 1, 1)) * abs(x[-1] - x[0])
    return ((line, step * (i - (len(banded) - 1) / 2)) for i, line in enumerate(banded))


def _bars(x: Sequence[float], line: ChartLine, shift: float) -> dict[str, object]:
    """A bar at each point that is not too near to the one before, in one line with
    gaps.
    """
    assert line.low is not None and line.high is not None
    # NaN ends a bar, so that all are one trace
    ends, at = np.column_stack([line.low, line.high, np.full(len(x), np.nan)]), [0]
    least = ROOM * abs(x[-1] - x[0])
    for i in range(1, len(x)):
        if abs(x[i] - x[at[-1]]) >= least:
            at.append(i)
    return {
        "type": "scatter",
        "x": (np.repeat(np.array(x)[at], 3) + shift).tolist(),
        "y": ends[at].ravel().tolist(),
        "line": {"width": 3, "color": line.style.color, "dash": line.style.dash},
        "opacity": 0.45,
        "mode": "lines",
        "hoverinfo": "skip",
        "name": escape_name(line.name) + BAND,
    }


MARKER = 6
"""Size of markers of a line with a name."""
THIN = 1, 3
"""Width and size of markers of a line without one."""
PALE = 0.6
"""Opacity of a line without a name."""
HIDDEN = {"opacity": 0, "maxdisplayed": 1}
"""Markers of lines that nobody sees, and of which a browser draws one: that one can point
at the lines, and click them.
"""


def _drawn(
    x: Sequence[float], lines: Sequence[ChartLine], named: Collection[str]
) -> Iterator[dict[str, Any]]:
    """The traces of lines: those without a name below the others, and all of one style
    in one trace.
    """
    alike: dict[tuple[Style, bool], list[ChartLine]] = {}
    thin = [line for line in lines if line.name not in named]
    for line in thin:
        if _has_lone_point(line.y):
            yield _line(x, line, *THIN) | {"opacity": PALE}
        else:
            alike.setdefault((line.style, line.low is None), []).append(line)
    yield from (_thin_lines(x, these) for these in alike.values())
    yield from (_line(x, line, line.style.width, MARKER) for line in lines if line.name in named)


def _has_lone_point(y: np.ndarray) -> bool:
    """Whether a point has none beside it, and so no line that shows it."""
    known = np.pad(np.isfinite(y), 1)
    return bool((known[1:-1] & ~known[:-2] & ~known[2:]).any())


def _thin_lines(x: Sequence[float], lines: Sequence[ChartLine]) -> dict[str, Any]:
    """Lines of one style, and with bands or without, as one trace with a gap after each:
    a browser draws it in a fraction of the time that a trace for each takes.
    """
    style = lines[0].style
    joined = ChartLine("others", _with_gaps([line.y for line in lines]), style)
    if lines[0].low is not None:
        joined = joined._replace(
            low=_with_gaps([line.low for line in lines]),
            high=_with_gaps([line.high for line in lines]),
        )
    trace = _line(x, joined, *THIN)
    names = [[escape_name(line.name)] * (len(x) + 1) for line in lines]
    return trace | {
        "x": [*x, None] * len(lines),
        "text": [*chain.from_iterable(names)],
        # not of the trace: where two lines cross, both are seen
        "line": trace["line"] | {"color": faint(style.color, PALE)},
        "marker": trace["marker"] | HIDDEN,
        "hovertemplate": f"{trace['hovertemplate']}<extra>%{{text}}</extra>",
    }


def _with_gaps(rows: Sequence[np.ndarray | None]) -> np.ndarray:
    """The values of all rows, NaN after each."""
    return np.pad(np.array(rows, float), ((0, 0), (0, 1)), constant_values=np.nan).ravel()


def _line(x: Sequence[float], line: ChartLine, width: float, size: int) -> dict[str, Any]:
    """A line, with a marker of this size at each point."""
    interval, edges = "", None
    if line.low is not None and line.high is not None:
        interval = " [%{customdata[0]:.4f}, %{customdata[1]:.4f}]"
        edges = np.column_stack([line.low, line.high]).tolist()
    return {
        "type": "scatter",
        "x": list(x),
        "y": line.y.tolist(),
        "customdata": edges,
        "name": escape_name(line.name),
        "mode": "lines+markers",
        "line": {"color": line.style.color, "dash": line.style.dash, "width": width},
        "marker": {"symbol": line.style.symbol, "size": size, "color": line.style.color},
        "hovertemplate": "%{y:.4f}" + interval,
    }


class Path(NamedTuple):
    """A line through points (x, y) [points], NaN where there is a gap."""

    name: str
    x: np.ndarray
    y: np.ndarray
    style: Style
    note: str
    """text beside the name in the list"""
    points: Sequence[str]
    """hover text of each point"""
    crossing: float = np.nan
    """x from which on the line is below the threshold, marked if it is finite"""


def paths(
    lines: Sequence[Path],
    *,
    xtitle: str,
    ytitle: str,
    threshold: float | None = None,
    mark: float | None = None,
) -> Figure:
    """Lines from 0 on both axes; names in a list at the top right, where lines that
    fall leave room, in the order given.

    `threshold` draws a dotted level, `mark` a dotted place on the x axis.
    """
    texts = [(f"{line.name} {line.note}".rstrip(), line.style.color) for line in lines]
    top, right = _highest([line.y for line in lines]), _highest([line.x for line in lines])
    shapes = _lines_across(("y", threshold, "dot"), ("x", mark, "dot"))
    shapes += [_drop_path(line, threshold) for line in lines if np.isfinite(line.crossing)]
    return make_figure(
        [_path(line, xtitle, ytitle) for line in lines],
        hovermode="closest",
        xaxis={"title": xtitle, "range": [-right / 60, right * 1.04]},
        yaxis={"title": ytitle, "range": [-top / 60, top * 1.06]},
        annotations=list_names(texts, 1, "right"),
        shapes=shapes,
    )


def _highest(values: Sequence[np.ndarray]) -> float:
    """The highest of all values; 1 where none is above 0."""
    return float(np.nanmax(np.concatenate([[0.0], *values]))) or 1.0


def _path(line: Path, xtitle: str, ytitle: str) -> dict[str, object]:
    name, style = escape_name(line.name), line.style
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": line.x.tolist(),
        "y": line.y.tolist(),
        "customdata": list(line.points),
        "name": name,
        "line": {"color": style.color, "dash": style.dash, "width": 2},
        "marker": {"symbol": style.symbol, "size": 6, "color": style.color},
        "hovertemplate": (
            f"<b>{name}</b> %{{customdata}}<br>{ytitle} %{{y:.4f}}<br>"
            f"{xtitle} %{{x:.4g}}<extra></extra>"
        ),
    }


def _drop_path(line: Path, threshold: float | None) -> dict[str, Any]:
    return drop_line(line.crossing, threshold, 0, line.style.color, escape_name(line.name))
