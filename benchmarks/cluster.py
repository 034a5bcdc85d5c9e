"""Time to read a collection and to compute the curves of eight measures, in this
process and on Dask workers.

    python benchmarks/cluster.py QRELS RUNS [TRIALS] [ROUNDS]

It runs this process with all its threads ("none"), then 1, 2 and 3 workers of one
thread each, in turn, and prints the least of several rounds. Beside the time by the
clock it prints the processor seconds of this process, which holds the scheduler, and of
the workers: these say more on a busy machine. The results must be equal to the bit.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from irmeval.collection.shards import read_runs
from irmeval.core import parallel
from irmeval.experiments import EXPERIMENTS

MEASURES = ["AP", "AP'", "nDCG", "nDCG'", "Q", "Q'", "RBP(p=0.95)", "Bpref"]
RATES = (100, 70, 50, 30, 20, 10)
WORKERS = (0, 1, 2, 3)
curves = EXPERIMENTS["curves"]


def seconds(address: str) -> np.ndarray:
    """Time so far: by the clock, of this process, and of the workers."""
    theirs = parallel.cluster(address).client().run(time.process_time).values() if address else ()
    return np.array([time.perf_counter(), time.process_time(), sum(theirs)])


@contextmanager
def timed(address: str, into: list[np.ndarray]) -> Iterator[None]:
    begun = seconds(address)
    yield
    into.append(seconds(address) - begun)


def main(qrels: str, runs: str, trials: str = "100", rounds: str = "2") -> None:
    params = curves.params(levels=RATES, trials=int(trials))
    told: dict[tuple[int, str], list[np.ndarray]] = {
        (n, what): [] for n in WORKERS for what in ("read", "one trial", "curves")
    }
    frames = {}
    for _ in range(int(rounds)):
        for n in WORKERS:
            address = f"local:{n}" if n else ""
            if address:
                parallel.cluster(address).client()
            with timed(address, told[n, "read"]):
                collection = read_runs(qrels, runs, address)
            with timed(address, told[n, "one trial"]):
                curves(collection, MEASURES, curves.params(levels=RATES, trials=1))
            with timed(address, told[n, "curves"]):
                frames[n] = curves(collection, MEASURES, params).frame()
            if address:
                parallel.cluster(address).close()
            del collection
    assert all(np.array_equal(frame.to_numpy(), frames[0].to_numpy()) for frame in frames.values())
    print(
        f"{trials} trials, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; seconds by"
        " the clock (of this process + the workers)"
    )
    print("| workers | read | one trial | all trials |\n| --- | --- | --- | --- |")
    for n in WORKERS:
        least = [np.min(told[n, what], axis=0) for what in ("read", "one trial", "curves")]
        times = " | ".join(
            f"{clock:.2f} ({mine:.2f} + {theirs:.2f})" for clock, mine, theirs in least
        )
        print(f"| {n or 'none'} | {times} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
