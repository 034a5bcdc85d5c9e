"""Falling lines that each have their own points, with a list of names and numbers above their ends."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from irmeval.plots.theme import Figure, Style, escape_name, list_names, make_figure, value_line


class Path(NamedTuple):
    """A line through points (x, y) [points], NaN where there is a gap."""

    name: str
    x: np.ndarray
    y: np.ndarray
    style: Style
    note: str
    """text beside the name in the list"""
    points: Sequence[str]
    """hover text of each point"""


def paths(lines: Sequence[Path], *, xtitle: str, ytitle: str, threshold: float | None = None, mark: float | None = None) -> Figure:
    """Lines from 0 on both axes; names in a list at the top right, where lines that fall leave room, in the order given.

    `threshold` draws a dotted level, `mark` a dotted place on the x axis.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": line.x.tolist(),
            "y": line.y.tolist(),
            "customdata": list(line.points),
            "name": escape_name(line.name),
            "line": {"color": line.style.color, "dash": line.style.dash, "width": 2},
            "marker": {"symbol": line.style.symbol, "size": 6, "color": line.style.color},
            "hovertemplate": f"<b>{escape_name(line.name)}</b> %{{customdata}}<br>"
            f"{ytitle} %{{y:.4f}}<br>{xtitle} %{{x:.4g}}<extra></extra>",
        }
        for line in lines
    ]
    texts = [f"{line.name} {line.note}".rstrip() for line in lines]
    top = max((float(np.nanmax(line.y, initial=0)) for line in lines), default=0) or 1.0
    right = max((float(np.nanmax(line.x, initial=0)) for line in lines), default=0) or 1.0
    return make_figure(
        traces,
        hovermode="closest",
        margin={"l": 60, "r": 24, "t": 24, "b": 50},
        xaxis={"title": xtitle, "range": [-right / 60, right * 1.04]},
        yaxis={"title": ytitle, "range": [-top / 60, top * 1.06]},
        annotations=list_names(((text, line.style.color) for line, text in zip(lines, texts, strict=True)), 1, "right"),
        shapes=[value_line(axis, at) for axis, at in (("y", threshold), ("x", mark)) if at is not None],
    )
