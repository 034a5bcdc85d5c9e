"""Names as dots at two values each.

Also distributions side by side.
"""

from collections.abc import Sequence
from functools import partial
from html import unescape
from typing import Any, NamedTuple, Self

import numpy as np

from irmeval.core.places import pick, place_of_each
from irmeval.plots import pins
from irmeval.plots.axes import fences, note_ends, range_mode, spaced_indices, zooms
from irmeval.plots.canvas import BOTTOM, Figure, escape_name, make_figure
from irmeval.plots.colors import GREY, PAGE, PALETTE, faint, ink
from irmeval.plots.names import LETTER, LEVEL, label_width, shorten_names, ticks

DRAWN = 5000
"""The most dots, besides those that are named."""
TYPE = 12
"""Height of the letters of a name, in pixels."""
TALL = 374
"""Height of a chart with names among its dots, in pixels."""
SIZE = 8
"""Diameter of a dot, in pixels."""
WIDTHS = np.geomspace(220, 900, 8)
"""Widths between the axes of a chart in pixels, from a telephone's on: a name has its
place in all of them.
"""
ASIDE = np.array([0, *(way * away for away in (10, 30, 60, 100, 150) for way in (1, -1))])
"""Pixels from a dot across to where its name begins, or if negative, ends; at 0 the
name is above or below.
"""


def points(
    names: Sequence[str],
    x: np.ndarray,
    y: np.ndarray,
    titles: tuple[str, str],
    named: Sequence[int] = (),
    *,
    identity: bool = False,
) -> Figure:
    """A dot for each name at (x, y). Those at the indices `named` have another colour
    and their name. With `identity`, a dotted line shows where both values are equal.
    """
    names, x, y, named = _fewer(names, x, y, named)
    own, marked = pins.colors(names), pins.marked(names)
    if marked:
        named = [i for i, name in enumerate(names) if name in marked]
    chosen = np.isin(np.arange(len(names)), list(named))
    hover = f"{escape_name(titles[0])} %{{x:.4f}}<br>{escape_name(titles[1])} %{{y:.4f}}"
    traces: list[dict[str, Any]] = []
    if identity and np.isfinite(x + y).any():
        traces.append(_diagonal([float(np.nanmin([x, y])), float(np.nanmax([x, y]))]))
    # the named ones last, so that no other covers them
    for these, title, usual in ((~chosen, "others", "blue"), (chosen, "picked out", "vermilion")):
        if these.any():
            here = pick(names, np.flatnonzero(these))
            color = [pins.color(name, own, "") for name in here] if own else PALETTE[usual]
            dots = _dots(here, x[these], y[these], color)
            traces.append({**dots, "hovertemplate": f"%{{text}}<br>{hover}<extra></extra>"})
            traces[-1]["name"] = title
    # without fixed ranges, the axes would stretch until the names beside the dots fit
    xaxis, yaxis = (
        {"title": escape_name(title), "range": _around(values)}
        for title, values in zip(titles, (x, y), strict=True)
    )
    short = shorten_names(names)
    labels = [
        _label(float(x[i]), float(y[i]), short[i], own.get(names[i], ""))
        for i in named
        if np.isfinite(x[i] + y[i])
    ]
    made = make_figure(
        traces,
        height=TALL,
        hovermode="closest",
        xaxis=xaxis,
        yaxis=yaxis,
        annotations=labels,
    )
    return with_names_placed(made)


def _fewer(
    names: Sequence[str], x: np.ndarray, y: np.ndarray, named: Sequence[int]
) -> tuple[Sequence[str], np.ndarray, np.ndarray, Sequence[int]]:
    """The dots that are drawn: without hidden runs, and of very many only some, all
    that are named among them.
    """
    names, x, y, kept = pins.without_hidden(names, x, y, range(len(names)))
    place = place_of_each(kept)
    named = [place[i] for i in named if i in place]
    if len(names) <= DRAWN:
        return names, x, y, named
    some = np.union1d(spaced_indices(len(names), DRAWN), np.asarray(named, int))
    return pick(names, some), x[some], y[some], np.searchsorted(some, named).tolist()


def _dots(
    names: Sequence[str], x: np.ndarray, y: np.ndarray, color: str | list[str]
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x.tolist(),
        "y": y.tolist(),
        "text": [*map(escape_name, names)],
        "marker": {"size": SIZE, "color": color, "opacity": 0.75},
    }


def _diagonal(ends: list[float]) -> dict[str, Any]:
    """A dotted line where both values are equal."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": ends,
        "y": ends,
        "line": {"color": GREY, "width": 1, "dash": "dot"},
        "hoverinfo": "skip",
        "name": "the same",
    }


def _label(x: float, y: float, name: str, color: str) -> dict[str, Any]:
    """The name of a dot, in its colour if it has its own."""
    font = {"size": TYPE, "color": ink(color)} if color else {"size": TYPE}
    return {
        "x": x,
        "y": y,
        "text": escape_name(name),
        "font": font,
        "arrowhead": 0,
        "arrowwidth": 1,
        "arrowcolor": "gray",
        "bgcolor": faint(PAGE, 0.8),
    }


class _Places(NamedTuple):
    """Where the name of a dot may be: in each row, on each side of the dot."""

    left: np.ndarray
    """pixels from the left of the chart, for each of its widths [width, side]"""
    right: np.ndarray
    middle: np.ndarray
    """pixels from the top of the chart [row]"""
    height: float
    """of the name"""

    def count_covered(self, across: np.ndarray, down: np.ndarray, size: float) -> np.ndarray:
        """How many dots of a size a name would cover there, over all widths [row, side];
        the dots are `across` [width, dot] from the left and `down` [dot] from the top.
        """
        at = across[:, None]  # [width, 1, dot]
        beside = (self.left[..., None] < at + size / 2) & (at - size / 2 < self.right[..., None])
        level = np.abs(self.middle[:, None] - down) < (self.height + size) / 2
        return level.astype(float) @ beside.sum(axis=0).T.astype(float)

    def are_outside(self, widths: np.ndarray, tall: float) -> np.ndarray:
        """Whether a name would leave a chart of some width [width, 1] there [row, side]."""
        across = ((self.left < 0) | (self.right > widths)).any(axis=0)
        down = np.abs(self.middle - tall / 2) > (tall - self.height) / 2
        return across | down[:, None]

    def touch(self, other: Self) -> np.ndarray:
        """Whether a name would touch another one, which has one place [row, side]."""
        across = ((self.left < other.right) & (other.left < self.right)).any(axis=0)
        down = np.abs(self.middle - other.middle) < self.height
        return across & down[:, None]

    def at(self, row: int, side: int) -> Self:
        """One of them."""
        left, right, middle = self.left[:, [side]], self.right[:, [side]], self.middle[[row]]
        return self._replace(left=left, right=right, middle=middle)


def with_names_placed(figure: Figure) -> Figure:
    """Move the names of dots on a figure to where they cover no dot and touch no other
    name, as near to their dots as can be, in a chart of any of the `WIDTHS`; where
    there is no such place, to where fewest dots are. To be called again if axes or
    sizes change.
    """
    layout = figure.layout
    notes = [note for note in layout.annotations if note.arrowhead is not None]
    if not notes:
        return figure
    tall = layout.height - layout.margin.t - layout.margin.b
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    x, y = (np.concatenate([np.asarray(trace[letter], float) for trace in dots]) for letter in "xy")
    right, up = (partial(_share, ends=axis.range) for axis in (layout.xaxis, layout.yaxis))
    size, sides = notes[0].font.size, np.sign(ASIDE)
    larger = size / TYPE
    widths, aside = (WIDTHS * larger)[:, None], ASIDE * larger
    rows = np.arange(-tall, tall, size / 2)
    across, down = right(x) * widths, (1 - up(y)) * tall
    # below 1: of places that cover as many dots, the nearest one
    distance = np.hypot(rows[:, None], aside) / (tall + widths[-1])  # [row, side]
    taken: list[_Places] = []
    for note in notes:
        wide = len(unescape(note.text)) * LETTER * larger + 6
        left = right(note.x) * widths + aside - wide * (1 - sides) / 2
        places = _Places(left, left + wide, (1 - up(note.y)) * tall + rows, 1.4 * size)
        barred = places.are_outside(widths, tall)
        for other in taken:
            barred = barred | places.touch(other)
        covered = places.count_covered(across, down, dots[0].marker.size)
        # a barred place is worse than one that covers every dot at every width
        cost = covered + barred * x.size * widths.size + distance
        row, side = map(int, np.unravel_index(np.argmin(cost), cost.shape))
        taken.append(places.at(row, side))
        note.update(
            ax=float(aside[side]),
            ay=float(rows[row]),
            xanchor=("center", "left", "right")[int(sides[side])],
        )
    return figure


def _share(value: Any, ends: Sequence[float]) -> Any:
    """Where on an axis a value is, from 0 to 1."""
    return (value - ends[0]) / (ends[1] - ends[0])


def _around(values: np.ndarray) -> list[float] | None:
    """The ends of an axis that shows all values, from 0 only where `scale` says so, as
    dots and names need room; None without values.
    """
    if not np.isfinite(values).any():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if not zooms(values, near=1.0):
        low, high = min(low, 0.0), max(high, 0.0)
    away = (high - low or 1.0) * 0.06
    return [*note_ends(low - away, high + away)]


KINDS = ("box", "strip")
READABLE = 60
"""How many names fit on the axis."""
WIDE = 600
"""Pixels of the axis in a wide window: names that fit there are turned only where they
do not fit.
"""


def strips(
    names: Sequence[str],
    values: np.ndarray,
    points: Sequence[str],
    kind: str,
    *,
    xtitle: str,
    ytitle: str,
) -> Figure:
    """A box or a strip of dots per name, of values [name, point] called `points`, and a
    diamond at the mean. NaN is left out.
    """
    names, values = pins.without_hidden(names, values)
    n, each = values.shape
    own = pins.colors(names)
    shades = [pins.color(name, own, PALETTE["blue"]) for name in names]
    labels, called = (np.array([*map(escape_name, of)], object) for of in (points, names))
    # of what is not drawn nobody reads the names
    is_dot = np.full(values.shape, True) if kind == "strip" else are_beyond(values)
    on_dots, of_boxes = (np.where(is_dot, told, "") for told in (labels[None], called[:, None]))
    drawn = []
    # by colour: a trace for each name would take many times as long to draw
    for shade in dict.fromkeys(shades):
        these = np.flatnonzero(np.array(shades) == shade)
        looks = _strip(shade) if kind == "strip" else _box(shade)
        drawn.append(
            looks
            | {
                "type": "box",
                "x": np.repeat(these, each).tolist(),
                "y": values[these].ravel().tolist(),
                "text": on_dots[these].ravel().tolist(),
                "customdata": of_boxes[these].ravel().tolist(),
                "jitter": 0.5,
                "pointpos": 0,
                "marker": {"size": 4, "color": shade, "opacity": 0.55},
                "hovertemplate": "%{customdata}<br>%{text}: %{y:.4f}<extra></extra>",
                "name": "scores",
                "offsetgroup": "scores",
            }
        )
    inside = shades if own else PALETTE["vermilion"]
    angles = _angles(n * label_width(names))
    is_turned = angles.get("tickangle")
    below = 0.8 * label_width(names) if is_turned else 5
    return make_figure(
        [*drawn, _mean_marks(values, called, inside)],
        hovermode="closest",
        margin={"b": BOTTOM + below},
        xaxis={
            "title": xtitle,
            "range": [-0.7, n - 0.3],
            "showgrid": False,
            **ticks(names, READABLE),
            **angles,
            "tickfont": {"size": 11},
        },
        yaxis={"title": escape_name(ytitle), "rangemode": range_mode(values)},
    )


def are_beyond(values: np.ndarray) -> np.ndarray:
    """Whether each of the values [name, point] is a dot beside its box, as it lies beyond
    the ends of the whiskers, or within a rounding error of where that begins.
    """
    beyond = np.zeros(values.shape, bool)
    for i, row in enumerate(values):
        known = row[np.isfinite(row)]
        if known.size:
            low, high = fences(known)
            near = 1e-9 * (high - low)
            beyond[i] = (row <= low + near) | (row >= high - near)
    return beyond


def _strip(shade: str) -> dict[str, Any]:
    """The looks of a strip: a box of which only the dots are seen."""
    return {
        "boxpoints": "all",
        "fillcolor": "rgba(0,0,0,0)",
        "line": {"width": 0, "color": shade},
        "hoveron": "points",
    }


def _box(shade: str) -> dict[str, Any]:
    """The looks of a box, with dots for outliers alone."""
    return {
        "boxpoints": "outliers",
        "fillcolor": faint(shade, 0.25),
        "line": {"width": 1, "color": shade},
        "hoveron": "boxes+points",
    }


def _angles(length: float) -> dict[str, Any]:
    """How names are turned that are so long together, in pixels."""
    if length > WIDE:
        return {"tickangle": -60}
    if length > LEVEL:
        return {"autotickangles": [0, -60], "automargin": True}
    return {"tickangle": 0}


def _mean_marks(values: np.ndarray, called: np.ndarray, color: str | list[str]) -> dict[str, Any]:
    """A diamond at the mean of each name, none where it has no value."""
    known = np.isfinite(values).any(axis=1)
    means = [
        float(np.nanmean(row)) if has else None for row, has in zip(values, known, strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(len(values))),
        "y": means,
        "customdata": called.tolist(),
        "marker": {"symbol": "diamond", "size": 6, "color": color},
        "hovertemplate": "%{customdata}<br>mean %{y:.4f}<extra></extra>",
        "name": "mean",
    }
