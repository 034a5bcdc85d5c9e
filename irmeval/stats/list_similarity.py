"""Similarity of two ranked lists that may contain different documents.

A list is given by the rank of each document of either list, from 1 without gaps; 0
where the document is not in it.
"""

import numpy as np

from irmeval.stats.correlation import tau_b
from irmeval.stats.pairs import check_share


def tau_union(original: np.ndarray, other: np.ndarray) -> float:
    """Kendall's tau of the union of two lists, from -1 to 1, of ranks [document]
    (Breuer et al. 2020).

    Documents are numbered as they first appear, in the original list and then in the
    other; tau is that of the numbers in the order of either list, down to the end of
    the shorter one. A document that the original lacks is placed after all of its
    documents. With the same documents in both it is Kendall's tau; without a common one
    it is 1. Not symmetric; NaN where a list has fewer than two documents.

    Examples
    --------
    The lists d1 d2 d3 d4 and d2 d5 d3 d6, of the documents d1 to d6:

    >>> import numpy as np
    >>> round(tau_union(np.array([1, 2, 3, 4, 0, 0]), np.array([0, 1, 3, 0, 2, 4])), 3)
    0.667
    """
    shorter = min(int(original.max(initial=0)), int(other.max(initial=0)))
    if shorter < 2:
        return float("nan")
    common = (other > 0) & (other <= shorter)
    number = np.where(original > 0, original, original.max() + other)
    return float(tau_b(number[common][None], other[common][None])[0])


def average_distance_measure(user: np.ndarray, system: np.ndarray) -> float:
    """Average distance measure (ADM), from 0 to 1, of a system's relevance scores
    [document]: 1 less the mean absolute distance to the user's, both from 0 to 1 (Della
    Mea & Mizzaro 2004). NaN without a document.

    It judges scores, not their order: a perfect ranking may have a lower ADM than its
    reverse, as in Sakai 2007 (reliability of graded relevance metrics), Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> user = np.array([0.3, 0.2, 0.1])
    >>> ranked, reversed_ = np.array([0.5, 0.4, 0.2]), np.array([0.1, 0.2, 0.3])
    >>> [round(3 * (1 - average_distance_measure(user, one)), 1) for one in (ranked, reversed_)]
    [0.5, 0.4]
    """
    return 1 - float(np.abs(user - system).mean()) if user.size else float("nan")


def rbo_of_lists(x: np.ndarray, y: np.ndarray, *, p: float) -> float:
    """Rank-biased overlap of two lists, from 0 to 1, of ranks [document]: the share of
    common documents down to a depth, averaged over depths with weights p^(depth - 1),
    down to the end of the longer list (Clarke, Vtyurina & Smucker 2021). NaN for two
    empty lists.

    It is neither the minimum nor the extrapolated value of Webber, Moffat & Zobel
    (2010): the weights down to the end of the longer list sum to 1, so that equal lists
    have 1.

    Examples
    --------
    >>> import numpy as np
    >>> # d1 d2 and d3 d1: (0 + 1/2 * 1/2) / (1 + 1/2)
    >>> round(rbo_of_lists(np.array([1, 2, 0]), np.array([2, 0, 1]), p=0.5), 3)
    0.167
    """
    check_share("p", p)
    end = int(max(x.max(initial=0), y.max(initial=0)))
    if not end:
        return float("nan")
    both = np.maximum(x, y)[(x > 0) & (y > 0)]
    depth = np.arange(1, end + 1)
    overlap = np.bincount(both, minlength=end + 1)[1:].cumsum() / depth
    return float(np.average(overlap, weights=p ** (depth - 1.0)))
