"""Shared parts of experiments that take something away: what they read off each
measure, level and trial is computed once and cached.
"""

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, NamedTuple, Protocol

import numpy as np

from irmeval.collection import Collection
from irmeval.core import parallel
from irmeval.core.places import pick
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.reductions import DROPPED, REDUCTIONS, draw, share_left, with_design
from irmeval.scoring.score_table import Scores
from irmeval.scoring.scores import evaluate_samples
from irmeval.stats.means import mean_of_known

ALL = 100.0
"""Rate of all judgments. What is read off everything is cached under this rate and
trial 0.
"""
SAMPLED = {"rounding", "least_relevant", "least_nonrelevant"}
"""Parameters of a reduction that experiments may set."""
LEFT = "left"
"""Cache key of the realised share, with a level and a trial."""
SCORES = "scores"
"""Cache key of the scores [run, topic], with a measure, a level and a trial."""
KEPT_BYTES = 64_000_000
"""Maximum total size of the scores that are kept of a source; more are computed again
when they are needed.
"""
FULL = 6
"""Progress steps of scoring on all judgments."""


class Drawn(NamedTuple):
    """What is left of the judgments and of the topics."""

    grades: np.ndarray
    """int [J]; a dropped judgment is negative"""
    topics: np.ndarray | None = None
    """bool [topic], the topics in use; None for all"""

    def of_topics(self, collection: Collection) -> np.ndarray:
        """The grades [J], with the judgments of topics out of use dropped."""
        if self.topics is None:
            return self.grades
        return np.where(self.topics[collection.topic], self.grades, DROPPED)

    def share_left(self, collection: Collection) -> float:
        """Share of the judgments of the topics in use, in per cent."""
        if self.topics is None:
            return float(share_left(collection.grade, self.grades))
        of = self.topics[collection.topic]
        return float(share_left(collection.grade[of], self.grades[of]))


@dataclass(frozen=True, eq=False)
class Sample:
    """Scores of all runs by one measure on what is left."""

    measure: Measure
    full: bool
    """whether this is everything"""
    drawn: Drawn
    values: np.ndarray
    """float64 [run, topic in use]"""

    @property
    def grades(self) -> np.ndarray:
        """int [J]"""
        return self.drawn.grades

    @cached_property
    def means(self) -> np.ndarray:
        """Mean over topics with a score [run]."""
        return mean_of_known(self.values)


Readings = Mapping[Hashable, Callable[[Sample], Any]]
"""What is read off the scores by a measure, by cache key."""
OfGrades = Mapping[Hashable, Callable[[Drawn], Any]]
"""What is read off the judgments alone, by cache key."""


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


@dataclass(frozen=True, eq=False)
class Plan:
    """Levels and trials of an experiment, and what is read off each.

    Measures may be scored under several gain maps: what is read then has the number of
    the map in its key.
    """

    levels: Mapping[Any, float]
    """level -> about which share of the judgments it leaves: the steps of the progress
    are as long as that
    """
    trials: int
    drawn: Callable[[int, Sequence[Any]], Iterable[Drawn]]
    """a trial and some levels -> what is left at each"""
    readings: Readings
    of_grades: OfGrades
    whole: Drawn
    """everything"""
    wholes: tuple[Any, ...] = (ALL,)
    """cache keys, in place of a level, of everything; several if it is scored on
    several collections
    """
    alike: Container[Any] = ()
    """levels at which all trials are alike; one is computed, and counts for all"""
    drawn_apart: Callable[[Any], Any] = lambda level: None
    """levels for which it returns different values are drawn apart, so that all cores
    work on one trial
    """
    gains: tuple[str | None, ...] = (None,)
    """names of gain maps; None for the policy's own"""
    keeps_scores: bool = False
    """whether scores are kept, for what is read later"""
    on: Callable[[Any], Collection | None] = lambda level: None
    """the collection of a level, if it is another than the source"""

    def last(self, level: Any) -> int:
        """Number of trials that are computed at a level."""
        if level in self.alike:
            return 1
        return self.trials

    @property
    def places(self) -> list["Place"]:
        """All samples, by trial."""
        numbered = product(range(1, self.trials + 1), self.levels)
        return [(level, trial) for trial, level in numbered if trial <= self.last(level)]


Place = tuple[Any, int]
"""A level and a trial, as in the keys of the cache; trial 0 is everything."""


class Unread(NamedTuple):
    """A sample of which something is not read yet."""

    place: Place
    drawn: Drawn
    measures: Sequence[Measure]
    """by which something is missing"""


class SameGrades(NamedTuple):
    """Unread samples with the same grades, which are scored once."""

    on: Collection
    samples: list[Unread]


def sweep(work: Work[Any], plan: Plan) -> None:
    """Fill the cache of the work by a plan; what is there is not computed again, and
    everything comes first.

    The keys are (reading, gain map, measure, level, trial), and (reading, level, trial)
    for what is read off the judgments alone.
    """
    filling = _Filling(work, plan)
    wanted = filling.list_missing()
    on_whole = [
        Unread((whole, 0), plan.whole, measures)
        for whole in plan.wholes
        if (measures := filling.lacking((whole, 0))) is not None
    ]
    missing = Counter(chain.from_iterable(wanted.values()))
    last = Counter(level for level, _ in plan.places)
    # a preview is a part of the work, and its progress that of the whole
    asked = {
        level: n if level in plan.alike else round(n / work.share) for level, n in last.items()
    }
    there = len(plan.wholes) - len(on_whole)
    filling.tick = parallel.ticker(
        work.progress,
        FULL * len(plan.wholes) + count_steps(plan.levels, asked),
        FULL * there + count_steps(plan.levels, last - missing),
    )
    filling.score(on_whole)
    parallel.map_threads(filling.step, wanted.items(), work.collection.concurrency)


Together = tuple[int, Any]
"""A trial and a value of `Plan.drawn_apart`: what is drawn in one step."""


class _Filling:
    """The cache of a work while a plan fills it."""

    tick: Callable[[int], None]

    def __init__(self, work: Work[Any], plan: Plan) -> None:
        self.collection, self.cache, self.plan = work.collection, work.cache, plan
        self.measures = work.measures if plan.readings else ()
        self.keeps_scores = plan.keeps_scores and self._fits(work)

    def _fits(self, work: Work[Any]) -> bool:
        """Whether the scores of the plan can be kept beside those kept already."""
        # everything is one sample more
        samples = 1 + len(self.plan.places)
        measures, runs, topics = work.shape
        new = 8 * samples * len(self.plan.gains) * measures * runs * topics
        # a copy, since another job on the same store may add to it meanwhile
        held = sum(value.nbytes for key, value in [*self.cache.items()] if key[0] == SCORES)
        return new + held <= KEPT_BYTES

    def lacking(self, place: Place) -> list[Measure] | None:
        """The measures of which something is not read yet; None if nothing at all is
        missing.
        """
        plan = self.plan
        wanted = product(self.measures, plan.readings, plan.gains)
        measures = [m for m, key, g in wanted if (key, g, m, *place) not in self.cache]
        of_grades = {(key, *place) for key in (*plan.of_grades, LEFT)}
        if of_grades <= self.cache.keys() and not measures:
            return None
        return [*dict.fromkeys(measures)]

    def list_missing(self) -> dict[Together, dict[Any, list[Measure]]]:
        """What is drawn together: each level, with the measures of which something is
        missing.
        """
        missing: dict[Together, dict[Any, list[Measure]]] = {}
        for level, trial in self.plan.places:
            measures = self.lacking((level, trial))
            if measures is not None:
                together = trial, self.plan.drawn_apart(level)
                missing.setdefault(together, {})[level] = measures
        return missing

    def step(self, part: tuple[Together, dict[Any, list[Measure]]]) -> None:
        """Draw a trial at some levels, and read what is missing of it."""
        (trial, _), here = part
        drawn = self.plan.drawn(trial, [*here])
        self.score(
            [
                Unread((level, trial), one, measures)
                for (level, measures), one in zip(here.items(), drawn, strict=True)
            ]
        )

    def score(self, samples: Iterable[Unread]) -> None:
        """Read what is missing of some samples; equal judgments are scored once."""
        groups: dict[tuple[int, int], SameGrades] = {}
        for one in samples:
            on = self.plan.on(one.place[0]) or self.collection
            # by identity: to compare grades would take as long as to score them, and levels
            # that keep everything share one array
            key = id(one.drawn.grades), id(on)
            groups.setdefault(key, SameGrades(on, [])).samples.append(one)
        todo = [*groups.values()]
        scorers = self._scorers([(same, self._not_kept(same)) for same in todo])
        parallel.map_threads(self._read_all, zip(todo, scorers, strict=True))

    def _read_all(self, scored: tuple[SameGrades, Callable[[], list[Scores]]]) -> None:
        same, evaluate = scored
        # without measures to score there are no scores to pair
        scores = dict(zip(self.plan.gains, evaluate(), strict=False))
        for one in same.samples:
            self._read(one, scores)

    def _scorers(
        self, wanted: Sequence[tuple[SameGrades, list[Measure]]]
    ) -> list[Callable[[], list[Scores]]]:
        """For samples with the same grades, a function that scores them by some
        measures under each gain map.
        """
        # on each collection together, so that its lists are read once
        together: dict[int, list[int]] = {}
        for i, (same, measures) in enumerate(wanted):
            if measures:
                together.setdefault(id(same.on), []).append(i)
        # without a measure to score, there are no scores
        made: list[Callable[[], list[Scores]]] = [list] * len(wanted)
        for numbers in together.values():
            parts = pick(wanted, numbers)
            graded = [(measures, same.samples[0].drawn.grades) for same, measures in parts]
            several = evaluate_samples(parts[0][0].on, graded, self.plan.gains)
            for i, evaluate in zip(numbers, several, strict=True):
                made[i] = evaluate
        return made

    def _not_kept(self, same: SameGrades) -> list[Measure]:
        """Measures whose scores are not in the cache at some level."""
        found = [
            measure
            for one in same.samples
            for measure, g in product(one.measures, self.plan.gains)
            if (SCORES, g, measure, *one.place) not in self.cache
        ]
        return [*dict.fromkeys(found)]

    def _read(self, one: Unread, scores: Mapping[str | None, Scores]) -> None:
        """Read what is missing of a sample; `scores` by gain map."""
        plan, cache, place = self.plan, self.cache, one.place
        cache.setdefault((LEFT, *place), one.drawn.share_left(self.collection))
        for key, read in plan.of_grades.items():
            if (key, *place) not in cache:
                cache[key, *place] = read(one.drawn)
        for measure, g in product(one.measures, plan.gains):
            values = self._values_of(measure, g, one, scores)
            sample = Sample(measure, place[1] == 0, one.drawn, values)
            for key, of in plan.readings.items():
                if (key, g, measure, *place) not in cache:
                    cache[key, g, measure, *place] = of(sample)
        self.tick(weigh_step(plan.levels.get(place[0], 1.0)))

    def _values_of(
        self, measure: Measure, g: str | None, one: Unread, scores: Mapping[str | None, Scores]
    ) -> np.ndarray:
        """Scores [run, topic in use], from the cache or from those just computed."""
        key = SCORES, g, measure, *one.place
        kept: np.ndarray | None = self.cache.get(key)
        if kept is not None:
            return kept
        of_map = scores[g]
        values: np.ndarray = of_map.values[of_map.measures.index(measure)]
        if one.drawn.topics is not None:
            values = values[:, one.drawn.topics]
        if self.keeps_scores:
            self.cache[key] = values
        return values


def places_of(plan: Plan, level: Any) -> list[Place]:
    """Where each trial of a level is in the cache, or everything for a key of it."""
    if level in plan.wholes:
        return [(level, 0)] * plan.trials
    return [(level, min(trial, plan.last(level))) for trial in range(1, plan.trials + 1)]


def read_whole(work: Work[Any], key: Hashable) -> list[Any]:
    """What was read off everything under the policy's own gains, by measure."""
    return [work.cache[key, None, measure, ALL, 0] for measure in work.measures]


def gather(work: Work[Any], plan: Plan, key: Hashable) -> list[list[list[Any]]]:
    """What was read [measure][level][trial] under the policy's own gains."""
    places = [places_of(plan, level) for level in plan.levels]

    def of_measure(measure: Measure) -> list[list[Any]]:
        return [[work.cache[key, None, measure, *place] for place in row] for row in places]

    return [*map(of_measure, work.measures)]


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


def with_sampling(collection: Collection, params: Sampled) -> Collection:
    """The collection, marked as one with judgments drawn by the method, which
    estimators need to know.
    """
    return with_design(collection, params.method)


def draw_grades(
    collection: Collection, params: Any, rates: Sequence[float], trial: int
) -> list[np.ndarray]:
    """The grades [J] of one trial at each rate, in per cent; all judgments at 100%."""
    less = [rate for rate in rates if rate < ALL]
    if not less:  # no method can draw at no rate
        return [collection.grade] * len(rates)
    own = SAMPLED & REDUCTIONS[params.method].params.keys()
    more = {name: getattr(params, name) for name in own if hasattr(params, name)}
    drawn = draw(collection, params.method, less, trial, params.seed, **more)
    grades = dict(zip(less, drawn, strict=True))
    return [grades.get(rate, collection.grade) for rate in rates]
