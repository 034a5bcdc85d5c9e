"""A table of numbers as coloured cells.

Also sorted p-values, a curve per measure.
"""

import math
import textwrap
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from irmeval.plots import pins
from irmeval.plots.canvas import (
    FREE,
    INNER,
    LEFT,
    MARGIN,
    TELEPHONE,
    TICK,
    Figure,
    axis_room,
    drop_line,
    escape_name,
    make_figure,
    value_line,
)
from irmeval.plots.colors import GREY, PALETTE, Style, faint, styles
from irmeval.plots.names import LETTER, LINE, label_width, list_names, ticks

SCALE = [[0, "#F6F1E3"], [0.5, "#BFD9EA"], [1, "#4F9DCC"]]
INK = "#101820"
"""Colour of the numbers in the cells, at a contrast of at least 5.5 with any colour of
the scale, on light and dark pages.
"""
BARE = [[0, faint(PALETTE["blue"], 0.06)], [1, faint(PALETTE["blue"], 1)]]
"""The colour scale of cells without numbers, from nearly transparent to deep."""
LEAST = 240
"""Height of the cells of few rows together, in pixels, unless a row would be over `TALLEST`."""
TALLEST = 60
WRITTEN = 24
"""The most columns with numbers printed in the cells."""
NAMED = 64
"""How many names fit on an axis."""
LEVEL = 110
"""How many letters fit side by side above the columns; with more, the names are turned
upright.
"""
WRAP = 13
"""Letters per line of a column's name."""
LEGEND = 50
"""Height of the scale of colours with its title and numbers, in pixels."""
SMALLEST = 10
"""Smallest size of the numbers in the cells, in pixels, which even a telephone has room
for.
"""
GAPPED = 3
"""Smallest width of a cell with a gap beside it, in pixels of a narrow window, where
gaps would else hide the cells.
"""
LARGEST = 13
"""Largest size of the numbers in the cells, in pixels."""


class Shades(NamedTuple):
    """The colours of cells: deeper for larger values, or with `reverse` for smaller."""

    low: float | None = None
    """value of the lightest colour, by default the least"""
    high: float | None = None
    """value of the deepest colour, by default the largest"""
    reverse: bool = False
    diagonal: bool = False
    """whether rows and columns are the same names: where they meet the cell is grey"""


USUAL = Shades()


def numbers(
    values: np.ndarray, form: str = ".3f", framed: np.ndarray | None = None
) -> list[list[str]]:
    """The texts of cells [row, column], empty for NaN. Those that are true in `framed`
    are in brackets.
    """

    def write(value: float, in_brackets: bool) -> str:
        if math.isnan(value):
            return ""
        text = format(value, form)
        return f"({text})" if in_brackets else text

    brackets = np.zeros(values.shape, bool) if framed is None else framed
    rows = zip(values.tolist(), brackets.tolist(), strict=True)
    return [[*map(write, row, marks)] for row, marks in rows]


def cells(
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    *,
    title: str,
    titles: tuple[str, str] = ("", ""),
    shades: Shades = USUAL,
    form: str = ".3f",
    printed: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """Cells [row, column] in the order given; a NaN is left empty.

    `titles` are the names of the axes, across and down. While there is room, numbers
    are printed with the format `form`, and the `title` below the cells; else there is a
    scale of colours. `printed` [row][column] are texts in place of numbers.
    """
    if shades.diagonal:  # 1 by definition, which would take the deepest colour
        values = np.where(np.eye(len(rows), dtype=bool), np.nan, values)
    rows, values, text = pins.without_hidden(rows, values, printed or numbers(values, form))
    across, down = titles
    written = len(columns) <= WRITTEN
    tall = 28 if written else min(20.0, max(7.0, 900 / len(rows)))
    height = max(tall * len(rows), min(TALLEST * len(rows), LEAST))
    size = 12 if tall > 16 else 10
    beside = FREE + axis_room(0) - TICK if down else 30
    heads, top = _heads(columns)
    if across:
        top += 13
    if not written:
        top += LEGEND
    legend = _legend(title, ".0%" if "%" in form else "")
    grid = _grid(rows, columns, values, text, title, written=written)
    traces = [grid | _colors(values, shades) | {"colorbar": legend}]
    if shades.diagonal:
        traces.append(_diagonal(len(rows)))
    return make_figure(
        traces,
        annotations=[_title_below(title)] if written else [],
        height=int(top + 50 + height),
        hovermode="closest",
        margin={"l": beside + label_width(rows) * size / 12, "r": 10, "t": top, "b": 40},
        xaxis={
            "showgrid": False,
            "ticks": "",
            "side": "top",
            **heads,
            "tickfont": {"size": 12 if written else 10},
            "title": across,
            "range": [-0.5, len(columns) - 0.5],
        },
        yaxis=_down(rows, down, size),
    )


def _colors(values: np.ndarray, shades: Shades) -> dict[str, Any]:
    """The scale of colours, by default from the lowest to the highest value."""
    low, high = shades.low, shades.high
    if low is None:
        low = float(np.nanmin(values, initial=np.inf))
    if high is None:
        high = float(np.nanmax(values, initial=-np.inf))
    return {"zmin": low, "zmax": high, "reversescale": shades.reverse}


def _heads(columns: Sequence[str]) -> tuple[dict[str, Any], float]:
    """The names above the columns, side by side while there is room, else upright; and
    the height that they take.
    """
    wrapped = [textwrap.wrap(name, WRAP) for name in columns]
    longest = max(map(len, chain.from_iterable(wrapped)), default=0)
    if len(columns) * longest > LEVEL:
        return ticks(columns, NAMED) | {"tickangle": -90}, 40 + label_width(columns)
    heads = ["<br>".join(map(escape_name, lines)) for lines in wrapped]
    breaks = max((head.count("<br>") for head in heads), default=0)
    level = {
        "tickvals": list(range(len(columns))),
        "ticktext": heads,
        # turned in a narrow window
        "autotickangles": [0, -90],
        "automargin": True,
    }
    return level, 40 + 15 * breaks


def _title_below(title: str) -> dict[str, Any]:
    return {
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -6,
        "showarrow": False,
        "text": escape_name(title),
        "font": {"size": 12},
    }


def _down(rows: Sequence[str], title: str, size: int) -> dict[str, object]:
    """The axis of the rows."""
    ends = [len(rows) - 0.5, -0.5]
    return {
        "showgrid": False,
        "ticks": "",
        **ticks(rows, NAMED),
        "tickfont": {"size": size},
        "title": title,
        "range": ends,
    }


def _grid(
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    text: Sequence[Sequence[str]],
    title: str,
    *,
    written: bool,
) -> dict[str, object]:
    """The cells, with their numbers if these are `written`, and else only on hover."""
    named = [*map(escape_name, columns)]
    return {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": list(range(len(rows))),
        # of the colours alone: the text tells the number
        "z": values.astype(np.float32),
        "text": text,
        "customdata": [[f"{escape_name(row)}<br>{column}" for column in named] for row in rows],
        "texttemplate": "%{text}" if written else None,
        "textfont": {"color": INK} | _size(rows, text),
        "colorscale": SCALE if written else BARE,
        "xgap": int(_narrow(rows, columns) >= GAPPED),
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": f"%{{customdata}}<br>{escape_name(title)} %{{text}}<extra></extra>",
        "showscale": not written,
        "name": title,
    }


def _diagonal(size: int) -> dict[str, object]:
    """Grey cells on the diagonal."""
    grey = faint(GREY, 0.35)
    return {
        "type": "heatmap",
        "x": list(range(size)),
        "y": list(range(size)),
        "z": np.where(np.eye(size, dtype=bool), 1.0, np.nan).tolist(),
        "zmin": 0,
        "zmax": 1,
        "colorscale": [[0, grey], [1, grey]],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
        "name": "the same",
    }


def _legend(title: str, form: str) -> dict[str, object]:
    """The scale of colours above the cells: beside them it would take the half of what
    a telephone has left of names.
    """
    return {
        "title": {"text": escape_name(title), "side": "top"},
        "orientation": "h",
        "tickformat": form,
        "nticks": 5,
        "thickness": 12,
        "lenmode": "pixels",
        "len": 160,
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yref": "container",
        "yanchor": "top",
        "ypad": 2,
    }


def _narrow(rows: Sequence[str], columns: Sequence[str]) -> float:
    """Width of a cell in a narrow window, in pixels."""
    return (TELEPHONE - 40 - label_width(rows)) / max(len(columns), 1)


def _size(rows: Sequence[str], text: Sequence[Sequence[str]]) -> dict[str, int]:
    """The size of numbers that fit into their cells on a telephone too; if none does,
    Plotly shrinks them to the cell.
    """
    width = max(map(_width_of_number, chain.from_iterable(text)), default=0.0)
    if not width:
        return {}
    room = _narrow(rows, max(text, key=len)) - 1
    fits = int(room / width)
    return {"size": min(fits, LARGEST)} if fits >= SMALLEST else {}


def _width_of_number(text: str) -> float:
    """As a share of the size of its letters; points and brackets are narrow, % is wide."""
    return sum(WIDTHS.get(letter, 0.56) for letter in text)


WIDTHS = {".": 0.28, "(": 0.28, ")": 0.28, "%": 0.9}
"""Of letters that are not as wide as a digit."""
POINTS = 600
"""The most points of a curve."""


def levels(names: Sequence[str], p: np.ndarray, alpha: float, zero: str) -> Figure:
    """Curves of p [name, pair], ascending, up to three times alpha or .15, where they
    rise. Names are listed by their share below alpha, left of all curves, or right of
    the figure where a curve rises too early for that.

    `zero` is the text for a p of 0, such as ``< 0.001`` with a thousand samples.
    """
    style, pairs = styles(names), p.shape[1]
    top = min(1.0, max(0.15, 3 * alpha))
    # the stretch where the curves rise: before it all are flat, after it all leave the figure
    low, high = ((p <= level).sum(axis=1) for level in (top / 100, top))
    start, end = 0.95 * low.min(), min(high.max() + 0.05 * (high.max() - low.min()) + 1, pairs)
    share = (p < alpha).mean(axis=1)
    listed = [
        (f"{names[m]} {share[m]:.1%}", style[names[m]].color)
        for m in np.argsort(-share, kind="stable")
    ]
    width = LETTER * max(len(text) for text, _ in listed)
    taken = width / (TELEPHONE - LEFT - MARGIN)
    # a curve's place beside the lowest name
    first = (p <= top * (1 - len(listed) * LINE / INNER)).sum(axis=1).min()
    inside = taken < 1 and first >= taken * end
    if inside:
        start = min(start, (first - taken * end) / (1 - taken))
    at = np.unique(np.linspace(start, end, POINTS).astype(int).clip(0, pairs - 1))
    below = zip(names, (p < alpha).sum(axis=1).tolist(), strict=True)
    drops = [drop_line(n, alpha, -top / 60, style[name].color) for name, n in below if n]
    return make_figure(
        [_steps(name, at, row[at], style[name], zero) for name, row in zip(names, p, strict=True)],
        hovermode="closest",
        margin={} if inside else {"r": MARGIN + width},
        xaxis={"title": "pairs of runs, by p", "range": [start, end], "showgrid": False},
        yaxis={"title": "p", "range": [-top / 60, top]},
        annotations=list_names(listed, 0.01 if inside else 1.01, "left"),
        shapes=[value_line("y", alpha), *drops],
    )


def _steps(name: str, at: np.ndarray, p: np.ndarray, style: Style, zero: str) -> dict[str, object]:
    """The curve of one measure through some of its pairs, at `at` counted from 0."""
    # with samples, a p of 0 is only known to be below one over their number
    none = zero if zero.startswith("<") else f"= {zero}"
    return {
        "type": "scatter",
        "mode": "lines",
        "x": (at + 1).tolist(),
        "y": p.tolist(),
        "name": escape_name(name),
        "line": {"color": style.color, "dash": style.dash, "width": 2, "shape": "hv"},
        "hovertemplate": f"{escape_name(name)}: %{{x}} pairs have p %{{customdata}}<extra></extra>",
        "customdata": [f"≤ {value:.4f}" if value else none for value in p],
    }
