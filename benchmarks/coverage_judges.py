"""How often intervals of the agreement of two judges hold the truth, over topics of
unequal size and difficulty.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit

from benchmarks.coverage import Row, Simulation, share
from irmeval.stats.bootstrap import resamples
from irmeval.stats.intervals import jackknife_interval
from irmeval.stats.judge_agreement import STATISTICS, PairCounts

TOPICS, RESAMPLES, GRADES = (25, 50, 100), 200, np.arange(4)
TOLD = (
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha_ordinal",
    "overlap",
    "agreement",
    "recall",
    "leniency",
)
METHODS = (
    "percentile",
    "basic",
    "t boot",
    "t boot, transformed",
    "t jackknife",
    "t jackknife, transformed",
    "moved for all skew",
    "after",
)


def two_judges(noise: float, tied: bool, topics: int = 2000) -> np.ndarray:
    """Number of documents of each topic by the grades of both judges [topics, 4, 4].

    Judges see relevance with noise whose size differs from topic to topic, and so does
    the leniency of the second judge. Topics have 5 to 1,000 documents. With `tied`,
    topics with more noise have more documents.
    """
    rng = np.random.default_rng(1)
    hard, mean, lenient = rng.normal([0, -1, 0.2], [1, 0.7, 0.4], (topics, 3)).T
    size = np.clip(np.exp(rng.normal(4, 0.7, topics) + 0.5 * tied * hard), 5, 1000).astype(int)
    tables = []
    for t, n in enumerate(size):
        seen = (
            rng.normal(mean[t], 1, n)
            + rng.normal(0, noise * np.exp(hard[t] / 2), (2, n))
            + [[0], [lenient[t]]]
        )
        a, b = np.digitize(seen, [0, 0.8, 1.6])
        tables.append(np.bincount(4 * a + b, minlength=16).reshape(4, 4))
    return np.array(tables, float)


def compute(n: np.ndarray) -> np.ndarray:
    """Each statistic of confusion tables [..., statistic]."""
    return np.stack(
        [STATISTICS[name].compute(PairCounts(n, GRADES, 1, 1)) for name in TOLD], axis=-1
    )


def turned(x: np.ndarray) -> np.ndarray:
    """Minus the logarithm of the distance to 1."""
    return -np.log(np.maximum(1 - x, 1e-12))


def draw_intervals(some: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The statistics of some topics, and their intervals by each of `METHODS` [method,
    end, statistic].
    """
    n = len(some)
    e, left_out = compute(some.sum(axis=0)), compute(some.sum(axis=0) - some)
    drawn = compute(np.tensordot(resamples(rng, RESAMPLES, n), some, 1))
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    ends = [(low, high), (2 * e - high, 2 * e - low)]
    for values, factor in ((drawn, n / (n - 1)), (left_out, n - 1)):
        half, wide = (
            stdtrit(n - 1, 0.975) * np.sqrt(factor * of.var(axis=0))
            for of in (values, turned(values))
        )
        ends += [
            (e - half, e + half),
            (1 - np.exp(wide - turned(e)), 1 - np.exp(-wide - turned(e))),
        ]
    after = np.array(jackknife_interval(e, left_out, drawn, level=0.95, bounds=(-np.inf, 1.0)))
    return e, np.array([*ends, after + after.mean(axis=0) - e, after])


def agreement(trials: int) -> Iterator[Row]:
    """95% intervals of the agreement of two judges over topics. The last columns are
    those of `percentile` and `after`.
    """
    for noise in (0.3, 0.8):
        for tied in (False, True):
            tables = two_judges(noise, tied)
            truth = compute(tables.sum(axis=0))
            for topics in TOPICS:
                rng = np.random.default_rng(topics)
                found = [
                    draw_intervals(tables[rng.integers(len(tables), size=topics)], rng)
                    for _ in range(trials)
                ]
                e, ends = np.array([x for x, _ in found])[:, None], np.array([x for _, x in found])
                low, high = ends[:, :, 0], ends[:, :, 1]
                held, outside = (
                    ((low <= truth) & (truth <= high)).sum(axis=0),
                    ((e < low) | (e > high)).sum(axis=0),
                )
                for s, name in enumerate(TOLD):
                    row: dict[str, object] = {
                        "statistic": name,
                        "truth": f"{truth[s]:.2f}",
                        "hard are large": tied,
                        "topics": topics,
                    }
                    row |= {
                        method: share(int(of), trials)
                        for method, of in zip(METHODS, held[:, s], strict=True)
                    }
                    row |= {
                        f"width, {METHODS[m]}": f"{(high - low)[:, m, s].mean():.3f}"
                        for m in (0, -1)
                    }
                    yield row | {"estimate outside": f"{outside[0, s]}, {outside[-1, s]}"}


SIMULATIONS: dict[str, Simulation] = {"agreement": agreement}
