"""The order that puts similar things side by side, against clustering in plain
loops.
"""

from itertools import pairwise, product
from statistics import mean

import numpy as np
import pytest

from irmeval.stats.orderings import order_by_similarity


def leaves(tree):
    return [tree] if isinstance(tree, int) else leaves(tree[0]) + leaves(tree[1])


def merged(near, n):
    """Join the two clusters that are nearest in the mean over their members until one
    is left: a tree of pairs.
    """
    clusters = list(range(n))
    while len(clusters) > 1:
        pairs = [(a, b) for i, a in enumerate(clusters) for b in clusters[i + 1 :]]
        a, b = max(
            pairs,
            key=lambda pair: mean(
                [near(i, j) for i, j in product(leaves(pair[0]), leaves(pair[1]))]
            ),
        )
        clusters = [c for c in clusters if c not in (a, b)] + [(a, b)]
    return clusters[0]


def allowed(tree):
    """Every order of the leaves in which the members of each cluster stand together."""
    if isinstance(tree, int):
        return [[tree]]
    a, b = (allowed(branch) for branch in tree)
    return [x + y for first, second in ((a, b), (b, a)) for x in first for y in second]


@pytest.mark.parametrize("seed", range(20))
def test_alike_when_compared_with_loops_then_is_the_best_order_that_average_linkage_allows(seed):
    n, similarity = 6, np.random.default_rng(seed).uniform(-1, 1, (6, 6))
    similarity[1, 2] = np.nan if seed % 4 == 0 else similarity[1, 2]

    def near(i, j):
        return mean(0 if np.isnan(s) else s for s in (similarity[i, j], similarity[j, i]))

    orders = allowed(merged(near, n))
    closeness = [sum(near(a, b) for a, b in pairwise(order)) for order in orders]
    found = order_by_similarity(similarity).tolist()
    assert found in orders
    assert closeness[orders.index(found)] == pytest.approx(max(closeness))


def test_alike_when_things_form_two_groups_then_each_stands_together() -> None:
    group = np.array([0, 1, 0, 1, 1, 0])
    order = order_by_similarity(np.where(group[:, None] == group, 0.9, 0.1))
    assert sorted(order) == list(range(6))
    assert np.count_nonzero(np.diff(group[order])) == 1


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_alike_when_there_is_hardly_anything_or_nothing_defined_then_an_order_comes(n: int) -> None:
    assert sorted(order_by_similarity(np.full((n, n), np.nan))) == list(range(n))
