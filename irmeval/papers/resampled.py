"""A result again with half of its topics counting more, from the scores that it has; and on some of its samples of the judgments alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.agreement.binary_tertiary import BinaryTertiary
from irmeval.experiments.agreement.gains import GainMaps
from irmeval.experiments.agreement.measures import Agreement, correlations
from irmeval.experiments.agreement.rankings import Rankings
from irmeval.experiments.data.contents import Contents
from irmeval.experiments.incompleteness.curves import Incompleteness
from irmeval.experiments.incompleteness.decisions import ReducedDecisions
from irmeval.experiments.incompleteness.unjudged import Unjudged, shares
from irmeval.experiments.reliability.pair_orderings import PAPER, Orderings
from irmeval.experiments.reliability.stability import MinorityRates
from irmeval.experiments.reliability.swap import SwapRates
from irmeval.experiments.scored import Scored
from irmeval.experiments.significance.every_pair import Significance
from irmeval.stats.correlation import tau_b
from irmeval.stats.decisions import Decisions
from irmeval.stats.orderings import compare_orderings
from irmeval.stats.significance import compare
from irmeval.stats.stability import stability
from irmeval.stats.swap import Required, required, swap

TRIALS, TOPICS, ONE, FEW, COUNTED, DEFINITION = "trials", "topics", "one sample", "few topics", "counted", "definition"
"""What an estimate varies over; or why that is not known; or, the last two, why it does not vary."""
CERTAIN = COUNTED, DEFINITION
TIMES, SEED = {TRIALS: 100, TOPICS: 20}, 1
"""How often half of the samples, or topics, is drawn, without replacement."""
MORE, BY_HALF = 1.0, 0.5
"""By how much one half of the topics counts more than it did, and the other less: one half alone where means decide; where topic sets are
drawn or pairs tested, which fewer topics would change, all of them. No topic stands twice in a set, or in two that are to be disjoint."""


class Resampled(NamedTuple):
    """A result made again, to see how much what it says varies."""

    over: str
    makes: Sequence[Callable[[], Any]] = ()
    """on half of the samples of the judgments, or with half of the topics counting more"""
    scale: float = np.nan
    """the variance of an estimate, as a share of its variance over these"""
    freedom: float = np.nan
    """degrees of freedom of that variance"""
    each: Sequence[Callable[[], Any]] = ()
    """on each sample of the judgments alone, or as `makes`: what something holds in so many of"""


PER_TRIAL: dict[type, Callable[[Any, np.ndarray], Any]] = {
    Incompleteness: lambda result, some: _of_samples(result, some, mean=result.mean, tau=result.tau),
    ReducedDecisions: lambda result, some: _of_samples(result, some, power=result.power, tau=result.tau, decisions=result.decisions),
    BinaryTertiary: lambda result, some: replace(result, tau=result.tau[..., some]),
}
"""Kind of result -> it, or what of it is asked for, on some of its samples of the judgments."""


def _of_samples(result: Any, some: np.ndarray, **observed: Any) -> SimpleNamespace:
    """What was observed [measure, rate, sample, ...] in some of the samples."""
    taken = {
        name: Decisions(*(share[:, :, some] for share in values)) if isinstance(values, Decisions) else values[:, :, some]
        for name, values in observed.items()
    }
    return SimpleNamespace(measures=result.measures, params=result.params, full=result.full, **taken)


def resample(result: Any, measures: Sequence[str] = (), wide: float | None = None) -> Resampled:
    """How a result is made again, so many `TIMES`: on half of its samples of the judgments, where there are some; where scores of topics
    decide, with weights 1 + e for half of the topics and 1 - e for the others. `measures` are those that are wanted, by default all; `wide`
    is another e than is usual for results of that kind.

    What is computed from half of n things has as much variance over halves as that of all n; with weights, e^2 times as much (balanced half
    samples: McCarthy 1969; weights: Fay 1984, Judkins 1990). That variance is uncertain twice, as the n things are a sample and as some of
    the halves are: the inverse degrees of freedom add up.
    """
    kind = type(result)
    if kind in PER_TRIAL:
        over, things = TRIALS, result.params.trials
        make: Callable[[np.ndarray], Any] = partial(PER_TRIAL[kind], result)
    elif kind in ON_TOPICS:
        over, things = TOPICS, len(_topics(result)) if kind is Significance else getattr(result, "scores", result).values.shape[-1]
        of_kind, usual = ON_TOPICS[kind]
        make = partial(of_kind, result, measures or result.measures)
    else:
        return Resampled(COUNTED if isinstance(result, Contents) else DEFINITION)
    half, freedom = things // 2, freedom_of(things, TIMES[over])
    if half < (1 if over == TRIALS else 2):
        return Resampled(ONE if over == TRIALS else FEW)
    if over == TRIALS:
        rng = np.random.default_rng(SEED)
        drawn = [rng.permutation(things) for _ in range(TIMES[over])]
        each = [partial(make, np.array([t])) for t in range(things)]
        return Resampled(over, [partial(make, np.sort(order[:half])) for order in drawn], half / (things - half), freedom, each)
    weights, scale = weigh_halves(things, wide or usual)
    makes = [partial(make, weight) for weight in weights]
    return Resampled(over, makes, scale, freedom, makes)


def weigh_halves(topics: int, wide: float = MORE) -> tuple[np.ndarray, float]:
    """Weights [half, topic] of the topics, 1 + `wide` for a half of them that is drawn and 1 - `wide` for the others; and the variance of
    an estimate over topics, as a share of its variance over these."""
    rng, half = np.random.default_rng(SEED), topics // 2
    order = np.array([rng.permutation(topics) for _ in range(TIMES[TOPICS])])
    return 1 + wide * np.sign(half - 0.5 - order) * (order < 2 * half), topics / (2 * half * wide**2)


def freedom_of(things: int, times: int) -> float:
    """Degrees of freedom of the variance of so many things, from so many halves of them."""
    return 1 / (1 / (times - 1) + 1 / max(things - 1, 1))


def _topics(result: Significance) -> list[str]:
    """The topics with a score by any measure."""
    return list(dict.fromkeys(topic for tested in result.tested for topic in tested.topics))


def _some(scores: Scored, measures: Sequence[str], weight: np.ndarray) -> Scored:
    rows = [m for m, name in enumerate(scores.names) if name in measures]
    return scores._replace(
        values=scores.values[rows] * weight, names=tuple(scores.names[m] for m in rows), measures=tuple(scores.measures[m] for m in rows)
    )


def _agreement(result: Agreement, measures: Sequence[str], weight: np.ndarray) -> Agreement:
    scores = replace(result.scores, values=result.scores.values * weight)
    return replace(result, values=correlations(scores, result.params), scores=scores)


def _rankings(result: Rankings, measures: Sequence[str], weight: np.ndarray) -> Rankings:
    return replace(result, scores=replace(result.scores, values=result.scores.values * weight))


def _unjudged(result: Unjudged, measures: Sequence[str], weight: np.ndarray) -> Unjudged:
    return replace(result, share=shares(result.values * weight))


def _minority_rates(result: MinorityRates, measures: Sequence[str], weight: np.ndarray) -> MinorityRates:
    scores, params = _some(result.scores, measures, weight), result.params
    anew = params.replacement == "with"
    counts = stability(scores.values, size=result.size, sets=params.sets, seed=params.seed, replace=anew, fuzziness=params.fuzziness)
    return replace(result, counts=counts, scores=scores)


def _swap_rates(result: SwapRates, measures: Sequence[str], weight: np.ndarray) -> SwapRates:
    scores = _some(result.scores, measures, weight)
    return replace(result, rates=swap(scores.values, size=result.size, trials=result.params.trials, seed=result.params.seed), scores=scores)


def _significance(result: Significance, measures: Sequence[str], weight: np.ndarray) -> Significance:
    params, tested, of_topic = result.params, [], dict(zip(_topics(result), weight.tolist(), strict=True))
    for of_measure in result.tested:
        scores = of_measure.scores * [of_topic[topic] for topic in of_measure.topics]
        tested.append(of_measure._replace(scores=scores, pairs=compare(scores, params.test, samples=params.samples, seed=params.seed)))
    return replace(result, tested=tuple(tested))


def _orderings(result: Orderings, measures: Sequence[str], weight: np.ndarray) -> Orderings:
    scores = _some(result.scores, measures, weight)
    which = [ordering for pair in PAPER for ordering in pair]
    return replace(
        result, tau=np.stack([compare_orderings(values, which, **vars(result.params)) for values in scores.values]), scores=scores
    )


class WeightedGains:
    """Tau and required differences under other gains, each computed when it is asked for."""

    def __init__(self, result: GainMaps, measures: Sequence[str], weight: np.ndarray) -> None:
        self.values, self.params, self.measures, self.wanted = result.values * weight, result.params, result.measures, measures
        self._required: Required | None = None

    @cached_property
    def tau(self) -> np.ndarray:
        """With the order under the default gains [measure, map]."""
        means = self.values.mean(axis=-1)
        return np.stack([tau_b(of_map, means[:, 0]) for of_map in means.swapaxes(0, 1)], axis=1)

    @property
    def required(self) -> Required:
        """Under the default gains, which are first, of all measures; under others of those that are wanted [measure, map].

        No `cached_property`: until Python 3.12 that holds a lock of all instances; this takes long, and may pause (see
        `parallel.check_cancelled`).
        """
        self._required = self._required or self._compute_required()
        return self._required

    def _compute_required(self) -> Required:
        needed = np.full((3, *self.values.shape[:2]), np.nan)
        for m, name in enumerate(self.measures):
            maps = slice(None if name in self.wanted else 1)
            swaps = swap(self.values[m, maps], size=self.params.size, trials=self.params.sets, seed=self.params.seed)
            needed[:, m, maps] = required(swaps, threshold=self.params.threshold / 100)
        return Required(*needed)


ON_TOPICS: dict[type, tuple[Callable[[Any, Sequence[str], np.ndarray], Any], float]] = {
    Agreement: (_agreement, MORE),
    Rankings: (_rankings, MORE),
    Unjudged: (_unjudged, MORE),
    MinorityRates: (_minority_rates, BY_HALF),
    SwapRates: (_swap_rates, BY_HALF),
    Significance: (_significance, BY_HALF),
    Orderings: (_orderings, BY_HALF),
    GainMaps: (WeightedGains, BY_HALF),
}
"""Kind of result -> it with a weight for each topic, by some of its measures where that saves work; and how far weights are from 1."""
