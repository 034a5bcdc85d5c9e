"""Estimates from a cheap judge's grades of all documents and samples of an expensive
judge's grades.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import starmap
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.shards import Sharded
from irmeval.metrics import Measure
from irmeval.metrics.with_cheap_judge import CORRECTED
from irmeval.scoring.estimated_scores import describe_rare
from irmeval.scoring.two_judges import WAYS, PoweredEstimates, estimate_with
from irmeval.stats.powered import describe_few_cases

POWERED = "prediction-powered"
"""Way that draws whole topics."""
SURE = ("calibrated", "difference", POWERED)
"""Ways that have intervals."""
LEAST = 2
"""Minimum number of completely judged topics for an interval."""


class OnSample(NamedTuple):
    """Means of all runs on one sample and their interval limits, each float64 [run]."""

    means: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Aided(str):
    """Name of a measure that is estimated with a cheap judge: ``AP, difference``."""

    target: Measure
    way: str
    judge: str

    def __new__(cls, target: Measure, way: str, judge: str) -> "Aided":
        """Create it from the measure, one of `irmeval.scoring.two_judges.WAYS`, and the
        name of the cheap judge.
        """
        self = super().__new__(cls, f"{target}, {way}")
        self.target, self.way, self.judge = target, way, judge
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Aided, (self.target, self.way, self.judge)


def ways_with_judge(collection: Collection, target: Measure, judge: str) -> list[Aided]:
    """All ways to estimate a measure with a cheap judge; none without one. Runs on
    several machines cannot be calibrated.
    """
    is_corrected = target.metric.name in CORRECTED and not target.prime
    if not judge or not is_corrected:
        return []
    return [Aided(target, way, judge) for way in _ways_on(collection)]


def _ways_on(collection: Collection) -> list[str]:
    ways = [*WAYS]
    # a calibration needs all runs on one machine
    if isinstance(collection, Sharded):
        ways.remove("calibrated")
    return ways


def count_whole(topics: int, rate: float) -> int:
    """Number of completely judged topics at a rate (per cent)."""
    return max(LEAST, round(topics * rate / 100))


def describe_limits(
    measures: Sequence[Measure | Aided], topics: int, rate: float, quantile: str
) -> Iterator[str]:
    """Sentences on measures whose intervals, at a rate (per cent) of so many topics,
    contain the truth too rarely.
    """
    if any(isinstance(one, Aided) and one.way == POWERED for one in measures):
        yield describe_few_cases(count_whole(topics, rate), quantile)
    yield describe_rare([one for one in measures if not isinstance(one, Aided)], rate)


def whole_topics(collection: Collection, rate: float, trial: int, seed: int) -> np.ndarray:
    """Grades of a random share of the topics (per cent), at least two, judged
    completely. The topics of a rate are among those of every higher rate.
    """
    order = np.random.default_rng((seed, trial)).permutation(len(collection.topics))
    kept = order[: count_whole(len(collection.topics), rate)]
    return np.where(np.isin(collection.topic, kept), collection.grade, -1)


def aided_cells(
    collection: Collection,
    some: Iterable[Aided],
    grades: np.ndarray,
    topics: np.ndarray,
    level: float,
    quantile: str,
) -> Iterator[tuple[Aided, OnSample]]:
    """Results of each way on one sample. `grades` are the grades of a sample of
    documents, `topics` those of a sample of topics.
    """
    # what is estimated together reads the judgments once
    groups: dict[tuple[str, str, int], list[Aided]] = {}
    for one in some:
        groups.setdefault((one.way, one.judge, one.target.params["rel"]), []).append(one)
    for (way, judge, rel), group in groups.items():
        sample, over = grades, "judgments"
        if way == POWERED:
            sample, over = topics, "topics"
        targets = [one.target for one in group]
        found = estimate_with(collection, targets, judge, way=way, grades=sample, quantile=quantile)
        on = scored(collection, rel)
        # over the topics of the truth: to leave out those where nothing relevant was drawn would be
        # a mean over others
        found = replace(found, values=found.values[..., on])
        if isinstance(found, PoweredEstimates):
            found = replace(found, cheap=found.cheap[..., on])
        ends = zip(found.over_topics(), *found.bounds(over=over, level=level), strict=True)
        yield from zip(group, starmap(OnSample, ends), strict=True)


def scored(collection: Collection, rel: int) -> np.ndarray:
    """Whether a topic has a score on all judgments if documents with this grade are
    relevant: bool [topic].
    """
    relevant = np.bincount(collection.topic, collection.grade >= rel, len(collection.topics)) > 0
    return relevant | (collection.policy.empty == "zero")
