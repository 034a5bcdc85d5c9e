"""One row per name: values with their intervals, two values each, or values beside
groups.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.places import pick
from irmeval.plots import axes, pins
from irmeval.plots.canvas import (
    FREE,
    KEY,
    MARGIN,
    TELEPHONE,
    TICK,
    Figure,
    axis_room,
    escape_name,
    make_figure,
)
from irmeval.plots.colors import GREY, HIGHLIGHT, INK, PALETTE, faint
from irmeval.plots.elements import measure
from irmeval.plots.names import LINE, TYPE, label_width, labels, room_below

ROW = 17
"""Pixels from one name to the next."""
MANY = 24
"""With more rows the chart is taller than a window: the axis stands above them, so that
values can be read off the rows in sight.
"""
BEYOND = 1.06
"""How far Plotly has an axis go beyond bars, as a multiple of their height."""
SYMBOL = 40
"""Width of a mark in a legend, with what is free beside it, in pixels."""
NAMED_BARS = 60
"""Maximum number of bars with their names below them."""


class Ranges(NamedTuple):
    """A value for each name, and its interval, all [names]."""

    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    significant: np.ndarray
    """whether the difference from the origin is"""
    inner: Sequence[np.ndarray] = ()
    """ends of a second interval, if there is one"""
    spans: tuple[str, str] = ("over topics", "over judgments")
    """what the intervals are over"""


def intervals(
    names: Sequence[str],
    ranges: Ranges,
    title: str,
    *,
    origin: float = 0.0,
    form: str = "+.4f",
    pooled: bool = False,
    truth: np.ndarray | None = None,
) -> Figure:
    """A dot per name with a line from low to high: blue above `origin`, where there is
    a vertical line, vermilion below it, grey where the difference is not significant.
    A second interval is drawn thick. `form` formats numbers. With `pooled`, the last
    row is a mean of the others, drawn as a diamond. The `truth` [name] is a hollow dot.
    """
    shown = [*ranges[:4], *ranges.inner]
    if truth is not None:
        shown.append(truth)
    names, values, low, high, significant, *inner = pins.without_hidden(names, *shown)
    truth = None if truth is None else inner.pop()
    drawn = Ranges(values, low, high, significant, inner, ranges.spans)
    side = np.where(values > origin, PALETTE["blue"], PALETTE["vermilion"])
    color = np.where(significant, side, GREY)
    rows = np.arange(len(names))
    is_dot = rows < len(rows) - pooled
    lines = [(low, high, 1.5)]
    if inner:
        lines.append((*inner, 4.0))
    marks = []
    for least, most, thickness in lines:
        arms = values - least, most - values, thickness
        # a trace for each colour: in Plotly, all error bars of a trace have one
        for shade in (PALETTE["blue"], GREY, PALETTE["vermilion"]):
            these = rows[(color == shade) & is_dot]
            if these.size:
                marks.append(_dots(names, drawn, these, arms, shade, form))
    if pooled:
        ends = low[-1], values[-1], high[-1]
        text = f"{escape_name(names[-1])} {ends[1]:{form}} [{ends[0]:{form}}, {ends[2]:{form}}]"
        marks.append(
            _diamond(len(rows) - 1, *ends, color=str(color[-1]), text=text, name=names[-1])
        )
    if truth is not None:
        marks.append(_hollow(names, truth, form))
    line = {"color": "gray", "width": 1}
    zero = {"type": "line", "x0": origin, "x1": origin, "yref": "paper", "y0": 0, "y1": 1}
    across = {"title": escape_name(title), "rangemode": axes.range_mode([*low, *high, origin])}
    return _in_rows(marks, names, 90 + ROW, xaxis=across, shapes=[zero | {"line": line}])


def _dots(
    names: Sequence[str],
    drawn: Ranges,
    these: np.ndarray,
    arms: tuple[np.ndarray, np.ndarray, float],
    shade: str,
    form: str,
) -> dict[str, Any]:
    """The dots of some rows, larger for marked runs, with lines to both sides: their
    lengths and their thickness are `arms`.
    """
    left, right, thickness = arms
    own = pins.marked(names)
    told = np.stack([drawn.low, drawn.high, *drawn.inner], axis=-1)
    # the name is the first of `customdata`, then come the ends of one or two intervals
    ends = [f"[%{{customdata[{i}]:{form}}}, %{{customdata[{i + 1}]:{form}}}]" for i in (1, 3)]
    said = ends[0]
    if drawn.inner:
        said = ", ".join(f"{end} {over}" for end, over in zip(ends, drawn.spans, strict=True))
    here = pick(names, these)
    marker: dict[str, Any] = {"size": 7, "symbol": "circle"}
    if own:
        marker["size"] = [11 if name in own else 7 for name in here]
        marker["symbol"] = ["diamond" if name in own else "circle" for name in here]
    marker["line"] = {
        "color": [own.get(name, shade) for name in here],
        "width": 3 if own else 0,
    }
    return {
        "type": "scatter",
        "mode": "markers",
        "x": drawn.values[these].tolist(),
        "y": these.tolist(),
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": right[these].tolist(),
            "arrayminus": left[these].tolist(),
            "thickness": thickness,
            "width": 0,
            "color": shade,
        },
        "customdata": [
            [escape_name(name), *row] for name, row in zip(here, told[these].tolist(), strict=True)
        ],
        "marker": marker | {"color": shade},
        "hovertemplate": f"%{{customdata[0]}} %{{x:{form}}} {said}<extra></extra>",
        "name": shade,
    }


def _hollow(names: Sequence[str], values: np.ndarray, form: str) -> dict[str, Any]:
    """A hollow dot a row."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": values.tolist(),
        "y": [*range(len(names))],
        "text": [*map(escape_name, names)],
        "marker": {"size": 9, "symbol": "circle-open", "color": HIGHLIGHT},
        "hovertemplate": f"%{{text}} truth %{{x:{form}}}<extra></extra>",
        "name": "truth",
    }


def _diamond(
    row: int, low: float, value: float, high: float, *, color: str, text: str, name: str
) -> dict[str, Any]:
    """A mean in its row, as wide as its interval."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [*map(float, (low, value, high, value, low))],
        "y": [row, row - 0.3, row, row + 0.3, row],
        "fill": "toself",
        "fillcolor": color,
        "line": {"color": color, "width": 1},
        "hoverinfo": "text",
        "text": text,
        "name": escape_name(name),
    }


def dumbbell(
    names: Sequence[str],
    before: np.ndarray,
    after: np.ndarray,
    titles: tuple[str, str],
    xtitle: str,
    fixed: Sequence[str] = (),
) -> Figure:
    """A hollow dot per name at its value before, a full one at its value after, and a
    line between them. `fixed` are the colours of names that are no runs.
    """
    names, before, after = pins.without_hidden(names, before, after)
    rows, own = list(range(len(names))), pins.colors(names)
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [
            x for ends in zip(before.tolist(), after.tolist(), strict=True) for x in (*ends, None)
        ],
        # one trace with gaps is drawn as fast as one line
        "y": [y for row in rows for y in (row, row, None)],
        "line": {"color": GREY, "width": 2},
        "hoverinfo": "skip",
        "name": "change",
        "showlegend": False,
    }
    dots = []
    for values, title, symbol, usual in (
        (before, titles[0], "circle-open", PALETTE["blue"]),
        (after, titles[1], "circle", PALETTE["vermilion"]),
    ):
        marker = {"size": 8, "symbol": symbol, "color": fixed or _run_colors(names, own, usual)}
        trace = {
            "type": "scatter",
            "mode": "markers",
            "x": values.tolist(),
            "y": rows,
            "text": [*map(escape_name, names)],
            "marker": marker,
            "hovertemplate": f"%{{text}} {escape_name(title)} %{{x:.4f}}<extra></extra>",
            "name": escape_name(title),
        }
        dots += [trace] if isinstance(marker["color"], str) else _with_own_key(trace)
    legend = {"orientation": "h", "yref": "container", "y": 1, "yanchor": "top", "x": 0}
    across = {"title": escape_name(xtitle), "rangemode": axes.range_mode([*before, *after])}
    return _in_rows(
        [line, *dots],
        names,
        110 + ROW,
        top=FREE + KEY,
        showlegend=True,
        legend=legend,
        xaxis=across,
    )


def _with_own_key(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """A trace of dots in several colours, and its key in the legend, which has the shape
    of the dots alone: Plotly would give it the colour of the first.
    """
    group = {"legendgroup": trace["name"]}
    key = {
        "type": "scatter",
        "mode": "markers",
        "x": [None],
        "y": [None],
        "marker": {**trace["marker"], "color": INK},
        "name": trace["name"],
    }
    return [trace | group | {"showlegend": False}, key | group]


def _run_colors(names: Sequence[str], own: dict[str, str], usual: str) -> list[str] | str:
    """The colours of runs; the usual one where none has its own."""
    return [pins.color(name, own, usual) for name in names] if own else usual


TALL_ROW = 34
"""Pixels from one stacked bar to the next."""


def stacked(names: Sequence[str], parts: Sequence[str], shares: np.ndarray, title: str) -> Figure:
    """A bar per name, made of its parts: `shares` [part, name], from 0 to 1, which add
    up to 1 for each name.
    """
    rows, left = list(range(len(names))), 30 + label_width(names)
    begins = np.cumsum(shares, axis=0) - shares
    depths = np.linspace(0.6, 0.12, len(parts))
    bars = [
        {
            "type": "bar",
            "orientation": "h",
            "x": (100 * share).tolist(),
            "base": (100 * begin).tolist(),
            "y": rows,
            "text": [*map(escape_name, names)],
            "textposition": "none",
            "marker": {"color": faint(PALETTE["sky"], depth), "line": {"width": 0}},
            "hovertemplate": f"%{{text}}<br>{escape_name(part)}: %{{x:.1f}}%<extra></extra>",
            "name": escape_name(part),
        }
        for part, share, begin, depth in zip(parts, shares, begins, depths, strict=True)
    ]
    written = [
        {
            "x": 100 * (begins[p, row] + shares[p, row] / 2),
            "y": row,
            "text": f"{shares[p, row]:.0%}",
            "font": {"size": 12, "color": HIGHLIGHT},
            "showarrow": False,
        }
        for p in range(len(parts))
        for row in rows
        # a narrower part has no room for its share
        if shares[p, row] >= 0.04
    ]
    return make_figure(
        bars,
        annotations=written,
        barmode="overlay",
        bargap=0.16,
        height=110 + TALL_ROW * len(names),
        hovermode="closest",
        showlegend=True,
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        margin={"l": left, "t": FREE + _room_of_keys(parts, left)},
        xaxis={"title": escape_name(title), "range": [0, 100], "showgrid": False},
        yaxis={
            "tickvals": rows,
            "ticktext": labels(names),
            "range": [len(names) - 0.5, -0.5],
            "showgrid": False,
            "ticks": "",
        },
    )


def ladder(
    names: Sequence[str], values: np.ndarray, groups: Sequence[tuple[int, int]], title: str
) -> Figure:
    """A dot per name at its value, and on the right a vertical bar per group (first,
    last).
    """
    own = pins.colors(names)
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": values.tolist(),
        "y": list(range(len(names))),
        "text": [*map(escape_name, names)],
        "marker": {"size": 7, "color": [pins.color(name, own, PALETTE["blue"]) for name in names]},
        "hovertemplate": "%{text} %{x:.4f}<extra></extra>",
        "name": "means",
    }
    across = {
        "title": escape_name(title),
        "domain": [0, 0.45],
        "rangemode": axes.range_mode(values),
    }
    beside = {"domain": [0.5, 1], "range": [-1, max(len(groups), 8)], "visible": False}
    return _in_rows([dots, _groups(names, groups)], names, 90, xaxis=across, xaxis2=beside)


def _groups(names: Sequence[str], groups: Sequence[tuple[int, int]]) -> dict[str, Any]:
    """A vertical bar per group, all in one trace with gaps."""
    said = [
        f"{escape_name(names[first])} to {escape_name(names[last])}: {last - first + 1}"
        for first, last in groups
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x for i in range(len(groups)) for x in (i, i, None)],
        "y": [y for first, last in groups for y in (first - 0.3, last + 0.3, None)],
        "xaxis": "x2",
        "line": {"color": PALETTE["vermilion"], "width": 4},
        "hoverinfo": "text",
        "text": [text for text in said for _ in range(3)],
        "name": "groups",
    }


def _in_rows(
    traces: Sequence[dict[str, Any]],
    names: Sequence[str],
    around: int,
    *,
    top: int = FREE,
    **more: Any,
) -> Figure:
    """A figure with the names on the y axis from the top, and `around` pixels above and
    below them together. Its x axes are above the rows if these are `MANY`.
    """
    margin: dict[str, Any] = {"l": 30 + label_width(names), "t": top}
    if len(names) > MANY:
        margin |= {"t": top + axis_room(), "b": FREE}
        above = {name: axis | {"side": "top"} for name, axis in more.items() if name[0] == "x"}
        more |= above
    unclipped = [trace | {"cliponaxis": False} for trace in traces]  # dots at the axis are whole
    return make_figure(
        unclipped,
        height=around + ROW * len(names),
        hovermode="closest",
        margin=margin,
        **more,
        yaxis={
            "tickvals": list(range(len(names))),
            "ticktext": labels(names),
            "range": [len(names) - 0.4, -0.6],
            "ticks": "",
        },
    )


def counts(
    names: Sequence[str],
    parts: Sequence[str],
    numbers: np.ndarray,
    titles: tuple[str, str],
    blue: int,
) -> Figure:
    """A vertical bar per name, made of its parts: `numbers` [part, name]. The first `blue`
    of them are blue, that at the foot the darkest; the others are grey.
    """
    tops = np.cumsum(numbers, axis=0)
    left = _left(tops)
    colors = [faint(PALETTE["blue"], depth) for depth in np.linspace(1, 0.35, max(blue, 1))]
    colors = colors[:blue] + [faint(GREY, 0.6)] * (len(parts) - blue)
    places = list(range(1, len(names) + 1))
    bars = [
        {
            "type": "bar",
            "x": places,
            "y": of.tolist(),
            "base": (top - of).tolist(),
            "text": [*map(escape_name, names)],
            "textposition": "none",
            "marker": {"color": color, "line": {"width": 0}},
            "hovertemplate": f"topic %{{text}}<br>{escape_name(part)}: %{{y:,}}<extra></extra>",
            "name": escape_name(part),
        }
        for part, of, top, color in zip(parts, numbers, tops, colors, strict=True)
    ]
    return make_figure(
        bars,
        barmode="overlay",
        bargap=0.15,
        height=300,
        hovermode="closest",
        showlegend=True,
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        margin={"l": left, "t": FREE + _room_of_keys(parts, left), "b": _bottom(names)},
        xaxis=_named_bars(names, escape_name(titles[0])),
        yaxis={"title": escape_name(titles[1])},
    )


def _room_of_keys(parts: Sequence[str], left: float) -> int:
    """Height of a legend above a figure with this left margin, in pixels: of two lines,
    where a telephone has no room for one.
    """
    wide = sum(SYMBOL + measure(part, TYPE) for part in parts)
    return KEY if wide <= TELEPHONE - left - MARGIN else KEY + LINE


def _named_bars(names: Sequence[str], title: str) -> dict[str, Any]:
    """The axis of bars at 1, 2, ...: their names, unless they are too many."""
    axis = {"title": title, "showgrid": False, "ticks": ""}
    if len(names) > NAMED_BARS:
        return axis | {"showticklabels": False}
    places = [*range(1, len(names) + 1)]
    return axis | {"tickvals": places, "ticktext": [*map(escape_name, names)]}


def _left(heights: np.ndarray) -> float:
    """The margin beside bars of these heights, in pixels."""
    low, high = np.nanmin(heights, initial=0.0), np.nanmax(heights, initial=0.0)
    return axes.left_of(BEYOND * low, BEYOND * high)


def _bottom(names: Sequence[str]) -> float:
    """The margin below bars, whose axis has no ticks, in pixels."""
    tall = room_below(names) if len(names) <= NAMED_BARS else 0
    return FREE + axis_room(tall) - TICK


class MeanLine(NamedTuple):
    """A mean and its interval; NaN for ends that are not known."""

    value: float
    low: float
    high: float


def differences(
    labels: Sequence[str],
    x: np.ndarray,
    y: np.ndarray,
    names: tuple[str, str],
    ytitle: str,
    mean: MeanLine,
) -> Figure:
    """A bar per label of height x - y, in the order given; blue above 0, vermilion
    below. A dashed line at the mean with its interval as a band.
    """
    z, places = x - y, list(range(1, len(labels) + 1))
    first, second = map(escape_name, names)
    bars = {
        "type": "bar",
        "x": places,
        "y": z.tolist(),
        "customdata": [
            [escape_name(label), a, b]
            for label, a, b in zip(labels, x.tolist(), y.tolist(), strict=True)
        ],
        "marker": {
            "color": np.where(z >= 0, PALETTE["blue"], PALETTE["vermilion"]).tolist(),
            "line": {"width": 0},
        },
        "hovertemplate": (
            f"topic %{{customdata[0]}}<br>{first} %{{customdata[1]:.4f}}<br>{second}"
            " %{customdata[2]:.4f}<br>difference %{y:+.4f}<extra></extra>"
        ),
        "name": "difference",
    }
    return make_figure(
        [bars, *_mean_band(mean, len(labels))],
        height=330,
        bargap=0.15,
        margin={"l": _left(np.array([*z, *mean])), "b": _bottom(labels)},
        xaxis=_named_bars(labels, "topics, by difference"),
        yaxis={"title": escape_name(ytitle), "zeroline": True, "zerolinecolor": "gray"},
        shapes=[_mean_line(mean)],
        annotations=[_mean_label(mean)],
    )


def _mean_line(mean: MeanLine) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": mean.value,
        "y1": mean.value,
        "line": {"color": HIGHLIGHT, "width": 1.5, "dash": "dash"},
    }


def _mean_band(mean: MeanLine, bars: int) -> list[dict[str, Any]]:
    """The interval as a band across all bars; nothing without one."""
    if np.isnan(mean.low):
        return []
    left, right = 0.5, bars + 0.5
    band = {
        "type": "scatter",
        "mode": "lines",
        "x": [left, right, right, left],
        "y": [mean.low, mean.low, mean.high, mean.high],
        "fill": "toself",
        "fillcolor": faint(GREY, 0.35),
        "line": {"color": GREY, "width": 0},
        "hoverinfo": "skip",
        "name": "interval",
    }
    return [band]


def _mean_label(mean: MeanLine) -> dict[str, Any]:
    """The mean in figures, at the right end of its line."""
    text = f"mean {mean.value:+.4f}"
    if np.isfinite(mean.low):
        text += f" [{mean.low:+.4f}, {mean.high:+.4f}]"
    return {
        "text": text,
        "xref": "paper",
        "x": 1,
        "xanchor": "right",
        "y": np.nanmax([mean.value, mean.high]),
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12, "color": HIGHLIGHT},
    }
