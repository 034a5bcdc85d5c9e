"""Distributions side by side: boxes, or every value as a dot."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots.names import room, ticks
from irmeval.plots.theme import PALETTE, faint, layout, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

KINDS = ("box", "strip")
READABLE = 60
"""Names that fit on the axis."""


def strips(names: Sequence[str], values: np.ndarray, points: Sequence[str], kind: str, *, xtitle: str, ytitle: str) -> "go.Figure":
    """A box or a strip of dots for each name, of values [name, point], in the order given; a dark dash or dot is the mean.

    NaN is left out. `points` name the single values.
    """
    import plotly.graph_objects as go

    n, each = values.shape
    x = np.repeat(np.arange(n), each)
    strip = kind == "strip"
    drawn = {
        "type": "box",
        "x": x.tolist(),
        "y": values.ravel().tolist(),
        "text": [plain(p) for _ in range(n) for p in points],
        "customdata": [plain(name) for name in names for _ in points],
        "boxpoints": "all" if strip else "outliers",
        "jitter": 0.5,
        "pointpos": 0,
        "fillcolor": "rgba(0,0,0,0)" if strip else faint(PALETTE["blue"], 0.25),
        "line": {"width": 0 if strip else 1, "color": PALETTE["blue"]},
        "marker": {"size": 4, "color": PALETTE["blue"], "opacity": 0.55},
        "hoveron": "points" if strip else "boxes+points",
        "hovertemplate": "%{customdata}<br>%{text}: %{y:.4f}<extra></extra>",
        "name": "scores",
    }
    means = {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(n)),
        "y": [float(np.nanmean(row)) if np.isfinite(row).any() else None for row in values],
        "customdata": [plain(name) for name in names],
        "marker": {"symbol": "diamond", "size": 6, "color": PALETTE["vermillion"]},
        "hovertemplate": "%{customdata}<br>mean %{y:.4f}<extra></extra>",
        "name": "mean",
    }
    at, shown = ticks(names, READABLE)
    figure = layout(
        hovermode="closest",
        margin={"l": 60, "r": 10, "t": 10, "b": 50 + 0.8 * room(names)},
        xaxis={
            "title": xtitle,
            "range": [-0.7, n - 0.3],
            "showgrid": False,
            "tickvals": at,
            "ticktext": shown,
            "tickangle": -60,
            "tickfont": {"size": 11},
        },
        yaxis={"title": plain(ytitle)},
    )
    return go.Figure(data=[drawn, means], layout=figure)
