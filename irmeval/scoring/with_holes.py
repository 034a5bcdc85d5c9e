"""What runs would score if their unjudged documents were judged: bounds, intervals over
drawn grades, and how often these hold.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.collection.shards import Sharded
from irmeval.core import parallel
from irmeval.metrics import Measure
from irmeval.scoring.filled import Filled, Holes
from irmeval.scoring.hole_bounds import bound_means
from irmeval.scoring.hole_grades import LEARNT, OWN_TOP, POOL, WINDOW, Learnt, Pool, Rows
from irmeval.scoring.scores import evaluate
from irmeval.scoring.selection import select_by_name
from irmeval.stats.means import mean_of_known

LEVEL = 0.95
"""Level of the intervals."""
CHECKED = 200
"""Draws of a run whose team is left out, at most."""
MANY = 0.1
"""Unjudged share of the top 10 from which a score is never shown without its
interval.
"""
Tick = Callable[[int], None]


class Drawing(NamedTuple):
    """How grades are drawn."""

    draws: int = 1000
    seed: int = 1
    depth: int | None = None
    """ranks down to which holes are given grades; by default the cut-off of the
    measure, or else the depth of the pool
    """
    grows: bool = True
    """whether ideal lists and R take up the relevant documents that are drawn"""
    prior: str = LEARNT

    def deepest(self, measure: Measure, pool: Pool) -> int:
        """Ranks down to which the holes of a measure are given grades."""
        return min(self.depth or measure.params.get("k") or pool.depth, NEAR)

    def reach(self, measure: Measure, pool: Pool) -> int:
        """Ranks down to which grades are learnt for a measure."""
        return max(self.deepest(measure, pool), pool.depth)


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
    holes have
    """
    topics: np.ndarray
    """float64 [3, measure, run, topic], mean, low and high of each topic"""
    depth: np.ndarray
    """int [measure], rank down to which holes are given grades: the cut-off, or the
    depth of the pool
    """
    holes: np.ndarray
    """int [measure, run], unjudged documents down to that rank"""
    unjudged: np.ndarray
    """float64 [run], unjudged share of the top 10"""
    new_kind: np.ndarray
    """bool [run], whether the run is unlike the teams that were learnt from"""


class Check(NamedTuple):
    """A run whose own documents were made holes, and its score once these have their
    grades again.
    """

    run: int
    kind: bool
    """whether its whole kind was left out, and not its team alone"""
    truth: np.ndarray
    raw: np.ndarray
    condensed: np.ndarray
    """float64 [measure], its score with those grades, without them, and on the
    condensed list
    """
    ends: np.ndarray
    """float64 [prior, 3, measure], mean, low and high, by each of `PRIORS`"""
    safe: np.ndarray
    right: np.ndarray
    """int [measure], runs of other teams from which it differs in 97.5% of the draws or
    more, and how many of these it is right about
    """


PRIORS = LEARNT, POOL, OWN_TOP
"""Those that are compared."""


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
    many: np.ndarray = (1 - MANY) * np.minimum(collection.length, WINDOW).reshape(runs, T).sum(
        axis=1
    ) > kept
    return many


Bounds = dict[tuple[int, Measure], tuple[float, float]]
"""(run, measure) -> lowest and highest mean, whatever grades the holes of the run
have.
"""


def with_holes(
    collection: Collection,
    measures: Sequence[Measure],
    values: np.ndarray,
    pool: Pool,
    learnt: dict[int, Learnt],
    how: Drawing,
    tick: Tick,
    bounds: Bounds | None = None,
) -> WithHoles:
    """Give the holes of each run grades, one run at a time, as if it alone were judged
    further.

    Parameters
    ----------
    values : float64 [measure, run, topic], scores on the judgments
    learnt : what is known of the grades of holes, by how deep they lie; empty if
        nothing is
    tick : called with 1 after each run
    bounds : those known, to which the others are added; they take most of the time, and
        depend on nothing that is drawn
    """
    bounds = {} if bounds is None else bounds
    M, R, T = values.shape
    topics = np.broadcast_to(values, (3, M, R, T)).copy()
    ends, holes = np.full((5, M, R), np.nan), np.zeros((M, R), int)
    unjudged, new_kind = np.zeros(R), np.zeros(R, bool)
    depth = np.array([how.deepest(measure, pool) for measure in measures], int)

    def one(run: int) -> None:
        unjudged[run] = _share_unjudged(pool, run)
        for m, measure in enumerate(measures):
            reach = how.reach(measure, pool)
            if reach in learnt:
                new_kind[run] = learnt[reach].is_new_kind(run, unjudged[run])
            rows = (
                _rows_to(pool, run, reach)
                if reach in learnt
                else pool.lists(np.array([run]), reach)
            )
            raw = values[m, run]
            own = rows.take(
                np.flatnonzero((pool.near.grade[rows.document] < 0) & (rows.rank <= depth[m]))
            )
            holes[m, run] = own.rank.size
            lists = Filled(collection, collection.grade, run, Holes(own.topic, own.rank))
            bounds[run, measure] = bounds.get((run, measure)) or bound_means(
                raw, lists, measure, grows=how.grows
            )
            ends[3:, m, run] = bounds[run, measure]
            if not holes[m, run]:
                ends[:3, m, run] = mean_of_known(raw)
            if reach not in learnt or not holes[m, run]:
                continue
            grades = learnt[reach].draw(
                own, how.draws, how.seed, new_kind=bool(new_kind[run]), prior=how.prior
            )
            scores = lists.scores(measure, grades, grows=how.grows)
            ends[:3, m, run] = _ends(_means(raw, lists, scores))
            # of long lists not all is tried
            ends[3, m, run] = min(ends[3, m, run], ends[1, m, run])
            ends[4, m, run] = max(ends[4, m, run], ends[2, m, run])
            topics[:, m, run, lists.topics] = _ends(scores)
        tick(1)

    parallel.map_threads(one, range(R))
    mean, low, high, bound_low, bound_high = ends
    return WithHoles(
        mean, low, high, bound_low, bound_high, topics, depth, holes, unjudged, new_kind
    )


def draw_pair(
    collection: Collection,
    measure: Measure,
    values: np.ndarray,
    pool: Pool,
    learnt: Learnt,
    how: Drawing,
    runs: tuple[int, int],
) -> np.ndarray:
    """Means of two runs over the topics of both if the holes of both are judged,
    float64 [draw, 2]. A document of both has one grade.
    """
    rows = [_rows_to(pool, run, how.deepest(measure, pool)) for run in runs]
    mine = [part.take(np.flatnonzero(pool.near.grade[part.document] < 0)) for part in rows]
    drawn = [
        learnt.draw(
            part,
            how.draws,
            how.seed,
            new_kind=learnt.is_new_kind(run, _share_unjudged(pool, run)),
            prior=how.prior,
        )
        for run, part in zip(runs, mine, strict=True)
    ]
    document = np.concatenate([part.document for part in mine])
    columns, first = np.unique(document, return_index=True)
    topic = pool.near.topic[columns]
    grades = np.concatenate(drawn, axis=1)[:, first]
    means = []
    scored = np.isfinite(values[list(runs)]).all(axis=0)
    for run, part in zip(runs, mine, strict=True):
        rank = np.zeros(columns.size, int)
        rank[np.searchsorted(columns, part.document)] = part.rank
        order = np.argsort(topic, kind="stable")
        lists = Filled(collection, collection.grade, run, Holes(topic[order], rank[order]))
        raw = np.where(scored, values[run], np.nan)
        means.append(_means(raw, lists, lists.scores(measure, grades[:, order], grows=how.grows)))
    return np.stack(means, axis=1)


def check_left_out(
    collection: Collection,
    measures: Sequence[Measure],
    values: np.ndarray,
    learnt: dict[int, Learnt],
    how: Drawing,
    tick: Tick,
) -> list[Check]:
    """Leave each team out in turn, and each kind if there are kinds; make holes of what
    it alone found, and predict its scores.

    Parameters
    ----------
    values : float64 [measure, run, topic], scores on all judgments
    """
    pool = next(iter(learnt.values())).pool
    parts = [(np.array([t]), False) for t in range(len(pool.names))]
    if pool.has_kinds:
        parts += [(np.flatnonzero(pool.kind == kind), True) for kind in dict.fromkeys(pool.kind)]
    how, means = how._replace(draws=min(how.draws, CHECKED)), mean_of_known(values)

    def leave_out(part: tuple[np.ndarray, bool]) -> list[Check]:
        teams, kind = part
        removed = pool.without(teams)
        runs = np.flatnonzero(np.isin(pool.team, teams))
        found = (
            _checks(collection, measures, means, learnt, how, (runs, removed, kind))
            if removed.any()
            else []
        )
        tick(1)
        return found

    return [check for found in parallel.map_threads(leave_out, parts) for check in found]


def _checks(
    collection: Collection,
    measures: Sequence[Measure],
    means: np.ndarray,
    learnt: dict[int, Learnt],
    how: Drawing,
    left_out: tuple[np.ndarray, np.ndarray, bool],
) -> list[Check]:
    """The checks of the runs of a team or kind, whose own documents, bool [document],
    are made holes.
    """
    runs, removed, kind = left_out
    pool = next(iter(learnt.values())).pool
    grades = collection.grade.copy()
    grades[pool.near.pooled[removed]] = -1
    some = select_by_name(collection, [collection.runs[r] for r in runs], collection.topics)
    both = [*dict.fromkeys([*measures, *(m.condensed for m in measures)])]
    scores = evaluate(some, both, grades=grades)
    others = np.setdiff1d(np.arange(len(collection.runs)), runs)
    checks = []
    for place, run in enumerate(runs.tolist()):
        made = [
            _check_measure(
                pool,
                learnt,
                how,
                run,
                (removed, grades, kind),
                m,
                scores.values[both.index(m), place],
            )
            for m in measures
        ]
        if not any(found is not None for found in made):
            continue
        nothing = np.full(len(PRIORS) * 3 + 1, np.nan)
        ends = np.array(
            [nothing if found is None else np.append(found[0].ravel(), found[1]) for found in made]
        )
        against = [means[m, others] for m in range(len(measures))]
        signs = [
            (0, 0) if f is None else _count_safe(f[2], f[1], rest)
            for f, rest in zip(made, against, strict=True)
        ]
        checks.append(
            Check(
                run=run,
                kind=kind,
                truth=ends[:, -1],
                raw=np.array([scores.means[both.index(m), place] for m in measures]),
                condensed=np.array(
                    [scores.means[both.index(m.condensed), place] for m in measures]
                ),
                ends=ends[:, :-1].reshape(len(measures), len(PRIORS), 3).transpose(1, 2, 0),
                safe=np.array([safe for safe, _ in signs]),
                right=np.array([right for _, right in signs]),
            )
        )
    return checks


def _check_measure(
    pool: Pool,
    learnt: dict[int, Learnt],
    how: Drawing,
    run: int,
    made: tuple[np.ndarray, np.ndarray, bool],
    measure: Measure,
    raw: np.ndarray,
) -> tuple[np.ndarray, float, np.ndarray] | None:
    """Ends by each prior [prior, 3], the truth, and the draws by what is learnt; None
    for a run without holes down to the cut-off.
    """
    removed, grades, kind = made
    reach, collection = how.reach(measure, pool), pool.collection
    teams = np.flatnonzero(pool.kind == pool.kind[pool.team[run]]) if kind else pool.team[[run]]
    rows = pool.rows(np.array([run]), reach, teams, removed)
    own = rows.take(
        np.flatnonzero(removed[rows.document] & (rows.rank <= how.deepest(measure, pool)))
    )
    if not own.rank.size:
        return None
    lists = Filled(collection, grades, run, Holes(own.topic, own.rank))
    known = pool.near.grade[own.document].astype(np.int8)[None]
    truth = float(_means(raw, lists, lists.scores(measure, known, grows=how.grows))[0])
    drawn = []
    for prior in PRIORS:
        grades = learnt[reach].draw(
            own, how.draws, how.seed, left_out=True, new_kind=kind, prior=prior
        )
        drawn.append(_means(raw, lists, lists.scores(measure, grades, grows=how.grows)))
    return np.array([_ends(each) for each in drawn]), truth, drawn[0]


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


def _share_unjudged(pool: Pool, run: int) -> float:
    """The unjudged share of the top of a run's lists."""
    near, own = pool.near, slice(*pool.bounds[run : run + 2])
    top = near.judgment_index[own][near.rank[own] <= WINDOW]
    return float((near.grade[top] < 0).mean()) if top.size else 0.0


def _rows_to(pool: Pool, run: int, reach: int) -> Rows:
    """The documents of a run down to a rank."""
    return pool.rows(np.array([run]), reach, pool.team[[run]])


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
