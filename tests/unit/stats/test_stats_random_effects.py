"""Effects over studies: by hand, against plain loops, and by simulation with a known
truth.
"""

import math

import numpy as np
import pytest
from scipy import stats

from irmeval.core.errors import ParamError
from irmeval.stats.anova import pool_effects


def looped(effects: list[float], errors: list[float], level: float) -> dict[str, float]:
    """DerSimonian & Laird (1986) and Hartung & Knapp (2001), step by step."""
    k = len(effects)
    w = [1 / s**2 for s in errors]
    fixed = sum(a * y for a, y in zip(w, effects, strict=True)) / sum(w)
    q = sum(a * (y - fixed) ** 2 for a, y in zip(w, effects, strict=True))
    tau2 = max(0.0, (q - (k - 1)) / (sum(w) - sum(a * a for a in w) / sum(w)))
    v = [1 / (s**2 + tau2) for s in errors]
    mean = sum(a * y for a, y in zip(v, effects, strict=True)) / sum(v)
    apart = sum(a * (y - mean) ** 2 for a, y in zip(v, effects, strict=True)) / (k - 1)
    error = math.sqrt(max(1.0, apart) / sum(v))
    t = stats.t.ppf((1 + level) / 2, k - 1)
    p = 2 * stats.t.sf(abs(mean) / error, k - 1)
    return {
        "mean": mean,
        "low": mean - t * error,
        "high": mean + t * error,
        "p": p,
        "between": math.sqrt(tau2),
        "inconsistency": max(0, 1 - (k - 1) / q),
    }


def test_effects_when_pooled_by_hand_then_these():
    # weights 400, 400, 100: mean .21667, Q 10, C 533.33, tau2 .015; then 1/.0175 twice and 1/.025
    found = pool_effects(np.array([0.1, 0.3, 0.35]), np.array([0.05, 0.05, 0.1]))
    assert found.between**2 == pytest.approx(0.015)
    assert found.weights == pytest.approx(
        np.array([1 / 0.0175, 1 / 0.0175, 40]) / (2 / 0.0175 + 40)
    )
    assert found.mean == pytest.approx((0.4 / 0.0175 + 0.35 * 40) / (2 / 0.0175 + 40))
    assert found.inconsistency == pytest.approx(0.8)
    assert found.studies == 3


@pytest.mark.parametrize("seed", range(8))
def test_effects_when_pooled_then_as_loops_have_them(seed):
    rng = np.random.default_rng(seed)
    errors = rng.uniform(0.01, 0.1, 2 + seed)
    effects = rng.normal(0.1, [0.0, 0.2][seed % 2], 2 + seed) + rng.normal(0, errors)
    found = pool_effects(effects, errors, level=0.9)
    for name, value in looped(effects.tolist(), errors.tolist(), 0.9).items():
        assert getattr(found, name) == pytest.approx(value, abs=1e-12), name


def test_effects_when_some_are_unknown_then_they_count_for_nothing():
    all_three = pool_effects(
        np.array([0.1, np.nan, 0.3, 0.2]), np.array([0.05, 0.01, 0.05, np.nan])
    )
    two = pool_effects(np.array([0.1, 0.3]), np.array([0.05, 0.05]))
    assert all_three.weights.tolist() == [0.5, 0, 0.5, 0]
    assert (all_three.mean, all_three.low, all_three.studies) == (two.mean, two.low, 2)


def test_effects_when_alike_then_the_interval_is_as_wide_as_chance_within_studies_makes_it():
    found = pool_effects(np.array([0.2, 0.2]), np.array([0.1, 0.1]))
    assert found.high - found.mean == pytest.approx(stats.t.ppf(0.975, 1) * 0.1 / math.sqrt(2))


def test_effects_when_one_has_no_error_then_all_weigh_the_same():
    found = pool_effects(np.array([0.1, 0.2, 0.6]), np.array([0.0, 0.1, 0.2]))
    assert found.weights == pytest.approx([1 / 3] * 3)
    assert found.between**2 == pytest.approx(np.var([0.1, 0.2, 0.6], ddof=1) - (0.01 + 0.04) / 3)


def test_effects_when_there_is_one_or_none_then_no_interval():
    assert pool_effects(np.array([0.4]), np.array([0.1])).mean == pytest.approx(0.4)
    assert np.isnan(pool_effects(np.array([0.4]), np.array([0.1])).low)
    assert np.isnan(pool_effects(np.array([np.nan]), np.array([0.1])).mean)


def test_effects_when_they_do_not_fit_then_refused():
    with pytest.raises(ParamError, match="one per effect"):
        pool_effects(np.zeros(2), np.zeros(3))
    with pytest.raises(ParamError, match="none below 0"):
        pool_effects(np.zeros(2), np.array([0.1, -0.1]))
