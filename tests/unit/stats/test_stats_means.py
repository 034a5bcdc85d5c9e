"""Exact sums beside `math.fsum`, and ties beside a loop."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval.stats.means import best_first, dense_ranks, exact_sum, mean_of_known, rank_scores, tied

FLOATS = (
    st.floats(-1e300, 1e300) | st.floats(-1, 1) | st.sampled_from([0.1, 0.2, 0.3, 5e-324, -1e-30])
)
NEAR = st.sampled_from([0, 1, 1 + 6e-11, 1 + 1.2e-10, 1 + 3e-10, 2, -1, -1 - 6e-11, -1 - 3e-10])
"""Values that tie with some of the others, also by way of a third."""


@given(st.lists(st.lists(FLOATS, min_size=6, max_size=6), max_size=4), st.permutations(range(6)))
def test_sum_when_values_are_of_any_size_then_is_rounded_once_in_any_order(rows, order):
    values = np.array(rows).reshape(-1, 6)
    assert (
        exact_sum(values).tolist()
        == exact_sum(values[:, order]).tolist()
        == [math.fsum(row) for row in rows]
    )


@pytest.mark.parametrize("shape", [(126, 250), (3, 40, 7), (5, 0), (2, 3000)])
def test_sum_when_there_are_many_values_then_is_that_of_each_row(shape):
    values = np.random.default_rng(3).beta(0.2, 2, shape)
    expected = [math.fsum(row) for row in values.reshape(math.prod(shape[:-1]), shape[-1]).tolist()]
    assert exact_sum(values).ravel().tolist() == expected


def test_sum_when_it_is_infinite_or_unknown_then_it_says_so():
    assert exact_sum(np.array([[np.inf, 1.0], [1e308, 1.0]])).tolist() == [np.inf, 1e308]
    assert np.isnan(exact_sum(np.array([[np.nan, 1.0]]))).all()


def test_mean_when_some_scores_are_missing_then_is_of_the_others():
    assert mean_of_known(np.array([[0.1, np.nan, 0.2, 0.3], [np.nan] * 4])).tolist() == [
        0.6 / 3,
        pytest.approx(np.nan, nan_ok=True),
    ]


def tied_by_loop(values):
    """The lowest value of the tie of each, in exact arithmetic."""
    lowest, before = {}, None
    for value in sorted(set(values)):
        a, b = (None if before is None else Fraction(before)), Fraction(value)
        lowest[value] = (
            lowest[before]
            if before is not None and b - a <= Fraction(1e-10) * max(abs(a), abs(b))
            else value
        )
        before = value
    return [lowest[value] for value in values]


@given(st.lists(NEAR, min_size=1, max_size=12))
def test_ties_when_neighbours_are_near_then_are_those_of_a_loop(values):
    found = tied(np.array(values, float)).tolist()
    assert found == tied_by_loop(values)
    assert rank_scores(np.array(values, float)).tolist() == [
        1 + sum(other > own for other in found) for own in found
    ]
    assert dense_ranks(np.array(values, float)).tolist() == [
        sorted(set(found)).index(own) for own in found
    ]
    assert best_first(np.array(values, float)).tolist() == sorted(
        range(len(found)), key=lambda i: -found[i]
    )


def test_ties_when_a_value_is_unknown_or_rounding_is_told_then_are_of_the_others():
    values = np.array([[np.nan, 0.5, np.nan, 0.5 + 1e-12, np.inf, np.inf, 1e-17, -1e-17]])
    assert np.array_equal(
        tied(values), [[np.nan, 0.5, np.nan, 0.5, np.inf, np.inf, 1e-17, -1e-17]], equal_nan=True
    )
    assert tied(values, noise=1e-15)[0, 6:].tolist() == [-1e-17, -1e-17]
    assert best_first(values).tolist() == [[4, 5, 1, 3, 6, 7, 0, 2]]


def test_sum_when_its_digits_are_in_three_parts_then_it_is_rounded_once():
    values = [1.0, 2.0**-53, 2.0**-106]
    assert exact_sum(np.array(values)) == math.fsum(values) > 1


@pytest.mark.parametrize(("apart", "tie"), [(1e-12, True), (5e-11, True), (1e-9, False)])
def test_values_when_apart_by_a_tiny_share_then_they_tie(apart, tie):
    assert (len({*tied(np.array([0.3, 0.3 * (1 + apart), 0.5])).tolist()}) == 2) is tie
