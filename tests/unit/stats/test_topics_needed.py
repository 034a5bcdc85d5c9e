"""How many topics are needed, beside statsmodels, plain loops and simulation."""

import numpy as np
import pytest
from scipy import integrate, stats

from irmeval.core.errors import ParamError
from irmeval.stats.sample_size import (
    MAX_TOPICS,
    ONE_WAY,
    TWO_WAY,
    WAYS,
    ScoreVariance,
    interval_width,
    pool_variances,
    power,
    resampled_variances,
    score_variance,
    topics_for_interval,
    topics_for_power,
)


def variance_by_loops(scores, way):
    """The sums of Sakai 2016, one score after the other."""
    m, n = len(scores), len(scores[0])
    grand, total = sum(map(sum, scores)) / (m * n), 0.0
    for row in scores:
        for j, score in enumerate(row):
            topic = sum(other[j] for other in scores) / m
            total += (score - sum(row) / n - (topic - grand if way == TWO_WAY else 0)) ** 2
    return total / ((m - 1) * (n - 1) if way == TWO_WAY else m * (n - 1))


def power_by_integral(n, difference, variance, alpha):
    """Of the paired t test: over the estimate of the deviation, the chance that the
    mean lies beyond what that estimate allows.
    """
    away, t = difference * np.sqrt(n / (2 * variance)), stats.t.isf(alpha / 2, n - 1)

    def at(squares):
        bound = t * np.sqrt(squares / (n - 1))
        return stats.chi2.pdf(squares, n - 1) * (
            stats.norm.sf(bound - away) + stats.norm.cdf(-bound - away)
        )

    return integrate.quad(at, 0, stats.chi2.isf(1e-14, n - 1), points=[n - 1], limit=200)[0]


@pytest.mark.parametrize("way", WAYS)
def test_variance_when_of_scores_then_is_that_of_plain_loops(way):
    scores = np.random.default_rng(1).random((4, 7))
    found = score_variance(scores, way)
    assert found.value == pytest.approx(variance_by_loops(scores.tolist(), way), rel=1e-12)
    assert found.freedom == (3 * 6 if way == TWO_WAY else 4 * 6)


@pytest.mark.parametrize("way", WAYS)
def test_variances_when_resampled_then_are_those_of_the_topics_drawn(way):
    rng = np.random.default_rng(2)
    scores, counts = rng.random((5, 8)), rng.multinomial(8, np.full(8, 1 / 8), 6)
    expected = [
        variance_by_loops(np.repeat(scores, drawn, axis=1).tolist(), way) * 8 / 7
        for drawn in counts
    ]
    np.testing.assert_allclose(resampled_variances(scores, counts, way), expected)
    assert np.isnan(resampled_variances(scores, np.eye(8, dtype=int)[:1], way)).all()


def test_variances_when_pooled_then_are_weighted_by_degrees_of_freedom():
    assert pool_variances([ScoreVariance(0.04, 100), ScoreVariance(0.01, 200)]) == ScoreVariance(
        pytest.approx(0.02), 300
    )
    with pytest.raises(ParamError, match="expected at least one"):
        pool_variances([])


@pytest.mark.parametrize(
    ("difference", "n", "expected"),
    [
        (0.3, 10, 0.13613625849735425),
        (0.3, 33, 0.38670198382502263),
        (0.3, 100, 0.8439471027374158),
        (0.5, 33, 0.795365841487504),
    ],
)
def test_power_of_the_t_test_when_beside_statsmodels_and_an_integral_then_is_the_same(
    difference, n, expected
):
    # statsmodels 0.15.0: TTestPower().power(difference, n, 0.05); the variance of a difference is 1
    assert power(n, difference, 0.5).item() == pytest.approx(expected, abs=1e-10)
    assert power(n, difference, 0.5).item() == pytest.approx(
        power_by_integral(n, difference, 0.5, 0.05), abs=1e-7
    )


@pytest.mark.parametrize(
    ("systems", "f", "n", "expected"),
    [
        (2, 0.2, 50, 0.508185735314822),
        (10, 0.1, 50, 0.276237027483776),
        (50, 0.05, 200, 0.6903487367832015),
        (10, 0.4, 20, 0.9881583042906397),
    ],
)
def test_power_of_the_analysis_of_variance_when_beside_statsmodels_then_is_the_same(
    systems, f, n, expected
):
    # statsmodels 0.15.0: FTestAnovaPower().power(f, n * systems, 0.05, k_groups=systems); f^2 =
    # difference^2 / (2 systems variance)
    assert power(
        n, f * np.sqrt(2 * systems), 1, systems=systems, paired=False
    ).item() == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("difference", "alpha", "beta", "exact"),
    [
        (0.1, 0.05, 0.2, 786.808940181792),
        (0.1, 0.01, 0.1, 1491.257707283478),
        (0.5, 0.05, 0.2, 33.36713118431779),
        (0.5, 0.01, 0.1, 62.87023528078392),
        (1.5, 0.05, 0.2, 5.686142097745736),
    ],
)
def test_topics_when_beside_statsmodels_then_are_its_number_rounded_up(
    difference, alpha, beta, exact
):
    # statsmodels 0.15.0: TTestPower().solve_power(difference, None, alpha, 1 - beta)
    assert topics_for_power(difference, 0.5, alpha=alpha, beta=beta) == np.ceil(exact)


def test_topics_when_tried_one_by_one_then_are_the_first_that_are_enough():
    for systems, paired in ((2, True), (2, False), (10, False)):
        n = next(
            n for n in range(2, 999) if power(n, 0.1, 0.02, systems=systems, paired=paired) >= 0.8
        )
        assert topics_for_power(0.1, 0.02, systems=systems, paired=paired) == n
    assert topics_for_interval(0.1, 0.02) == next(
        n for n in range(2, 999) if interval_width(n, 0.02) <= 0.1
    )


def test_width_of_an_interval_when_simulated_then_is_the_mean_of_those_drawn():
    drawn = np.random.default_rng(3).normal(0, np.sqrt(2 * 0.03), (100_000, 6))
    widths = 2 * stats.t.isf(0.025, 5) * drawn.std(axis=1, ddof=1) / np.sqrt(6)
    assert interval_width(6, 0.03).item() == pytest.approx(
        widths.mean(), abs=4 * widths.std() / np.sqrt(widths.size)
    )


def test_difference_when_topics_are_resampled_then_is_found_four_times_in_five():
    rng = np.random.default_rng(4)
    topics, noise = rng.normal(0.3, 0.2, 80), rng.normal(0, 0.15, (2, 80))
    scores = topics + noise - noise.mean(axis=1, keepdims=True) + [[0.06], [0.0]]
    n = int(topics_for_power(0.06, score_variance(scores, TWO_WAY).value * 79 / 80))
    z = (scores[0] - scores[1])[rng.integers(80, size=(20_000, n))]
    p = stats.ttest_1samp(z, 0, axis=1).pvalue
    assert 0.78 <= (p < 0.05).mean() <= 0.82


def test_topics_when_variance_is_none_or_huge_then_are_two_or_the_most():
    assert topics_for_power(0.1, [0.0, 1e15]).tolist() == [2, MAX_TOPICS]
    assert topics_for_interval(0.1, [0.0, 1e15]).tolist() == [2, MAX_TOPICS]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: topics_for_power(0.1, 0.02, alpha=0),
            "alpha: expected a value between 0 and 1, found 0",
        ),
        (
            lambda: topics_for_power(0.1, 0.02, beta=1.0),
            "beta: expected a value between 0 and 1, found 1.0",
        ),
        (
            lambda: topics_for_interval(0.1, 0.02, alpha=np.nan),
            "alpha: expected a value between 0 and 1, found nan",
        ),
        (
            lambda: topics_for_power([0.1, 0.0], 0.02),
            "difference: expected values above 0, found 0.0",
        ),
        (lambda: topics_for_power(0.1, -1), "variance: expected at least 0, found -1"),
        (lambda: topics_for_power(0.1, 0.02, systems=1), "systems: expected at least 2, found 1"),
        (
            lambda: score_variance(np.ones((2, 3)), "both"),
            f"variance: expected one of {TWO_WAY}, {ONE_WAY}, found 'both'",
        ),
        (lambda: score_variance(np.ones((1, 3))), "expected"),
    ],
)
def test_topics_when_asked_of_what_cannot_be_then_it_is_said_in_words(call, said):
    with pytest.raises(ParamError, match=said):
        call()
