"""How time grows with judged hits, runs, topics and trials; where it is linear, seconds per unit stay the same down a column.

    python benchmarks/growth.py FOLDER

Collections of several sizes are generated in the folder (`collection.py`); times are the fastest of some, in CPU seconds and by the clock.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from collection import RUNS, TOPICS, write
from evaluation import OURS

import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.stats.significance import compare
from irmeval.stats.stability import stability
from irmeval.stats.swap import swap

TIMES = 5


def seconds(work: Callable[[], object], times: int = TIMES) -> tuple[float, float]:
    """By the clock and of the processors, the least of each."""
    taken = []
    for _ in range(times):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        taken.append((time.perf_counter() - clock, time.process_time() - cpu))
    clocks, cpus = zip(*taken, strict=True)
    return min(clocks), min(cpus)


def row(what: str, amount: float, unit: str, work: Callable[[], object], times: int = TIMES) -> None:
    clock, cpu = seconds(work, times)
    print(f"| {what} | {amount:,.0f} {unit} | {clock * 1000:,.1f} | {cpu * 1000:,.1f} | {cpu / amount * 1e9:,.0f} |")


def main(folder: Path) -> None:
    def collection(runs: int, topics: int) -> irmeval.Collection:
        place = folder / f"{runs}x{topics}"
        if not place.exists():
            write(place, runs, topics)
        return irmeval.read_collection(place / "qrels.txt", place / "runs")

    print("| work | grows with | ms | CPU ms | CPU ns per unit |\n| --- | --- | --- | --- | --- |")
    whole = collection(RUNS, TOPICS)
    for rate in (1.0, 0.7, 0.5, 0.3, 0.1):
        grades = irmeval.reduce(whole, rate=rate)[0]
        hits = np.count_nonzero(grades[whole.slot] > 0)
        row("16 measures", hits, "relevant retrieved", lambda grades=grades: irmeval.evaluate(whole, OURS, grades=grades))
    sizes = [(r, TOPICS) for r in (32, 63, RUNS, 2 * RUNS)], [(RUNS, t) for t in (12, 25, TOPICS, 2 * TOPICS)]
    for i, unit in enumerate(("runs", "topics")):
        for size in sizes[i]:
            made = collection(*size)
            row("16 measures", size[i], unit, lambda made=made: irmeval.evaluate(made, OURS))
    for size in sizes[0]:
        scores = irmeval.evaluate(collection(*size), ["AP"]).values[0]
        for test in (compare, stability, swap):
            row(test.__name__, size[0] * (size[0] - 1) // 2, "pairs", lambda test=test, scores=scores: test(scores))
    curves = EXPERIMENTS["incompleteness"]
    for trials in (1, 2, 4, 8):
        params = curves.params(rates=(50.0, 10.0), trials=trials)
        row("Curves, 2 rates, 8 measures", trials, "trials", lambda params=params: curves(whole, OURS[:8], params), 2)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
