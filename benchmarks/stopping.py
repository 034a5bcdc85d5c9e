"""How soon an experiment ends after it is stopped, in seconds: the longest of several
stops, spread over its run.

python benchmarks/stopping.py QRELS RUNS [EXPERIMENT...]
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from irmeval import read_collection
from irmeval.core.errors import Cancelled
from irmeval.experiments import EXPERIMENTS

STOPS = 5
SLOW = ("gains", "swap", "stability", "scorecard", "curves")


def main() -> None:
    qrels, runs, *names = sys.argv[1:] or sys.exit(__doc__)
    collection = read_collection(qrels, runs)
    print(f"{'experiment':16} {'takes s':>8} {'longest until it ends s':>24}")
    for experiment in map(EXPERIMENTS.__getitem__, names or SLOW):
        begun = time.perf_counter()
        experiment(collection)
        takes, longest = time.perf_counter() - begun, 0.0
        for k in range(STOPS):
            stop = time.perf_counter() + takes * (k + 0.5) / STOPS

            def told(done: int, total: int, stop: float = stop) -> None:
                if time.perf_counter() > stop:
                    raise Cancelled("Stopped.")

            try:
                experiment(collection, progress=told)
            except Cancelled:
                longest = max(longest, time.perf_counter() - stop)
        print(f"{experiment.name:16} {takes:8.2f} {longest:24.3f}", flush=True)


if __name__ == "__main__":
    main()
