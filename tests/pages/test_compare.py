"""Two settings of one experiment side by side: each has its own numbers, and the page
says what differs.

The tests of the dashboard; the others are in `tests/unit/experiments/test_compare.py`.
"""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.facts import LONGEST
from irmeval.plots import cells, line_charts
from irmeval.plots.canvas import INNER
from irmeval.plots.colors import Style
from irmeval.reading.policy import PROFILES
from irmeval.report.differences import AXES, LargestDifference
from irmeval.ui.state import cache as cache_of_pages
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import jobs, side_by_side
from tests import counted
from tests.cases import SAMPLE, read_once
from tests.dashboard import dataset_of, fine, opened, texts
from tests.small_work import params_of, source

METRICS, CURVES = "pages/measures/agreement.py", "pages/incompleteness/curves.py"
ON = {"measures": ["AP", "P@5"], "agreement_compare": "true"}


def test_reduced_when_judgments_are_taken_away_then_scores_are_those_on_the_grades_that_are_left():
    c = read_once(*SAMPLE)
    less = cache_of_pages.reduced(c, "stratified", 30.0, 4)
    grades = irmeval.reduce(c, "stratified", rate=30, seed=4)[0]
    assert less.fingerprint != c.fingerprint
    assert np.array_equal(
        irmeval.evaluate(less, ["AP"]).values,
        irmeval.evaluate(c, ["AP"], grades=grades).values,
        equal_nan=True,
    )


LESS = side_by_side.OtherSettings(None, (), None, {side_by_side.JUDGMENTS: ("all", "50% (draw 1)")})
NOT_MADE = ("parameters",)
"""Experiments that refuse these measures."""
LOOKED_AT = {
    "collection": "mean per topic",
    "leaderboard": "AP",
    "two-runs": "difference",
    "topics": "mean",
    "variance": "mean AP",
    "agreement": "tau",
    "holes": "tau",
    "what-if": "score",
    "scorecard": "mean rank",
    "curves": "tau",
}
"""What claims on two results are about, where the measure picked is AP."""


@cache
def both(name):
    """The results of an experiment on all judgments and on half of them."""
    experiment, c = EXPERIMENTS[name], counted.many(12, 12)
    measures = ["AP", "nDCG", "P@5"] if experiment.measured else None
    params = params_of(experiment, counted.FEW)
    return [
        experiment(source(experiment, of), measures, params)
        for of in (c, cache_of_pages.reduced(c, "stratified", 50.0, 1))
    ]


NAMES = ("documents", "measure", "measure_a", "measure_b", "run", "way", *AXES)
"""Columns that tell rows apart."""


def changes(a, b, column, measure):
    """From what to what a column of the first table that has it changes, by row; of all
    measures if none is given.
    """
    for one, other in zip(a.tables(), b.tables(), strict=True):
        before, after = (
            {tuple((name, row[name]) for name in NAMES if name in row): row for row in rows}
            for rows in (table.make().to_dict("records") for table in (one, other))
        )
        if any(column in row for row in before.values()):
            return {
                key: (row[column], after[key][column])
                for key, row in before.items()
                if key in after and (not measure or row.get("measure", measure) == measure)
            }
    raise AssertionError(column)


@pytest.mark.parametrize("name", LOOKED_AT)
def test_claim_when_two_results_differ_then_it_is_the_largest_change_of_the_column_looked_at(name):
    a, b = both(name)
    measure = "AP" if a.choice() else ""
    verdict = side_by_side.describe_both(LESS, a, b, measure)
    found = re.match(
        rf"With 50% of the judgments, {LOOKED_AT[name]}(?: of (?P<of>.+?))?(?: at .*)?"
        r" is (?P<now>\S+) instead of (?P<before>\S+)\.$",
        verdict.claim,
    )
    assert found, verdict
    column = "tau_b" if name == "agreement" else LOOKED_AT[name]
    moved = changes(a, b, column, measure)
    size = max(abs(now - before) for before, now in moved.values())
    told = float(found["before"]), float(found["now"])
    assert any(
        abs(now - before) == size
        and (before, now) == pytest.approx(told, abs=0.051 if before > 10 else 0.0051)
        and all(cell in found["of"] for label, cell in key if label in ("run", "measure"))
        for key, (before, now) in moved.items()
    ), (verdict, size)


@pytest.mark.parametrize("name", [e.name for e in EXPERIMENTS.values() if e.data and e.measured])
def test_claim_when_two_results_are_compared_then_is_short_and_states_only_what_can_be_seen(name):
    if name in NOT_MADE:
        return
    a, b = both(name)
    options = a.choice().options if a.choice() else [""]
    for option in map(str, options):
        verdict = side_by_side.describe_both(LESS, a, b, option)
        assert len(verdict.claim.split()) <= LONGEST
        for before, now in re.findall(r"is (\S+) instead of (\S+?)[.;,]?(?: |$)", verdict.text):
            assert before != now
        assert not re.search(r"\b(nan|inf)\b", verdict.text)
        same = side_by_side.describe_both(LESS, a, a, option)
        assert same.claim == "The results of A and B are the same."


def test_claim_when_the_column_looked_at_does_not_change_visibly_then_that_is_said(monkeypatch):
    found = [LargestDifference("tau", {}, 0.5, 0.501, 3), LargestDifference("mean", {}, 0.5, 0.25)]
    monkeypatch.setattr(side_by_side, "_are_equal", lambda *_: False)
    monkeypatch.setattr(side_by_side, "find_differences", lambda *_: [*found])
    verdict = side_by_side.describe_both(LESS, None, None)
    assert verdict.claim == "With 50% of the judgments, tau is the same to the digits shown."
    assert verdict.beside.endswith("Also: mean is 0.250 instead of 0.500.")
    assert "No other" not in verdict.beside


def test_claim_when_settings_would_make_it_too_long_then_they_are_said_beside(monkeypatch):
    many = ", ".join(f"P@{k}" for k in range(1, 20))
    other = replace(LESS, differences={"measures": ("AP", many)})
    monkeypatch.setattr(side_by_side, "_are_equal", lambda *_: False)
    monkeypatch.setattr(
        side_by_side, "find_differences", lambda *_: [LargestDifference("tau", {}, 0.5, 0.25, 3)]
    )
    verdict = side_by_side.describe_both(other, None, None)
    assert verdict.claim == "In B, tau is 0.25 instead of 0.50."
    assert verdict.beside == f"No other tau changes more. B has measures {many} instead of AP."


def test_claim_when_b_has_the_settings_of_a_then_says_so_alone():
    a, _ = both("agreement")
    verdict = side_by_side.describe_both(replace(LESS, differences={}), a, a)
    assert verdict.text == "B has the same settings as A."


@pytest.mark.parametrize("top", [0.1, 0.5, 4.0])
def test_names_when_two_charts_get_one_scale_then_none_covers_another_and_leaders_meet_their_lines(
    top,
):
    ends = {"a": 0.01, "b": 0.02, "c": 0.03, "d": 0.08}
    charts = [
        line_charts.curves(
            [1, 2],
            [
                line_charts.ChartLine(
                    name, np.array([high, end * high / 0.1]), Style("#000000", "solid", "circle")
                )
                for name, end in ends.items()
            ],
            line_charts.Axes(xtitle="", ytitle="", yrange=(0, high)),
        )
        for high in (0.1, top)
    ]
    for figure in side_by_side.on_shared_axes(*charts):
        low, high = figure.layout.yaxis.range
        heights = sorted(note.y for note in figure.layout.annotations)
        apart = np.diff(heights) * INNER / (high - low)
        assert (apart >= line_charts.TEXT - 1e-6).all()
        assert low <= heights[0] <= heights[-1] <= high
        last = sorted(float(line.y[-1]) for line in figure.data)
        for shape in figure.layout.shapes:
            assert shape.y0 in last
            assert shape.y1 in heights


def test_drop_lines_when_two_charts_get_one_scale_then_they_and_their_texts_reach_its_lower_end():
    charts = [
        line_charts.curves(
            [1, 2, 3],
            [line_charts.ChartLine("a", np.array([1.0, 0.95, last]), Style("#000000"))],
            line_charts.Axes(xtitle="", ytitle="", yrange=(0, 1), mark=2),
            threshold=0.9,
            crossings={"a": line_charts.Crossing(2.5, "2.5")},
        )
        for last in (0.85, 0.2)
    ]
    for figure in side_by_side.on_shared_axes(*charts):
        drop = next(shape for shape in figure.layout.shapes if shape.name == "a")
        foot = next(note for note in figure.layout.annotations if note.text == "a 2.5")
        mark = next(shape for shape in figure.layout.shapes if shape.yref == "paper")
        assert 0.2 > figure.layout.yaxis.range[0] == drop.y1 == foot.y
        assert (mark.y0, mark.y1) == (0, 1)


def shown(app, label):
    """The first table that is shown of A or B."""
    app.segmented_control(key="agreement.agreement_tables").set_value(f"Table {label}").run()
    return fine(app).dataframe[0].value


def test_page_when_b_has_fewer_judgments_then_each_table_is_that_of_its_own_settings():
    app = fine(opened(METRICS, {**ON, "agreement_differs": "judgments", "agreement_b_kept": "20"}))
    assert "B has judgments 20% (stratified samples, draw 1) instead of all." in texts(app)
    assert "With 20% of the judgments, " in texts(app)
    assert re.search(r"judgments, tau of AP and P@5 is 0\.\d\d instead of 0\.\d\d", texts(app))
    assert len(app.get("plotly_chart")) == 2 * len(
        EXPERIMENTS["agreement"](read_once(*SAMPLE), ["AP", "P@5"]).charts()
    )
    c = read_once(*SAMPLE)
    for label, collection in (("A", c), ("B", cache_of_pages.reduced(c, "stratified", 20.0, 1))):
        expected = EXPERIMENTS["agreement"](collection, ["AP", "P@5"]).tables()[0].make()
        pd.testing.assert_frame_equal(
            shown(app, label), expected, check_dtype=False, check_column_type=False
        )


def test_page_when_two_are_compared_then_claims_stand_above_charts_and_the_rest_with_the_tables():
    app = fine(opened(METRICS, ON))
    verdict = EXPERIMENTS["agreement"](read_once(*SAMPLE), ["AP", "P@5"]).verdict()
    assert verdict.claim in texts(app)
    assert verdict.below
    assert verdict.below not in texts(app)
    shown(app, "A")
    assert verdict.below in texts(app)


def test_page_when_two_are_compared_then_what_b_differs_in_stands_above_the_charts():
    app = fine(opened(METRICS, ON))
    differs = app.button_group(key="agreement.agreement_differs")
    drawn = [one for one in app.main if one is differs or one.type == "plotly_chart"]
    assert drawn[0].type == "button_group"
    assert len(drawn) > 2
    labels = [one.proto.popover.label for one in app.get("popover")]
    assert [label for label in labels if label.startswith("Provenance")] == [
        "Provenance of B",
        "Provenance",
    ]


def test_page_when_two_are_compared_then_each_chart_is_drawn_once(monkeypatch):
    drawn = []
    draw = cells.cells
    monkeypatch.setattr(
        cells, "cells", lambda *given, **named: drawn.append(1) or draw(*given, **named)
    )
    app = fine(opened(METRICS, ON))
    assert len(drawn) == len(app.get("plotly_chart"))


def test_page_when_b_has_another_policy_or_measures_then_that_is_said_and_the_sidebar_stays():
    query = {
        **ON,
        "agreement_differs": ["policy", "measures"],
        "agreement_b_policy": "trec_eval 10",
        "agreement_b_measures": ["RR"],
    }
    app = fine(opened(METRICS, query))
    assert "measures RR instead of AP, P@5; policy trec\\_eval 10 instead of papers" in re.sub(
        r"\\?\\_", r"\\_", texts(app)
    )
    assert "policy: papers" in texts(app)
    assert "policy: trec_eval 10" in texts(app)


def test_sentences_when_two_are_compared_then_a_preliminary_one_is_marked_and_the_other_is_not(
    monkeypatch,
):
    curves = EXPERIMENTS["curves"]
    made = {
        title: curves(read_once(*SAMPLE), ["AP"], curves.params(trials=n))
        for title, n in (("Curves", 10), ("Curves B", 1))
    }
    for whole, part in (("Curves", "Curves B"), ("Curves B", "Curves")):
        found = {whole: made["Curves"], part: made["Curves B"]}
        monkeypatch.setattr(jobs, "run", lambda title, *given, found=found, **more: found[title])
        said = texts(
            fine(
                opened(
                    CURVES, {"measures": ["AP"], "curves_compare": "true", "curves_differs": "seed"}
                )
            )
        )
        for title, label in zip(found, "AB" if whole == "Curves" else "BA", strict=True):
            ends = " Preliminary, 1 of 10 trials so far." if title == part else ""
            verdict = found[title].verdict()
            assert f"**{label}** {verdict.claim}{ends} {verdict.beside}".strip() in said


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ({"agreement_differs": "judgements"}, "there is no 'judgements'"),
        (
            {"agreement_differs": "judgments", "agreement_b_kept": "1e9"},
            "expected a value from 1 to 100",
        ),
        ({"agreement_differs": "policy", "agreement_b_policy": "<b>"}, "there is no '"),
        ({"agreement_differs": "gains", "agreement_b_gains": "1:x"}, "gains"),
    ],
)
def test_address_when_b_cannot_be_so_then_that_is_said(query, why):
    app = opened(METRICS, {**ON, **query})
    assert not app.exception
    assert why in " ".join(warning.value for warning in app.warning)


def test_page_when_b_cannot_be_computed_then_why_is_said_and_a_is_shown():
    app = opened(METRICS, {**ON, "agreement_differs": "measures"})
    app.multiselect(key="agreement.agreement_b_measures").set_value([]).run()
    assert not app.exception
    assert "B: measures: expected at least one" in app.error[0].value
    assert app.get("plotly_chart")


def test_page_when_nothing_is_compared_then_it_is_as_before():
    app = fine(opened(CURVES, {"measures": ["AP"], "trials": "2"}))
    assert not app.toggle(key="curves.curves_compare").value
    assert len(app.get("plotly_chart")) == 2
    app.toggle(key="curves.curves_compare").set_value(True).run()
    assert "B has judgments 50% (stratified samples, draw 1) instead of all." in texts(fine(app))
    assert len(app.get("plotly_chart")) == 4


def test_own_files_when_b_has_another_policy_then_a_is_not_made_again(tiny):
    qrels, runs = tiny
    desk = dataset_of([(path.name, path.read_bytes()) for path in (qrels, *sorted(runs.iterdir()))])
    app = fine(
        opened(METRICS, {**ON, "agreement_differs": "policy"}, visitor=Visitor(dataset=desk))
    )
    made = desk.made[1]
    assert desk.collection_under(PROFILES["trec_eval 10"]).policy == PROFILES["trec_eval 10"]
    assert desk.made[1] is made
    assert "B has policy" in texts(app)
