"""Names as dots at two values each."""

from collections.abc import Sequence

import numpy as np

from irmeval.plots import pins, scale
from irmeval.plots.names import shorten_names
from irmeval.plots.shared import spaced_indices
from irmeval.plots.theme import GREY, HEIGHT, PAGE, PALETTE, Figure, escape_name, faint, make_figure, space_out

DRAWN = 5000
"""The most dots, besides those that are named."""
LINE = 17
"""Pixels from one name to the next."""
AWAY = 60
"""Pixels from a dot to its name."""
MIDDLE = 0.2
"""Share of the width on either side of the middle within which names have room on both sides of a dot."""


def points(
    names: Sequence[str], x: np.ndarray, y: np.ndarray, titles: tuple[str, str], named: Sequence[int] = (), *, identity: bool = False
) -> Figure:
    """A dot for each name at (x, y). Those at the indices `named` have another colour and their name: left or right of the dot, away from
    the line through all dots, near an edge on the inner side. With `identity`, a dotted line shows where both values are equal."""
    names, x, y, kept = pins.without_hidden(names, x, y, range(len(names)))
    place = {i: at for at, i in enumerate(kept)}
    named = [place[i] for i in named if i in place]
    if len(names) > DRAWN:
        some = np.union1d(spaced_indices(len(names), DRAWN), np.asarray(named, int))
        named = np.searchsorted(some, named).tolist()
        names, x, y = [names[i] for i in some], x[some], y[some]
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
            "text": [escape_name(names[i]) for i in np.flatnonzero(these).tolist()],
            "marker": {
                "size": 8,
                "color": [pins.color(names[i], own, "") for i in np.flatnonzero(these).tolist()]
                if own
                else PALETTE["vermillion" if picked else "blue"],
                "opacity": 0.75,
            },
            "hovertemplate": "%{text}<br>" + f"{escape_name(titles[0])} %{{x:.4f}}<br>{escape_name(titles[1])} %{{y:.4f}}<extra></extra>",
            "name": "picked out" if picked else "others",
        }
        for picked in (False, True)
        if (these := chosen == picked).any()
    ]
    if identity and np.isfinite(x + y).any():
        ends = [float(np.nanmin([x, y])), float(np.nanmax([x, y]))]
        line = {"color": GREY, "width": 1, "dash": "dot"}
        dots.insert(0, {"type": "scatter", "mode": "lines", "x": ends, "y": ends, "line": line, "hoverinfo": "skip", "name": "the same"})
    return make_figure(
        dots,
        hovermode="closest",
        # without fixed ranges, the axes would stretch until the names beside the dots fit
        xaxis={"title": escape_name(titles[0]), "range": _around(x)},
        yaxis={"title": escape_name(titles[1]), "range": _around(y)},
        annotations=_labels(names, x, y, named),
    )


def _around(values: np.ndarray) -> list[float] | None:
    """The ends of an axis that shows all values, from 0 only where `scale` says so, as dots and names need room; None without values."""
    if not np.isfinite(values).any():
        return None
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    low, high = (low, high) if scale.zooms(values, near=1.0) else (min(low, 0.0), max(high, 0.0))
    away = (high - low or 1.0) * 0.06
    return [low - away, high + away]


def _labels(names: Sequence[str], x: np.ndarray, y: np.ndarray, named: Sequence[int]) -> list[dict[str, object]]:
    """Names beside their dots; those on the same side are moved up and down until none covers another. Dots behind a name are pale."""
    if not len(named):
        return []
    slope, start = np.polyfit(x, y, 1) if np.ptp(x) else (0.0, float(y.mean()))
    pixel = (float(np.ptp(y)) or 1.0) * 1.1 / (HEIGHT - 74)
    labels, short, own = [], shorten_names(names), pins.marked(names)
    across = (x - x.min()) / (float(np.ptp(x)) or 1.0)
    left = np.where(np.abs(across - 0.5) > MIDDLE, across > 0.5, y > slope * x + start)  # near an edge, a name outwards would be cut
    for side in (-1, 1):
        here = [i for i in named if left[i] == (side < 0)]
        heights = space_out([float(y[i]) for i in here], LINE * pixel, float(y.min()), float(y.max()))
        for i, height in zip(here, heights, strict=True):
            labels.append(
                {
                    "x": float(x[i]),
                    "y": float(y[i]),
                    "ax": side * AWAY,
                    "ay": (float(y[i]) - height) / pixel,
                    "text": escape_name(short[i]),
                    "font": {"size": 12} | ({"color": own[names[i]]} if names[i] in own else {}),
                    "xanchor": "left" if side > 0 else "right",
                    "arrowhead": 0,
                    "arrowwidth": 1,
                    "arrowcolor": "gray",
                    "bgcolor": faint(PAGE, 0.8),
                }
            )
    return labels
