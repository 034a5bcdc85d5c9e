"""Sorted p-values, a curve per measure."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots.names import LETTER, TELEPHONE
from irmeval.plots.theme import HEIGHT, LINE, Figure, escape_name, list_names, make_figure, styles, value_line

POINTS = 600
"""The most points of a curve."""
LEFT = 60
"""Left margin, in pixels."""
RIGHT = 24
"""Right margin, in pixels."""


def levels(names: Sequence[str], p: np.ndarray, alpha: float, zero: str) -> Figure:
    """Curves of p [name, pair], ascending, up to three times alpha or .15, where they rise. Names are listed by their share below alpha,
    left of all curves, or right of the figure where a curve rises too early for that.

    `zero` is the text for a p of 0, such as ``< 0.001`` with a thousand samples.
    """
    style = styles(names)
    pairs = p.shape[1]
    share = (p < alpha).mean(axis=1)
    top = min(1.0, max(0.15, 3 * alpha))
    # the stretch where the curves rise: before it all are flat, after it all leave the figure
    low, high = ((p <= level).sum(axis=1) for level in (top / 100, top))
    start, end = 0.95 * low.min(), min(high.max() + 0.05 * (high.max() - low.min()) + 1, pairs)
    listed = [(f"{names[m]} {share[m]:.1%}", style[names[m]].color) for m in np.argsort(-share, kind="stable")]
    width = LETTER * max(len(text) for text, _ in listed)
    taken = width / (TELEPHONE - LEFT - RIGHT)
    first = (p <= top * (1 - len(listed) * LINE / (HEIGHT - 74))).sum(axis=1).min()  # a curve's place beside the lowest name
    if inside := taken < 1 and first >= taken * end:
        start = min(start, (first - taken * end) / (1 - taken))
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
    return make_figure(
        lines,
        hovermode="closest",
        margin={"l": LEFT, "r": RIGHT if inside else RIGHT + width, "t": 24, "b": 50},
        xaxis={"title": "pairs of runs, by p", "range": [start, end], "showgrid": False},
        yaxis={"title": "p", "range": [-top / 60, top]},
        annotations=list_names(listed, 0.01 if inside else 1.01, "left"),
        shapes=[value_line("y", alpha)],
    )
