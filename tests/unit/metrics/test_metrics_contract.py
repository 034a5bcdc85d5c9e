"""What holds for every metric in the registry."""

import inspect
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import irmeval
from irmeval.metrics import METRICS
from tests.cases import (
    EXAMPLE,
    EXAMPLE_LIST,
    cases,
    collection,
    drawn,
    measures,
    one,
    tied_collection,
)

SCORING = [name for name, metric in METRICS.items() if metric.family != "diagnostics"]
EVERY = [irmeval.measure(m) for name in METRICS for m in measures(name)]
CUT: dict[tuple[int, bool], list[irmeval.Measure]] = {}
"""By cutoff and prime, the measures that have these."""
for m in EVERY:
    if (k := m.params.get("k")) is not None:
        CUT.setdefault((k, m.prime), []).append(m)
LONGEST = 14
"""Documents of the longest list of a case."""
TOPICS = {
    "plain": {"a": 1, "b": 2, "c": 3, "d": 1, "m": 0, "n": 0},
    "nothing nonrelevant": {"a": 1, "b": 2, "c": 3, "d": 1},
    "one relevant": {"a": 2, "m": 0, "n": 0},
    "one document": {"a": 3},
}


def ideal_list(grades):
    return sorted(grades, key=grades.get, reverse=True)


def scored(ranking, grades, chosen):
    """The score of one list on one topic by each of the measures."""
    return dict(
        zip(
            chosen,
            irmeval.evaluate(collection({"1": grades}, {"run": {"1": ranking}}), chosen).values[
                :, 0, 0
            ],
            strict=True,
        )
    )


@cache
def examples(ranking, grades):
    """The score of one list, of documents in a line, by the example of every metric:
    made once for the tests of all of them.
    """
    found = scored(ranking.split(), dict(grades), [m.example for m in METRICS.values()])
    return dict(zip(METRICS, found.values(), strict=True))


def by_example(name, ranking, grades=EXAMPLE):
    return examples(" ".join(ranking), tuple(grades.items()))[name]


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_metric_when_registered_then_says_everything_about_itself(metric):
    assert metric.source
    assert metric.unjudged.endswith(".")
    assert metric.formula
    assert metric.formula.count("{") == metric.formula.count("}")
    assert len(metric.meaning.rstrip(".").split(". ")) == 2, (
        "the docstring says what the number means in two sentences"
    )
    assert irmeval.measure(metric.example).metric is metric
    assert str(irmeval.measure(metric.example)) == metric.example
    assert not (metric.primed and metric.judged_only)
    assert len(inspect.getsource(metric.function).splitlines()) < 40


@pytest.mark.parametrize("top", [3, 12, 16, 100])
def test_score_when_grades_are_stored_in_fewer_bytes_then_is_the_same(top):
    judgments, scores = drawn(2, topics=4, runs=2, depth=30)
    higher = {0: 0, 1: 1, 2: top - 1, 3: top}
    built = tied_collection(
        {topic: {d: higher[g] for d, g in grades.items()} for topic, grades in judgments.items()},
        scores,
    )
    few, many = (
        irmeval.evaluate(built, EVERY, grades=built.grade.astype(kind)).values
        for kind in (np.int8, np.int64)
    )
    np.testing.assert_array_equal(few, many)
    assert np.isfinite(many).all()


@settings(max_examples=40)
@given(case=cases(), reduced=st.booleans())
def test_score_when_topic_has_relevant_documents_then_is_in_the_declared_range(case, reduced):
    built = case.collection()
    grades = case.grades(built) if reduced else built.grade
    scores = irmeval.evaluate(built, EVERY, grades=grades)
    for one_measure, values in zip(scores.measures, scores.values, strict=True):
        low, high = one_measure.metric.range
        relevant = (
            np.bincount(built.topic, grades >= one_measure.params["rel"], len(built.topics)) > 0
        )
        assert np.isnan(values[:, ~relevant]).all(), (
            f"{one_measure}: no score without relevant documents"
        )
        assert np.isfinite(values[:, relevant]).all(), one_measure
        assert (values[:, relevant] >= low - 1e-9).all(), one_measure
        assert (values[:, relevant] <= high + 1e-9).all(), one_measure


@pytest.mark.parametrize("name", METRICS)
def test_ideal_list_when_scored_then_is_the_declared_score(name):
    ideal = METRICS[name].ideal
    if ideal is None:
        scores = [
            score
            for grades in TOPICS.values()
            for score in scored(ideal_list(grades), grades, measures(name)).values()
        ]
        assert not np.allclose(scores, 1, rtol=0, atol=1e-9), "declare what an ideal list scores"
    else:
        scores = [by_example(name, ideal_list(grades), grades) for grades in TOPICS.values()]
        np.testing.assert_allclose(scores, ideal, rtol=0, atol=1e-12)


@pytest.mark.parametrize("ranking", [["n1"], ["n1", "u1", "n2", "n3"], ["u1", "u2"]], ids=" ".join)
def test_list_when_nothing_in_it_is_relevant_then_every_measure_is_0(ranking):
    scores = scored(ranking, EXAMPLE, [m for name in SCORING for m in measures(name)])
    smoothed = {m: scores.pop(m) for m in measures("infP")}
    assert max(smoothed.values()) < 1e-4  # its epsilons
    assert scores == dict.fromkeys(scores, 0)


def test_run_when_it_lacks_a_topic_then_every_measure_is_0():
    built = collection({"1": EXAMPLE, "2": EXAMPLE}, {"run": {"1": EXAMPLE_LIST}})
    found = irmeval.evaluate(built, EVERY)
    for m, score in zip(found.measures, found.values[:, 0, 1], strict=True):
        # what could still be gained is everything; how much there was to find does not depend on
        # the run
        still = {"RBP_residual": 1} | dict.fromkeys(
            ("NumRel", "statR"), sum(g >= m.params["rel"] for g in EXAMPLE.values())
        )
        assert score == still.get(m.metric.name, 0), m


def test_topic_when_nothing_is_relevant_then_has_no_score_by_every_measure():
    scores = scored(["a", "b"], {"a": 0, "b": -1, "c": 0}, EVERY)
    assert [m for m, score in scores.items() if not np.isnan(score)] == []


@pytest.mark.parametrize("ranking", [["S"], ["u"], ["u", "A", "S"]], ids=" ".join)
def test_score_when_nothing_is_judged_nonrelevant_then_every_measure_is_finite(ranking):
    scores = scored(ranking, {"S": 3, "A": 2}, EVERY)
    assert [m for m, score in scores.items() if not np.isfinite(score)] == []


@settings(max_examples=25)
@given(case=cases())
def test_cutoff_when_the_list_is_truncated_there_then_changes_nothing(case):
    found = irmeval.evaluate(case.collection(), [m for chosen in CUT.values() for m in chosen])
    whole = dict(zip(found.measures, found.values, strict=True))

    @cache
    def truncated(k, prime):
        cut = {
            run: {
                t: [d for d in r if not prime or case.judgments[t].get(d, -1) >= 0][:k]
                for t, r in topics.items()
            }
            for run, topics in case.rankings.items()
        }
        some = {run: topics for run, topics in cut.items() if any(topics.values())}
        return collection(case.judgments, some) if some else None

    for (k, prime), chosen in CUT.items():
        if (built := truncated(min(k, LONGEST), prime)) is not None:
            less = irmeval.evaluate(built, chosen)
            rows = [found.runs.index(run) for run in less.runs]
            expected = np.stack([whole[m][rows] for m in less.measures])
            np.testing.assert_array_equal(expected, less.values, str(chosen), strict=True)


IGNORING = [m for m in EVERY if m.prime or m.metric.judged_only]


@settings(max_examples=25)
@given(case=cases(), data=st.data())
def test_condensed_metrics_when_documents_outside_the_pool_come_and_go_then_stay(case, data):
    stuffed = {
        run: {
            t: [x for i, d in enumerate(r) for x in (f"new{i}", d)[data.draw(st.integers(0, 1)) :]]
            for t, r in topics.items()
        }
        for run, topics in case.rankings.items()
    }
    before = irmeval.evaluate(case.collection(), IGNORING).values
    np.testing.assert_allclose(
        irmeval.evaluate(collection(case.judgments, stuffed), IGNORING).values,
        before,
        rtol=0,
        atol=1e-12,
    )


RECALL_OF_ALL = {"SetR", "SetRelP"}
"""Wherever a relevant document stands in the list, and whatever stands above it, it
counts the same.
"""


@pytest.mark.parametrize(
    "name",
    [name for name in SCORING if not METRICS[name].judged_only and name not in RECALL_OF_ALL],
)
def test_other_metrics_when_unjudged_documents_come_first_then_fall(name):
    ranking = ideal_list(EXAMPLE)
    m = re.sub("@.*", "@3", METRICS[name].example)
    assert one(m, ["u1", "u2", "u3", *ranking]) < one(m, ranking)


@settings(max_examples=25)
@given(case=cases())
def test_scores_when_documents_are_renamed_then_stay(case):
    name = {f"d{i}": f"{(i * 5) % 14:02}" for i in range(14)}
    judgments = {t: {name[d]: g for d, g in grades.items()} for t, grades in case.judgments.items()}
    rankings = {
        run: {t: [name[d] for d in r] for t, r in topics.items()}
        for run, topics in case.rankings.items()
    }
    before, after = (
        irmeval.evaluate(c, EVERY).values
        for c in (case.collection(), collection(judgments, rankings))
    )
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-12)


@settings(max_examples=25)
@given(case=cases())
def test_scores_when_runs_are_appended_then_stay(case):
    rankings = dict(case.rankings) | {
        "the last": {t: list(grades)[::-1] for t, grades in case.judgments.items()}
    }
    before, after = (
        irmeval.evaluate(case.collection(), EVERY),
        irmeval.evaluate(collection(case.judgments, rankings), EVERY),
    )
    np.testing.assert_allclose(
        after.values[:, : len(before.runs)], before.values, rtol=0, atol=1e-12
    )


# ---------------------------------------------------------------- the catalogue's properties are
# facts


@pytest.mark.parametrize("name", SCORING)
def test_graded_when_a_relevant_document_changes_its_grade_then_and_only_then_the_score_moves(name):
    ranking = ["n1", "b", "a", "u", "n2", "c"]
    lower, higher = (
        {"a": 1, "b": 1, "c": 2, "n1": 0, "n2": 0, "top": 3},
        {
            "a": 1,
            "b": 3,
            "c": 1,
            "n1": 0,
            "n2": 0,
            "top": 3,
        },
    )
    assert (
        abs(by_example(name, ranking, lower) - by_example(name, ranking, higher)) > 1e-9
    ) == METRICS[name].graded


@pytest.mark.parametrize("name", SCORING)
def test_recall_based_when_more_relevant_documents_are_missed_then_and_only_then_the_score_moves(
    name,
):
    ranking = ["n1", "S1", "u1", "B1", "n2", "A1"]
    more = EXAMPLE | {f"missed{i}": 3 for i in range(5)}
    assert (abs(by_example(name, ranking, more) - by_example(name, ranking)) > 1e-9) == METRICS[
        name
    ].recall_based


@pytest.mark.parametrize("name", SCORING)
def test_top_heavy_when_one_document_rises_then_and_only_then_a_step_near_the_top_is_worth_more(
    name,
):
    """With nine others missed, or with one of them at rank 1 (what stands there adds
    nothing to Bpref_relative).
    """
    nonrelevant = [f"n{i}" for i in range(30)]
    grades = dict.fromkeys(nonrelevant, 0) | {f"r{i}": 1 for i in range(10)}

    def step(lead, start, stop):
        up, down = (
            [*lead, *nonrelevant[: r - 1 - len(lead)], "r0", *nonrelevant[r - 1 - len(lead) :]]
            for r in (start, stop)
        )
        return by_example(name, up, grades) - by_example(name, down, grades)

    assert (
        any(step(lead, 2, 5) > step(lead, 7, 10) + 1e-9 for lead in ([], ["r1"]))
        == METRICS[name].top_heavy
    )


def test_level_when_as_high_as_a_grade_can_be_then_is_scored():
    scores = scored(
        ["a", "b"],
        {"a": 127, "b": 32767},
        ["AP(rel=127)", "AP(rel=128)", "AP(rel=32767)", "ERR(top=32767)"],
    )
    assert [*scores.values()][:3] == [1, 0.5, 0.5]
    assert scores["ERR(top=32767)"] == 0.5
