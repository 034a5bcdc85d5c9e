"""Metrics of the blended ratio, which combines precision with normalised cumulative
gain.
"""

from functools import partial
from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.metrics.base import metric
from irmeval.metrics.hits import Hits

Beta = Annotated[
    float,
    Param(
        "persistence beta",
        "Weight of gain relative to rank; 0 makes it a binary metric.",
        low=0,
        high=1e6,
    ),
]
RATIO = r"BR(r)=\frac{\beta\,cg(r)+count(r)}{\beta\,cg_I(r)+r}"
blended = partial(metric, ideal=1.0, graded=True, divides_by="R")


def _ratio(hits: Hits, beta: float) -> np.ndarray:
    """BR at the rank of each hit."""
    return (beta * hits.cum_gain + hits.count) / (beta * hits.ideal_cum_gain + hits.rank)


@blended(
    "Q",
    formula=rf"\frac1R\sum_r isrel(r)\,BR(r),\quad {RATIO}",
    source="Sakai & Kando 2008, Section 3.1; NTCIREVAL, Q-measure",
    top_heavy=True,
    aliases=("Q-measure",),
)
def q_measure(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio of precision and normalised cumulative gain, averaged over the
    relevant documents. With beta 0 it is AP.
    """
    return hits.sum(_ratio(hits, beta)) / hits.R


@blended(
    "R-measure",
    formula=rf"BR(R),\quad {RATIO}",
    source="Sakai 2007 (reliability of graded relevance metrics), Section 2.2; binary: Rprec",
)
def r_measure(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio at rank R, the number of relevant documents. Ranks below R, and
    the order above, do not matter.
    """
    within = hits.rank <= hits.of_topic(hits.R)
    return (beta * hits.sum(hits.gain, where=within) + hits.sum(where=within)) / (
        beta * hits.topics.total + hits.R
    )


@blended(
    "O-measure",
    formula=rf"BR(r_1),\quad r_1=\min\{{r:isrel(r)\}},\quad {RATIO}",
    source="Sakai 2007 (finding one highly relevant document); NTCIREVAL, O-measure",
    top_heavy=True,
)
def o_measure(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio at the first relevant document, for a user who stops there
    whatever its grade. It is a graded RR.
    """
    return hits.sum(_ratio(hits, beta), where=hits.count == 1)


@blended(
    "P-measure",
    formula=rf"BR(r_p),\quad r_p=\min\{{r:g(r)=\max_i g(i)\}},\quad {RATIO}",
    source="Sakai 2007 (finding one highly relevant document); NTCIREVAL, P-measure",
    top_heavy=True,
)
def p_measure(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio at the first document of the list's highest gain. The user
    looks for one highly relevant document and stops.
    """
    return hits.sum(_ratio(hits, beta), where=hits.rank == hits.best_rank)


@blended(
    "P+",
    formula=(
        r"\frac{1}{count(r_p)}\sum_{r\le r_p} isrel(r)\,BR(r),\quad r_p=\min\{r:g(r)=\max_i"
        rf" g(i)\}},\quad {RATIO}"
    ),
    source="Sakai 2007 (finding one highly relevant document); NTCIREVAL, P-plus",
    top_heavy=True,
    aliases=("P-plus",),
)
def p_plus(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio averaged over the relevant documents down to the preferred
    rank. Among users who want one highly relevant document, some stop earlier.
    """
    seen = hits.rank <= hits.best_rank
    return hits.sum(_ratio(hits, beta), where=seen) / np.maximum(hits.sum(where=seen), 1)
