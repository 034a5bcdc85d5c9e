"""Prediction-powered means, against the output of ppi-python 0.2.3
(`ppi_mean_pointestimate`, `ppi_mean_ci`, alpha = .05).
"""

import numpy as np
import pytest
from scipy import stats

from irmeval.core.errors import ParamError
from irmeval.stats.powered import describe_few_cases, powered_mean

EIGHT = (
    [0.202, 0.548, 0.325, 0.011, 0.087, 0.223, 0.169, 0.171],
    [0.031, 0.459, 0.408, 0.069, 0.208, 0.345, 0.481, 0.16],
    [
        0.172,
        0.191,
        0.099,
        0.281,
        0.375,
        0.329,
        0.69,
        0.474,
        0.313,
        0.026,
        0.137,
        0.25,
        0.737,
        0.579,
        0.282,
        0.182,
        0.518,
        0.194,
        0.673,
    ],
)
TWO = [0.459, 0.014], [0.536, 0.026], [0.386, 0.274, 0.263, 0.202, 0.204]


@pytest.mark.parametrize(
    ("values", "share", "mean", "ends"),
    [
        (EIGHT, None, 0.23663795504879714, [0.14382948706514093, 0.32944642303245336]),
        (EIGHT, 1, 0.28908552631578943, [0.15595130415450698, 0.4222197484770719]),
        (EIGHT, 0, 0.21700000000000003, [0.11155455239919221, 0.32244544760080784]),
        (TWO, None, 0.22129999999999997, [0.14732240629800653, 0.2952775937019934]),
        (TWO, 0, 0.23650000000000002, [-0.07186360091780328, 0.5448636009178033]),
    ],
)
def test_powered_mean_when_held_against_ppi_python_then_is_the_same(values, share, mean, ends):
    found = powered_mean(*map(np.array, values), share=share)
    np.testing.assert_allclose([found.mean, *found.interval()], [mean, *ends], rtol=0, atol=1e-9)


def test_powered_mean_when_the_package_is_installed_then_is_the_same_on_random_values():
    package = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    rng = np.random.default_rng(3)
    for n, N in ((2, 3), (5, 50), (40, 7), (25, 25)):
        expensive, others = rng.random((6, n)), rng.random((6, N))
        cheap = 0.6 * expensive + 0.4 * rng.random((6, n))
        for share in (None, 0, 0.4, 1):
            found = powered_mean(expensive, cheap, others, share=share)
            ends = [
                package.ppi_mean_ci(*row, alpha=0.05, lam=share)
                for row in zip(expensive, cheap, others, strict=True)
            ]
            means = [
                package.ppi_mean_pointestimate(*row, lam=share)
                for row in zip(expensive, cheap, others, strict=True)
            ]
            np.testing.assert_allclose(found.mean, np.ravel(means), rtol=0, atol=1e-9)
            np.testing.assert_allclose(
                np.stack(found.interval(), axis=1), np.reshape(ends, (6, 2)), rtol=0, atol=1e-9
            )


def test_powered_mean_when_written_out_in_loops_then_is_the_same():
    expensive, cheap, others = EIGHT
    n, N = len(expensive), len(others)
    y, f, every = sum(expensive) / n, sum(cheap) / n, cheap + others
    covariance = sum((a - y) * (b - f) for a, b in zip(expensive, cheap, strict=True)) / n
    spread = sum((b - sum(every) / (n + N)) ** 2 for b in every) / (n + N - 1)
    share = covariance / ((1 + n / N) * spread)
    rest = [a - share * b for a, b in zip(expensive, cheap, strict=True)]
    of_rest = sum((r - sum(rest) / n) ** 2 for r in rest) / n
    of_others = sum((b - sum(others) / N) ** 2 for b in others) / N
    found = powered_mean(*map(np.array, EIGHT))
    expected = [
        sum(rest) / n + share * sum(others) / N,
        of_rest / n + share**2 * of_others / N,
        share,
        n,
    ]
    np.testing.assert_allclose([*found], expected, rtol=0, atol=1e-12)


def test_powered_mean_when_the_cheap_judge_is_of_no_use_then_is_that_of_the_expensive_one():
    expensive = np.array([0.1, 0.5, 0.3])
    for cheap, others in (
        ([0.4] * 3, [0.4] * 5),
        ([0.9, 0.1, 0.5], [0.2, 0.4]),
        ([0.1, 0.5, 0.3], []),
    ):
        found = powered_mean(expensive, np.array(cheap), np.array(others))
        assert (found.share, found.mean) == (0, pytest.approx(0.3))
        assert found.variance == pytest.approx(expensive.var() / 3)


def test_powered_mean_when_one_case_has_a_expensive_value_then_has_no_interval():
    found = powered_mean(np.array([0.1]), np.array([0.2]), np.array([0.3, 0.5]))
    assert np.isnan(found.interval()).all()


def test_powered_mean_when_the_shapes_differ_then_says_so():
    with pytest.raises(
        ParamError, match="expected as many of the expensive judge as of the cheap one"
    ):
        powered_mean(np.zeros(3), np.zeros(4), np.zeros(2))


def test_interval_when_by_students_quantile_then_is_that_many_standard_errors_wide():
    found = powered_mean(*map(np.array, EIGHT))
    low, high = found.interval(quantile="student")
    n = len(EIGHT[0])
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, n - 1) * np.sqrt(found.variance))
    assert found.interval()[0] > low
    with pytest.raises(ParamError, match="expected normal or student"):
        found.interval(quantile="bootstrap")


@pytest.mark.parametrize(
    ("cases", "quantile", "said"),
    [(5, "normal", "74 to 80"), (19, "student", "82 to 90"), (20, "normal", "")],
)
def test_few_cases_when_under_20_then_says_how_often_intervals_hold_and_offers_what_is_wider(
    cases, quantile, said
):
    sentence = describe_few_cases(cases, quantile)
    assert said in sentence
    assert bool(sentence) == bool(said)
    assert ("Student's quantile" in sentence) == (quantile == "normal" and cases < 20)
