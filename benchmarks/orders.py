"""Orders of judging: the time of each for the whole pool, beside scoring all runs once
by AP.

    python benchmarks/orders.py QRELS RUNS [ROUNDS]

Seconds by the clock and of the processor, the least of several rounds. Orders take
turns.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from irmeval import REDUCTIONS, evaluate, read_collection, reduce

Times = tuple[float, float]


def timed(work: Callable[[], object]) -> Times:
    """Seconds by the clock, and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def main() -> None:
    qrels, runs, *rounds = sys.argv[1:] or sys.exit(__doc__)
    collection = read_collection(qrels, runs)
    jobs: dict[str, Callable[[], object]] = {"AP of all runs": lambda: evaluate(collection, ["AP"])}
    jobs |= {
        name: lambda name=name: reduce(collection, name, budget=100)
        for name, r in REDUCTIONS.items()
        if r.axis.name == "budget"
    }
    took = [{name: timed(job) for name, job in jobs.items()} for _ in range(int(*rounds or ["3"]))]
    pool = int((reduce(collection, "by-depth", budget=100) >= 0).sum())
    print(f"{collection}, {pool:,} of them in the pool")
    once = min(one["AP of all runs"][1] for one in took)
    for name in jobs:
        clock, processor = (min(one[name][i] for one in took) for i in (0, 1))
        print(
            f"{name:16} {clock:7.2f} s, processor {processor:7.2f} s, {processor / once:7.1f}"
            " times AP"
        )


if __name__ == "__main__":
    main()
