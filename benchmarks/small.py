"""Processor time of small work beside other programs: irmeval, trec_eval by way of
pytrec_eval, ir_measures.

    python benchmarks/small.py QRELS RUNS [TIMES]

Whole processes: an import, one run, twelve runs, all runs, six measures. Dictionaries: a
run in a loop, as while a model is trained, with qrels as a dictionary each time, and
prepared once. The programs take turns; printed are the minimum and the median, system
time included, and the ratio of the minima to irmeval's.
"""

import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import irmeval
from irmeval.reading import files

ROOT = Path(__file__).parents[1]
OURS = ("AP", "nDCG", "P@10", "RR", "Rprec", "Bpref")
TREC_EVAL = ("map", "ndcg", "P.10", "recip_rank", "Rprec", "bpref")
IRMEVAL, PYTREC_EVAL, IR_MEASURES = "irmeval", "pytrec_eval", "ir_measures"
SCRIPTS = {
    PYTREC_EVAL: f"""\
import gzip, sys, pytrec_eval
def read(path, parse):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt") as file:
        return parse(file)
qrels, *runs = sys.argv[1:]
evaluator = pytrec_eval.RelevanceEvaluator(read(qrels, pytrec_eval.parse_qrel), {{*{TREC_EVAL}}})
for run in runs:
    evaluator.evaluate(read(run, pytrec_eval.parse_run))
""",
    IR_MEASURES: f"""\
import sys, ir_measures
qrels, *runs = sys.argv[1:]
measures = [ir_measures.parse_measure(name) for name in {OURS}]
evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels))
for run in runs:
    evaluator.calc_aggregate(ir_measures.read_trec_run(run))
""",
}
"""What evaluates run files with other programs."""
SHAPES = ((50, 1000, 700), (50, 100, 100), (1000, 10, 20))
"""Topics, documents of the run and judgments of each topic."""
LOOPS = 5
Turn = Callable[[], float]
"""Does something once; the processor seconds that it took."""


def of_process(*words: str) -> Turn:
    """A Python with these arguments, in a process of its own."""
    # without compiled files, which this forbids to write, all sources are compiled each time
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *words]

    def turn() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True)
        done.check_returncode()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return turn


def of_call(work: Callable[[], object]) -> Turn:
    """A call in this process, the mean of some."""

    def turn() -> float:
        begun = time.process_time()
        for _ in range(LOOPS):
            work()
        return (time.process_time() - begun) / LOOPS

    return turn


def evaluations(qrels: str, runs: list[str]) -> dict[str, Turn]:
    """Every program on these files."""
    measures = [word for name in OURS for word in ("-m", name)]
    found = {IRMEVAL: of_process("-m", "irmeval", "evaluate", qrels, *runs, *measures)}
    return found | {
        name: of_process("-c", script, qrels, *runs)
        for name, script in SCRIPTS.items()
        if find_spec(name)
    }


def dictionaries(shape: tuple[int, int, int]) -> Iterator[tuple[str, dict[str, Turn]]]:
    """Every program on a made-up run: with a dictionary of judgments, and with it
    prepared once.
    """
    topics, length, judged = shape
    draw = random.Random(1)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in map(str, range(topics)):
        names = [f"document{topic}_{number:05}" for number in range(2 * length)]
        qrels[topic] = {name: draw.choice((0, 0, 0, 1, 2)) for name in draw.sample(names, judged)}
        run[topic] = {name: draw.random() for name in draw.sample(names, length)}
    prepared: Any = irmeval.read_qrels(qrels)
    each = {IRMEVAL: of_call(lambda: irmeval.evaluate(qrels, run, OURS).means)}
    once = {IRMEVAL: of_call(lambda: irmeval.evaluate(prepared, run, OURS).means)}
    if find_spec(PYTREC_EVAL):
        import pytrec_eval

        measures = {*TREC_EVAL}
        ready = pytrec_eval.RelevanceEvaluator(qrels, measures)
        each[PYTREC_EVAL] = of_call(
            lambda: pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
        )
        once[PYTREC_EVAL] = of_call(lambda: ready.evaluate(run))
    if find_spec(IR_MEASURES):
        import ir_measures

        parsed = [ir_measures.parse_measure(name) for name in OURS]
        evaluator = ir_measures.evaluator(parsed, qrels)
        each[IR_MEASURES] = of_call(
            lambda: ir_measures.evaluator(parsed, qrels).calc_aggregate(run)
        )
        once[IR_MEASURES] = of_call(lambda: evaluator.calc_aggregate(run))
    yield f"{topics} x {length:,} from dictionaries", each
    yield f"{topics} x {length:,}, qrels prepared", once


def main(qrels: str, runs: str, times: int = 5) -> None:
    qrels, paths = str(Path(qrels).resolve()), [str(p.resolve()) for p in files.list_files([runs])]
    imports = {
        name: of_process("-c", f"import {name}")
        for name in (IRMEVAL, PYTREC_EVAL, IR_MEASURES, "numpy")
        if find_spec(name)
    }
    helps = {IRMEVAL: of_process("-m", "irmeval", "--help")}
    works = {"import": imports, "irmeval --help": helps}
    for count in sorted({1, min(12, len(paths)), len(paths)}):
        works[f"runs of files: {count}"] = evaluations(qrels, paths[:count])
    for shape in SHAPES:
        works |= dictionaries(shape)
    taken: dict[tuple[str, str], list[float]] = {}
    for _ in range(times):
        for work, programs in works.items():
            for name, turn in programs.items():
                taken.setdefault((work, name), []).append(1000 * turn())
    print(f"load {os.getloadavg()[0]:.1f}; processor milliseconds of {times} rounds\n")
    print(f"{'':34}{'':13}{'minimum':>9}{'median':>9}{'times irmeval':>15}")
    for work, programs in works.items():
        own = min(taken[work, IRMEVAL])
        for name in programs:
            each = taken[work, name]
            print(f"{work:34}{name:13}{min(each):9.1f}{median(each):9.1f}{min(each) / own:15.2f}")


if __name__ == "__main__":
    given_qrels, given_runs, *how_often = sys.argv[1:]
    main(given_qrels, given_runs, *map(int, how_often))
