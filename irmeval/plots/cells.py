"""A table of numbers as coloured cells."""

import textwrap
from collections.abc import Sequence

import numpy as np

from irmeval.plots import pins
from irmeval.plots.names import TELEPHONE, label_width, ticks
from irmeval.plots.theme import PALETTE, Figure, escape_name, faint, make_figure

SCALE = [[0, "#F6F1E3"], [0.5, "#BFD9EA"], [1, "#4F9DCC"]]
INK = "#101820"
"""Colour of the numbers in the cells, at a contrast of at least 5.5 with any colour of the scale, on light and dark pages."""
BARE = [[0, faint(PALETTE["blue"], 0.06)], [1, faint(PALETTE["blue"], 1)]]
"""The colour scale of cells without numbers, from nearly transparent to deep."""
WRITTEN = 24
"""The most columns with numbers printed in the cells."""
NAMED = 64
"""How many names fit on an axis."""
LEVEL = 110
"""How many letters fit side by side above the columns; with more, the names are turned upright."""
WRAP = 13
"""Letters per line of a column's name."""
SMALLEST, LARGEST = 9, 11
"""Sizes of the numbers in the cells, in pixels, where even a telephone has room for the smallest."""


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
    """Cells [row, column] in the order given, deeper for larger values; a NaN is left empty.

    `low` and `high` are the ends of the colours, by default the extremes; with `reverse`, smaller values are deeper. `across` and `down`
    are the names of the axes. While there is room, numbers are printed with the format `form`, and the title below the cells; else there is
    a scale of colours. Cells that are true in `framed` have their number in brackets. `printed` [row][column] are texts in place of
    numbers.
    """
    text = printed or [["" if v != v else format(v, form) for v in row] for row in values.tolist()]
    rows, values, framed, text = pins.without_hidden(rows, values, np.zeros(values.shape, bool) if framed is None else framed, text)
    written = len(columns) <= WRITTEN
    if framed.any():
        text = [[f"({t})" if f and t else t for t, f in zip(*pair, strict=True)] for pair in zip(text, framed.tolist(), strict=True)]
    names = [[escape_name(name) for name in axis] for axis in (columns, rows)]
    tall = 28 if written else min(20.0, max(7.0, 900 / len(rows)))
    named = ticks(columns, NAMED)
    wrapped = [textwrap.wrap(name, WRAP) for name in columns]
    level = len(columns) * max((len(line) for lines in wrapped for line in lines), default=0) <= LEVEL
    heads = ["<br>".join(map(escape_name, lines)) for lines in wrapped] if level else named["ticktext"]
    top = 40 + (15 * max((head.count("<br>") for head in heads), default=0) if level else label_width(columns))
    shown = {"showgrid": False, "ticks": ""}
    grid = {
        "type": "heatmap",
        "x": list(range(len(columns))),
        "y": list(range(len(rows))),
        "z": values.tolist(),
        "text": text,
        "customdata": [[f"{row}<br>{column}" for column in names[0]] for row in names[1]],
        "texttemplate": "%{text}" if written else None,
        "textfont": {"color": INK} | _size(rows, text),
        "zmin": float(np.nanmin(values, initial=np.inf)) if low is None else low,
        "zmax": float(np.nanmax(values, initial=-np.inf)) if high is None else high,
        "colorscale": SCALE if written else BARE,
        "reversescale": reverse,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
        "hovertemplate": f"%{{customdata}}<br>{escape_name(title)} %{{text}}<extra></extra>",
        "showscale": not written,
        "colorbar": {
            "title": {"text": escape_name(title), "side": "right"},
            "tickformat": ".0%" if "%" in form else "",
            "thickness": 12,
            "lenmode": "pixels",
            "len": min(280, max(tall * len(rows), 120)),
            "y": 1,
            "yanchor": "top",
        },
        "name": title,
    }
    below = {"x": 1, "xref": "paper", "xanchor": "right", "y": 0, "yref": "paper", "yanchor": "top", "yshift": -6, "showarrow": False}
    return make_figure(
        [grid],
        annotations=[{**below, "text": escape_name(title), "font": {"size": 12}}] if written else [],
        height=int(top + 50 + max(tall * len(rows), 120)),
        hovermode="closest",
        margin={"l": 30 + label_width(rows), "r": 10, "t": top, "b": 40},
        xaxis={
            **shown,
            "side": "top",
            "tickvals": grid["x"] if level else named["tickvals"],
            "ticktext": heads,
            "tickfont": {"size": 12 if written else 10},
            # turned in a narrow window; Plotly would rather leave out a name that reaches beyond the figure
            **({"autotickangles": [0, -90], "automargin": True, "ticklabeloverflow": "allow"} if level else {"tickangle": -90}),
            "title": across,
            "range": [-0.5, len(columns) - 0.5],
        },
        yaxis={
            **shown,
            **ticks(rows, NAMED),
            "tickfont": {"size": 12 if tall > 16 else 10},
            "title": down,
            "range": [len(rows) - 0.5, -0.5],
        },
    )


def _size(rows: Sequence[str], text: Sequence[Sequence[str]]) -> dict[str, int]:
    """The size of numbers that fit into their cells on a telephone too; if none does, Plotly shrinks them to the cell."""
    width = max((sum(0.28 if letter in ".()" else 0.56 for letter in t) for row in text for t in row), default=0.0)
    columns = max(map(len, text), default=0)
    cell = (TELEPHONE - 40 - label_width(rows)) / max(columns, 1)
    fits = int((cell - 1) / width) if width else 0
    return {"size": min(fits, LARGEST)} if fits >= SMALLEST else {}
