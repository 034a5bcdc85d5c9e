"""Graded metrics of cumulated gain."""

from collections.abc import Callable
from typing import Annotated

import numpy as np

from irmeval.hits import Hits
from irmeval.metrics.base import OptionalCutoff, metric
from irmeval.params import Param

Beta = Annotated[float, Param("persistence beta", "How much gain counts beside rank; 0 makes it a binary metric.", low=0, high=1e6)]
Base = Annotated[
    float | None,
    Param("log base a", "The original discount: none down to rank a, then 1/log_a(r). Empty: 1/log2(r+1).", low=1.01, high=1000),
]
Persistence = Annotated[float, Param("persistence p", "Probability that the user goes on to the next document.", low=0.01, high=0.99)]


def discount(base: float | None) -> Callable[[np.ndarray], np.ndarray]:
    """Weight of a rank: 1/log2(r+1); or with a base, Järvelin & Kekäläinen's, 1 down to rank a and 1/log_a(r) after."""
    if base is None:
        return lambda rank: 1 / np.log2(rank + 1)
    # below the base the logarithm is at most 1, at rank 1 it is 0
    return lambda rank: np.log(base) / np.maximum(np.log(rank), np.log(base))


@metric(
    "nDCG",
    formula=r"\frac{\sum_{r\le k} g(r)\,d(r)}{\sum_{r\le k} g_I(r)\,d(r)},\quad d(r)=\frac{1}{\log_2(r+1)}\ \text{or, with a base } a,\ \frac{1}{\max(1,\log_a r)}",
    source="trec_eval 9.0.8, ndcg and ndcg_cut_k; with a base: Järvelin & Kekäläinen 2002, Sakai & Kando 2008 (a = 2, k = 1000)",
    ideal=1.0,
    aliases=("ndcg_cut_", "ndcg"),
)
def ndcg(hits: Hits, base: Base = None, k: OptionalCutoff = None) -> np.ndarray:
    """Gain discounted by rank, as a share of what the ideal list collects. With base 2 it cannot tell rank 1 from rank 2."""
    weight = discount(base)
    return hits.sum(hits.gain * hits.by_rank(weight)) / hits.topics.discounted(weight, k)


@metric(
    "Q",
    formula=r"\frac1R\sum_r isrel(r)\,BR(r),\quad BR(r)=\frac{\beta\,cg(r)+count(r)}{\beta\,cg_I(r)+r}",
    source="Sakai & Kando 2008, Eq. 1; NTCIREVAL, Q-measure",
    ideal=1.0,
    aliases=("Q-measure",),
)
def q_measure(hits: Hits, beta: Beta = 1.0) -> np.ndarray:
    """The blended ratio, which joins precision with normalised cumulative gain, averaged over the relevant documents. With beta 0 it is AP."""
    ratio = (beta * hits.cum_gain + hits.count) / (beta * hits.ideal_cum_gain + hits.rank)
    return hits.sum(ratio) / hits.R


@metric(
    "RBP",
    formula=r"(1-p)\sum_r \frac{g(r)}{H}\,p^{\,r-1}",
    source="Moffat & Zobel 2008; graded as in Sakai & Kando 2008, Eq. 7",
    unjudged="An unjudged document counts as a nonrelevant one; the residual says how much it could have added.",
)
def rbp(hits: Hits, p: Persistence) -> np.ndarray:
    """Expected gain per document seen, for a user who goes on to the next with probability p. H is the highest gain of any topic; an ideal list need not score 1."""
    return (1 - p) * hits.sum(hits.gain / hits.H * hits.by_rank(lambda rank: p ** (rank - 1)))
