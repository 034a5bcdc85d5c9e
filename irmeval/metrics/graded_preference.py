"""Graded preference: how much better a relevant document is than those above it."""

from functools import partial

import numpy as np

from irmeval.metrics.base import IGNORED, metric
from irmeval.metrics.hits import Hits

PENALTY = r"pen(r')=\sum_{i<r',\,g(i)<g(r')}\frac{g(r')-g(i)}{g(r')}"
graded_preference = partial(
    metric, unjudged=IGNORED, primed=False, graded=True, divides_by="ideal gain"
)


def _penalty(hits: Hits) -> np.ndarray:
    """At each hit, the documents of lower gain above it in the condensed list, each by
    how much lower as a share of the hit's gain.
    """
    penalty = hits.nonrelevant.astype(float)
    # the lowest grade is passed over: above it only nonrelevant documents gain less
    for grade in np.flatnonzero(np.bincount(hits.grade))[1:]:
        lower = hits.grade < grade
        n, gain = hits.so_far(lower.astype(np.int64)), hits.so_far(np.where(lower, hits.gain, 0.0))
        here = hits.grade == grade
        penalty[here] += n[here] - gain[here] / hits.gain[here]
    return penalty


@graded_preference(
    "rpref_N",
    formula=(
        r"\frac{1}{cg_I(R)}\sum_{r'}"
        rf" g(r')\left(1-\frac{{pen(r')}}{{R+N-cg_I(R)/H}}\right),\quad {PENALTY}"
    ),
    source=(
        "Sakai 2007 (alternatives to bpref), Eq. 2; De Beer & Moens 2006; NTCIREVAL, rpref_N, with"
        " H over all topics"
    ),
    ideal=1.0,
)
def rpref_n(hits: Hits) -> np.ndarray:
    """Graded Bpref_N: a relevant document counts by its gain, minus a penalty for each
    document above it that gains less. With one level of relevance it is Bpref_N.
    """
    scale = hits.of_topic(hits.R + hits.N - hits.topics.total / hits.H)
    # nothing can be penalised where there is nothing but documents of gain H
    return (
        hits.sum(hits.gain * (1 - _penalty(hits) / np.where(scale > 0, scale, 1)))
        / hits.topics.total
    )


@graded_preference(
    "rpref_relative",
    formula=(
        r"\frac{1}{cg_I(R)}\sum_{r'>1} g(r')\left(1-\frac{pen(r')}{r'-1}\right),\quad"
        rf" {PENALTY}"
    ),
    source="Sakai 2007 (alternatives to bpref), Eqs. 7 and 17; NTCIREVAL, rpref_relative",
    top_heavy=True,
)
def rpref_relative(hits: Hits) -> np.ndarray:
    """Graded Bpref_relative. A relevant document at the top adds nothing, so an ideal
    list scores (cgI(R) - gI(1))/cgI(R).
    """
    above = hits.condensed_rank - 1
    return (
        hits.sum(hits.gain * (1 - _penalty(hits) / np.maximum(above, 1)), where=above > 0)
        / hits.topics.total
    )


@graded_preference(
    "rpref_relative2",
    formula=(
        r"\frac{1}{cg_I(R)}\sum_{r'} g(r')\left(1-\frac{pen(r')}{r'}\right),\quad" rf" {PENALTY}"
    ),
    source="Sakai 2007 (alternatives to bpref), Section 4; NTCIREVAL, rpref_relative2",
    ideal=1.0,
    top_heavy=True,
)
def rpref_relative2(hits: Hits) -> np.ndarray:
    """rpref_relative with the document itself among those compared, which corrects rank
    1. With one level of relevance it is AP'.
    """
    return hits.sum(hits.gain * (1 - _penalty(hits) / hits.condensed_rank)) / hits.topics.total
