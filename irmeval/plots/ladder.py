"""Things by value, with bars that join those that belong together."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots import pins
from irmeval.plots.names import label_width, labels
from irmeval.plots.theme import PALETTE, layout, plain, plotted

if TYPE_CHECKING:
    import plotly.graph_objects as go

RUNG = 17
"""Pixels from one name to the next."""


def ladder(names: Sequence[str], values: np.ndarray, groups: Sequence[tuple[int, int]], title: str) -> "go.Figure":
    """A dot per name at its value, one below the other, and to their right a vertical bar per group (first, last)."""
    rows, own = list(range(len(names))), pins.colors(names)
    dots = {
        "type": "scatter",
        "mode": "markers",
        "x": values.tolist(),
        "y": rows,
        "text": [plain(name) for name in names],
        "marker": {"size": 7, "color": [pins.color(name, own, PALETTE["blue"]) for name in names]},
        "hovertemplate": "%{text} %{x:.4f}<extra></extra>",
        "name": "means",
    }
    bars = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [i, i],
            "y": [first - 0.3, last + 0.3],
            "xaxis": "x2",
            "line": {"color": PALETTE["vermillion"], "width": 4},
            "hoverinfo": "text",
            "text": f"{plain(names[first])} to {plain(names[last])}: {last - first + 1}",
            "name": f"group {i + 1}",
        }
        for i, (first, last) in enumerate(groups)
    ]
    figure = layout(
        height=90 + RUNG * len(names),
        hovermode="closest",
        margin={"l": 30 + label_width(names), "r": 10, "t": 10, "b": 50},
        xaxis={"title": plain(title), "domain": [0, 0.45], "rangemode": "tozero"},
        xaxis2={"domain": [0.5, 1], "range": [-1, max(len(groups), 8)], "visible": False},
        yaxis={"tickvals": rows, "ticktext": labels(names), "range": [len(names) - 0.4, -0.6], "ticks": ""},
    )
    return plotted([dots, *bars], figure)
