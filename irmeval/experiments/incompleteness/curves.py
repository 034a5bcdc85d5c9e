"""Whatever disappears, whatever is watched: judgments, pool depth, teams, topics or the
care of the judge, and what the scores of the runs still tell.
"""

from collections import ChainMap, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, product
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import Live, checked, fields, gathered, param
from irmeval.core.places import pick
from irmeval.core.text import list_all, shorten
from irmeval.experiments.axes.base import AXES, Axis, Trial
from irmeval.experiments.axes.by_lines import (
    GAINS,
    By,
    Line,
    at_whole,
    draw_lines,
    lines_of,
    parse_lines,
)
from irmeval.experiments.axes.fewer_judgments import PAIR
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.incompleteness.own_pools import p_of_pairs
from irmeval.experiments.incompleteness.watched_curves import Curves
from irmeval.experiments.measures.parameters import with_parameter_or_refuse
from irmeval.experiments.needs import Needs, check_enough
from irmeval.experiments.settings import TEST, Alpha, Samples, Seed, Test, Testing
from irmeval.experiments.sweep import ALL, LEFT, Drawn, Place, Plan, places_of, sweep
from irmeval.experiments.watched.base import (
    APART,
    COMMON,
    LEAST,
    MEANS,
    STATISTICS,
    OnGrades,
    Reading,
    Statistic,
    no_tables,
)
from irmeval.metrics import Measure
from irmeval.scoring.selection import Selection
from irmeval.stats.pairs import count_pairs

JOB = ("test", "samples", "alpha", "pairs")
"""Parameters of every job that tests pairs of runs."""


RECORDS: list[Axis | Statistic] = [*AXES.values(), *STATISTICS.values()]
"""All axes and statistics."""


@checked
@gathered(*(one.params for one in RECORDS))
class Params(Testing):
    """What disappears, what is watched, and how often. The parameters of the axes and
    of the statistics follow; they are taken only with these.
    """

    of: str = param(
        "what disappears",
        "What is taken away, step by step.",
        choices=Live(AXES.keys),
        template="{} disappear",
        default="judgments",
    )
    by: str = param(
        "lines",
        "A line for each value, as NAME=V,V: the levels of something else that disappears"
        " (judgments=100,10), a choice (judge=lenient,strict), or gain maps (gains=flat,steep).",
        template="lines by {}",
        default="",
    )
    watch: tuple[str, ...] = param(
        "watched",
        "What is read off at each level.",
        choices=Live(STATISTICS.keys),
        template="watching {}",
        default=("mean", "order"),
    )
    levels: tuple[float, ...] = param(
        "levels",
        "The levels of what disappears; by default its usual ones. Per cent for judgments.",
        rate=True,
        descending=True,
        default=(),
    )
    trials: int = param(
        "trials",
        "Random samples per level; the band is over them. Empty: the usual number.",
        low=1,
        high=1000,
        template="{} trials",
        default=cast("int", None),
    )
    seed: Seed = 1
    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    pairs: int = param(
        "random pairs",
        "Number of pairs tested, drawn at random; Bompada et al. used 300. 0: all.",
        low=0,
        high=10_000_000,
        template="{} random pairs",
        value_labels={"0": "all pairs of runs"},
        default=0,
    )

    if TYPE_CHECKING:  # the parameters of axes and statistics

        def __getattr__(self, name: str) -> Any: ...

    def __post_init__(self) -> None:
        # checked before it is decided which are used: a bad value is refused anyway
        own = [vars(self.own_of(one)) for one in RECORDS]
        for name, value in ChainMap(self._decided(), *own).items():
            object.__setattr__(self, name, value)
        self._refuse_idle()
        self._refuse_lines_of_pairs()

    def _decided(self) -> dict[str, Any]:
        """Values as they are kept: in one order, and the usual ones of the axis in place of
        none.
        """
        trials = self.trials or self.axis.trials
        if self.axis.trials == 1:  # nothing is random
            trials = 1
        return {
            "by": self.lines.text,
            "watch": tuple(filter(self.watch.__contains__, STATISTICS)),
            "levels": self.axis.levels.check(self.levels or self.axis.levels.default),
            "trials": trials,
        }

    def _refuse_lines_of_pairs(self) -> None:
        """Raise `ParamError` for lines where each pair of runs has its own sample."""
        if self.sample_of == PAIR and self.by:
            raise ParamError(f"by: sample_of={PAIR} has no lines; leave one of the two out.")

    def _refuse_idle(self) -> None:
        """Raise `ParamError` for a parameter that is set although nothing uses it. One
        that selections of runs have too is theirs then.
        """
        for name in self.idle:
            default = fields(type(self))[name].default
            if name in fields(Selection):
                object.__setattr__(self, name, default)
            elif getattr(self, name) != default:
                raise ParamError(
                    f"{name}: nothing uses it with of={self.of}, watch={','.join(self.watch)};"
                    f" {name} belongs to {list_all(_owners(name))}."
                )

    @property
    def axis(self) -> Axis:
        """What disappears."""
        return AXES[self.of]

    @property
    def lines(self) -> By:
        """What tells lines apart."""
        return parse_lines(self.by, self.axis)

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What is watched."""
        return tuple(pick(STATISTICS, self.watch))

    @property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that the result may have; empty if a statistic does not name
        its own.
        """
        names = ["summary", "crossings", "trials"]
        for one in self.statistics:
            if one.tables is not no_tables and not one.named:
                return ()
            names += one.named
        return tuple(names)

    @property
    def needs(self) -> Needs:
        """What the job needs: what all that is watched needs together."""
        every = np.array([(one.needs.runs, one.needs.topics) for one in self.statistics])
        runs, topics = every.max(axis=0).tolist()
        return Needs(runs, topics, graded=self.lines.name == GAINS)

    @property
    def tested(self) -> bool:
        """Whether pairs of runs are tested."""
        return any(one.tested for one in self.statistics)

    @property
    def idle(self) -> frozenset[str]:
        """Parameters that neither what disappears nor what is watched uses."""
        records: list[Axis | Statistic] = [self.axis, *self.statistics]
        if self.lines.axis:
            records.append(self.lines.axis)
        used = set[str]().union(*(one.own for one in records))
        if self.tested:
            used |= {*JOB}
        used.discard(self.lines.name)  # each line has its own
        return frozenset({*OWN, *JOB} - used)

    @property
    def unused(self) -> frozenset[str]:
        return self.idle

    def own_of(self, one: Axis | Statistic) -> Any:
        """The own parameters of an axis or a statistic, as its record, which checks them."""
        return one.params(**{name: getattr(self, name) for name in one.own})

    @property
    def levels_said(self) -> str:
        """Text of the levels."""
        return self.axis.levels.say(self.levels)

    def picked(self, runs: int) -> np.ndarray | None:
        """Numbers of the pairs that are tested, ascending; None for all."""
        every = count_pairs(runs)
        if not 0 < self.pairs < every:
            return None
        # by the seed alone: the same pairs for all measures, levels and trials, as is inferred of
        # Bompada et al. 2007
        return np.sort(np.random.default_rng(self.seed).choice(every, self.pairs, replace=False))


OWN = tuple(name for one in RECORDS for name in one.own)
"""Names of the parameters of axes and statistics."""
# not the test: what rests on it has its parameters in a key of its own (`Reading.depends_on`)
STORED = ("of", "seed", *(name for one in AXES.values() for name in one.own))
"""Parameters on which what is kept of a sample depends."""


def _owners(name: str) -> list[str]:
    """Which axes and statistics have a parameter, as they are given."""
    if name in JOB:
        return [f"watch={one.name}" for one in STATISTICS.values() if one.tested]
    records: dict[str, Any] = {"of": AXES, "watch": STATISTICS}
    found = []
    for chosen_by, registry in records.items():
        found += [f"{chosen_by}={one}" for one in registry if name in registry[one].own]
    return found


class CurvesJob:
    """One call: the lines, the plan of what is read, and how it is gathered."""

    def __init__(self, work: Work[Params]) -> None:
        params, collection = work.params, work.collection
        self.work, self.params, self.axis = work, params, params.axis
        self.by, self.beside = params.lines, params.lines.axis
        first = Trial(collection, params.seed, 1, work.team)
        own = params.own_of(self.axis)
        self.levels = self.axis.fit(first, params.levels, own)
        beside = self.beside
        self.of_beside, values = None, self.by.values
        if beside:
            self.of_beside = params.own_of(beside)
            values = beside.fit(first, values, self.of_beside)
        self.lines = tuple(lines_of(self.by, own, values))
        self.gains: tuple[str | None, ...] = (None,)
        if self.by.name == GAINS:
            self.gains = values
        self.drawn_on = {line: self._prepared(line) for line in self.lines}
        read = chain.from_iterable(one.reads for one in params.statistics)
        self.readings = [*dict.fromkeys(read)]
        self.plan = self._make_plan()

    def _prepared(self, line: Line) -> Collection:
        """The collection of a line, with the design of its samples."""
        prepared = self.axis.prepare(self.work.collection, line.own)
        if self.beside is None:
            return prepared
        return self.beside.prepare(prepared, self.of_beside)

    @property
    def swept(self) -> tuple[Line, ...]:
        """The lines that are drawn; gain maps share what is drawn."""
        if self.by.name == GAINS:
            return self.lines[:1]
        return self.lines

    @property
    def _is_on_one_collection(self) -> bool:
        """Whether all lines are drawn on the collection of the work. Lines by a choice,
        such as of the method, may each have a design of their own, on which estimators
        give other scores.
        """
        return all(on is self.work.collection for on in self.drawn_on.values())

    def whole_of(self, line: Line) -> tuple[Any, ...]:
        """Cache key of everything on a line, in place of a level."""
        if self.beside or len(self.swept) == 1 or self._is_on_one_collection:
            return (ALL,)
        return (ALL, line.name)

    def level_of(self, line: Line, level: Any) -> tuple[Any, ...]:
        """Cache key of a level on a line."""
        if at_whole(self.axis, level, self.beside, line):
            return self.whole_of(line)
        if self.by.name == GAINS:
            return ("", GAINS, level)
        return (line.name, self.by.name, level)

    def _make_plan(self) -> Plan:
        params, axis = self.params, self.axis
        places = product(self.swept, self.levels)
        wholes = {self.whole_of(line): line for line in self.swept}
        every = {self.level_of(line, level): (line, level) for line, level in places}
        keys = {key: place for key, place in every.items() if key not in wholes}
        random = self.beside is not None and self.beside.random(self.of_beside)
        alike = {key for key, (line, _) in keys.items() if not (random or axis.random(line.own))}
        on = {key: self.drawn_on[line] for key, (line, _) in keys.items()}
        on |= {key: self.drawn_on[line] for key, line in wholes.items()}

        def drawn(number: int, wanted: Sequence[Any]) -> list[Drawn]:
            trial = Trial(self.work.collection, params.seed, number, self.work.team)
            by_line = defaultdict[Line, list[Any]](list)
            places = pick(keys, wanted)
            for line, level in places:
                by_line[line].append(level)
            return pick(draw_lines(trial, axis, self.beside, self.of_beside, by_line), places)

        collection = self.work.collection
        of_scores = [one for one in self.readings if one.measured]
        of_grades = [one for one in self.readings if not one.measured]
        return Plan(
            levels={key: self._weight(level) for key, (_, level) in keys.items()},
            trials=params.trials,
            drawn=drawn,
            readings={one.key(params): _bound(one, params) for one in of_scores},
            of_grades={one.key(params): _bound_to(one, collection, params) for one in of_grades},
            whole=Drawn(collection.grade),
            wholes=tuple(wholes),
            alike=alike,
            gains=self.gains,
            keeps_scores=True,
            on=on.get,
        )

    def _weight(self, level: Any) -> float:
        """About which share of the judgments a level leaves."""
        if self.axis.shares:
            return level / ALL
        return 1.0

    def run(self) -> Curves:
        """Read what is missing, and gather the result."""
        sweep(self.work, self.plan)
        whole = {one.name: self._read_whole(one) for one in self.readings}
        here = {one.name: self._read(one) for one in self.readings}
        left = self._left()
        # Bompada et al. 2007 call everything what the two runs of a pair retrieved
        if self.params.sample_of == PAIR and self.params.tested:
            left = self._take_own_pools(whole, here)
        self._check_needs(whole)
        values: dict[str, np.ndarray] = {}
        full: dict[str, np.ndarray] = {}
        for one in self.params.statistics:
            seen = {**whole, **self._reference(one)}
            made = _columns(one.compute(seen, here, self.params))
            _check_own(one.name, made, values)
            values |= made
            on_everything = _columns(one.compute(seen, whole, self.params))
            full |= {name: of[..., 0, 0] for name, of in on_everything.items()}
        no_means = np.empty((len(self.work.measures), len(self.lines), 0))
        of_whole = whole.get(MEANS.name, no_means[:, :, None, None])
        no_tests = np.empty(0)
        return Curves(
            values=values,
            whole=full,
            means=here.get(MEANS.name, no_means),
            whole_means=of_whole[:, :, 0, 0],
            left=left,
            levels=self.levels,
            lines=self.lines,
            tested=here.get(APART.name, no_tests).shape[-1],
            collection=self.work.collection,
            team=self.work.team,
            measures=self.work.measures,
            params=self.params,
        )

    def _read_whole(self, one: Reading) -> np.ndarray:
        """What was read off everything [measure, line, 1, 1, ...], or [line, 1, 1,
        ...].
        """
        return self._gathered(one, lambda line: [(self.whole_of(line), 0)])

    def _read(self, one: Reading) -> np.ndarray:
        """What was read [measure, line, level, trial, ...], or [line, level, trial,
        ...].
        """
        found = self._gathered(one, self._places)
        at = 1 + one.measured
        shape = len(self.levels), self.params.trials
        return found.reshape(*found.shape[:at], *shape, *found.shape[at + 2 :])

    def _places(self, line: Line) -> list[Place]:
        """Where the samples of a line are in the cache, level by level."""
        found = (places_of(self.plan, self.level_of(line, level)) for level in self.levels)
        return [*chain.from_iterable(found)]

    def _gathered(self, one: Reading, places: Callable[[Line], list[Place]]) -> np.ndarray:
        """What was read at some places of each line, as [measure, line, place, 1, ...],
        without the measure if it does not differ by that.
        """
        key = one.key(self.params)

        def on_line(line: Line, *of_measure: Any) -> list[list[Any]]:
            return [[self.work.cache[key, *of_measure, *place]] for place in places(line)]

        if not one.measured:
            return np.array([*map(on_line, self.lines)])

        def by_measure(measure: Measure) -> list[list[list[Any]]]:
            return [on_line(line, line.gains, measure) for line in self.lines]

        return np.array([*map(by_measure, self.work.measures)])

    def _left(self) -> np.ndarray:
        """Realised shares [line, level, trial], in per cent; NaN where no judgments are
        removed.
        """
        shape = len(self.lines), len(self.levels), self.params.trials
        axes = filter(None, (self.axis, self.beside))
        if not any(axis.removes for axis in axes):
            return np.full(shape, np.nan)
        places = chain.from_iterable(map(self._places, self.lines))
        return np.reshape([self.work.cache[LEFT, *place] for place in places], shape)

    def _take_own_pools(
        self, whole: dict[str, np.ndarray], here: dict[str, np.ndarray]
    ) -> np.ndarray:
        """Replace which pairs differ by that on samples of their own pools; the realised
        share of these.
        """
        runs, alpha = len(self.work.collection.runs), self.params.alpha
        picked = self.params.picked(runs)
        if picked is None:
            picked = np.arange(count_pairs(runs))
        full, p, left = p_of_pairs(self.work, self.lines[0].own, self.levels, picked)
        whole[APART.name] = (full < alpha)[:, None, None, None]
        here[APART.name] = (p < alpha)[:, None]
        here[COMMON.name] = np.where(np.isfinite(p).any(axis=-1), LEAST, 0)[:, None]
        return left[None]

    def _check_needs(self, whole: dict[str, np.ndarray]) -> None:
        """Raise `ParamError` if there are too few runs or topics for what is watched."""
        if not self.params.needs.topics:
            return
        for measure, topics in zip(self.work.measures, whole[COMMON.name], strict=True):
            check_enough(f"{measure}: ", len(self.work.collection.runs), int(topics.min()))

    def _reference(self, one: Statistic) -> dict[str, np.ndarray]:
        """What replaces that read off everything, in its shape."""
        found = [
            one.reference(self.work.collection, self.params, line.gains) for line in self.lines
        ]
        return {
            name: np.stack([each[name] for each in found])[None, :, None, None] for name in found[0]
        }


def _check_own(statistic: str, made: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Raise `ParamError` if another statistic has other values in a column of the same
    name. Some share one, such as the topics that they are over.
    """
    for name in made.keys() & others.keys():
        if not np.array_equal(made[name], others[name], equal_nan=True):
            raise ParamError(
                f"watch: expected columns of different names, found {shorten(name)} of"
                f" {shorten(statistic)}, which another one has, too. Leave one out."
            )


def _columns(made: Any) -> dict[str, np.ndarray]:
    return {name: np.asarray(values) for name, values in made.items()}


def _bound(one: Reading, params: Params) -> Any:
    return lambda sample: one.read(sample, params)


def _bound_to(one: Reading, collection: Collection, params: Params) -> Any:
    return lambda drawn: one.read(OnGrades(collection, drawn), params)


@experiment(
    "curves",
    title="Curves",
    question="What happens as judgments disappear?",
    does="watch scores, orders and decisions as something disappears",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai & Kando 2008, Figs. 3-8, Tables 4-5, 7; Sakai 2007 (alternatives to bpref), Figs."
        " 1-3; Ahlgren & Grönqvist 2008, Figs. 5-8; Bompada et al. 2007, Figs. 1-3, Tables 3-5;"
        " Zobel 1998, pools of lesser depth and of fewer groups; Voorhees 2000, other assessors"
    ),
    stored=STORED,
    first={"trials": 1},
)
def curves(work: Work[Params]) -> Curves:
    """Takes something away, step by step and anew in each trial: judgments, depth of
    the pool, teams, topics, or the care of the judge. Every run is scored on what is
    left, and what the scores tell is compared with what they tell on everything.

    With lines by gain maps, measures that do not use grades are left out. Raises
    `ParamError` where none is left, and where there are too few runs or topics for what
    is watched.
    """
    if work.params.lines.name == GAINS:
        work = _graded(work)
    return CurvesJob(work).run()


def _graded(work: Work[Params]) -> Work[Params]:
    return replace(work, measures=with_parameter_or_refuse(work.measures, GAINS))


__all__ = ["Params", "curves"]
