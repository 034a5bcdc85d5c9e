"""Mean score."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.experiments.watched.base import MEANS, Curve, Read, statistic

CURVE = Curve(
    "mean",
    "mean",
    "Mean score",
    "Mean score over all runs and topics. Where a line is flat, scores do not depend on the level.",
    "mean score over runs and topics",
)
SAME = 0.995
"""Share of the full mean from which it is not said to fall."""


def shares(result: Any) -> np.ndarray:
    """Mean at the last level as a share of that on everything, by name."""
    full = result.before("mean")
    return np.asarray(result.last("mean") / np.where(full == 0, np.nan, full))


def _says(result: Any) -> str:
    # measures have different ranges: only the share of what it was can be compared
    share = shares(result)
    if not np.isfinite(share).any():
        return ""
    lowest = int(np.nanargmin(share))
    turn = "falls to" if share[lowest] < SAME else "is"
    return f"the mean {result.called(lowest)} {turn} {per_cent(share[lowest])} of its full value"


@statistic(
    "mean",
    words="the mean score",
    reads=(MEANS,),
    curves=lambda result: [CURVE],
    says=_says,
)
def mean(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Mean over runs of their mean over topics. It has the range of the measure."""
    return {"mean": here["means"].mean(axis=-1)}
