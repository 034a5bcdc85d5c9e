"""Tables on the significance of pairs, and the contents of a collection, by hand."""

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from irmeval.reading.score_matrix import Matrix
from irmeval.report import overview
from irmeval.stats.significance import APART, TESTS, compare
from tests.cases import collection

SIGNIFICANCE, CONTENTS = EXPERIMENTS["matrix"], EXPERIMENTS["collection"]
GRADES = {str(t): {"a": 1, "b": 0} for t in range(8)}


def lists(**hits):
    """Runs that have the relevant document first on so many of eight topics."""
    return {run: {t: "ab" if int(t) < n else "ba" for t in GRADES} for run, n in hits.items()}


def test_power_by_every_test_when_tabled_then_pairs_are_those_below_alpha_alone():
    values = np.random.default_rng(3).random((5, 12)) + np.linspace(0, 0.6, 5)[:, None]
    matrix = Matrix("made up", tuple("abcde"), tuple(map(str, range(12))), values)
    found = SIGNIFICANCE(
        matrix, params=SIGNIFICANCE.params(test="t", alpha=0.2, samples=200, seed=2)
    )
    row = table_named(found, "tests").make().iloc[0]
    for name in APART:
        p = compare(values, name, samples=200, seed=2).p
        assert row[TESTS[name].label] == (p < 0.2).mean()


def test_power_when_measures_differ_then_the_most_powerful_is_first_and_marks_follow_the_first():
    c = collection(GRADES, lists(x=0, y=8, z=4))
    found = SIGNIFICANCE(c, ["R@2", "RR"], SIGNIFICANCE.params(test="sign"))
    assert table_named(found, "power").make()[
        ["measure", "power", "told apart", "pairs"]
    ].to_numpy().tolist() == [
        ["RR", pytest.approx(1 / 3), 1, 3],
        ["R@2", 0, 0, 3],
    ]
    marks = table_named(found, "marks").make()
    assert marks["run"].tolist() == ["x", "y", "z"]  # which all have the same R@2
    assert marks["RR"].tolist() == ["0.5000", "1.0000^a", "0.7500"]


def test_contents_when_grades_are_several_then_the_highest_stands_first():
    c = collection({"1": {"a": 2, "b": 1, "c": 0, "d": -1}, "2": {"a": 1}}, {"x": {"1": "ab"}})
    assert table_named(CONTENTS(c), "judgments").make().to_numpy().tolist() == [
        ["judged", 4, 2, 1, 3],
        ["relevant", 3, 1.5, 1, 2],
        ["grade 2", 1, 0.5, 0, 1],
        ["grade 1", 2, 1, 1, 1],
        ["grade 0", 1, 0.5, 0, 1],
        ["grade -1", 1, 0.5, 0, 1],
    ]


def test_matrix_when_tabled_then_the_best_run_stands_first_with_its_topics_at_zero():
    values = np.array([[0.0, 0.2, 0.0], [0.5, 0.0, 0.7]])
    table = overview.summarize_matrix(Matrix("made up", ("a", "b"), tuple("123"), values))
    assert table.to_numpy().tolist() == [
        ["b", pytest.approx(0.4), 0, 0.7, 1],
        ["a", pytest.approx(0.2 / 3), 0, 0.2, 2],
    ]


def test_remarks_when_judgments_and_topics_are_odd_then_they_are_counted():
    odd = {"1": {"a": 1, "b": 0, "c": -1}, "2": {"a": 1}}
    c = collection(odd, {"x": {"1": "a"}, "y": {"1": "a", "2": "a"}})
    assert overview.remarks(c) == [
        "1 judgment with a negative grade, counted as pooled but not judged.",
        "x lacks 1 of 2 topics, scored 0 there.",
    ]
    told = overview.remarks(
        collection(odd, {"x": {"1": "a"}, "y": {"1": "a", "2": "a"}}, average="retrieved")
    )
    assert told[1] == "x lacks 1 of 2 topics, which are left out of the means."


def test_next_steps_when_neighbours_do_not_differ_then_the_first_two_of_them_are_compared():
    # of P@1, x has 1 on all of eight topics, y and z on none; of RR, y has 1/2 and z has 1/3
    lists = {"x": ["r", "u", "v"], "y": ["u", "r", "v"], "z": ["u", "v", "r"]}
    topics = [str(t) for t in range(8)]
    c = collection(
        {t: {"r": 1} for t in topics}, {run: dict.fromkeys(topics, of) for run, of in lists.items()}
    )
    for measures, pair in (
        (["P@1", "RR"], {"run_a": "y", "run_b": "z"}),
        (["RR", "P@1"], {"run_a": "x", "run_b": "y"}),
    ):
        first, *_ = SIGNIFICANCE(c, measures, SIGNIFICANCE.params(test="t")).next_steps()
        assert (first.page, first.settings) == ("two-runs", {**pair, "test": "t"})
