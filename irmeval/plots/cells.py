"""A table of numbers as coloured cells.

Also sorted p-values, a curve per measure.
"""

import textwrap
from collections.abc import Sequence

import numpy as np

from irmeval.plots import pins
from irmeval.plots.names import LETTER, label_width, ticks
from irmeval.plots.theme import (
    INNER,
    LEFT,
    LINE,
    MARGIN,
    PALETTE,
    TELEPHONE,
    Figure,
    drop_line,
    escape_name,
    faint,
    list_names,
    make_figure,
    styles,
    value_line,
)

SCALE = [[0, "#F6F1E3"], [0.5, "#BFD9EA"], [1, "#4F9DCC"]]
INK = "#101820"
"""Colour of the numbers in the cells, at a contrast of at least 5.5 with any colour of
the scale, on light and dark pages.
"""
BARE = [[0, faint(PALETTE["blue"], 0.06)], [1, faint(PALETTE["blue"], 1)]]
"""The colour scale of cells without numbers, from nearly transparent to deep."""
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
LEGEND = 100
"""Width of the scale of colours with its title, in pixels."""
SMALLEST = 9
"""Smallest size of the numbers in the cells, in pixels, which even a telephone has room
for.
"""
GAPPED = 3
"""Smallest width of a cell with a gap beside it, in pixels of a narrow window, where
gaps would else hide the cells.
"""
LARGEST = 11
"""Largest size of the numbers in the cells, in pixels."""


def cells(
    rows: Sequence[str],
    columns: Sequence[str],
    values: np.ndarray,
    *,
    title: str,
    low: float | None = None,
    high: float | None = None,
    across: str = "",
    down: str = "",
    form: str = ".3f",
    reverse: bool = False,
    framed: np.ndarray | None = None,
    printed: Sequence[Sequence[str]] | None = None,
) -> Figure:
    """Cells [row, column] in the order given, deeper for larger values; a NaN is left
    empty.

    `low` and `high` are the ends of the colours, by default the extremes; with
    `reverse`, smaller values are deeper. `across` and `down` are the names of the axes.
    While there is room, numbers are printed with the format `form`, and the title below
    the cells; else there is a scale of colours. Cells that are true in `framed` have
    their number in brackets. `printed` [row][column] are texts in place of numbers.
    """
    text = printed or [["" if v != v else format(v, form) for v in row] for row in values.tolist()]
    rows, values, framed, text = pins.without_hidden(
        rows, values, np.zeros(values.shape, bool) if framed is None else framed, text
    )
    written = len(columns) <= WRITTEN
    text = [
        [f"({t})" if f and t else t for t, f in zip(*pair, strict=True)]
        for pair in zip(text, framed.tolist(), strict=True)
    ]
    tall = 28 if written else min(20.0, max(7.0, 900 / len(rows)))
    named = ticks(columns, NAMED)
    wrapped = [textwrap.wrap(name, WRAP) for name in columns]
    level = (
        len(columns) * max((len(line) for lines in wrapped for line in lines), default=0) <= LEVEL
    )
    heads = (
        ["<br>".join(map(escape_name, lines)) for lines in wrapped] if level else named["ticktext"]
    )
    top = (53 if across else 40) + (
        15 * max((head.count("<br>") for head in heads), default=0)
        if level
        else label_width(columns)
    )
    height = max(tall * len(rows), 120)
    colors = {
        "zmin": float(np.nanmin(values, initial=np.inf)) if low is None else low,
        "zmax": float(np.nanmax(values, initial=-np.inf)) if high is None else high,
        "reversescale": reverse,
        "colorbar": _legend(title, ".0%" if "%" in form else "", min(280, height)),
    }
    below = {
        "x": 1,
        "xref": "paper",
        "xanchor": "right",
        "y": 0,
        "yref": "paper",
        "yanchor": "top",
        "yshift": -6,
        "showarrow": False,
    }
    return make_figure(
        [_grid(rows, columns, values, text, title, written=written) | colors],
        annotations=(
            [{**below, "text": escape_name(title), "font": {"size": 12}}] if written else []
        ),
        height=int(top + 50 + height),
        hovermode="closest",
        margin={"l": 30 + label_width(rows), "r": 10 if written else LEGEND, "t": top, "b": 40},
        xaxis={
            "showgrid": False,
            "ticks": "",
            "side": "top",
            "tickvals": list(range(len(columns))) if level else named["tickvals"],
            "ticktext": heads,
            "tickfont": {"size": 12 if written else 10},
            # turned in a narrow window
            **({"autotickangles": [0, -90], "automargin": True} if level else {"tickangle": -90}),
            "title": across,
            "range": [-0.5, len(columns) - 0.5],
        },
        yaxis=_down(rows, down, 12 if tall > 16 else 10),
    )


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
    named = [escape_name(name) for name in columns]
    return {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": list(range(len(rows))),
        "z": values.tolist(),
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


def _legend(title: str, form: str, length: float) -> dict[str, object]:
    """The scale of colours beside the cells."""
    return {
        "title": {"text": escape_name(title), "side": "right"},
        "tickformat": form,
        "thickness": 12,
        "lenmode": "pixels",
        "len": length,
        "y": 1,
        "yanchor": "top",
    }


def _narrow(rows: Sequence[str], columns: Sequence[str]) -> float:
    """Width of a cell in a narrow window, in pixels."""
    return (TELEPHONE - 40 - label_width(rows)) / max(len(columns), 1)


def _size(rows: Sequence[str], text: Sequence[Sequence[str]]) -> dict[str, int]:
    """The size of numbers that fit into their cells on a telephone too; if none does,
    Plotly shrinks them to the cell.
    """
    width = max(
        (sum(0.28 if letter in ".()" else 0.56 for letter in t) for row in text for t in row),
        default=0.0,
    )
    fits = int((_narrow(rows, max(text, key=len, default=())) - 1) / width) if width else 0
    return {"size": min(fits, LARGEST)} if fits >= SMALLEST else {}


POINTS = 600
"""The most points of a curve."""


def levels(names: Sequence[str], p: np.ndarray, alpha: float, zero: str) -> Figure:
    """Curves of p [name, pair], ascending, up to three times alpha or .15, where they
    rise. Names are listed by their share below alpha, left of all curves, or right of
    the figure where a curve rises too early for that.

    `zero` is the text for a p of 0, such as ``< 0.001`` with a thousand samples.
    """
    style = styles(names)
    pairs = p.shape[1]
    share = (p < alpha).mean(axis=1)
    top = min(1.0, max(0.15, 3 * alpha))
    # the stretch where the curves rise: before it all are flat, after it all leave the figure
    low, high = ((p <= level).sum(axis=1) for level in (top / 100, top))
    start, end = 0.95 * low.min(), min(high.max() + 0.05 * (high.max() - low.min()) + 1, pairs)
    listed = [
        (f"{names[m]} {share[m]:.1%}", style[names[m]].color)
        for m in np.argsort(-share, kind="stable")
    ]
    width = LETTER * max(len(text) for text, _ in listed)
    taken = width / (TELEPHONE - LEFT - MARGIN)
    # a curve's place beside the lowest name
    first = (p <= top * (1 - len(listed) * LINE / INNER)).sum(axis=1).min()
    if inside := taken < 1 and first >= taken * end:
        start = min(start, (first - taken * end) / (1 - taken))
    at = np.unique(np.linspace(start, end, POINTS).astype(int).clip(0, pairs - 1))
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": (at + 1).tolist(),
            "y": row[at].tolist(),
            "name": escape_name(name),
            "line": {
                "color": style[name].color,
                "dash": style[name].dash,
                "width": 2,
                "shape": "hv",
            },
            "hovertemplate": (
                f"{escape_name(name)}: %{{x}} pairs have p %{{customdata}}<extra></extra>"
            ),
            "customdata": [
                f"≤ {value:.4f}" if value else zero if zero.startswith("<") else f"= {zero}"
                for value in row[at]
            ],
        }
        for name, row in zip(names, p, strict=True)
    ]
    return make_figure(
        lines,
        hovermode="closest",
        margin={} if inside else {"r": MARGIN + width},
        xaxis={"title": "pairs of runs, by p", "range": [start, end], "showgrid": False},
        yaxis={"title": "p", "range": [-top / 60, top]},
        annotations=list_names(listed, 0.01 if inside else 1.01, "left"),
        shapes=[
            value_line("y", alpha),
            *(
                drop_line(n, alpha, -top / 60, style[name].color)
                for name, n in zip(names, (p < alpha).sum(axis=1).tolist(), strict=True)
                if n
            ),
        ],
    )
