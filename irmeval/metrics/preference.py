"""Binary preference: how often a judged nonrelevant document is above a relevant
one.
"""

from functools import partial

import numpy as np

from irmeval.metrics.base import IGNORED, metric
from irmeval.metrics.hits import Hits

preference = partial(metric, unjudged=IGNORED, primed=False, ideal=1.0, divides_by="R")


def _bpref(hits: Hits, cap: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(1/R) sum of 1 - min(n, cap)/scale over the relevant retrieved, where the term is
    1 with nothing above (n = 0); cap per topic, scale per topic or list.
    """
    # where nothing nonrelevant is judged, nothing is above either: each term is 1, as in trec_eval
    return (
        hits.sum()
        - hits.sum(np.minimum(hits.nonrelevant, hits.of_topic(cap))) / np.maximum(scale, 1)
    ) / hits.R


@preference(
    "Bpref",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),R)}{\min(R,N)}",
    source=(
        "trec_eval 9.0.8, bpref; Buckley & Voorhees 2004; Sakai 2007 (alternatives to bpref), Eqs."
        " 1 and 9"
    ),
    aliases=("bpref", "BPref"),
)
def bpref(hits: Hits) -> np.ndarray:
    """Share of the first R judged nonrelevant documents below a relevant one, averaged
    over the relevant ones. Without any it is recall.
    """
    return _bpref(hits, hits.R, np.minimum(hits.R, hits.N))


@preference(
    "Bpref_R",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),R)}{R}",
    source="Sakai 2007 (alternatives to bpref), after Eq. 9; Sakai & Kando 2008, Eq. 6",
)
def bpref_r(hits: Hits) -> np.ndarray:
    """Bpref scaled only by the number of relevant documents. It equals Bpref if at
    least R nonrelevant documents are judged.
    """
    return _bpref(hits, hits.R, hits.R)


@preference(
    "Bpref_N",
    formula=r"\frac1R\sum_{d}1-\frac{n(d)}{N}",
    source="Sakai 2007 (alternatives to bpref), after Eq. 9; bpref_allnonrel of trec_eval 8",
    aliases=("bpref_allnonrel",),
)
def bpref_n(hits: Hits) -> np.ndarray:
    """Share of all judged nonrelevant documents that a relevant one beats, averaged
    over the relevant ones. It is not top-heavy.
    """
    return _bpref(hits, hits.N, hits.N)


@preference(
    "RankEff",
    formula=r"\frac1R\sum_{d}\frac{N-n(d)}{N}",
    source=(
        "Ahlgren & Grönqvist 2008, Sections 4.2-4.3; equal to Bpref_N (Sakai & Kando 2008,"
        " Section 2)"
    ),
)
def rank_effectiveness(hits: Hits) -> np.ndarray:
    """Share of judged nonrelevant documents below a relevant one or not retrieved,
    averaged over the relevant. Without any it is recall.
    """
    # not by `bpref_n`, which it equals: tests hold the two formulas against each other
    N = np.maximum(hits.of_topic(hits.N), 1)
    return hits.sum((N - hits.nonrelevant) / N) / hits.R


@preference(
    "Bpref_10",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),10+R)}{10+R}",
    source="Buckley & Voorhees 2004, bpref-10; Ahlgren & Grönqvist 2008, Section 4.1",
)
def bpref_10(hits: Hits) -> np.ndarray:
    """Share of the first 10 + R judged nonrelevant documents that a relevant one beats,
    averaged over the relevant ones. It is meant for topics with one or two relevant
    documents, where Bpref is coarse.
    """
    return _bpref(hits, hits.R + 10, hits.R + 10)


@preference(
    "Bpref_old",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),R)}{\min(R,N_{ret})}",
    source=(
        "trec_eval before version 8, bpref (bpref_bug since); Sakai 2007 (alternatives to bpref),"
        " at Eq. 9"
    ),
)
def bpref_old(hits: Hits) -> np.ndarray:
    """Bpref as formerly computed by trec_eval, scaled by the judged nonrelevant
    documents retrieved instead of all. It penalises a list with few of them, and is
    included for comparison.
    """
    return _bpref(
        hits, hits.R, np.minimum(hits.R, hits.per_list(hits.retrieved.judged) - hits.sum())
    )


@preference(
    "Bpref_relative",
    formula=r"\frac1R\sum_{r'>1} isrel(r')\left(1-\frac{r'-count(r')}{r'-1}\right)",
    source="Sakai 2007 (alternatives to bpref), Eq. 18; NTCIREVAL, bpref_relative",
    ideal=None,
    top_heavy=True,
)
def bpref_relative(hits: Hits) -> np.ndarray:
    """Share of relevant documents among those judged above a relevant one, averaged. At
    rank 1 it is 0: an ideal list scores (R-1)/R.
    """
    # flawed on purpose, as published: nothing is above rank 1, so that its document adds nothing
    above = hits.condensed_rank - 1
    return hits.sum(1 - hits.nonrelevant / np.maximum(above, 1), where=above > 0) / hits.R


@preference(
    "Bpref_relative2",
    formula=r"\frac1R\sum_{r'} isrel(r')\left(1-\frac{r'-count(r')}{r'}\right)",
    source="Sakai 2007 (alternatives to bpref), Section 4; equal to AP'",
    top_heavy=True,
)
def bpref_relative2(hits: Hits) -> np.ndarray:
    """Bpref_relative with the document itself among the judged ones, which corrects
    rank 1. It equals AP'.
    """
    return hits.sum(1 - hits.nonrelevant / hits.condensed_rank) / hits.R
