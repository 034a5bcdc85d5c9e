"""What is left of the judgments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from irmeval.core.numbers import per_cent
from irmeval.experiments.watched.base import Curve, OnGrades, Read, Reading, statistic

LABELS = {"judged": "judgments", "relevant": "relevant"}
CURVE = Curve(
    ",".join(LABELS),
    "left",
    "What is left",
    "Share of all judgments and of all relevant documents that is left.",
    "share of all",
    top=1.0,
)


def _shares(sample: OnGrades, params: Any) -> list[float]:
    # a topic that is out of use is lost with its judgments, so that shares are of the whole
    # collection
    counts = [*map(sample.counts, (0, 1))]
    return [left / every if every else np.nan for left, every in counts]


SHARES = Reading("judged", _shares, measured=False)


def _says(result: Any) -> str:
    judged, relevant = (float(result.last(name)[-1]) for name in LABELS)
    found = "no relevant document, as there is none"
    if relevant == relevant:
        found = f"{per_cent(relevant)} of the relevant documents"
    return f"{per_cent(judged)} of the judgments and {found} are left"


@statistic(
    "judged",
    words="the judgments that are left",
    reads=(SHARES,),
    curves=lambda result: [CURVE],
    says=_says,
    measured=False,
)
def judged(whole: Read, here: Read, params: Any) -> Mapping[str, Any]:
    """Share of the whole collection's judgments and of its relevant documents: 1 if all
    are left, 0 if none is.
    """
    return {name: here["judged"][..., i] for i, name in enumerate(LABELS)}
