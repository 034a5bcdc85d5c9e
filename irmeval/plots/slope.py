"""Two orders of the same things, side by side."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from irmeval.plots.names import room, shortened
from irmeval.plots.theme import GREY, PALETTE, layout, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

LINE = 19
"""Pixels from one rank to the next."""


def slope(names: Sequence[str], left: Sequence[float], right: Sequence[float], titles: tuple[str, str]) -> "go.Figure":
    """A line from each thing's rank on the left to its rank on the right: green where it climbs, vermillion where it falls, grey where it
    stays."""
    import plotly.graph_objects as go

    lines = []
    for name, before, after in zip(names, left, right, strict=True):
        up = before - after
        color = PALETTE["green"] if up > 0 else PALETTE["vermillion"] if up < 0 else GREY
        lines.append(
            {
                "type": "scatter",
                "x": [0, 1],
                "y": [before, after],
                "name": plain(name),
                "mode": "lines+markers",
                "line": {"color": color, "width": 2 if up else 1},
                "marker": {"size": 5, "color": color},
                "hovertemplate": f"{before:g} → {after:g}",
            }
        )
    # runs of the same rank share a label, so that no two are printed on each other
    short = shortened(names)
    shared = [
        (x, rank, ", ".join(n for n, r in zip(short, ranks, strict=True) if r == rank))
        for x, ranks in ((0, left), (1, right))
        for rank in sorted(set(ranks))
    ]
    side = 24 + room([text for _, _, text in shared])
    labels = [
        {
            "x": x,
            "y": rank,
            "text": plain(text),
            "xanchor": "left" if x else "right",
            "xshift": 8 if x else -8,
            "showarrow": False,
            "font": {"size": 12},
        }
        for (x, rank, _), text in zip(shared, shortened([text for _, _, text in shared]), strict=True)
    ]
    figure = layout(
        height=74 + LINE * len(names),
        hovermode="closest",
        margin={"l": side, "r": side, "t": 40, "b": 10},
        xaxis={
            "tickvals": [0, 1],
            "ticktext": [plain(t) for t in titles],
            "side": "top",
            "range": [-0.02, 1.02],
            "showgrid": False,
            "ticks": "",
        },
        yaxis={"range": [len(names) + 0.7, 0.3], "visible": False},
        annotations=labels,
    )
    return go.Figure(data=lines, layout=figure)
