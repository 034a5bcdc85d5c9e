"""Values with their intervals, one below the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from irmeval.plots.ladder import RUNG
from irmeval.plots.names import labels, room
from irmeval.plots.theme import GREY, PALETTE, layout, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go


def intervals(
    names: Sequence[str], values: np.ndarray, low: np.ndarray, high: np.ndarray, significant: np.ndarray, title: str
) -> "go.Figure":
    """A dot per name with a line from low to high; blue above 0, vermillion below, grey where it is not significant."""
    import plotly.graph_objects as go

    color = np.where(significant, np.where(values > 0, PALETTE["blue"], PALETTE["vermillion"]), GREY)
    rows = np.arange(len(names))
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
            "marker": {"size": 7, "color": shade},
            "hovertemplate": "%{customdata[0]} %{x:+.4f} [%{customdata[1]:+.4f}, %{customdata[2]:+.4f}]<extra></extra>",
            "name": shade,
        }
        for shade in (PALETTE["blue"], GREY, PALETTE["vermillion"])
        if (these := color == shade).any()
    ]
    figure = layout(
        height=90 + RUNG * (len(names) + 1),
        hovermode="closest",
        margin={"l": 30 + room(names), "r": 10, "t": 10, "b": 50},
        xaxis={"title": plain(title), "zeroline": True, "zerolinecolor": "gray"},
        yaxis={"tickvals": rows.tolist(), "ticktext": labels(names), "range": [len(names) - 0.4, -0.6], "ticks": ""},
    )
    return go.Figure(data=marks, layout=figure)
