"""The time and memory that experiments announce, beside what they take, with the dashboard's measures and their own defaults.

python benchmarks/costs.py QRELS RUNS [EXPERIMENT...]
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from irmeval import ParamError, read_collection
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.widgets.form import MEASURES


def main() -> None:
    qrels, runs, *names = sys.argv[1:] or sys.exit(__doc__)
    collection = read_collection(qrels, runs)
    print(f"{'experiment':16} {'said s':>8} {'took s':>8} {'said / took':>11}  what")
    for experiment in map(EXPERIMENTS.__getitem__, names or [name for name in EXPERIMENTS if EXPERIMENTS[name].data]):
        work = experiment.work(collection, MEASURES)
        cost, begun = experiment.cost(work), time.perf_counter()
        try:
            experiment.compute(work)
        except ParamError as error:  # what holds too much, or needs another judge
            print(f"{experiment.name:16} {error}")
            continue
        took = time.perf_counter() - begun
        print(f"{experiment.name:16} {cost.seconds:8.2f} {took:8.2f} {cost.seconds / took:11.1f}  {cost.describe()}")


if __name__ == "__main__":
    main()
