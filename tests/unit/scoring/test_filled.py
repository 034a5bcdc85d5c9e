"""Scores under given grades of unjudged documents, against the evaluation of judgments
that have these grades.
"""

import numpy as np
import pytest

import irmeval
from irmeval.metrics import METRICS
from irmeval.scoring.filled import Filled, HolePlaces, can_fill, check_can_fill
from tests import cases

CUT = (
    "nDCG@3",
    "AP@4",
    "P@5",
    "nDCG@3'",
    "RR@2",
    "AP(rel=2)",
    "nCG@4",
    "ERR@5",
    "AnDCG(base=2)@4",
    "AnCG@4",
    "F@4",
    "R_cap@3",
    "AP@4'",
    "rpref_N(rel=3)",  # the highest grade that there is
)
EXAMPLES = [irmeval.measure(metric.example) for metric in METRICS.values()]
MEASURES = [
    m
    for m in dict.fromkeys(
        [*EXAMPLES, *(m.condensed for m in EXAMPLES), *map(irmeval.measure, CUT)]
    )
    if can_fill(m)
]


def hidden(seed: int, **policy: str) -> tuple[irmeval.Collection, np.ndarray, np.ndarray]:
    """A collection of 2 runs on 3 topics, which of its judgments are hidden, and grades
    for these, drawn at random.
    """
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(14)]
    grades = {t: {d: int(rng.choice([0, 0, 1, 2, 3])) for d in documents} for t in "123"}
    runs = {
        run: {t: [*map(str, rng.permutation(documents)[: rng.integers(1, 15)])] for t in "123"}
        for run in "ab"
    }
    made = cases.collection(grades, runs, **policy)
    return (
        made,
        rng.random(made.grade.size) < 0.4,
        rng.integers(0, made.top_grade + 1, made.grade.size),
    )


def lists_of(made: irmeval.Collection, hide: np.ndarray, run: int) -> Filled:
    """The lists of a run, whose holes are the hidden documents, retrieved or not."""
    rank, entry = np.zeros(made.grade.size, int), np.arange(*made.start[[run * 3, run * 3 + 3]])
    rank[made.judgment_index[entry]] = made.rank[entry]
    return Filled(
        made, np.where(hide, -1, made.grade), run, HolePlaces(made.topic[hide], rank[hide])
    )


@pytest.mark.parametrize("measure", MEASURES)
def test_scores_when_holes_are_given_grades_then_as_those_judgments_score(measure):
    for seed in range(6):
        made, hide, grades = hidden(seed)
        sets = np.stack(
            [grades[hide], np.zeros(hide.sum(), int), np.full(hide.sum(), made.top_grade)]
        ).astype(np.int8)
        for run in range(2):
            lists = lists_of(made, hide, run)
            found = lists.scores(measure, sets)
            for drawn, scores in zip(sets, found, strict=True):
                filled = made.grade.copy()
                filled[hide] = drawn
                np.testing.assert_allclose(
                    scores,
                    irmeval.evaluate(made, [measure], grades=filled).values[0, run, lists.topics],
                    atol=1e-12,
                )


def test_scores_when_worked_in_blocks_then_the_same(monkeypatch):
    made, hide, _ = hidden(1)
    sets, lists = (
        np.random.default_rng(1).integers(0, 4, (50, hide.sum())).astype(np.int8),
        lists_of(made, hide, 0),
    )
    whole = lists.scores(irmeval.measure("nDCG@5"), sets)
    monkeypatch.setattr("irmeval.scoring.filled.CELLS", 1)
    np.testing.assert_array_equal(lists.scores(irmeval.measure("nDCG@5"), sets), whole)


def test_scores_when_ideal_lists_are_fixed_then_they_are_those_of_the_judgments():
    made = cases.collection({"1": {"a": 1, "b": 0}}, {"mine": {"1": ["x", "a"]}})
    lists = Filled(made, made.grade, 0, HolePlaces(np.array([0]), np.array([1])))
    relevant = np.ones((1, 1), np.int8)
    first, second = 1.0, 1 / np.log2(3)
    assert lists.scores(irmeval.measure("nDCG@10"), relevant, grows=False) == pytest.approx(
        first + second
    )
    assert lists.scores(irmeval.measure("nDCG@10"), relevant) == pytest.approx(1)
    assert lists.scores(irmeval.measure("AP"), relevant, grows=False) == pytest.approx(2)


def test_scores_when_a_topic_has_no_relevant_document_then_none_or_0_by_the_policy():
    for policy, expected in (({}, np.nan), ({"empty": "zero"}, 0.0)):
        made = cases.collection(
            {"1": {"a": 0}, "2": {"a": 1}}, {"mine": {"1": ["x", "a"], "2": ["a"]}}, **policy
        )
        lists = Filled(made, made.grade, 0, HolePlaces(np.array([0]), np.array([1])))
        found = lists.scores(irmeval.measure("AP"), np.array([[0], [1]], np.int8))[:, 0]
        np.testing.assert_array_equal(found, [expected, 1.0])


@pytest.mark.parametrize("measure", ["Judged@10", "NumRel", "xinfAP"])
def test_check_when_a_measure_is_about_judgments_then_it_is_refused(measure):
    made, _, _ = hidden(1)
    with pytest.raises(irmeval.ParamError, match="Choose a measure such as nDCG@10"):
        check_can_fill(made, [irmeval.measure("AP"), irmeval.measure(measure)])


def test_check_when_gains_depend_on_the_topic_then_they_are_refused():
    made, _, _ = hidden(1, gains="adjusted")
    with pytest.raises(irmeval.ParamError, match="fixed for each grade"):
        check_can_fill(made, [irmeval.measure("AP")])
