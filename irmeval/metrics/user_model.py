"""Metrics of a user who reads down the list, independent of documents that were not
retrieved.
"""

from typing import Annotated

import numpy as np

from irmeval.core.params import Param
from irmeval.metrics.base import OptionalCutoff, metric
from irmeval.metrics.hits import Hits
from irmeval.reading.lines import HIGHEST_GRADE

Persistence = Annotated[
    float,
    Param(
        "persistence p",
        "Probability that the user continues to the next document.",
        low=0.01,
        high=0.99,
    ),
]
_TOP = Param(
    "top grade",
    "Grade that stops most users; higher ones are treated as equal. Empty: the highest of the"
    " qrels.",
    low=1,
    high=HIGHEST_GRADE,
)
TopGrade = Annotated[int | None, _TOP]


@metric(
    "RBP",
    formula=r"(1-p)\sum_r \frac{g(r)}{H}\,p^{\,r-1}",
    source="Moffat & Zobel 2008; graded as in Sakai & Kando 2008, Eq. 9",
    unjudged=(
        "An unjudged document counts as a nonrelevant one; the residual is its possible"
        " contribution."
    ),
    graded=True,
    top_heavy=True,
    example="RBP(p=0.95)",
)
def rbp(hits: Hits, p: Persistence) -> np.ndarray:
    """Expected gain per document seen by a user who continues with probability p. H is
    the highest gain; an ideal list need not score 1.
    """
    # ir_measures' RBP is binary: with flat gains this agrees with it
    return (1 - p) * hits.sum(hits.gain * hits.by_rank(lambda rank: p ** (rank - 1))) / hits.H


@metric(
    "ERR",
    formula=(
        r"\sum_{r\le k}\frac{s(r)}{r}\prod_{i<r}(1-s(i)),\quad"
        r" s(r)=\frac{2^{grade(r)}-1}{2^{grade_{max}}}"
    ),
    source=(
        "Chapelle et al. 2009, Eq. 4, with the top grade over all topics; gdeval and ir_measures"
        " fix it at 4, as ERR(top=4); NTCIREVAL's stop probability is another"
    ),
    graded=True,
    top_heavy=True,
    example="ERR@20",
    aliases=("err",),
)
def err(hits: Hits, top: TopGrade = None, k: OptionalCutoff = None) -> np.ndarray:
    """Expected reciprocal rank at which a user stops; a higher grade makes stopping
    more likely. Independent of gain maps.
    """
    # of the full qrels, so that a reduction that drops the top grade does not lift the others
    highest = top or hits.topics.collection.top_grade
    # the same, for grades whose power no float holds
    stop = np.exp2(np.minimum(hits.grade, highest) - highest) - np.exp2(-highest)
    # one row per list with hits, one column per hit: the chance of getting past the hits above
    start = hits.count == 1
    row, column = np.cumsum(start) - 1, hits.count.astype(np.intp)
    past = np.ones((np.count_nonzero(start), column.max(initial=0) + 1))
    past[row, column] = 1 - stop
    return hits.sum(stop / hits.rank * np.cumprod(past, axis=1)[row, column - 1])
