"""Tests of significance: against SciPy, against enumeration, against what theory
promises.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations, product
from math import sqrt
from types import ModuleType

import numpy as np
import pytest

from irmeval.core.errors import ParamError, UnknownName
from irmeval.stats import blocks
from irmeval.stats.significance import TESTS, compare
from tests.conftest import real

SIMULATED = [name for name, test in TESTS.items() if test.simulated]


def coarse(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Scores with many ties."""
    return np.random.default_rng(seed).integers(0, 9, size=shape) / 8


def z_of(scores: np.ndarray) -> list[np.ndarray]:
    return [x - y for x, y in combinations(scores, 2)]


def test_names_are_those_of_the_command_line() -> None:
    assert list(TESTS)[:6] == [
        "bootstrap",
        "t",
        "wilcoxon",
        "sign",
        "randomization",
        "bootstrap-plus-one",
    ]
    assert all(
        test.name == name and test.label and test.meaning and test.source
        for name, test in TESTS.items()
    )


def test_difference_is_that_of_the_means_in_pair_order() -> None:
    scores = coarse((2, 4, 6))
    expected = [[x.mean() - y.mean() for x, y in combinations(s, 2)] for s in scores]
    assert compare(scores, "t").difference == pytest.approx(np.array(expected), abs=1e-15)


# against SciPy


def test_t_equals_scipy(stats: ModuleType) -> None:
    scores = np.random.default_rng(1).random((6, 20))
    assert compare(scores, "t").p == pytest.approx(
        np.array([stats.ttest_1samp(z, 0).pvalue for z in z_of(scores)]), rel=1e-11
    )


@pytest.mark.parametrize("n", [2, 3, 6, 10, 14, 30, 50, 51, 80])
@pytest.mark.parametrize("ties", [False, True])
def test_wilcoxon_equals_scipy(stats: ModuleType, n: int, ties: bool) -> None:
    systems = 2 if n == 10 else 4 if n == 6 else 8  # SciPy takes its time to try all signs
    scores = coarse((systems, n), n) if ties else np.random.default_rng(n).random((systems, n))
    expected = [stats.wilcoxon(z).pvalue if z.any() else 1.0 for z in z_of(scores)]
    assert compare(scores, "wilcoxon").p == pytest.approx(np.array(expected), rel=1e-12)


def test_wilcoxon_when_topics_tie_and_are_13_then_is_the_share_of_all_signs(
    stats: ModuleType,
) -> None:
    scores = coarse((4, 13), 13)
    signs = np.array(list(product([0, 1], repeat=13)))
    for p, z in zip(compare(scores, "wilcoxon").p, z_of(scores), strict=True):
        kept = z[z != 0]
        ranks = stats.rankdata(abs(kept))
        sums, found = signs[:, : len(kept)] @ ranks, ranks[kept > 0].sum()
        assert p == pytest.approx(
            min(1, 2 * min((sums >= found).mean(), (sums <= found).mean())), rel=1e-12
        )


def test_sign_equals_scipy(stats: ModuleType) -> None:
    scores = coarse((8, 15))
    counts = [((z > 0).sum(), (z != 0).sum()) for z in z_of(scores)]
    expected = [stats.binomtest(int(k), int(m)).pvalue for k, m in counts]
    assert compare(scores, "sign").p == pytest.approx(np.array(expected), rel=1e-12)


def within_chance(p: np.ndarray, truth: np.ndarray, samples: int) -> bool:
    """Whether simulated p are within five standard deviations of the true ones."""
    return bool(
        (np.abs(p - truth) <= 5 * np.sqrt(truth * (1 - truth) / samples) + 1 / samples).all()
    )


def test_randomization_nears_the_share_of_all_sign_flips() -> None:
    scores = coarse((5, 8), 3)
    flips = np.array(list(product([1, -1], repeat=8)))
    truth = np.array([np.mean(np.abs(flips @ z) >= abs(z.sum())) for z in z_of(scores)])
    assert within_chance(compare(scores, "randomization", samples=20000).p, truth, 20000)


@pytest.mark.parametrize("name", ["randomization", "bootstrap-plus-one"])
def test_simulated_p_is_never_0(name: str) -> None:
    scores = np.stack([np.linspace(0.5, 1, 40), np.linspace(0, 0.1, 40)])
    assert compare(scores, name, samples=99).p == [1 / 100]


# against theory


# special differences


@pytest.mark.parametrize("name", TESTS)
def test_equal_systems_have_p_1(name: str) -> None:
    x = np.random.default_rng(0).random(10)
    p = compare(np.stack([x, x, 1 - x]), name, samples=50).p
    assert p[0] == 1
    assert p[1] == p[2]


@pytest.mark.parametrize("name", TESTS)
def test_equality_up_to_rounding_is_equality(name: str) -> None:
    x = np.array([0.1, 0.2, 0.3, 0.7])
    y = (x + 0.1) + 0.2 - 0.3
    assert (x != y).any()
    assert compare(np.stack([x, y]), name, samples=50).p == [1]


@pytest.mark.parametrize("n", [2, 5, 10, 60])
@pytest.mark.parametrize("name", TESTS)
def test_constant_difference_is_handled(stats: ModuleType, name: str, n: int) -> None:
    x = np.random.default_rng(n).random(n)
    p = float(compare(np.stack([x + 0.1, x]), name, samples=999).p[0])
    if name in ("bootstrap", "t"):
        assert p == 0
    elif name == "wilcoxon" and n > 13:
        # all topics tied: |z| = (W - m(m+1)/4) / (sum of squared mean ranks / 4)^1/2 = sqrt(n)
        assert p == pytest.approx(2 * stats.norm.sf(sqrt(n)), rel=1e-9)
    elif name in ("wilcoxon", "sign"):
        assert p == pytest.approx(2 * 0.5**n)
    elif name != "randomization":
        assert 0 <= p < 1
    else:
        assert within_chance(np.array([p]), np.array([2 * 0.5**n]), 999)


@pytest.mark.parametrize("name", TESTS)
def test_two_topics_give_a_p_value(name: str) -> None:
    p = compare(np.random.default_rng(1).random((5, 2)), name, samples=99).p
    assert ((p >= 0) & (p <= 1)).all()


@pytest.mark.parametrize("name", TESTS)
def test_differences_that_cancel_out_have_p_1(name: str) -> None:
    x = np.array([1, 2, 3, 3, 2, 1])
    assert compare(np.stack([x / 4, 1 - x / 4]), name, samples=99).p == pytest.approx(1)
    if name != "wilcoxon":  # for which what follows is not tied
        assert compare(np.stack([x / 10, 0.4 - x / 10]), name, samples=99).p == pytest.approx(1)


def test_wilcoxon_on_trec_8_equals_scipy(stats: ModuleType) -> None:
    scores = np.loadtxt(real("matrices") / "adhoc8_ap.csv", delimiter=",", skiprows=1).T[:25]
    expected = [stats.wilcoxon(z).pvalue for z in z_of(scores)]
    assert compare(scores, "wilcoxon").p == pytest.approx(np.array(expected), rel=1e-12)


@pytest.mark.parametrize("name", TESTS)
def test_swapping_and_scaling_systems_changes_no_p(name: str) -> None:
    scores = coarse((2, 12), 4)
    p = compare(scores, name).p
    assert compare(scores[::-1], name).p == pytest.approx(p, rel=1e-12)
    assert compare(scores * 64, name).p == pytest.approx(p, rel=1e-12)


# the same numbers, however they are computed


@pytest.mark.parametrize("name", TESTS)
def test_p_is_the_same_whatever_is_computed_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = np.stack(
        [coarse((9, 12), 1), np.random.default_rng(2).random((9, 12)), coarse((9, 12), 3)]
    )
    whole = compare(scores, name, samples=150, seed=9)
    with ThreadPoolExecutor(3) as pool:
        alone = list(pool.map(lambda s: compare(s, name, samples=150, seed=9), scores))
    assert np.array_equal(whole.p, [one.p for one in alone])
    assert np.array_equal(whole.difference, [one.difference for one in alone])
    for block in (1, 7, 1000):
        monkeypatch.setattr(blocks, "BLOCK", block)
        assert np.array_equal(whole.p, compare(scores, name, samples=150, seed=9).p)


@pytest.mark.parametrize("name", TESTS)
def test_p_of_a_pair_does_not_depend_on_the_other_systems(name: str) -> None:
    scores = coarse((6, 12), 8)
    assert compare(scores[[0, 1]], name).p[0] == compare(scores, name).p[0]


@pytest.mark.parametrize("name", SIMULATED)
def test_another_seed_draws_anew(name: str) -> None:
    scores = np.random.default_rng(3).random((6, 12))
    assert not np.array_equal(compare(scores, name, seed=1).p, compare(scores, name, seed=2).p)


# what is refused


@pytest.mark.parametrize("name", TESTS)
@pytest.mark.parametrize(
    "bad",
    [
        np.full((3, 4), np.nan),
        np.full((3, 4), np.inf),
        np.ones((1, 5)),
        np.ones((5, 1)),
        np.ones(5),
    ],
)
def test_scores_that_allow_no_test_are_refused(name: str, bad: np.ndarray) -> None:
    with pytest.raises(ParamError, match="scores"):
        compare(bad, name)


def test_no_samples_is_refused() -> None:
    with pytest.raises(ParamError, match="samples"):
        compare(np.eye(3), samples=0)


def test_unknown_test_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="wilcoxon"):
        compare(np.eye(3), "wilcox")
