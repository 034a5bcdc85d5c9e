"""How often an interval over resampled topics holds the variance of scores: by the
logarithm, as on *Topics needed*, or by percentiles.
"""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.coverage import Row, share
from irmeval.stats.intervals import student_quantile
from irmeval.stats.sample_size import resampled_variances, score_variance

RUNS, TOPICS, SAMPLES = (2, 10, 30), (10, 25, 50), 200


def siblings(m: int) -> np.ndarray:
    """The family of each run."""
    return np.arange(m) % max(m // 5, 1)


def of_siblings(rng: np.random.Generator, m: int, n: int) -> np.ndarray:
    """Scores of runs in families. Half of a run's error is its family's."""
    return rng.normal(size=(m, n)) + rng.normal(size=(max(m // 5, 1), n))[siblings(m)]


def of_siblings_truly(m: int) -> float:
    """The true variance beyond runs and topics of these scores."""
    of = siblings(m)
    return float(np.trace((np.eye(m) - 1 / m) @ (np.eye(m) + (of[:, None] == of)))) / (m - 1)


SHAPES: dict[
    str, tuple[Callable[[np.random.Generator, int, int], np.ndarray], Callable[[int], float]]
] = {
    "normal": (lambda rng, m, n: rng.normal(size=(m, n)), lambda m: 1.0),
    "beta(.5, 2)": (lambda rng, m, n: rng.beta(0.5, 2, size=(m, n)), lambda m: 1 / (2.5**2 * 3.5)),
    "uneven topics": (
        lambda rng, m, n: rng.normal(size=(m, n)) * np.exp(rng.normal(0, 0.25, n)),
        lambda m: float(np.exp(0.125)),
    ),
    "siblings": (of_siblings, of_siblings_truly),
    "exponential": (lambda rng, m, n: rng.exponential(size=(m, n)), lambda m: 1.0),
}
"""How scores are drawn, and the variance that they then have."""


def variance(trials: int) -> Iterator[Row]:
    """Coverage of 95% intervals of the variance of scores beyond what runs and topics
    explain.
    """
    rng = np.random.default_rng(7)
    for shape, (drawn, truly) in SHAPES.items():
        for m in RUNS:
            for n in TOPICS:
                truth, by_logarithm, by_percentiles = truly(m), 0, 0
                for _ in range(trials):
                    scores = drawn(rng, m, n) + rng.normal(0, 0.5, size=n)
                    values = resampled_variances(
                        scores, rng.multinomial(n, np.full(n, 1 / n), SAMPLES)
                    )
                    times = np.exp(student_quantile(0.95, n) * np.log(values).std(ddof=1))
                    found = score_variance(scores).value
                    low, high = np.percentile(values, (2.5, 97.5))
                    by_logarithm += found / times <= truth <= found * times
                    by_percentiles += low <= truth <= high
                yield {
                    "scores": shape,
                    "runs": m,
                    "topics": n,
                    "by the logarithm": share(by_logarithm, trials),
                    "by percentiles": share(by_percentiles, trials),
                }


SIMULATIONS = {"variance": variance}
