"""How often a difference is found on as many topics as *Topics needed* says: ``python
benchmarks/topics_needed.py QRELS RUNS``.

Topics are resampled from the differences of each pair of runs. These are moved to have
the difference to find as their mean, and tested.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).parents[1]))

import irmeval
from irmeval.stats.sample_size import score_variance, topics_for_power

DIFFERENCE, SETS = 0.05, 200
MEASURES = ["AP", "nDCG", "P@10", "RBP(p=0.8)"]


def found(scores: np.ndarray, n: int, rng: np.random.Generator) -> float:
    """Share of sets of n topics on which the paired t test finds `DIFFERENCE`, mean
    over pairs of runs, from scores [run, topic].
    """
    a, b = np.triu_indices(len(scores), 1)
    z = scores[a] - scores[b]
    topics = z.shape[1]
    z = (z - z.mean(axis=1, keepdims=True)) * np.sqrt(topics / (topics - 1)) + DIFFERENCE
    shares = []
    for row in z:
        drawn = row[rng.integers(topics, size=(SETS, n))]
        shares.append((stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean())
    return float(np.mean(shares))


def main(qrels: str, runs: str) -> None:
    """Print a row of a table per measure."""
    scores = irmeval.evaluate(irmeval.read_collection(qrels, runs), MEASURES)
    for measure, values in zip(scores.measures, scores.values, strict=True):
        known = values[:, np.isfinite(values).all(axis=0)]
        n = int(topics_for_power(DIFFERENCE, score_variance(known).value))
        print(f"| {measure} | {n} | {found(known, n, np.random.default_rng(1)):.3f} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
