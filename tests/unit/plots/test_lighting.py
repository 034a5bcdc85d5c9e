"""A highlighted run stands out on every chart and page; runs have the colours of their
teams on request.
"""

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.rankings import Params as Rankings
from irmeval.experiments.runs.pair import PairOfRuns
from irmeval.plots import pins
from irmeval.plots.colors import (
    GREY,
    HIGHLIGHT,
    ON_DARK,
    PAGE,
    PALETTE,
    READABLE,
    contrast,
    faint,
    ink,
    measures_first,
    on_dark,
    styles,
)
from irmeval.plots.line_charts import PALE
from irmeval.plots.svg import svg
from irmeval.stats.pair_tests import Intervals
from tests.cases import SAMPLE, read_once

RUN = "lumen"


def figures(name, measures, params=None, **standing):
    """The charts of an experiment on the sample, drawn with what stands out."""
    c = read_once(*SAMPLE)
    pinned = standing.pop("pinned", ())
    charts = EXPERIMENTS[name](c, measures, params).charts()
    return {
        chart.name: pins.with_pins(chart.draw, pinned, c.runs, **standing)() for chart in charts
    }


def colors_of_lines(figure):
    """Name -> colour of each line of a figure, several of which may be one trace."""
    traces = [t for t in figure["data"] if t.get("line")]
    return {name: t["line"]["color"] for t in traces for name in t.get("text", [t["name"]])}


def teams(*sizes):
    """Runs of teams of these sizes."""
    return {
        f"{'abcdefghij'[t]}{run}": "abcdefghij"[t]
        for t, size in enumerate(sizes)
        for run in range(size)
    }


def test_highlighted_when_it_is_a_line_a_point_a_box_or_a_name_then_it_stands_out_there():
    lines = figures("unjudged", ["AP"], highlighted=RUN)["shares"].to_dict()
    drawn = colors_of_lines(lines)
    assert (drawn[RUN], drawn["aurora1"]) == (HIGHLIGHT, faint(GREY, PALE))
    assert RUN in {note["text"] for note in lines["layout"]["annotations"]}
    assert lines["layout"]["hovermode"] == "closest"
    scatter = figures("rankings", ["AP", "P@5"], Rankings(points="runs"), highlighted=RUN)[
        "scatter"
    ].to_dict()
    colors = {
        name: color
        for t in scatter["data"]
        for name, color in zip(t["text"], t["marker"]["color"], strict=True)
    }
    assert (colors[RUN], colors["aurora1"]) == (HIGHLIGHT, GREY)
    boxes = figures("topics", ["AP"], highlighted=RUN)["by-run"].to_dict()
    assert {t["line"]["color"] for t in boxes["data"] if t["type"] == "box"} == {HIGHLIGHT, GREY}
    dots = figures("leaderboard", ["AP"], highlighted=RUN)["intervals"].to_dict()
    assert sum(size == 11 for t in dots["data"] for size in t["marker"]["size"]) == 1


def test_highlighted_when_runs_are_pinned_too_then_each_has_its_own_colour():
    lines = figures("unjudged", ["AP"], highlighted=RUN, pinned=("aurora1",))["shares"].to_dict()
    drawn = colors_of_lines(lines)
    assert (drawn[RUN], drawn["aurora1"]) == (HIGHLIGHT, pins.COLORS[0])
    assert drawn["krill"] == faint(GREY, PALE)


def test_colour_of_the_highlighted_run_when_the_page_is_light_or_dark_then_is_far_from_it():
    assert contrast(HIGHLIGHT, "#FFFFFF") > 15
    assert contrast(ON_DARK[HIGHLIGHT], "#191917") > 15
    # by lightness, which every eye sees
    assert all(contrast(HIGHLIGHT, color) > 3 for color in [*PALETTE.values(), GREY])


@pytest.mark.parametrize(
    ("sizes", "coloured"),
    [((2, 1, 3), "cab"), ([1] * 8, "abcdefgh"), ((1, 1, 1, 1, 1, 1, 1, 5, 2), "hiabcde")],
)
def test_teams_when_they_are_few_or_many_then_the_largest_have_colours_of_their_own(
    sizes, coloured
):
    team = teams(*sizes)
    look = pins.Pins(among=frozenset(team), team=team)
    assert [*look.of_team] == [*coloured]
    assert len({*look.of_team.values()}) == len(coloured)
    if len(sizes) > 8:
        # hardly to be told from the grey of the rest
        assert PALETTE["slate"] not in look.of_team.values()


def test_teams_when_runs_are_drawn_then_each_has_its_teams_colour_and_they_are_named_below():
    runs = read_once(*SAMPLE).runs
    team = {run: run.rstrip("0123456789").partition("-")[0] for run in runs}
    figure = figures("unjudged", ["AP"], team=team, pinned=("aurora1",))["shares"]
    made = figure.to_dict()
    lines = colors_of_lines(made)
    keys = {
        t["name"]: t["marker"]["color"] for t in made["data"] if t.get("showlegend") is not False
    }
    assert lines["aurora1"] == keys["aurora"]
    assert lines["aurora2"] == faint(keys["aurora"], PALE)
    assert lines["ember1"] == faint(keys["ember"], PALE) != lines["aurora2"]
    assert (lines["krill"], keys[pins.OTHERS]) == (faint(GREY, PALE), GREY)
    assert "aurora1" in {note["text"] for note in made["layout"]["annotations"]}
    assert pins.OTHERS in svg(figure)
    boxes = figures("leaderboard", ["AP"], team=team)["intervals"].to_dict()
    assert not boxes["layout"]["showlegend"]  # its colours say something else


def test_run_at_when_a_point_is_clicked_then_its_run_is_told_from_text_data_or_name():
    runs = {"&lt;b&gt;": "<b>", "a": "a"}
    assert pins.run_at({"text": ["a", "&lt;b&gt;"]}, 1, runs) == "<b>"
    assert pins.run_at({"customdata": [["a", 0.1]], "name": "means"}, 0, runs) == "a"
    assert pins.run_at({"customdata": [[0.1, 0.2]], "name": "a"}, 0, runs) == "a"
    assert pins.run_at({"text": ["topic 1"], "name": "AP"}, 0, runs) == ""
    assert pins.run_at({"text": ["a"]}, 7, runs) == ""
    cells = {"type": "heatmap", "text": [["0.5", "0.2"]]}
    assert pins.run_at(cells, 0, {"0.5": "0.5"}) == ""


def test_topics_when_some_are_picked_then_their_part_in_the_difference_is_said():
    x, y = np.array([0.5, 0.1, 0.9, 0.2]), np.array([0.1, 0.1, 0.1, 0.8])
    numbers = {
        "difference": 0.15,
        "p_alone": 0.5,
        "p_at_once": 0.5,
        "effect": 0.0,
        "hedges": 0.0,
        "intervals": Intervals(0, 0, 0, 0),
    }
    pair = PairOfRuns(
        "AP",
        "a",
        "b",
        ("1", "2", "3", "4"),
        x,
        y,
        **numbers,
        params=EXPERIMENTS["matrix"].params(),
        pairs=3,
        family="all 3 pairs",
    )
    assert [pair.topics[t] for t in pair.order] == ["3", "1", "2", "4"]
    assert (
        pair.of_topics([0, 1])
        == "2 topics: mean difference in AP +0.6000, on all +0.1500, without them -0.3000."
    )
    assert (
        pair.of_topics([3])
        == "1 topic: mean difference in AP -0.6000, on all +0.1500, without them +0.4000."
    )
    assert pair.of_topics(range(4)) == "4 topics: mean difference in AP +0.1500."


def test_styles_when_measures_come_first_then_each_has_one_colour_and_others_what_is_left() -> None:
    used = ["AP", "nDCG'", "RBP(p=0.95)"]
    alone = styles(used)
    with measures_first(used):
        paper, other = (
            styles(["RBP(p=0.5)", "RBP(p=0.95)", "Q", "nDCG"]),
            styles(["RBP(p=0.5)", "AP'"]),
        )
    assert paper["RBP(p=0.95)"] == alone["RBP(p=0.95)"]
    assert paper["nDCG"].color == alone["nDCG'"].color
    assert other["AP'"].color == alone["AP"].color
    assert other["RBP(p=0.5)"].color != alone["RBP(p=0.95)"].color
    assert len({style.color for style in paper.values()}) == 4


@pytest.mark.parametrize("color", [*PALETTE.values(), GREY])
def test_ink_when_letters_have_a_colour_then_they_are_readable_on_light_and_dark_pages(color):
    shade = ink(color)
    assert contrast(shade, PAGE) >= READABLE
    assert contrast(on_dark(shade), ON_DARK[PAGE]) >= READABLE
    assert ink(shade) == shade


def test_contrast_when_computed_then_is_that_of_the_guidelines():
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert contrast("#E69F00", "#FFFFFF") == contrast("#FFFFFF", "#E69F00")
