"""The swap method against loops in whole fractions with the same topic sets, at its
edges, and against what must hold.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval.core.errors import ParamError
from irmeval.stats.correlation import tau_b, tau_of_long
from irmeval.stats.swap_rates import BINS, SwapCounts, error_rates, find_required_difference, swap
from irmeval.stats.topic_sets import random_orders

TRIALS = 80
fractions = st.integers(0, 20).map(lambda k: k / 20)


def by_loops(scores: np.ndarray, size: int) -> tuple[list[int], list[int], list[int], Fraction]:
    """Comparisons and swaps per bin, swaps per pair, and the highest mean, as the paper
    has them.
    """
    order = random_orders(np.random.default_rng(1), TRIALS, scores.shape[1])
    comparisons, swaps = [0] * BINS, [0] * BINS
    of_pairs, highest = [], -1
    # scores are multiples of 1/20, and means of 1/(20 size); floats that stand for them must not
    # part them
    exact = [[round(20 * v) for v in row] for row in scores.tolist()]
    for x, y in combinations(exact, 2):
        count = 0
        for row in order.tolist():
            first, second = row[:size], row[size : 2 * size]
            sums = [[sum(s[t] for t in topics) for s in (x, y)] for topics in (first, second)]
            highest = max(highest, *sums[0], *sums[1])
            D, D_ = (of_x - of_y for of_x, of_y in sums)
            bin = min(100 * abs(D) // (20 * size), BINS - 1)
            comparisons[bin] += 1
            if D * D_ < 0:
                swaps[bin] += 1
                count += 1
        of_pairs.append(count)
    return comparisons, swaps, of_pairs, Fraction(highest, 20 * size)


@pytest.mark.parametrize(("topics", "size"), [(2, 1), (3, 1), (7, 3), (10, 5), (12, 2)])
def test_swap_when_scores_are_coarse_then_it_equals_loops_exactly(topics: int, size: int) -> None:
    # 91 pairs: more than are worked on at once
    scores = np.random.default_rng(topics).integers(0, 21, size=(14, topics)) / 20
    scores[1] = scores[0]
    comparisons, swaps, of_pairs, highest = by_loops(scores, size)
    found = swap(scores, size=size, trials=TRIALS)
    assert found.comparisons.tolist() == comparisons
    assert found.swaps.tolist() == swaps
    assert found.of_pairs.tolist() == [count / TRIALS for count in of_pairs]
    assert found.highest == pytest.approx(float(highest), rel=1e-15)
    assert found.error_rate == pytest.approx(sum(swaps) / sum(comparisons), rel=1e-15)


def test_swap_when_no_size_is_given_then_each_set_has_half_of_the_topics() -> None:
    scores = np.random.default_rng(2).random((4, 9))
    assert all((a == b).all() for a, b in zip(swap(scores), swap(scores, size=4), strict=True))


def test_swap_when_measures_are_computed_together_then_each_is_as_alone() -> None:
    scores = np.random.default_rng(2).random((3, 5, 8))
    together = swap(scores, trials=TRIALS)
    for m, alone in enumerate(scores):
        assert all(
            (a[m] == b).all() for a, b in zip(together, swap(alone, trials=TRIALS), strict=True)
        )


def test_swap_when_two_runs_are_identical_then_none_swaps_and_all_are_in_the_first_bin() -> None:
    row = np.random.default_rng(0).random(31)
    found = swap(np.stack([row, row]))
    assert found.comparisons.tolist() == [1000] + [0] * 20
    assert found.swaps.sum() == 0
    assert np.isnan(found.rate[1:]).all()
    assert np.isnan(find_required_difference(found)).all()  # there is no pair to tell apart


def test_swap_when_identical_runs_stand_anywhere_then_rounding_makes_no_swap() -> None:
    scores = np.random.default_rng(1).random((40, 50))
    scores[[3, 17, 39]] = scores[8]
    a, b = np.triu_indices(40, 1)
    same = np.isin(a, [3, 8, 17, 39]) & np.isin(b, [3, 8, 17, 39])
    assert (swap(scores, trials=200).of_pairs[same] == 0).all()


def test_swap_when_the_difference_never_varies_then_one_bin_holds_everything() -> None:
    found = swap(np.stack([np.full(10, 0.55), np.full(10, 0.5)]))
    assert found.comparisons.tolist() == [0] * 5 + [1000] + [0] * 15
    assert find_required_difference(found) == (pytest.approx(0.05), pytest.approx(0.05 / 0.55), 1)


def test_required_when_all_runs_tie_by_one_measure_then_it_is_undefined_for_that_alone() -> None:
    needed = find_required_difference(
        swap(np.stack([np.zeros((2, 4)), np.outer([0.9, 0.1], np.ones(4))]))
    )
    assert all(
        np.isnan(values).tolist() == [True, False]
        for values in (needed.difference, needed.sensitivity)
    )


def made(comparisons: list[int], swaps: list[int]) -> SwapCounts:
    return SwapCounts(
        np.array(comparisons), np.array(swaps), np.zeros(1), np.array(0.5), np.array(True)
    )


def test_required_when_a_bin_further_up_is_over_then_the_difference_is_above_it() -> None:
    needed = find_required_difference(made([100, 100, 100, 100], [50, 0, 6, 5]))
    assert needed == (pytest.approx(0.03), pytest.approx(0.06), 0.25)


def test_required_when_bins_are_empty_then_they_are_passed_over() -> None:
    needed = find_required_difference(made([100, 0, 100, 0, 0], [50, 0, 5, 0, 0]))
    assert needed.difference == pytest.approx(0.02)
    assert needed.sensitivity == 0.5


def test_required_when_no_bin_keeps_to_the_threshold_then_undefined_and_none_told_apart() -> None:
    needed = find_required_difference(made([100, 100, 0], [50, 6, 0]))
    assert np.isnan(needed.difference)
    assert np.isnan(needed.relative)
    assert needed.sensitivity == 0


@pytest.mark.parametrize("size", [0, 6])
def test_swap_when_two_sets_cannot_be_disjoint_then_refuses(size: int) -> None:
    with pytest.raises(ParamError, match="size: expected from 1 to 5"):
        swap(np.zeros((2, 10)), size=size)


def test_swap_when_asked_for_no_trial_then_refuses() -> None:
    with pytest.raises(ParamError, match="trials: expected at least 1"):
        swap(np.zeros((2, 10)), trials=0)


def test_swap_when_nothing_differs_but_by_chance_then_half_of_the_comparisons_swap() -> None:
    scores = np.random.default_rng(3).normal(size=(300, 40))
    assert swap(scores, trials=50).error_rate == pytest.approx(0.5, abs=0.02)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_tau_of_long_when_both_can_be_computed_then_equals_tau_b(
    pairs: list[tuple[int, int]],
) -> None:
    x, y = np.array(pairs, float).T
    both = np.array([x, y])
    assert tau_of_long(both) == pytest.approx(tau_b(both[:, None], both), abs=1e-12, nan_ok=True)


def test_tau_of_long_when_a_value_is_missing_then_so_is_tau() -> None:
    missing, known = tau_of_long([np.array([1, np.nan, 3]), np.arange(3)])
    assert np.isnan(missing).all()
    assert known.tolist() == [pytest.approx(np.nan, nan_ok=True), 1]


@pytest.mark.parametrize(
    ("systems", "topics", "levels"), [(6, 8, 3), (12, 21, 100), (300, 5, 1000)]
)
def test_error_rates_when_sizes_are_many_then_each_is_that_of_its_swaps(
    systems: int, topics: int, levels: int
) -> None:
    scores = np.random.default_rng(systems).integers(0, levels, size=(2, systems, topics)) / levels
    sizes = range(1, topics // 2 + 1)
    found = error_rates(scores, sizes, trials=40, seed=3)
    assert found.tolist() == [
        [float(swap(s, size=n, trials=40, seed=3).error_rate) for n in sizes] for s in scores
    ]
    with pytest.raises(ParamError, match="size: expected from 1"):
        error_rates(scores, [topics])


def test_swap_when_topics_are_drawn_with_replacement_then_it_equals_loops_over_both_sets():
    scores = np.random.default_rng(3).integers(0, 21, size=(4, 5)) / 20
    exact = [[round(20 * v) for v in row] for row in scores.tolist()]
    found = swap(scores, size=7, trials=TRIALS, replace=True)  # more than there are topics
    drawn = np.random.default_rng(1).integers(5, size=(TRIALS, 14)).tolist()
    comparisons, swaps, of_pairs = [0] * BINS, [0] * BINS, []
    for x, y in combinations(exact, 2):
        count = 0
        for row in drawn:
            first, second = (sum(x[t] - y[t] for t in topics) for topics in (row[:7], row[7:]))
            at = min(100 * abs(first) // (20 * 7), BINS - 1)
            comparisons[at] += 1
            swaps[at] += first * second < 0
            count += first * second < 0
        of_pairs.append(count / TRIALS)
    assert found.comparisons.tolist() == comparisons
    assert found.swaps.tolist() == swaps
    assert found.of_pairs.tolist() == of_pairs
    [rate] = error_rates(scores, (7,), trials=TRIALS, replace=True)
    assert rate == pytest.approx(sum(swaps) / sum(comparisons))
    with pytest.raises(ParamError, match="from 1 to 2 topics"):
        swap(scores, size=7, trials=TRIALS)
