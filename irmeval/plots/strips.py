"""Distributions side by side: boxes, or every value as a dot."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots import pins, scale
from irmeval.plots.names import label_width, ticks
from irmeval.plots.theme import PALETTE, Figure, escape_name, faint, make_figure

KINDS = ("box", "strip")
READABLE = 60
"""How many names fit on the axis."""
LEVEL = 250
"""Pixels of the axis, so many in a narrow window too: names that fit there are not turned."""


def strips(names: Sequence[str], values: np.ndarray, points: Sequence[str], kind: str, *, xtitle: str, ytitle: str) -> Figure:
    """A box or a strip of dots per name, of values [name, point] called `points`, and a diamond at the mean. NaN is left out."""
    names, values = pins.without_hidden(names, values)
    n, each = values.shape
    strip = kind == "strip"
    own = pins.colors(names)
    shades = [pins.color(name, own, PALETTE["blue"]) for name in names]
    drawn = [
        {
            "type": "box",
            "x": np.repeat(these, each).astype(np.uint16),  # arrays are sent in half the bytes of numbers as text
            "y": values[these].ravel(),
            "text": [escape_name(p) for _ in these for p in points],
            "customdata": [escape_name(names[i]) for i in these for _ in points],
            "boxpoints": "all" if strip else "outliers",
            "jitter": 0.5,
            "pointpos": 0,
            "fillcolor": "rgba(0,0,0,0)" if strip else faint(shade, 0.25),
            "line": {"width": 0 if strip else 1, "color": shade},
            "marker": {"size": 4, "color": shade, "opacity": 0.55},
            "hoveron": "points" if strip else "boxes+points",
            "hovertemplate": "%{customdata}<br>%{text}: %{y:.4f}<extra></extra>",
            "name": "scores",
            "offsetgroup": "scores",
        }
        for shade in dict.fromkeys(shades)
        if (these := [i for i in range(n) if shades[i] == shade])
    ]
    means = {
        "type": "scatter",
        "mode": "markers",
        "x": list(range(n)),
        "y": [float(np.nanmean(row)) if np.isfinite(row).any() else None for row in values],
        "customdata": [escape_name(name) for name in names],
        "marker": {"symbol": "diamond", "size": 6, "color": shades if own else PALETTE["vermillion"]},
        "hovertemplate": "%{customdata}<br>mean %{y:.4f}<extra></extra>",
        "name": "mean",
    }
    turned = n * label_width(names) > LEVEL
    return make_figure(
        [*drawn, means],
        hovermode="closest",
        margin={"l": 60, "r": 10, "t": 10, "b": 50 + (0.8 * label_width(names) if turned else 15)},
        xaxis={
            "title": xtitle,
            "range": [-0.7, n - 0.3],
            "showgrid": False,
            **ticks(names, READABLE),
            "tickangle": -60 if turned else 0,
            "tickfont": {"size": 11},
        },
        yaxis={"title": escape_name(ytitle), "rangemode": scale.range_mode(values)},
    )
