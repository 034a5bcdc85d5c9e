"""Graded metrics of cumulated gain."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.metrics.base import UNBOUNDED, Cutoff, OptionalCutoff, metric
from irmeval.metrics.hits import Hits

Discount = Callable[[np.ndarray], np.ndarray]
_BASE = Param(
    "log base a",
    "The original discount: none down to rank a, then 1/log_a(r). Empty: 1/log2(r+1).",
    # there is no logarithm with base 1
    low=1.01,
    high=1000,
)
Base = Annotated[float | None, _BASE]
OriginalBase = Annotated[
    float,
    Param(
        "log base a", "No discount down to rank a, then 1/log_a(r).", low=_BASE.low, high=_BASE.high
    ),
]
share_of_ideal = partial(metric, ideal=1.0, graded=True, divides_by="ideal gain")


def discount(base: float | None) -> Discount:
    """Weight of a rank: 1/log2(r+1); or with a base, Järvelin & Kekäläinen's, 1 down to
    rank a and 1/log_a(r) after.
    """
    if base is None:
        return lambda rank: 1 / np.log2(rank + 1)
    # below the base the logarithm is at most 1, at rank 1 it is 0
    return lambda rank: np.log(base) / np.maximum(np.log(rank), np.log(base))


def _normalised(hits: Hits, weight: Discount, k: int | None) -> np.ndarray:
    """Cumulated gain of the list at rank k, as a share of that of the ideal list."""
    # the hits are cut at k already, the ideal lists serve all cut-offs and are whole
    return hits.sum(hits.gain * hits.by_rank(weight)) / hits.topics.discounted(weight, k)


def _averaged(hits: Hits, weight: Discount, k: int) -> np.ndarray:
    """The same share averaged over the ranks 1 to k: each hit counts in all shares from
    its own rank on.
    """
    topics = hits.topics
    step = topics.gain * topics.by_rank(weight)
    cumulated = topics.running(step)[topics.first[topics.topic] + topics.rank]
    # a topic without gain has no score; its 1/0 must not enter the running sums of other topics
    inverse, total = topics.running(1 / np.where(cumulated > 0, cumulated, 1)), topics.sum(step)

    def to(rank: np.ndarray | int) -> np.ndarray:
        """Sum of 1/ideal over the ranks 1 to this one; past R the ideal list stays as
        it is.
        """
        past = np.maximum(rank - hits.of_topic(hits.R), 0)
        return hits.in_ideal(inverse, rank) + past / hits.of_topic(total)

    return hits.sum(hits.gain * hits.by_rank(weight) * (to(k) - to(hits.rank - 1))) / k


@share_of_ideal(
    "nCG",
    formula=r"\frac{cg(k)}{cg_I(k)}",
    source=(
        "Järvelin & Kekäläinen 2002; Sakai 2007 (reliability of graded relevance metrics),"
        " Section 2.2"
    ),
    example="nCG@1000",
)
def ncg(hits: Hits, k: Cutoff) -> np.ndarray:
    """Gain collected down to rank k, as a share of that of the ideal list. The order
    above rank k does not matter.
    """
    return _normalised(hits, np.ones_like, k)


@metric(
    "CG",
    formula=r"\sum_{r\le k} g(r)",
    source="Järvelin & Kekäläinen 2002; Bompada et al. 2007, Section 2",
    range=UNBOUNDED,
    graded=True,
    example="CG@10",
)
def cg(hits: Hits, k: Cutoff) -> np.ndarray:
    """Gain collected down to rank k, not divided by that of the ideal list. The order
    above rank k does not matter, and topics with more relevant documents weigh more.
    """
    return hits.sum(hits.gain)


@share_of_ideal(
    "nDCG",
    formula=(
        r"\frac{\sum_{r\le k} g(r)\,d(r)}{\sum_{r\le k} g_I(r)\,d(r)},\quad"
        r" d(r)=\frac{1}{\log_2(r+1)}\ \text{or, with a "
        r"base } a,\ \frac{1}{\max(1,\log_a r)}"
    ),
    source=(
        "trec_eval 9.0.8, ndcg and ndcg_cut_k; with a base: Järvelin & Kekäläinen 2002, Sakai &"
        " Kando 2008 (a = 2, k = 1000)"
    ),
    top_heavy=True,
    aliases=("ndcg_cut_", "ndcg", "NDCG", "MSnDCG"),
)
def ndcg(hits: Hits, base: Base = None, k: OptionalCutoff = None) -> np.ndarray:
    """Gain discounted by rank, as a share of that of the ideal list. With base 2 it
    does not distinguish rank 1 from rank 2.
    """
    # trec_eval's ndcg takes no notice of `rel`: here a document below it gains nothing
    return _normalised(hits, discount(base), k)


@metric(
    "DCG",
    formula=(
        r"\sum_{r\le k} g(r)\,d(r),\quad d(r)=\frac{1}{\log_2(r+1)}\ \text{or, with a base }"
        r" a,\ \frac{1}{\max(1,\log_a r)}"
    ),
    source="ranx, dcg@k; with a base: Järvelin & Kekäläinen 2002",
    range=UNBOUNDED,
    graded=True,
    top_heavy=True,
    example="DCG@10",
    aliases=("dcg",),
)
def dcg(hits: Hits, base: Base = None, k: OptionalCutoff = None) -> np.ndarray:
    """Gain discounted by rank, not divided by that of the ideal list. Topics with more
    relevant documents weigh more in its mean.
    """
    return hits.sum(hits.gain * hits.by_rank(discount(base)))


@share_of_ideal(
    "RnDCG",
    formula=(
        r"\frac{1}{|B|}\sum_{b\in B}\frac{dcg(b)}{dcg_I(b)},\quad B=\{b:"
        r" g_I(b)>g_I(b+1)\}\cup\{L_{ret}\ \text{if}>R+1\}"
    ),
    source="trec_eval 9.0.8, Rndcg",
    primed=False,
    top_heavy=True,
    aliases=("Rndcg",),
)
def rndcg(hits: Hits) -> np.ndarray:
    """nDCG averaged over the ranks where a level of gain ends in the ideal list. The
    last rank of a list longer than R + 1 counts too.
    """
    topics, value = hits.topics, hits.gain * hits.by_rank(discount(None))
    step = topics.gain * topics.by_rank(discount(None))
    ideal = topics.running(step)[topics.first[topics.topic] + topics.rank]
    ends = np.diff(topics.gain, append=0.0) < 0
    ends |= topics.rank == topics.R[topics.topic]
    ends &= ideal > 0
    inverse = topics.running(np.where(ends, 1 / np.where(ideal > 0, ideal, 1), 0.0))
    whole = hits.per_list(hits.retrieved.length) > hits.R + 1
    levels = hits.sum(
        value
        * (hits.in_ideal(inverse, hits.of_topic(hits.R)) - hits.in_ideal(inverse, hits.rank - 1))
    )
    return (levels + whole * hits.sum(value) / topics.sum(step)) / (
        topics.sum(ends.astype(float)) + whole
    )


@share_of_ideal(
    "AnCG",
    formula=r"\frac1k\sum_{r=1}^{k}\frac{cg(r)}{cg_I(r)}",
    source=(
        "Järvelin & Kekäläinen 2002; Sakai 2007 (reliability of graded relevance metrics),"
        " Section 2.2"
    ),
    top_heavy=True,
    example="AnCG@1000",
)
def ancg(hits: Hits, k: Cutoff) -> np.ndarray:
    """nCG averaged over the ranks 1 to k, so that early documents count at more ranks.
    Beyond the end of a list its gain is constant.
    """
    return _averaged(hits, np.ones_like, k)


@share_of_ideal(
    "AnDCG",
    formula=(
        r"\frac1k\sum_{r=1}^{k}\frac{dcg(r)}{dcg_I(r)},\quad dcg(r)=\sum_{i\le"
        r" r}\frac{g(i)}{\max(1,\log_a i)}"
    ),
    source=(
        "Järvelin & Kekäläinen 2002; Sakai 2007 (reliability of graded relevance metrics),"
        " Section 2.2"
    ),
    top_heavy=True,
    example="AnDCG(base=2)@1000",
)
def andcg(hits: Hits, base: OriginalBase, k: Cutoff) -> np.ndarray:
    """nDCG with the original discount, averaged over the ranks 1 to k. Unlike nDCG at
    k, it shows where the gain was collected.
    """
    return _averaged(hits, discount(base), k)


@share_of_ideal(
    "AWP",
    formula=r"\frac1R\sum_r isrel(r)\,\frac{cg(r)}{cg_I(r)}",
    source=(
        "Kando, Kuriyama & Yoshioka 2001; Sakai 2007 (reliability of graded relevance metrics),"
        " Section 2.2"
    ),
    top_heavy=True,
)
def average_weighted_precision(hits: Hits) -> np.ndarray:
    """Share of the ideal gain at the rank of each relevant document, averaged over
    them. Past rank R, a late document costs no more.
    """
    return hits.sum(hits.cum_gain / hits.ideal_cum_gain) / hits.R


@share_of_ideal(
    "RWP",
    formula=r"\frac{cg(R)}{cg_I(R)}",
    source=(
        "Kando, Kuriyama & Yoshioka 2001; Sakai 2007 (reliability of graded relevance metrics),"
        " Section 2.2"
    ),
)
def r_weighted_precision(hits: Hits) -> np.ndarray:
    """Share of the ideal gain that the list has collected at rank R. With one level of
    relevance it is Rprec.
    """
    return hits.sum(hits.gain, where=hits.rank <= hits.of_topic(hits.R)) / hits.topics.total
