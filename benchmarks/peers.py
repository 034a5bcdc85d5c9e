"""Seconds for six measures of all runs: irmeval against the installed ones of
pytrec_eval, ir_measures and ranx, in one run.

    python benchmarks/peers.py QRELS RUNS [TIMES]

Each starts from its own input (irmeval from a collection, ranx from its own objects,
the others from dictionaries). They take turns. The first call, in which ranx compiles,
is shown separately.
"""

import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytrec_eval

import irmeval
from benchmarks.reading import parse
from irmeval.reading import files

NAMES = {
    "irmeval": ("AP", "nDCG", "P@10", "RR", "Rprec", "Bpref"),
    "pytrec_eval": ("map", "ndcg", "P.10", "recip_rank", "Rprec", "bpref"),
    "ranx": ("map", "ndcg", "precision@10", "mrr", "r-precision", "bpref"),
}
Runs = dict[str, dict[str, dict[str, float]]]


def peers(qrels: Path, runs: Path) -> dict[str, Callable[[], object]]:
    """For each program, a function that scores all runs."""
    collection = irmeval.read_collection(qrels, runs)
    judged = parse(qrels, pytrec_eval.parse_qrel)
    lists: Runs = {
        path.stem: parse(path, pytrec_eval.parse_run) for path in files.list_files([runs])
    }
    found: dict[str, Callable[[], object]] = {
        "irmeval": lambda: irmeval.evaluate(collection, NAMES["irmeval"]).means
    }

    def of_pytrec_eval() -> object:
        evaluator = pytrec_eval.RelevanceEvaluator(judged, set(NAMES["pytrec_eval"]))
        return [evaluator.evaluate(run) for run in lists.values()]

    found["pytrec_eval"] = of_pytrec_eval
    if find_spec("ir_measures"):
        import ir_measures

        evaluator = ir_measures.evaluator(
            [ir_measures.parse_measure(name) for name in NAMES["irmeval"]], judged
        )
        found["ir_measures"] = lambda: [evaluator.calc_aggregate(run) for run in lists.values()]
    if find_spec("ranx"):
        import ranx

        relevant, ranked = ranx.Qrels(judged), [ranx.Run(run) for run in lists.values()]
        found["ranx"] = lambda: [
            ranx.evaluate(relevant, run, list(NAMES["ranx"]), make_comparable=True)
            for run in ranked
        ]
    return found


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(qrels: Path, runs: Path, times: int = 5) -> None:
    found = peers(qrels, runs)
    taken = [{name: seconds(work) for name, work in found.items()} for _ in range(times + 1)]
    best = {name: min(row[name] for row in taken[1:]) for name in found}
    print(
        f"{len(files.list_files([runs]))} runs, six measures; the first call, then the fastest of"
        f" {times}\n"
    )
    print(f"{'':14}{'first, s':>10}{'then, s':>10}{'times irmeval':>15}")
    for name in found:
        print(
            f"{name:14}{taken[0][name]:10.3f}{best[name]:10.3f}{best[name] / best['irmeval']:15.1f}"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:]))
