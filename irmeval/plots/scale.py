"""Where an axis of values begins: at 0, or near the values.

By default each figure decides. Its axis begins at 0 where heights matter, as for a mean or a share. It begins near the values where only
their order matters, as for tau or for runs by their means, and 0 is far away. `use_scale` decides for all figures drawn within it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from irmeval.core.registry import check_known

FIT = "fit"
"""Axes begin at 0, or near the values if their order matters and 0 is far away."""
ZERO = "zero"
"""They begin at 0."""
ZOOM = "zoom"
"""They begin near the values."""
SCALES = (FIT, ZERO, ZOOM)
NEAR = 2 / 3
"""Values are far from 0 where their extent is less than this share of the largest absolute value."""
AWAY = 0.05
"""Free space on either side, as a share of the extent of the values."""


@dataclass
class Scale:
    """How figures begin their axes, and whether any figure drawn so has an axis that begins near its values."""

    how: str = FIT
    zoomed: bool = False


_SCALE: ContextVar[Scale | None] = ContextVar("scale", default=None)


@contextmanager
def use_scale(how: str = FIT) -> Iterator[Scale]:
    """Draw figures with axes of values from 0 (``zero``), near the values (``zoom``), or as each figure needs (``fit``); as a context, or
    as a decorator of a function that draws.

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
    """Whether the axis of these values begins near them: as `use_scale` says, else where their `order` matters and their extent is less
    than the share `near` of the largest. Values of both signs, or all equal, have 0 on their axis.

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


def range_mode(values: Any) -> str:
    """Plotly's range mode for the axis of these values."""
    return "normal" if zooms(values) else "tozero"


def axis_ends(whole: tuple[float, float], values: Any, *, order: bool = True) -> tuple[float, float]:
    """The ends of an axis: `whole`, which holds 0, or near the values and within `whole`. A falling axis, as of ranks, stays as it is."""
    low, high = whole
    if low > high or not zooms(values, order=order):
        return whole
    least, most = float(np.nanmin(values)), float(np.nanmax(values))
    away = AWAY * (most - least)
    return max(low, least - away), min(high, most + away)
