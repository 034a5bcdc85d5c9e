"""Scores against trec_eval (through pytrec_eval), NTCIREVAL, NIST's published figures
and the worked example.
"""

import math

import numpy as np
import pytest
import pytrec_eval

import irmeval
from irmeval import evaluate, read_collection
from irmeval.collection.base import build
from irmeval.reading import parsing
from tests.cases import settled_run

OURS = {
    "map": "AP",
    "map_cut_20": "AP@20",
    "bpref": "Bpref",
    "infAP": "infAP",
    "Rprec": "Rprec",
    "P_5": "P@5",
    "P_100": "P@100",
    "recall_10": "R@10",
    "recall_1000": "R@1000",
    "recip_rank": "RR",
    "ndcg": "nDCG",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut_1000": "nDCG@1000",
}
REQUESTED = {
    "map",
    "map_cut.20",
    "bpref",
    "infAP",
    "Rprec",
    "P.5,100",
    "recall.10,1000",
    "recip_rank",
    "ndcg",
    "ndcg_cut.10,1000",
}


def assert_parity(collection, judgments, runs, grades=None, rel=1):
    """Every score within 1e-9 of trec_eval's; where a topic has no relevant document
    ours is undefined and trec_eval's 0.
    """
    suffix = f"(rel={rel})" if rel > 1 else ""
    measures = [
        name.partition("@")[0] + suffix + "".join(name.partition("@")[1:]) for name in OURS.values()
    ]
    scores = evaluate(collection, measures, grades=grades)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, REQUESTED, relevance_level=rel)
    for r, run in enumerate(scores.runs):
        theirs = evaluator.evaluate(runs[run])
        for t, topic in enumerate(scores.topics):
            if topic not in judgments:
                continue
            ours = scores.values[:, r, t]
            if not any(grade >= rel for grade in judgments[topic].values()):
                assert np.isnan(ours).all()
                continue
            expected = [theirs[topic][name] if topic in theirs else 0.0 for name in OURS]
            np.testing.assert_allclose(
                ours, expected, rtol=0, atol=1e-9, err_msg=f"{run}, topic {topic}: {measures}"
            )


def generate(seed, topics=12, documents=120, runs=4):
    """Judgments with negative grades, and runs full of ties: scores of few levels, some
    apart only beyond 32 bits.
    """
    rng = np.random.default_rng(seed)
    names = [f"D{i}" for i in rng.permutation(documents)]
    judgments, rankings = {}, {f"r{i}": {} for i in range(runs)}
    for topic in map(str, range(topics)):
        pool = rng.choice(names, rng.integers(3, documents // 2), replace=False)
        top = 0 if topic == "0" else 3  # one topic without relevant documents
        judgments[topic] = {
            str(d): int(g) for d, g in zip(pool, rng.integers(-2, top + 1, pool.size), strict=True)
        }
        judgments[topic][str(pool[0])] = top
        for i, ranking in enumerate(rankings.values()):
            if i == 0 and topic == "1":
                continue  # a run that lacks a topic
            retrieved = rng.choice(names, rng.integers(1, documents), replace=False)
            levels = rng.integers(0, 2 + 10 * i, retrieved.size) / 7
            ranking[topic] = {
                str(d): float(s)
                for d, s in zip(retrieved, levels + 1e-12 * rng.random(retrieved.size), strict=True)
            }
    return judgments, rankings


def collect(judgments, rankings, **how):
    qrels = "".join(
        f"{t} 0 {d} {g}\n" for t, grades in judgments.items() for d, g in grades.items()
    )
    runs = {
        name: "".join(
            f"{t} Q0 {d} 0 {s!r} {name}\n"
            for t, ranking in topics.items()
            for d, s in ranking.items()
        )
        for name, topics in rankings.items()
    }
    return build(
        parsing.settled_qrels("q", qrels.encode()),
        [settled_run(n, text.encode()) for n, text in runs.items()],
        **how,
    )


@pytest.mark.parametrize("rel", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_scores_when_data_is_generated_with_ties_then_equal_trec_evals(seed, rel):
    judgments, rankings = generate(seed)
    if rel > 1:
        # with a relevance level trec_eval's nDCG still counts the grades below it, ours does not:
        # they have no say here
        judgments = {
            t: {d: 0 if 0 < g < rel else g for d, g in grades.items()}
            for t, grades in judgments.items()
        }
    assert_parity(collect(judgments, rankings), judgments, rankings, rel=rel)


@pytest.mark.parametrize("seed", range(4))
def test_scores_when_judgments_are_reduced_then_equal_trec_evals_on_the_reduced_qrels(seed):
    judgments, rankings = generate(seed, documents=300)
    collection = collect(judgments, rankings)
    for grades in irmeval.reduce(collection, rate=30, trials=3, seed=seed):
        rows = zip(collection.topic, collection.documents.to_pylist(), grades, strict=True)
        reduced = {topic: {} for topic in collection.topics}
        for topic, document, grade in rows:
            # a dropped judgment stays, as -1
            reduced[collection.topics[topic]][document] = int(grade)
        assert_parity(collection, reduced, rankings, grades=grades)


def test_topic_when_the_run_lacks_it_then_scores_0_and_without_relevant_documents_has_no_score(
    tiny,
):
    scores = evaluate(
        read_collection(*tiny), ["AP", "AP'", "Bpref", "nDCG(base=2)@5", "RBP(p=0.8)"]
    )
    short, topic = scores.runs.index("short"), scores.topics.index("4")
    assert scores.values[:, short, topic].tolist() == [0.0] * 5
    assert np.isnan(scores.values[:, :, scores.topics.index("3")]).all()
    assert scores.counts.tolist() == [[3] * 3] * 5
    known = [
        [[score for score in run if score == score] for run in runs]
        for runs in scores.values.tolist()
    ]
    assert scores.means.tolist() == [[math.fsum(run) / len(run) for run in runs] for runs in known]
