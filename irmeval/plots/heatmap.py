"""All pairs of names as coloured cells."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots.names import label_width, ticks
from irmeval.plots.theme import PALETTE, Figure, escape_name, faint, make_figure

TALL = 440
"""Height of a figure on the first screen of a page, in pixels."""
LEGEND = 54
"""Height of its legend, in pixels."""
NARROW = 400
"""Width of a row of cells on a narrow screen, in pixels."""
BARE = {"showgrid": False, "ticks": ""}
"""An axis without lines."""


def pairs(
    names: Sequence[str],
    means: np.ndarray,
    difference: np.ndarray,
    p: np.ndarray,
    said: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    alpha: float,
    estimated: Sequence[np.ndarray] = (),
) -> Figure:
    """Cells [row, column] coloured by the sign of the difference, row less column, and by p; pale grey where p is not below alpha. `said`
    is p as text.

    Over each cell lies an invisible mark, number row * names + column, with the hover text, which also takes clicks. With too many names
    for the axes, only hovering shows them all. `estimated` are the differences as estimated from a sample, and the ends of their intervals
    over judgments and over topics, each [row, column]; empty without a sample.
    """
    n = len(names)
    labels = [escape_name(name) for name in names]
    deepest = max(3.0, 1 - np.log10(alpha))  # orders of magnitude of p at which the colour is full
    edge = -np.log10(alpha) / deepest
    color = _color(difference, p, alpha, deepest)
    ends = estimated if len(estimated) else (low, high)
    spans = [f"%{{customdata[{i}]:+.4f}} to %{{customdata[{i + 1}]:+.4f}}" for i in range(3, 3 + len(ends))]
    told = f"{1 - alpha:.0%} interval {spans[0]}"
    if len(estimated):
        told = f"estimated %{{customdata[3]:+.4f}}, {1 - alpha:.0%} intervals:<br>{spans[1]} over judgments<br>{spans[3]} over topics"
    numbers = np.stack([np.broadcast_to(means[:, None], (n, n)), np.broadcast_to(means, (n, n)), difference, *ends], axis=-1)
    longest = label_width(names) / 12  # in heights of a letter, which is one pixel less than a cell
    cell = min(26.0, max(5.0, (TALL - LEGEND - 24 + longest) / (n + longest)))
    size = max(7, min(12, int(cell - 1)))
    readable = cell >= size
    beside = 24 + longest * size
    axis = {"type": "category", "categoryorder": "array", "categoryarray": labels, "tickfont": {"size": size}} | BARE
    down, across = ticks(names, int(n * cell / size)), ticks(names, NARROW // size)
    cells = {"type": "heatmap", "x": labels, "y": labels, "z": color, "zmin": -1, "zmax": 1, "colorscale": _scale(edge), "name": "p"}
    cells |= {
        "xgap": int(readable),
        "ygap": int(readable),
        "hoverinfo": "skip",
        "colorbar": _legend(alpha, edge, f"p ≤ {10**-deepest:.2g}"),
    }
    marks = _marks(labels, said, numbers, told, cell * 0.9)
    none = {"text": "no two of these runs differ significantly", "x": 0.5, "y": 0.5, "xref": "paper", "yref": "paper", "showarrow": False}
    return make_figure(
        [cells, marks],
        annotations=[] if (np.abs(color) > edge).any() else [none | {"font": {"size": 14}}],
        height=int(beside + LEGEND + cell * n),
        hovermode="closest",
        hoverdistance=30,
        margin={"l": beside, "r": 10, "t": beside, "b": LEGEND},
        xaxis={**axis, **across, "range": [-0.5, n - 0.5], "side": "top", "tickangle": -90},
        yaxis={**axis, **down, "range": [n - 0.5, -0.5]},
    )


def _color(difference: np.ndarray, p: np.ndarray, alpha: float, deepest: float) -> np.ndarray:
    """Colours from -1, worse, to 1, better, by the orders of magnitude of p up to `deepest`; NaN on the diagonal."""
    edge = -np.log10(alpha) / deepest
    depth = np.clip(-np.log10(np.maximum(p, 1e-9)) / deepest, 0, 1)
    # a p of alpha is not significant; a p just below it is, and must lie beyond the edge
    depth = np.where(p < alpha, np.maximum(depth, edge + 1e-6), np.minimum(depth, edge - 1e-6))
    color = np.sign(difference) * depth
    np.fill_diagonal(color, np.nan)
    return color


def _marks(labels: list[str], said: np.ndarray, numbers: np.ndarray, told: str, size: float) -> dict[str, object]:
    """Invisible marks over the cells, with the hover text."""
    n = len(labels)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": labels * n,
        "y": [label for label in labels for _ in labels],
        "text": said.ravel().tolist(),
        "customdata": numbers.reshape(n * n, -1).astype(np.float32),
        "marker": {"symbol": "square", "size": size, "opacity": 0, "color": "gray"},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "hovertemplate": "<b>%{y}</b> %{customdata[0]:.4f}<br><b>%{x}</b> %{customdata[1]:.4f}<br>difference %{customdata[2]:+.4f}, "
        f"p %{{text}}<br>{told}<extra></extra>",
        "name": "pairs",
    }


def _legend(alpha: float, edge: float, ends: str) -> dict[str, object]:
    """The scale of colours below the cells."""
    return {
        "tickvals": [-1, -edge, 0, edge, 1],
        "ticktext": [f"worse,<br>{ends}", f"p =<br>{alpha:g}", "not<br>signif.", f"p =<br>{alpha:g}", f"better,<br>{ends}"],
        "orientation": "h",
        "thickness": 10,
        "len": 0.9,
        "tickangle": 0,
        "x": 0.5,
        "y": 0,
        "yanchor": "top",
        "ypad": 8,
    }


def _scale(edge: float) -> list[list[object]]:
    """A colour scale from vermillion to blue, pale grey between the edges."""
    grey, better, worse = "rgba(128,128,128,0.13)", PALETTE["blue"], PALETTE["vermillion"]
    low, high = 0.5 - edge / 2, 0.5 + edge / 2
    return [[0, faint(worse, 1)], [low, faint(worse, 0.35)], [low, grey], [high, grey], [high, faint(better, 0.35)], [1, faint(better, 1)]]
