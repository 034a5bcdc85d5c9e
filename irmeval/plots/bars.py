"""Differences as bars."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots.theme import PALETTE, Figure, escape_name, make_figure


def differences(labels: Sequence[str], x: np.ndarray, y: np.ndarray, names: tuple[str, str], ytitle: str) -> Figure:
    """A bar per label of height x - y, in the order given; blue above 0, vermillion below."""
    z = x - y
    first, second = map(escape_name, names)
    bars = {
        "type": "bar",
        "x": list(range(1, len(labels) + 1)),
        "y": z.tolist(),
        "customdata": [[escape_name(label), a, b] for label, a, b in zip(labels, x.tolist(), y.tolist(), strict=True)],
        "marker": {"color": np.where(z >= 0, PALETTE["blue"], PALETTE["vermillion"]).tolist(), "line": {"width": 0}},
        "hovertemplate": f"topic %{{customdata[0]}}<br>{first} %{{customdata[1]:.4f}}<br>{second} %{{customdata[2]:.4f}}<br>"
        "difference %{y:+.4f}<extra></extra>",
        "name": "difference",
    }
    return make_figure(
        [bars],
        height=300,
        bargap=0.15,
        margin={"l": 55, "r": 10, "t": 10, "b": 40},
        xaxis={"title": "topics, by difference", "showgrid": False, "showticklabels": False, "ticks": ""},
        yaxis={"title": escape_name(ytitle), "zeroline": True, "zerolinecolor": "gray"},
    )
