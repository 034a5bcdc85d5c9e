"""Seconds to score all runs on reduced judgments: 16 measures of irmeval against 6 of
pytrec_eval; and estimators against AP.

    python benchmarks/evaluation.py QRELS RUNS [TIMES]

Files are read before the clock starts. pytrec_eval gets the reduced qrels without the
dropped judgments.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import pytrec_eval

import irmeval
from benchmarks.reading import parse
from irmeval.reading import files

OURS = (
    *("AP", "AP'", "Q", "Q'", "nDCG", "nDCG'", "nDCG(base=2)@1000", "nDCG(base=2)@1000'"),
    *("Bpref", "Bpref_R", "Bpref_N", "RBP(p=0.95)", "RBP(p=0.95)'", "infAP", "P@10", "Rprec"),
)
ESTIMATORS = (
    "xinfAP",
    "infNDCG",
    "infP@10",
    "statAP",
    "statP@10",
    "statDCG@10",
    "statNDCG",
    "statNDCG@10",
    "statRBP(p=0.8)",
    "statR",
)
THEIRS = {"map", "bpref", "infAP", "ndcg", "Rprec", "P.10"}
RATES = (100, 70, 50, 30, 20, 10)


def main(qrels: Path, runs: Path, times: int = 5) -> None:
    collection = irmeval.read_collection(qrels, runs)
    parsed = [parse(path, pytrec_eval.parse_run) for path in files.list_files([runs])]
    names = collection.documents.to_pylist()
    print(
        f"{len(collection.runs)} runs, {len(collection.topics)} topics, {len(names)} judgments,"
        f" fastest of {times}"
    )
    print(f"rate   irmeval, {len(OURS)} measures   pytrec_eval, {len(THEIRS)} measures   ratio")
    fastest: list[tuple[float, float]] = []
    for rate in RATES:
        grades = irmeval.reduce(collection, rate=rate)[0]
        reduced: dict[str, dict[str, int]] = {}
        for j in np.flatnonzero(grades >= 0):
            reduced.setdefault(collection.topics[collection.topic[j]], {})[names[j]] = int(
                grades[j]
            )
        ours, theirs = [], []
        for _ in range(times):  # in turn, so that what else the machine does hits both
            start = time.perf_counter()
            irmeval.evaluate(collection, OURS, grades=grades)
            ours.append(time.perf_counter() - start)
            start = time.perf_counter()
            evaluator = pytrec_eval.RelevanceEvaluator(reduced, THEIRS)
            for run in parsed:
                evaluator.evaluate(run)
            theirs.append(time.perf_counter() - start)
        fastest.append((min(ours), min(theirs)))
        show(f"{rate}%", *fastest[-1])
    show("mean", *np.mean(fastest, axis=0))
    compare_estimators(collection, times)


def compare_estimators(collection: irmeval.Collection, times: int) -> None:
    """How many times the time of AP each estimator takes alone, on samples by rank with
    three strata per topic.
    """
    sampled = replace(collection, design=irmeval.REDUCTIONS["by-rank"].design(collection))
    print(f"rate   AP alone   {'   '.join(ESTIMATORS)}: as many times AP")
    for rate in RATES:
        grades = irmeval.reduce(collection, "by-rank", rate=rate)[0]
        seconds = np.empty((times, 1 + len(ESTIMATORS)))
        for row in seconds:
            for i, name in enumerate(("AP", *ESTIMATORS)):
                start = time.perf_counter()
                irmeval.evaluate(sampled, [name], grades=grades)
                row[i] = time.perf_counter() - start
        ap, *others = seconds.min(axis=0)
        times_ap = (
            f"{other / ap:{len(name)}.1f}" for other, name in zip(others, ESTIMATORS, strict=True)
        )
        print(f"{rate:3}% {ap * 1000:8.1f} ms   {'   '.join(times_ap)}")


def show(what: str, ours: float, theirs: float) -> None:
    print(f"{what:4} {ours * 1000:17.1f} ms {theirs * 1000:23.1f} ms {theirs / ours:10.1f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
