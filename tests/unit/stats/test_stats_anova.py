"""Analysis of variance and Tukey's HSD, beside plain loops and SciPy."""

import numpy as np
import pytest
from scipy import stats

from irmeval.core.errors import ParamError
from irmeval.stats.anova import (
    OTHERS,
    THESE,
    anova,
    critical_difference,
    range_tail,
    tukey_differences,
)


def dummies(*numbers):
    """A column for each value of a factor [observation, value]; of several factors, for
    each of their combinations.
    """
    code = np.unique(np.array(numbers), axis=1, return_inverse=True)[1].ravel()
    return np.eye(code.max() + 1)[code]


def explained(scores):
    """Sums of squares and degrees of freedom by least squares, a factor after the
    other: what each takes off the residual.
    """
    systems, topics, shards = (at.ravel() for at in np.indices(scores.shape))
    y, design, left = scores.ravel(), np.ones((scores.size, 1)), scores.size - 1
    before, found = np.square(y - y.mean()).sum(), []
    for factor in ((systems,), (topics,), (systems, topics), (topics, shards)):
        design = np.hstack([design, dummies(*factor)])
        rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
        free = scores.size - np.linalg.matrix_rank(design)
        found.append((before - rest @ rest, left - free))
        before, left = rest @ rest, free
    return [*found, (before, left)]


@pytest.mark.parametrize("holds_for", [OTHERS, THESE])
def test_anova_when_there_are_shards_then_is_that_of_least_squares(holds_for):
    scores = np.random.default_rng(1).random((4, 5, 3))
    found, expected = anova(scores, holds_for=holds_for), explained(scores)
    np.testing.assert_allclose(found.squares, [squares for squares, _ in expected])
    assert found.df.tolist() == [df for _, df in expected] == [3, 4, 12, 10, 30]
    error = expected[2 if holds_for == OTHERS else 4]
    F = (expected[0][0] / 3) / (error[0] / error[1])
    assert found.F[0] == pytest.approx(F)
    assert found.p[0] == pytest.approx(stats.f.sf(F, 3, error[1]))
    for factor, df in ((1, 4), (2, 12), (3, 10)):
        assert found.F[factor] == pytest.approx((expected[factor][0] / df) / (expected[4][0] / 30))
    assert found.share.sum() == pytest.approx(1)


def test_anova_when_there_is_one_score_per_cell_then_what_is_left_is_the_interaction():
    scores = np.random.default_rng(2).random((3, 6))
    found, expected = anova(scores), explained(scores[..., None])[:3]
    np.testing.assert_allclose(found.squares, [squares for squares, _ in expected])
    assert found.df.tolist() == [2, 5, 10]
    error = expected[2][0] / 10
    assert found.omega[0] == pytest.approx(
        (expected[0][0] - 2 * error) / (found.squares.sum() + error)
    )


def test_anova_when_two_systems_are_compared_then_p_is_that_of_the_paired_t():
    scores = np.random.default_rng(3).random((2, 8))
    p = stats.ttest_rel(*scores).pvalue
    assert anova(scores).p[0] == pytest.approx(p)
    assert tukey_differences(anova(scores)).p[0] == pytest.approx(p)


def test_anova_when_it_holds_for_other_topics_then_is_that_of_the_mean_over_shards():
    scores = np.random.default_rng(4).random((5, 7, 2))
    shards, means = anova(scores), anova(scores.mean(axis=2))
    assert shards.F[0] == pytest.approx(means.F[0])
    np.testing.assert_allclose(tukey_differences(shards).p, tukey_differences(means).p)


def test_tukey_when_topics_have_no_effect_then_q_is_of_scipy_with_the_residual_of_the_analysis():
    scores = np.random.default_rng(5).normal(size=(4, 10)) + np.arange(4)[:, None]
    found = anova(scores)
    pairs = tukey_differences(found)
    rest = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    error = sum(x * x for row in rest for x in row) / 27
    k = 0
    for a in range(4):
        for b in range(a + 1, 4):
            q = abs(scores[a].mean() - scores[b].mean()) / np.sqrt(error / 10)
            assert pairs.p[k] == pytest.approx(stats.studentized_range.sf(q, 4, 27), abs=1e-8)
            assert pairs.difference[k] == pytest.approx(scores[a].mean() - scores[b].mean())
            k += 1
    assert critical_difference(found) == pytest.approx(
        stats.studentized_range.ppf(0.95, 4, 27) * np.sqrt(error / 10)
    )


@pytest.mark.parametrize(("systems", "df"), [(3, 2), (12, 11), (126, 6125)])
def test_range_tail_when_compared_with_scipy_then_is_within_what_it_says(systems, df):
    q = np.array([0, 3, 5, 6.2, 9, 100])
    expected = stats.studentized_range.sf(q, systems, df)
    np.testing.assert_allclose(range_tail(q, systems, df), expected, atol=1e-6)
    many = range_tail(np.repeat(q, 300), systems, df)[::300]
    if df > 60:
        np.testing.assert_allclose(many, expected, atol=1e-6)


def test_anova_when_systems_are_equal_or_differ_by_a_constant_then_p_is_one_or_zero():
    topic = np.array([0.1, 0.3, 0.2, 0.7])
    equal = anova(np.stack([topic, topic]))
    assert np.isnan(equal.F[0])
    assert tukey_differences(equal).p.tolist() == [1]
    apart = anova(np.stack([topic, topic + 0.1]))
    assert apart.F[0] == np.inf
    assert apart.p[0] == tukey_differences(apart).p[0] == 0


@pytest.mark.parametrize(
    "scores",
    [np.ones((1, 3)), np.ones((3, 1)), np.ones((3, 1, 4)), np.array([[1, np.nan], [1, 2]])],
)
def test_anova_when_scores_are_too_few_or_missing_then_they_are_refused(scores):
    with pytest.raises(ParamError, match="expected"):
        anova(scores)


def test_anova_when_it_is_to_hold_for_what_nobody_knows_then_says_what_there_is():
    with pytest.raises(ParamError, match="expected other topics or these topics, found 'all'"):
        anova(np.ones((2, 2)), holds_for="all")


def test_false_differences_when_shuffled_within_topics_then_as_rare_as_alpha_but_not_by_shards():
    rng, trials = np.random.default_rng(6), 100
    false = dict.fromkeys(("whole", OTHERS, THESE), 0)
    for _ in range(trials):
        # of a system on a topic; no system is better on the mean of all topics there are
        effect = rng.normal(size=(8, 20))
        cells = effect[..., None] + 0.3 * rng.normal(size=(8, 20, 2))
        false["whole"] += (tukey_differences(anova(effect)).p < 0.05).any()
        for what in (OTHERS, THESE):
            false[what] += (tukey_differences(anova(cells, holds_for=what)).p < 0.05).any()
    assert false["whole"] <= 11
    assert false[OTHERS] <= 11
    assert false[THESE] > 75


@pytest.mark.parametrize(("apart", "squares"), [(1e-7, 4 * 0.25e-14), (1e-17, 0)])
def test_anova_when_means_are_little_apart_then_squares_are_0_only_where_rounding_makes_them(
    apart, squares
):
    # of two systems on two topics, each half as far from their mean
    found = anova(np.array([[0.0, 1.0], [apart, 1.0 + apart]]))
    assert found.squares[0] == pytest.approx(squares, rel=1e-6, abs=0)
