"""Binary preference: how often a judged nonrelevant document stands above a relevant one."""

import numpy as np

from irmeval.hits import Hits
from irmeval.metrics.base import IGNORED, metric


def _bpref(hits: Hits, cap: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(1/R) sum of 1 - min(n, cap)/scale over the relevant retrieved, where the term is 1 with nothing above (n = 0)."""
    n = np.minimum(hits.nonrelevant, hits.of_topic(cap))
    return hits.sum(1 - n / np.maximum(hits.of_topic(scale), 1)) / hits.R


@metric(
    "Bpref",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),R)}{\min(R,N)}",
    source="trec_eval 9.0.8, bpref; Buckley & Voorhees 2004",
    unjudged=IGNORED,
    primed=False,
    ideal=1.0,
    aliases=("bpref",),
)
def bpref(hits: Hits) -> np.ndarray:
    """Share of the first R judged nonrelevant documents that a relevant one beats, averaged over the relevant ones. With no nonrelevant document judged it is recall."""
    return _bpref(hits, hits.R, np.minimum(hits.R, hits.N))


@metric(
    "Bpref_R",
    formula=r"\frac1R\sum_{d}1-\frac{\min(n(d),R)}{R}",
    source="Sakai 2007 (alternatives to bpref), Eq. 1; Sakai & Kando 2008, Eq. 5",
    unjudged=IGNORED,
    primed=False,
    ideal=1.0,
)
def bpref_r(hits: Hits) -> np.ndarray:
    """Bpref scaled by the number of relevant documents, for topics with more nonrelevant than relevant ones judged."""
    return _bpref(hits, hits.R, hits.R)


@metric(
    "Bpref_N",
    formula=r"\frac1R\sum_{d}1-\frac{n(d)}{N}",
    source="Sakai 2007 (alternatives to bpref); bpref_allnonrel of trec_eval 8",
    unjudged=IGNORED,
    primed=False,
    ideal=1.0,
)
def bpref_n(hits: Hits) -> np.ndarray:
    """Share of all judged nonrelevant documents that a relevant one beats, averaged over the relevant ones. It is not top-heavy."""
    return _bpref(hits, hits.N, hits.N)
