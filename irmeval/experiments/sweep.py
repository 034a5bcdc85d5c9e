"""Shared parts of experiments on reduced judgments: a cell for every measure, level and
trial, computed once and cached.
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.reductions import REDUCTIONS, draw, share_left, with_design
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate, evaluate_many

ALL = 100.0
"""Rate of all judgments. Cells on the whole judgments are cached under this rate and
trial 0.
"""
LEFT = "left"
"""Cache key of the realised share, with a level and a trial."""
FULL = 6
"""Progress steps of scoring on all judgments."""
T = TypeVar("T")


class Sample(NamedTuple):
    """Scores of all runs by one measure on some of the judgments."""

    measure: Measure
    full: bool
    """whether these are the whole judgments"""
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
    work: Work[Any],
    levels: Mapping[Any, float],
    trials: int,
    drawn: Callable[[int, Sequence[Any]], np.ndarray],
    cell: Callable[[Sample], T],
    *,
    whole: np.ndarray | None = None,
    alike: Container[Any] = (),
    drawn_apart: Callable[[Any], Any] = lambda level: None,
) -> tuple[list[T], list[list[list[T]]], np.ndarray]:
    """The cells of each measure on the whole judgments, those of each measure, level
    and trial, and the realised share of the judgments, in per cent [level, trial].

    Parameters
    ----------
    levels : level -> about which share of the judgments it leaves: the steps of the
        progress are as long as that
    drawn : the grades [level, J] of a trial at some levels
    cell : what is kept of a sample; what the work keeps is not computed again. That of
        the whole judgments comes first
    whole : the grades [J] of the whole judgments, by default all
    alike : levels at which all trials are alike; one is computed, and returned for all
    drawn_apart : levels for which it returns different values are drawn apart, so that
        all cores work on one trial
    """
    collection, kept = work.collection, work.cache
    last = {level: 1 if level in alike else trials for level in levels}
    wanted = _list_missing(work, last, drawn_apart)

    def fill(level: Any, trial: int, grades: np.ndarray, scores: Scores) -> None:
        kept[LEFT, level, trial] = share_left(collection.grade, grades)
        for measure, values, means in zip(
            scores.measures, scores.values, scores.means, strict=True
        ):
            kept[measure, level, trial] = cell(Sample(measure, not trial, grades, values, means))
        tick(weigh_step(levels.get(level, 1.0)))

    def step(part: tuple[int, Any]) -> None:
        trial, here = part[0], wanted[part]

        def at(cell: tuple[Any, np.ndarray, Callable[[], Scores]]) -> None:
            level, grades, scores = cell
            fill(level, trial, grades, scores())

        grades = drawn(trial, list(here))
        parallel.map_threads(
            at,
            zip(
                here,
                grades,
                evaluate_many(collection, zip(here.values(), grades, strict=True)),
                strict=True,
            ),
        )

    on_whole = _missing_at(work, ALL, 0)
    missing = (FULL if on_whole else 0) + count_steps(
        levels, Counter(level for here in wanted.values() for level in here)
    )
    asked = {level: n if level in alike else round(n / work.share) for level, n in last.items()}
    tick = parallel.ticker(
        work.progress, FULL + count_steps(levels, asked), FULL + count_steps(levels, last) - missing
    )
    if on_whole:
        grades = collection.grade if whole is None else whole
        fill(ALL, 0, grades, evaluate(collection, on_whole, grades=grades))
    parallel.map_threads(step, wanted, collection.concurrency)
    full = [kept[measure, ALL, 0] for measure in work.measures]
    every = range(1, trials + 1)

    def gather(what: Any) -> list[list[Any]]:
        return [[kept[what, level, min(trial, last[level])] for trial in every] for level in levels]

    return full, [*map(gather, work.measures)], np.reshape(gather(LEFT), (len(levels), trials))


def _missing_at(work: Work[Any], level: Any, trial: int) -> list[Measure]:
    """The measures without a cell at a level of a trial."""
    return [measure for measure in work.measures if (measure, level, trial) not in work.cache]


def _list_missing(
    work: Work[Any], last: Mapping[Any, int], drawn_apart: Callable[[Any], Any]
) -> dict[tuple[int, Any], dict[Any, list[Measure]]]:
    """The samples that are drawn together, by trial and `drawn_apart`: each level, with
    its measures without a cell. `last` is the last trial of each level.
    """
    missing: dict[tuple[int, Any], dict[Any, list[Measure]]] = {}
    for trial in range(1, max(last.values(), default=0) + 1):
        for level in last:
            if trial <= last[level] and (some := _missing_at(work, level, trial)):
                missing.setdefault((trial, drawn_apart(level)), {})[level] = some
    return missing


def count_steps(levels: Mapping[Any, float], times: Mapping[Any, int]) -> int:
    """Progress steps of samples at some levels, from the share that each level leaves
    and the number of its samples.
    """
    return sum(weigh_step(levels[level]) * n for level, n in times.items())


def weigh_step(share: float) -> int:
    """Progress steps of scoring all runs: one on a tenth of the judgments, six on all
    of them, which takes six times as long.
    """
    return max(1, round(FULL * share))


def by_rate(
    work: Work[Any], params: Sampled, cell: Callable[[Sample], T]
) -> tuple[list[T], list[list[list[T]]], np.ndarray]:
    """The same as `sweep` by rate: `left` is [rate, trial]."""
    less = [rate for rate in params.rates if rate < ALL]
    work = replace(work, source=with_sampling(work.collection, params))
    alike = () if REDUCTIONS[params.method].random else less
    full, cells, left = sweep(
        work,
        {rate: rate / ALL for rate in less},
        params.trials,
        lambda trial, rates: draw_grades(work.collection, params, rates, trial),
        cell,
        alike=alike,
    )
    all_left = int(ALL in params.rates)
    cells = [
        [*([[whole] * params.trials] if all_left else []), *rows]
        for whole, rows in zip(full, cells, strict=True)
    ]
    return full, cells, np.vstack([np.full((all_left, params.trials), ALL), left])


def at_rates(collection: Collection, params: Sampled, trial: int) -> list[np.ndarray]:
    """The grades [J] of one trial at each rate; all judgments at 100%."""
    less = [rate for rate in params.rates if rate < ALL]
    grades = iter(draw_grades(collection, params, less, trial) if less else ())
    return [collection.grade if rate == ALL else next(grades) for rate in params.rates]


def with_sampling(collection: Collection, params: Sampled) -> Collection:
    """The collection, marked as one with judgments drawn by the method, which
    estimators need to know.
    """
    return with_design(collection, params.method)


def draw_grades(
    collection: Collection, params: Sampled, rates: Sequence[float], trial: int
) -> np.ndarray:
    """The grades [rate, J] of one trial; rates in per cent."""
    more = {"rounding": params.rounding} if "rounding" in REDUCTIONS[params.method].params else {}
    return draw(collection, params.method, rates, trial, params.seed, **more)
