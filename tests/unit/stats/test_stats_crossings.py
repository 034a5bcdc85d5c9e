"""Where curves cross a level."""

import numpy as np
import pytest

from irmeval.stats.crossings import NEVER, describe_crossing, find_crossings


@pytest.mark.parametrize(
    ("x", "curve"), [([100, 50, 10], [0.8, 0.7, 0.6]), ([10, 50, 100], [0.9, 0.95, 0.5])]
)
def test_crossing_when_a_curve_begins_beyond_the_level_is_its_first_place(
    x: list[float], curve: list[float]
) -> None:
    assert find_crossings(x, np.array(curve), 0.9) == x[0]


def test_crossing_when_curves_rise_is_where_they_reach_the_level_from_the_left() -> None:
    curves = np.array([[0.5, 0.8, 1.0], [0.95, 0.5, 1.0], [0.1, 0.2, 0.3]])
    assert find_crossings([5, 10, 20], curves, 0.9, rising=True) == pytest.approx([15, 5, NEVER])
    assert [describe_crossing(at, "not up to 20") for at in (15.04, NEVER, np.nan)] == [
        "15.0",
        "not up to 20",
        "",
    ]


@pytest.mark.parametrize("unknown", [0, 1, 2])
def test_crossing_when_a_curve_is_unknown_at_some_place_then_is_undefined(unknown: int) -> None:
    curve = np.array([1.0, 0.8, 0.6])
    curve[unknown] = np.nan
    assert np.isnan(find_crossings([100, 50, 10], curve, 0.7))
