"""Hidden runs are on no figure, whose other runs and numbers stay as they are; a figure
over measures does not change.
"""

from functools import cache

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.rankings import Params as Rankings
from irmeval.plots import pins
from irmeval.plots.points import points
from tests.cases import SAMPLE, read_once

SHOWN = ("aurora1", "krill", "lumen")


@cache
def drawn(
    name: str, measures: tuple[str, ...], params: object = None, shown: tuple[str, ...] = SHOWN
) -> dict[str, tuple[dict, pins.Pins]]:
    """The charts of an experiment on the sample where these runs alone are shown, and
    what was noted of each.
    """
    collection = read_once(*SAMPLE)
    charts = {}
    for chart in EXPERIMENTS[name](collection, measures, params).charts():
        with pins.use_pins(
            (), collection.runs, hidden=[run for run in collection.runs if run not in shown]
        ) as told:
            charts[chart.name] = chart.draw().to_dict(), told
    return charts


def runs_on(figure: dict) -> set[str]:
    """The runs whose names stand in the traces or on the axes of a figure."""
    return {
        run
        for run in read_once(*SAMPLE).runs
        if f"'{run}'" in repr(figure) or f"{run}<br>" in repr(figure)
    }


@pytest.mark.parametrize(
    ("name", "chart"),
    [
        ("unjudged", "shares"),
        ("topics", "by-run"),
        ("topics", "every-score"),
        ("leaderboard", "means"),
        ("leaderboard", "intervals"),
        ("matrix", "matrix"),
        ("variance", "groups"),
        ("leave-one-out", "runs"),
        ("rankings", "lines"),
        ("rankings", "scatter"),
        ("rankings", "slope"),
    ],
)
def test_hidden_when_a_chart_is_of_runs_then_the_others_alone_are_drawn_and_the_caption_counts_them(
    name, chart
):
    params = Rankings(points="runs") if name == "rankings" else None
    figure, told = drawn(name, ("AP", "P@5"), params)[chart]
    assert runs_on(figure) == {*SHOWN}
    assert told.describe() == " 3 of 30 runs are drawn; hidden runs are left out."


def test_hidden_when_a_chart_is_of_measures_then_it_does_not_change_and_says_nothing():
    experiment = EXPERIMENTS["curves"]
    result = experiment(read_once(*SAMPLE), ["AP"], experiment.params(trials=1))
    for chart in result.charts():
        with pins.use_pins((), ("AP", *result.runs), hidden=("AP", *result.runs)) as told:
            assert chart.draw().to_dict() == pins.with_pins(chart.draw, (), ())().to_dict()
        assert not told.describe()


def test_hidden_when_a_chart_is_of_runs_then_their_values_are_those_with_all_runs():
    every, few = (
        drawn("matrix", ("AP",), shown=shown)["matrix"][0]
        for shown in (read_once(*SAMPLE).runs, SHOWN)
    )
    whole = {
        (y, x): p
        for y, x, p in zip(*(every["data"][1][key] for key in ("y", "x", "text")), strict=True)
    }
    assert {
        (y, x): p
        for y, x, p in zip(*(few["data"][1][key] for key in ("y", "x", "text")), strict=True)
    }.items() <= whole.items()


def test_hidden_when_a_chart_has_room_for_the_best_then_these_are_the_best_that_are_shown():
    names = [f"run{i}" for i in range(9)]
    with pins.use_pins((), names, hidden=names[:3]) as told:
        assert pins.first_drawn(np.arange(9)[::-1], names, 4).tolist() == [8, 7, 6, 5]
    assert told.describe() == " 4 of 9 runs are drawn; hidden runs are left out."


def test_hidden_when_a_chart_has_no_other_run_then_all_are_drawn():
    with pins.use_pins((), ("a", "b", "c"), hidden=("a", "b")) as told:
        assert pins.without_hidden(["a", "b"], [1, 2]) == (["a", "b"], [1, 2])
    assert not told.left


def test_hidden_when_few_runs_are_left_then_all_lines_are_named_and_the_caption_names_no_others():
    result = EXPERIMENTS["unjudged"](read_once(*SAMPLE), ["AP"])
    figure, told = drawn("unjudged", ("AP",))["shares"]
    assert {label["text"] for label in figure["layout"]["annotations"]} == {*SHOWN, "mean"}
    (chart,) = result.charts()
    assert "are named" not in told.caption(chart.caption, chart.usual)


def test_hidden_when_dots_are_picked_out_then_they_keep_their_names():
    with pins.use_pins((), ("a", "b", "c"), hidden=("a",)):
        figure = points(
            ["a", "b", "c"], np.arange(3.0), np.arange(3.0), ("x", "y"), [0, 2]
        ).to_dict()
    assert [label["text"] for label in figure["layout"]["annotations"]] == ["c"]
