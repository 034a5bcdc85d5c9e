"""Print, as a markdown table, how far the sample resembles another test collection.

    python sample_data/resemblance.py QRELS RUNS

QRELS is a qrels file and RUNS a folder of run files, each plain or gzipped. Needs numpy, scipy and pytrec_eval.
"""

import gzip
import re
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytrec_eval
from scipy.stats import kendalltau

METRICS = ("map", "ndcg", "ndcg_cut_10", "P_10", "bpref", "Rprec", "recip_rank")
QUANTILES = (0, 0.25, 0.5, 0.75, 1)
RANKS = (1, 10, 50, 100, 200, 500, 1000)
POOL_DEPTH = 100


def rows(path):
    """Yield the columns of each line of a plain or gzipped file."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        yield from map(str.split, lines)


def read_qrels(path):
    """Return {topic: {document: grade}}."""
    qrels = {}
    for topic, _, document, grade in rows(path):
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def read_runs(folder, topics):
    """Return {run: {topic: {document: score}}}, documents in trec_eval's order (score, then document id, descending)."""
    runs = {}
    for path in sorted(folder.iterdir()):
        run = {}
        for topic, _, document, _, score, _ in rows(path):
            if topic in topics:
                run.setdefault(topic, {})[document] = float(score)
        name = path.name.removesuffix(".gz")
        runs[name] = {t: dict(sorted(r.items(), key=lambda ds: (ds[1], ds[0]), reverse=True)) for t, r in run.items()}
    return runs


def team(run):
    """Return the team, the leading letters of a run's name."""
    return re.match("[A-Za-z]+", run)[0]


def evaluate(qrels, runs):
    """Return {metric: array of runs x topics}; a topic without results scores 0."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS))
    values = [evaluator.evaluate(run) for run in runs.values()]
    return {m: np.array([[v.get(t, {}).get(m, 0.0) for t in sorted(qrels)] for v in values]) for m in METRICS}


def tau(a, b):
    """Return Kendall's tau-b."""
    return kendalltau(a, b).statistic


def unjudged_share(qrels, runs, rank):
    """Return the share of unjudged documents at one rank, over the rankings that reach it, as text."""
    unjudged = [list(r)[rank - 1] not in qrels[t] for run in runs.values() for t, r in run.items() if len(r) >= rank]
    return f"{np.mean(unjudged):.3f}" if unjudged else "-"


def without_team(qrels, runs, left_out):
    """Return the qrels without the documents that only one team has in its top 100."""
    kept = {}
    for topic, judged in qrels.items():
        own, others = set(), set()
        for name, run in runs.items():
            (own if team(name) == left_out else others).update(list(run.get(topic, ()))[:POOL_DEPTH])
        kept[topic] = {d: g for d, g in judged.items() if d not in own - others}
    return kept


def describe(qrels, runs):
    """Return {label: text}, the figures of one collection."""
    names, values = list(runs), evaluate(qrels, runs)
    mean, ap = {m: v.mean(axis=1) for m, v in values.items()}, values["map"]

    def spread(numbers, form):
        return " / ".join(format(q, form) for q in np.quantile(numbers, QUANTILES))

    figures = {"topics, runs, teams": f"{len(qrels)}, {len(runs)}, {len({team(n) for n in names})}"}
    judged = [g for topic in qrels.values() for g in topic.values()]
    figures["share of the judged with grade 0, 1, 2, 3"] = ", ".join(f"{np.mean(np.equal(judged, g)):.3f}" for g in range(4))
    figures["judged per topic ¹"] = spread([len(j) for j in qrels.values()], ".0f")
    figures["relevant per topic ¹"] = spread([sum(g > 0 for g in j.values()) for j in qrels.values()], ".0f")
    for metric in METRICS:
        figures[f"{metric}, mean of a run ¹"] = spread(mean[metric], ".3f")
    figures["map, mean of a topic ¹"] = spread(ap.mean(axis=0), ".3f")
    for rank in RANKS:
        figures[f"unjudged at rank {rank}"] = unjudged_share(qrels, runs, rank)
    for a, b in combinations(METRICS, 2):
        figures[f"tau {a}, {b}"] = f"{tau(mean[a], mean[b]):.2f}"
    rng, halves = np.random.default_rng(1), []
    for _ in range(200):
        order = rng.permutation(len(qrels))
        halves.append(tau(ap[:, order[:25]].mean(axis=1), ap[:, order[25:50]].mean(axis=1)))
    figures["tau map, 25 topics and 25 others ²"] = f"{np.mean(halves):.2f}"
    correlation, same = np.corrcoef(ap), np.equal.outer([team(n) for n in names], [team(n) for n in names])
    figures["correlation of map over topics, two teams ²"] = f"{correlation[~same].mean():.2f}"
    pairs = correlation[same & ~np.eye(len(names), dtype=bool)]
    figures["correlation of map over topics, one team ²"] = f"{pairs.mean():.2f}" if pairs.size else "-"
    left = {t: evaluate(without_team(qrels, runs, t), runs)["map"].mean(axis=1) for t in {team(n) for n in names}}
    figures["tau map, one team left out of the pool ³"] = f"{np.mean([tau(mean['map'], v) for v in left.values()]):.3f}"
    change = [(v - mean["map"])[[team(n) == t for n in names]] / mean["map"][[team(n) == t for n in names]] for t, v in left.items()]
    figures["change of its own map ³"] = f"{np.mean(np.concatenate(change)):+.1%}"
    return figures


if __name__ == "__main__":
    here = Path(__file__).parent
    collections = [(here / "qrels.txt.gz", here / "runs"), tuple(map(Path, sys.argv[1:3]))]
    sample, other = (describe(q := read_qrels(qrels), read_runs(runs, q)) for qrels, runs in collections)
    print("| figure | sample | other |\n| --- | --- | --- |")
    for label in sample:
        print(f"| {label} | {sample[label]} | {other[label]} |")
