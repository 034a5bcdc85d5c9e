"""Binary metrics of precision and recall."""

import numpy as np

from irmeval.metrics.base import UNBOUNDED, Cutoff, OptionalCutoff, metric
from irmeval.metrics.hits import Hits


@metric(
    "P",
    formula=r"\frac{count(k)}{k}",
    source="trec_eval 9.0.8, P_k",
    example="P@10",
    aliases=("P_", "Precision", "precision"),
)
def precision(hits: Hits, k: Cutoff) -> np.ndarray:
    """Share of the top k documents that are relevant. A list shorter than k is still
    divided by k.
    """
    return hits.sum() / k


@metric(
    "R_cap",
    formula=r"\frac{count(k)}{\min(k,R)}",
    source="trec_eval 9.0.8, relative_P_k; BEIR, R_cap@k",
    ideal=1.0,
    divides_by="R",
    example="R_cap@10",
    aliases=("relative_P_", "RelP", "r_cap", "recall_cap"),
)
def capped_recall(hits: Hits, k: Cutoff) -> np.ndarray:
    """Relevant documents in the top k, as a share of the possible number. Unlike P it
    can reach 1 on every topic.
    """
    return hits.sum() / np.minimum(k, hits.R)


@metric(
    "Success",
    formula=r"[count(k)\ge1]",
    source="trec_eval 9.0.8, success_k",
    ideal=1.0,
    example="Success@10",
    aliases=("success_", "HasRel", "success", "hit_rate", "accuracy"),
)
def success(hits: Hits, k: Cutoff) -> np.ndarray:
    """1 if the top k contain a relevant document, else 0. Its mean is the share of such
    topics.
    """
    return (hits.sum() > 0).astype(float)


@metric(
    "R",
    formula=r"\frac{count(k)}{R}",
    source="trec_eval 9.0.8, recall_k",
    divides_by="R",
    example="R@1000",
    aliases=("recall_", "Recall", "recall"),
)
def recall(hits: Hits, k: Cutoff) -> np.ndarray:
    """Share of the relevant documents in the top k. Their order within the top k does
    not matter.
    """
    return hits.sum() / hits.R


@metric(
    "F",
    formula=r"\frac{2\,P\,R}{P+R},\quad P=\frac{count(k)}{k},\ R=\frac{count(k)}{R}",
    source="van Rijsbergen 1979; ranx, f1@k",
    divides_by="R",
    example="F@10",
    aliases=("f1@", "F1@"),
)
def f_at(hits: Hits, k: Cutoff) -> np.ndarray:
    """Harmonic mean of precision and recall of the top k. A list shorter than k is
    still divided by k.
    """
    # 2PR / (P + R) multiplied out, which is 0 where nothing relevant is in the top k
    return 2 * hits.sum() / (k + hits.R)


@metric(
    "hits",
    formula=r"count(k)",
    source="ranx, hits@k",
    range=UNBOUNDED,
    example="hits@10",
)
def hits_at(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """Number of relevant documents in the top k, averaged over topics. It is P times k,
    a number and not a share.
    """
    return hits.sum()


@metric(
    "Rprec",
    formula=r"\frac{count(R)}{R}",
    source="trec_eval 9.0.8, Rprec",
    ideal=1.0,
    divides_by="R",
    aliases=("R-precision", "RPrec", "r-precision"),
)
def r_precision(hits: Hits) -> np.ndarray:
    """Precision at rank R, the number of relevant documents. There precision and recall
    are equal.
    """
    return hits.sum(where=hits.rank <= hits.of_topic(hits.R)) / hits.R


@metric(
    "RR",
    formula=r"\frac{1}{r_1},\quad r_1 = \min\{r : isrel(r)\}",
    source="trec_eval 9.0.8, recip_rank",
    ideal=1.0,
    top_heavy=True,
    aliases=("recip_rank", "MRR", "mrr"),
)
def reciprocal_rank(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """Reciprocal rank of the first relevant document: how soon a user who wants a
    single one is satisfied. 0 if there is none.
    """
    # a sum of one term: a list has at most one hit with the count 1
    return hits.sum(1 / hits.rank, where=hits.count == 1)


@metric(
    "AP",
    formula=r"\frac{1}{R}\sum_r isrel(r)\,\frac{count(r)}{r}",
    source="trec_eval 9.0.8, map and map_cut_k; Sakai & Kando 2008, Section 3.1",
    ideal=1.0,
    divides_by="R",
    top_heavy=True,
    aliases=("map", "map_cut_", "AveP", "MAP"),
)
def average_precision(hits: Hits, k: OptionalCutoff = None) -> np.ndarray:
    """Precision averaged over the relevant documents; one that is not retrieved adds 0.
    AP' is also called Induced AP.
    """
    # by R at every cut-off, as trec_eval; NTCIREVAL divides AP@k by min(k, R)
    return hits.sum(hits.count / hits.rank) / hits.R
