"""Scores for comparing pairs of runs: of a collection or a score matrix, on the topics
with a score for every run.
"""

from collections.abc import Callable
from itertools import compress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.core.places import pick
from irmeval.core.text import count_noun, verb
from irmeval.experiments.needs import check_enough
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.metrics.base import GIVEN, measure_of_scores
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate
from irmeval.stats.means import best_first, mean_of_known

T = TypeVar("T")


class Scored(NamedTuple):
    """Scores with the names along their axes."""

    values: np.ndarray
    """float64 [measure, run, topic], all finite"""
    names: tuple[str, ...]
    """of the measures; of a score matrix, its own"""
    measures: tuple[Measure, ...]
    """() for a score matrix"""
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    dropped: int
    """topics left out, since some run has no score there by some measure"""

    @property
    def pairs(self) -> int:
        """Number of pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    def differences(self, name: str) -> np.ndarray:
        """Mean score of the first run of each pair minus that of the second, by one
        measure [pair].
        """
        means = mean_of_known(self.values[self.names.index(name)])
        a, b = np.triu_indices(len(means), 1)
        return means[a] - means[b]

    def left_out(self) -> str:
        """A sentence on the topics that are left out; empty if there are none."""
        return describe_left_out(self.dropped, "run and measure")


class OfScores:
    """A result that compares the measures of its scores."""

    scores: Scored | Scores

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, none for a score matrix."""
        return tuple(measure for measure in self.scores.measures if measure.metric is not GIVEN)


def describe_left_out(topics: int, every: str = "run") -> str:
    """A sentence on a number of topics that are left out; empty for none."""
    if not topics:
        return ""
    missing = f"{count_noun(topics, 'topic')} without a score for every {every}"
    return f" {missing} {verb(topics, 'is', 'are')} left out."


def names_of(source: Collection | Matrix, measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """The names of the measures, or that of the score matrix."""
    if isinstance(source, Matrix):
        return (source.name,)
    return measures


def named_measures(
    source: Collection | Matrix, measures: tuple[Measure, ...]
) -> tuple[Measure, ...]:
    """The measures, or one that has the name of the score matrix."""
    if isinstance(source, Matrix):
        return (measure_of_scores(source.name),)
    return measures


def values_of(source: Collection | Matrix, measures: tuple[Measure, ...]) -> np.ndarray:
    """Scores [measure, run, topic]; of a score matrix its own."""
    if isinstance(source, Matrix):
        return source.values[None]
    return evaluate(source, measures).values


def runs_best_first(source: Collection | Matrix, measures: tuple[Measure, ...]) -> list[str]:
    """The runs by their mean by the first measure, or in the score matrix, best
    first.
    """
    means = mean_of_known(values_of(source, measures[:1])[0])
    return pick(source.runs, best_first(means))


def names_not_kept(work: Work[Any]) -> tuple[Any, ...]:
    """The names of `names_of` that are not in the cache of the work."""
    return tuple(name for name in names_of(work.data, work.measures) if name not in work.cache)


def each_measure(work: Work[Any], compute: Callable[[Any, np.ndarray], T]) -> tuple[T, ...]:
    """Apply a function to the name and the scores [run, topic] of each measure; cached
    results are not computed again.
    """
    missing = names_not_kept(work)
    if missing:
        some = tuple(measure for measure in work.measures if measure in missing)
        values = values_of(work.data, some)
        for name, scores in work.steps(zip(missing, values, strict=True)):
            work.cache[name] = compute(name, scores[work.run_indices])
    return tuple(pick(work.cache, names_of(work.data, work.measures)))


def score_runs(work: Work[Any]) -> Scored:
    """Scores of the runs to compare, on the topics with a score for each of them by
    every measure.

    Raises `ParamError` if fewer than two runs or two such topics are left, and
    `UnknownName` for an unknown run.
    """
    source, runs = work.data, work.runs
    values = values_of(source, work.measures)[:, work.run_indices]
    kept = np.isfinite(values).all(axis=(0, 1))
    check_enough("", len(runs), int(kept.sum()), "run by every measure")
    topics = tuple(compress(source.topics, kept))
    return Scored(
        values[..., kept],
        names_of(source, work.measures),
        work.measures,
        runs,
        topics,
        int((~kept).sum()),
    )
