"""All tests of pairs of runs have the same default, and every sentence on significance
names test and reading.
"""

import re
from dataclasses import replace
from inspect import signature

import pytest

import irmeval
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.settings import Testing, settings_in_words
from irmeval.papers import PAPERS
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import TEST, compare
from tests.cases import drawn, tied_collection
from tests.small_work import small, source

TESTING = [e for e in EXPERIMENTS.values() if "test" in fields(e.params)]
of_pairs = pytest.mark.parametrize("experiment", TESTING, ids=lambda e: e.name)
SPEAKS = re.compile(r"significan|told apart")
VERDICTS = {"orders", "leaderboard", "matrix", "two-runs"}
"""Experiments whose sentences do not name the test."""
AT_ONCE = {"audit", "leaderboard", "matrix", "two-runs"}
"""Experiments that test pairs at once too."""


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied_collection(*drawn(3, topics=12, runs=6))


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
    params = replace(small(experiment), **decided)
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
        lead.finding.rpartition(": ")[0] or lead.finding.partition("?")[2]
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
            text.endswith(" samples") for text in settings_in_words(experiment.params(**given))
        )

    assert said()
    assert said(test="t") == (experiment.name in ("audit", "decisions", "systems"))
    assert said(test="t", samples=77)


@pytest.mark.parametrize("name", ["pools", "fewer-teams", "decisions", "fewer-topics"])
def test_power_when_all_is_judged_then_is_that_of_the_matrix_alone(c, name):
    experiment = EXPERIMENTS[name]
    more = {"topics": (len(c.topics),), "rates": (100.0,)} if name == "fewer-topics" else {}
    draws = {"samples": 1000} if "samples" in fields(experiment.params) else {}
    found = experiment(c, ["AP"], replace(small(experiment), alpha=0.5, **more, **draws))
    power = {
        "decisions": lambda: found.full.mean(),
        "fewer-topics": lambda: found.power[0, 0, -1, 0],
    }
    told = EXPERIMENTS["matrix"](c, ["AP"], alpha=0.5)
    assert power.get(name, lambda: found.full_power[0])() == told.power[0]
    assert 0 < told.power[0] < 1


def test_papers_when_their_exhibits_test_pairs_then_each_says_how():
    for paper in PAPERS.values():
        of = [
            exhibit
            for exhibit in paper.exhibits
            if "test" in fields(EXPERIMENTS[exhibit.experiment].params)
        ]
        assert [exhibit.label for exhibit in of if "test" not in exhibit.params] == []
