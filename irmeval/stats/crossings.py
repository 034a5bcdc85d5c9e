"""Where curves cross a level."""

from collections.abc import Sequence

import numpy as np

from irmeval.stats.decision_agreement import knee

NEVER = np.inf
"""A curve does not cross the level at any x that was tried."""


def find_crossings(
    x: Sequence[float], curves: np.ndarray, level: float, *, rising: bool = False
) -> np.ndarray:
    """Where curves [..., place] first fall to a level, or rise to it: x [place] is read
    in the order given, and curves are straight lines between its places. The first x
    where a curve begins beyond the level; `NEVER` where it does not reach it; NaN where
    it is undefined at some place.
    """
    along, turned = (-1 if x[0] < x[-1] else 1), (-1 if rising else 1)
    found = knee(along * np.array(x), turned * curves, threshold=turned * level)
    at = np.where(
        found.below, NEVER, np.where(np.isnan(found.interpolated), x[0], along * found.interpolated)
    )
    return np.where(np.isnan(curves).any(axis=-1), np.nan, at)


def describe_crossing(at: float, end: str, digits: int = 1) -> str:
    """A crossing as a cell of a table: ``34.2``, or `end`, such as ``not down to 10``;
    empty where it is undefined.
    """
    if at == NEVER:
        return end
    return "" if np.isnan(at) else f"{at:.{digits}f}"
