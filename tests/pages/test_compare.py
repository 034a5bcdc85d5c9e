"""Two settings of one experiment side by side: each has its own numbers, and the page
says what differs.

The tests of the dashboard; the others are in `tests/unit/experiments/test_compare.py`.
"""

import re

import numpy as np
import pandas as pd
import pytest

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.facts import LONGEST
from irmeval.plots import cells
from irmeval.reading.policy import PROFILES
from irmeval.report.differences import LargestDifference
from irmeval.ui.state import cache
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import jobs, side_by_side
from tests.cases import SAMPLE, read_once
from tests.dashboard import dataset_of, fine, opened, texts

METRICS, CURVES = "pages/measures/agreement.py", "pages/incompleteness/curves.py"
ON = {"measures": ["AP", "P@5"], "agreement_compare": "true"}


def test_reduced_when_judgments_are_taken_away_then_scores_are_those_on_the_grades_that_are_left():
    c = read_once(*SAMPLE)
    less = cache.reduced(c, "stratified", 30.0, 4)
    grades = irmeval.reduce(c, "stratified", rate=30, seed=4)[0]
    assert less.fingerprint != c.fingerprint
    assert np.array_equal(
        irmeval.evaluate(less, ["AP"]).values,
        irmeval.evaluate(c, ["AP"], grades=grades).values,
        equal_nan=True,
    )


@pytest.mark.parametrize(("words", "claimed"), [(2, 2), (3, 1)])
def test_claim_when_a_second_difference_would_make_it_too_long_then_that_is_said_beside(
    words, claimed, monkeypatch
):
    column = " ".join(["word"] * words)
    found = [LargestDifference(f"{column} {n}", {}, 0.5, 0.25) for n in "ab"]
    monkeypatch.setattr(side_by_side, "describe_settings", lambda _: "")
    monkeypatch.setattr(side_by_side, "_lead", lambda _: "With these settings, ")
    monkeypatch.setattr(side_by_side, "find_differences", lambda *_: [*found])
    verdict = side_by_side.describe_both(None, None, None)
    assert verdict.claim.count(" instead of ") == claimed
    assert len(verdict.claim.split()) <= LONGEST
    assert (" b is " in verdict.beside) == (claimed == 1)


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
    for label, collection in (("A", c), ("B", cache.reduced(c, "stratified", 20.0, 1))):
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
