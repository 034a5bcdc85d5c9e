"""What experiments on lesser judgments share: a cell for every measure, level and trial, each computed once."""

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from irmeval import parallel
from irmeval.collection import Collection
from irmeval.experiments.base import Progress
from irmeval.metrics import Measure
from irmeval.reductions import draw
from irmeval.scores import evaluate

ALL = 100.0
"""The rate at which every judgment is kept; such cells stand under it and the trial 0."""
T = TypeVar("T")
Store = MutableMapping[tuple[str, float, int], T]
"""(measure, level, trial) -> what need not be computed again"""


class Sample(NamedTuple):
    """What one measure says of all runs when some of the judgments are left."""

    measure: str
    full: bool
    """whether all are left"""
    grades: np.ndarray
    """int [J]"""
    values: np.ndarray
    """float64 [run, topic]"""
    means: np.ndarray
    """float64 [run]"""


class Sampled(Protocol):
    """Parameters of an experiment that keeps a share of the judgments."""

    @property
    def rates(self) -> tuple[float, ...]: ...
    @property
    def trials(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def rounding(self) -> str: ...
    @property
    def method(self) -> str: ...


def sweep(
    collection: Collection,
    measures: Sequence[Measure],
    levels: Sequence[float],
    trials: int,
    drawn: Callable[[int, Sequence[Any]], np.ndarray],
    cell: Callable[[Sample], T],
    store: Store[T],
    progress: Progress | None,
) -> None:
    """Add to a store the cells that it lacks: of all judgments, and of the grades [level, J] that are `drawn` for a trial and levels.

    Progress counts levels times trials.
    """
    tick = parallel.ticker(progress, len(levels) * trials)

    def lacking(level: float, trial: int) -> list[Measure]:
        return [m for m in measures if (str(m), level, trial) not in store]

    def fill(level: float, trial: int, wanted: list[Measure], grades: np.ndarray) -> None:
        scores = evaluate(collection, wanted, grades=grades)
        for one, values, means in zip(scores.measures, scores.values, scores.means, strict=True):
            store[str(one), level, trial] = cell(Sample(str(one), not trial, grades, values, means))

    def step(trial: int) -> None:
        wanted = {level: some for level in levels if (some := lacking(level, trial))}
        if kept := len(levels) - len(wanted):
            tick(kept)
        if wanted:
            for (level, some), grades in zip(wanted.items(), drawn(trial, list(wanted)), strict=True):
                fill(level, trial, some, grades)
                tick(1)

    if some := lacking(ALL, 0):
        fill(ALL, 0, some, collection.grade)
    parallel.each(step, range(1, trials + 1))


def by_rate(
    collection: Collection,
    measures: Sequence[Measure],
    params: Sampled,
    cell: Callable[[Sample], T],
    store: Store[T],
    progress: Progress | None,
) -> tuple[list[T], list[list[list[T]]]]:
    """The cells of each measure on all judgments, and those of each measure, rate and trial."""

    def drawn(trial: int, rates: Sequence[float]) -> np.ndarray:
        return draw(collection, params.method, [rate / 100 for rate in rates], trial, params.seed, rounding=params.rounding)

    sweep(collection, measures, [rate for rate in params.rates if rate < ALL], params.trials, drawn, cell, store, progress)
    full = [store[str(m), ALL, 0] for m in measures]
    trials = range(1, params.trials + 1)
    return full, [[[store[str(m), rate, trial if rate < ALL else 0] for trial in trials] for rate in params.rates] for m in measures]
