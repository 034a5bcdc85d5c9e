"""What figures promise whatever is drawn: every name that is asked for is within the figure, and none covers another."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval.plots import curves, theme


@given(st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=40), st.floats(0.001, 0.2))
def test_names_when_spread_then_are_within_the_axis_in_their_order_and_apart(heights, gap):
    placed = theme.spread(heights, gap, 0.0, 1.0)
    assert min(placed) >= 0
    assert max(placed) <= 1
    by_height = np.array(placed)[np.argsort(heights, kind="stable")]
    assert (np.diff(by_height) >= min(gap, 1 / max(len(heights) - 1, 1)) - 1e-9).all()


def test_name_when_a_line_ends_early_then_stands_at_its_last_point():
    style = theme.styles(["AP"])["AP"]
    lines = [curves.Curve("whole", np.array([0.1, 0.2, 0.3]), style), curves.Curve("early", np.array([0.5, 0.6, np.nan]), style)]
    figure = curves.curves([1, 2, 3], [*lines, curves.Curve("none", np.full(3, np.nan), style)], xtitle="", ytitle="", yrange=(0, 1))
    assert [(a.text, a.x, a.xref, a.y) for a in figure.layout.annotations] == [
        ("whole", 1.01, "paper", pytest.approx(0.3)),
        ("early", 2, None, pytest.approx(0.6)),
    ]
