"""An order in which alike things stand side by side."""

import numpy as np


def alike(similarity: np.ndarray) -> np.ndarray:
    """Order [n] of n things from how similar each two are [n, n], 1 = the same: the leaves of average-linkage clustering.

    Of the orders that the tree allows, the one with the most similar neighbours (Bar-Joseph, Gifford & Jaakkola 2001). What is
    undefined (NaN) counts as 0; a matrix that is not symmetric counts as the mean of both sides.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = len(similarity)
    if n < 3:
        return np.arange(n)
    near = np.nan_to_num(similarity)
    distance = 1 - (near + near.T) / 2
    np.fill_diagonal(distance, 0)
    order: np.ndarray = leaves_list(linkage(squareform(np.maximum(distance, 0), checks=False), "average", optimal_ordering=True))
    return order
