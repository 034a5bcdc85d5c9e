"""How unfair is the pool to a run that did not contribute to it?"""

from functools import cached_property

import numpy as np

from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.params import checked
from irmeval.experiments.base import experiment, once
from irmeval.experiments.results import Chart, Frame, Table, result
from irmeval.experiments.table import table, tidy
from irmeval.experiments.work import Work
from irmeval.metrics import Measure
from irmeval.plots.intervals import dumbbell
from irmeval.reductions.shallow import keep_judgments
from irmeval.reductions.teams import PoolDepth, ranks_by_team
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.pairs import rank_scores


@checked
class Params:
    """What a team contributes."""

    pool: PoolDepth = 100
    team_rule: TeamRule = LETTERS


@result
class LeaveOneOut:
    """Scores of each run with and without what only its own team contributed.

    Attributes
    ----------
    full, out : float64 [measure, run]
        Means on the full judgments, and without the team's own.
    rank, rank_out : int [measure, run]
        Place among all runs, all scored on the same judgments; 1 is best.
    tau : float64 [measure, team]
        Kendall's tau-b of the order of all runs without the team's own judgments with that on all of them.
    judged, relevant, unique, unique_relevant : int [team]
        Judged and relevant documents that a team's runs have within the pool depth, and those of them that no other team has there.
    teams, of_run, measures, runs, params : what the axes stand for; the team of each run
    """

    full: np.ndarray
    out: np.ndarray
    rank: np.ndarray
    rank_out: np.ndarray
    tau: np.ndarray
    judged: np.ndarray
    relevant: np.ndarray
    unique: np.ndarray
    unique_relevant: np.ndarray
    teams: tuple[str, ...]
    of_run: tuple[str, ...]
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def lost(self) -> np.ndarray:
        """Share of its score that each run loses [measure, run]; below 0 where it gains."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.full == 0, 0.0, 1 - self.out / self.full)

    @property
    def places(self) -> np.ndarray:
        """Places that each run loses [measure, run]."""
        return self.rank_out - self.rank

    def frame(self) -> Frame:
        """One row per measure and run: team, score, score without, share lost, rank, rank without, places lost."""
        columns = {
            "team": np.array(self.of_run, dtype=object),
            "score": self.full,
            "score_without": self.out,
            "lost": self.lost,
            "rank": self.rank,
            "rank_without": self.rank_out,
            "places_lost": self.places,
        }
        return tidy({"measure": self.measures, "run": self.runs}, columns)

    def summary(self) -> Frame:
        """One row per measure: mean and most of the share lost, the run that loses most, mean and most places lost, least tau."""
        worst = self.lost.argmax(axis=1)
        columns = {
            "measure": self.measures,
            "mean lost": self.lost.mean(axis=1),
            "most lost": self.lost.max(axis=1),
            "by": [self.runs[r] for r in worst],
            "mean places lost": self.places.mean(axis=1),
            "most places lost": self.places.max(axis=1),
            "runs that lose a place": (self.places > 0).sum(axis=1),
            "least tau": self.tau.min(axis=1),
        }
        return table(columns)

    def table_of_teams(self) -> Frame:
        """One row per team, the one that found most on its own first: what it contributed, and what no other team did."""
        columns = {
            "team": self.teams,
            "runs": [self.of_run.count(team) for team in self.teams],
            "judged": self.judged,
            "relevant": self.relevant,
            "judged, no other team's": self.unique,
            "relevant, no other team's": self.unique_relevant,
            "share of its relevant": self.unique_relevant / np.maximum(self.relevant, 1),
        }
        return table(columns, by="relevant, no other team's", falling=True)

    def headline(self) -> str:
        """How much a run loses when its team did not contribute."""
        name, lost, places = self.measures[0], self.lost[0], self.places[0]
        r, t = int(lost.argmax()), int(self.unique_relevant.argmax())
        before, after = int(self.rank[0, r]), int(self.rank_out[0, r])
        move = f"from rank {before} to {after}" if before != after else f"rank {before} all the same"
        return (
            f"Had its team not contributed, a run would lose {lost.mean():.1%} of its {name} on average, at most {lost[r]:.1%} "
            f"({self.runs[r]}, {move}); {int((places > 0).sum())} of {len(self.runs)} runs would lose a place, at most "
            f"{int(places.max())}. {self.teams[t]} found most on its own: {self.unique_relevant[t]:,} relevant documents."
        )

    def charts(self) -> list[Chart]:
        """Share lost by each measure, and by each run."""
        order, titles = np.argsort(-self.lost[0], kind="stable"), ("contributed", "left out")
        names, lost = [self.runs[r] for r in order], 100 * self.lost[0][order]
        return [
            Chart(
                "lost",
                "Score lost",
                "Share of its score that a run loses without what only its own team contributed: hollow the mean over runs, full the run "
                "that loses most. Near 0 a measure is fair to a run that did not contribute; left of 0 it favours it.",
                lambda: dumbbell(
                    self.measures,
                    100 * self.lost.mean(axis=1),
                    100 * self.lost.max(axis=1),
                    ("mean", "most"),
                    "score lost, %",
                ),
            ),
            Chart(
                "runs",
                f"{self.measures[0]} lost by each run",
                f"Share of its {self.measures[0]} that each run loses without what only its own team contributed, most first.",
                lambda: dumbbell(names, np.zeros_like(lost), lost, titles, f"{self.measures[0]} lost, %"),
            ),
        ]

    def tables(self) -> list[Table]:
        """Per measure; per team; per run."""
        return [
            Table("measures", "Measures", self.summary),
            Table("teams", "Teams", self.table_of_teams),
            Table("runs", "Runs", self.frame),
        ]


@experiment(
    "leave-one-out",
    title="Leave one team out",
    question="What if a team had not contributed?",
    source="Zobel 1998, the judgments that only one group contributed taken away",
    params=Params,
    cost=lambda work: once(work) * (1 + len({*work.teams})),
    pages=("pools",),
)
def leave_one_out(work: Work[Params]) -> LeaveOneOut:
    """For each team in turn, the judgments that its runs alone contributed to the pool are taken away, all runs are scored on what is
    left, and the team's own runs are compared with what they had on all judgments. Teams whose runs are not loaded count as having
    contributed nothing, so that what is unique is overestimated where many are missing."""
    collection, measures, params = work.collection, work.measures, work.params
    of_run = work.teams
    teams = tuple(dict.fromkeys(of_run))
    pooled = ranks_by_team(collection, of_run) <= params.pool
    alone = pooled & (pooled.sum(axis=0) == 1)
    full = evaluate(collection, measures).means
    out, rank_out = full.copy(), np.empty(full.shape, int)
    tau = np.empty((len(measures), len(teams)))
    for t, team in work.steps(enumerate(teams)):
        means = evaluate(collection, measures, grades=keep_judgments(collection, ~alone[t])).means
        mine = np.array([of == team for of in of_run])
        out[:, mine] = means[:, mine]
        rank_out[:, mine] = rank_scores(means)[:, mine]
        tau[:, t] = tau_b(means, full)
    judged, relevant = collection.grade >= 0, collection.grade > 0
    return LeaveOneOut(
        full=full,
        out=out,
        rank=rank_scores(full),
        rank_out=rank_out,
        tau=tau,
        judged=(pooled & judged).sum(axis=1),
        relevant=(pooled & relevant).sum(axis=1),
        unique=(alone & judged).sum(axis=1),
        unique_relevant=(alone & relevant).sum(axis=1),
        teams=teams,
        of_run=tuple(of_run),
        measures=measures,
        runs=collection.runs,
        params=params,
    )
