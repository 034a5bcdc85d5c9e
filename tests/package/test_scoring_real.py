"""Real runs scored beside trec_eval, and beside what NIST says of them."""

import csv
import gzip

import pytest
import pytrec_eval

from irmeval import evaluate, read_collection
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
    ours = {"ndcg@10": "nDCG@10", "p@5": "P@5", "RBP(p=.5)": "RBP(p=0.5)", "bpref": "Bpref", "MAP": "AP"}
    collection = read_collection(trec_covid / "qrels.txt", trec_covid / "runs")
    scores = evaluate(collection, ours.values())
    with open(trec_covid / "official.csv") as file:
        official = {row["run"]: [row[name] for name in ours] for row in csv.DictReader(file)}
    assert {run: [f"{mean:.4f}" for mean in means] for run, means in zip(scores.runs, scores.means.T, strict=True)} == official
    assert len(official) == 30
