"""Diagnostics of a score: the judged share of a list, and the number of relevant
documents.

Like all metrics these have no score for a topic without relevant documents, so that
they cover the same topics as the means beside them.
"""

from functools import partial

import numpy as np

from irmeval.metrics.base import UNBOUNDED, Cutoff, metric
from irmeval.metrics.hits import Hits
from irmeval.metrics.strata import STANDS, estimated_relevant, estimated_retrieved
from irmeval.metrics.user_model import Persistence

SEEN = (
    "Measures unjudged documents: a document counts as judged only if the judgments in use contain"
    " its grade."
)
count = partial(metric, primed=False, range=UNBOUNDED, summed=True)


@metric(
    "Judged",
    formula=r"\frac{|\{r\le k: judged(r)\}|}{\min(k,L_{ret})}",
    source="ir_measures, Judged@k, where a negative grade counts as judged",
    unjudged=SEEN,
    primed=False,
    ideal=1.0,
    example="Judged@10",
    aliases=("judged",),
)
def judged(hits: Hits, k: Cutoff) -> np.ndarray:
    """Share of the top k documents that are judged. A shorter list is divided by its
    length, an empty one scores 0.
    """
    # not of the hits, which are the relevant documents alone
    judged = hits.retrieved.sum(lambda rank: (rank <= k).astype(float))
    return hits.per_list(judged / np.clip(hits.retrieved.length, 1, k))


@metric(
    "RBP_residual",
    formula=r"(1-p)\sum_{r:\,unjudged(r)}p^{\,r-1}+p^{L_{ret}}",
    source="Moffat & Zobel 2008, Section 3",
    unjudged=SEEN,
    primed=False,
    example="RBP_residual(p=0.95)",
)
def rbp_residual(hits: Hits, p: Persistence) -> np.ndarray:
    """Possible rise of RBP by unjudged documents and those that would follow the list.
    A run without the topic can rise by 1.
    """
    # the weights of all ranks sum to 1: the unjudged ones weigh 1 less the judged ones
    return hits.per_list(1 - (1 - p) * hits.retrieved.sum(lambda rank: p ** (rank - 1)))


@count(
    "NumRet",
    formula=r"L_{ret}",
    source="trec_eval 9.0.8, num_ret",
    unjudged="An unjudged document counts like any other.",
    aliases=("num_ret",),
)
def retrieved(hits: Hits) -> np.ndarray:
    """Documents retrieved, down to the depth at which lists are cut. Summed over
    topics.
    """
    return hits.per_list(hits.retrieved.length)


@count(
    "NumRel",
    formula=r"R",
    source="trec_eval 9.0.8, num_rel",
    unjudged="Independent of the lists.",
    aliases=("num_rel",),
)
def relevant(hits: Hits) -> np.ndarray:
    """Documents judged relevant, retrieved or not. Summed over topics; the same for
    every run.
    """
    return np.broadcast_to(hits.R, (hits.runs, hits.R.size))


@count(
    "NumRelRet",
    formula=r"count(L_{ret})",
    source="trec_eval 9.0.8, num_rel_ret",
    aliases=("num_rel_ret",),
)
def relevant_retrieved(hits: Hits) -> np.ndarray:
    """Relevant documents retrieved. Summed over topics."""
    return hits.sum()


@count(
    "NumNonrelRet",
    formula=r"|\{r: judged(r)\}|-count(L_{ret})",
    source="trec_eval 9.0.8, num_nonrel_judged_ret",
    unjudged=SEEN,
    aliases=("num_nonrel_judged_ret",),
)
def nonrelevant_retrieved(hits: Hits) -> np.ndarray:
    """Documents retrieved that are judged nonrelevant. Summed over topics."""
    return hits.per_list(hits.retrieved.judged) - hits.sum()


@count(
    "NumUnjudged",
    formula=r"|\{r: unjudged(r)\}|",
    source="Ahlgren & Grönqvist 2008, Tables 2-3",
    unjudged=SEEN,
)
def unjudged(hits: Hits) -> np.ndarray:
    """Documents retrieved that are not judged, in the pool or outside it. Summed over
    topics.
    """
    return hits.per_list(hits.retrieved.length - hits.retrieved.judged)


@count(
    "infNumRelRet",
    formula=r"\sum_s c_s\frac{rel_s+\epsilon}{n_s+3\epsilon}",
    source="NIST's sample_eval.pl, inum_rel_ret",
    unjudged=STANDS,
    aliases=("inum_rel_ret",),
)
def inferred_relevant_retrieved(hits: Hits) -> np.ndarray:
    """Relevant documents retrieved, estimated from a sample stratum by stratum. Summed
    over topics.
    """
    return estimated_retrieved(hits)


@count(
    "statR",
    formula=r"\sum_{d\ drawn}\frac{isrel(d)}{\pi_d}",
    source="Horvitz & Thompson 1952; NIST's sample_eval.pl, inum_rel",
    unjudged=STANDS,
    aliases=("inum_rel",),
)
def stat_relevant(hits: Hits) -> np.ndarray:
    """Relevant documents in the pool, retrieved or not, estimated without bias from a
    sample. Summed over topics.
    """
    return np.tile(estimated_relevant(hits.topics), (hits.runs, 1))
