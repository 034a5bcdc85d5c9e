"""Logistic regression with intercepts that differ from group to group, on data drawn
from that model.
"""

import numpy as np
import pytest

from irmeval.stats.random_intercepts import (
    FIRST,
    Evidence,
    fit_random_intercepts,
    left_out_folds,
    spread_of_new,
)


def drawn(
    spread: float, *, groups: int = 60, each: int = 80, seed: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, successes and groups of the model with intercept -0.5 and coefficients
    1 and -0.7.
    """
    rng = np.random.default_rng(seed)
    x, group = rng.standard_normal((groups * each, 2)), np.repeat(np.arange(groups), each)
    logits = -0.5 + x @ [1.0, -0.7] + rng.standard_normal(groups)[group] * spread
    return x, rng.random(group.size) < 1 / (1 + np.exp(-logits)), group


@pytest.mark.parametrize("spread", [0.2, 0.5, 1.0])
def test_fit_when_drawn_from_the_model_then_coefficients_and_spread_are_found(spread):
    x, y, group = drawn(spread)
    fit = fit_random_intercepts(x, y, group, 60)
    np.testing.assert_allclose(fit.beta[1:] / fit.scale, [1, -0.7], atol=0.12)
    assert fit.spread == pytest.approx(spread, rel=0.3)


def test_fit_when_a_group_is_absent_then_its_intercept_is_0():
    x, y, group = drawn(0.5, groups=6)
    fit = fit_random_intercepts(x, y, group, 8)
    assert (fit.groups[6:] == 0).all()
    assert (fit.groups[:6] != 0).all()


def test_fit_when_like_another_then_the_scale_of_features_and_the_spread_are_kept():
    x, y, group = drawn(0.5)
    whole = fit_random_intercepts(x, y, group, 60)
    part = fit_random_intercepts(x[group > 5], y[group > 5], group[group > 5], 60, like=whole)
    fresh = fit_random_intercepts(x[group > 5], y[group > 5], group[group > 5], 60)
    assert part.spread == whole.spread
    assert (part.scale == whole.scale).all()
    np.testing.assert_allclose(part.beta[1:] / part.scale, fresh.beta[1:] / fresh.scale, atol=0.02)


def test_fit_when_nothing_succeeds_then_probabilities_are_near_0():
    x, _, group = drawn(0.5, groups=6)
    fit = fit_random_intercepts(x, np.zeros(len(x), bool), group, 6)
    assert np.isfinite(fit.beta).all()
    assert (fit.logits(x) < -3).all()


@pytest.mark.parametrize("spread", [0.1, 0.6, 1.2])
def test_spread_of_new_when_groups_are_left_out_then_it_is_that_of_the_model(spread):
    x, y, group = drawn(spread)
    whole = fit_random_intercepts(x, y, group, 60)
    evidence = []
    for fold in left_out_folds(np.arange(60), 10):
        out = np.isin(group, fold)
        fit = fit_random_intercepts(x[~out], y[~out], group[~out], 60, like=whole)
        evidence += [
            Evidence.of(fit.logits(x[group == g]), y[group == g], np.ones(80))
            for g in fold.tolist()
        ]
    assert spread_of_new(evidence) == pytest.approx(spread, rel=0.35, abs=0.15)


def test_spread_of_new_without_a_group_then_it_is_about_the_one_assumed():
    assert spread_of_new([]) == pytest.approx(FIRST * np.sqrt(4 / 3), rel=0.1)


def test_evidence_when_one_observation_is_predicted_as_even_then_it_says_nothing():
    evidence = Evidence.of(np.zeros(1), np.ones(1, bool), np.ones(1))
    np.testing.assert_allclose(evidence.likelihood, np.log(0.5), atol=1e-9)


def test_evidence_when_a_group_is_far_from_what_was_predicted_then_a_larger_spread_is_likelier():
    assert (np.diff(Evidence.of(np.zeros(20), np.ones(20, bool), np.ones(20)).likelihood) > 0).all()
    assert (
        np.diff(Evidence.of(np.zeros(20), np.arange(20) < 10, np.ones(20)).likelihood) < 0
    ).all()


def test_evidence_when_observations_count_half_then_as_half_as_many():
    half = Evidence.of(np.zeros(20), np.arange(20) < 14, np.full(20, 0.5))
    np.testing.assert_allclose(
        half.likelihood, Evidence.of(np.zeros(10), np.arange(10) < 7, np.ones(10)).likelihood
    )


def test_left_out_folds_when_groups_are_few_then_each_is_alone_else_each_is_in_one_part():
    assert [fold.tolist() for fold in left_out_folds([4, 7], 20)] == [[4], [7]]
    folds = left_out_folds(np.arange(45), 20)
    assert len(folds) == 20
    assert sorted(np.concatenate(folds).tolist()) == [*range(45)]
