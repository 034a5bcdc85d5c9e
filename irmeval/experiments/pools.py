"""Mean score, system ranking and power as the pool gets shallower, or has fewer teams."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.incompleteness import Seed, lines_of, said_of_band
from irmeval.experiments.significance import Alpha, Test, run_test
from irmeval.experiments.sweep import ALL, Sample, Store, sweep
from irmeval.metrics import Measure, distinct
from irmeval.params import Param, check
from irmeval.reading.teams import LETTERS, team_of
from irmeval.reductions import draw
from irmeval.reductions.base import stream
from irmeval.reductions.teams import PoolDepth, TeamRule, of_first_teams
from irmeval.stats.correlation import tau_b
from irmeval.words import counted

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

SAMPLES = 1000


class Cell(NamedTuple):
    """What is kept of one measure on the judgments of one pool."""

    means: np.ndarray
    """float64 [run]"""
    power: float
    left: tuple[float, ...]
    """share of the judgments, and of the relevant documents, that the pool holds"""


@dataclass(frozen=True)
class Params:
    """Down to which ranks runs are judged."""

    pools: Annotated[
        tuple[int, ...],
        Param("pool depths", "Judged is what some loaded run has down to this rank.", low=1, high=1_000_000, offers=(1, 2, 3, 5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 500, 1000), falling=True),
    ] = (1, 2, 5, 10, 20, 50, 100)  # fmt: skip
    test: Test = "bootstrap"
    alpha: Alpha = 0.05
    seed: Seed = 1

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class TeamParams:
    """How many teams make the pool."""

    teams: Annotated[
        tuple[int, ...],
        Param("teams", "So many teams, drawn at random, make the pool; more than there are is all.", low=1, high=10_000, offers=(1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50), falling=True),
    ] = (1, 2, 3, 5, 8, 12, 20)  # fmt: skip
    trials: Annotated[int, Param("trials", "Random sets of teams; the band is over them.", low=1, high=1000)] = 10
    seed: Seed = 1
    pool: PoolDepth = 100
    team_rule: TeamRule = LETTERS
    test: Test = "bootstrap"
    alpha: Alpha = 0.05

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class Pools:
    """Scores of runs on the judgments of lesser pools.

    Attributes
    ----------
    full : float64 [measure, run]
        Means on the full judgments.
    means : float64 [measure, level, trial, run]
    power : float64 [measure, level, trial]
        Share of the pairs of runs told apart.
    left : float64 [kind, level, trial]
        Share of the judgments, and of the relevant documents, that the pool holds.
    levels : the pool depths or numbers of teams, falling
    axis : what they are
    measures, runs, params : what the axes stand for
    """

    full: np.ndarray
    means: np.ndarray
    power: np.ndarray
    left: np.ndarray
    levels: tuple[int, ...]
    axis: str
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params | TeamParams

    @cached_property
    def mean(self) -> np.ndarray:
        """Mean score over runs [measure, level, trial]."""
        return self.means.mean(axis=-1)

    @cached_property
    def tau(self) -> np.ndarray:
        """Kendall's tau-b of the runs' order with the same measure's order on full judgments [measure, level, trial]."""
        return tau_b(self.means, self.full[:, None, None, :])

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, pool depth or teams, trial, share of judgments and of relevant documents, mean, tau, power."""
        import pandas as pd

        M, _, trials = self.mean.shape
        index = pd.MultiIndex.from_product(
            [[str(m) for m in self.measures], self.levels, range(1, trials + 1)], names=["measure", self.axis, "trial"]
        )
        judged, relevant = (np.tile(kind.ravel(), M) for kind in self.left)
        columns = {"judged": judged, "relevant": relevant, "mean": self.mean.ravel(), "tau": self.tau.ravel(), "power": self.power.ravel()}
        return pd.DataFrame(columns, index).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure and level: means over trials."""
        return self.frame().drop(columns="trial").groupby(["measure", self.axis], sort=False).mean().reset_index()

    def headline(self) -> str:
        """What the least pool holds, and whose order of runs survives it best and worst."""
        judged, relevant = self.left[:, -1].mean(axis=-1)
        tau = self.tau[:, -1].mean(axis=-1)
        least = self.levels[-1]
        of = f"of depth {least}" if self.axis == "pool" else f"of {counted(least, 'team')}"
        found = f"A pool {of} holds {judged:.0%} of the judgments and {relevant:.0%} of the relevant documents"
        if not np.isfinite(tau).any():
            return f"{found}."
        best, worst = int(np.nanargmax(tau)), int(np.nanargmin(tau))
        return f"{found}; {self.measures[best]} keeps the order of the runs best (tau {tau[best]:.2f}), {self.measures[worst]} worst (tau {tau[worst]:.2f})."

    def charts(self) -> list[Chart]:
        """Mean score, tau, power, and what the pool holds, against its size."""
        over = f"; {said_of_band(self.mean.shape[-1])}" if self.axis == "teams" else ""
        names = [str(m) for m in self.measures]
        return [
            Chart("Mean score", f"Mean score over all runs and topics on the judgments of the pool{over}.", lambda: self._curves(names, self.mean, "mean score over runs and topics")),
            Chart("Kendall's tau", f"How alike the order of the runs is to the same measure's order on full judgments; dotted is .9{over}.", lambda: self._curves(names, self.tau, "Kendall's tau with the full judgments", 1.0, 0.9)),
            Chart("Discriminative power", f"Share of the pairs of runs told apart{over}.", lambda: self._curves(names, self.power, "discriminative power")),
            Chart("What the pool holds", f"Share of all judgments and of all relevant documents that the pool still holds{over}.", lambda: self._curves(["judgments", "relevant"], self.left, "share that is left", 1.0)),
        ]  # fmt: skip

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per measure and level; every trial."""
        return {"Summary": self.summary(), "Every trial": self.frame()}

    def _curves(
        self, names: list[str], values: np.ndarray, ytitle: str, top: float | None = None, threshold: float | None = None
    ) -> "go.Figure":
        """A line per name against the levels, which stand at even distances."""
        from irmeval.plots import curves

        places = range(len(self.levels), 0, -1)
        low, most = min(float(np.nanmin(values, initial=0.0)), 0.0), top or float(np.nanmax(values, initial=0.0)) or 1.0
        return curves.curves(
            list(places),
            lines_of(names, values),
            xtitle="pool depth" if self.axis == "pool" else "teams in the pool",
            ytitle=ytitle,
            yrange=(low * 1.05, most * 1.05),
            ticks={place: str(level) for place, level in zip(places, self.levels, strict=True)},
            threshold=threshold,
        )


@experiment("pools", title="Pool depth", source="Zobel 1998; Ahlgren & Grönqvist 2008, pools of lesser depth", params=Params)
def pools(
    collection: Collection,
    measures: Sequence[str | Measure],
    params: Params = Params(),
    *,
    store: Store[Cell] | None = None,
    progress: Progress | None = None,
) -> Pools:
    """Judgments are kept only if a loaded run has the document near its top; every run is scored on what is left, the order of the
    runs compared with their order on the full judgments, and every pair tested again.

    What a `store` holds is not computed again; one serves one collection and everything of `params` but the depths.
    """
    return _sweep(
        collection,
        measures,
        params.pools,
        "pool",
        lambda trial, pools: draw(collection, "shallow", pools, trial, params.seed),
        1,
        params,
        store,
        progress,
    )


@experiment("fewer-teams", title="Fewer teams", source="Zobel 1998, pools without some of the groups", params=TeamParams)
def fewer_teams(
    collection: Collection,
    measures: Sequence[str | Measure],
    params: TeamParams = TeamParams(),
    *,
    team: Mapping[str, str] | None = None,
    store: Store[Cell] | None = None,
    progress: Progress | None = None,
) -> Pools:
    """The pool is made by some of the teams, drawn at random in each trial anew; every run is scored on what is left, the order of the
    runs compared with their order on the full judgments, and every pair tested again.

    `team` says which run is of which team where the rule does not. What a `store` holds is not computed again; one serves one
    collection, `team`, and everything of `params` but the teams and the trials.
    """
    of_run = teams_of(collection, params.team_rule, team)
    levels = tuple(sorted({min(n, len(set(of_run))) for n in params.teams}, reverse=True))
    return _sweep(
        collection,
        measures,
        levels,
        "teams",
        lambda trial, teams: of_first_teams(collection, teams, stream(params.seed, trial), of_run, params.pool),
        params.trials,
        params,
        store,
        progress,
    )


def teams_of(collection: Collection, rule: str, team: Mapping[str, str] | None) -> list[str]:
    """The team of each run."""
    return [(team or {}).get(run) or team_of(run, rule) for run in collection.runs]


def _sweep(
    collection: Collection,
    measures: Sequence[str | Measure],
    levels: tuple[int, ...],
    axis: str,
    drawn: Callable[[int, Sequence[int]], np.ndarray],
    trials: int,
    params: Params | TeamParams,
    store: Store[Cell] | None,
    progress: Progress | None,
) -> Pools:
    """Score and test all runs on the grades [level, J] that are drawn for a trial and levels."""
    chosen = distinct(measures)
    store = {} if store is None else store

    def cell(sample: Sample) -> Cell:
        left = tuple((sample.grades >= least).sum() / max(int((collection.grade >= least).sum()), 1) for least in (0, 1))
        return Cell(sample.means, _power(sample, collection.topics, params), left)

    sweep(collection, chosen, levels, trials, drawn, cell, store, progress)
    cells = [[[store[str(m), level, trial] for trial in range(1, trials + 1)] for level in levels] for m in chosen]
    means, power, left = (np.array([[[one[part] for one in row] for row in rows] for rows in cells]) for part in range(3))
    full = np.array([store[str(m), ALL, 0].means for m in chosen])
    return Pools(full, means, power, np.moveaxis(left[0], -1, 0), levels, axis, chosen, collection.runs, params)


def _power(sample: Sample, topics: tuple[str, ...], params: Params | TeamParams) -> float:
    """Share of the pairs of runs told apart, 0 where fewer than two topics or runs are left to test on."""
    if len(sample.values) < 2 or (~np.isnan(sample.values).any(axis=0)).sum() < 2:
        return 0.0
    tested = run_test(sample.measure, sample.values, topics, test=params.test, samples=SAMPLES, seed=params.seed)
    return float((tested.pairs.p < params.alpha).mean())
