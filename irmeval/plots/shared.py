"""What several figures need: thinning of very many values, and common scales of two figures."""

import numpy as np

from irmeval.plots.theme import Figure


def spaced_indices(count: int, most: int) -> np.ndarray:
    """The numbers from 0 to count - 1; if there are more than `most`, that many at even distances, with the first and the last."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def on_one_scale(first: Figure, second: Figure) -> tuple[Figure, Figure]:
    """Give two figures the same ends of axes and of cell colours, except for axes without fixed ends or of other directions or marks."""
    for name in ("xaxis", "yaxis"):
        one, other = first.layout[name], second.layout[name]
        if (
            one.range
            and other.range
            and one.tickvals == other.tickvals
            and (one.range[0] <= one.range[1]) == (other.range[0] <= other.range[1])
        ):
            ends = list(zip(one.range, other.range, strict=True))
            pick = (min, max) if one.range[0] <= one.range[1] else (max, min)
            one.range = other.range = [choose(pair) for choose, pair in zip(pick, ends, strict=True)]
    for a, b in zip(first.data, second.data, strict=False):
        if a.type == b.type == "heatmap":
            a.zmin = b.zmin = min(a.zmin, b.zmin)
            a.zmax = b.zmax = max(a.zmax, b.zmax)
    return first, second
