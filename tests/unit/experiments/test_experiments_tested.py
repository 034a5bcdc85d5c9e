"""All tests of pairs of runs have the same default test and correction, and every sentence on significance names them."""

import re
from dataclasses import replace
from inspect import signature

import numpy as np
import pytest

import irmeval
from irmeval.core.params import fields
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.settings import Testing, settings_in_words
from irmeval.papers import PAPERS
from irmeval.stats.best import METHOD
from irmeval.stats.corrections import adjust
from irmeval.stats.defaults import CORRECTION, TEST
from irmeval.stats.significance import compare, compare_with_baseline, name_method
from tests.cases import drawn, tied_collection
from tests.small_work import small, source

TESTING = [e for e in EXPERIMENTS.values() if {"test", "correction"} & fields(e.params).keys()]
of_pairs = pytest.mark.parametrize("experiment", TESTING, ids=lambda e: e.name)
SPEAKS = re.compile(r"significan|told apart")


@pytest.fixture(scope="module")
def c() -> irmeval.Collection:
    return tied_collection(*drawn(3, topics=12, runs=6))


@of_pairs
def test_default_when_an_experiment_tests_pairs_then_is_that_of_all(experiment):
    params = experiment.params()
    assert (params.test, params.correction) == (TEST, CORRECTION)
    assert isinstance(params, Testing)


def test_default_when_functions_and_others_test_pairs_then_is_that_of_all():
    assert len(TESTING) > 7
    assert {signature(function).parameters["test"].default for function in (compare, compare_with_baseline)} == {TEST}
    assert signature(adjust).parameters["correction"].default == CORRECTION
    inner = EXPERIMENTS["judge-next"].params().testing
    assert (inner.test, inner.correction) == (TEST, CORRECTION)


@of_pairs
@pytest.mark.parametrize("decided", [{}, {"test": "wilcoxon", "correction": "none"}], ids=["default", "other"])
def test_sentences_when_they_speak_of_significance_then_name_test_and_correction(c, experiment, decided):
    params = replace(small(experiment), **decided)
    result = experiment(source(experiment, c), ["AP", "nDCG"], params)
    assert (params.tested_by in result.headline()) == (experiment.name != "orders")  # whose sentence speaks of what is found and of tau
    captions = [("headline", result.headline()), *((chart.name, chart.caption) for chart in result.charts())]
    captions += [(column.name, column.meaning) for column in getattr(result, "columns", ()) if hasattr(column, "meaning")]
    of = [name for name, text in captions if SPEAKS.search(text) and params.tested_by not in text]
    assert [name for name in of if not name.startswith("errors")] == []  # of these the column before says it
    findings = [lead.finding.rpartition(": ")[0] or lead.finding.partition("?")[2] for lead in result.next_steps()]
    assert [told for told in findings if SPEAKS.search(told) and params.tested_by not in told] == []
    first, *others = settings_in_words(params)
    assert first == params.tested_by
    assert [text for text in others if text.endswith(" test") or text.startswith("correction")] == []


@pytest.mark.parametrize("experiment", [e for e in TESTING if "samples" in fields(e.params)], ids=lambda e: e.name)
def test_settings_when_the_test_draws_no_samples_then_these_are_said_only_where_they_are_set_or_something_else_draws_them(experiment):
    def said(**given):
        return any(text.endswith(" samples") for text in settings_in_words(experiment.params(**named, **given)))

    named = {"baseline": "run1"} if experiment.name == "leaderboard" else {}
    assert said() == (experiment.name in ("decisions", "systems"))
    assert said(test="bootstrap")
    assert said(samples=77)


def test_name_when_a_baseline_is_picked_then_is_what_is_in_force_and_else_what_was_chosen(c):
    board = EXPERIMENTS["leaderboard"]
    assert board.params().tested_by == METHOD
    assert any(text.endswith(" samples") for text in settings_in_words(board.params()))  # which max-t draws
    for more in ({"baseline": "run1"}, {"against_best": "chosen"}):
        assert board.params(**more).tested_by == name_method(TEST, CORRECTION) == "paired t, Holm"
    assert f"({METHOD}, which allows for" in board(c, ["AP"]).headline()
    assert f"grey: not significant ({METHOD})" in board(c, ["AP"]).charts()[1].caption


def test_pools_when_pairs_are_tested_then_the_share_is_of_those_below_alpha_after_the_correction(c):
    for name in ("pools", "fewer-teams"):
        experiment = EXPERIMENTS[name]
        plain, holm = (experiment(c, ["AP"], replace(small(experiment), alpha=0.5, correction=k)) for k in ("none", "holm"))
        told = EXPERIMENTS["matrix"](c, ["AP"], EXPERIMENTS["matrix"].params(alpha=0.5))
        assert holm.full_power[0] == told.power[0] < plain.full_power[0]
        assert f"{told.power[0]:.0%} on all judgments (paired t, Holm, alpha 0.5)" in holm.headline()


def test_p_when_corrected_for_an_experiment_then_is_adjusted_as_its_test_asks():
    p = np.array([0.0, 0.01, 0.04])
    params = EXPERIMENTS["matrix"].params
    assert params().corrected(p).tolist() == pytest.approx([0, 0.02, 0.04])
    assert params(test="bootstrap", samples=100).corrected(p).tolist() == pytest.approx([0.03, 0.03, 0.04])
    assert params(correction="none").is_significant(np.append(p, [0.05, np.nan])).tolist() == [True, True, True, False, False]


def test_papers_when_their_exhibits_test_pairs_then_each_says_how():
    for paper in PAPERS.values():
        of = [exhibit for exhibit in paper.exhibits if "test" in fields(EXPERIMENTS[exhibit.experiment].params)]
        assert [exhibit.label for exhibit in of if not {"test", "correction"} <= exhibit.params.keys()] == []
