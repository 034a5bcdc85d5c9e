"""Where an axis of values begins: at 0, or near the values, as asked or as the figure
needs.
"""

import numpy as np
import pytest

from irmeval.core.errors import UnknownName
from irmeval.plots import axes, line_charts, points, row_charts
from irmeval.plots.svg import svg

HIGH, LOW = np.array([0.8, 0.9, 0.95]), np.array([0.1, 0.4, 0.95])


def tau(values, **more):
    line = line_charts.ChartLine("AP", values, line_charts.Style("#0072B2"))
    return line_charts.curves(
        [100, 50, 10], [line], line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1.05)), **more
    ).layout.yaxis.range


@pytest.mark.parametrize(
    ("how", "values", "more", "begins"),
    [
        (axes.FIT, HIGH, {"threshold": 0.9}, 0.7925),
        (axes.FIT, HIGH, {"order": True}, 0.7925),
        (axes.FIT, HIGH, {"threshold": 0.5}, 0.4775),  # the level is seen too
        (axes.FIT, HIGH, {}, 0),
        (axes.FIT, LOW, {"order": True}, 0),
        (axes.FIT, np.full(3, 0.9), {"order": True}, 0),
        (axes.ZERO, HIGH, {"order": True}, 0),
        (axes.ZOOM, HIGH, {}, 0.7925),
        (axes.ZOOM, LOW, {}, 0.0575),
        (axes.ZOOM, np.full(3, np.nan), {}, 0),
    ],
)
def test_curves_when_order_is_the_point_and_0_is_far_or_asked_for_then_axis_begins_near_the_values(
    how, values, more, begins
):
    with axes.use_scale(how) as seen:
        assert tau(values, **more)[0] == pytest.approx(begins)
    assert seen.zoomed == (begins > 0)
    assert tau(HIGH)[0] == 0  # afterwards each decides again


def test_ranks_when_zoomed_then_the_best_stays_on_top():
    line = line_charts.ChartLine("AP", np.array([1.0, 3.0, 2.0]), line_charts.Style("#0072B2"))
    with axes.use_scale(axes.ZOOM):
        assert line_charts.curves(
            [1, 2, 3], [line], line_charts.Axes(xtitle="", ytitle="", yrange=(4, 0))
        ).layout.yaxis.range == (4, 0)


def rows():
    names, n = ["a", "b", "c"], np.zeros(3)
    return {
        "intervals": row_charts.intervals(
            names, row_charts.Ranges(HIGH, HIGH - 0.01, HIGH + 0.01, n > 0), "AP", origin=0.9
        ),
        "ladder": row_charts.ladder(names, HIGH, [(0, 1)], "AP"),
        "dumbbell": row_charts.dumbbell(names, HIGH, HIGH + 0.01, ("before", "after"), "AP"),
        "strips": points.strips(
            names, np.stack([HIGH, HIGH]).T, ["1", "2"], "box", xtitle="", ytitle="AP"
        ),
    }


def test_rows_when_drawn_then_the_axis_begins_as_asked_and_near_the_values_where_0_is_far():
    modes = {}
    for how in (axes.FIT, axes.ZERO):
        with axes.use_scale(how):
            drawn = rows()
        modes[how] = {
            name: (figure.layout.yaxis if name == "strips" else figure.layout.xaxis).rangemode
            for name, figure in drawn.items()
        }
        assert svg(drawn["ladder"])
    assert {*modes[axes.FIT].values()} == {"normal"}
    assert {*modes[axes.ZERO].values()} == {"tozero"}


def test_points_when_asked_for_from_0_then_both_axes_hold_it():
    with axes.use_scale(axes.ZERO):
        layout = points.points(["a", "b", "c"], HIGH, HIGH, ("x", "y")).layout
    assert layout.xaxis.range[0] < 0 < 0.95 < layout.xaxis.range[1]
    assert layout.xaxis.range == layout.yaxis.range


def test_scale_when_there_is_none_of_that_name_then_refused():
    with pytest.raises(UnknownName), axes.use_scale("log"):
        pass
