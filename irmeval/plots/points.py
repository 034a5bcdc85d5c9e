"""Things by two numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots import pins
from irmeval.plots.names import shortened
from irmeval.plots.theme import HEIGHT, PALETTE, layout, plain, spread

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE = 17
"""Pixels from one name to the next."""
AWAY = 60
"""Pixels from a dot to its name."""


def points(names: Sequence[str], x: np.ndarray, y: np.ndarray, titles: tuple[str, str], named: Sequence[int] = ()) -> "go.Figure":
    """A dot for each name at (x, y); those numbered in `named` are picked out and carry their name, left of the line through all dots or
    right of it."""
    import plotly.graph_objects as go

    own = pins.colors(names)
    if marked := pins.marked(names):
        named = [i for i, name in enumerate(names) if name in marked]
    chosen = np.isin(np.arange(len(names)), list(named))
    dots = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": x[these].tolist(),
            "y": y[these].tolist(),
            "text": [plain(names[i]) for i in np.flatnonzero(these).tolist()],
            "marker": {
                "size": 8,
                "color": [pins.color(names[i], own, "") for i in np.flatnonzero(these).tolist()]
                if own
                else PALETTE["vermillion" if picked else "blue"],
                "opacity": 0.75,
            },
            "hovertemplate": "%{text}<br>" + f"{plain(titles[0])} %{{x:.4f}}<br>{plain(titles[1])} %{{y:.4f}}<extra></extra>",
            "name": "picked out" if picked else "others",
        }
        for picked in (False, True)
        if (these := chosen == picked).any()
    ]
    figure = layout(
        hovermode="closest",
        # else the axes would be stretched until the names beside the dots fit as well
        xaxis={"title": plain(titles[0]), "range": _around(x)},
        yaxis={"title": plain(titles[1]), "range": _around(y)},
        annotations=_labels(names, x, y, named),
    )
    return go.Figure(data=dots, layout=figure)


def _around(values: np.ndarray) -> list[float] | None:
    """The ends of an axis that shows all values; None where there are none."""
    if not np.isfinite(values).any():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    away = (high - low or 1.0) * 0.06
    return [low - away, high + away]


def _labels(names: Sequence[str], x: np.ndarray, y: np.ndarray, named: Sequence[int]) -> list[dict[str, object]]:
    """Names beside their dots, those on a side moved up and down until none covers another."""
    if not len(named):
        return []
    slope, start = np.polyfit(x, y, 1) if np.ptp(x) else (0.0, float(y.mean()))
    pixel = (float(np.ptp(y)) or 1.0) * 1.1 / (HEIGHT - 74)
    labels, short, own = [], shortened(names), pins.marked(names)
    for side in (-1, 1):
        here = [i for i in named if (y[i] > slope * x[i] + start) == (side < 0)]
        heights = spread([float(y[i]) for i in here], LINE * pixel, float(y.min()), float(y.max()))
        for i, height in zip(here, heights, strict=True):
            labels.append(
                {
                    "x": float(x[i]),
                    "y": float(y[i]),
                    "ax": side * AWAY,
                    "ay": (float(y[i]) - height) / pixel,
                    "text": plain(short[i]),
                    "font": {"size": 12} | ({"color": own[names[i]]} if names[i] in own else {}),
                    "xanchor": "left" if side > 0 else "right",
                    "arrowhead": 0,
                    "arrowwidth": 1,
                    "arrowcolor": "gray",
                }
            )
    return labels
