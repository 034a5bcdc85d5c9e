"""Seconds to compare all pairs of systems, and how many times as fast the bootstrap is
as loops over the pairs.

    python benchmarks/significance.py [MATRIX.csv]

The matrix has a column for each run and a row for each topic; without one, 129 runs and
50 topics are made up.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from irmeval.stats.bootstrap import required_difference, resamples
from irmeval.stats.intervals import difference_interval
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.significance import TESTS, compare

SAMPLES, SEED = 1000, 1


def made_up(systems: int = 129, topics: int = 50) -> np.ndarray:
    """Scores that look like average precision: easy and hard topics, good and bad
    systems.
    """
    rng = np.random.default_rng(0)
    ability = (
        rng.normal(-1, 0.6, (systems, 1))
        + rng.normal(0, 1, topics)
        + rng.normal(0, 0.7, (systems, topics))
    )
    return 1 / (1 + np.exp(-ability))


def loop_over_indices(scores: np.ndarray) -> list[float]:
    """A loop as in the paper: for each pair, the resampled differences with their means
    and standard deviations.
    """
    n = scores.shape[1]
    counts = resamples(np.random.default_rng(SEED), SAMPLES, n).astype(int)
    drawn = np.array([np.repeat(np.arange(n), c) for c in counts])
    levels = []
    for a, b in zip(*np.triu_indices(len(scores), 1), strict=True):
        z = scores[a] - scores[b]
        if not z.any():
            levels.append(1.0)
            continue
        w = (z - z.mean())[drawn]
        star = w.mean(axis=1) / (w.std(axis=1, ddof=1) / np.sqrt(n))
        levels.append(np.mean(np.abs(star) >= np.abs(z.mean() / (z.std(ddof=1) / np.sqrt(n)))))
    return levels


def loop_over_counts(scores: np.ndarray) -> list[float]:
    """The fastest loop we know: for each pair, two products of the counts with a
    vector.
    """
    n = scores.shape[1]
    counts = resamples(np.random.default_rng(SEED), SAMPLES, n)
    levels = []
    for a, b in zip(*np.triu_indices(len(scores), 1), strict=True):
        z = scores[a] - scores[b]
        if not z.any():
            levels.append(1.0)
            continue
        w = z - z.mean()
        levels.append(np.mean((counts @ w) ** 2 * (z @ z) >= z.sum() ** 2 * (counts @ (w * w))))
    return levels


def seconds(work: Callable[[], Any], times: int) -> tuple[float, Any]:
    """The shortest of several times, and the result."""
    taken = []
    for _ in range(times):
        start = perf_counter()
        out = work()
        taken.append(perf_counter() - start)
    return min(taken), out


def main() -> None:
    if len(sys.argv) > 1:
        rows = [line.split(",") for line in Path(sys.argv[1]).read_text().splitlines()]
        topic = rows[0][0].lower() == "topic"
        scores = np.array([row[topic:] for row in rows[1:]], dtype=float).T
    else:
        scores = made_up()
    systems, topics = scores.shape
    print(
        f"{systems} runs, {topics} topics, {systems * (systems - 1) // 2} pairs, {SAMPLES}"
        " samples\n"
    )
    for name, test in TESTS.items():
        compare(scores, name, samples=10)  # what is loaded on first use
        taken, found = seconds(
            lambda name=name: compare(scores, name, samples=SAMPLES, seed=SEED), 5
        )
        print(
            f"{test.label:32}{taken:8.3f} s   {np.mean(found.p < 0.05):6.1%} of the pairs differ"
            " at 5%"
        )
    required = seconds(lambda: required_difference(scores, samples=SAMPLES, seed=SEED), 3)[0]
    print(f"{'Required difference':32}{required:8.3f} s")
    at_once = seconds(lambda: compare_pairs(scores, samples=SAMPLES, seed=SEED), 5)[0]
    print(f"{'Pairs alone and at once':32}{at_once:8.3f} s")
    both = seconds(lambda: compare_pairs(scores, samples=SAMPLES, seed=SEED).intervals(), 3)[0]
    print(f"{'Pairs, with their intervals':32}{both:8.3f} s")
    print(f"{'Interval':32}{seconds(lambda: difference_interval(scores), 3)[0]:8.3f} s\n")

    at_once, found = seconds(lambda: compare(scores, "bootstrap", samples=SAMPLES, seed=SEED), 5)
    for label, loop in [
        ("drawn indices", loop_over_indices),
        ("resample counts", loop_over_counts),
    ]:
        taken, levels = seconds(lambda loop=loop: loop(scores), 1)
        same = np.mean(found.p == levels)
        print(
            f"Bootstrap, loop with {label:16}{taken:8.3f} s   {taken / at_once:5.1f} times that of"
            f" all pairs at once; same p: {same:.2%}"
        )


if __name__ == "__main__":
    main()
