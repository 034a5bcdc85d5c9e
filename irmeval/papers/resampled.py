"""Results recomputed from the same scores: with more weight on half of the topics, or
on some samples of the judgments.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import compress
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.data.collection import Contents
from irmeval.experiments.incompleteness.unjudged import Unjudged, shares
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.measures.agreement import Agreement, correlations
from irmeval.experiments.measures.gains import GainMaps
from irmeval.experiments.measures.pair_orderings import PAPER, PairOrderings
from irmeval.experiments.measures.rankings import Rankings
from irmeval.experiments.measures.stability import Stability
from irmeval.experiments.measures.swap import Swap
from irmeval.experiments.runs.matrix import PairMatrix
from irmeval.experiments.scored import Scored
from irmeval.stats.correlation import tau_b
from irmeval.stats.orderings import compare_orderings
from irmeval.stats.swap_rates import Required, find_required_difference, swap
from irmeval.stats.topic_sets import WinsAndTies, stability

TRIALS = "trials"
"""An estimate varies over trials."""
TOPICS = "topics"
"""An estimate varies over topics."""
ONE = "one sample"
"""Unknown variation: there is one sample."""
FEW = "few topics"
"""Unknown variation: there are too few topics."""
COUNTED = "counted"
"""No variation: it is counted in the collection."""
DEFINITION = "definition"
"""No variation: it follows from a definition."""
CERTAIN = COUNTED, DEFINITION
TIMES = {TRIALS: 100, TOPICS: 20}
"""Number of halves of the samples, or of the topics, drawn without replacement."""
SEED = 1
"""Seed of these draws."""
MORE = 1.0
"""Difference from 1 of the weights of the two halves of the topics, for means: one half
has all weight.
"""
BY_HALF = 0.5
"""The same for topic sets and tests, which depend on the number of topics: all topics
stay, none is twice in a set.
"""


class Resampled(NamedTuple):
    """A recomputed result, to estimate the variation of its statistics."""

    over: str
    makes: Sequence[Callable[[], Any]] = ()
    """on half of the samples of the judgments, or with more weight on half of the
    topics
    """
    scale: float = np.nan
    """variance of an estimate, as a share of its variance over `makes`"""
    freedom: float = np.nan
    """degrees of freedom of that variance"""
    each: Sequence[Callable[[], Any]] = ()
    """on each sample of the judgments separately, or as `makes`: counts how often
    something holds
    """


def _of_samples(result: Curves, some: np.ndarray) -> Curves:
    """The result of some of the samples; what is left is that of all samples, or margins
    would be of other rates.
    """
    return replace(
        result, values={name: values[..., some] for name, values in result.values.items()}
    )


def resample(result: Any, measures: Sequence[str] = (), wide: float | None = None) -> Resampled:
    """Compute a result `TIMES` again: on half of its samples of the judgments, if it
    has samples; else, if it depends on scores of topics, with weights 1 + e for half of
    the topics and 1 - e for the others. `measures` are the wanted ones, by default all;
    `wide` is another e than the usual one of the kind of result.

    A statistic of half of n things has as much variance over halves as that of all n
    has; with weights, e^2 times as much (balanced half samples: McCarthy 1969; weights:
    Fay 1984, Judkins 1990). The estimate of that variance has two sources of error, the
    n things and the drawn halves, so the inverse degrees of freedom of both add up.
    """
    if type(result) is Curves:
        return _resample_trials(result)
    if isinstance(result, Contents):
        return Resampled(COUNTED)
    if type(result) not in ON_TOPICS:
        return Resampled(DEFINITION)
    topics = _number_of_topics(result)
    if topics < 4:
        return Resampled(FEW)
    # not bootstrap draws: these repeat topics, and up to 7% of their intervals left the estimate
    # out
    make, usual = ON_TOPICS[type(result)]
    weights, scale = weigh_halves(topics, wide or usual)
    makes = [partial(make, result, measures or result.measures, weight) for weight in weights]
    return Resampled(TOPICS, makes, scale, freedom_of(topics, TIMES[TOPICS]), makes)


def _resample_trials(result: Curves) -> Resampled:
    """Compute curves again on halves of their samples, and on each."""
    trials = result.params.trials
    # one sample says nothing about how the next would differ
    if trials < 2:
        return Resampled(ONE)
    rng, half = np.random.default_rng(SEED), trials // 2
    on_some, times = partial(_of_samples, result), TIMES[TRIALS]
    halves = [partial(on_some, np.sort(rng.permutation(trials)[:half])) for _ in range(times)]
    each = [partial(on_some, np.array([trial])) for trial in range(trials)]
    scale, freedom = half / (trials - half), freedom_of(trials, times)
    return Resampled(TRIALS, halves, scale, freedom, each)


def _number_of_topics(result: Any) -> int:
    if isinstance(result, PairMatrix):
        return len(result.topics)
    scores = getattr(result, "scores", result)
    return int(scores.values.shape[-1])


def weigh_halves(topics: int, wide: float = MORE) -> tuple[np.ndarray, float]:
    """Weights [half, topic] of the topics, 1 + `wide` for a random half of them and 1 -
    `wide` for the others; and the variance of an estimate over topics, as a share of
    its variance over these weights.
    """
    # always the same halves: a verdict must not depend on who computes it
    rng, half = np.random.default_rng(SEED), topics // 2
    order = np.array([rng.permutation(topics) for _ in range(TIMES[TOPICS])])
    return 1 + wide * np.sign(half - 0.5 - order) * (order < 2 * half), topics / (
        2 * half * wide**2
    )


def freedom_of(things: int, times: int) -> float:
    """Degrees of freedom of a variance over so many units, estimated from so many
    halves of them.
    """
    return 1 / (1 / (times - 1) + 1 / max(things - 1, 1))


def _some(scores: Scored, measures: Sequence[str], weight: np.ndarray) -> Scored:
    kept = np.isin(scores.names, measures)
    return scores._replace(
        values=scores.values[kept] * weight,
        names=tuple(compress(scores.names, kept)),
        measures=tuple(compress(scores.measures, kept)),
    )


def _agreement(result: Agreement, measures: Sequence[str], weight: np.ndarray) -> Agreement:
    scores = replace(result.scores, values=result.scores.values * weight)
    return replace(result, values=correlations(scores, result.params), scores=scores)


def _minority_rates(result: Stability, measures: Sequence[str], weight: np.ndarray) -> Stability:
    scores, params = _some(result.scores, measures, weight), result.params
    anew = params.replacement == "with"
    counts = stability(
        scores.values,
        size=result.size,
        sets=params.sets,
        seed=params.seed,
        replace=anew,
        fuzziness=params.fuzziness,
    )
    return replace(result, counts=counts, scores=scores)


def _swap_rates(result: Swap, measures: Sequence[str], weight: np.ndarray) -> Swap:
    scores = _some(result.scores, measures, weight)
    return replace(
        result,
        rates=swap(
            scores.values,
            size=result.size,
            trials=result.params.trials,
            seed=result.params.seed,
            replace=result.params.replacement == "with",
        ),
        scores=scores,
    )


def _power(result: PairMatrix, measures: Sequence[str], weight: np.ndarray) -> SimpleNamespace:
    power = np.array(
        [result.params.differ(tested.scores * weight).mean() for tested in result.tested]
    )
    return SimpleNamespace(power=power, measures=result.measures, params=result.params)


def _orderings(result: PairOrderings, measures: Sequence[str], weight: np.ndarray) -> PairOrderings:
    scores = _some(result.scores, measures, weight)
    which = [ordering for pair in PAPER for ordering in pair]
    return replace(
        result,
        tau=np.stack(
            [compare_orderings(values, which, **vars(result.params)) for values in scores.values]
        ),
        scores=scores,
    )


class WeightedGains:
    """Tau and required differences under other gains, each computed at the first
    use.
    """

    def __init__(self, result: GainMaps, measures: Sequence[str], weight: np.ndarray) -> None:
        self.values, self.params, self.measures, self.wanted = (
            result.values * weight,
            result.params,
            result.measures,
            measures,
        )
        self._required: Required | None = None
        self._counts: WinsAndTies | None = None

    @cached_property
    def tau(self) -> np.ndarray:
        """Tau with the order under the default gains [measure, map]."""
        means = self.values.mean(axis=-1)
        return np.stack([tau_b(of_map, means[:, 0]) for of_map in means.swapaxes(0, 1)], axis=1)

    @property
    def required(self) -> Required:
        """Required differences [measure, map]: of all measures under the default gains,
        which come first; else of the wanted ones.

        Not a `cached_property`: before Python 3.12 that holds one lock for all
        instances, and this takes long and may pause (see `parallel.check_cancelled`).
        """
        if not self._required:
            needed = np.full((3, *self.values.shape[:2]), np.nan)
            for m, maps in enumerate(self._maps):
                swaps = swap(
                    self.values[m, maps],
                    size=self.params.size,
                    trials=self.params.sets,
                    seed=self.params.seed,
                )
                needed[:, m, maps] = find_required_difference(
                    swaps, threshold=self.params.threshold / 100
                )
            self._required = Required(*needed)
        return self._required

    @property
    def counts(self) -> WinsAndTies:
        """Wins and ties [measure, map, fuzziness, pair], of the same measures and maps
        as `required`; of others all tie.
        """
        if not self._counts:
            runs, params = self.values.shape[2], self.params
            shape = *self.values.shape[:2], len(params.fuzziness), runs * (runs - 1) // 2
            wins, losses, ties = np.zeros(shape), np.zeros(shape), np.full(shape, params.sets)
            for m, maps in enumerate(self._maps):
                wins[m, maps], losses[m, maps], ties[m, maps] = stability(
                    self.values[m, maps],
                    size=params.size,
                    sets=params.sets,
                    seed=params.seed,
                    fuzziness=params.fuzziness,
                )
            self._counts = WinsAndTies(wins, losses, ties)
        return self._counts

    @property
    def _maps(self) -> list[slice]:
        """The maps under which a measure is needed, by measure."""
        return [slice(None if name in self.wanted else 1) for name in self.measures]


ON_TOPICS: dict[type, tuple[Callable[[Any, Sequence[str], np.ndarray], Any], float]] = {
    Agreement: (_agreement, MORE),
    Rankings: (
        lambda result, _, weight: replace(
            result, scores=replace(result.scores, values=result.scores.values * weight)
        ),
        MORE,
    ),
    Unjudged: (
        lambda result, _, weight: replace(result, share=shares(result.values * weight)),
        MORE,
    ),
    Stability: (_minority_rates, BY_HALF),
    Swap: (_swap_rates, BY_HALF),
    PairMatrix: (_power, BY_HALF),
    PairOrderings: (_orderings, BY_HALF),
    GainMaps: (WeightedGains, BY_HALF),
}
"""Functions by kind of result that make it with a weight for each topic, by some of its
measures if that saves work; and the usual e of the weights.
"""
