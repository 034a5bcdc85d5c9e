"""Scores estimated from judgments that are a sample of a pool.

Documents that were drawn represent those that were not. The design of the collection
describes how they were drawn (`irmeval.reading.design`); without one, the judgments of
a topic count as drawn at random from its pool. The epsilons are those of NIST's
sample_eval.pl.
"""

from functools import partial

import numpy as np

from irmeval.metrics.base import UNBOUNDED, Cutoff, OptionalCutoff, metric
from irmeval.metrics.cumulated import Discount, discount
from irmeval.metrics.hits import Hits, Ideal
from irmeval.metrics.strata import (
    STANDS,
    above_hits,
    estimated_relevant,
    estimated_retrieved,
    smoothed,
    so_far_above,
    stands_for,
    within_lists,
)
from irmeval.metrics.user_model import Persistence

estimator = partial(metric, unjudged=STANDS, primed=False, range=UNBOUNDED)
YILMAZ = "Yilmaz, Kanoulas & Aslam 2008, as NIST's sample_eval.pl computes it"
HORVITZ = "Horvitz & Thompson 1952"
LOG2 = discount(None)


@metric(
    "infAP",
    formula=r"\frac1R\sum_{k:\,isrel(k)}\frac1k+\frac{k-1}{k}"
    r"\cdot\frac{pooled(k)}{k-1}\cdot\frac{rel(k)+\epsilon}{rel(k)+nonrel(k)+2\epsilon}",
    source="Yilmaz & Aslam 2006, as trec_eval 9.0.8 computes it, with epsilon = 0.00001",
    unjudged=(
        "A pooled unjudged document is assumed relevant as often as the judged ones above; one"
        " outside the pool is nonrelevant."
    ),
    divides_by="R",
    top_heavy=True,
    aliases=("infAP",),
)
def inferred_ap(hits: Hits) -> np.ndarray:
    """AP as estimated from judgments that are a random sample of a pool. The full qrels
    are the pool, the reduced ones the sample.
    """
    # (k - 1)/k times pooled/(k - 1) is pooled/k, which is 0 at rank 1 without a division by 0
    above = hits.count - 1
    share = (above + 1e-5) / (above + hits.nonrelevant + 2e-5)
    return hits.sum((1 + hits.pooled * share) / hits.rank) / hits.R


@metric(
    "subAP",
    formula=(
        r"\frac1R\sum_{r:\,isrel(r)}\frac{count(r)}{1+judged(r)+f\cdot unpooled(r)},\quad"
        r" f=\frac{R+N}{|pool|}"
    ),
    source=(
        "Yilmaz & Aslam 2006, Subcollection AP, in expectation over the sample of the documents"
        " outside the pool"
    ),
    unjudged=(
        "A pooled document that is unjudged is removed; one outside the pool is nonrelevant, and"
        " counts for as much as the share of the pool that is judged."
    ),
    ideal=1.0,
    divides_by="R",
    top_heavy=True,
)
def subcollection_ap(hits: Hits) -> np.ndarray:
    """AP on a collection sampled at the rate at which the pool is judged. If the whole
    pool is judged it is AP.
    """
    rate = (hits.R + hits.N) / hits.topics.pool
    unpooled = hits.rank - 1 - hits.pooled
    return hits.sum(hits.count / (hits.condensed_rank + hits.of_topic(rate) * unpooled)) / hits.R


def discounted(hits: Hits) -> np.ndarray:
    """Gain of each hit, discounted by its rank."""
    return hits.gain * hits.by_rank(LOG2)


def gained_by_stratum(hits: Hits) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each stratum: the pooled documents per drawn one, 0 if none was drawn, and
    the discounted gain of these, each [lists].
    """

    def gained() -> list[tuple[np.ndarray, np.ndarray]]:
        value, parts = discounted(hits), []
        for stratum in within_lists(hits):
            share = np.divide(
                stratum.pooled,
                stratum.drawn,
                out=np.zeros(stratum.drawn.size),
                where=stratum.drawn > 0,
            )
            parts.append((share, hits.sum(value, where=stratum.own).ravel()))
        return parts

    return hits.memoize(gained_by_stratum, gained)


def gains_by_level(topics: Ideal, otherwise: np.ndarray | float = 0.0) -> np.ndarray:
    """Gain of each grade on each topic [T, levels], `otherwise` if no document of the
    topic has the grade.
    """
    relevant, shape = topics.relevant, (len(topics.R), topics.collection.top_grade + 1)
    gain = np.full(shape, otherwise)
    gain[topics.collection.topic[relevant], topics.grades[relevant]] = topics.of_judgment[relevant]
    return gain


def ideal_gain(
    number: np.ndarray, gain: np.ndarray, last: int, discount: Discount = LOG2
) -> np.ndarray:
    """Discounted gain of ideal lists down to rank `last` [n], from the number of
    documents of each grade, which need not be whole, and their gain, both [n,
    levels].
    """
    best = np.argsort(-gain, axis=1, kind="stable")
    number, gain = (np.take_along_axis(part, best, 1) for part in (number, gain))
    down_to = np.concatenate([[0], np.cumsum(discount(np.arange(1, last + 1, dtype=float)))])
    reached = np.interp(np.cumsum(number.clip(0), axis=1), np.arange(last + 1), down_to)
    return (gain * np.diff(reached, axis=1, prepend=0)).sum(axis=1)


def _estimated_ideal(topics: Ideal, k: int) -> np.ndarray:
    """Discounted gain of the ideal list of the estimated number of documents of each
    grade, rounded half up, down to rank k [T].
    """
    rel, gain = topics.relevant, gains_by_level(topics)
    cell = topics.collection.topic[rel] * gain.shape[1] + topics.grades[rel]
    # a sum such as 3 * 10 / 4 is 7.5 up to rounding errors
    number = np.floor(np.bincount(cell, topics.sample.expansion[rel], gain.size) + 0.5 + 1e-9)
    return ideal_gain(number.reshape(gain.shape), gain, k)


@estimator(
    "xinfAP",
    formula=(
        r"\sum_s\frac{\hat R_s}{\hat R}\cdot\frac1{rel_s}\sum_{d\in s}\frac1r\left[1+\sum_t"
        r" c_t\frac{rel_t+\epsilon}"
        r"{n_t+3\epsilon}\right],\quad\hat R_s=\frac{N_s}{n_s}rel_s"
    ),
    source=YILMAZ,
    divides_by="R",
    top_heavy=True,
)
def extended_inferred_ap(hits: Hits) -> np.ndarray:
    """AP estimated from judgments drawn at different rates from strata of the pool.
    Above each hit, precision is estimated by stratum.
    """
    precision = (1 + sum(smoothed(stratum) for stratum in above_hits(hits))) / hits.rank
    estimated, depth = estimated_relevant(hits.topics), hits.topics.collection.policy.depth
    # a list cannot contain more relevant documents than its depth
    return hits.sum(precision * stands_for(hits)) / np.minimum(estimated, depth)


@estimator(
    "infNDCG",
    formula=r"\frac{1}{\widehat{dcg}_I}\sum_s\frac{c_s}{n_s}\sum_{d\in s}\frac{g(d)}{\log_2(r+1)}",
    source=YILMAZ,
    ideal=1.0,
    graded=True,
    divides_by="ideal gain",
    top_heavy=True,
)
def inferred_ndcg(hits: Hits) -> np.ndarray:
    """nDCG estimated from judgments drawn at different rates from strata. The drawn
    documents of a stratum represent its pooled ones.
    """
    total = sum((share * gain for share, gain in gained_by_stratum(hits)), np.zeros(1))
    return hits.per_list(total) / _estimated_ideal(hits.topics, hits.topics.collection.policy.depth)


@estimator(
    "infP",
    formula=r"\frac1k\sum_s c_s\frac{rel_s+\epsilon}{n_s+3\epsilon}",
    source=f"{YILMAZ}, iP",
    example="infP@10",
)
def inferred_precision(hits: Hits, k: Cutoff) -> np.ndarray:
    """Share of the top k documents that are relevant, estimated stratum by stratum. A
    list shorter than k is still divided by k.
    """
    return estimated_retrieved(hits, k) / k


@estimator(
    "statAP",
    formula=(
        r"\frac1{\hat"
        r" R}\sum_d\frac1{r_d}\left[\frac1{\pi_d}+\sum_{e\ above\ d}\frac1{\pi_{de}}\right]"
    ),
    source=(
        "Aslam, Pavlu & Yilmaz 2006, and Pavlu & Aslam 2007, with the joint probability"
        " n(n-1)/N(N-1) within a stratum of n of N"
    ),
    ideal=1.0,
    divides_by="R",
    top_heavy=True,
)
def stat_ap(hits: Hits) -> np.ndarray:
    """AP as the ratio of two Horvitz-Thompson estimates: its sum of precisions, over
    pairs of documents, and the number of relevant documents. The sum is unbiased if
    documents of different strata are drawn independently.
    """
    sample, own = hits.topics.sample, stands_for(hits)
    # as if all pairs were drawn independently
    pairs = own * (hits.so_far(own) - own)
    if sample.design.alike:
        # without replacement, two of one stratum are drawn less often than if independent
        stratum = sample.design.stratum.take(hits.judgment_index)
        pairs += so_far_above(hits, stratum, np.ones(own.size)) * (
            sample.repeat_expansion.take(stratum) - own**2
        )
    return hits.sum((own + pairs) / hits.rank) / estimated_relevant(hits.topics)


@estimator(
    "statP",
    formula=r"\frac1k\sum_{r\le k}\frac{isrel(r)}{\pi(r)}",
    source=HORVITZ,
    example="statP@10",
)
def stat_precision(hits: Hits, k: Cutoff) -> np.ndarray:
    """Unbiased share of relevant documents in the top k: each drawn one counts for all
    that it represents. It can exceed 1.
    """
    return hits.sum(stands_for(hits)) / k


@estimator(
    "statDCG",
    formula=r"\sum_{r\le k}\frac{g(r)}{\pi(r)\log_2(r+1)}",
    source=HORVITZ,
    graded=True,
    top_heavy=True,
)
def stat_dcg(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """Unbiased gain discounted by rank: each drawn document counts for all that it
    represents. It is not divided by an ideal gain.
    """
    return hits.sum(stands_for(hits) * discounted(hits))


@estimator(
    "statNDCG",
    formula=r"\frac{1}{\widehat{dcg}_I(k)}\sum_{r\le k}\frac{g(r)}{\pi(r)\log_2(r+1)}",
    source=f"{HORVITZ}; the ideal list as in Yilmaz, Kanoulas & Aslam 2008",
    ideal=1.0,
    graded=True,
    divides_by="ideal gain",
    top_heavy=True,
)
def stat_ndcg(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """statDCG as a share of that of the ideal list of the estimated documents. It is
    biased if few relevant documents are drawn.
    """
    return stat_dcg(hits) / _estimated_ideal(hits.topics, k or hits.topics.collection.policy.depth)


@estimator(
    "statRBP",
    formula=r"(1-p)\sum_r\frac{g(r)}{\pi(r)H}\,p^{\,r-1}",
    source=f"{HORVITZ}; RBP of Moffat & Zobel 2008",
    graded=True,
    top_heavy=True,
    example="statRBP(p=0.95)",
)
def stat_rbp(hits: Hits, p: Persistence) -> np.ndarray:
    """Unbiased RBP: each drawn document counts for all that it represents. A single
    estimate can exceed 1.
    """
    weight = hits.by_rank(lambda rank: p ** (rank - 1))
    return (1 - p) * hits.sum(stands_for(hits) * hits.gain * weight) / hits.H
