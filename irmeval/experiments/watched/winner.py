"""The best run."""

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from irmeval.core.text import list_all, quantify
from irmeval.experiments.headlines import best_and_worst
from irmeval.experiments.watched.base import COUNTS, MEANS, Curve, Read, statistic
from irmeval.stats.means import tied

CURVE = Curve(
    "winner",
    "winner",
    "Same winner",
    "Share of the samples in which the best run on everything is among the best.",
    "share of the samples",
    top=1.0,
    level=COUNTS,
)


def _best(means: np.ndarray) -> np.ndarray:
    """Which runs are best, bool [..., run]; none where all tie or one has no mean."""
    # means that differ by rounding alone are one best: tied as everywhere else
    values = tied(means)
    high = values.max(axis=-1, keepdims=True)
    return (values == high) & (values.min(axis=-1, keepdims=True) < high)


def _says(result: Any) -> str:
    share = result.last("winner")
    if not np.isfinite(share).any():
        return ""
    # a share of one sample would be 0% or 100%, which sounds like a rate
    if result.params.trials == 1:
        kept = [*compress(result.names, share == 1)]
        return f"the best run on {result.everything} {_still(kept, len(result.names), result.noun)}"
    return best_and_worst(
        result.names,
        share,
        "keep the best run in {} of the samples",
        ("the smallest share",),
        form=".1%",
        noun=result.noun,
    )


def _still(kept: Sequence[str], of_all: int, noun: str) -> str:
    """By which measures it is the best run here, too; of more than two, their number."""
    if not kept:
        return "no longer is by any"
    if len(kept) <= 2:
        return f"still is by {list_all(kept)}"
    return f"still is by {quantify(len(kept), of_all, noun)}"


@statistic(
    "winner", words="the best run", reads=(MEANS,), curves=lambda result: [CURVE], says=_says
)
def winner(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Whether the best run on everything is among the best here: 1 if it is, 0 if not,
    also where all runs tie. Undefined where all runs tie on everything.
    """
    before, now = _best(whole["means"]), _best(here["means"])
    same = (before & now).any(axis=-1).astype(float)
    return {"winner": np.where(before.any(axis=-1), same, np.nan)}
