"""What runs would score if their unjudged documents were judged: bounds, intervals over
drawn grades, and how often these hold.
"""

import warnings
from collections import ChainMap
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.collection.shards import Sharded
from irmeval.core import parallel
from irmeval.metrics import Measure
from irmeval.scoring.filled import Filled, HolePlaces, holes_of
from irmeval.scoring.hole_bounds import bound_means
from irmeval.scoring.hole_grades import LEARNT, OWN_TOP, POOL, WINDOW, Learnt, Rows, TeamPool
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import select_by_name
from irmeval.stats.intervals import LEVEL
from irmeval.stats.means import mean_of_known

CHECKED = 200
"""Draws of a run whose team is left out, at most."""
MANY = 0.1
"""Unjudged share of the top 10 from which a score is never shown without its
interval.
"""
PRIORS = LEARNT, POOL, OWN_TOP
"""Sources of grades that are compared."""
Tick = Callable[[int], None]


class GradeSource(NamedTuple):
    """What the grades of holes are drawn from."""

    pool: TeamPool
    learnt: dict[int, Learnt]
    """by how deep the holes lie; empty if nothing can be learnt"""
    why: str = ""
    """why nothing can be learnt; empty if something can"""

    def of(self, measure: Measure, how: "Drawing") -> Learnt:
        """What the holes of a measure are drawn from."""
        return self.learnt[how.reach(measure, self.pool)]

    def is_new_kind(self, measure: Measure, run: int, how: "Drawing") -> bool:
        """Whether a run is unlike the teams that were learnt from."""
        share = _share_unjudged(self.pool, run)
        return bool(self.learnt) and self.of(measure, how).is_new_kind(run, share)


class Drawing(NamedTuple):
    """How grades are drawn."""

    draws: int = 1000
    seed: int = 1
    depth: int | None = None
    """ranks down to which holes are given grades; by default the cut-off of the
    measure, or else the depth of the pool, below which nothing can be learnt
    """
    grows: bool = True
    """whether ideal lists and R take up the relevant documents that are drawn"""
    prior: str = LEARNT

    def deepest(self, measure: Measure, pool: TeamPool) -> int:
        """Ranks down to which the holes of a measure are given grades."""
        return min(self.depth or measure.params.get("k") or pool.depth, NEAR)

    def reach(self, measure: Measure, pool: TeamPool) -> int:
        """Ranks down to which grades are learnt for a measure."""
        return max(self.deepest(measure, pool), pool.depth)

    def judged_to(self, measure: Measure, pool: TeamPool) -> int:
        """Ranks down to which the documents of a team are given grades: what is below
        the cut-off of a measure may be in its ideal list.
        """
        return min(self.depth or self.reach(measure, pool), NEAR)

    def bounded_to(self, measure: Measure) -> int:
        """Ranks down to which bounds allow the holes any grade; 0 for whole lists."""
        return self.depth or measure.params.get("k") or 0


class Bounds(NamedTuple):
    """Bounds of the mean score of a run."""

    low: float
    high: float
    holes: int
    """unjudged documents that they allow any grade"""


KnownBounds = dict[tuple[int, Measure], Bounds]
"""By run and measure."""


class WithHoles(NamedTuple):
    """Scores of runs with grades for their holes."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    """float64 [measure, run], mean of the draws' means over topics, and ends of their
    95% interval; NaN if nothing can be learnt
    """
    bound_low: np.ndarray
    bound_high: np.ndarray
    """float64 [measure, run], the lowest and the highest mean, whatever grades the
    holes have; NaN if nothing bounds it
    """
    topics: np.ndarray
    """float64 [3, measure, run, topic], mean, low and high of each topic"""
    depth: np.ndarray
    """int [measure], rank down to which holes are given grades: the cut-off, or the
    depth of the pool
    """
    holes: np.ndarray
    """int [measure, run], unjudged documents down to that rank"""
    bounded_to: np.ndarray
    """int [measure], rank down to which bounds allow any grade: the cut-off, or 0 for
    whole lists
    """
    bounded: np.ndarray
    """int [measure, run], unjudged documents down to that rank"""
    unjudged: np.ndarray
    """float64 [run], unjudged share of the top 10"""
    new_kind: np.ndarray
    """bool [run], whether the run is unlike the teams that were learnt from"""


class LeftOutRun(NamedTuple):
    """A run whose own documents were made holes, and its score once these have their
    grades again.
    """

    run: int
    left_out: str
    """the team or the kind"""
    kind: bool
    """whether its whole kind was left out, and not its team alone"""
    truth: np.ndarray
    raw: np.ndarray
    condensed: np.ndarray
    """float64 [measure], its score on all judgments, on those without what the team or
    kind alone found, and on the condensed list; the first is NaN if the run has none of
    those documents
    """
    ends: np.ndarray
    """float64 [prior, 3, measure], mean, low and high, by each of `PRIORS`"""
    safe: np.ndarray
    right: np.ndarray
    """int [measure], runs of other teams from which it differs in 97.5% of the draws or
    more, and how many of these it is right about
    """


class _Part(NamedTuple):
    """What is left out at once."""

    name: str
    """of the team or kind"""
    teams: np.ndarray
    """int [team]"""
    kind: bool


class _Removed(NamedTuple):
    """A run without what its team or kind alone found."""

    run: int
    grades: np.ndarray
    """int [judgment], those that are left"""
    drawn: "list[_Holes]"
    """grades for what was removed, by each of `PRIORS`"""


class _Holes(NamedTuple):
    """Unjudged documents of a team, or of a kind, each once, and grades for them.

    A team that is judged further is judged as a whole: what another of its runs found
    is part of R and of the ideal list, and a document of several runs has one grade.
    """

    topic: np.ndarray
    """int [hole], ascending"""
    document: np.ndarray
    """int [hole]"""
    grades: np.ndarray
    """int [draw, hole]"""

    def places(self, pool: TeamPool, run: int) -> HolePlaces:
        """Where they are in the list of a run."""
        return HolePlaces(self.topic, pool.ranks_in(run, self.document))


class _OfMeasure(NamedTuple):
    """A run's scores by one measure with grades for its holes."""

    ends: np.ndarray
    """float64 [5], as the first fields of `WithHoles`"""
    topics: np.ndarray
    """float64 [3, topic]"""
    holes: int
    bounded: int


def have_many_holes(collection: Collection) -> np.ndarray:
    """Whether more than a tenth of the top 10 of each run is unjudged, so that its
    score must not stand alone, bool [run].
    """
    runs, T = len(collection.runs), len(collection.topics)
    # lists are elsewhere; the unjudged were not drawn, and have estimators
    if isinstance(collection, Sharded) or collection.design:
        return np.zeros(runs, bool)
    judged = (collection.grade[collection.judgment_index] >= 0) & (collection.rank <= WINDOW)
    kept = np.diff(np.append(0, np.cumsum(judged))[collection.start[::T]])
    retrieved = np.minimum(collection.length, WINDOW).reshape(runs, T).sum(axis=1)
    many: np.ndarray = (1 - MANY) * retrieved > kept
    return many


def _by_measure(found: Sequence[Sequence["_OfMeasure"]], name: str) -> np.ndarray:
    """A field of every run and measure, as [measure, run, ...]."""
    fields = [[getattr(of_measure, name) for of_measure in of_run] for of_run in found]
    return np.array(fields).swapaxes(0, 1)


def with_holes(
    source: GradeSource,
    measures: Sequence[Measure],
    values: np.ndarray,
    how: Drawing,
    tick: Tick,
    bounds: KnownBounds | None = None,
) -> WithHoles:
    """Give the holes of each run grades, one team at a time, as if it alone were judged
    further.

    Parameters
    ----------
    values : float64 [measure, run, topic], scores on the judgments
    tick : called with 1 after each run
    bounds : those known, to which the others are added; they take most of the time, and
        depend on nothing that is drawn
    """
    known = {} if bounds is None else bounds
    pool, runs = source.pool, range(len(source.pool.team))
    new_kind = np.array([source.is_new_kind(measures[-1], run, how) for run in runs])

    def of_team(team: int) -> dict[int, list[_OfMeasure]]:
        """The runs of a team share its draws."""
        # a document that two of its runs found has one grade
        draw = cache(partial(_draw_team, source, how, team))
        return {run: of_run(run, draw) for run in pool.runs_of(np.array([team])).tolist()}

    def of_run(run: int, draw: Callable[[Measure, bool], _Holes]) -> list[_OfMeasure]:
        found = []
        for measure, raw in zip(measures, values[:, run], strict=True):
            # bounds take most of the time, and stay the same under another seed or prior
            if (run, measure) not in known:
                known[run, measure] = _bound(pool.collection, measure, raw, run, how)
            drawn = partial(draw, measure, bool(new_kind[run]))
            found.append(_fill(source, measure, raw, run, how, known[run, measure], drawn))
        tick(1)
        return found

    by_run = ChainMap(*parallel.map_threads(of_team, range(len(pool.names))))
    found = [by_run[run] for run in runs]
    by_measure = partial(_by_measure, found)
    mean, low, high, bound_low, bound_high = np.moveaxis(by_measure("ends"), -1, 0)
    return WithHoles(
        mean,
        low,
        high,
        bound_low,
        bound_high,
        topics=np.moveaxis(by_measure("topics"), 2, 0),
        depth=np.array([how.deepest(measure, pool) for measure in measures], int),
        holes=by_measure("holes"),
        bounded_to=np.array([how.bounded_to(measure) for measure in measures], int),
        bounded=by_measure("bounded"),
        unjudged=np.array([_share_unjudged(pool, run) for run in runs]),
        new_kind=new_kind,
    )


def _bound(
    collection: Collection, measure: Measure, raw: np.ndarray, run: int, how: Drawing
) -> Bounds:
    """Bounds of the mean score of a run, whose scores on the judgments are `raw`."""
    holes = holes_of(collection, run, how.bounded_to(measure))
    lists = Filled(collection, collection.grade, run, holes)
    return Bounds(*bound_means(raw, lists, measure, grows=how.grows), holes.rank.size)


def _fill(
    source: GradeSource,
    measure: Measure,
    raw: np.ndarray,
    run: int,
    how: Drawing,
    bounds: Bounds,
    drawn: Callable[[], _Holes],
) -> _OfMeasure:
    """Scores of a run, `raw` on the judgments, with the grades that are `drawn` for the
    holes of its team.
    """
    pool, depth = source.pool, how.deepest(measure, source.pool)
    ends = np.array([*[mean_of_known(raw)] * 3, bounds.low, bounds.high])
    topics = np.tile(raw, (3, 1))
    number = holes_of(pool.collection, run, depth).rank.size
    if not number:
        return _OfMeasure(ends, topics, 0, bounds.holes)
    if not source.learnt:
        ends[:3] = np.nan
        return _OfMeasure(ends, topics, number, bounds.holes)
    holes = drawn()
    lists = Filled(pool.collection, pool.collection.grade, run, holes.places(pool, run))
    scores = lists.scores(measure, holes.grades, grows=how.grows)
    ends[:3] = _ends(_means(raw, lists, scores))
    topics[:, lists.topics] = _ends(scores)
    # deeper holes stay unjudged there, which counts less than nonrelevant on a condensed list
    ends[3:] = np.fmin(bounds.low, ends[1]), np.fmax(bounds.high, ends[2])
    return _OfMeasure(ends, topics, number, bounds.holes)


def _draw_team(
    source: GradeSource, how: Drawing, team: int, measure: Measure, new_kind: bool
) -> _Holes:
    """Grades for the holes of a team's runs."""
    pool, teams = source.pool, np.array([team])
    rows = pool.rows(pool.runs_of(teams), how.reach(measure, pool), teams)
    unjudged = pool.near.grade[rows.document] < 0
    holes = _by_topic(rows, unjudged & (rows.rank <= how.judged_to(measure, pool)))
    grades = source.of(measure, how).draw(
        holes, how.draws, how.seed, new_kind=new_kind, prior=how.prior
    )
    return _Holes(holes.topic, holes.document, grades)


def _by_topic(rows: Rows, which: np.ndarray) -> Rows:
    """Some documents, each at its best rank, by topic."""
    found = rows.each_once(which)
    return found.take(np.argsort(found.topic, kind="stable"))


def draw_pair(
    source: GradeSource,
    measure: Measure,
    values: np.ndarray,
    how: Drawing,
    runs: tuple[int, int],
) -> np.ndarray:
    """Means of two runs over the topics of both if the holes of both are judged,
    float64 [draw, 2]. A document of both has one grade.

    Parameters
    ----------
    values : float64 [run, topic], scores of all runs on the judgments
    """
    pool = source.pool
    holes = _both([_draw_team_of(source, how, measure, run) for run in runs], pool)
    # a difference is taken on the topics that both have a score on
    scored = np.isfinite(values[list(runs)]).all(axis=0)
    means = []
    for run in runs:
        lists = Filled(pool.collection, pool.collection.grade, run, holes.places(pool, run))
        raw = np.where(scored, values[run], np.nan)
        means.append(_means(raw, lists, lists.scores(measure, holes.grades, grows=how.grows)))
    return np.stack(means, axis=1)


def _draw_team_of(source: GradeSource, how: Drawing, measure: Measure, run: int) -> _Holes:
    """Grades for the holes of the team of a run, as in the run's own score."""
    new_kind = source.is_new_kind(measure, run, how)
    return _draw_team(source, how, int(source.pool.team[run]), measure, new_kind)


def _both(parts: Sequence[_Holes], pool: TeamPool) -> _Holes:
    """The holes of two teams; one that both have has the grade of the first."""
    document, first = np.unique(
        np.concatenate([part.document for part in parts]), return_index=True
    )
    order = np.argsort(pool.near.topic[document], kind="stable")
    grades = np.concatenate([part.grades for part in parts], axis=1)
    topic = pool.near.topic[document][order]
    return _Holes(topic, document[order], grades[:, first[order]])


def check_left_out(
    source: GradeSource,
    measures: Sequence[Measure],
    values: np.ndarray,
    how: Drawing,
    tick: Tick,
) -> list[LeftOutRun]:
    """Leave each team out in turn, and each kind if there are kinds; make holes of what
    it alone found, and predict its runs' scores on all judgments.

    Parameters
    ----------
    values : float64 [measure, run, topic], scores on all judgments
    """
    pool = source.pool
    parts = [_Part(name, np.array([t]), False) for t, name in enumerate(pool.names)]
    if pool.has_kinds:
        kinds = dict.fromkeys(pool.kind)
        parts += [_Part(kind, np.flatnonzero(pool.kind == kind), True) for kind in kinds]
    # how often intervals hold needs many runs, not many draws of each
    few, means = how._replace(draws=min(how.draws, CHECKED)), mean_of_known(values)

    def leave_out(part: _Part) -> list[LeftOutRun]:
        found = _checks(source, measures, means, few, part)
        tick(1)
        return found

    return [check for found in parallel.map_threads(leave_out, parts) for check in found]


def _checks(
    source: GradeSource,
    measures: Sequence[Measure],
    means: np.ndarray,
    how: Drawing,
    part: _Part,
) -> list[LeftOutRun]:
    """The checks of the runs of a team or kind whose own documents are made holes;
    `means` are those on all judgments [measure, run].
    """
    pool = source.pool
    removed = pool.without(part.teams)
    if not removed.any():
        return []
    grades = pool.collection.grade.copy()
    # as if the team had stayed away: nobody would have judged them
    grades[pool.near.pooled[removed]] = -1
    runs = np.flatnonzero(np.isin(pool.team, part.teams))
    names = [pool.collection.runs[run] for run in runs]
    some = select_by_name(pool.collection, names, pool.collection.topics)
    primes = [measure.condensed for measure in measures]
    left = evaluate(some, [*dict.fromkeys([*measures, *primes])], grades=grades)
    drawn = {
        (measure, team): _draw_removed(source, measure, how, part, removed, team)
        for measure in measures
        for team in part.teams.tolist()
    }
    others = np.delete(means, runs, axis=1)
    checks = []
    for place, run in enumerate(runs.tolist()):
        predicted = [
            _predict(
                source, measure, raw, how, _Removed(run, grades, drawn[measure, pool.team[run]])
            )
            for measure, raw in zip(measures, left.values[: len(measures), place], strict=True)
        ]
        if all(each is None for each in predicted):
            continue
        ends, truth, safe, right = _compare_drawn(predicted, means[:, run], others)
        checks.append(
            LeftOutRun(
                run,
                part.name,
                part.kind,
                truth,
                raw=left.means[: len(measures), place],
                condensed=left.means[[left.measures.index(m) for m in primes], place],
                ends=ends,
                safe=safe,
                right=right,
            )
        )
    return checks


def _draw_removed(
    source: GradeSource,
    measure: Measure,
    how: Drawing,
    part: _Part,
    removed: np.ndarray,
    team: int,
) -> list[_Holes]:
    """Grades for those documents of a team that were made holes as it, or its kind, was
    left out; by each of `PRIORS`.
    """
    pool = source.pool
    runs = pool.runs_of(np.array([team]))
    rows = pool.rows(runs, how.reach(measure, pool), part.teams, removed)
    deepest = how.judged_to(measure, pool)
    holes = _by_topic(rows, removed[rows.document] & (rows.rank <= deepest))
    learnt = source.of(measure, how)
    return [
        _Holes(
            holes.topic,
            holes.document,
            learnt.draw(holes, how.draws, how.seed, left_out=True, new_kind=part.kind, prior=prior),
        )
        for prior in PRIORS
    ]


def _compare_drawn(
    drawn: Sequence[np.ndarray | None], means: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """`ends`, `truth`, `safe` and `right` of a `LeftOutRun` of a run, from what was drawn by
    each measure [prior, draw], None where the run has no holes.

    Parameters
    ----------
    means, others : float64 [measure] and [measure, run], means on all judgments of the
        run, and of the runs of other teams
    """
    ends, truth = np.full((len(PRIORS), 3, len(drawn)), np.nan), np.full(len(drawn), np.nan)
    safe, right = np.zeros((2, len(drawn)), int)
    for m, of_priors in enumerate(drawn):
        if of_priors is not None:
            truth[m] = means[m]
            ends[:, :, m] = [_ends(each) for each in of_priors]
            safe[m], right[m] = _count_safe(of_priors[0], truth[m], others[m])
    return ends, truth, safe, right


def _predict(
    source: GradeSource, measure: Measure, raw: np.ndarray, how: Drawing, left: _Removed
) -> np.ndarray | None:
    """Means of a run with grades drawn for the documents that were made holes, float64
    [prior, draw]; None for a run without such down to the cut-off.
    """
    pool = source.pool
    places = left.drawn[0].places(pool, left.run)
    if not ((places.rank > 0) & (places.rank <= how.deepest(measure, pool))).any():
        return None
    lists = Filled(pool.collection, left.grades, left.run, places)
    return np.array(
        [
            _means(raw, lists, lists.scores(measure, holes.grades, grows=how.grows))
            for holes in left.drawn
        ]
    )


def _count_safe(draws: np.ndarray, truth: float, others: np.ndarray) -> tuple[int, int]:
    """From how many other means the draws differ safely, and how often the truth lies
    on that side.
    """
    above = (draws[:, None] > others).mean(axis=0)
    below = (draws[:, None] < others).mean(axis=0)
    tail = 1 - (1 - LEVEL) / 2
    up, down = above >= tail, below >= tail
    return int((up | down).sum()), int(
        (up & (truth > others)).sum() + (down & (truth < others)).sum()
    )


def _share_unjudged(pool: TeamPool, run: int) -> float:
    """The unjudged share of the top of a run's lists."""
    near, own = pool.near, slice(*pool.bounds[run : run + 2])
    top = near.judgment_index[own][near.rank[own] <= WINDOW]
    return float((near.grade[top] < 0).mean()) if top.size else 0.0


def _means(raw: np.ndarray, lists: Filled, scores: np.ndarray) -> np.ndarray:
    """Means over all topics [set], of which those with holes have the scores [set,
    topic with holes].
    """
    all_topics = np.tile(raw, (len(scores), 1))
    all_topics[:, lists.topics] = scores
    return mean_of_known(all_topics)


def _ends(drawn: np.ndarray) -> np.ndarray:
    """Mean, low and high of draws [draw, ...]."""
    tail = (1 - LEVEL) / 2
    if np.isnan(drawn).any():
        # a topic without a score in any draw
        with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
            low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    else:
        low, high = np.quantile(drawn, [tail, 1 - tail], axis=0)
    return np.array([mean_of_known(drawn.T), low, high])
