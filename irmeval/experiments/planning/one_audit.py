"""One judge, compared with the reference by one measure: what the audit of judges
computes for each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_few, shorten
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.reading.score_matrix import Matrix
from irmeval.scoring.reranked import Ceiling, rerank, score_ideal_lists
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.means import mean_of_known, rank_scores
from irmeval.stats.mixtures import DecisionCounts, GroupGains, compare_groups
from irmeval.stats.ranking_by_judge import (
    Enough,
    Winner,
    decide,
    find_enough,
    find_top,
    find_winner,
    tau_intervals,
)

TOPS = (5, 10, 20)
"""How many of the reference's best runs are looked at, besides all."""
SHARES = (0, 5, 10, 20, 30, 40, 50, 70, 100)
"""Shares of the topics that the reference judges, in per cent."""
CLOSE = 20
"""Up to so many of the best runs, the curve has a value for each number of runs."""


class Judged(NamedTuple):
    """The scores that a judge gave."""

    name: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: np.ndarray
    """float64 [measure, run, topic], NaN for no score"""

    def scores(self, m: int, runs: Sequence[str], topics: Sequence[str]) -> np.ndarray:
        """Those by a measure of some runs on some topics [run, topic]."""
        places = np.ix_([*map(self.runs.index, runs)], [*map(self.topics.index, topics)])
        found: np.ndarray = self.values[m][places]
        return found


class Favoured(NamedTuple):
    """Groups of runs, such as teams, and the places that their runs gain by a judge."""

    names: tuple[str, ...]
    group: np.ndarray
    """int [run], -1 for a run of none"""
    gains: GroupGains


class Circle(NamedTuple):
    """Each run's list in order of a judge's grades, and the best that such an order can
    be.
    """

    judge: np.ndarray
    reference: np.ndarray
    """float64 [run], mean scores of the re-ranked runs by the judge and by the
    reference
    """
    ceiling: tuple[float, float, float]
    """the reference's mean score of the judge's ideal list: over random orders of ties,
    in their worst order, in their best
    """


@dataclass(frozen=True, eq=False)
class JudgeAudit:
    """A judge against the reference, on the runs and topics that both scored. The last
    of `tops` is for all runs.
    """

    judge: str
    measure: str
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    means: np.ndarray
    """float64 [2, run], by the reference and by the judge"""
    tops: tuple[int, ...]
    ks: tuple[int, ...]
    """numbers of runs at which the curve has a value; `tops` are among them"""
    curve: np.ndarray
    """float64 [k, 3], tau-b among the reference's k best runs, with its interval over
    topics
    """
    tau_ap: np.ndarray
    """float64 [3], of all runs, the reference's order taken as right"""
    decisions: tuple[tuple[DecisionCounts, DecisionCounts], ...]
    """per `tops`, alone and at once; the reference is the first judge"""
    winner: Winner | None
    """None where the judge gives all runs the same mean"""
    teams: Favoured
    kinds: Favoured | None
    circle: Circle | None
    enough: Enough
    lone: tuple[str, ...]
    """runs that only one of the two scored"""
    dropped: int
    """topics that are left out, as one of the two lacks a score there"""
    ends: tuple[float, float]
    """the lowest and the highest score"""

    @property
    def gained(self) -> np.ndarray:
        """Places that each run gains by the judge, int [run]."""
        reference, judge = rank_scores(self.means)
        return reference - judge

    def tau(self, k: int) -> np.ndarray:
        """Tau-b among the k best runs, with its interval [3]."""
        found: np.ndarray = self.curve[self.ks.index(k)]
        return found


def scores_of(work: Work[Any]) -> tuple[list[Judged], tuple[str, ...]]:
    """The scores that each judge gave, the reference first, and the names of the
    measures; of files of scores the name is empty.
    """
    source = work.data
    if isinstance(source, Matrix):
        matrices = (source, *source.others)
        return [
            Judged(each.judge, each.runs, each.topics, each.values[None]) for each in matrices
        ], ("",)
    scores = [(name, evaluate(source.judged_by(name), work.measures)) for name in source.judges]
    return [Judged(name, found.runs, found.topics, found.values) for name, found in scores], tuple(
        map(str, work.measures)
    )


def share_runs_and_topics(
    reference: Judged, judge: Judged, m: int, only: tuple[str, ...]
) -> tuple[np.ndarray, list[str], list[str]]:
    """Scores [2, run, topic] by a measure of the runs that both scored, on the topics
    where both have a score of each.

    Raises `ParamError` for fewer than two runs or topics.
    """
    both = f"{reference.name} and {judge.name}"
    shared = {*reference.runs} & {*judge.runs}
    runs = [run for run in only or reference.runs if run in shared]
    if len(runs) < 2:
        raise _too_few("runs", both, runs, {each.name: each.runs for each in (reference, judge)})
    topics = [topic for topic in reference.topics if topic in {*judge.topics}]
    if len(topics) < 2:
        given = {each.name: each.topics for each in (reference, judge)}
        raise _too_few("topics", both, topics, given)
    values = np.stack([each.scores(m, runs, topics) for each in (reference, judge)])
    known = np.isfinite(values).all(axis=0)
    # means over unlike topics would order runs by their topics
    kept = known.all(axis=0)
    if np.count_nonzero(kept) < 2:
        raise ParamError(
            f"audit: expected at least 2 topics on which {both} scored every run, found"
            f" {np.count_nonzero(kept)} of {len(topics)}.{_name_worst(runs, known)}"
        )
    return values[..., kept], runs, [*compress(topics, kept)]


def _too_few(
    what: str, both: str, found: Sequence[str], given: Mapping[str, Sequence[str]]
) -> ParamError:
    """Fewer than two runs or topics are shared; `given` has those of each judge."""
    had = "; ".join(f"{name} has {list_few([*names], 3)}" for name, names in given.items())
    return ParamError(
        f"audit: expected at least 2 {what} that {both} scored, found {len(found)}. {had}."
    )


def _name_worst(runs: Sequence[str], known: np.ndarray) -> str:
    """Advice to leave out the run with the fewest known scores [run, topic]; empty where
    none is known.
    """
    if not known.any():
        return ""
    scored = known.sum(axis=1)
    worst = int(np.argmin(scored))
    topics = count_noun(int(scored[worst]), "topic")
    return f" {shorten(runs[worst])} has {topics}: leave it out."


class InCommon(NamedTuple):
    """Judges on the runs and topics that all of them and the reference have scored."""

    topics: int
    taus: dict[str, float]
    """judge -> tau-b among the reference's best runs; empty for too few runs or
    topics
    """


def compare_judges(
    reference: Judged, judges: Sequence[Judged], m: int, only: tuple[str, ...], best: int
) -> InCommon:
    """The judges on the topics that all have judged, by the measure with number m:
    tau-b among the reference's `best` runs.
    """
    # in DL 2020 one judge of four has judged 16 topics and the others 54: their taus on topics of
    # their own are not comparable
    shared = [share_runs_and_topics(reference, judge, m, only) for judge in judges]
    runs = _in_all([of_runs for _, of_runs, _ in shared])
    topics = _in_all([of_topics for _, _, of_topics in shared])
    if len(runs) <= best or len(topics) < 2:
        return InCommon(len(topics), {})
    taus = {}
    for judge, (values, of_runs, of_topics) in zip(judges, shared, strict=True):
        rows, columns = map(of_runs.index, runs), map(of_topics.index, topics)
        means = mean_of_known(values[:, [*rows]][..., [*columns]])
        top = find_top(means[0], best)
        taus[judge.name] = float(tau_b(means[0, top], means[1, top]))
    return InCommon(len(topics), taus)


def _in_all(lists: Sequence[Sequence[str]]) -> list[str]:
    """Names that are in every list, in the order of the first."""
    first, *others = lists
    common = set(first).intersection(*others)
    return [name for name in first if name in common]


def audit_judge(
    reference: Judged,
    judge: Judged,
    measure: str,
    m: int,
    work: Work[Any],
    kind_of: dict[str, str],
    circle: Circle | None,
) -> JudgeAudit:
    """The audit of a judge by the measure with number m."""
    params, (first, second) = work.params, (reference, judge)
    values, runs, topics = share_runs_and_topics(first, second, m, work.only)
    n, means = len(runs), mean_of_known(values)
    tops = (*(k for k in TOPS if k < n), n)
    # tau changes fast among few runs alone: every number up to `CLOSE`, then a dozen
    ks = sorted(
        {
            *tops,
            *range(min(3, n), min(CLOSE, n) + 1),
            *np.geomspace(min(CLOSE, n), n, 12).round().astype(int).tolist(),
        }
    )
    how = {"samples": params.samples, "seed": params.seed, "level": params.level}
    # not percentiles of resamples: those held the true tau in .41 of simulations, these in .95
    curve, tau_ap = tau_intervals(values[0], values[1], ks, **how)
    by_reference, by_judge = map(params.compare, values)
    decided = tuple(decide(by_reference, by_judge, find_top(means[0], k)) for k in tops)
    # shares of few topics may round to the same number
    judged = sorted({round(share * len(topics) / 100) for share in SHARES})
    gained = (rank_scores(means[0]) - rank_scores(means[1])).astype(np.float64)
    of_run = dict(zip(work.data.runs, work.teams, strict=True))
    kinds = [kind_of.get(run, "") for run in runs]
    union = {*first.topics} | {*second.topics}
    return JudgeAudit(
        judge=second.name,
        measure=measure,
        runs=tuple(runs),
        topics=tuple(topics),
        means=means,
        tops=tops,
        ks=tuple(ks),
        curve=curve,
        tau_ap=tau_ap,
        decisions=decided,
        winner=(
            # where all tie, the order of the files would pick the winner
            find_winner(by_reference, means[1])
            if len({*rank_scores(means[1]).tolist()}) > 1
            else None
        ),
        teams=_compare(pick(of_run, runs), gained, params),
        kinds=_compare(kinds, gained, params) if any(kinds) else None,
        circle=circle,
        enough=find_enough(values[0], values[1], judged, sets=params.trials, **how),
        lone=tuple(
            sorted({*(work.only or first.runs)} ^ ({*second.runs} & {*(work.only or second.runs)}))
        ),
        dropped=len(union) - len(topics),
        ends=(float(values.min()), float(values.max())),
    )


def _compare(names: list[str], gained: np.ndarray, params: Any) -> Favoured:
    """The groups of runs with these names; runs of an empty name belong to none."""
    groups = tuple(dict.fromkeys(filter(None, names)))
    group = np.array([groups.index(name) if name else -1 for name in names])
    known = group >= 0
    return Favoured(
        groups,
        group,
        compare_groups(gained[known], group[known], len(groups), params.samples, params.seed),
    )


def circles(
    collection: Collection, measures: tuple[Measure, ...], seed: int
) -> dict[tuple[str, int], Circle]:
    """The circle of each judge but the first, by each measure: (name, number of the
    measure) -> it.
    """
    assert collection.panel
    union, judges = collection.panel.union, collection.panel.judges
    own, found = judges.scoring(0).astype(np.int64), dict[tuple[str, int], Circle]()
    for j, name in enumerate(judges.names[1:], 1):
        grades = judges.scoring(j).astype(np.int64)
        # a judge cannot see further than its grades: no list scores more by it than in their order
        # (Clarke & Dietz 2024)
        ordered = rerank(union, grades)
        by_judge, by_reference = (
            evaluate(ordered, measures, grades=each).means for each in (grades, own)
        )
        best: Ceiling = score_ideal_lists(union, grades, own, measures, seed)
        means = [*map(mean_of_known, best)]
        for m in range(len(measures)):
            low, high = sorted((float(means[1][m]), float(means[2][m])))
            found[name, m] = Circle(by_judge[m], by_reference[m], (float(means[0][m]), low, high))
    return found
