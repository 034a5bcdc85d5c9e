"""Metrics of the retrieved set, independent of its order: the whole list, down to the
depth at which lists are cut.
"""

from functools import partial
from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.metrics.base import metric
from irmeval.metrics.hits import Hits

Weight = Annotated[
    float,
    Param(
        "weight x",
        "Weight of recall relative to precision, as in trec_eval: 1 equal, 2 double.",
        low=0.01,
        high=100.0,
    ),
]
of_set = partial(metric, primed=False)


@of_set(
    "SetP",
    formula=r"\frac{count(L_{ret})}{L_{ret}}",
    source="trec_eval 9.0.8, set_P",
    aliases=("set_P",),
)
def set_precision(hits: Hits) -> np.ndarray:
    """Share of the documents retrieved that are relevant. An empty list scores 0."""
    return hits.sum() / _retrieved(hits)


@of_set(
    "SetR",
    formula=r"\frac{count(L_{ret})}{R}",
    source="trec_eval 9.0.8, set_recall",
    ideal=1.0,
    divides_by="R",
    aliases=("set_recall", "set_R"),
)
def set_recall(hits: Hits) -> np.ndarray:
    """Share of the relevant documents that are retrieved. A longer list cannot score
    lower.
    """
    return hits.sum() / hits.R


@of_set(
    "SetF",
    formula=(
        r"\frac{(x+1)\,P\,R}{R+x\,P},\quad"
        r" P=\frac{count(L_{ret})}{L_{ret}},\ R=\frac{count(L_{ret})}{R}"
    ),
    source="trec_eval 9.0.8, set_F_x",
    divides_by="R",
    aliases=("set_F_", "set_F", "f1", "F1"),
)
def set_f(hits: Hits, x: Weight = 1.0) -> np.ndarray:
    """Weighted harmonic mean of SetP and SetR. Both must be high for it to be high."""
    # (x + 1) P R / (R + x P) with both fractions multiplied out, which is 0 where nothing relevant
    # is retrieved
    return (x + 1) * hits.sum() / (_retrieved(hits) + x * hits.R)


@of_set(
    "SetAP",
    formula=r"\frac{count(L_{ret})^2}{L_{ret}\,R}",
    source="trec_eval 9.0.8, set_map",
    divides_by="R",
    aliases=("set_map",),
)
def set_average_precision(hits: Hits) -> np.ndarray:
    """SetP times SetR. It is about the average AP of randomly ordered retrieved
    documents.
    """
    return hits.sum() ** 2 / (_retrieved(hits) * hits.R)


@of_set(
    "SetRelP",
    formula=r"\frac{count(L_{ret})}{\min(L_{ret},R)}",
    source="trec_eval 9.0.8, set_relative_P",
    ideal=1.0,
    divides_by="R",
    aliases=("set_relative_P",),
)
def set_relative_precision(hits: Hits) -> np.ndarray:
    """Relevant documents retrieved, as a share of the possible number for a list of
    that length. An empty list scores 0.
    """
    return hits.sum() / np.minimum(_retrieved(hits), hits.R)


def _retrieved(hits: Hits) -> np.ndarray:
    """Documents retrieved, at least 1 [runs, T]."""
    return hits.per_list(np.maximum(hits.retrieved.length, 1))
