"""Scores that pairs of runs can be compared on: of a collection or a score matrix, on the topics that every run has a score for."""

from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.text import counted, verb
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.reading.matrix import Matrix
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate


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
    """topics left out, because some run has no score there by some measure"""

    @property
    def pairs(self) -> int:
        """Number of pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    def differences(self, name: str) -> np.ndarray:
        """Mean score of the first run of each pair less that of the second, by one measure [pair]."""
        means = self.values[self.names.index(name)].mean(axis=-1)
        a, b = np.triu_indices(len(means), 1)
        return means[a] - means[b]

    def left_out(self) -> str:
        """A sentence on topics that were left out, if any."""
        if not self.dropped:
            return ""
        return f" {counted(self.dropped, 'topic')} without a score for every run and measure {verb(self.dropped, 'is', 'are')} left out."


class OfScores:
    """A result on scores, which compares their measures."""

    scores: Scored | Scores

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, none for a score matrix."""
        return self.scores.measures


def names_of(source: Collection | Matrix | None, measures: tuple[Measure, ...]) -> tuple[str, ...]:
    """Names of the scores: the measures, or that of the score matrix."""
    return (source.name,) if isinstance(source, Matrix) else measures


def values_of(source: Collection | Matrix | None, measures: tuple[Measure, ...]) -> np.ndarray:
    """Scores [measure, run, topic]; of a score matrix its own."""
    if isinstance(source, Matrix):
        return source.values[None]
    assert source is not None
    return evaluate(source, measures).values


def scored(work: Work[Any]) -> Scored:
    """Scores of the runs to compare, on the topics with a score for each of them by every measure.

    Raises `ParamError` where fewer than two runs or two such topics are left, and `UnknownName` for a run that is not there.
    """
    source, places = work.source, work.places
    assert source is not None
    values = values_of(source, work.measures)[:, places]
    kept = np.isfinite(values).all(axis=(0, 1))
    if len(places) < 2 or kept.sum() < 2:
        raise ParamError(
            f"expected at least 2 runs and 2 topics with a score for every run by every measure, found {len(places)} and {kept.sum()}."
        )
    topics = tuple(t for t, k in zip(source.topics, kept, strict=True) if k)
    runs = tuple(source.runs[i] for i in places)
    return Scored(values[..., kept], names_of(source, work.measures), work.measures, runs, topics, int((~kept).sum()))
