"""Print, as a markdown table, how far the sample resembles another test collection.

    python sample_data/resemblance.py QRELS RUNS

QRELS is a qrels file and RUNS a folder of run files, each plain or gzipped. Needs
numpy, scipy and pytrec_eval.
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
    """Return {run: {topic: {document: score}}}, in trec_eval's order: score, then
    document id, descending.
    """
    runs = {}
    for path in sorted(folder.iterdir()):
        run = {}
        for topic, _, document, _, score, _ in rows(path):
            if topic in topics:
                run.setdefault(topic, {})[document] = float(score)
        ranked = {
            t: sorted(r.items(), key=lambda pair: pair[::-1], reverse=True) for t, r in run.items()
        }
        runs[path.name.removesuffix(".gz")] = {t: dict(pairs) for t, pairs in ranked.items()}
    return runs


def team(run):
    """Return the team, the leading letters of a run's name."""
    return re.match("[A-Za-z]+", run)[0]


def evaluate(qrels, runs):
    """Return {metric: array of runs x topics}; a topic without results scores 0."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(METRICS))
    values = [evaluator.evaluate(run) for run in runs.values()]
    return {
        m: np.array([[v.get(t, {}).get(m, 0.0) for t in sorted(qrels)] for v in values])
        for m in METRICS
    }


def unjudged_share(qrels, runs, rank):
    """Return the share of unjudged documents at one rank, over the rankings that reach
    it, as text.
    """
    unjudged = [
        list(r)[rank - 1] not in qrels[t]
        for run in runs.values()
        for t, r in run.items()
        if len(r) >= rank
    ]
    return f"{np.mean(unjudged):.3f}" if unjudged else "-"


def pool(runs, topic):
    """Return the documents that any of the runs has in its top 100."""
    return set().union(*(list(run.get(topic, ()))[:100] for run in runs))


def without_team(qrels, runs, left_out):
    """Return the qrels without the documents that only one team has in its top 100."""
    own, others = (
        [run for name, run in runs.items() if (team(name) == left_out) == side]
        for side in (True, False)
    )
    unique = {topic: pool(own, topic) - pool(others, topic) for topic in qrels}
    return {
        topic: {d: g for d, g in judged.items() if d not in unique[topic]}
        for topic, judged in qrels.items()
    }


def spread(numbers, form):
    """Return minimum, quartiles and maximum as text."""
    return " / ".join(format(q, form) for q in np.quantile(numbers, (0, 0.25, 0.5, 0.75, 1)))


def describe(qrels, runs):
    """Return {label: text}, the figures of one collection."""
    names, values = list(runs), evaluate(qrels, runs)
    mean, ap = {m: v.mean(axis=1) for m, v in values.items()}, values["map"]
    figures = {"topics, runs, teams": f"{len(qrels)}, {len(runs)}, {len({team(n) for n in names})}"}
    judged = [g for topic in qrels.values() for g in topic.values()]
    figures["judged with grade 0, 1, ..."] = ", ".join(
        f"{n / len(judged):.3f}" for n in np.bincount(judged)
    )
    figures["judged per topic ¹"] = spread([len(j) for j in qrels.values()], ".0f")
    figures["relevant per topic ¹"] = spread(
        [sum(g > 0 for g in j.values()) for j in qrels.values()], ".0f"
    )
    figures["in the top 100 of any run, per topic ¹"] = spread(
        [len(pool(runs.values(), t)) for t in qrels], ".0f"
    )
    figures |= {f"{m}, mean of a run ¹": spread(mean[m], ".3f") for m in METRICS}
    figures["map, mean of a topic ¹"] = spread(ap.mean(axis=0), ".3f")
    figures |= {
        f"unjudged at rank {k}": unjudged_share(qrels, runs, k)
        for k in (1, 10, 50, 100, 200, 500, 1000)
    }
    for a, b in combinations(METRICS, 2):
        figures[f"tau {a}, {b}"] = f"{kendalltau(mean[a], mean[b]).statistic:.2f}"
    return figures | compare_topics(ap, names) | leave_teams_out(qrels, runs, mean["map"])


def compare_topics(ap, names):
    """Return {label: text}, how alike the runs' map is over topics, from runs x
    topics.
    """
    rng = np.random.default_rng(1)
    halves = (rng.permutation(ap.T)[:50].reshape(2, 25, -1).mean(axis=1) for _ in range(200))
    tau = np.mean([kendalltau(*half).statistic for half in halves])
    figures = {"tau map, 25 topics and 25 others ²": f"{tau:.2f}"}
    correlation, same = np.corrcoef(ap), np.equal.outer(*[[team(n) for n in names]] * 2)
    figures["correlation of map over topics, two teams ²"] = f"{correlation[~same].mean():.2f}"
    pairs = correlation[same & ~np.eye(len(names), dtype=bool)]
    figures["correlation of map over topics, one team ²"] = (
        f"{pairs.mean():.2f}" if pairs.size else "-"
    )
    return figures


def leave_teams_out(qrels, runs, ap):
    """Return {label: text}, what becomes of map when one team had given nothing to the
    pool.
    """
    taus, changes = [], []
    for left_out in sorted(set(map(team, runs))):
        left = evaluate(without_team(qrels, runs, left_out), runs)["map"].mean(axis=1)
        taus.append(kendalltau(ap, left).statistic)
        changes += [left[i] / ap[i] - 1 for i, n in enumerate(runs) if team(n) == left_out]
    tau, change = np.mean(taus), np.mean(changes)
    return {
        "tau map, one team left out ³": f"{tau:.3f}",
        "change of its own map ³": f"{change:+.1%}",
    }


if __name__ == "__main__":
    here = Path(__file__).parent
    collections = [(here / "qrels.txt.gz", here / "runs"), tuple(map(Path, sys.argv[1:3]))]
    sample, other = (
        describe(q := read_qrels(qrels), read_runs(runs, q)) for qrels, runs in collections
    )
    print("| figure | sample | other |\n| --- | --- | --- |")
    print(*(f"| {label} | {sample[label]} | {other[label]} |" for label in sample), sep="\n")
