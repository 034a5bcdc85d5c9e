"""AP as estimated from judgments that are a sample of a pool."""

import numpy as np

from irmeval.metrics.base import metric
from irmeval.metrics.hits import Hits


@metric(
    "infAP",
    formula=r"\frac1R\sum_{k:\,isrel(k)}\frac1k+\frac{k-1}{k}"
    r"\cdot\frac{pooled(k)}{k-1}\cdot\frac{rel(k)+\epsilon}{rel(k)+nonrel(k)+2\epsilon}",
    source="Yilmaz & Aslam 2006, as trec_eval 9.0.8 computes it, with epsilon = 0.00001",
    unjudged="A pooled document that is unjudged is taken to be relevant as often as the judged ones above; one outside the "
    "pool is nonrelevant.",
    divides_by="R",
    top_heavy=True,
    aliases=("infAP",),
)
def inferred_ap(hits: Hits) -> np.ndarray:
    """AP as estimated from judgments that are a random sample of a pool. The full qrels are the pool, the reduced ones the sample."""
    above = hits.count - 1
    share = (above + 1e-5) / (above + hits.nonrelevant + 2e-5)
    return hits.sum((1 + hits.pooled * share) / hits.rank) / hits.R


@metric(
    "subAP",
    formula=r"\frac1R\sum_{r:\,isrel(r)}\frac{count(r)}{1+judged(r)+f\cdot unpooled(r)},\quad f=\frac{R+N}{|pool|}",
    source="Yilmaz & Aslam 2006, Subcollection AP, in expectation over the sample of the documents outside the pool",
    unjudged="A pooled document that is unjudged is removed; one outside the pool is nonrelevant, and counts for as much as "
    "the share of the pool that is judged.",
    ideal=1.0,
    divides_by="R",
    top_heavy=True,
)
def subcollection_ap(hits: Hits) -> np.ndarray:
    """AP on a collection sampled at the rate at which the pool is judged. Where the whole pool is judged it is AP."""
    rate = (hits.R + hits.N) / hits.topics.pool
    unpooled = hits.rank - 1 - hits.pooled
    return hits.sum(hits.count / (hits.condensed_rank + hits.of_topic(rate) * unpooled)) / hits.R
