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


def test_ticks_when_near_each_other_then_those_that_would_touch_are_left_out_and_the_ends_stay():
    style = theme.styles(["AP"])["AP"]
    rates = [100, 95, 90, 70, 50, 30, 10]
    figure = curves.curves(rates, [curves.Curve("AP", np.linspace(1, 0, 7), style)], xtitle="", ytitle="", yrange=(0, 1), suffix="%")
    assert figure.layout.xaxis.ticktext == ("100%", "", "", "70%", "50%", "30%", "10%")
    assert figure.layout.xaxis.tickvals == tuple(rates)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(np.dot([0.2126, 0.7152, 0.0722], [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]))


def test_figure_when_the_page_is_dark_then_its_colours_stand_out_and_stay_apart():
    dark = theme.on_dark({"data": [{"line": {"color": color}, "x": (1, 2)} for color in theme.PALETTE.values()]})
    colors = [trace["line"]["color"] for trace in dark["data"]]
    assert len({*colors}) == len(theme.PALETTE)
    assert min(map(luminance, colors)) + 0.05 > 4.5 * (luminance("#191919") + 0.05)
    assert theme.on_dark(theme.faint(theme.PALETTE["blue"], 0.25)) == theme.faint(colors[0], 0.25)
    assert theme.on_dark("#not a colour") == "#not a colour"
