"""How often statistics are right. Scores are simulated, so the truth is known.

    python benchmarks/coverage.py [NAME ...] [--trials N]

Without a name it runs all simulations. A simulation draws scores from a population of
runs and topics (`population`), compares each statement with the truth, and prints a
table in Markdown; shares of trials have 95% bands of Wilson (1927). Seeds are fixed.
"""

import argparse
import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

DATA = ROOT.parent / "shared" / "data"
"""Real data, which is no part of the project: populations of it are there where the
folder is.
"""
SIMULATIONS = (
    "coverage_pairs",
    "coverage_intervals",
    "coverage_anova",
    "coverage_signs",
    "coverage_findings",
    "coverage_judges",
    "coverage_across",
    "coverage_variance",
    "coverage_shares",
    "coverage_powered",
    "coverage_holes",
)
"""Files beside this one, each with a mapping ``SIMULATIONS``: name -> function of a
number of trials that yields the rows of a table.
"""
Row = Mapping[str, object]
Simulation = Callable[[int], Iterable[Row]]


def populations() -> list[str]:
    """The names of the populations that are available on this machine."""
    found = {
        "made up": ROOT,
        "sample": ROOT / "sample_data",
        "adhoc8": DATA / "matrices",
        "robust03": DATA / "robust03",
    }
    return [name for name, folder in found.items() if folder.exists()]


@cache
def population(name: str, measure: str = "AP") -> np.ndarray:
    """Scores [runs, topics] from which samples are drawn. The truth is the mean over
    all its topics.

    made up: 126 runs and 5,000 topics from a logistic model of runs, topics and their
    interaction; some runs are almost the same as another (the same for every measure).
    sample, robust03: the runs and topics of that collection. adhoc8: AP of 129 runs on
    50 topics.
    """
    if name == "made up":
        return made_up()
    if name == "adhoc8":
        return np.loadtxt(DATA / "matrices" / "adhoc8_ap.csv", delimiter=",", skiprows=1).T
    import irmeval

    folder, qrels = (
        (ROOT / "sample_data", "qrels.txt.gz") if name == "sample" else (DATA / name, "qrels.txt")
    )
    values = irmeval.evaluate(
        irmeval.read_collection(folder / qrels, folder / "runs"), [measure]
    ).values[0]
    return values[:, ~np.isnan(values).any(axis=0)]


def made_up(runs: int = 126, topics: int = 5000, seed: int = 0) -> np.ndarray:
    """Scores that look like average precision. Teams have three similar runs."""
    rng = np.random.default_rng(seed)
    team = np.arange(runs) // 3
    shared = rng.normal(0, 0.6, (team[-1] + 1, topics))[team]
    ability = (
        rng.normal(-1, 0.5, (runs, 1))
        + rng.normal(0, 1, topics)
        + shared
        + rng.normal(0, 0.3, (runs, topics))
    )
    return 1 / (1 + np.exp(-ability))


def draw(
    scores: np.ndarray, runs: int, topics: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Some runs of a population: their scores on topics drawn with replacement [runs,
    topics], and their true means [runs].
    """
    some = scores[rng.choice(len(scores), runs, replace=False)]
    return some[:, rng.integers(some.shape[1], size=topics)], some.mean(axis=1)


def wilson(hits: int, trials: int, z: float = 1.96) -> tuple[float, float]:
    """The 95% interval of a share of trials (Wilson 1927)."""
    share, wide = hits / trials, z * z / trials
    middle, half = share + wide / 2, z * np.sqrt(share * (1 - share) / trials + wide / (4 * trials))
    return float((middle - half) / (1 + wide)), float((middle + half) / (1 + wide))


def share(hits: int, trials: int) -> str:
    """A share of trials with its band: ``.031 (.024 to .040)``."""
    return "{} ({} to {})".format(
        *(f"{value:.3f}".removeprefix("0") for value in (hits / trials, *wilson(hits, trials)))
    )


def main() -> None:
    simulations: dict[str, Simulation] = {}
    for name in SIMULATIONS:
        if (ROOT / "benchmarks" / f"{name}.py").exists():
            simulations |= importlib.import_module(f"benchmarks.{name}").SIMULATIONS
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(simulations)}")
    parser.add_argument("--trials", type=int, default=1000)
    args = parser.parse_args()
    if unknown := [name for name in args.names if name not in simulations]:
        parser.error(f"{unknown[0]}: expected one of {', '.join(simulations)}.")
    for name in args.names or simulations:
        print(f"\n{name}: {(simulations[name].__doc__ or '').strip()} {args.trials} trials.\n")
        for i, row in enumerate(simulations[name](args.trials)):
            if not i:
                print(f"| {' | '.join(row)} |\n| {' | '.join(['---'] * len(row))} |")
            print(f"| {' | '.join(map(str, row.values()))} |", flush=True)


if __name__ == "__main__":
    main()
