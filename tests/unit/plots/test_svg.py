"""Figures as still pictures, drawn without a browser."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.plots import cells, elements, line_charts, pins, points, row_charts, slope
from irmeval.plots.axes import round_values
from irmeval.plots.colors import styles
from irmeval.plots.svg import svg
from tests import hostile
from tests.small_work import MEASURES, small, tied

KNOWN = {"svg", "path", "line", "rect", "circle", "text", "tspan"}


def parts(figure):
    """The elements of a picture; that each is a known one is checked."""
    found = [*ElementTree.fromstring(svg(figure)).iter()]
    assert {element.tag.rpartition("}")[2] for element in found} <= KNOWN
    return found


def test_svg_when_names_are_hostile_then_they_are_words():
    collection = hostile.collection()
    for name in ("leaderboard", "topics", "matrix", "rankings"):
        result = EXPERIMENTS[name](collection, ["AP", "nDCG"], small(EXPERIMENTS[name]))
        for chart in result.charts():
            words = [element.text for element in parts(chart.draw()) if element.text]
            if chart.name in ("means", "matrix", "slope", "by-run"):
                assert hostile.WORDS[3] in words  # <b>bold</b>, short enough to be whole


def test_svg_when_names_are_coloured_then_their_markup_is_no_text_and_only_the_chosen_is_bold():
    names = [f"run{number}" for number in range(slope.MANY + 5)]
    ranks = [*range(1, len(names) + 1)]
    figure = slope.slope(names, ranks, ranks[::-1], ("AP", "nDCG"), forward="run0")
    spans = [one for one in parts(figure) if one.tag.endswith("tspan")]
    assert len(spans) >= slope.MOVERS
    assert [one.text for one in spans if one.get("font-weight")] == ["run0"]
    assert all(one.get("fill") for one in spans)
    assert not any("<" in (one.text or "") for one in parts(figure))


def test_svg_when_a_line_has_a_band_a_gap_and_a_dash_then_all_are_drawn():
    style = styles(["AP", "AP'"])
    y = np.array([0.9, np.nan, 0.5, 0.4])
    line = line_charts.ChartLine("AP'", y, style["AP'"], np.full(4, 0.3), np.full(4, 0.95))
    figure = line_charts.curves(
        [100, 50, 20, 10],
        [line],
        line_charts.Axes(xtitle="judgments", ytitle="tau", yrange=(0, 1)),
        threshold=0.9,
    )
    text = svg(figure)
    assert text.count("stroke-dasharray") == 2  # the prime's line, and the threshold
    assert 'fill="#0072B2" fill-opacity="0.15"' in text
    path = next(
        e.attrib["d"]
        for e in parts(figure)
        if e.attrib.get("stroke-dasharray") == "8 5" and e.tag.endswith("path")
    )
    assert path.count("M") == 2  # one before the gap, one after


def test_svg_when_values_have_intervals_or_bars_then_they_stand_where_the_axis_says():
    values = np.array([0.1, -0.2, 0.05])
    figure = row_charts.intervals(
        ["a", "b", "c"],
        row_charts.Ranges(values, values - 0.1, values + 0.1, np.array([True, True, False])),
        "difference",
    )
    drawn = parts(figure)
    dots = {e.attrib["fill"]: float(e.attrib["cx"]) for e in drawn if e.tag.endswith("circle")}
    assert dots["#D55E00"] < dots["#9AA0A6"] < dots["#0072B2"]
    drawn = parts(
        row_charts.differences(
            "ab",
            np.array([0.4, 0.1]),
            np.zeros(2),
            ("x", "y"),
            "d",
            row_charts.MeanLine(0.25, 0.2, 0.3),
        )
    )
    heights = [float(e.attrib["height"]) for e in drawn if e.tag.endswith("rect")]
    assert heights[0] == pytest.approx(4 * heights[1], abs=0.05)


def test_svg_when_bars_are_stacked_then_each_part_begins_where_the_last_one_ends():
    shares = np.array([[0.25, 0.5], [0.75, 0.5]])
    figure = row_charts.stacked(["AP", "Q"], ["runs", "topics"], shares, "share, %")
    boxes = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', svg(figure))
    (x0, y0, w0), (x1, y1, w1), (x2, y2, w2), (x3, y3, w3) = (
        [float(number) for number in box] for box in boxes
    )
    assert (x0 + w0, x1 + w1) == pytest.approx((x2, x3), abs=0.02)
    assert 3 * w0 == pytest.approx(w2, abs=0.05)
    assert w1 == pytest.approx(w3, abs=0.05)
    assert (y0, y1) == (y2, y3)
    assert y0 < y1


def test_svg_when_scores_are_boxes_or_strips_then_quartiles_or_every_value_is_there():
    values = np.array([[0.0, 0.1, 0.2, 0.3, 0.9], [0.1, 0.1, 0.1, 0.2, np.nan]])
    box, strip = (
        parts(points.strips("ab", values, "12345", kind, xtitle="runs", ytitle="AP"))
        for kind in points.KINDS
    )
    assert sum(e.tag.endswith("rect") for e in box) == 2
    assert sum(e.tag.endswith("circle") for e in strip) == 9


def test_svg_when_runs_are_pinned_then_their_names_have_their_colours():
    c = tied(12, 6)
    runs = [*c.runs]
    for name in ("leaderboard", "matrix", "rankings", "topics"):
        result = EXPERIMENTS[name](c, MEASURES, small(EXPERIMENTS[name]))
        with pins.use_pins(runs[:1], runs):
            pictures = [parts(chart.draw()) for chart in result.charts()]
        bold = {
            element.text
            for found in pictures
            for element in found
            if element.attrib.get("font-weight") == "bold"
        }
        assert bold <= {runs[0]}, name
        assert bold or name == "topics"


def test_svg_when_cells_have_numbers_then_these_keep_their_colour_where_other_words_are_made_pale():
    picture = svg(
        cells.cells(["AP"], ["one", "two"], np.array([[0.25, 0.5]]), title="tau").to_dict()
    ).replace(elements.INK, "#FAFAFA")
    colour = {
        text.text: text.get("fill")
        for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    }
    assert colour["0.250"] == colour["0.500"] == "#101820"
    assert colour["AP"] == "#FAFAFA"


@pytest.mark.parametrize("rows", [["a", "b"], []])
def test_svg_when_no_cell_has_a_value_then_the_rest_is_drawn(rows):
    found = parts(cells.cells(rows, ["AP"], np.full((len(rows), 1), np.nan), title="tau"))
    assert {*rows, "AP", "tau"} <= {element.text for element in found}
    assert not [
        element
        for element in found
        for value in element.attrib.values()
        if "nan" in value or "inf" in value
    ]


def test_svg_when_a_figure_has_what_it_does_not_know_then_it_is_refused():
    layout = {
        "margin": {"l": 1, "r": 1, "t": 1, "b": 1},
        "xaxis": {"range": [0, 1]},
        "yaxis": {"range": [0, 1]},
    }
    with pytest.raises(ParamError, match="a figure with pie cannot be drawn"):
        svg({"data": [{"type": "pie"}], "layout": layout})


RANGES = [(0, 1, "0", "1"), (0.013, 0.049, "0.02", "0.04"), (100, 0, "0", "100"), (3, 3, "3", "3")]


@pytest.mark.parametrize(("low", "high", "first", "last"), RANGES)
def test_round_values_when_a_range_is_given_then_they_lie_in_it(low, high, first, last):
    found = round_values(low, high, 5)
    assert (found[0][1], found[-1][1]) == (first, last)
    assert all(min(low, high) <= value <= max(low, high) for value, _ in found)


@pytest.mark.parametrize("turn", [0, -90, -40])
@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_text_when_measured_then_its_rectangle_holds_it_wherever_it_stands(anchor, turn):
    words = elements.text(100, 50, "WWWW", anchor, 10, turn)
    wide = 4 * 9.89  # of DejaVu Sans, at 10 pixels
    left, top, right, bottom = words.box
    if turn == 0:
        assert right - left == pytest.approx(wide)
        assert {"start": left, "middle": (left + right) / 2, "end": right}[anchor] == pytest.approx(
            100
        )
    if turn == -90:
        assert bottom - top == pytest.approx(wide)
        assert {"start": bottom, "middle": (top + bottom) / 2, "end": top}[anchor] == pytest.approx(
            50
        )
    assert min(right - left, bottom - top) >= 10


def test_svg_when_a_name_is_long_then_the_picture_holds_it_and_has_no_size_of_its_own():
    long = "W" * 80
    figure = row_charts.intervals(
        [long, "b"],
        row_charts.Ranges(
            np.zeros(2), np.zeros(2) - 0.1, np.zeros(2) + 0.1, np.array([True, False])
        ),
        "difference",
    )
    root = ElementTree.fromstring(svg(figure))
    assert "width" not in root.attrib
    left, _, width, _ = map(float, root.attrib["viewBox"].split())
    label = next(e for e in root.iter() if e.text and e.text.startswith("WW"))
    assert label.attrib["text-anchor"] == "end"
    assert left <= float(label.attrib["x"]) - elements.measure(
        label.text, float(label.attrib["font-size"])
    )
    assert left + width >= 720
    fixed = ElementTree.fromstring(svg(figure, pixels=300))
    assert (fixed.attrib["viewBox"].split()[:3], fixed.attrib["width"]) == (
        ["0", "0", "300"],
        "300",
    )


HEADS = ["rate for tau 0.9 (%)", "power at 100%", "minority rate at 10% ties", "errors at 10%"]


@pytest.mark.parametrize(("pixels", "turned"), [(480, True), (None, False)])
def test_labels_when_a_picture_is_narrow_then_they_are_turned_and_within_it(pixels, turned):
    line = line_charts.ChartLine("RBP(p=0.95)", np.linspace(1, 0.5, 6), styles(["AP"])["AP"])
    ends = line_charts.Axes(xtitle="kept", ytitle="tau", yrange=(0, 1), suffix="%")
    rates = line_charts.curves([100, 90, 70, 50, 30, 10], [line], ends)
    table = cells.cells(["AP", "RR"], HEADS * 2, np.full((2, 8), 0.5), title="tau")
    for figure, said in ((rates, {"100%", "90%"}), (table, {"power at 100%", "errors at 10%"})):
        picture = ElementTree.fromstring(svg(figure, pixels=pixels))
        labels = [one for one in picture.iter() if one.text in said]
        assert {one.text for one in labels} == said
        for label in labels:
            assert ("rotate" in label.get("transform", "")) == turned
            room = float(label.get("y"))
            assert room > (turned and elements.measure(label.text, float(label.get("font-size"))))
