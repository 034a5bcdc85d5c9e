"""Expected scores over ties against every order tried out."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval.stats.tied_lists import Tied

GROUPS = st.lists(
    st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=1, max_size=4), min_size=1, max_size=3
)


def orders(groups):
    """Every ranked list that the ties allow."""
    return [
        list(itertools.chain(*one))
        for one in itertools.product(*(itertools.permutations(g) for g in groups))
    ]


def scores(gains, R, ideal, depth):
    """P@3, AP, RR, nDCG of one ranked list, by their definitions."""
    relevant = [gain > 0 for gain in gains[:depth]]
    found = [r for r, yes in enumerate(relevant, 1) if yes]
    ap = sum(sum(relevant[:r]) / r for r in found) / R
    dcg = sum(gain / math.log2(r + 1) for r, gain in enumerate(gains[:depth], 1))
    return sum(relevant[:3]) / 3, ap, 1 / found[0] if found else 0.0, dcg / ideal


@given(st.lists(GROUPS, min_size=1, max_size=3), st.integers(1, 12))
def test_expectation_when_every_order_is_tried_then_is_their_mean(lists, depth):
    R, ideal = np.arange(1.0, len(lists) + 1) + 2, np.arange(1.0, len(lists) + 1) * 1.5
    flat = [
        (i, j, gain)
        for i, groups in enumerate(lists)
        for j, group in enumerate(groups)
        for gain in group
    ]
    number = {key: n for n, key in enumerate(dict.fromkeys((i, j) for i, j, _ in flat))}
    tied = Tied(
        np.array([i for i, _, _ in flat]),
        np.array([number[i, j] for i, j, _ in flat]),
        np.array([gain for _, _, gain in flat], float),
        len(lists),
        depth,
    )
    found = np.array(
        [tied.precision(3), tied.average_precision(R), tied.reciprocal_rank(), tied.ndcg(ideal)]
    )
    for i, groups in enumerate(lists):
        tried = [scores(gains, R[i], ideal[i], depth) for gains in orders(groups)]
        np.testing.assert_allclose(found[:, i], np.mean(tried, axis=0), rtol=0, atol=1e-12)


def test_expectation_when_a_list_is_empty_then_is_zero():
    tied = Tied(np.array([1, 1]), np.array([0, 0]), np.array([1.0, 0.0]), 3, 10)
    assert tied.reciprocal_rank().tolist() == [0, 0.75, 0]
    assert tied.precision(10).tolist() == pytest.approx([0, 0.1, 0])


def test_expectation_when_a_thousand_are_tied_then_is_that_of_a_random_order():
    n, R = 1000, 50
    gain = np.zeros(n)
    gain[:R] = 1
    tied = Tied(np.zeros(n, int), np.zeros(n, int), gain, 1, n)
    # one relevant of n at a random place, then the others: the sum over places has this closed form
    harmonic = sum(1 / k for k in range(1, n + 1))
    expected = ((R - 1) / (n - 1) * (n - harmonic) + harmonic) / n
    assert tied.average_precision(np.array([R])).item() == pytest.approx(expected, rel=1e-12)
