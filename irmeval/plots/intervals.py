"""Values with their intervals, one below the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots import pins
from irmeval.plots.ladder import RUNG
from irmeval.plots.names import label_width, labels
from irmeval.plots.theme import GREY, PALETTE, layout, plain, plotted

if TYPE_CHECKING:
    import plotly.graph_objects as go


def intervals(
    names: Sequence[str],
    values: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    significant: np.ndarray,
    title: str,
    *,
    origin: float = 0.0,
    form: str = "+.4f",
) -> "go.Figure":
    """A dot per name with a line from low to high; blue above a value, at which there is a line, vermillion below it, grey where the
    difference is not significant. Numbers are written in the given form."""
    color = np.where(significant, np.where(values > origin, PALETTE["blue"], PALETTE["vermillion"]), GREY)
    rows, own = np.arange(len(names)), pins.marked(names)
    marks = [
        {
            "type": "scatter",
            "mode": "markers",
            "x": values[these].tolist(),
            "y": rows[these].tolist(),
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": (high - values)[these].tolist(),
                "arrayminus": (values - low)[these].tolist(),
                "thickness": 1.5,
                "width": 0,
                "color": shade,
            },
            "customdata": [[plain(names[i]), low[i], high[i]] for i in rows[these]],
            "marker": {"size": [11 if names[i] in own else 7 for i in rows[these]] if own else 7, "color": shade},
            "hovertemplate": f"%{{customdata[0]}} %{{x:{form}}} [%{{customdata[1]:{form}}}, %{{customdata[2]:{form}}}]<extra></extra>",
            "name": shade,
        }
        for shade in (PALETTE["blue"], GREY, PALETTE["vermillion"])
        if (these := color == shade).any()
    ]
    figure = layout(
        height=90 + RUNG * (len(names) + 1),
        hovermode="closest",
        margin={"l": 30 + label_width(names), "r": 10, "t": 10, "b": 50},
        xaxis={"title": plain(title)},
        shapes=[{"type": "line", "x0": origin, "x1": origin, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": "gray", "width": 1}}],
        yaxis={"tickvals": rows.tolist(), "ticktext": labels(names), "range": [len(names) - 0.4, -0.6], "ticks": ""},
    )
    return plotted(marks, figure)
