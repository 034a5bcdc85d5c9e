"""Scores of real runs beside those that trec_eval and NTCIREVAL print."""

import csv
import gzip

import numpy as np
import pytest

import irmeval
from tests import cases

PRINTED = 0.5e-4 + 1e-9
"""As far as a score may be from what is printed of it, with four decimals."""
TREC_EVAL = {
    name: name
    for name in (
        "map",
        "Rprec",
        "bpref",
        "recip_rank",
        "P_10",
        "recall_1000",
        "infAP",
        "ndcg",
        "ndcg_cut_10",
    )
}
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
    """The collection and what trec_eval 9.0.8 and NTCIREVAL say of it: (program,
    measure) -> {(run, topic): score}.
    """
    expected = {}
    with gzip.open(robust03 / "expected.tsv.gz", "rt") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            expected.setdefault((row["tool"].split("-")[0], row["measure"]), {})[
                row["run"], row["topic"]
            ] = float(row["value"])
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
    assert_to_four_decimals(
        irmeval.evaluate(collection, [NTCIREVAL[name]]), expected["NTCIREVAL", name]
    )


def test_real_runs_when_averaged_geometrically_then_agree_with_gm_map(real):
    collection, expected = real
    scores = irmeval.evaluate(collection, ["AP"])
    for run, value in zip(scores.runs, scores.over_topics("geometric")[0], strict=True):
        assert value == pytest.approx(expected["trec_eval", "gm_map"][run, "all"], abs=5.01e-5)


def test_real_expectations_when_listed_then_are_all_checked_but_the_other_err(real):
    checked = {("trec_eval", name) for name in (*TREC_EVAL, "gm_map")} | {
        ("NTCIREVAL", name) for name in NTCIREVAL
    }
    assert set(real[1]) - checked == {("NTCIREVAL", "ERR@0020")}


def test_real_run_when_scored_on_reduced_judgments_then_agrees_with_trec_eval(real, robust03):
    """To full precision, dropped documents as pooled ones; the run's lists are short
    and it lacks relevant documents often.
    """
    import pytrec_eval

    collection, _ = real
    grades = irmeval.reduce(collection, "stratified", rate=10, seed=3)[0]
    judgments: dict[str, dict[str, int]] = {t: {} for t in collection.topics}
    for topic, document, grade in zip(
        collection.topic, collection.documents.to_pylist(), grades.tolist(), strict=True
    ):
        judgments[collection.topics[topic]][document] = grade
    asked = {
        name.replace("_10", ".10") if name.endswith(("_10", "_1000")) else name
        for name in TREC_EVAL
    }
    run = "NLPR03vb10"
    found: dict[str, dict[str, float]] = {}
    with gzip.open(robust03 / "runs" / f"{run}.gz", "rt") as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            found.setdefault(topic, {})[document] = float(score)
    theirs = pytrec_eval.RelevanceEvaluator(judgments, asked).evaluate(found)
    ours = irmeval.evaluate(collection, [*TREC_EVAL], grades=grades).values[
        :, collection.runs.index(run)
    ]
    expected = [
        [theirs[t][name] if t in theirs else 0 for t in collection.topics] for name in TREC_EVAL
    ]
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9)
