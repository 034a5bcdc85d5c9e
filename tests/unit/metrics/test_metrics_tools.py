"""The package against other programs: on data drawn from a seed, on real runs, and the page that tells of it."""

import csv
import gzip
import shutil

import numpy as np
import pytest

import irmeval
from tests import cases, parity
from tests.conftest import ROOT
from tests.oracles import Topic

pytest.importorskip("cwl", reason="needs cwl-eval, see requirements-test.txt")
pytest.importorskip("pyNTCIREVAL", reason="needs pyNTCIREVAL, see requirements-test.txt")
needs_perl = pytest.mark.skipif(not shutil.which("perl"), reason="gdeval, which ir_measures calls for ERR, needs perl")

COMPARISONS = [(tool, c) for tool, (_, comparisons) in parity.TOOLS.items() for c in comparisons]


@needs_perl
@pytest.mark.parametrize(("tool", "comparison"), COMPARISONS, ids=[f"{tool.split()[0]}-{c.theirs}-{c.ours}" for tool, c in COMPARISONS])
def test_measure_when_another_program_computes_it_then_agrees_unless_a_reason_is_given(tool, comparison):
    largest = parity.difference(comparison, parity.TOOLS[tool][0](comparison.theirs))
    assert (largest > 1e-3) if comparison.reason else (largest <= comparison.tolerance)


def test_data_when_drawn_then_hold_ties_and_unjudged_documents():
    judgments, scores = parity.data()
    assert any(len(set(found.values())) < len(found) for topics in scores.values() for found in topics.values())
    assert min(min(grades.values()) for grades in judgments.values()) == -1
    assert max(max(grades.values()) for grades in judgments.values()) == parity.TOP


@needs_perl
def test_parity_page_when_made_again_then_is_the_one_in_docs():
    made = (ROOT / "docs" / "PARITY.md").read_text(encoding="utf-8")
    assert made == parity.page(), "run: python -m tests.parity > docs/PARITY.md"


# ---------------------------------------------------------------- the reasons given are the whole difference


def test_trec_eval_when_the_relevance_level_is_2_then_ndcg_does_not_notice():
    assert parity.trec_eval("ndcg -l 2") == parity.trec_eval("ndcg")


def test_trec_eval_when_a_topic_has_nothing_relevant_then_says_0():
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator({"1": {"a": 0}}, {"map"})
    assert evaluator.evaluate({"1": {"a": 1.0}})["1"]["map"] == 0
    assert np.isnan(cases.one("AP", ["a"], {"a": 0}))


def test_ir_measures_when_no_grade_is_negative_then_judged_agrees():
    import ir_measures

    grades = {"a": 0, "b": 1, "c": 2}
    ranking = ["a", "u", "b", "v", "c"]
    qrels = [ir_measures.Qrel("1", d, g) for d, g in grades.items()]
    run = [ir_measures.ScoredDoc("1", d, -float(i)) for i, d in enumerate(ranking)]
    for m in ("Judged@1", "Judged@3", "Judged@5", "Judged@20"):
        assert cases.one(m, ranking, grades) == ir_measures.calc_aggregate([ir_measures.parse_measure(m)], qrels, run).popitem()[1]


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


# ---------------------------------------------------------------- real runs

PRINTED = 0.5e-4 + 1e-9
"""As far as a score may be from what is printed of it, with four decimals."""

TREC_EVAL = {name: name for name in ("map", "Rprec", "bpref", "recip_rank", "P_10", "recall_1000", "infAP", "ndcg", "ndcg_cut_10")}
NTCIREVAL = {
    "RR": "RR",
    "Q-measure": "Q",
    "O-measure": "O-measure",
    "P-measure": "P-measure",
    "P-plus": "P+",
    "RBP": "RBP(p=0.95)",
    "nDCG@1000": "nDCG(base=2)@1000",
    "MSnDCG@1000": "nDCG@1000",
}


@pytest.fixture(scope="module")
def real(robust03):
    """The collection and what trec_eval 9.0.8 and NTCIREVAL say of it: (program, measure) -> {(run, topic): score}."""
    expected = {}
    with gzip.open(robust03 / "expected.tsv.gz", "rt") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            expected.setdefault((row["tool"].split("-")[0], row["measure"]), {})[row["run"], row["topic"]] = float(row["value"])
    return cases.read_once(robust03 / "qrels.txt", robust03 / "runs"), expected


def assert_to_four_decimals(scores, expected):
    # trec_eval runs in another arithmetic: a value on the edge may be rounded the other way
    theirs = [[expected[run, topic] for topic in scores.topics] for run in scores.runs]
    np.testing.assert_allclose(scores.values[0], theirs, rtol=0, atol=PRINTED)


@pytest.mark.parametrize("name", TREC_EVAL)
def test_real_runs_when_trec_eval_scored_them_then_agree_to_its_four_decimals(real, name):
    collection, expected = real
    scores = irmeval.evaluate(collection, [name])
    assert_to_four_decimals(scores, expected["trec_eval", name])
    for run, mean in zip(scores.runs, scores.means[0], strict=True):
        assert mean == pytest.approx(expected["trec_eval", name][run, "all"], abs=PRINTED)


@pytest.mark.parametrize("name", NTCIREVAL)
def test_real_runs_when_ntcireval_scored_them_then_agree_to_its_four_decimals(real, name):
    collection, expected = real
    assert_to_four_decimals(irmeval.evaluate(collection, [NTCIREVAL[name]]), expected["NTCIREVAL", name])


def test_real_runs_when_averaged_geometrically_then_agree_with_gm_map(real):
    collection, expected = real
    scores = irmeval.evaluate(collection, ["AP"])
    for run, value in zip(scores.runs, scores.over_topics("geometric")[0], strict=True):
        assert value == pytest.approx(expected["trec_eval", "gm_map"][run, "all"], abs=5.01e-5)


def test_real_expectations_when_listed_then_are_all_checked_but_the_other_err(real):
    checked = {("trec_eval", name) for name in (*TREC_EVAL, "gm_map")} | {("NTCIREVAL", name) for name in NTCIREVAL}
    assert set(real[1]) - checked == {("NTCIREVAL", "ERR@0020")}


def test_real_run_when_scored_on_reduced_judgments_then_agrees_with_trec_eval(real, robust03):
    """To full precision, dropped documents as pooled ones; the run's lists are short and it lacks relevant documents often."""
    import pytrec_eval

    collection, _ = real
    grades = irmeval.reduce(collection, "stratified", rate=0.1, seed=3)[0]
    judgments: dict[str, dict[str, int]] = {t: {} for t in collection.topics}
    for topic, document, grade in zip(collection.topic, collection.documents.to_pylist(), grades.tolist(), strict=True):
        judgments[collection.topics[topic]][document] = grade
    asked = {name.replace("_10", ".10") if name.endswith(("_10", "_1000")) else name for name in TREC_EVAL}
    run = "NLPR03vb10"
    found: dict[str, dict[str, float]] = {}
    with gzip.open(robust03 / "runs" / f"{run}.gz", "rt") as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            found.setdefault(topic, {})[document] = float(score)
    theirs = pytrec_eval.RelevanceEvaluator(judgments, asked).evaluate(found)
    ours = irmeval.evaluate(collection, TREC_EVAL, grades=grades).values[:, collection.runs.index(run)]
    expected = [[theirs[t][name] if t in theirs else 0 for t in collection.topics] for name in TREC_EVAL]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)
