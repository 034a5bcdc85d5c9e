"""Decisions on reduced against full judgments, and knees of curves."""

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.stats.decisions import decisions, describe_falls, knee

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
    assert (found.accuracy, found.g_mean, found.false_positive_rate, found.false_negative_rate, found.error_rate) == (1, 1, 0, 0, 0)


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
    assert found.interpolated[1, 3] == pytest.approx(float(knee(RATES, curves[1, 3], threshold=0.4).interpolated), nan_ok=True)


def test_knee_of_one_rate_is_that_rate() -> None:
    assert knee([100], [1.0]) == (100, 100, True, 100)


def test_knee_when_shapes_disagree_is_refused() -> None:
    with pytest.raises(ParamError, match="curve"):
        knee(RATES, [1, 0.9])


@pytest.mark.parametrize(
    ("lowest", "said"),
    [
        ([0.4], "Tau falls below .9: A at 89%."),
        ([0.95], "Tau never falls below .9."),
        ([0.95, 0.4, 0.85], "Tau falls below .9: B at 89%, C at 55%, A never."),
        ([0.1, 0.2, 0.3, 0.4, 0.5], "Tau falls below .9: A at 93%, 3 more, E at 87%."),
    ],
)
def test_falls_when_told_then_the_first_to_fall_comes_first_and_of_many_the_ends_are_named(lowest, said) -> None:
    found = knee(np.array([100.0, 33.0]), np.array([[1.0, low] for low in lowest]))
    assert describe_falls("ABCDE"[: len(lowest)], found, "Tau", 0.9) == said


def test_falls_when_a_curve_is_low_from_the_beginning_then_nothing_is_said_of_it() -> None:
    assert describe_falls("A", knee(np.array([100.0, 10.0]), np.array([[0.8, 0.5]])), "Tau", 0.9) == ""
