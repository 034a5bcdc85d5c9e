"""Decisions on reduced against full judgments, and knees of curves."""

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.stats.decision_agreement import decisions, knee

FULL = np.repeat([False, False, True, True], [40, 10, 20, 30])
REDUCED = np.repeat([False, True, False, True], [40, 10, 20, 30])


def test_decisions_when_worked_by_hand() -> None:
    found = decisions(FULL, REDUCED)
    assert found.confusion.tolist() == [[40, 10], [20, 30]]
    assert found.accuracy == 0.7
    assert found.g_mean == pytest.approx(np.sqrt(40 / 50 * 40 / 60))
    assert found.false_positive_rate == 0.4
    assert found.false_negative_rate == 0.2
    assert found.error_rate == 0.25


def test_decisions_when_the_same_are_perfect() -> None:
    found = decisions(FULL, FULL)
    assert (
        found.accuracy,
        found.g_mean,
        found.false_positive_rate,
        found.false_negative_rate,
        found.error_rate,
    ) == (1, 1, 0, 0, 0)


def test_decisions_when_everything_differs_have_no_share_of_nothing() -> None:
    found = decisions(np.ones(5, dtype=bool), np.ones(5, dtype=bool))
    assert found.accuracy == 1
    assert found.error_rate == 0
    assert np.isnan(found.g_mean)
    assert np.isnan(found.false_negative_rate)


def test_decisions_of_many_rates_are_those_of_each() -> None:
    reduced = np.random.default_rng(0).random((3, 2, 100)) < 0.5
    found = decisions(FULL, reduced)
    assert found.confusion.shape == (3, 2, 2, 2)
    for i, j in np.ndindex(3, 2):
        one = decisions(FULL, reduced[i, j])
        assert np.array_equal(found.confusion[i, j], one.confusion)
        assert found.g_mean[i, j] == one.g_mean


RATES = [100, 50, 30, 10]


@pytest.mark.parametrize(
    ("curve", "interpolated", "measured"),
    [
        ([1, 0.95, 0.85, 0.5], 40, 50),
        ([1, 0.95, 0.92, 0.9], 10, 30),
        ([1, 0.99, 0.98, 0.97], 10, 10),
        ([1, 0.8, 0.95, 0.5], 75, 100),  # above again at 20, as `lowest` says
        ([1, 0.95, np.nan, 0.5], 50, 50),
        ([0.9, 0.95, 0.8, 0.5], np.nan, np.nan),
        ([np.nan, 0.95, 0.8, 0.5], np.nan, np.nan),
    ],
)
def test_knee_when_worked_by_hand(curve: list[float], interpolated: float, measured: float) -> None:
    found = knee(RATES, curve)
    assert found.interpolated == pytest.approx(interpolated, nan_ok=True)
    assert found.measured == pytest.approx(measured, nan_ok=True)
    above = [rate for rate, value in zip(RATES, curve, strict=True) if value > 0.9]
    assert found.lowest == pytest.approx(min(above, default=np.nan), nan_ok=True)
    backwards = knee(RATES[::-1], curve[::-1])
    assert np.array_equal(found, backwards, equal_nan=True)


def test_knee_of_many_curves_is_that_of_each() -> None:
    curves = np.sort(np.random.default_rng(0).random((2, 5, 4)))[..., ::-1]
    found = knee(RATES, curves, threshold=0.4)
    assert found.interpolated.shape == found.measured.shape == (2, 5)
    assert found.interpolated[1, 3] == pytest.approx(
        float(knee(RATES, curves[1, 3], threshold=0.4).interpolated), nan_ok=True
    )


def test_knee_of_one_rate_is_that_rate() -> None:
    assert knee([100], [1.0]) == (100, 100, True, 100)


def test_knee_when_shapes_disagree_is_refused() -> None:
    with pytest.raises(ParamError, match="curve"):
        knee(RATES, [1, 0.9])
