"""Mean score, run order and power for shallower pools, or pools of fewer teams."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection.team_names import LETTERS, TeamRule
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, percent
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.headlines import (
    WORST,
    best_and_worst,
    describe_crossings,
    differ,
    falls_below,
)
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, NextStep, Table, result, table_of_crossings
from irmeval.experiments.scored import check_pairs
from irmeval.experiments.settings import TEST, Alpha, Seed, Test, Testing, Trials
from irmeval.experiments.sweep import Sample, sweep
from irmeval.experiments.trials import (
    EQUIVALENT,
    TWENTIETH,
    OfMeans,
    describe_depth,
    describe_removed,
    note_depths,
    over_trials,
)
from irmeval.reductions import draw
from irmeval.reductions.base import random_generator
from irmeval.reductions.teams import PoolDepth, keep_first_teams
from irmeval.stats.crossings import find_crossings
from irmeval.stats.pairs import count_pairs

SAMPLES = 1000
"""Resamples of a simulated test, as in the papers."""


class Cell(NamedTuple):
    """Results of one measure on the judgments of one pool."""

    means: np.ndarray
    """float64 [run]"""
    power: float
    left: tuple[float, ...]
    """share of the judgments and of the relevant documents in the pool"""


@checked
class Params(Testing):
    """Depths of the pool."""

    pools: tuple[int, ...] = param(
        "pool depths",
        "A document is judged if a loaded run has it at this rank or higher.",
        low=1,
        high=1_000_000,
        offers=(1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 500, 1000),
        descending=True,
        default=(1, 2, 5, 10, 20, 50, 100),
    )
    test: Test = TEST
    alpha: Alpha = 0.05
    seed: Seed = 1
    samples, trials = SAMPLES, 1


@checked
class TeamParams(Testing):
    """Numbers of teams that form the pool."""

    teams: tuple[int, ...] = param(
        "teams",
        "Number of teams, drawn at random, that form the pool; a higher number means all.",
        low=1,
        high=10_000,
        offers=(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50),
        descending=True,
        template="{} teams",
        default=(1, 2, 3, 5, 8, 12, 20),
    )
    trials: Trials = 10
    seed: Seed = 1
    pool: PoolDepth = 100
    team_rule: TeamRule = LETTERS
    test: Test = TEST
    alpha: Alpha = 0.05
    samples = SAMPLES


@result
class Pools(OfMeans):
    """Scores of runs on the judgments of smaller pools."""

    power: np.ndarray
    """float64 [measure, level, trial], share of the pairs of runs that differ
    significantly
    """
    full_power: np.ndarray
    """float64 [measure], the same on full judgments"""
    held: np.ndarray
    """float64 [2, level, trial], share of the judgments and of the relevant documents
    in the pool
    """
    levels: tuple[int, ...]
    """pool depths or numbers of teams, descending"""
    left = None
    axis: str
    """meaning of the levels: ``pool`` or ``teams``"""
    longest: int
    """number of documents in the longest list"""

    @property
    def axes(self) -> dict[str, Sequence[Any]]:
        return {"measure": self.measures, self.axis: self.levels}

    @property
    def observed(self) -> dict[str, np.ndarray]:
        judged, relevant = self.held
        return {
            "judged": judged,
            "relevant": relevant,
            "mean": self.mean,
            "tau": self.tau,
            "power": self.power,
        }

    @property
    def x_axis(self) -> dict[str, Any]:
        places = range(len(self.levels), 0, -1)
        levels = {
            float(place): str(level) for place, level in zip(places, self.levels, strict=True)
        }
        return {
            "rates": [*places],
            "levels": levels,
            "xtitle": "pool depth" if self.axis == "pool" else "teams in the pool",
        }

    def describe_bands(self, what: str = "The band", *, wide: bool = True) -> str:
        if self.axis == "teams":
            return super().describe_bands(what, wide=wide)
        return note_depths(self.levels, self.longest)  # a depth has one trial

    def headline(self) -> str:
        judged, relevant = self.held[:, -1].mean(axis=-1)
        tau = self.last_tau
        least = self.levels[-1]
        of = f"of {self._describe_last()}"
        found = (
            f"{percent(relevant)} of the relevant documents"
            if relevant == relevant
            else "no relevant document, as there is none"
        )
        held = f"A pool {of} contains {percent(judged)} of the judgments and {found}"
        if self.axis == "pool":
            held = f"{describe_depth(least, self.longest)} {held}".lstrip()
        if judged > 1 - TWENTIETH:
            return f"{held}. {describe_removed(100 * judged)}"
        if not np.isfinite(tau).any():
            return f"{held}."
        power, before, pairs = (
            float(over_trials(self.power[0, -1])),
            self.full_power[0],
            count_pairs(len(self.runs)),
        )
        if np.isnan(power):
            told = "no pair of runs has 2 topics with a score for both on it"
        elif pairs == 1:
            pool = "this pool" if self.axis == "pool" else "such pools"
            which = pool if power in (0, 1) else f"{percent(power)} of such pools"
            told = (
                f"the two runs {differ(power)} on {which}, and on all judgments they"
                f" {differ(before)}"
            )
        else:
            told = (
                f"{percent(power)} of {pairs:,} pairs of runs differ significantly on it,"
                f" {percent(before)} on all judgments"
            )
        ordered = best_and_worst(self.measures, tau, label="tau")
        said = (
            f"{held}. On it, {ordered}. By {self.measures[0]}, {told}. Tests:"
            f" {self.params.decided_by}."
        )
        fall = describe_crossings(
            "Tau",
            falls_below(EQUIVALENT),
            self.measures,
            self.falls,
            self._describe_level,
            end=f"not down to {self._describe_last()}",
            first=self.levels[0],
            descending=True,
        )
        return f"{said} {fall}".rstrip()

    def _describe_level(self, level: float) -> str:
        """A pool depth at which tau is below .9, which it need not be at one rounded
        up, or a number of teams.
        """
        return f"at depth {int(level)}" if self.axis == "pool" else f"at {level:.1f} teams"

    def _describe_last(self) -> str:
        """The lowest pool depth or number of teams."""
        least = self.levels[-1]
        return f"depth {least}" if self.axis == "pool" else count_noun(least, "team")

    @cached_property
    def falls(self) -> np.ndarray:
        """The pool depth, or number of teams, at which tau falls below .9 [measure]."""
        return find_crossings(self.levels, over_trials(self.tau), EQUIVALENT)

    def tables(self) -> list[Table]:
        """Means over trials; where tau falls below .9; every trial."""
        what = "depth" if self.axis == "pool" else "teams"
        summary, trials = super().tables()
        return [
            summary,
            table_of_crossings(
                "Tau below .9",
                f"below .9 at, {what}",
                {"measure": self.measures},
                self.falls,
                f"not down to {self.levels[-1]}",
            ),
            trials,
        ]

    def next_steps(self) -> list[NextStep]:
        relevant = float(self.held[1, -1].mean())
        tau = (
            self.last_tau
            if self.held[0, -1].mean() <= 1 - TWENTIETH
            else np.full(len(self.measures), np.nan)
        )
        gone = f"{percent(1 - relevant)} of" if relevant > 0 else "All"
        lost = (
            f"{gone} the relevant documents are gone"
            if relevant < 1
            else "No relevant document is gone"
        )
        found = [NextStep(f"{lost}: what is unjudged?", "unjudged")]
        if len(self.runs) < 2:
            return [*found, NextStep("What if judgments were missing at random?", "curves")]
        kept = (
            f"{best_and_worst(self.measures, tau, ends=WORST, label='tau')}: does the same"
            if np.isfinite(tau).any()
            else "What does"
        )
        return [
            *found,
            NextStep(f"{kept} happen with random samples?", "curves"),
            NextStep("Do the same runs still differ significantly?", "decisions"),
        ]

    def charts(self) -> list[Chart]:
        mean = "Mean score over all runs and topics on the judgments of the pool."
        power = f"Share of the pairs of runs that differ significantly ({self.params.decided_by})."
        left = "Share of all judgments and of all relevant documents that the pool still contains."
        return [
            self.line_chart(
                "mean", "Mean score", mean, self.mean, "mean score over runs and topics"
            ),
            self.tau_chart(
                "by the same measure on full judgments",
                self.tau,
                "Kendall's tau with the full judgments",
            ),
            self.line_chart("power", "Discriminative power", power, self.power),
            self.line_chart(
                "left",
                "Contents of the pool",
                left,
                self.held,
                "share of all",
                ("judgments", "relevant"),
                top=1.0,
            ),
        ]


@experiment(
    "pools",
    title="Pool depth",
    question="What if the pool had been shallower?",
    does="score runs on shallower pools",
    formula=r"kept_k = judged \cap \bigcup_{r} top_k(r)",
    source="Zobel 1998; Ahlgren & Grönqvist 2008, pools of lesser depth",
    stored=("test", "alpha", "seed"),
    needs=PAIRS._replace(alone=True),
)
def pools(work: Work[Params]) -> Pools:
    """Keeps only judgments of documents that a loaded run has near its top. Every run
    is scored on these, the order of the runs is compared with their order on the full
    judgments, and every pair is tested again.
    """
    collection, params = work.collection, work.params
    return _score(
        work,
        params.pools,
        "pool",
        lambda trial, pools: draw(collection, "shallow", pools, trial, params.seed),
        1,
    )


@experiment(
    "fewer-teams",
    title="Fewer teams",
    question="What if fewer teams had contributed?",
    does="score runs on pools of fewer teams",
    formula=r"kept_T = judged \cap \bigcup_{r \in T} top_k(r)",
    source="Zobel 1998, pools without some of the groups",
    stored=("seed", "pool", "team_rule", "test", "alpha"),
    first={"trials": 1},
    pages=("pools",),
    needs=PAIRS._replace(alone=True),
)
def fewer_teams(work: Work[TeamParams]) -> Pools:
    """Forms the pool from some of the teams, drawn at random in each trial. Every run
    is scored on its judgments, the order of the runs is compared with their order on
    the full judgments, and every pair is tested again.
    """
    collection, params = work.collection, work.params

    def drawn(trial: int, teams: Sequence[int]) -> np.ndarray:
        return keep_first_teams(
            collection, teams, random_generator(params.seed, trial), work.teams, params.pool
        )

    return _score(
        work, numbers_up_to(len({*work.teams}), params.teams)[::-1], "teams", drawn, params.trials
    )


def numbers_up_to(most: int, numbers: Sequence[int]) -> tuple[int, ...]:
    """Numbers of teams or topics in ascending order; a higher number than available
    means all.
    """
    return tuple(sorted({min(n, most) for n in numbers}))


def _score(
    work: Work[Any],
    levels: tuple[int, ...],
    axis: str,
    drawn: Callable[[int, Sequence[int]], np.ndarray],
    trials: int,
) -> Pools:
    """Score and test all runs on the grades [level, J] returned by `drawn` for a trial
    and some levels.
    """
    collection, params = work.collection, work.params

    def cell(sample: Sample) -> Cell:
        totals = [int((collection.grade >= least).sum()) for least in (0, 1)]
        left = tuple(
            (sample.grades >= least).sum() / n if n else np.nan for least, n in enumerate(totals)
        )
        if sample.full and len(sample.values) > 1:
            check_pairs(sample.measure, sample.values)
        return Cell(sample.means, params.power(sample.values), left)

    full, cells, _ = sweep(work, dict.fromkeys(levels, 1.0), trials, drawn, cell)
    means, power, left = (
        np.array([[[row[part] for row in rows] for rows in of_measure] for of_measure in cells])
        for part in range(3)
    )
    whole, power_of_all = (np.array([kept[part] for kept in full]) for part in range(2))
    held, longest = np.moveaxis(left[0], -1, 0), int(collection.length.max(initial=0))
    return Pools(
        full=whole,
        means=means,
        measures=work.measures,
        runs=collection.runs,
        params=params,
        power=power,
        full_power=power_of_all,
        held=held,
        levels=levels,
        axis=axis,
        longest=longest,
    )
