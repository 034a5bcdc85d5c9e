"""How often intervals over topics hold the truth: intervals of the correlation of two
judges, and of means. ``coverage.py`` prints the tables.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.coverage import Row, population, populations, share
from irmeval.stats.bootstrap import resamples
from irmeval.stats.correlation import rbo, spearman, tau_ap, tau_b
from irmeval.stats.intervals import interval_around, mean_interval
from irmeval.stats.ranking_by_judge import find_top, tau_intervals

RUNS, TOPICS, TAUS = (17, 40, 126), (25, 50, 100), (0.5, 0.8, 0.9, 0.93, 0.985)
POPULATIONS, RESAMPLES = 20, 200
ALIKE = {"tau": (tau_b, -1.0), "tau AP": (tau_ap, -1.0), "RBO": (rbo, 0.0), "rho": (spearman, -1.0)}


def two_judges(
    scores: np.ndarray, runs: int, tau: float, shared: float, seed: int, topics: int = 2000
) -> np.ndarray:
    """Scores [2, runs, topics] by two judges whose true means have about this tau, in a
    population made from a score matrix.

    A score is the sum of the run's mean, the topic's effect and residuals, cut at 0 and
    1. The second judge's means are moved to give that tau. Residuals are those of two
    topics of the matrix, turned by a random angle, which keeps similar runs similar.
    One such pair is common to both judges (the share `shared` of the variance), and
    each judge has another of their own.
    """
    rng = np.random.default_rng(seed)
    some = scores[np.sort(rng.choice(len(scores), runs, replace=False))]
    mean, topic = some.mean(axis=1), some.mean(axis=0) - some.mean()
    residual = some - mean[:, None] - topic
    parts, first = [], np.empty(0, int)
    for _ in range(3):
        a, b = rng.integers(residual.shape[1], size=(2, topics))
        angle = rng.uniform(0, 2 * np.pi, topics)
        parts.append(np.cos(angle) * residual[:, a] + np.sin(angle) * residual[:, b])
        first = first if first.size else a
    common = mean[:, None] + topic[first] + np.sqrt(shared) * parts[0]
    moves = rng.normal(size=(runs, 1)) * mean.std()

    def judged(scale: float) -> np.ndarray:
        return np.clip(
            [common + j * scale * moves + np.sqrt(1 - shared) * parts[1 + j] for j in (0, 1)], 0, 1
        )

    low, high = 0.0, 4.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if tau_b(*judged(middle).mean(axis=-1)) > tau else (low, middle)
    return judged(low)


def alike(trials: int, shared: float, others: bool = False) -> Iterator[Row]:
    """A row for each number of runs, number of topics and true tau: how often each
    interval holds it, and the width of the first and the last.
    """
    name = "adhoc8" if "adhoc8" in populations() else "made up"
    names = [*ALIKE] if others else ["tau"]
    each = max(1, trials // POPULATIONS)
    for runs in RUNS:
        for tau in TAUS:
            both = [
                two_judges(population(name), runs, tau, shared, 1000 * runs + i)
                for i in range(POPULATIONS)
            ]
            for topics in TOPICS:
                found = np.array(
                    [
                        one
                        for i, judged in enumerate(both)
                        for one in draw_intervals(judged, topics, each, i, names)
                    ]
                )
                row: dict[str, object] = {"runs": runs, "topics": topics, "true tau": tau}
                held, wide = found[..., 0].sum(axis=0), found[..., 1].mean(axis=0)
                if others:
                    for of, n in zip(names, held[:, -1], strict=True):
                        row[of] = share(int(n), len(found))
                else:
                    row |= {
                        method: share(int(n), len(found))
                        for method, n in zip(METHODS, held[0], strict=True)
                    }
                    row |= {f"width, {METHODS[i]}": f"{wide[0, i]:.3f}" for i in (0, -1)}
                yield row


METHODS = ("percentile", "basic", "e -+ 1.96 se", "Fisher's z", "as it is now")


def draw_intervals(
    judged: np.ndarray, topics: int, trials: int, seed: int, names: list[str]
) -> Iterator[np.ndarray]:
    """For each correlation and each of `METHODS`, whether the interval holds the truth,
    and its width [correlation, method, 2], by trial.
    """
    rng = np.random.default_rng(seed)
    truth = [float(ALIKE[name][0](*judged.mean(axis=-1))) for name in names]
    for _ in range(trials):
        some = judged[..., rng.integers(judged.shape[-1], size=topics)]
        drawn = resamples(rng, RESAMPLES, topics) @ some.swapaxes(1, 2) / topics
        found = []
        for name, true in zip(names, truth, strict=True):
            compute, lowest = ALIKE[name]
            e, values = float(compute(*some.mean(axis=-1))), compute(*drawn)
            low, high = np.quantile(values, [0.025, 0.975])
            half = 1.96 * values.std(ddof=1)
            z, turned = (
                np.arctanh(min(e, 0.999)),
                1.96 * np.arctanh(np.minimum(values, 0.999)).std(ddof=1),
            )
            ends = [
                (low, high),
                (2 * e - high, min(1, 2 * e - low)),
                (e - half, min(1, e + half)),
                (min(e, np.tanh(z - turned)), max(e, np.tanh(z + turned))),
                interval_around(e, values, topics, 0.95, (lowest, 1.0)),
            ]
            found.append([(a - 1e-12 <= true <= b + 1e-12, b - a) for a, b in ends])
        yield np.array(found, float)


def tau(trials: int) -> Iterator[Row]:
    """95% interval of tau between two judges over topics. The judges share half of
    their noise.
    """
    return alike(trials, 0.5)


def tau_shared(trials: int) -> Iterator[Row]:
    """The same with 80% of the noise shared."""
    return alike(trials, 0.8)


def correlations(trials: int) -> Iterator[Row]:
    """Today's 95% interval of each correlation on the page Systems. The judges share
    80% of their noise.
    """
    return alike(trials, 0.8, others=True)


def top(trials: int) -> Iterator[Row]:
    """95% interval of tau among the reference's k best runs: of the runs that are the
    best in the sample, and of those that truly are. The judges share half of their
    noise.
    """
    name, how = (
        "adhoc8" if "adhoc8" in populations() else "made up",
        {
            "samples": RESAMPLES,
            "level": 95,
        },
    )
    for runs in (17, 40, 126):
        for tau in (0.5, 0.8, 0.9):
            both = [
                two_judges(population(name), runs, tau, 0.5, 1000 * runs + i)
                for i in range(POPULATIONS)
            ]
            for topics in (25, 50):
                held, wide = (
                    {k: np.zeros(2, int) for k in (5, 10, 20) if k < runs},
                    dict.fromkeys((5, 10, 20), 0.0),
                )
                for i in range(trials):
                    judged, rng = both[i % POPULATIONS], np.random.default_rng(i)
                    reference, judge = judged[..., rng.integers(judged.shape[-1], size=topics)]
                    truth = judged.mean(axis=-1)
                    found, _ = tau_intervals(reference, judge, [*held], seed=i, **how)
                    for (k, counts), (_, low, high) in zip(held.items(), found, strict=True):
                        sets = find_top(reference.mean(axis=1), k), find_top(truth[0], k)
                        true = [float(tau_b(*truth[:, those])) for those in sets]
                        counts += [low - 1e-12 <= one <= high + 1e-12 for one in true]
                        wide[k] += (high - low) / trials
                row: dict[str, object] = {"runs": runs, "topics": topics, "true tau": tau}
                for k, (here, truly) in held.items():
                    row |= {
                        f"best {k}": share(here, trials),
                        f"truly best {k}": share(truly, trials),
                        f"width {k}": f"{wide[k]:.2f}",
                    }
                yield row


def means(trials: int) -> Iterator[Row]:
    """95% interval of a run's mean over topics. A trial draws topics for eight runs."""
    for name in populations():
        for measure in ("AP",) if name in ("made up", "adhoc8") else ("RR", "P@10", "AP"):
            scores = population(name, measure)
            scores = scores[np.linspace(0, len(scores) - 1, 8).astype(int)]
            truth = scores.mean(axis=1)
            for topics in (10, *TOPICS):
                rng = np.random.default_rng(topics)
                held, wide = np.zeros((2, 3))
                for _ in range(trials):
                    x = scores[:, rng.integers(scores.shape[1], size=topics)]
                    middle, half = (
                        x.mean(axis=1),
                        stdtrit(topics - 1, 0.975) * x.std(axis=1, ddof=1) / np.sqrt(topics),
                    )
                    drawn = resamples(rng, RESAMPLES, topics) @ x.T / topics
                    ends = (
                        np.quantile(drawn, [0.025, 0.975], axis=0),
                        (middle - half, middle + half),
                        mean_interval(x, bounds=(0, 1)),
                    )
                    for i, (low, high) in enumerate(ends):
                        held[i] += np.count_nonzero(
                            (low <= truth + 1e-12) & (truth - 1e-12 <= high)
                        )
                        wide[i] += (high - low).mean() / trials
                methods = ("percentile", "Student's t", "as it is now")
                row: dict[str, object] = {"scores": name, "measure": measure, "topics": topics}
                row |= {
                    method: share(int(n), 8 * trials)
                    for method, n in zip(methods, held, strict=True)
                }
                yield row | {
                    "width, percentile": f"{wide[0]:.3f}",
                    "width, as it is now": f"{wide[2]:.3f}",
                }


SIMULATIONS = {
    "tau": tau,
    "tau_shared": tau_shared,
    "correlations": correlations,
    "top": top,
    "means": means,
}
