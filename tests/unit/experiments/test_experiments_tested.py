"""All tests of pairs of runs have the same default, and every sentence on significance
names test and reading.
"""

import re
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

from irmeval.core.params import fields, takes
from irmeval.experiments import EXPERIMENTS, settings
from irmeval.experiments.axes import AXES
from irmeval.experiments.settings import Testing, settings_in_words
from irmeval.papers import PAPERS
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import TEST, compare
from tests.small_work import SMALL, params_of, small, source

TESTED = SMALL | {"watch": ("decisions",)}
"""What makes every experiment that can test pairs do so."""
TESTING = [e for e in EXPERIMENTS.values() if "test" in fields(e.params)]
of_pairs = pytest.mark.parametrize("experiment", TESTING, ids=lambda e: e.name)
SPEAKS = re.compile(r"significan|told apart")
VERDICTS = {
    "audit",
    "leaderboard",
    "matrix",
    "orders",
    "power",
    "reproduction",
    "scorecard",
    "systems",
    "two-runs",
}
"""Experiments whose sentences do not name the test."""
AT_ONCE = {"audit", "leaderboard", "matrix", "power", "two-runs"}
"""Experiments that test pairs at once too."""


@of_pairs
def test_default_when_an_experiment_tests_pairs_then_is_that_of_all(experiment):
    params = experiment.params()
    assert params.test == TEST == "bootstrap"
    assert isinstance(params, Testing)
    assert (params.at_once == "family-wise") == (experiment.name in AT_ONCE)


def test_default_when_functions_and_others_test_pairs_then_is_that_of_all():
    assert len(TESTING) > 7
    assert {
        signature(function).parameters["test"].default for function in (compare, compare_pairs)
    } == {TEST}
    assert EXPERIMENTS["judge-next"].params().testing.test == TEST


@of_pairs
@pytest.mark.parametrize("decided", [{}, {"test": "wilcoxon"}], ids=["default", "other"])
def test_sentences_when_they_speak_of_significance_then_name_test_or_method_and_reading(
    c, experiment, decided
):
    params = replace(small(experiment, TESTED), **decided)
    result = experiment(source(experiment, c), ["AP", "nDCG"], params)
    # a verdict says the reading; its page names the test once, in the line of settings
    assert (params.tested_by in result.headline()) == (experiment.name not in VERDICTS)

    def names_it(text):
        at_once = experiment.name in AT_ONCE and f"at once, {params.at_once_by}" in text
        return at_once or (params.tested_by in text and "alone" in text.lower())

    verdict = [] if experiment.name in VERDICTS else [("headline", result.headline())]
    captions = [
        *verdict,
        *((chart.name, chart.caption) for chart in result.charts()),
    ]
    captions += [
        (column.name, column.meaning)
        for column in getattr(result, "columns", ())
        if hasattr(column, "meaning")
    ]
    of = [name for name, text in captions if SPEAKS.search(text) and not names_it(text)]
    # of these the column before says it
    assert [name for name in of if not name.startswith("errors")] == []
    findings = [
        lead.question.rpartition(": ")[0] or lead.question.partition("?")[2]
        for lead in result.next_steps()
    ]
    assert [told for told in findings if SPEAKS.search(told) and not names_it(told)] == []
    first, *others = settings_in_words(params)
    assert first == params.tested_by
    assert [text for text in others if text.endswith(" test")] == []


@pytest.mark.parametrize(
    "experiment", [e for e in TESTING if "samples" in fields(e.params)], ids=lambda e: e.name
)
def test_settings_when_the_test_draws_no_samples_then_are_said_only_where_set_or_drawn_otherwise(
    experiment,
):
    def said(**given):
        return any(
            text.endswith(" samples")
            for text in settings_in_words(params_of(experiment, {"watch": ("decisions",), **given}))
        )

    assert said()
    assert said(test="t") == (experiment.name in ("audit", "curves", "systems"))
    assert said(test="t", samples=77)


@pytest.mark.parametrize("of", AXES)
def test_power_when_all_is_judged_then_is_that_of_the_matrix_alone(c, of):
    found = EXPERIMENTS["curves"](c, ["AP"], of=of, watch=("pairs",), trials=1, alpha=0.5)
    told = EXPERIMENTS["matrix"](c, ["AP"], alpha=0.5)
    assert found.whole["power"].item() == told.power[0]
    assert 0 < told.power[0] < 1
    if of in ("judgments", "topics", "care"):  # whose first level is everything
        assert found.values["power"][0, 0, 0, 0] == told.power[0]


def test_papers_when_their_exhibits_test_pairs_then_each_says_how():
    for paper in PAPERS.values():
        of = [
            exhibit
            for exhibit in paper.exhibits
            if "test" in fields(EXPERIMENTS[exhibit.experiment].params)
            and takes(EXPERIMENTS[exhibit.experiment].params(**exhibit.params), "test")
        ]
        assert [exhibit.label for exhibit in of if "test" not in exhibit.params] == []


@pytest.mark.parametrize(
    ("p", "said", "times"),
    [
        ([[np.nan, 0.5], [0.5, np.nan]], [["", "0.5"], ["0.5", ""]], 1),
        ([0.25, 0, 0.25, 0], ["0.25", "< 0.001", "0.25", "< 0.001"], 2),
        (0.03, "0.03", 1),
        (np.nan, "", 0),
        (np.zeros((0, 2)), np.zeros((0, 2)), 0),
    ],
    ids=["square", "no sample reached it", "one pair", "no p", "no pairs"],
)
def test_p_when_several_pairs_have_it_then_is_put_in_words_once(p, said, times, monkeypatch):
    calls, describe = list[float](), settings.describe_p

    def count(one: float, *more: object) -> str:
        calls.append(one)
        return describe(one, *more)

    monkeypatch.setattr(settings, "describe_p", count)
    written = EXPERIMENTS["matrix"].params(samples=1000).write_p(p)
    assert written.tolist() == np.asarray(said).tolist()
    assert written.shape == np.shape(p)
    assert len(calls) == times
