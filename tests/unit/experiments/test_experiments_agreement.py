"""Agreement, rankings, topics, gains, binary against tertiary: against SciPy, by hand,
and at their edges.
"""

import math

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures import agreement as agreeing
from irmeval.experiments.measures import gains as gaining
from irmeval.experiments.measures import rankings as ranking
from irmeval.experiments.runs import topics as spreading
from irmeval.plots.canvas import BOTTOM, FREE, LABEL, axis_room
from irmeval.plots.names import label_width, room_below
from irmeval.stats.correlation import tau_b
from irmeval.stats.swap_rates import find_required_difference, swap
from tests.cases import collection, drawn, tied_collection

MEASURES = ["AP", "nDCG", "P@5", "Q"]


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied_collection(*drawn(5, topics=10, runs=8))


@pytest.fixture(scope="module")
def binary_c() -> irmeval.Collection:
    return tied_collection(*drawn(5, topics=10, runs=5, top=1))


def opposite() -> irmeval.Collection:
    """Two runs that P@1 and R@2 order the other way round."""
    judgments = {t: {"a": 1, "b": 1, "x": 0, "y": 0} for t in "12"}
    return collection(
        judgments,
        {"first": {t: ["a", "x", "y"] for t in "12"}, "later": {t: ["x", "a", "b"] for t in "12"}},
    )


@pytest.mark.parametrize(("name", "theirs"), [("tau_b", "kendalltau"), ("spearman", "spearmanr")])
def test_agreement_when_computed_then_equals_scipy(c, stats, name, theirs):
    found = agreeing.agreement(c, MEASURES, agreeing.Params(name))
    means = irmeval.evaluate(c, MEASURES).means
    expected = [[getattr(stats, theirs)(a, b).statistic for b in means] for a in means]
    np.testing.assert_allclose(found.values, expected, atol=1e-12)


def test_agreement_when_orders_are_opposite_then_tau_is_minus_1_and_named_least_alike():
    found = agreeing.agreement(opposite(), ["P@1", "R@1", "R@3"])
    assert found.values[0, 2] == -1
    assert "least (-1.00)" in found.headline()


def test_agreement_when_a_measure_ties_all_runs_then_its_row_is_empty_and_the_rest_stands(c):
    found = agreeing.agreement(c, [*MEASURES, "P(rel=9)@5"])
    assert np.isnan(found.values[4, :4]).all()
    assert "agree most" in found.headline()
    found.charts()[0].draw()


def test_rankings_when_nothing_is_picked_then_the_least_alike_measure_is_set_against_the_first(c):
    found = ranking.rankings(c, MEASURES)
    means = irmeval.evaluate(c, MEASURES).means
    assert found.by == 0
    assert found.against == 1 + int(np.argmin(tau_b(means[1:], means[0])))


def test_rankings_when_there_is_one_measure_then_they_are_drawn_all_the_same(c):
    found = ranking.rankings(c, ["AP"])
    means = irmeval.evaluate(c, ["AP"]).means[0]
    best, worst = c.runs[int(means.argmax())], c.runs[int(means.argmin())]
    said = f"from {means.min():.3f} ({worst}) to {means.max():.3f} ({best})"
    assert said in found.verdict().claim
    assert f"{np.median(means):.3f}" in found.verdict().beside
    for chart in found.charts():
        chart.draw()


def test_rankings_when_the_measure_is_not_among_them_then_refuses(c):
    with pytest.raises(ParamError, match="by: expected one of AP, nDCG"):
        ranking.rankings(c, ["AP", "nDCG"], ranking.Params(by="Q"))


@pytest.mark.parametrize("lines", ranking.LINES)
@pytest.mark.parametrize("points", ranking.POINTS)
def test_rankings_when_drawn_then_lines_hold_all_measures_and_the_best_run_is_on_top(
    c, lines, points
):
    found = ranking.rankings(c, MEASURES, ranking.Params(lines=lines, points=points))
    slope, scatter, along = (chart.draw() for chart in found.charts())
    assert [trace.name for trace in along.data] == MEASURES
    bottom, top = along.layout.yaxis.range
    assert (bottom > top) == (lines == "ranks")
    assert sum(len(trace.x) for trace in scatter.data) == (8 if points == "runs" else 10)
    lines = [trace for trace in slope.data if trace.mode != "text"]
    assert sorted(run for trace in lines for run in trace.text[::3]) == sorted(c.runs)
    assert len(lines) <= 3, "a line that climbs, falls or stays shares its trace with its like"


def test_rankings_when_names_are_many_and_upright_then_the_margin_below_has_room_for_them():
    few, many = (
        ranking.rankings(tied_collection(*drawn(5, topics=2, runs=n)), MEASURES) for n in (2, 60)
    )
    margins = [found.plot("lines").layout.margin.b for found in (few, many)]
    # in whole pixels
    assert margins == [BOTTOM, math.ceil(FREE + axis_room(room_below(many.scores.runs)))]
    assert margins[1] - BOTTOM > label_width(many.scores.runs) - LABEL


@pytest.mark.parametrize("drawn_as", spreading.KINDS)
def test_topics_when_drawn_then_every_score_is_in_every_chart(c, drawn_as):
    found = spreading.topics(c, MEASURES, spreading.Params(drawn=drawn_as))
    by_run, by_topic, cells = (chart.draw() for chart in found.charts())
    assert len(by_run.data[0].y) == len(by_topic.data[0].y) == np.size(cells.data[0].z) == 80


def test_gains_when_flat_then_scores_are_those_of_binary_judgments(c):
    found = gaining.gains(c, ["AP", "nDCG"], gaining.Params(sets=50))
    flat = irmeval.evaluate(c, ["nDCG"], gains="flat")
    default = irmeval.evaluate(c, ["nDCG"])
    g = found.maps.index("flat")
    assert [str(m) for m in found.measures] == ["nDCG"]
    assert found.tau[0, g] == pytest.approx(float(tau_b(flat.means[0], default.means[0])))
    assert (
        found.required.sensitivity[0, g]
        == find_required_difference(swap(flat.values[0], trials=50)).sensitivity
    )


def test_gains_when_the_own_map_is_the_default_then_nothing_changes(c):
    found = gaining.gains(c, ["nDCG", "Q"], gaining.Params(own="1:1,2:2,3:3", sets=50))
    assert found.maps[-1] == gaining.OWN
    np.testing.assert_array_equal(found.tau[:, [0, -1]], 1)
    assert (found.counts.wins[:, 0] == found.counts.wins[:, -1]).all()
    assert (found.required.sensitivity[:, 0] == found.required.sensitivity[:, -1]).all()


def test_gains_when_the_own_map_is_none_then_refuses_before_anything_is_computed():
    with pytest.raises(ParamError, match="expected grade:gain"):
        gaining.Params(own="steepest")


def test_gains_when_all_relevant_documents_have_one_grade_then_adjusted_is_left_out_and_it_is_said(
    binary_c,
):
    found = gaining.gains(binary_c, ["nDCG"], gaining.Params(sets=20))
    assert found.maps == ("default", "flat", "steep")
    np.testing.assert_array_equal(found.tau, 1)
    assert "same grade" in found.headline()
    for chart in found.charts():
        chart.draw()


def test_gains_when_adjusted_ones_leave_a_topic_without_a_score_then_all_maps_leave_it_out():
    judgments, scores = drawn(5, topics=6, runs=5, top=2)
    first = next(iter(judgments))
    judgments[first] = {document: min(grade, 1) for document, grade in judgments[first].items()}
    found = gaining.gains(
        tied_collection(judgments, scores), ["nDCG", "Q"], gaining.Params(sets=20)
    )
    without = {topic: grades for topic, grades in judgments.items() if topic != first}
    alone = gaining.gains(tied_collection(without, scores), ["nDCG", "Q"], gaining.Params(sets=20))
    assert (found.topics, found.left_out, alone.left_out) == (5, 1, 0)
    np.testing.assert_array_equal(found.tau, alone.tau)
    np.testing.assert_array_equal(found.required.sensitivity, alone.required.sensitivity)
    assert set(found.frame()["topics"]) == {5}
    assert (
        "All gains are compared on 5 topics: 1 other has no score under some gains and is left out."
        in found.headline()
    )


@pytest.mark.parametrize(("experiment", "more"), [("gains", {}), ("curves", {"by": "gains=flat"})])
def test_gains_when_no_measure_tells_grades_apart_then_refuses(c, experiment, more):
    with pytest.raises(ParamError, match="uses grades of relevance"):
        EXPERIMENTS[experiment](c, ["AP", "P@5"], **more)


def test_curves_by_gains_when_a_line_has_the_default_ones_then_equals_the_curve_without_lines(c):
    """Grades are 1 to 3 here, so that tertiary 2:1 differs from the default; where they
    are 0 to 2 it is the default.
    """
    judgments, scores = drawn(5, topics=6, runs=5, top=2)
    two, curves = tied_collection(judgments, scores), EXPERIMENTS["curves"]
    params = {"levels": (50.0, 20.0), "trials": 2, "seed": 4, "watch": ("order",)}
    found = curves(two, ["nDCG", "AP"], by="gains=flat,bompada2", **params)
    alone = curves(two, ["nDCG"], **params)
    assert found.measures == ("nDCG",)  # AP does not use grades
    np.testing.assert_array_equal(found.values["tau"][0, 1], alone.values["tau"][0, 0])
