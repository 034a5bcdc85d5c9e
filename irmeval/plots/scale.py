"""Where an axis of values begins: at 0, or near the values.

By default each figure decides: from 0 where the height of what is drawn is the point, as of a mean or a share; near the values where its
order is, as of tau or of runs by their means, and 0 is far. `scaled` decides for all figures that are drawn within it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeval.core.registry import check_known
from irmeval.plots.theme import Figure

FIT, ZERO, ZOOM = SCALES = "fit", "zero", "zoom"
NEAR = 2 / 3
"""Of the way from 0 to the farthest value: values that take less of it are far from 0."""
AWAY = 0.05
"""Of the extent of the values, that stays free on either side."""


@dataclass
class Scale:
    """How figures begin their axes, and whether one of those drawn so has an axis that begins near its values."""

    how: str = FIT
    zoomed: bool = False


_SCALE: ContextVar[Scale | None] = ContextVar("scale", default=None)


@contextmanager
def scaled(how: str = FIT) -> Iterator[Scale]:
    """Within it, figures have axes of values from 0 (``zero``), near the values (``zoom``), or as each of them needs (``fit``).

    Raises `UnknownName` for any other word.
    """
    check_known(how, SCALES, "unknown scale")
    scale = Scale(how)
    before = _SCALE.set(scale)
    try:
        yield scale
    finally:
        _SCALE.reset(before)


def zooms(values: Any, *, order: bool = True, near: float = NEAR) -> bool:
    """Whether the axis of these values begins near them: as `scaled` says, else where their `order` is the point and they take less than
    `near` of the way from 0. Values of both signs, or all alike, have 0 on their axis.

    Examples
    --------
    >>> zooms([0.7, 0.9]), zooms([0.1, 0.9]), zooms([0.7, 0.9], order=False)
    (True, False, False)
    """
    finite = np.asarray(values, float)
    finite = finite[np.isfinite(finite)]
    extent, farthest = (float(np.ptp(finite)), float(np.abs(finite).max())) if finite.size else (0.0, 0.0)
    scale = _SCALE.get() or Scale()
    zoomed = 0 < extent < farthest and (scale.how == ZOOM or (scale.how == FIT and order and extent < near * farthest))
    scale.zoomed |= zoomed
    return zoomed


def mode(values: Any) -> str:
    """How Plotly finds the ends of the axis of these values."""
    return "normal" if zooms(values) else "tozero"


def ends(whole: tuple[float, float], values: Any, *, order: bool = True) -> tuple[float, float]:
    """The ends of an axis: `whole`, which holds 0, or near the values and within it. One that runs the other way, as of ranks, stays."""
    low, high = whole
    if low > high or not zooms(values, order=order):
        return whole
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    away = AWAY * (most - least)
    return max(low, least - away), min(high, most + away)


def drawn(draw: Any, how: str) -> Any:
    """The same function that draws a figure, whenever it is called, with axes of values as in `scaled`."""

    def with_axes() -> Figure:
        with scaled(how):
            return draw()

    return with_axes
