"""Correlations of orders of the pairs of systems by different measures of certainty.

Also an order that puts similar things side by side.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from irmeval.core.lazy import distance, hierarchy
from irmeval.stats.correlation import tau_of_long
from irmeval.stats.significance import APART, compare
from irmeval.stats.swap_rates import swap
from irmeval.stats.topic_sets import stability

MINORITY = "minority rate"
"""Name of the minority rate."""
SWAP = "swap rate"
"""Name of the swap rate."""
ORDERINGS = (*APART, MINORITY, SWAP)


def compare_orderings(
    values: np.ndarray,
    which: Sequence[str] = ORDERINGS,
    *,
    fuzziness: float,
    size: int | None,
    sets: int,
    samples: int,
    seed: int,
) -> np.ndarray:
    """Kendall's tau-b between orders of the pairs of systems [ordering, ordering], from
    scores [system, topic].

    Pairs are ordered by the p of each test with `samples`, by minority rate at
    `fuzziness`, and by swap rate; both rates over `sets` topic sets of a `size`. NaN
    where an ordering ties all pairs, and for orderings that `which` lacks.
    """
    unsure = {
        test: compare(values, test, samples=samples, seed=seed).p for test in APART if test in which
    }
    if MINORITY in which:
        unsure[MINORITY] = stability(
            values, size=size, sets=sets, seed=seed, fuzziness=(fuzziness,)
        ).minority_of_pairs[0]
    if SWAP in which:
        unsure[SWAP] = swap(values, size=size, trials=sets, seed=seed).of_pairs
    tau = np.full((len(ORDERINGS), len(ORDERINGS)), np.nan)
    asked = [i for i, ordering in enumerate(ORDERINGS) if ordering in unsure]
    tau[np.ix_(asked, asked)] = tau_of_long([unsure[ORDERINGS[i]] for i in asked])
    return tau


Orders = dict[tuple[int, int], tuple[float, list[int]]]
"""Best orders of a cluster: (first leaf, last leaf) -> the summed similarity of
neighbours, and the order.
"""


def order_by_similarity(similarity: np.ndarray) -> np.ndarray:
    """Order [n] of n items by their similarity [n, n], 1 = the same: the leaves of
    average-linkage clustering.

    Of the orders that the tree allows, it is the one with the most similar neighbours
    (Bar-Joseph, Gifford & Jaakkola 2001). NaN counts as 0; of a matrix that is not
    symmetric, the mean of both sides counts.
    """
    n = len(similarity)
    if n < 3:
        return np.arange(n)
    near = np.nan_to_num(similarity)
    near = (near + near.T) / 2
    apart = np.maximum(1 - near, 0)
    np.fill_diagonal(apart, 0)
    tree = hierarchy.to_tree(hierarchy.linkage(distance.squareform(apart, checks=False), "average"))
    return np.array(max(_orders(tree, near.tolist()).values())[1])


def _orders(tree: Any, near: list[list[float]]) -> Orders:
    """The best order of a cluster for each pair of ends; SciPy's own search misses some
    (SciPy issue 11227).
    """
    if tree.is_leaf():
        return {(tree.id, tree.id): (0.0, [tree.id])}
    left, right, best = _orders(tree.left, near), _orders(tree.right, near), Orders()
    for (first, end), (before, x) in left.items():
        for (begin, last), (after, y) in right.items():
            total = before + near[end][begin] + after
            if (first, last) not in best or total > best[first, last][0]:
                best[first, last] = total, x + y
    return best | {
        (last, first): (total, order[::-1]) for (first, last), (total, order) in best.items()
    }
