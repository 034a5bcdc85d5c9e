"""How often the interval of a finding's margin holds the true margin: its mean over
collections of as many topics, or over samples of the judgments. ``coverage.py`` prints
the tables.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.coverage import Row, Simulation, made_up, share
from irmeval import Scores, measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.measures.agreement import Agreement, correlations
from irmeval.experiments.measures.stability import Stability
from irmeval.experiments.measures.swap import Swap
from irmeval.experiments.runs.matrix import PairMatrix
from irmeval.experiments.scored import Scored
from irmeval.papers.findings import Finding, answers
from irmeval.stats.pair_tests import compare_pairs
from irmeval.stats.swap_rates import swap
from irmeval.stats.topic_sets import stability
from tests.watched import made

RUNS, TOPICS, TRIALS = 17, (25, 50, 100), (5, 10, 20)
SETS, TRUTH, DRAWS = 300, 4, 100
"""Topic sets, and samples of a test, of an estimate; draws that the truth is the mean
of, for each trial; bootstrap draws, before.
"""
MEASURES = tuple(map(measure, ("AP", "Q")))
RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 10.0)


def two_measures(seed: int = 3) -> np.ndarray:
    """Scores [2, runs, topics] of some runs of a made-up population by two measures.
    The second is the first with noise.
    """
    rng = np.random.default_rng(seed)
    scores = made_up()[rng.choice(126, RUNS, replace=False)]
    other = scores + rng.normal(0, 0.02, (RUNS, 1)) + rng.normal(0, 0.15, scores.shape)
    return np.stack([scores, np.clip(other, 0, 1)])


def of_swaps(values: np.ndarray, sets: int = SETS) -> Swap:
    """The result of `swap` on scores [2, runs, topics]. The functions below do the same
    for other experiments.
    """
    params, size = EXPERIMENTS["swap"].params(trials=sets), values.shape[-1] // 2
    return Swap(
        swap(values, size=size, trials=sets), np.empty((2, 0)), (), _scored(values), size, params
    )


def of_stability(values: np.ndarray, sets: int = SETS) -> Stability:
    params, size = EXPERIMENTS["stability"].params(sets=sets), values.shape[-1] // 2
    return Stability(stability(values, size=size, sets=sets), _scored(values), size, params)


def of_tests(values: np.ndarray, sets: int = SETS) -> PairMatrix:
    held, params = _scored(values), EXPERIMENTS["matrix"].params(samples=sets)
    tested = tuple(compare_pairs(scores, samples=sets, at_once=None) for scores in values)
    return PairMatrix(tested, held.names, MEASURES, held.runs, held.topics, params, len(held.runs))


def of_orders(values: np.ndarray, sets: int = SETS) -> Agreement:
    params, held = EXPERIMENTS["agreement"].params(), _scored(values)
    scores = Scores(values, MEASURES, held.runs, held.topics)
    return Agreement(correlations(scores, params), scores, params)


def _scored(values: np.ndarray) -> Scored:
    runs, topics = (tuple(map(str, range(n))) for n in values.shape[1:])
    return Scored(values, tuple(map(str, MEASURES)), MEASURES, runs, topics, 0)


OVER_TOPICS: dict[str, tuple[Callable[..., Any], str, float | tuple[str, ...]]] = {
    "swap sensitivity": (of_swaps, "sensitivity", 0.0),
    "swap sensitivity, of two measures": (of_swaps, "sensitivity", ("AP",)),
    "minority rate at 10% ties": (of_stability, "minority rate at 10% ties", 0.0),
    "power": (of_tests, "power", 0.0),
    "power, of two measures": (of_tests, "power", ("AP",)),
    "tau of two measures": (of_orders, "tau with AP", 0.0),
}
"""Label -> what makes the result, the statistic, and what Q's is held against."""


def findings_over_topics(trials: int) -> Iterator[Row]:
    """90% intervals over topics. Before: percentiles of 100 bootstrap draws. After:
    halves of the topics with more weight.
    """
    population = two_measures()
    for label, (make, statistic, those) in OVER_TOPICS.items():
        finding = Finding("", "", statistic, ("Q",), those)
        for topics in TOPICS:
            rng = np.random.default_rng(topics)

            def draw(
                make: Callable[..., Any] = make,
                topics: int = topics,
                rng: np.random.Generator = rng,
            ) -> Any:
                return make(
                    population[..., rng.choice(population.shape[-1], topics, replace=False)]
                )

            truth = float(np.nanmean([margin(finding, draw()) for _ in range(TRUTH * trials)]))
            yield {"margin of": label, "topics": topics} | count_held(
                finding, truth, draw, by_bootstrap(make, rng), trials
            )


def findings_over_samples(trials: int) -> Iterator[Row]:
    """90% intervals over samples of the judgments. Before: percentiles of single
    samples. After: halves of the samples.
    """
    rng = np.random.default_rng(1)
    full = two_measures().mean(axis=-1)
    for statistic, those in (
        ("tau at 10%", 0.0),
        ("tau", ("AP",)),
        ("knee of tau", 0.0),
        ("knee of tau", ("AP",)),
    ):
        finding = Finding("", "", statistic, ("Q",), those)
        for samples in TRIALS:

            def draw(samples: int = samples) -> Curves:
                wide = 0.004 * (100 / np.array(RATES) - 1) ** 0.7 * np.array([[1.0], [1.5]])
                means = full[:, None, None] + wide[..., None, None] * rng.normal(
                    size=(2, len(RATES), samples, RUNS)
                )
                return replace(made(means, full, levels=RATES), measures=MEASURES)

            truth = float(np.nanmean([margin(finding, draw()) for _ in range(TRUTH * trials)]))
            label = f"{statistic}, of two measures" if those else statistic
            yield {"margin of": label, "samples": samples} | count_held(
                finding, truth, draw, by_single_samples, trials
            )


def margin(finding: Finding, result: Any) -> float:
    """The margin by which a finding holds in a result."""
    from irmeval.papers.findings import _sides

    return float(np.subtract(*_sides([finding], result)[0]))


def by_bootstrap(
    make: Callable[..., Any], rng: np.random.Generator
) -> Callable[[Finding, Any], Sequence[float]]:
    """The interval of before: results on 100 sets of topics drawn with replacement,
    with 100 topic sets or samples of a test each.
    """

    def drawn(finding: Finding, result: Any) -> list[float]:
        values = (
            np.stack([t.scores for t in result.tested])
            if isinstance(result, PairMatrix)
            else result.scores.values
        )
        topics = values.shape[-1]
        return [
            margin(finding, make(values[..., rng.integers(topics, size=topics)], 100))
            for _ in range(DRAWS)
        ]

    return drawn


def by_single_samples(finding: Finding, result: Curves) -> list[float]:
    """The interval of before: one result for each sample alone."""
    singles = (
        {name: values[..., [t]] for name, values in result.values.items()}
        for t in range(result.params.trials)
    )
    return [margin(finding, replace(result, values=values)) for values in singles]


def count_held(
    finding: Finding,
    truth: float,
    make: Callable[[], Any],
    before: Callable[[Finding, Any], Sequence[float]],
    trials: int,
) -> dict[str, str]:
    """Before and after: how many intervals hold the truth, their mean width, how many
    miss the estimate, and how often there is no interval.
    """
    ends = np.empty((2, trials, 3))
    for t in range(trials):
        result = make()
        [here] = answers([finding], result)
        ends[:, t] = (
            (*np.nanpercentile(before(finding, result), [5, 95]), here.margin),
            (
                here.low,
                here.high,
                here.margin,
            ),
        )
    row = {"truth": f"{truth:.3f}"}
    for name, of in zip(("before", "after"), ends, strict=True):
        low, high, estimate = of[np.isfinite(of).all(axis=1)].T
        outside, none = np.mean((estimate < low) | (estimate > high)), 1 - len(low) / trials
        row[name] = share(int(((low <= truth) & (truth <= high)).sum()), len(low))
        row[f"{name}: width, estimate outside, no interval"] = (
            f"{np.mean(high - low):.3f}, {outside:.0%}, {none:.0%}"
        )
    return row


SIMULATIONS: dict[str, Simulation] = {
    "findings-topics": findings_over_topics,
    "findings-samples": findings_over_samples,
}
