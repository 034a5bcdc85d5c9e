"""Bias of the pool against a run that did not contribute to it."""

from functools import cached_property
from itertools import islice

import numpy as np

from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.params import checked, param
from irmeval.core.places import pick, place_of_choice
from irmeval.core.text import capitalize, count_noun, quantify
from irmeval.experiments.axes import AXES
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.headlines import written_alike
from irmeval.experiments.incompleteness.pool_bias import (
    WithoutTeam,
    error_with_common_topics,
    mean_losses,
)
from irmeval.experiments.results import (
    Chart,
    Choice,
    Frame,
    NextStep,
    Table,
    of_measure,
    table,
    tidy,
)
from irmeval.plots import pins
from irmeval.plots.colors import styles
from irmeval.plots.pins import READABLE
from irmeval.plots.row_charts import dumbbell
from irmeval.reductions.base import keep_judgments
from irmeval.reductions.teams import PoolDepth, ranks_by_team
from irmeval.scoring.scores import evaluate
from irmeval.stats.correlation import tau_b
from irmeval.stats.means import rank_scores

LITTLE = 0.0005
"""Share of a score that is written as 0.0%."""


@checked
class Params:
    """Contributions of teams, and common topics."""

    pool: PoolDepth = 100
    team_rule: TeamRule = LETTERS
    common: int = param(
        "common topics",
        "Topics on which a new run is judged too, to estimate its loss.",
        low=1,
        high=100_000,
        template="{} common topics",
        default=10,
    )


class LeaveOneOut(WithoutTeam):
    """Scores of each run [measure, run] with and without its own team's unique
    contributions.
    """

    adjustment: np.ndarray
    """float64 [measure, run], the loss as estimated from the runs of other teams and
    their judgments alone; NaN if undefined
    """
    rank_corrected: np.ndarray
    """int [measure, run], place without the team's own judgments, with the adjustment
    added to the scores of its runs
    """
    by_common: np.ndarray
    """float64 [measure, run], root mean square error of a score that is corrected by
    the loss on common topics
    """
    tau: np.ndarray
    """float64 [measure, team], Kendall's tau-b of the orders of all runs without the
    team's own judgments and on all
    """
    tau_corrected: np.ndarray
    """the same with the adjustment"""
    judged: np.ndarray
    """int [team], judged documents of the team's runs within the pool depth"""
    relevant: np.ndarray
    """int [team], the relevant ones among them"""
    unique: np.ndarray
    """int [team], judged documents retrieved by no other team"""
    unique_relevant: np.ndarray
    """int [team], the relevant ones among them"""
    teams: tuple[str, ...]

    @cached_property
    def error(self) -> np.ndarray:
        """Score without the team's own judgments minus that on all [measure, run]."""
        return self.score_without - self.score

    @cached_property
    def error_corrected(self) -> np.ndarray:
        """Corrected score minus that on all judgments [measure, run]; NaN without an
        adjustment.
        """
        return self.error + self.adjustment

    def frame(self) -> Frame:
        """One row per measure and run: the columns of `WithoutTeam`, then the corrected
        score, its rank, and errors.
        """
        columns = self.columns | {
            "adjustment": self.adjustment,
            "corrected": self.score_without + self.adjustment,
            "rank_corrected": self.rank_corrected,
            "error_without": self.error,
            "error_corrected": self.error_corrected,
            "error_by_common_topics": self.by_common,
        }
        return tidy({"measure": self.measures, "run": self.runs}, columns)

    def summary(self) -> Frame:
        """One row per measure: share lost (mean, most, and by which run), places lost
        (mean, most, by how many runs), lowest tau.
        """
        worst = self.lost.argmax(axis=1)
        columns = {
            "measure": self.measures,
            "mean lost": self.lost.mean(axis=1),
            "most lost": self.lost.max(axis=1),
            "by": pick(self.runs, worst),
            "mean places lost": self.places.mean(axis=1),
            "most places lost": self.places.max(axis=1),
            "runs that lose a place": (self.places > 0).sum(axis=1),
            "least tau": self.tau.min(axis=1),
        }
        return table(columns)

    def correction(self) -> Frame:
        """One row per measure: mean adjustment, error of the scores before and after it
        and with common topics, tau before and after.
        """
        with np.errstate(invalid="ignore"):
            columns = {
                "measure": self.measures,
                "mean adjustment": self.adjustment.mean(axis=1),
                "mean |error| without": np.abs(self.error).mean(axis=1),
                "mean |error| corrected": np.abs(self.error_corrected).mean(axis=1),
                "RMS error without": _root_mean_square(self.error),
                "RMS error corrected": _root_mean_square(self.error_corrected),
                f"RMS error, {self.params.common} common topics": _root_mean_square(self.by_common),
                "runs nearer to their score": (
                    (np.abs(self.error_corrected) < np.abs(self.error)).sum(axis=1)
                ),
                "runs off their rank, without": (self.rank_without != self.rank).sum(axis=1),
                "runs off their rank, corrected": (self.rank_corrected != self.rank).sum(axis=1),
                "mean tau without": self.tau.mean(axis=1),
                "mean tau corrected": self.tau_corrected.mean(axis=1),
            }
        return table(columns)

    def tau_by_team(self) -> Frame:
        """One row per measure and team: tau without the team's own judgments, and
        corrected.
        """
        return tidy(
            {"measure": self.measures, "team": self.teams},
            {"tau": self.tau, "tau_corrected": self.tau_corrected},
        )

    def table_of_teams(self) -> Frame:
        """One row per team, most unique relevant documents first: its contributions,
        and those of no other team.
        """
        columns = {
            "team": self.teams,
            "runs": [*map(self.team_of_run.count, self.teams)],
            "judged": self.judged,
            "relevant": self.relevant,
            "judged, no other team's": self.unique,
            "relevant, no other team's": self.unique_relevant,
            "share of its relevant": self.unique_relevant / np.maximum(self.relevant, 1),
        }
        return table(columns, by="relevant, no other team's", descending=True)

    def choice(self) -> Choice | None:
        return of_measure(self.measures, "Measure whose losses are shown by run.")

    def _number_of(self, choice: str) -> int:
        return place_of_choice(choice, self.measures)

    def facts(self, choice: str = "") -> list[Fact]:
        """Of each measure, the share of its score that a run loses: on average, and of the
        run that loses most.
        """
        found = []
        for measure, lost in zip(map(str, self.measures), self.lost, strict=True):
            if np.isnan(lost).all():
                continue
            most = int(np.nanargmax(lost))
            for line, value in (("", np.nanmean(lost)), (self.runs[most], lost[most])):
                found.append(Fact("lost", measure, line, float(value), np.nan, np.nan))
        return found

    def verdict(self, choice: str = "") -> Verdict:
        m = self._number_of(choice)
        name = str(self.measures[m])
        own = [fact for fact in self.facts() if fact.measure == name]
        if not own:
            none = f"Without their own team's contributions, no run has a score by {name}."
            return Verdict(none, self._describe_teams())
        mean, most = own
        lost = self.lost[m]
        if not lost[np.isfinite(lost)].any():
            claim = f"Without its own team, no run would lose any of its {name}."
        elif len(self.runs) == 1:
            claim = f"Without its team, {most.line} would lose {most.value:.1%} of its {name}."
        else:
            claim = self._describe_losses(name, lost[np.isfinite(lost)], mean, most)
        below = self._describe_teams(), self._describe_correction(m)
        return Verdict(claim, self._describe_moves(m), " ".join(filter(None, below)))

    def _describe_losses(self, name: str, lost: np.ndarray, mean: Fact, most: Fact) -> str:
        """What runs lose on average, and what those that lose most."""
        lose = len(written_alike(lost, most.value, ".1%"))
        every = "every run"
        if len(lost) < len(self.runs):
            every = "every run with a score"
        # some may lose nothing, or gain
        if most.value < LITTLE:
            return f"Without its own team, {every} loses less than 0.1% of its {name}."
        if lose == len(lost):
            return f"Without its own team, {every} loses {most.value:.1%} of its {name}."
        who = most.line
        if lose > 1:
            who = count_noun(lose, "run")
        return (
            f"Without its own team, a run loses {mean.value:z.1%} of its {name} on average,"
            f" {who} most: {most.value:.1%}."
        )

    def _describe_moves(self, m: int) -> str:
        """How many runs fall in the order, and how far; empty for one run."""
        places = self.places[m]
        if len(self.runs) == 1:
            return ""
        falls = capitalize(quantify(int((places > 0).sum()), len(self.runs), "run"))
        far = f", by at most {count_noun(int(places.max()), 'place')}" if (places > 0).any() else ""
        return f"{falls} would fall in the order{far}."

    def _describe_teams(self) -> str:
        """Which team found most on its own."""
        t = int(self.unique_relevant.argmax())
        found = int(self.unique_relevant[t])
        if len(self.teams) == 1:
            return f"{self.teams[t]} is the only team."
        if not found:
            return "No team found a relevant document that no other team found."
        documents = count_noun(found, "relevant document")
        alike = int(np.count_nonzero(self.unique_relevant == found))
        if alike > 1:
            return f"{count_noun(alike, 'team')} found most on their own: {documents} each."
        return f"{self.teams[t]} found most on its own: {documents}."

    def _describe_correction(self, m: int) -> str:
        """What both corrections change; empty where they are undefined."""
        before, after = (
            float(_root_mean_square(errors[m])) for errors in (self.error, self.error_corrected)
        )
        if not np.isfinite(after):
            return ""
        by_common = float(_root_mean_square(self.by_common[m]))
        topics = count_noun(self.params.common, "common topic")
        added = f"{self.adjustment[m].mean():.4f} on average"
        said = (
            f"Adding the average loss of other teams' runs ({added}) changes the RMS error of its"
            f" {self.measures[m]} from {before:.4f} to {after:.4f}"
        )
        if np.isnan(by_common):
            return f"{said}."
        return f"{said}. Adding its own loss on {topics} changes it to {by_common:.4f}."

    def next_steps(self) -> list[NextStep]:
        lost = np.where(np.isfinite(self.lost[0]), self.lost[0], -np.inf)
        run = self.runs[int(lost.argmax())]
        check = NextStep(f"Can {run} be trusted?", "check", {"candidate": run})
        return [
            *([check] if 0 < lost.max() < np.inf else []),
            NextStep("How much is unjudged?", "unjudged"),
            NextStep("What about pools of fewer teams?", "curves", {"of": AXES["teams"].words}),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        m = self._number_of(choice)
        name = str(self.measures[m])
        lost, n = 100 * self.lost[m], len(self.runs)
        order = np.argsort(-self.lost[m], kind="stable")
        order = pins.first_drawn(order, self.runs, READABLE)
        shown = f" The {READABLE} of {n:,} runs that lose most." if n > READABLE else ""
        names = pick(self.runs, order)
        return [
            Chart(
                "runs",
                f"{name} lost by each run",
                f"Share of its {name} that each run loses without its own team's contributions,"
                f" most first.{shown}",
                lambda: dumbbell(
                    names,
                    np.zeros(len(order)),
                    lost[order],
                    ("contributed", "left out"),
                    f"{name} lost, %",
                ),
            ),
            Chart(
                "lost",
                "Score lost by measure",
                "Share of its score that a run loses without its own team's contributions. Hollow:"
                " mean over runs; solid: the run that loses most. Near 0, a measure is fair to a"
                " run that did not contribute; left of 0, it favours it.",
                lambda: dumbbell(
                    self.measures,
                    100 * self.lost.mean(axis=1),
                    100 * self.lost.max(axis=1),
                    ("mean", "most"),
                    "score lost, %",
                    [look.color for look in styles(self.measures).values()],
                ),
                wide=True,
            ),
            Chart(
                "corrected",
                f"Error of {name}, corrected",
                f"{name} of each run minus that on all judgments. Hollow: without its team's"
                " contributions; solid: with the average loss of other teams' runs added. Nearer"
                f" to 0 is better.{shown}",
                lambda: dumbbell(
                    names,
                    self.error[m][order],
                    self.error_corrected[m][order],
                    ("without", "corrected"),
                    f"error of {name}",
                ),
                wide=True,
            ),
        ]

    def tables(self) -> list[Table]:
        return [
            Table("measures", "Measures", self.summary),
            Table("teams", "Teams", self.table_of_teams),
            Table("runs", "Runs", self.frame),
            Table("correction", "Corrected", self.correction),
            Table("order", "Order corrected", self.tau_by_team),
        ]


def _root_mean_square(errors: np.ndarray) -> np.ndarray:
    return np.sqrt((errors**2).mean(axis=-1))


@experiment(
    "leave-one-out",
    title="Leave one team out",
    question="What if a team had not contributed?",
    does="remove each team's unique contributions from the pool",
    formula=r"\hat{s} = s + \frac{1}{|P|} \sum_{p \in P} \left(s_p - s_p^{-p}\right)",
    source=(
        "Zobel 1998, without the judgments that only one group contributed; the correction: Webber"
        " & Park 2009"
    ),
)
def leave_one_out(work: Work[Params]) -> LeaveOneOut:
    """Removes the judgments that only one team's runs contributed to the pool, for each
    team in turn, and scores all runs on the rest. The scores of the team's own runs are
    compared with those on all judgments. Teams whose runs are not loaded count as
    having contributed nothing; if many are missing, the share of unique documents is
    overestimated. Two corrections are added to the scores: the average loss of other
    teams' runs, as estimated from the rest; and a run's own loss on common topics, for
    which it is judged too.
    """
    collection, measures, params = work.collection, work.measures, work.params
    teams = tuple(dict.fromkeys(work.teams))
    team = np.array([*map(teams.index, work.teams)])
    pooled = ranks_by_team(collection, work.teams) <= params.pool
    alone = pooled & (pooled.sum(axis=0) == 1)
    scores = evaluate(collection, measures)
    full, own = scores.means, np.arange(len(team))
    means, lost = np.empty((len(measures), len(teams), len(team))), np.empty(scores.values.shape)
    # each team twice: without its judgments, and for the average loss of the others
    steps = work.steps([*range(len(teams))] * 2)
    for t in islice(steps, len(teams)):
        left = evaluate(collection, measures, grades=keep_judgments(collection, ~alone[t]))
        means[:, t], mine = left.means, team == t
        lost[:, mine] = scores.values[:, mine] - left.values[:, mine]
    # a new run is taken to be like the old ones: one that finds more on its own is corrected too
    # little
    adjustment = mean_losses(collection, measures, team, pooled, means, steps)
    corrected = means + np.where(
        team == np.arange(len(teams))[:, None], np.nan_to_num(adjustment)[..., None], 0
    )
    judged, relevant = collection.grade >= 0, collection.grade > 0
    return LeaveOneOut(
        score=full,
        score_without=means[:, team, own],
        rank=rank_scores(full),
        rank_without=rank_scores(means)[:, team, own],
        adjustment=adjustment[:, team],
        rank_corrected=rank_scores(corrected)[:, team, own],
        by_common=error_with_common_topics(lost, params.common),
        tau=tau_b(means, full[:, None]),
        tau_corrected=tau_b(corrected, full[:, None]),
        judged=(pooled & judged).sum(axis=1),
        relevant=(pooled & relevant).sum(axis=1),
        unique=(alone & judged).sum(axis=1),
        unique_relevant=(alone & relevant).sum(axis=1),
        teams=teams,
        team_of_run=tuple(work.teams),
        measures=measures,
        runs=collection.runs,
        params=params,
    )
