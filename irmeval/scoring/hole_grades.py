"""Which grades the unjudged documents of a list may have, learnt from judged documents
that one team alone found.

Those were judged because the team took part. Had it not, they would be unjudged like
the documents of a new run, but their grades are known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self
from zlib import crc32

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.text import count_noun
from irmeval.scoring.unjudged_near_top import NearTop, documents_near_top
from irmeval.stats.random_intercepts import (
    Evidence,
    Fit,
    fit_random_intercepts,
    left_out_folds,
    spread_of_new,
)

WINDOW = 10
"""Top ranks of a run that describe it by their judged documents."""
PRIOR = 5.0
"""A topic's share of relevant documents counts as that of all topics with so many
judged documents more.
"""
OWN = 2.0
"""The same for a run's share."""
FEWEST_TEAMS = 5
"""Teams with documents of their own from which anything is learnt."""
FEWEST = 20
"""Such documents."""
FOLDS = 20
"""Teams are left out one by one, or if there are more, in so many parts."""
FULLY = 0.95
"""Judged share of the top of a run that contributed to the pool."""
USUAL = 0.95
"""Share of the teams that are left out which have fewer holes than a run that is called
unlike them.
"""
BLOCK = 1 << 21
"""Documents times draws at once."""
LEARNT = "learnt"
"""Grades as learnt from teams that are left out,"""
POOL = "pool"
"""as of all judged documents of the topic,"""
OWN_TOP = "own"
"""or as of the judged documents in the run's own top."""


class Rows(NamedTuple):
    """Documents of some runs."""

    document: np.ndarray
    """int [n], as in `NearTop`"""
    run: np.ndarray
    rank: np.ndarray
    topic: np.ndarray
    """int [n]"""
    x: tuple[np.ndarray, ...]
    """per grade from 1 on, float64 [n, feature]: log of the rank, log of 1 + other
    teams that have it, judged share of the list's top, logits of the shares of
    documents with this grade among those with the grade below or more, of the topic and
    of the run's top
    """

    def take(self, which: np.ndarray) -> "Rows":
        """Some of the rows."""
        document, run, rank, topic = (column[which] for column in self[:4])
        return Rows(document, run, rank, topic, tuple(x[which] for x in self.x))

    def each_once(self, which: np.ndarray) -> "Rows":
        """Some of the rows, of each document that at its best rank, by document."""
        at = np.flatnonzero(which)
        at = at[np.lexsort((self.rank[at], self.document[at]))]
        return self.take(at[np.diff(self.document[at], prepend=-1) != 0])


@dataclass(frozen=True, eq=False)
class TeamPool:
    """The documents near the top of the lists, and the teams that found them. Made by
    `of`.
    """

    collection: Collection
    near: NearTop
    names: tuple[str, ...]
    """teams"""
    team: np.ndarray
    """int [run], the team of each"""
    kind: np.ndarray
    """object [team], the kind of each; without kinds each is its own"""
    has_kinds: bool
    depth: int
    """rank down to which runs contributed their documents"""

    @classmethod
    def of(
        cls,
        collection: Collection,
        team: Sequence[str],
        kind: Sequence[str] = (),
        depth: int | None = None,
    ) -> Self:
        """From the team and the kind of each run. `depth` is by default the deepest
        rank at which the tops of two runs are judged.
        """
        names, near = tuple(dict.fromkeys(team)), documents_near_top(collection)
        # that of the first run of a team
        kinds = dict(zip(reversed(team), reversed(kind or team), strict=True))
        return cls(
            collection,
            near,
            names,
            team=np.array([names.index(name) for name in team]),
            kind=np.array([kinds[name] for name in names], object),
            has_kinds=bool(kind),
            depth=depth or _found_depth(near, len(team)),
        )

    @cached_property
    def bounds(self) -> np.ndarray:
        """Where the documents of each run start, and the end, int [run + 1]."""
        return np.searchsorted(self.near.run, np.arange(len(self.team) + 1))

    @cached_property
    def at_least(self) -> np.ndarray:
        """Documents with a grade or more, int [grade, topic]."""
        topic, grade, T = self.collection.topic, self.collection.grade, len(self.collection.topics)
        return np.array([np.bincount(topic[grade >= g], minlength=T) for g in self.grades])

    @cached_property
    def found(self) -> np.ndarray:
        """Every team with every document that it has within the depth of the pool, each
        pair once [2, pair].
        """
        return self._pairs(self.depth)

    @cached_property
    def seen(self) -> np.ndarray:
        """The same near the top [2, pair]."""
        return self._pairs(NEAR)

    @property
    def grades(self) -> range:
        """All grades, from 0."""
        return range(self.collection.top_grade + 1)

    def _pairs(self, depth: int) -> np.ndarray:
        """Every team with every document that it has down to a rank, each pair once [2,
        pair].
        """
        shallow = self.near.rank <= depth
        team, document = self.team[self.near.run[shallow]], self.near.judgment_index[shallow]
        pairs = np.sort(team * self.near.topic.size + document)
        return np.array(np.divmod(pairs[np.diff(pairs, prepend=-1) > 0], self.near.topic.size))

    def count(self, pairs: np.ndarray, teams: np.ndarray | None = None) -> np.ndarray:
        """How many teams, or how many of some, have each document [document]."""
        of = (
            slice(None)
            if teams is None
            else np.concatenate([np.arange(*np.searchsorted(pairs[0], [t, t + 1])) for t in teams])
        )
        return np.bincount(pairs[1, of], minlength=self.near.topic.size)

    def without(self, teams: np.ndarray) -> np.ndarray:
        """Which judged documents only these teams found, bool [document]."""
        own = self.count(self.found, teams)
        return (own > 0) & (own == self.found_by) & (self.near.grade >= 0)

    @cached_property
    def found_by(self) -> np.ndarray:
        """How many teams have each document within the depth of the pool [document]."""
        return self.count(self.found)

    @cached_property
    def seen_by(self) -> np.ndarray:
        """How many teams have each document near the top [document]."""
        return self.count(self.seen)

    def lists(self, runs: np.ndarray, depth: int) -> Rows:
        """The documents of some runs down to a rank, without features."""
        near = self.near
        entry = np.concatenate([np.arange(*self.bounds[r : r + 2]) for r in runs])
        entry = entry[near.rank[entry] <= depth]
        document = near.judgment_index[entry]
        return Rows(document, near.run[entry], near.rank[entry], near.topic[document], ())

    def rows(
        self, runs: np.ndarray, depth: int, teams: np.ndarray, removed: np.ndarray | None = None
    ) -> Rows:
        """The same with their features, as they look without some teams, and where some
        documents, bool [document], are not judged.
        """
        near, T, found = self.near, len(self.collection.topics), self.lists(runs, depth)
        document, run, rank, topic, _ = found
        at_least, grade = self.at_least, near.grade
        if removed is not None:
            gone, grade = np.flatnonzero(removed), np.where(removed, -1, grade)
            at_least = at_least - np.array(
                [
                    np.bincount(near.topic[gone[near.grade[gone] >= g]], minlength=T)
                    for g in self.grades
                ]
            )
        grade, top, cell = grade[document], rank <= min(WINDOW, depth), run * T + topic

        def count(which: np.ndarray, by: np.ndarray) -> np.ndarray:
            return np.bincount(by[which & top], minlength=len(self.team) * T)[by]

        others = self.seen_by[document] - self.count(self.seen, teams)[document]
        judged = count(grade >= 0, cell) / np.maximum(count(rank > 0, cell), 1)
        x = []
        for g in self.grades[1:]:
            # half a document: a grade that nobody gave is rare, not impossible
            share = (at_least[g].sum() + 0.5) / (at_least[g - 1].sum() + 1)
            of_topic = (at_least[g] + PRIOR * share) / (at_least[g - 1] + PRIOR)
            of_run = (count(grade >= g, run) + OWN * share) / (count(grade >= g - 1, run) + OWN)
            # a share of 0 or 1 has no logit
            shares = np.clip([of_topic[topic], of_run], 1e-4, 1 - 1e-4)
            x.append(
                np.stack(
                    [np.log2(rank), np.log1p(others), judged, *np.log(shares / (1 - shares))],
                    axis=1,
                )
            )
        return found._replace(x=tuple(x))

    def runs_of(self, teams: np.ndarray) -> np.ndarray:
        """The runs of some teams."""
        return np.flatnonzero(np.isin(self.team, teams))

    def ranks_in(self, run: int, document: np.ndarray) -> np.ndarray:
        """The ranks of documents in a run, 0 where it does not have one near the top."""
        listed = self.lists(np.array([run]), NEAR)
        rank = np.zeros(self.near.topic.size, np.int64)
        rank[listed.document] = listed.rank
        return rank[document]


def _found_depth(near: NearTop, runs: int) -> int:
    """The deepest rank down to which the tops of at least two runs are judged, or of
    the only run; at least 1.
    """
    judged = (near.grade >= 0)[near.judgment_index]
    longest = int(near.rank.max(initial=1)) + 1
    cell = near.run * longest + near.rank
    seen, kept = (
        np.cumsum(np.bincount(cell, of, runs * longest).reshape(runs, -1), axis=1)
        for of in (None, judged)
    )
    share = np.sort(kept[:, 1:] / np.maximum(seen[:, 1:], 1), axis=0)[-min(2, runs)]
    deep = np.flatnonzero(share >= FULLY)
    return int(deep[-1]) + 1 if deep.size else 1


class Level(NamedTuple):
    """How probable a grade or more is, given the grade below."""

    fit: Fit
    left_out: dict[int, Fit]
    """team -> the fit without it"""
    evidence: dict[int, Evidence]
    """team -> what its own documents say of how far teams differ"""
    of_kinds: dict[int, Evidence]
    """team -> the same from a fit without all teams of its kind; empty without kinds"""
    fits_of_kinds: dict[int, Fit]

    def spread(self, team: int | None, new_kind: bool, has_kinds: bool) -> float:
        """Standard deviation of a new team's logits; `team` is left out. Kinds are
        taken to differ at least as much as teams do.
        """
        of_teams = _spread_without(self.evidence, team)
        if not new_kind:
            return of_teams
        of_kinds = _spread_without(self.of_kinds, team) if has_kinds else 0
        return max(of_teams * np.sqrt(2), of_kinds)


def _spread_without(evidence: dict[int, Evidence], team: int | None) -> float:
    """How far teams differ, by the evidence of all but one."""
    return spread_of_new([each for other, each in evidence.items() if other != team])


@dataclass(frozen=True, eq=False)
class Learnt:
    """The grades of documents that only one team found, by what is known of such a
    document without its judgment. Made by `of`.
    """

    pool: TeamPool
    depth: int
    rows: list[Rows]
    """per team, its own documents as if it had not taken part"""
    hole_share: np.ndarray
    """float64 [team], unjudged share of the top of its lists, had it not taken part"""
    teams: np.ndarray
    """int, the teams with own documents"""
    documents: int
    """own documents of all teams"""
    relevant: int
    """those of a grade above 0"""
    levels: list[Level | None]
    """per grade from 1 on"""

    @classmethod
    def of(cls, pool: TeamPool, depth: int) -> Self:
        """From the documents down to a rank. Raises `ParamError` if too few teams found
        documents of their own.
        """
        if not pool.collection.top_grade:
            raise ParamError("what-if: expected a judged relevant document, found none.")
        own = [_own(pool, depth, t) for t in range(len(pool.names))]
        rows = [of_team for of_team, _ in own]
        team = np.repeat(np.arange(len(rows)), [of_team.rank.size for of_team in rows])
        teams = np.unique(team)
        if teams.size < FEWEST_TEAMS or team.size < FEWEST:
            raise ParamError(
                f"what-if: expected at least {FEWEST_TEAMS} teams with {FEWEST} judged documents"
                f" that no other team found, found {count_noun(int(teams.size), 'team')} with"
                f" {team.size:,}."
            )
        grade = pool.near.grade[np.concatenate([of_team.document for of_team in rows])]
        x = [np.concatenate(parts) for parts in zip(*(of_team.x for of_team in rows), strict=True)]
        # documents at the top change scores most
        weight = 1 / np.concatenate([of_team.rank for of_team in rows])
        levels = []
        for g in pool.grades[1:]:
            # the step to a grade is learnt from the documents with at least the grade below
            told = grade >= g - 1
            learnt = _level(pool, x[g - 1][told], (grade >= g)[told], team[told], weight[told])
            levels.append(learnt)
        shares = np.array([share for _, share in own])
        return cls(
            pool,
            depth,
            rows,
            shares,
            teams,
            documents=team.size,
            relevant=int((grade > 0).sum()),
            levels=levels,
        )

    def is_new_kind(self, run: int, holes: float) -> bool:
        """Whether a run is of a kind that no other team with own documents is of;
        without kinds, whether it has more holes in its top, as a share, than most of
        the teams had without their own documents.
        """
        pool, team = self.pool, self.pool.team[run]
        if pool.has_kinds:
            return not any(
                pool.kind[t] == pool.kind[team] for t in self.teams.tolist() if t != team
            )
        return holes > float(np.quantile(self.hole_share[self.teams], USUAL))

    def draw(
        self,
        rows: Rows,
        draws: int,
        seed: int,
        *,
        left_out: bool = False,
        new_kind: bool = False,
        prior: str = LEARNT,
    ) -> np.ndarray:
        """Grades of documents [draw, n], from the seed and the names of the runs.

        Parameters
        ----------
        left_out : whether to learn without the team of the runs
        new_kind : whether the runs are of a kind that no other team is of; with
            `left_out`, learn without that kind
        prior : `LEARNT`, `POOL` or `OWN_TOP`
        """
        pool, made = self.pool, np.zeros((draws, rows.rank.size), np.int8)
        for run in np.unique(rows.run).tolist():
            at = np.flatnonzero(rows.run == run)
            team, uniform = int(pool.team[run]), _stream(seed, pool.collection.runs[run])
            # a team's own, since its runs are off together; t, as few teams tell the
            # spread
            away = _stream(seed, pool.names[team]).standard_t(len(self.teams) - 1, draws)
            # the same for all runs: what is unknown of the coefficients cancels in a
            # difference
            normal = _stream(seed, "").standard_normal(
                (len(self.levels), draws, 1 + rows.x[0].shape[1])
            )
            # draws times documents of a long list would not fit into memory at once
            step = max(1, BLOCK // max(at.size, 1))
            fits = [self._fit(level, team if left_out else None, new_kind) for level in self.levels]
            for first in range(0, draws, step):
                some = slice(first, min(first + step, draws))
                u, p = uniform.random((some.stop - first, at.size)), np.ones(1)
                for x, fit, z in zip(rows.x, fits, normal, strict=True):
                    if prior != LEARNT or fit is None:
                        p = p / (1 + np.exp(-x[at, -1 if prior == OWN_TOP else -2]))
                    else:
                        p = p * fit[0].draw(x[at], z[some], fit[1] * away[some])
                    made[some, at] += u < p
        return made

    def _fit(
        self, level: Level | None, team: int | None, new_kind: bool
    ) -> tuple[Fit, float] | None:
        if level is None:
            return None
        spread = level.spread(team, new_kind, self.pool.has_kinds)
        if team is None:
            return level.fit, spread
        without = level.fits_of_kinds if new_kind and self.pool.has_kinds else level.left_out
        return without.get(team, level.fit), spread


def _own(pool: TeamPool, depth: int, team: int) -> tuple[Rows, float]:
    """A team's own documents, each once at its best rank, and the unjudged share of its
    top without them.
    """
    parallel.check_cancelled()
    some = np.array([team])
    removed = pool.without(some)
    rows = pool.rows(pool.runs_of(some), depth, some, removed)
    own, top = removed[rows.document], rows.rank <= min(WINDOW, depth)
    share = float(((pool.near.grade[rows.document] < 0) | own)[top].mean()) if top.any() else 0.0
    return rows.each_once(own), share


def _level(
    pool: TeamPool, x: np.ndarray, y: np.ndarray, team: np.ndarray, weight: np.ndarray
) -> Level | None:
    """One regression, and those without some teams; None if no two teams have such
    documents. In how far teams differ, documents count by their `weight`.
    """
    groups, present = len(pool.names), np.unique(team)
    # of one team, what is its own cannot be told from what documents have in common
    if present.size < 2:
        return None
    fit = fit_random_intercepts(x, y, team, groups)

    def leave_out(parts: Sequence[np.ndarray]) -> tuple[dict[int, Fit], dict[int, Evidence]]:
        fits: dict[int, Fit] = {}
        evidence: dict[int, Evidence] = {}
        for part in parts:
            parallel.check_cancelled()
            out = np.isin(team, part)
            if out.all():
                continue
            # begun at the fit of all teams, which is close: most of the iterations are
            # saved
            less = fit_random_intercepts(x[~out], y[~out], team[~out], groups, like=fit)
            for t in part.tolist():
                fits[t] = less
                if (own := team == t).any():
                    evidence[t] = Evidence.of(less.logits(x[own]), y[own], weight[own])
        return fits, evidence

    kinds = (
        [np.flatnonzero(pool.kind == kind) for kind in dict.fromkeys(pool.kind)]
        if pool.has_kinds
        else []
    )
    fits, evidence = leave_out(left_out_folds(np.arange(groups), FOLDS))
    of_kinds = leave_out(kinds)
    return Level(fit, fits, evidence, of_kinds[1], of_kinds[0])


def _stream(seed: int, name: str) -> "np.random.Generator":
    """Random numbers that belong to a name."""
    return np.random.default_rng((seed, crc32(name.encode())))
