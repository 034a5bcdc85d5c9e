"""The package against other programs, on data drawn from a seed."""

import shutil

import numpy as np
import pytest

from tests import cases, parity
from tests.oracles import Topic

pytest.importorskip("cwl", reason="needs cwl-eval, see requirements-test.txt")
pytest.importorskip("pyNTCIREVAL", reason="needs pyNTCIREVAL, see requirements-test.txt")
needs_perl = pytest.mark.skipif(
    not shutil.which("perl"), reason="gdeval, which ir_measures calls for ERR, needs perl"
)

COMPARISONS = [(tool, c) for tool, (_, comparisons) in parity.TOOLS.items() for c in comparisons]


@needs_perl
@pytest.mark.parametrize(
    ("tool", "comparison"),
    COMPARISONS,
    ids=[f"{tool.split()[0]}-{c.theirs}-{c.ours}" for tool, c in COMPARISONS],
)
def test_measure_when_another_program_computes_it_then_agrees_unless_a_reason_is_given(
    tool, comparison
):
    largest = parity.difference(comparison, parity.TOOLS[tool][0](comparison.theirs))
    assert (largest > 1e-3) if comparison.reason else (largest <= comparison.tolerance)


def test_data_when_drawn_then_hold_ties_and_unjudged_documents():
    judgments, scores = parity.data()
    assert any(
        len(set(found.values())) < len(found)
        for topics in scores.values()
        for found in topics.values()
    )
    assert min(min(grades.values()) for grades in judgments.values()) == -1
    assert max(max(grades.values()) for grades in judgments.values()) == parity.TOP


# ---------------------------------------------------------------- the reasons given are the whole
# difference


def test_trec_eval_when_the_relevance_level_is_2_then_ndcg_does_not_notice():
    assert parity.trec_eval("ndcg -l 2") == parity.trec_eval("ndcg")


def test_trec_eval_when_a_topic_has_nothing_relevant_then_says_0():
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 0}}, {"map"})
    assert evaluator.evaluate({"1": {"a": 1.0}})["1"]["map"] == 0
    assert np.isnan(cases.one("AP", ["a"], {"a": 0}))


@pytest.mark.parametrize("m", ["NumRet", "NumRet(rel=1)", "NumRet(rel=2)"])
def test_ir_measures_when_a_level_is_given_then_relevant_documents_are_counted(m):
    import ir_measures

    grades, ranking = {"a": 1, "b": 0, "c": 2, "d": 2}, ["a", "b", "x", "c"]
    qrels = [ir_measures.Qrel("1", d, g) for d, g in grades.items()]
    run = [ir_measures.ScoredDoc("1", d, -float(i)) for i, d in enumerate(ranking)]
    assert (
        cases.one(m, ranking, grades)
        == ir_measures.calc_aggregate([ir_measures.parse_measure(m)], qrels, run).popitem()[1]
    )


def test_ir_measures_when_no_grade_is_negative_then_judged_agrees():
    import ir_measures

    grades = {"a": 0, "b": 1, "c": 2}
    ranking = ["a", "u", "b", "v", "c"]
    qrels = [ir_measures.Qrel("1", d, g) for d, g in grades.items()]
    run = [ir_measures.ScoredDoc("1", d, -float(i)) for i, d in enumerate(ranking)]
    for m in ("Judged@1", "Judged@3", "Judged@5", "Judged@20"):
        assert (
            cases.one(m, ranking, grades)
            == ir_measures.calc_aggregate([ir_measures.parse_measure(m)], qrels, run).popitem()[1]
        )


def test_ntcireval_when_ap_is_cut_then_divides_by_the_cutoff_at_most():
    ap, theirs = parity.ours("AP@10"), parity.ntcireval("AP@10")
    for (run, t), value in ap.items():
        R = sum(g > 0 for g in parity.data()[0][t].values())
        assert value * R / min(10, R) == pytest.approx(theirs[run, t], abs=1e-9)


def test_ntcireval_when_err_stops_its_own_way_then_is_the_same_cascade():
    theirs = parity.ntcireval("ERR")
    for (run, t), ranking in parity.rankings().items():
        topic = Topic(ranking, parity.data()[0][t], top=parity.TOP)
        expected, looking = 0.0, 1.0
        for r in topic.relevant():
            stop = topic.g(r) / (parity.TOP + 1)
            expected += looking * stop / r
            looking *= 1 - stop
        assert expected == pytest.approx(theirs[run, t], abs=1e-9)
