"""Charts of very many topics: some of them are drawn, and it is said which."""

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.plots.points import points
from irmeval.reading.score_matrix import Matrix


@pytest.fixture(scope="module")
def many_topics() -> Matrix:
    values = np.random.default_rng(3).random((3, 100_000))
    return Matrix("m", ("a", "b", "c"), tuple(f"t{t}" for t in range(100_000)), values)


def test_charts_of_topics_when_there_are_very_many_then_they_are_drawn_evenly_and_it_is_said(
    many_topics,
):
    result = EXPERIMENTS["topics"](many_topics)
    for chart in result.charts():
        assert "2,000 of 100,000 topics, evenly spaced" in chart.caption
        assert len(chart.draw().to_json()) < 2e6
    names = result.charts()[2].draw().layout.xaxis.ticktext
    easiest, *_, hardest = result.of_topics()["topic"]
    assert (names[0], names[-1]) == (easiest, hardest)


def test_chart_of_two_runs_when_there_are_very_many_topics_then_bars_are_of_some_and_known_by_place(
    many_topics,
):
    result = EXPERIMENTS["matrix"](
        many_topics, params=EXPERIMENTS["matrix"].params(test="t", samples=10)
    )
    pair = result.pair("m", "a", "c")
    figure = pair.chart().draw()
    assert "2,000 of 100,000 topics, evenly spaced" in pair.chart().caption
    assert len(figure.to_json()) < 1e6
    for bar in (0, 700, -1):  # a picked bar stands for the topic that it names
        assert pair.topics[pair.order[pair.shown[bar]]] == figure.data[0].customdata[bar][0]


def test_points_when_there_are_very_many_then_those_that_are_named_are_among_the_drawn():
    names, x = [f"n{i}" for i in range(50_000)], np.linspace(0, 1, 50_000)
    figure = points(names, x, x, ("x", "y"), [17, 4711])
    drawn = [text for trace in figure.data for text in trace.text]
    assert len(drawn) < 5100
    assert {"n17", "n4711"} < {*drawn}
    assert {label.text for label in figure.layout.annotations} == {"n17", "n4711"}
