"""Interpolated precision: the best precision at a level of recall or beyond."""

from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.metrics.base import metric
from irmeval.metrics.hits import Hits

Recall = Annotated[
    float,
    Param("recall", "Share of the relevant documents that must be retrieved.", low=0.0, high=1.0),
]
LEVELS = np.arange(11) / 10


@metric(
    "IPrec",
    formula=r"\max_{r:\,count(r)\ge\lfloor x R+0.9\rfloor}\frac{count(r)}{r}",
    source="trec_eval 9.0.8, iprec_at_recall_x; there x R + .9 is cut to a whole number",
    ideal=1.0,
    divides_by="R",
    at="recall",  # as ir_measures writes it
    example="IPrec(recall=0.5)",
    aliases=("iprec_at_recall_",),
)
def interpolated_precision(hits: Hits, recall: Recall) -> np.ndarray:
    """Highest precision at any rank with at least this share of the relevant documents
    retrieved. If there is none, it is 0.
    """
    # nearly a ceiling: trec_eval lets .1 of a document pass, so that 3.05 needs 3, and 3.15 needs 4
    return hits.max(
        hits.count / hits.rank, where=hits.count >= hits.of_topic(np.floor(recall * hits.R + 0.9))
    )


@metric(
    "AP_11pt",
    formula=r"\frac1{11}\sum_{i=0}^{10}IPrec(i/10)",
    source="trec_eval 9.0.8, 11pt_avg",
    ideal=1.0,
    divides_by="R",
    top_heavy=True,
    aliases=("11pt_avg",),
)
def eleven_point_average(hits: Hits) -> np.ndarray:
    """Interpolated precision averaged over recall 0, 0.1, ..., 1. It was the usual
    summary of a run before AP.
    """
    return np.mean([interpolated_precision(hits, level) for level in LEVELS], axis=0)
