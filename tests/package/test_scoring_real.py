"""Real runs scored beside trec_eval, and beside what NIST says of them."""

import csv
import gzip
import hashlib
from fractions import Fraction

import pytest
import pytrec_eval

from irmeval import evaluate, read_collection
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.means import rank_scores, tied
from tests.unit.scoring.test_evaluate_parity import assert_parity

STEP = {"robust03": 4, "trec_covid": 6}
"""Every so many of the runs; what trec_eval printed of all is compared elsewhere."""


@pytest.mark.parametrize("name", STEP)
def test_scores_when_runs_are_real_then_equal_trec_evals(name, request):
    folder = request.getfixturevalue(name)
    paths = sorted((folder / "runs").iterdir())[:: STEP[name]]
    collection = read_collection(folder / "qrels.txt", paths, depth=100_000)
    with open(folder / "qrels.txt") as file:
        judgments = pytrec_eval.parse_qrel(file)
    runs = {}
    for path in paths:
        with gzip.open(path, "rt") as file:
            runs[collection.runs[len(runs)]] = pytrec_eval.parse_run(file)
    assert_parity(collection, judgments, runs)


def test_trec_covid_when_scored_then_equals_nists_four_decimals(trec_covid):
    ours = {
        "ndcg@10": "nDCG@10",
        "p@5": "P@5",
        "RBP(p=.5)": "RBP(p=0.5)",
        "bpref": "Bpref",
        "MAP": "AP",
    }
    collection = read_collection(trec_covid / "qrels.txt", trec_covid / "runs")
    scores = evaluate(collection, ours.values())
    with open(trec_covid / "official.csv") as file:
        official = {row["run"]: [row[name] for name in ours] for row in csv.DictReader(file)}
    assert {
        run: [f"{mean:.4f}" for mean in means]
        for run, means in zip(scores.runs, scores.means.T, strict=True)
    } == official
    assert len(official) == 30


@pytest.mark.parametrize("k", [5, 10])
def test_trec_covid_when_precisions_are_fractions_then_runs_tie_as_these_do(trec_covid, k):
    collection = read_collection(trec_covid / "qrels.txt", trec_covid / "runs")
    scores = evaluate(collection, [f"P@{k}"])
    found = [sum(Fraction(round(score * k), k) for score in run) for run in scores.values[0]]
    means = tied(scores.means[0])
    assert len(set(found)) < len(found)
    assert [[a == b for b in found] for a in found] == (means == means[:, None]).tolist()
    assert rank_scores(scores.means[0]).tolist() == [
        1 + sum(other > own for other in found) for own in found
    ]


MANY = ["P@5", "P@10", "AP", "nDCG@10", "RR"]


def test_trec_covid_when_topics_are_renamed_then_no_mean_and_no_correlation_changes(
    trec_covid, tmp_path
):
    """Renamed topics stand in another order, so that sums over them are added up in
    another order.
    """
    topics = read_collection(trec_covid / "qrels.txt", []).topics
    name = {topic: f"t{hash_of(topic)}" for topic in topics}
    (tmp_path / "runs").mkdir()
    (tmp_path / "qrels.txt").write_text(renamed((trec_covid / "qrels.txt").read_text(), name))
    for path in (trec_covid / "runs").iterdir():
        (tmp_path / "runs" / path.stem).write_text(
            renamed(gzip.decompress(path.read_bytes()).decode(), name)
        )
    before, after = (
        evaluate(read_collection(folder / "qrels.txt", folder / "runs"), MANY)
        for folder in (trec_covid, tmp_path)
    )
    assert before.runs == after.runs
    assert [*after.topics] != [name[topic] for topic in before.topics]
    assert before.means.tolist() == after.means.tolist()
    for correlation in CORRELATIONS.values():
        taus = [
            correlation.compute(scores.means[:, None], scores.means) for scores in (before, after)
        ]
        assert taus[0].tolist() == taus[1].tolist()


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def renamed(text, name):
    return "".join(
        f"{name[topic]} {rest}\n"
        for topic, _, rest in (line.partition(" ") for line in text.replace("\t", " ").splitlines())
    )
