"""A result on other topics, drawn from its own with replacement, from the scores that it has; and on each sample of the judgments alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from irmeval.experiments.agreement.binary_tertiary import BinaryTertiary
from irmeval.experiments.agreement.gains import GainMaps
from irmeval.experiments.agreement.measures import Agreement, correlations
from irmeval.experiments.agreement.rankings import Rankings
from irmeval.experiments.incompleteness.curves import Incompleteness
from irmeval.experiments.incompleteness.decisions import ReducedDecisions
from irmeval.experiments.incompleteness.unjudged import Unjudged, shares
from irmeval.experiments.reliability.pair_orderings import PAPER, Orderings
from irmeval.experiments.reliability.stability import MinorityRates
from irmeval.experiments.reliability.swap import SwapRates
from irmeval.experiments.scored import Scored
from irmeval.experiments.significance.every_pair import Significance
from irmeval.stats.correlation import tau_b
from irmeval.stats.orderings import compare_orderings
from irmeval.stats.significance import compare
from irmeval.stats.stability import stability
from irmeval.stats.swap import Required, required, swap

TRIALS, BOOTSTRAP, ONE, EXACT = "trials", "bootstrap", "one sample", "exact"
"""What a result is made again of; the last two, that there is nothing to do so with."""
TIMES, SETS, SEED = 100, 100, 1
"""How often topics are drawn; how many topic sets, and samples of a test, each of these takes, where the result has up to 1000."""

PER_TRIAL: dict[type, Callable[[Any, list[int]], Any]] = {
    Incompleteness: lambda result, trial: replace(result, means=result.means[:, :, trial]),
    ReducedDecisions: lambda result, trial: replace(
        result, reduced=result.reduced[:, :, trial], tau=result.tau[..., trial], topics=result.topics[..., trial]
    ),
    BinaryTertiary: lambda result, trial: replace(result, tau=result.tau[..., trial]),
}
"""Kind of result -> it, on some of its samples of the judgments."""


def resample(result: Any, measures: Sequence[str] = ()) -> tuple[str, list[Callable[[], Any]]]:
    """What the results vary over, and what makes each of them: one per sample of the judgments, where there are several; `TIMES` by
    bootstrap, on topics drawn from the result's own with replacement, where scores decide; else none. `measures` are those that are
    wanted, by default all."""
    if of_trial := PER_TRIAL.get(type(result)):
        trials = result.params.trials
        return (TRIALS, [partial(of_trial, result, [t]) for t in range(trials)]) if trials > 1 else (ONE, [])
    if on_topics := ON_TOPICS.get(type(result)):
        topics = _topics(result)
        drawn = np.random.default_rng(SEED).integers(topics, size=(TIMES, topics))
        return BOOTSTRAP, [partial(on_topics, result, at, measures or result.measures) for at in drawn]
    return EXACT, []


def _topics(result: Any) -> int:
    """Number of topics of a result's scores."""
    return len(_common(result)) if isinstance(result, Significance) else getattr(result, "scores", result).values.shape[-1]


def _common(result: Significance) -> list[str]:
    """The topics with a score by every measure."""
    return [topic for topic in result.tested[0].topics if all(topic in tested.topics for tested in result.tested)]


def _some(scores: Scored, at: np.ndarray, measures: Sequence[str]) -> Scored:
    rows = [m for m, name in enumerate(scores.names) if name in measures]
    return scores._replace(
        values=scores.values[rows].take(at, axis=-1),
        names=tuple(scores.names[m] for m in rows),
        measures=tuple(scores.measures[m] for m in rows),
    )


def _agreement(result: Agreement, at: np.ndarray, measures: Sequence[str]) -> Agreement:
    scores = replace(result.scores, values=result.scores.values.take(at, axis=-1))
    return replace(result, values=correlations(scores, result.params), scores=scores)


def _rankings(result: Rankings, at: np.ndarray, measures: Sequence[str]) -> Rankings:
    return replace(result, scores=replace(result.scores, values=result.scores.values.take(at, axis=-1)))


def _unjudged(result: Unjudged, at: np.ndarray, measures: Sequence[str]) -> Unjudged:
    return replace(result, share=shares(result.values.take(at, axis=-1)))


def _minority_rates(result: MinorityRates, at: np.ndarray, measures: Sequence[str]) -> MinorityRates:
    scores, params = _some(result.scores, at, measures), result.params
    anew = params.replacement == "with"
    counts = stability(scores.values, size=result.size, sets=SETS, seed=params.seed, replace=anew, fuzziness=params.fuzziness)
    return replace(result, counts=counts, scores=scores)


def _swap_rates(result: SwapRates, at: np.ndarray, measures: Sequence[str]) -> SwapRates:
    scores = _some(result.scores, at, measures)
    return replace(result, rates=swap(scores.values, size=result.size, trials=SETS, seed=result.params.seed), scores=scores)


def _significance(result: Significance, at: np.ndarray, measures: Sequence[str]) -> Significance:
    params, tested, topics = result.params, [], _common(result)
    for of_measure in result.tested:
        scores = of_measure.scores.take([of_measure.topics.index(topics[t]) for t in at], axis=1)
        tested.append(of_measure._replace(scores=scores, pairs=compare(scores, params.test, samples=SETS, seed=params.seed)))
    return replace(result, tested=tuple(tested))


def _orderings(result: Orderings, at: np.ndarray, measures: Sequence[str]) -> Orderings:
    scores, params = _some(result.scores, at, measures), replace(result.params, sets=SETS, samples=SETS)
    which = [ordering for pair in PAPER for ordering in pair]
    return replace(result, tau=np.stack([compare_orderings(values, which, **vars(params)) for values in scores.values]), scores=scores)


class ResampledGains:
    """Tau and required differences under other gains, each computed when it is asked for."""

    def __init__(self, result: GainMaps, at: np.ndarray, measures: Sequence[str]) -> None:
        self.values, self.params, self.measures, self.wanted = result.values.take(at, axis=-1), result.params, result.measures, measures
        self._required: Required | None = None

    @cached_property
    def tau(self) -> np.ndarray:
        """With the order under the default gains [measure, map]."""
        means = self.values.mean(axis=-1)
        return np.stack([tau_b(of_map, means[:, 0]) for of_map in means.swapaxes(0, 1)], axis=1)

    @property
    def required(self) -> Required:
        """Under the default gains, which are first, of all measures; under others of those that are wanted [measure, map].

        No `cached_property`: until Python 3.12 that holds a lock of all instances; this takes long, and may pause (see `parallel.look`).
        """
        self._required = self._required or self._compute_required()
        return self._required

    def _compute_required(self) -> Required:
        needed = np.full((3, *self.values.shape[:2]), np.nan)
        for m, name in enumerate(self.measures):
            maps = slice(None if name in self.wanted else 1)
            swaps = swap(self.values[m, maps], size=self.params.size, trials=SETS, seed=self.params.seed)
            needed[:, m, maps] = required(swaps, threshold=self.params.threshold / 100)
        return Required(*needed)


ON_TOPICS: dict[type, Callable[[Any, np.ndarray, Sequence[str]], Any]] = {
    Agreement: _agreement,
    Rankings: _rankings,
    Unjudged: _unjudged,
    MinorityRates: _minority_rates,
    SwapRates: _swap_rates,
    Significance: _significance,
    Orderings: _orderings,
    GainMaps: ResampledGains,
}
"""Kind of result -> it, on some of its topics, each of which may stand several times, by some of its measures where that saves work."""
