"""Two values of each thing, joined by a line."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots import pins
from irmeval.plots.ladder import RUNG
from irmeval.plots.names import label_width, labels
from irmeval.plots.theme import GREY, PALETTE, layout, plain, plotted

if TYPE_CHECKING:
    import plotly.graph_objects as go


def dumbbell(names: Sequence[str], before: np.ndarray, after: np.ndarray, titles: tuple[str, str], xtitle: str) -> "go.Figure":
    """A row per name: a hollow dot where it was, a full one where it is, and a line between."""
    rows, own = list(range(len(names))), pins.colors(names)
    gap: list[float | None] = [None] * len(names)
    line = {
        "type": "scatter",
        "mode": "lines",
        "x": [v for pair in zip(before.tolist(), after.tolist(), gap, strict=True) for v in pair],
        "y": [v for row in rows for v in (row, row, None)],
        "line": {"color": GREY, "width": 2},
        "hoverinfo": "skip",
        "name": "change",
    }
    dots = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values.tolist(),
            "y": rows,
            "text": [plain(name) for name in names],
            "marker": {"size": 8, "symbol": symbol, "color": [pins.color(name, own, color) for name in names] if own else color},
            "hovertemplate": f"%{{text}} {plain(title)} %{{x:.4f}}<extra></extra>",
            "name": plain(title),
        }
        for values, title, symbol, color in (
            (before, titles[0], "circle-open", PALETTE["blue"]),
            (after, titles[1], "circle", PALETTE["vermillion"]),
        )
    ]
    figure = layout(
        height=110 + RUNG * (len(names) + 1),
        hovermode="closest",
        showlegend=True,
        legend={"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        margin={"l": 30 + label_width(names), "r": 10, "t": 34, "b": 50},
        xaxis={"title": plain(xtitle)},
        yaxis={"tickvals": rows, "ticktext": labels(names), "range": [len(names) - 0.4, -0.6], "ticks": ""},
    )
    return plotted([{**line, "showlegend": False}, *dots], figure)
