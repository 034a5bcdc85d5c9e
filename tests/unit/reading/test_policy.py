"""Policies: what they change in the scores, and nothing else."""

import inspect
from dataclasses import asdict
from typing import Unpack, get_type_hints

import numpy as np
import pandas as pd
import pytest
import pytrec_eval

from irmeval import Collection, ParamError, evaluate, read_collection
from irmeval.collection.base import build
from irmeval.core.params import fields
from irmeval.reading.foreign import qrels_from_dict, run_from_dict
from irmeval.reading.policy import PROFILES, Decisions, Pairs, Policy, profile_of
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines


def score(tiny, run: str, topic: str, measure: str = "AP", **policy) -> float:
    scores = evaluate(read_collection(*tiny, **policy), [measure])
    return float(scores.values[0, scores.runs.index(run), scores.topics.index(topic)])


def test_empty_topics_when_zero_then_they_count_as_in_trec_eval(tiny):
    assert np.isnan(score(tiny, "ideal", "3"))
    assert score(tiny, "ideal", "3", empty="zero") == 0


def test_mean_when_over_retrieved_topics_then_missing_ones_have_no_score(tiny):
    assert score(tiny, "short", "4") == 0
    assert np.isnan(score(tiny, "short", "4", average="retrieved"))
    counts = evaluate(read_collection(*tiny, average="retrieved"), ["AP"])
    assert counts.counts[0].tolist() == [3 if run != "short" else 2 for run in counts.runs]


@pytest.mark.parametrize("average", ["judged", "retrieved"])
@pytest.mark.parametrize("empty", ["undefined", "zero"])
def test_scores_when_topics_are_missing_or_empty_then_each_measure_is_as_the_policy_has_it(
    tiny, average, empty
):
    measures = ["AP", "AP(rel=2)'", "nDCG(rel=3)@5", "NumRet", "P(rel=3)@5", "Bpref"]
    usual, decided = read_collection(*tiny), read_collection(*tiny, average=average, empty=empty)
    expected = evaluate(usual, measures).values
    levels = np.array([m.params["rel"] for m in evaluate(usual, measures).measures])
    R = np.array(
        [[np.sum(usual.grade[usual.topic == t] >= rel) for t in range(4)] for rel in levels]
    )
    if empty == "zero":
        expected = np.where((R == 0)[:, None, :], 0, expected)
    if average == "retrieved":
        expected = np.where(usual.missing, np.nan, expected)
    np.testing.assert_array_equal(evaluate(decided, measures).values, expected)


def test_negative_grades_when_nonrelevant_then_they_are_judged(tiny):
    # topic 4, list P1 n1 A1: P1 is pooled with grade -1
    assert score(tiny, "example", "4", "AP'") == 1 / 2
    assert score(tiny, "example", "4", "AP'", negative="nonrelevant") == 1 / 3
    assert score(tiny, "example", "4", "NumUnjudged") == 1
    assert score(tiny, "example", "4", "NumUnjudged", negative="nonrelevant") == 0


def test_double_order_when_scores_differ_past_32_bits_then_they_are_told_apart(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 0.123456789012 t\n1 Q0 b 2 0.123456789011 t\n")
    for order, expected in (("trec_eval", 0.5), ("double", 1.0)):
        scores = evaluate(read_collection(tmp_path / "q", tmp_path / "r", order=order), ["AP"])
        assert scores.values.item() == expected


@pytest.mark.parametrize("name", PROFILES)
def test_profile_when_its_policy_is_given_then_it_is_recognised_at_any_depth(name):
    assert profile_of(PROFILES[name]) == name
    assert profile_of(Policy(**asdict(PROFILES[name]) | {"depth": 7})) == name


def test_profiles_when_listed_then_decide_what_convention_24_says():
    usual = asdict(Policy())
    decided = {
        name: {k: v for k, v in asdict(policy).items() if v != usual[k]}
        for name, policy in PROFILES.items()
    }
    assert decided == {
        "papers": {},
        "trec_eval 9.0.8": {"average": "retrieved", "empty": "zero"},
        "trec_eval 10": {"order": "double", "average": "retrieved", "empty": "zero"},
        "NTCIREVAL": {"order": "file"},
    }


def test_trec_evals_profile_when_topics_are_empty_or_missing_then_means_are_trec_evals(tiny):
    scores = evaluate(read_collection(*tiny, **asdict(PROFILES["trec_eval 9.0.8"])), ["AP", "nDCG"])
    evaluator = pytrec_eval.RelevanceEvaluator(
        pytrec_eval.parse_qrel(TINY_QRELS.splitlines()), {"map", "ndcg"}
    )
    for run, means in zip(scores.runs, scores.means.T, strict=True):
        theirs = evaluator.evaluate(
            pytrec_eval.parse_run(run_lines(run, TINY_RUNS[run]).splitlines())
        ).values()
        assert means == pytest.approx(
            [np.mean([topic[name] for topic in theirs]) for name in ("map", "ndcg")], abs=1e-9
        )


def test_profile_when_a_policy_is_no_programs_then_none():
    assert profile_of(Policy(order="rank", negative="nonrelevant")) is None


def test_policy_when_a_word_is_unknown_then_refused():
    with pytest.raises(ParamError, match="average: expected one of judged, retrieved, found 'all'"):
        Policy(average="all")


def test_fingerprint_when_only_the_policy_differs_then_differs(tiny):
    policies = [
        {},
        {"average": "retrieved"},
        {"empty": "zero"},
        {"negative": "nonrelevant"},
        {"order": "double"},
    ]
    assert len({read_collection(*tiny, **policy).fingerprint for policy in policies}) == len(
        policies
    )


NESTED = {"1": {"a": 1}}
FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "score": [1.0]})
TAKE_DECISIONS = {
    read_collection: ("qrels", "runs"),
    Collection.from_frames: (FRAME, FRAME),
    Collection.from_dicts: (NESTED, {"run": NESTED}),
    build: (qrels_from_dict(NESTED), [run_from_dict("run", NESTED)]),
}


def test_decisions_when_listed_for_type_checkers_then_are_the_fields_of_a_policy():
    assert get_type_hints(Decisions) == {
        name: field.kind for name, field in fields(Policy).items()
    } | {"exclude": Pairs}


@pytest.mark.parametrize("function", TAKE_DECISIONS, ids=lambda function: function.__name__)
def test_keyword_when_misspelt_then_the_nearest_is_named(function):
    assert inspect.signature(function).parameters["policy"].annotation == Unpack[Decisions]
    with pytest.raises(ParamError, match="unknown keyword 'depht'; nearest: depth"):
        function(*TAKE_DECISIONS[function], depht=10)
    with pytest.raises(ParamError, match="unknown keyword 'ordre'; nearest: order"):
        function(*TAKE_DECISIONS[function], depth=10, ordre="rank")
