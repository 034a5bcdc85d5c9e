"""Rank correlations against SciPy, against loops in the papers' notation, and their
properties.
"""

from itertools import combinations, permutations, product
from math import ceil
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irmeval.core.errors import ParamError
from irmeval.stats.correlation import (
    CORRELATIONS,
    chance_of_w,
    count_disagreements,
    critical_tau,
    kendall_w,
    rbo,
    spearman,
    tau_a,
    tau_ap,
    tau_b,
    tau_of_disagreements,
)

ALL = [tau_a, tau_b, tau_of_disagreements, tau_ap, spearman, rbo]


def coarse(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 6, size=shape).astype(float)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ties", [True, False])
def test_tau_b_and_spearman_equal_scipy(stats: ModuleType, seed: int, ties: bool) -> None:
    x, y = coarse(2, 12, seed=seed) if ties else np.random.default_rng(seed).random((2, 12))
    assert tau_b(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, rel=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, rel=1e-12)


def test_tau_a_counts_pairs() -> None:
    x, y = coarse(2, 9)
    agree = [np.sign((x[i] - x[j]) * (y[i] - y[j])) for i, j in combinations(range(9), 2)]
    assert tau_a(x, y) == pytest.approx(sum(agree) / len(agree))


def tau_ap_of_orders(ranked: list[int], gold: list[int]) -> float:
    """Yilmaz, Aslam & Robertson (2008) for two lists without ties."""
    n = len(ranked)
    right = [
        sum(gold.index(above) < gold.index(ranked[i]) for above in ranked[:i]) / i
        for i in range(1, n)
    ]
    return 2 / (n - 1) * sum(right) - 1


def orders(scores: np.ndarray) -> list[list[int]]:
    """All orders of the systems by falling score: ties broken in every way."""
    groups = [np.flatnonzero(scores == s).tolist() for s in sorted(set(scores), reverse=True)]
    return [
        [i for group in choice for i in group]
        for choice in product(*(list(permutations(g)) for g in groups))
    ]


def test_tau_ap_when_untied_equals_the_formula() -> None:
    x, gold = np.random.default_rng(1).random((2, 10))
    assert tau_ap(x, gold) == pytest.approx(
        tau_ap_of_orders(orders(x)[0], orders(gold)[0]), rel=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_tau_ap_when_tied_is_the_mean_over_all_ways_to_break_ties(seed: int) -> None:
    x, gold = np.random.default_rng(seed).integers(0, 3, size=(2, 5)).astype(float)
    broken = [tau_ap_of_orders(a, b) for a in orders(x) for b in orders(gold)]
    assert len(broken) > 1
    assert tau_ap(x, gold) == pytest.approx(np.mean(broken), abs=1e-12)


def test_tau_ap_when_the_top_is_disordered_is_lower() -> None:
    gold = np.arange(10.0)[::-1]
    top, bottom = gold.copy(), gold.copy()
    top[[0, 1]], bottom[[8, 9]] = top[[1, 0]], bottom[[9, 8]]
    assert tau_a(top, gold) == tau_a(bottom, gold)
    assert tau_ap(top, gold) < tau_ap(bottom, gold) < 1


def test_rbo_equals_the_sum_over_depths() -> None:
    x, y = np.random.default_rng(2).random((2, 15))
    s, t, p = np.argsort(-x), np.argsort(-y), 0.8
    agreement = [len(set(s[:d]) & set(t[:d])) / d for d in range(1, 16)]
    extended = agreement + [1.0] * 400  # from depth 15 on, both have seen every system
    assert rbo(x, y, p=p) == pytest.approx(
        (1 - p) * sum(a * p**d for d, a in enumerate(extended)), rel=1e-12
    )


def test_rbo_when_tied_shares_the_rank() -> None:
    # depth 1: {a, b} and {a}: 2 of 3; depth 2: {a, b} and {a, b}; depth 3: all
    assert rbo(np.array([2.0, 2, 1]), np.array([3.0, 2, 1]), p=0.5) == pytest.approx(
        0.5 * 2 / 3 + 0.25 + 0.25
    )


def test_rbo_when_p_is_no_probability_is_refused() -> None:
    with pytest.raises(ParamError, match="p:"):
        rbo(np.arange(3), np.arange(3), p=1)


def sign(a: float, b: float) -> int:
    return (a > b) - (a < b)


def signs(x, y) -> list[tuple[int, int]]:
    """How each two systems stand in the one ranking and in the other."""
    return [(sign(x[i], x[j]), sign(y[i], y[j])) for i, j in combinations(range(len(x)), 2)]


def tau_b_oracle(x, y) -> float:
    both = signs(x, y)
    return (
        sum(a * b for a, b in both)
        / (sum(a != 0 for a, _ in both) * sum(b != 0 for _, b in both)) ** 0.5
    )


def tau_a_oracle(x, y) -> float:
    return sum(a * b for a, b in signs(x, y)) / len(signs(x, y))


def disagreements_oracle(x, y) -> float:
    return 1 - 2 * sum(a == -b != 0 for a, b in signs(x, y)) / len(signs(x, y))


def tau_ap_oracle(x, gold) -> float:
    """The first ranking is looked at from its top down; the second is taken as
    right.
    """
    values = []
    for ranked in orders(np.array(x)):
        right = []
        for i in range(1, len(ranked)):
            ties_half = [(1 + sign(gold[above], gold[ranked[i]])) / 2 for above in ranked[:i]]
            right.append(sum(ties_half) / i)
        values.append(2 / (len(x) - 1) * sum(right) - 1)
    return sum(values) / len(values)


def spearman_oracle(x, y) -> float:
    def ranks(scores):
        return [
            sum(other > s for other in scores) + (sum(other == s for other in scores) + 1) / 2
            for s in scores
        ]

    (a, b), mean = (ranks(x), ranks(y)), (len(x) + 1) / 2
    covariance, in_x, in_y = (
        sum((i - mean) * (j - mean) for i, j in zip(*two, strict=True))
        for two in ((a, b), (a, a), (b, b))
    )
    return covariance / (in_x * in_y) ** 0.5


def rbo_oracle(x, y, p=0.9) -> float:
    def top(scores, depth):
        return {i for i, s in enumerate(scores) if sum(other > s for other in scores) < depth}

    total = 0.0
    for depth in range(1, 500):
        s, t = top(x, depth), top(y, depth)
        total += (1 - p) * p ** (depth - 1) * 2 * len(s & t) / (len(s) + len(t))
    return total


ORACLES = {
    "tau_b": tau_b_oracle,
    "tau_a": tau_a_oracle,
    "disagreements": disagreements_oracle,
    "tau_ap": tau_ap_oracle,
    "spearman": spearman_oracle,
    "rbo": rbo_oracle,
}
ONE_SIDED = {"tau_ap"}
"""Those that take the second ranking for the right one."""


def test_critical_value_when_it_is_kendalls_then_goes_with_his_taus_alone() -> None:
    assert {name for name, correlation in CORRELATIONS.items() if correlation.kendall} == {
        "tau_a",
        "tau_b",
        "disagreements",
    }


@pytest.mark.parametrize("name", CORRELATIONS)
@pytest.mark.parametrize("levels", [3, 100])
def test_correlation_when_compared_with_loops_then_agrees_and_only_some_know_which_ranking_is_right(
    name, levels
):
    rng, swapped = np.random.default_rng(levels), []
    for _ in range(30):
        x, y = rng.integers(0, levels, (2, 6)).astype(float)
        if np.ptp(x) and np.ptp(y):
            value, other = (CORRELATIONS[name].compute(*pair) for pair in ((x, y), (y, x)))
            assert value == pytest.approx(ORACLES[name](x.tolist(), y.tolist()), abs=1e-12)
            swapped.append(abs(value - other))
    assert (max(swapped) > 0.1) == (name in ONE_SIDED)
    assert (max(swapped) < 1e-12) == (name not in ONE_SIDED)


SCORES = st.integers(2, 9).flatmap(lambda n: arrays(np.int64, (2, n), elements=st.integers(-4, 4)))


@given(SCORES)
def test_correlation_is_symmetric_and_within_range(xy: np.ndarray) -> None:
    x, y = xy
    for correlation in ALL:
        value = correlation(x, y)
        assert np.isnan(value) or (0 if correlation is rbo else -1) - 1e-12 <= value <= 1 + 1e-12
        if correlation is not tau_ap:
            assert value == pytest.approx(correlation(y, x), nan_ok=True, abs=1e-12)


@given(SCORES)
def test_correlation_does_not_change_when_scores_are_stretched(xy: np.ndarray) -> None:
    x, y = xy
    for correlation in ALL:
        assert correlation(x, y) == pytest.approx(
            correlation(3 * x + 1, np.exp(y)), nan_ok=True, abs=1e-12
        )


@given(st.permutations(range(7)))
def test_correlation_of_a_ranking_with_itself_is_1_and_with_its_reverse_minus_1(
    ranking: list[int],
) -> None:
    x = np.array(ranking)
    for correlation in ALL:
        assert correlation(x, x) == pytest.approx(1)
        if correlation is not rbo:
            assert correlation(x, -x) == pytest.approx(-1)


def test_correlation_when_a_ranking_is_constant_is_undefined_where_it_must_be() -> None:
    x = np.arange(5)
    for correlation in (tau_b, spearman, tau_of_disagreements):
        assert np.isnan(correlation(x, np.ones(5)))
    assert tau_a(x, np.ones(5)) == tau_ap(x, np.ones(5)) == 0


def test_disagreements_when_a_ranking_has_ties_then_it_is_1_with_itself_as_tau_a_is_not() -> None:
    x = np.array([1.0, 2, 2, 3])
    assert (tau_of_disagreements(x, x), tau_a(x, x)) == (1, pytest.approx(5 / 6))


def test_critical_tau_of_30_runs_is_that_of_the_papers() -> None:
    assert ceil(100 * critical_tau(30, alpha=0.01)) / 100 == 0.34


@pytest.mark.parametrize("n", [5, 8, 20])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_critical_tau_is_the_first_that_scipy_calls_significant(
    stats: ModuleType, n: int, alpha: float
) -> None:
    x = np.arange(n)
    y = x.copy()
    by_tau = {1.0: stats.kendalltau(x, y, method="exact").pvalue}
    for last in range(n - 1, 0, -1):  # reverse step by step: one more discordant pair each time
        for k in range(last):
            y[k : k + 2] = y[k : k + 2][::-1]
            found = stats.kendalltau(x, y, method="exact")
            by_tau[found.statistic] = found.pvalue
    significant = min((t for t, p in by_tau.items() if p <= alpha and t > 0), default=np.nan)
    assert critical_tau(n, alpha=alpha) == pytest.approx(significant, nan_ok=True)


def test_critical_tau_of_many_is_the_normal_one_which_meets_the_exact_one(monkeypatch) -> None:
    many = critical_tau(200)
    monkeypatch.setattr("irmeval.stats.correlation.MANY", 201)
    assert critical_tau(200) == pytest.approx(many, abs=1e-3)
    assert critical_tau(435) == pytest.approx(0.083, abs=5e-4)  # what 435 pairs of runs need


def test_critical_tau_of_few_runs_is_undefined() -> None:
    assert np.isnan(critical_tau(3))


@pytest.mark.parametrize("compute", ALL)
def test_correlation_when_a_score_is_undefined_or_there_is_one_system_then_there_is_none(compute):
    x = np.array([[0.1, 0.2, 0.3], [np.nan, 0.2, 0.3], [np.nan] * 3])
    found = compute(x, np.array([1.0, 2.0, 3.0]))
    assert found[0] == pytest.approx(1)
    assert np.isnan(found[1:]).all()
    assert np.isnan(compute(np.array([np.nan, 1.0]), np.array([1.0, 2.0])))
    assert np.isnan(compute(np.array([[1.0]]), np.array([2.0]))).all()


@pytest.mark.parametrize("compute", ALL)
def test_correlation_when_there_are_several_axes_then_each_vector_is_taken_for_itself(compute):
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 3, 4, 6)), rng.random((2, 1, 1, 6))
    found = compute(x, y)
    assert found.shape == (2, 3, 4)
    for i in np.ndindex(2, 3, 4):
        assert found[i] == pytest.approx(float(compute(x[i], y[i[0], 0, 0])))


@pytest.mark.parametrize("correlation", ALL)
def test_correlation_when_rows_are_too_many_for_one_go_then_each_is_as_by_itself(
    correlation, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = coarse(3, 7, 12, seed=1), coarse(3, 7, 12, seed=2)
    y[1, 2, 3] = np.nan
    alone = [
        [float(correlation(*two)) for two in zip(*rows, strict=True)]
        for rows in zip(x, y, strict=True)
    ]
    for cells in (1, 50, 10_000):
        monkeypatch.setattr("irmeval.stats.correlation.CELLS", cells)
        np.testing.assert_array_equal(correlation(x, y), alone)
        np.testing.assert_array_equal(correlation(x[1], y[1]), alone[1])


def w_by_loops(values: np.ndarray) -> float:
    """Kendall & Babington Smith (1939), rank by rank, ties at their mean rank."""
    k, n = values.shape
    ranks = [
        [sum(b < a for b in row) + (sum(b == a for b in row) + 1) / 2 for a in row]
        for row in values.tolist()
    ]
    sums = [sum(row[i] for row in ranks) for i in range(n)]
    deviations = sum((s - k * (n + 1) / 2) ** 2 for s in sums)
    ties = sum(row.count(v) ** 3 - row.count(v) for row in values.tolist() for v in set(row))
    return 12 * deviations / (k**2 * (n**3 - n) - k * ties)


@pytest.mark.parametrize("seed", range(6))
def test_w_when_computed_then_as_loops_have_it_with_ties_too(seed):
    values = np.random.default_rng(seed).integers(0, 6, (2 + seed % 4, 3 + seed)).astype(float)
    assert kendall_w(values) == pytest.approx(w_by_loops(values))


def test_w_when_by_hand_then_these():
    # rank sums 3, 6, 9 of three equal orders; and 4, 4, 4, of orders that turn round
    assert kendall_w(np.array([[1.0, 2, 3]] * 3)) == pytest.approx(1)
    assert kendall_w(np.array([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]])) == pytest.approx(0)
    assert np.isnan(kendall_w(np.array([[1.0, 2, 3]])))
    assert np.isnan(kendall_w(np.ones((3, 4))))
    with pytest.raises(ParamError, match="known values"):
        kendall_w(np.array([[1.0, np.nan], [1, 2]]))


def test_w_by_chance_when_all_orders_are_counted_then_nearly_the_same():
    every = [kendall_w(np.array([range(4), order], float)) for order in permutations(range(4))]
    assert chance_of_w(2, 4) == pytest.approx(np.quantile(every, 0.95, method="higher"))


def test_disagreements_when_counted_by_a_loop_then_are_pairs_in_opposite_orders() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        x, y = rng.integers(0, 4, size=(2, 7)).astype(float)
        opposed = sum((x[i] - x[j]) * (y[i] - y[j]) < 0 for i in range(7) for j in range(i))
        assert count_disagreements(x[None], y[None]).tolist() == [opposed]
