"""Two settings of one experiment side by side: each has its own numbers, and the page
says what differs.
"""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from irmeval.plots import cells, line_charts, row_charts
from irmeval.plots.axes import on_one_scale
from irmeval.plots.colors import Style
from irmeval.report.differences import find_largest


def test_largest_when_tables_differ_then_the_row_of_each_column_is_told_and_others_are_left_out():
    a = pd.DataFrame(
        {
            "measure": ["AP", "AP", "RR"],
            "rate": [100.0, 50.0, 50.0],
            "mean": [0.5, 0.4, 0.9],
            "tau": [1.0, 0.9, np.nan],
        }
    )
    b = a.assign(mean=[0.5, 0.1, 0.8], tau=[1.0, 0.95, 0.1])
    assert [str(d) for d in find_largest(a, b)] == [
        "mean of AP at rate 50 is 0.100 instead of 0.400",
        "tau of AP at rate 50 is 0.95 instead of 0.90",
    ]
    assert find_largest(a, b[b["measure"] == "RR"])[0].where == {"measure": "RR", "rate": "50"}
    assert find_largest(a[["mean"]], b[["mean"]]) == []
    square = pd.DataFrame({"measure": ["AP", "RR"], "AP": [1.0, 0.8], "RR": [0.8, 1.0]})
    assert find_largest(square, square.assign(AP=[1.0, 0.5])) == []
    pairs = pd.DataFrame({"measure_a": ["AP"], "measure_b": ["RR"], "tau_b": [0.8]})
    told = [str(d) for d in find_largest(pairs, pairs.assign(tau_b=0.5))]
    assert told == ["tau of AP and RR is 0.50 instead of 0.80"]
    pairs = pairs.assign(opposed=[40.0])
    told = [str(d) for d in find_largest(pairs, pairs.assign(tau_b=0.5, opposed=1200.0))]
    assert told[1] == "AP and RR: 1,200 opposed instead of 40"
    twice = a.assign(measure="AP", rate=1.0)
    assert find_largest(twice, twice) == []
    board = pd.DataFrame({"run": ["a", "b"], "topics": [3, 3], "AP": [0.1, 0.2]})
    # by name alone where that is enough
    assert find_largest(board, board.assign(topics=2, AP=[0.1, 0.5]))[0].where == {"run": "b"}


@pytest.mark.parametrize(
    ("keys", "column", "told"),
    [
        ({"stratum": "2"}, "drawn", "drawn at stratum 2"),
        ({"measure": "AP", "pool depth": 100}, "judgments", "judgments of AP at pool depth 100"),
        ({"order": "hedge", "budget": 20.0}, "tau", "tau of hedge at budget 20"),
        ({"run": "a_b"}, "holes_mean", "holes mean of a_b"),
        ({"measure": "AP"}, "mean a_b", "mean a_b of AP"),
    ],
)
def test_largest_when_a_row_has_numbers_in_its_name_then_is_told_what_they_are(keys, column, told):
    rows = pd.DataFrame([{**keys, column: 0.25}, {**keys, **dict.fromkeys(keys, "9"), column: 0.5}])
    largest = find_largest(rows, rows.assign(**{column: [0.75, 0.5]}))[0]
    assert str(largest).startswith(f"{told} is 0.75")


def test_scales_when_figures_are_beside_each_other_then_they_have_the_same_ends():
    line = line_charts.ChartLine("a", np.array([0.1, 0.2]), Style("#000000", "solid", "circle"))
    one, other = (
        line_charts.curves([100, 50], [line], line_charts.Axes(xtitle="", ytitle="", yrange=ends))
        for ends in ((0.0, 0.5), (-0.2, 0.3))
    )
    for figure in on_one_scale(one, other):
        assert tuple(figure.layout.yaxis.range) == (-0.2, 0.5)
        # still from right to left
        assert figure.layout.xaxis.range[0] > figure.layout.xaxis.range[1]
    one, other = (
        cells.cells(["r"], ["a", "b"], np.array([row]), title="x")
        for row in ([0.1, 0.4], [0.2, 0.9])
    )
    assert [(f.data[0].zmin, f.data[0].zmax) for f in on_one_scale(one, other)] == [(0.1, 0.9)] * 2


def test_scales_when_axes_end_where_their_values_do_then_two_end_where_either_does():
    def drawn(*values, y=(0, 1), **axis):
        trace = {"type": "scatter", "x": values, "y": y}
        return go.Figure(data=[trace], layout={"xaxis": axis})

    one, other = on_one_scale(drawn(45.0, 75.0), drawn(30.0, None, 70.0))
    for figure in (one, other):
        assert tuple(figure.layout.xaxis.range) == pytest.approx((28.0, 76.5))
    for figure in on_one_scale(
        drawn(0.2, 0.8, rangemode="tozero"), drawn(0.1, 0.6, rangemode="tozero")
    ):
        assert tuple(figure.layout.xaxis.range) == pytest.approx((0.0, 0.83))
    for figure in on_one_scale(drawn("a", "b"), drawn("b", "c")):
        assert figure.layout.xaxis.range is None
    for figure in on_one_scale(drawn(None), drawn(float("nan"))):
        assert figure.layout.xaxis.range is None


def test_scales_when_values_have_bars_or_another_axis_or_are_equal_then_each_axis_shows_its_own():
    values = np.array([0.3, 0.5])
    bars = row_charts.Ranges(values, values - 0.2, values + 0.3, np.array([True, True]))
    for figure in on_one_scale(*(row_charts.intervals(["a", "b"], bars, "AP") for _ in "AB")):
        assert figure.layout.xaxis.range[1] >= 0.8
    groups = [(i, i + 1) for i in range(5)]
    for figure in on_one_scale(
        *(row_charts.ladder("abcdef", np.linspace(0.5, 0.6, 6), groups, "AP") for _ in "AB")
    ):
        assert tuple(figure.layout.xaxis.range) == pytest.approx((0.495, 0.605))
    alike = {"type": "scatter", "x": [0.4, 0.4], "y": [0, 1]}
    for figure in on_one_scale(*(go.Figure(data=[alike]) for _ in "AB")):
        low, high = figure.layout.xaxis.range
        assert low < 0.4 < high
