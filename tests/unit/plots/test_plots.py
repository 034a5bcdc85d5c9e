"""What holds for every figure: every name that is asked for is within the figure, and
none covers another.
"""

import re
from copy import deepcopy
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irmeval.experiments.trials import banded
from irmeval.plots import (
    cells,
    display,
    heatmap,
    line_charts,
    names,
    pins,
    points,
    row_charts,
    slope,
)
from irmeval.plots.axes import DIGIT, GAP, on_one_scale
from irmeval.plots.canvas import (
    FREE,
    LEFT,
    MARGIN,
    STANDOFF,
    TELEPHONE,
    TITLE_LINE,
    Figure,
    axis_room,
    layout,
    make_figure,
)
from irmeval.plots.colors import (
    GREY,
    HIGHLIGHT,
    INK,
    MARKED,
    ON_DARK,
    PAGE,
    PALETTE,
    Style,
    contrast,
    faint,
    ink,
    on_dark,
    styles,
)
from irmeval.plots.elements import measure
from irmeval.plots.names import LETTER, list_names, space_out
from irmeval.plots.projected import TYPE, projected, with_lines
from irmeval.plots.svg import svg


@given(st.lists(st.floats(-0.2, 1.2), min_size=1, max_size=40), st.floats(0.001, 0.2))
def test_names_when_spread_then_are_within_the_axis_in_their_order_and_apart(heights, gap):
    placed = space_out(heights, gap, 0.0, 1.0)
    assert min(placed) >= 0
    assert max(placed) <= 1
    by_height = np.array(placed)[np.argsort(heights, kind="stable")]
    assert (np.diff(by_height) >= min(gap, 1 / max(len(heights) - 1, 1)) - 1e-9).all()


def test_curves_when_the_numbers_beside_the_axis_are_long_then_the_margin_has_room_for_them():
    line = line_charts.ChartLine("a", np.array([0.0, 1.0]), styles(["AP"])["AP"])
    tops = (1.0, 999.0, 30_000.0, 3_000_000.0)
    left = [
        line_charts.curves(
            [1, 2], [line], line_charts.Axes(xtitle="", ytitle="", yrange=(0, top))
        ).layout.margin.l
        for top in tops
    ]
    assert left[:2] == [LEFT] * 2
    assert LEFT + 11 <= left[2] < left[3]  # what Plotly takes for 30,000 in a browser


@pytest.mark.parametrize(("most", "longest"), [(900, "800"), (980, "1,000"), (9_800, "10,000")])
def test_bars_when_plotly_ends_their_axis_at_a_longer_number_then_the_margin_has_room_for_it(
    most, longest
):
    figure = row_charts.counts(["1", "2"], ["0"], np.array([[3, most]]), ("topics", "judgments"), 0)
    room = FREE + axis_room(GAP + measure(longest, DIGIT))
    assert figure.layout.margin.l == max(LEFT, room)


def test_name_when_a_line_ends_early_then_stands_at_its_last_point():
    style = styles(["AP"])["AP"]
    lines = [
        line_charts.ChartLine("whole", np.array([0.1, 0.2, 0.3]), style),
        line_charts.ChartLine("early", np.array([0.5, 0.6, np.nan]), style),
    ]
    figure = line_charts.curves(
        [1, 2, 3],
        [*lines, line_charts.ChartLine("none", np.full(3, np.nan), style)],
        line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1)),
    )
    assert [(a.text, a.x, a.xref, a.y) for a in figure.layout.annotations] == [
        ("whole", 1.01, "paper", pytest.approx(0.3)),
        ("early", 2, None, pytest.approx(0.6)),
    ]


def test_name_when_moved_off_the_end_of_its_line_then_a_line_leads_to_it_projected_too():
    style = styles(["AP", "Q", "nDCG"])
    ends = {"AP": 0.5, "Q": 0.51, "nDCG": 0.9}
    lines = [
        line_charts.ChartLine(name, np.array([1.0, end]), style[name]) for name, end in ends.items()
    ]
    for change in (lambda figure: figure, projected):
        figure = change(
            line_charts.curves([1, 2], lines, line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1)))
        )
        height = {note.text: note.y for note in figure.layout.annotations}
        led = {
            shape.line.color: (shape.y0, shape.y1, shape.x0, shape.x1)
            for shape in figure.layout.shapes
        }
        x0 = pytest.approx(1 - 0.03 / 1.06)  # of the last point
        assert led == {
            ink(style[name].color): (pytest.approx(ends[name]), height[name], x0, 1.008)
            for name in ("AP", "Q")
        }
        assert height["nDCG"] == pytest.approx(0.9)
        assert svg(figure).count(style["AP"].color) >= 4  # the line, its two points, its leader


@pytest.mark.parametrize(
    ("low", "high", "crowded"),
    [
        ([[0, 0], [0, 0], [0, 0]], [[1, 1], [1, 1], [1, 1]], True),
        ([[0, 0], [1, 1], [2, 2]], [[1, 1], [2, 2], [3, 3]], False),
        ([[0, 0], [0.1, 0], [0.2, 0]], [[1, 0], [0.9, 0], [0.8, 0]], True),  # 1 + .8 + .6 within 1
        ([[0, 0], [0, 0], [0, 1]], [[1, 1], [1, 1], [1, 3]], False),  # six within four
        ([[0, np.nan], [0, 0], [0, 0]], [[1, np.nan], [1, 1], [1, 1]], True),
        ([[1, 1], [1, 1], [1, 1]], [[1, 1], [1, 1], [1, 1]], False),
    ],
)
def test_bands_when_more_than_two_lie_over_each_other_then_they_are_crowded(low, high, crowded):
    assert line_charts.are_crowded(np.array(low, float), np.array(high, float)) is crowded


def test_lines_when_their_bands_would_hide_each_other_then_bars_stand_side_by_side():
    values = np.random.default_rng(1).uniform(0.4, 0.6, (4, 3, 9))
    figure = banded("ABCD", (100.0, 50.0, 10.0), values, "tau")
    bars = [trace for trace in figure.data if trace.name.endswith(line_charts.BAND)]
    assert len(bars) == 4
    for trace, low, high in zip(bars, *np.percentile(values, [5, 95], axis=-1), strict=True):
        assert trace.fill is None
        assert np.array_equal(np.reshape(trace.y, (3, 3))[:, :2], np.column_stack([low, high]))
    places = np.array([np.reshape(trace.x, (3, 3))[:, 0] for trace in bars])
    assert np.allclose(places.mean(axis=0), [100, 50, 10])
    assert (np.diff(places, axis=0) > 0).all()
    near = banded(
        "ABCD", (100.0, 50.0, 10.0, 9.0, 8.0, 1.0), np.concatenate([values, values], axis=1), "tau"
    )
    # 9 and 8 are too near to 10
    assert {len(trace.x) / 3 for trace in near.data if trace.name.endswith(line_charts.BAND)} == {4}
    one = banded("AB", (100.0, 50.0, 10.0), np.stack([values[0], values[1] + 1]), "tau")
    assert [trace.fill for trace in one.data if trace.name.endswith(line_charts.BAND)] == [
        "toself",
        "toself",
    ]


def test_list_of_names_when_they_are_very_many_then_it_is_no_taller_than_the_plot():
    for n in (3, 30):
        places = [name["y"] for name in list_names([("AP", "#000000")] * n, 1, "right")]
        assert places[0] == 1
        assert places == sorted(places, reverse=True)
        assert places[-1] > 0


@pytest.mark.parametrize(("rows", "side"), [(2, "b"), (row_charts.MANY + 1, "t")])
@pytest.mark.parametrize(
    ("letters", "title"),
    [(5, "difference in AP from BBGhelani1"), (24, "difference in AP<br>from BBGhelani1")],
)
def test_title_when_longer_than_its_axis_in_a_narrow_window_then_stands_in_two_lines(
    letters, title, rows, side
):
    value = np.zeros(rows)
    figures = [
        row_charts.intervals(
            [f"{i:0{letters}d}" for i in range(rows)],
            row_charts.Ranges(value, value, value, value > 0),
            said,
        )
        for said in (title.replace("<br>", " "), "AP")
    ]
    long, short = (figure.layout for figure in figures)
    assert long.xaxis.title.text == title
    more = TITLE_LINE if "<br>" in title else 0
    assert long.height - short.height == more
    assert {edge: long.margin[edge] - short.margin[edge] for edge in "lrtb"} == {
        edge: more * (edge == side) for edge in "lrtb"
    }


def test_title_when_longer_than_its_upright_axis_then_it_stands_in_two_lines():
    long, short = (
        banded(
            "A", (100.0, 10.0), np.ones((1, 2, 1)), f"Kendall's tau{of} with the full judgments"
        ).layout
        for of in (", of disagreements", "")
    )
    assert long.yaxis.title.text == "Kendall's tau, of disagreements<br>with the full judgments"
    assert short.yaxis.title.text == "Kendall's tau with the full judgments"
    assert long.margin.l - short.margin.l == TITLE_LINE
    lines = [line_charts.ChartLine("AP", np.array([1.0, 0.5]), styles(["AP"])["AP"])]
    for title, said in (
        ("Kendall's tau with the full judgments", "Kendall's tau with<br>the full judgments"),
        ("tau", "tau"),
    ):
        figure = line_charts.curves(
            [1, 2], lines, line_charts.Axes(xtitle="", ytitle=title, yrange=(0, 1))
        )
        assert figure.layout.yaxis.title.text == title
        before = figure.layout.margin.l
        large = projected(figure).layout
        assert large.yaxis.title.text == said
        assert (large.margin.l > 1.4 * before) == (title != said)


def test_lines_when_some_are_named_then_those_alone_are_drawn_with_their_bands_under_their_labels():
    style = styles(["AP", "Q, <x>"])
    lines = [
        line_charts.ChartLine(name, np.array([1.0, 0.5]), style[name], np.zeros(2), np.ones(2))
        for name in style
    ]
    figure = with_lines(
        line_charts.curves([1, 2], lines, line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1))),
        {"Q, <x>": "Q&A"},
    )
    assert [trace.name for trace in figure.data] == ["Q, &lt;x&gt; band", "Q&amp;A"]
    assert [note.text for note in figure.layout.annotations] == ["Q&amp;A"]
    assert not with_lines(figure, {"misspelt": "A"}).data


@pytest.mark.parametrize(
    "trace",
    [
        {"type": "bar", "x": [1, 2], "y": [3, 4]},
        {"type": "box", "x": [1, 1], "y": [3, 4]},
    ],
    ids=lambda trace: trace["type"],
)
def test_figure_when_of_bars_or_boxes_then_is_projected_with_larger_letters(trace):
    figure = projected(make_figure([trace]))
    assert figure.layout.font.size == TYPE


@pytest.mark.parametrize(
    ("y", "shown"),
    [([1.0, 0.5, 0.2], 1), ([1.0, np.nan, 0.2], 3), ([1.0], 1), ([1.0, 0.5, np.nan], 1)],
)
def test_lines_when_not_named_then_a_browser_draws_one_hidden_point_unless_one_stands_alone(
    y, shown
):
    style = styles(["a", "b"])
    lines = [line_charts.ChartLine(name, np.array(y), style[name]) for name in style]
    axes = line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1))
    figure = line_charts.curves([*range(len(y))], lines, axes, named=["b"])
    grey, named = (trace.marker for trace in figure.data)
    assert (named.opacity, named.maxdisplayed) == (None, None)
    assert min(grey.maxdisplayed or len(y), len(y)) == shown
    is_alone = y in ([1.0, np.nan, 0.2], [1.0])
    assert (grey.opacity is None) == is_alone
    points = np.isfinite(y).sum()
    assert svg(figure).count("<circle") == points * (1 + is_alone)


def test_lines_when_not_named_then_those_of_one_style_are_one_trace_with_gaps_below_the_named():
    style, low = Style("#112233"), np.array([0.1, 0.2])
    other = Style("#445566", dash="dot")
    lines = [
        line_charts.ChartLine("named", np.array([1.0, 0.9]), style),
        line_charts.ChartLine("a<b>", np.array([0.5, 0.4]), style),
        line_charts.ChartLine("c", np.array([0.3, 0.2]), other),
        line_charts.ChartLine("banded", np.array([0.2, 0.3]), style, low, low + 1),
        line_charts.ChartLine("d", np.array([0.7, 0.6]), style),
    ]
    axes = line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1))
    figure = line_charts.curves([1, 2], lines, axes, named=["named"])
    band, alike, dotted, banded, named = figure.data
    assert (band.name, named.name) == ("banded band", "named")
    assert alike.x == (1, 2, None) * 2
    np.testing.assert_equal(alike.y, [0.5, 0.4, np.nan, 0.7, 0.6, np.nan])
    assert alike.text == ("a&lt;b&gt;",) * 3 + ("d",) * 3
    assert (dotted.text, dotted.line.dash) == (("c",) * 3, "dot")
    np.testing.assert_equal(banded.customdata, [[0.1, 1.1], [0.2, 1.2], [np.nan] * 2])
    assert banded.hovertemplate == (
        "%{y:.4f} [%{customdata[0]:.4f}, %{customdata[1]:.4f}]<extra>%{text}</extra>"
    )
    assert named.hovertemplate == "%{y:.4f}"  # Plotly names the trace
    runs = {"a&lt;b&gt;": "a<b>", "d": "d"}
    assert [pins.run_at(alike.to_plotly_json(), i, runs) for i in (0, 4)] == ["a<b>", "d"]
    assert svg(figure).count('stroke="#112233" stroke-opacity="0.6"') == 3


def test_names_when_listed_in_a_projected_figure_then_each_is_a_line_below_the_one_before():
    style = styles(["AP", "Q"])
    lines = [
        line_charts.Path(
            name, np.array([0.0, 1.0]), np.array([1.0, 0.0]), style[name], "1%", ["", ""]
        )
        for name in style
    ]
    figure = projected(line_charts.paths(lines, xtitle="x", ytitle="y"))
    first, second = (note.y for note in figure.layout.annotations)
    tall = figure.layout.height - figure.layout.margin.t - figure.layout.margin.b
    assert (first, (first - second) * tall > figure.layout.annotations[0].font.size) == (1, True)


@pytest.mark.parametrize(
    ("n", "expected"), [(3, ["1", "2", "3"]), (4321, ["1,000", "2,000", "3,000", "4,000"])]
)
def test_ticks_when_a_line_is_long_then_are_round_and_whole(n, expected):
    figure = line_charts.long_line(1, np.linspace(1, 0, n), "place", "value", 2)
    assert list(figure.layout.xaxis.ticktext) == expected
    assert list(figure.layout.xaxis.tickvals) == [float(text.replace(",", "")) for text in expected]
    assert not figure.layout.annotations  # the axis names the line, which has the width to itself


def test_ticks_when_an_axis_is_short_then_its_ends_are_labelled_before_others():
    line = line_charts.ChartLine("AP", np.linspace(1, 0, 5), styles(["AP"])["AP"])
    figure = line_charts.curves(
        [70, 14, 12, 11, 10],
        [line],
        line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1), suffix="%"),
    )
    assert list(figure.layout.xaxis.ticktext) == ["70%", "10%"]
    assert list(figure.layout.xaxis.tickvals) == [70, 10], "no mark without its number"


def test_names_at_line_ends_when_long_then_stand_in_two_lines_apart_from_each_other():
    style = styles(["AP"])["AP"]
    short, long = (
        line_charts.curves(
            [2, 1],
            [line_charts.ChartLine(n, np.array([1.0, 0.5]), style) for n in names],
            line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1)),
        )
        for names in (
            ["reference", "filled"],
            ["the reference alone", "AP (filled by lenient)", "CincyMedIR-run1_v4", "x" * 20],
        )
    )
    assert [note.text for note in long.layout.annotations] == [
        "the reference<br>alone",
        "AP (filled<br>by lenient)",
        "CincyMedIR-<br>run1_v4",
        "x" * 20,
    ]
    assert long.layout.margin.r == MARGIN + names.label_width(["x" * 20])
    apart = [
        abs(figure.layout.annotations[0].y - figure.layout.annotations[1].y)
        for figure in (short, long)
    ]
    assert apart[1] == pytest.approx(2 * apart[0])
    shown = with_lines(long, {"the reference alone": "alone"})
    assert [note.text for note in shown.layout.annotations] == ["alone"]
    assert line_charts.in_one_line("CincyMedIR-<br>run1_v4") == "CincyMedIR-run1_v4"


def test_drop_lines_when_drawn_then_each_has_name_and_place_at_its_foot_in_a_row_of_its_own():
    at = {"AP": 61.0, "Q": 41.0, "RR": 40.0, "RBP": np.inf, "nDCG": 95.0}
    style = styles([*at])
    figure = line_charts.curves(
        [100, 50, 10],
        [line_charts.ChartLine(n, np.array([1.0, 0.9, 0.5]), style[n]) for n in at],
        line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1), suffix="%"),
        threshold=0.9,
        crossings={name: line_charts.Crossing(x, f"{x:.0f}%") for name, x in at.items()},
    )
    feet = [note for note in figure.layout.annotations if note.xref != "paper" and note.yshift]
    dropped = {shape.name: shape.x0 for shape in figure.layout.shapes if shape.name in at}
    assert {note.text: note.x for note in feet} == {
        f"{name} {x:.0f}%": x for name, x in dropped.items()
    }
    assert {*dropped} == {"AP", "Q", "RR", "nDCG"}
    heights = sorted(note.yshift for note in feet)
    assert min(np.diff(heights)) > max(note.font.size for note in feet)
    # within the figure: an early one on the right of its line
    assert {note.text: note.xanchor for note in feet}["nDCG 95%"] == "left"


def test_ticks_when_near_each_other_then_they_are_one_row_and_one_that_would_touch_is_left_out():
    style = styles(["AP"])["AP"]
    rates = [100, 95, 90, 70, 50, 30, 10]
    figure = line_charts.curves(
        rates,
        [line_charts.ChartLine("AP", np.linspace(1, 0, 7), style)],
        line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1), suffix="%"),
    )
    assert figure.layout.xaxis.ticktext == ("100%", "90%", "70%", "50%", "30%", "10%")
    assert figure.layout.xaxis.tickvals == (100, 90, 70, 50, 30, 10)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return float(
        np.dot(
            [0.2126, 0.7152, 0.0722],
            [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts],
        )
    )


def test_figure_when_the_page_is_dark_then_its_colours_stand_out_and_stay_apart():
    dark = on_dark(
        {"data": [{"line": {"color": color}, "x": (1, 2)} for color in PALETTE.values()]}
    )
    colors = [trace["line"]["color"] for trace in dark["data"]]
    assert len({*colors}) == len(PALETTE)
    assert min(map(luminance, colors)) + 0.05 > 4.5 * (luminance("#171614") + 0.05)
    assert on_dark(faint(PALETTE["blue"], 0.25)) == faint(colors[0], 0.25)
    assert on_dark("#not a colour") == "#not a colour"


def test_figure_when_it_is_for_the_page_then_has_the_looks_that_it_lacks_and_no_template():
    figure = make_figure(
        [], xaxis={"title": "x"}, yaxis={"automargin": False}, margin={"l": 7}, legend={"x": 0}
    )
    light, dark = (display.on_page(figure, dark=turned)["layout"] for turned in (False, True))
    assert (light["font"]["color"], dark["font"]["color"]) == (INK, ON_DARK[INK])
    assert light["xaxis"]["title"] == {
        "text": "x",
        "standoff": STANDOFF,
        "font": {"size": 14},
    }
    assert (
        light["xaxis"]["automargin"],
        light["yaxis"]["automargin"],
        light["xaxis"]["showgrid"],
    ) == (True, False, False)
    assert (
        light["margin"]["l"],
        light["margin"]["pad"],
        light["hoverlabel"]["namelength"],
        light["legend"],
    ) == (7, 8, -1, {"x": 0})
    assert "template" not in light


def test_figure_when_a_number_of_it_changes_then_its_revision_does_and_it_is_drawn_again():
    once, again, other = (
        display.on_page(make_figure([{"type": "bar", "y": y}]), dark=False)
        for y in ([1, 2], [1, 2], [1, 3])
    )
    assert once == again
    assert once["layout"]["datarevision"] != other["layout"]["datarevision"]


@given(
    st.lists(st.text("ab-", min_size=1, max_size=60), min_size=1, max_size=9, unique=True),
    st.integers(2, 12),
)
def test_names_when_on_an_axis_then_are_short_the_last_is_among_them_and_as_many_as_fit(
    given_names, most
):
    at, shown = names.ticks(given_names, most).values()
    assert at[-1] == len(given_names) - 1
    assert len(at) == len(shown) <= most
    assert np.all(np.diff(at) > 0)
    assert max(map(len, names.shorten_names(given_names))) <= names.LETTERS


@pytest.mark.parametrize("runs", [3, slope.MANY + 5])
def test_titles_of_orders_when_names_are_beside_ranks_then_are_in_line_with_them_in_any_font(runs):
    names, ranks = [f"run{run}" for run in range(runs)], [*range(1, runs + 1)]
    figure = slope.slope(names, ranks, ranks[::-1], ("AP", "Q"))
    before, after = figure.layout.annotations[:2]
    written = [trace for trace in figure.data if trace.mode == "text"]
    right = written[-1]
    blanks = {len(text) - len(text.lstrip("\u00a0")) for text in right.text if text}
    assert {len(after.text) - len("Q")} == blanks
    assert (after.text.lstrip("\u00a0"), after.x, after.xshift) == ("Q", right.x[0], None)
    assert before.text.rstrip("\u00a0") == "AP"


def test_names_when_long_and_alike_then_what_differs_is_shown():
    long = [f"a-very-long-system-name-{k}-and-more-of-it-at-the-end" for k in "xyz"]
    short = names.shorten_names(long)
    assert [name[name.index("…") + 1] for name in short] == ["x", "y", "z"]
    assert {name[:4] for name in short} == {"a-ve"}
    figure = slope.slope(long, [1, 2, 3], [2, 1, 3], ("AP", "Q"))
    *lines, left, right = figure.data
    longest = max(len(text.strip()) for side in (left, right) for text in side.text)
    assert figure.layout.margin.l == figure.layout.margin.r >= names.LETTER * longest
    assert figure.layout.margin.l + figure.layout.margin.r < 300, (
        "else a telephone has no room for the lines"
    )
    assert {run for trace in lines for run in trace.text} == {*long}


def test_slope_when_names_tie_then_the_label_counts_the_others_and_a_pointer_lists_all():
    runs = [*(f"a-very-long-system-name-{k}" for k in range(12)), "<b>last"]
    figure = slope.slope(runs, [1] * 12 + [13], [1, *range(2, 14)], ("AP", "Q"))
    *lines, left, right = figure.data
    assert [text.strip() for text in left.text] == ["a-very…name-0 + 11", "&lt;b&gt;last"]
    assert len(right.text) == 13
    assert not any(" + " in text or "," in text for text in right.text)
    said = {
        trace.text[i]: trace.customdata[i] for trace in lines for i in range(0, len(trace.text), 3)
    }
    assert all(name in said[runs[3]] for name in runs[:12])
    assert said["&lt;b&gt;last"] == "13 → 13"
    with pins.use_pins(runs[5:6], runs):
        labels = slope.slope(runs, [1] * 12 + [13], [1, *range(2, 14)], ("AP", "Q")).data[-2].text
    assert "<b>a-very…name-5</b></span> + 11" in labels[0]


@pytest.mark.parametrize("runs", [4, 126])
def test_slope_when_it_has_a_note_then_that_stands_a_line_below_the_last_rank(runs):
    names, ranks = [f"run{i}" for i in range(runs)], [*range(1, runs + 1)]
    figure = slope.slope(names, ranks, ranks[::-1], ("AP", "Q"), "tau -1")
    low, high = figure.layout.yaxis.range
    margins = figure.layout.margin
    drawn = figure.layout.height - margins.t - margins.b
    [note] = [note for note in figure.layout.annotations if note.yref == "y"]
    assert (note.y - runs) * drawn / (low - high) >= slope.LINE / 2


@pytest.mark.parametrize(
    ("name", "plain", "bold"),
    # pixels of the label of run 0 in DejaVu Sans, as wide as Verdana
    [("a-system-of-a-team-", 149, 166), ("INQ6", 57, 62), ("illiillii", 57, 65)],
)
def test_slope_when_runs_are_many_then_the_margin_is_that_of_the_longest_label_and_no_wider(
    name, plain, bold
):
    names, ranks = [f"{name}{number:02d}" for number in range(60)], [*range(1, 61)]
    for forward, longest in ("", plain), (names[0], bold):
        margin = slope.slope(names, ranks, ranks[::-1], ("AP", "Q"), forward=forward).layout.margin
        assert longest <= margin.r <= longest + LETTER


def test_slope_when_runs_are_many_then_those_that_move_most_are_named_in_full_and_others_are_grey():
    rng = np.random.default_rng(1)
    runs = [f"a-very-long-system-name-with-its-settings-{k}" for k in range(126)]
    left, right = np.arange(1, 127), rng.permutation(126) + 1
    figure = slope.slope(runs, left.tolist(), right.tolist(), ("AP", "Q"))
    others, *lines, labels = figure.data
    moved = np.abs(left - right)
    named = [line.text[0] for line in lines]
    assert len(named) == slope.MOVERS
    assert min(moved[runs.index(run)] for run in named) >= np.sort(moved)[-slope.MOVERS]
    assert others.line.color == faint(GREY, 0.35)
    assert all(any(run in text for text in labels.text) for run in named)  # whole names
    heights = np.sort(labels.y) * (figure.layout.height - 50) / 127
    assert np.diff(heights).min() > slope.LINE * 0.9
    with pins.use_pins([], runs, runs[int(moved.argmin())]):
        searched = slope.slope(runs, left.tolist(), right.tolist(), ("AP", "Q")).data
    assert any(runs[int(moved.argmin())] in text for text in searched[-1].text)


def test_cells_when_rows_and_columns_are_the_same_names_then_the_diagonal_is_grey_without_a_value():
    values = np.array([[1.0, 0.2], [0.4, 1.0]])
    shown, diagonal = cells.cells(
        ["a", "b"], ["a", "b"], values, title="tau", shades=cells.Shades(diagonal=True)
    ).data
    assert np.isnan(np.diag(np.array(shown.z, float))).all()
    assert [[bool(text) for text in row] for row in shown.text] == [[False, True], [True, False]]
    assert shown.zmax == 0.4, "else 1 would take the deepest colour"
    assert np.isfinite(np.array(diagonal.z, float)).tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize(("page", "turned"), [("#ffffff", dict), ("#171614", on_dark)])
def test_matrix_when_a_pair_differs_alone_then_its_colour_is_far_from_grey_and_from_the_full_one(
    page, turned
):
    z = np.zeros((2, 2))
    cells = heatmap.pairs(
        ["a", "b"], z[0], z, z, [z.astype(str)] * 2, [z] * 4, level=0.95
    ).to_dict()["data"][0]
    parts = [
        [float(part) for part in color[5:-1].split(",")]
        for _, color in turned(cells)["colorscale"][::2]
    ]
    behind = [int(page[i : i + 2], 16) for i in (1, 3, 5)]
    seen = [
        "#"
        + "".join(
            f"{round(c * part[3] + b * (1 - part[3])):02x}"
            for c, b in zip(part, behind, strict=False)
        )
        for part in parts
    ]
    full_worse, worse, grey, better, full_better = (luminance(color) + 0.05 for color in seen)
    for full, pale in ((full_worse, worse), (full_better, better)):
        assert min(max(a / b, b / a) for a, b in ((pale, grey), (full, pale))) > 1.6


@pytest.mark.parametrize("letters", [2, 15, 24])
def test_rates_when_the_names_of_the_lines_are_long_then_do_not_touch_and_turn_on_a_telephone(
    letters,
):
    rates = [70, 50, 30, 20, 10]
    figure = line_charts.against_rate(
        rates,
        [line_charts.ChartLine("x" * letters, np.ones(5), Style(GREY))],
        np.ones(5),
        "share",
    )
    margin, reach = figure.layout.margin, figure.layout.xaxis.range
    axis = figure.layout.xaxis
    shown = [*zip(axis.tickvals, axis.ticktext, strict=True)]

    def pixels(width: float) -> float:
        return (width - margin.l - margin.r) / (reach[0] - reach[1])

    beside = names.LETTER / pixels(line_charts.HALF)
    ends = [(x + beside * len(text) / 2, x - beside * len(text) / 2) for x, text in shown]
    assert all(left[1] - right[0] > beside / 2 for left, right in pairwise(ends))
    assert figure.layout.xaxis.autotickangles == (0, -90)  # one above the other, each a line high
    apart = [(left[0] - right[0]) * pixels(TELEPHONE) for left, right in pairwise(shown)]
    assert min(apart) > line_charts.TURNED


@pytest.mark.parametrize(("columns", "written"), [(3, True), (cells.WRITTEN + 1, False)])
def test_cells_when_their_numbers_are_printed_then_what_they_are_stands_below_in_place_of_a_scale(
    columns, written
):
    figure = cells.cells(
        ["r"], [str(c) for c in range(columns)], np.ones((1, columns)), title="<b>tau"
    )
    assert figure.data[0].showscale is not written
    assert [note.text for note in figure.layout.annotations] == ["&lt;b&gt;tau"] * written
    drawn = svg(figure)
    assert drawn.count("tau</text>") == 1
    assert figure.layout.margin.r <= 10, "on a telephone a scale beside cells takes half of them"


def test_numbers_in_cells_when_in_per_cent_then_do_not_touch_on_a_telephone():
    texts = [["1.4%", "3.4%"] * 4] * 2
    figure = cells.cells(
        ["nDCG'", "RBP(p=0.95)"], [*"abcdefgh"], np.ones((2, 8)), title="x", printed=texts
    )
    size = figure.data[0].textfont.size
    room = (TELEPHONE - figure.layout.margin.l - figure.layout.margin.r) / 8
    assert size * (3 * 0.56 + 0.9) < room, "as wide as browsers draw it, with a point of a digit"


def test_names_when_the_window_is_narrow_then_no_more_are_shown_than_fit_at_even_distances():
    rules = re.findall(
        r"last-child\(n\+(\d+) of .*?last-child\(-n\+(\d+) of .*?:nth-child\((\d+)n\+1 of",
        names.narrow_style(),
    )
    for n in range(1, names.MAX_NAMES + 1):
        steps = [int(step) for more, most, step in rules if int(more) <= n <= int(most)] or [1]
        shown = range(0, n, steps[0])
        assert len(steps) == 1
        assert min(n, names.FIT // 2) <= len(shown) <= names.FIT


@pytest.mark.parametrize("n", [30, 126])
def test_names_when_runs_are_many_then_every_nth_is_on_the_axis(n):
    runs = [f"run{i}" for i in range(n)]
    across = points.strips(
        runs, np.zeros((n, 3)), ["1", "2", "3"], "box", xtitle="", ytitle=""
    ).layout.xaxis
    z = np.zeros((n, n))
    matrix = heatmap.pairs(runs, np.zeros(n), z, z, [z.astype(str)] * 2, [z] * 4, level=0.95).layout
    assert across.ticktext[0] == matrix.xaxis.ticktext[0] == matrix.yaxis.ticktext[0] == "run0"
    assert (
        across.ticktext[-1]
        == matrix.xaxis.ticktext[-1]
        == matrix.yaxis.ticktext[-1]
        == f"run{n - 1}"
    )
    assert len(matrix.xaxis.ticktext) * matrix.xaxis.tickfont.size <= heatmap.NARROW


def test_groups_when_several_then_are_one_trace_with_a_gap_and_the_text_of_each():
    figure = row_charts.ladder(["a", "<b>", "c"], np.array([3, 2, 1]), [(0, 1), (1, 2)], "AP")
    _, bars = figure.data
    assert bars.x == (0, 0, None, 1, 1, None)
    assert bars.y == (-0.3, 1.3, None, 0.7, 2.3, None)
    assert bars.text == ("a to &lt;b&gt;: 2",) * 3 + ("&lt;b&gt; to c: 2",) * 3
    none = row_charts.ladder(["a"], np.array([1.0]), [], "AP")
    assert svg(none).count("<circle") == 1


@pytest.mark.parametrize("kind", points.KINDS)
def test_points_when_a_browser_draws_no_dot_for_them_then_no_names_are_sent_for_them(kind):
    values = np.random.default_rng(4).standard_t(2, (5, 40))
    values[0, :7] = np.nan
    values[1, 3:] = np.nan
    values[2] = np.nan
    topics = [f"<{i}>" for i in range(40)]
    box = points.strips("abcde", values, topics, kind, xtitle="", ytitle="").data[0]
    for i, row in enumerate(values):
        known = sorted(row[np.isfinite(row)])
        first, last = (0, 0) if not known else _quartiles(known)
        for j, value in enumerate(row):
            at = i * 40 + j
            is_drawn = value < 2.5 * first - 1.5 * last or value > 2.5 * last - 1.5 * first
            told = (f"&lt;{j}&gt;", "abcde"[i]) if is_drawn or kind == "strip" else ("", "")
            assert (box.text[at], box.customdata[at]) == told
    drawn = sum(map(bool, box.text))
    assert drawn == values.size if kind == "strip" else 0 < drawn < 0.3 * values.size


def _quartiles(ordered):
    """Interpolated between the two values around a quarter and three quarters, as by
    Plotly.
    """

    def value_at(share):
        place = min(max(share * len(ordered) - 0.5, 0), len(ordered) - 1)
        below = int(place)
        above = min(below + 1, len(ordered) - 1)
        return ordered[below] + (place - below) * (ordered[above] - ordered[below])

    return value_at(0.25), value_at(0.75)


@pytest.mark.parametrize(("n", "turned"), [(2, False), (6, None), (30, True)])
def test_names_when_a_wide_window_has_room_then_are_turned_only_in_a_narrow_one(n, turned):
    across = points.strips(
        [f"measure {i}" for i in range(n)],
        np.zeros((n, 3)),
        ["1", "2", "3"],
        "box",
        xtitle="",
        ytitle="",
    ).layout.xaxis
    assert (across.tickangle, across.autotickangles) == (
        {False: 0, True: -60}.get(turned),
        (0, -60) if turned is None else None,
    )


@pytest.mark.parametrize(("n", "gap"), [(10, 1), (100, 0)])
def test_cells_when_gaps_would_hide_them_in_a_narrow_window_then_have_none(n, gap):
    (grid,) = cells.cells(["run"], [f"{i}" for i in range(n)], np.zeros((1, n)), title="").data
    assert (grid.xgap, grid.ygap) == (gap, 1)


@pytest.mark.parametrize("letters", [5, 24])
def test_matrix_when_all_names_are_written_then_it_is_square_within_a_window_and_readable(letters):
    n = heatmap.NAMED
    runs, z = [f"{i}".zfill(letters) for i in range(n)], np.zeros((n, n))
    layout = heatmap.pairs(runs, z[0], z, z, [z.astype(str)] * 2, [z] * 4, level=0.95).layout
    wide = layout.width - layout.margin.l - layout.margin.r
    tall = layout.height - layout.margin.t - layout.margin.b
    assert wide == pytest.approx(tall, abs=1)
    assert len(layout.yaxis.ticktext) == n
    assert 10 <= layout.yaxis.tickfont.size < tall / n
    assert 0.8 * heatmap.TALL < layout.height <= heatmap.TALL


def test_matrix_when_runs_are_more_than_can_be_named_then_every_tenth_is_named():
    n = 126
    difference = np.subtract.outer(np.arange(n), np.arange(n)) / n
    verdict = 2 * np.sign(difference)
    p = np.full((n, n), "0.1", object)
    figure = heatmap.dense([f"r{i}" for i in range(n)], difference, verdict, p)
    (cells,) = figure.data
    assert figure.layout.xaxis.ticktext == (
        "r0",
        "r10",
        *(f"r{i}" for i in range(20, 120, 10)),
        "r125",
    )
    assert (cells.y[5], cells.x[3]) == ("r5", "r3")
    assert cells.text[5][3] == "0.1"
    assert "p %{text} at once" in cells.hovertemplate
    assert cells.customdata[5][3] == pytest.approx(0.0159, abs=5e-5)
    assert cells.z[5][3] == 2
    assert cells.z[7][7] is None
    assert cells.xgap is None
    # words and digits of each cell that the template or fewer bytes could tell were 0.6 MB
    assert len(figure.to_json()) < 18 * n * n


@pytest.mark.parametrize("n", [4, 50])
def test_matrix_when_runs_are_named_by_numbers_then_each_name_is_beside_its_cells(n):
    names, z = [f"{n - i}" for i in range(n)], np.zeros((n, n))
    text = z.astype(str).astype(object)
    if n > heatmap.NAMED:
        figure = heatmap.dense(names, z, z, text)
    else:
        figure = heatmap.pairs(names, z[0], z, z, [text, text], [z] * 4, level=0.95)
    # a number would be the place of the run of that name
    assert figure.layout.yaxis.tickvals == figure.layout.yaxis.ticktext


def test_matrix_when_runs_are_a_thousand_then_a_cell_is_a_block_in_its_mean_colour():
    n = 999
    verdict = np.zeros((n, n))
    verdict[:5, 5:10] = [2, 2, 1, 0, 0]
    text = np.full((n, n), "", object)
    figure = heatmap.dense([f"r{i}" for i in range(n)], verdict, verdict, text)
    (cells,) = figure.data
    assert np.shape(cells.z) == (200, 200)
    assert cells.z[0][1] == pytest.approx(1)
    assert cells.z[199][199] == 0  # of 4 runs, each but with itself
    assert cells.customdata[0][1] == 0.4
    assert (cells.y[0], cells.x[1], cells.x[199]) == ("1 to 5", "6 to 10", "996 to 999")


def test_name_when_it_stands_among_dots_then_the_colour_of_the_page_is_behind_it_on_dark_ones_too():
    figure = points.points(["a", "b"], np.array([0.1, 0.2]), np.array([0.2, 0.4]), ("x", "y"), [0])
    assert [note.bgcolor for note in figure.layout.annotations] == ["rgba(255,255,255,0.8)"]
    assert svg(figure).count('fill="#FFFFFF"') == 1
    assert on_dark(figure.to_dict())["layout"]["annotations"][0]["bgcolor"] == "rgba(23,22,20,0.8)"
    assert on_dark(HIGHLIGHT) == "#FFFFFF"
    assert "#FFFFFF" in on_dark(f'{MARKED}{HIGHLIGHT}">a')


def assert_names_are_free(figure, widths=(222, 300, 390, 480, 720, 896)) -> None:
    """In a chart of any of these widths between its axes, names are between the axes,
    and cover no dot and no other name.
    """
    layout = figure.layout
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    tall, radius, size = (
        layout.height - layout.margin.t - layout.margin.b,
        dots[0].marker.size / 2,
        layout.annotations[0].font.size,
    )
    (least, most), (low, high) = layout.xaxis.range, layout.yaxis.range
    share, down = (
        (np.concatenate([trace.x for trace in dots]) - least) / (most - least),
        np.concatenate([trace.y for trace in dots]),
    )
    down = (high - down) / (high - low) * tall
    notes = [note.to_plotly_json() for note in layout.annotations]
    for width in widths:
        boxes, x = [], share * width
        for note in notes:
            wide = names.LETTER * len(note["text"]) * size / points.TYPE
            left = (
                (note["x"] - least) / (most - least) * width
                + note["ax"]
                - wide * {"left": 0, "center": 0.5, "right": 1}[note["xanchor"]]
            )
            middle = (high - note["y"]) / (high - low) * tall + note["ay"]
            boxes.append((left, middle - size * 0.6, left + wide, middle + size * 0.6))
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= tall
            assert not (
                (left - radius < x)
                & (x < right + radius)
                & (top - radius < down)
                & (down < bottom + radius)
            ).any()
        for (a, b, c, d), (e, f, g, h) in combinations(boxes, 2):
            assert c <= e or g <= a or d <= f or h <= b


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [8, 30, 126])
def test_names_when_dots_are_many_then_cover_no_dot_and_no_name_at_any_width_on_other_axes_too(
    count, seed
):
    rng = np.random.default_rng(seed)
    x = rng.beta(2, 3, count)
    y = x + rng.normal(0, 0.1, count)
    runs = [f"run-{'x' * (i % 9)}{i}" for i in range(count)]
    draw = partial(points.points, runs, titles=("x", "y"), y=y, identity=True)
    figure, other = (
        draw(x, named=np.argsort(-np.abs(x - y))[:4].tolist()),
        draw(2 * x, named=[0, 1]),
    )
    assert [len(one.layout.annotations) for one in (figure, other)] == [4, 2]
    assert_names_are_free(figure)
    assert_names_are_free(projected(deepcopy(figure)), (360, 500, 900))
    for one in on_one_scale(figure, other):
        assert_names_are_free(points.with_names_placed(one))


def test_points_when_named_then_the_axes_end_where_the_points_do():
    axes = points.points(
        ["a", "b", "c"], np.array([0.1, 0.2, 0.3]), np.array([0.2, 0.2, 0.4]), ("x", "y"), [0, 1]
    ).layout
    assert axes.xaxis.range == pytest.approx((0.088, 0.312))
    assert axes.yaxis.range == pytest.approx((0.188, 0.412))


def test_numbers_in_cells_when_a_telephone_has_room_then_are_as_large_as_fits_else_by_plotly():
    def size(columns, number):
        shape = 8, columns
        names = [f"column {i}" for i in range(columns)]
        return (
            cells.cells([f"m{i}" for i in range(8)], names, np.full(shape, number), title="")
            .data[0]
            .textfont.size
        )

    assert size(2, 0.5) == cells.LARGEST
    assert size(10, 0.5) == cells.SMALLEST
    assert size(20, 0.5) is None


def test_paths_when_named_then_names_stand_inside_and_take_no_room_from_the_lines():
    at, style = np.array([0.0, 1.0]), styles(["AP"])["AP"]
    figures = [
        line_charts.paths(
            [line_charts.Path("n" * letters, at, 1 - at, style, "", "ab")], xtitle="x", ytitle="y"
        )
        for letters in (2, 40)
    ]
    assert figures[0].layout.margin == figures[1].layout.margin
    assert all(
        (note.x, note.xanchor) == (1, "right")
        for figure in figures
        for note in figure.layout.annotations
    )


def test_levels_when_a_curve_rises_too_early_then_names_are_beside_the_figure_else_left_inside():
    def drawn(early: int) -> Figure:
        p = np.array(
            [np.linspace(0, 1, 101) ** 4, np.append(np.zeros(early), np.full(101 - early, 0.2))]
        )
        return cells.levels(["AP", "RR"], p, 0.05, "0")

    early, late = (drawn(early) for early in (5, 50))
    assert [note.x for note in late.layout.annotations] == [0.01, 0.01]
    assert [note.x for note in early.layout.annotations] == [1.01, 1.01]
    assert early.layout.margin.r - late.layout.margin.r == names.LETTER * len("RR 79.0%")
    start, end = late.layout.xaxis.range
    beside = min(x for line in late.data for x, y in zip(line.x, line.y, strict=True) if y > 0.13)
    assert (beside - start) / (end - start) * (TELEPHONE - LEFT - MARGIN) > names.LETTER * len(
        "AP 47.5%"
    )


def test_picture_when_an_axis_has_a_title_alone_then_it_is_whole_and_both_sides_of_0_have_values():
    drawn = svg(
        row_charts.differences(
            ["1", "2"],
            np.array([0.9, 0.1]),
            np.array([0.5, 0.45]),
            ("a", "b"),
            "difference in AP",
            row_charts.MeanLine(0.025, -0.3, 0.35),
        )
    )
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', drawn)[1])
    assert float(re.search(r'y="([\d.]+)"[^>]*>topics, by difference', drawn)[1]) + 5 < height
    values = [float(text) for text in re.findall(r">(-?[\d.]+)<", drawn)]
    assert min(values) < 0 < max(values)


def test_layout_when_an_axis_has_an_empty_title_then_has_none_for_which_room_would_be_left():
    made = layout(xaxis={"title": "", "side": "top"}, yaxis={"title": "score"})
    assert "title" not in made["xaxis"]
    assert made["xaxis"]["side"] == "top"
    assert made["yaxis"]["title"]["text"] == "score"


def test_points_when_a_named_one_lacks_a_value_then_it_has_no_name():
    x, y = np.array([0.1, np.nan, 0.3, 0.4]), np.array([0.1, 0.2, np.nan, 0.4])
    drawn = points.points(["a", "b", "c", "d"], x, y, ("x", "y"), [0, 1, 2])
    assert [(label.text, label.x, label.y) for label in drawn.layout.annotations] == [
        ("a", 0.1, 0.1)
    ]


def test_cells_when_the_page_is_light_or_dark_then_numbers_are_readable_and_nothing_glares():
    for steps, letters, page in (
        (cells.SCALE, cells.INK, PAGE),
        (on_dark(cells.SCALE), on_dark(cells.INK), on_dark(PAGE)),
    ):
        colors = [color for _, color in steps]
        assert all(contrast(color, letters) >= 5.5 for color in colors)
        grounds = [contrast(color, page) for color in colors]
        assert grounds == sorted(grounds)
        assert grounds[0] < 1.3


@pytest.mark.parametrize(
    ("y", "at"), [([0.1, 0.2, 0.3, 0.9], [20, 0.3]), ([0.9, 0.8, 0.4, 0.1], [13, 0.0])]
)
def test_crossings_when_lines_come_from_below_then_their_texts_stand_clear_of_them(y, at):
    x, style = [40.0, 30.0, 20.0, 10.0], Style(GREY)
    figure = line_charts.curves(
        x,
        [line_charts.ChartLine("AP", np.array(y), style)],
        line_charts.Axes(xtitle="", ytitle="", yrange=(0.0, 1.0)),
        threshold=0.3,
        crossings={"AP": line_charts.Crossing(at[0], "20")},
    )
    [text] = [note for note in figure.layout.annotations if note.text == "AP 20"]
    assert [text.x, text.y] == at
