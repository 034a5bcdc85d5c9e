"""Sorted p-values, a curve per measure."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots.theme import Figure, escape_name, make_figure, names_beside, styles, value_line

POINTS = 600
"""The most points of a curve."""


def levels(names: Sequence[str], p: np.ndarray, alpha: float, zero: str) -> Figure:
    """Curves of p [name, pair], ascending, up to three times alpha or .15, where they rise. Names are listed by their share below alpha.
    `zero` is the text for a p of 0, such as ``< 0.001`` with a thousand samples."""
    style = styles(names)
    pairs = p.shape[1]
    share = (p < alpha).mean(axis=1)
    top = min(1.0, max(0.15, 3 * alpha))
    # the stretch where the curves rise: before it all are flat, after it all leave the figure
    low, high = ((p <= level).sum(axis=1) for level in (top / 100, top))
    start, end = 0.95 * low.min(), min(high.max() + 0.05 * (high.max() - low.min()) + 1, pairs)
    at = np.unique(np.linspace(start, end, POINTS).astype(int).clip(0, pairs - 1))
    lines = [
        {
            "type": "scatter",
            "mode": "lines",
            "x": (at + 1).tolist(),
            "y": row[at].tolist(),
            "name": escape_name(name),
            "line": {"color": style[name].color, "dash": style[name].dash, "width": 2, "shape": "hv"},
            "hovertemplate": f"{escape_name(name)}: %{{x}} pairs have p %{{customdata}}<extra></extra>",
            "customdata": [f"≤ {value:.4f}" if value else zero if zero.startswith("<") else f"= {zero}" for value in row[at]],
        }
        for name, row in zip(names, p, strict=True)
    ]
    labels = names_beside((f"{names[m]} {share[m]:.1%}", style[names[m]].color) for m in np.argsort(-share, kind="stable"))
    return make_figure(
        lines,
        hovermode="closest",
        margin={"l": 60, "r": 30 + 8 * (6 + max(map(len, names))), "t": 24, "b": 50},
        xaxis={"title": "pairs of runs, by p", "range": [start, end], "showgrid": False},
        yaxis={"title": "p", "range": [-top / 60, top]},
        annotations=labels,
        shapes=[value_line("y", alpha)],
    )
