"""How robust is each measure, all told? One row per measure, a column per experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.experiments import decisions as deciding
from irmeval.experiments import incompleteness as reducing
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.incompleteness import Rounding, Seed
from irmeval.experiments.scored import Sets, scored
from irmeval.experiments.significance import Samples
from irmeval.experiments.stability import TIES
from irmeval.experiments.sweep import ALL, Store
from irmeval.metrics import Measure, distinct
from irmeval.params import Param, check
from irmeval.stats.decisions import knee
from irmeval.stats.stability import minority_at, stability
from irmeval.stats.swap import required, swap

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0)
"""Rates between which the knee is looked for."""
FUZZINESS = tuple(f / 100 for f in range(31))
"""Wider than in the papers: measures that tie seldom get to the proportion of ties as well."""
THRESHOLD = 0.05
"""Swap rate."""


class Column(NamedTuple):
    """A criterion, whether more of it is better, the page that shows it at length, and what it is."""

    name: str
    more: bool
    page: str
    meaning: str


@dataclass(frozen=True)
class Params:
    """How much is drawn, and the rate to judge by."""

    rate: Annotated[
        float, Param("rate, %", "Share of the judgments that is kept where measures are judged on reduced ones.", low=0.1, high=99)
    ] = 10.0
    trials: Annotated[int, Param("trials", "Random samples of the judgments per rate.", low=1, high=100)] = 10
    samples: Samples = 1000
    sets: Sets = 1000
    seed: Seed = 1
    rounding: Rounding = "floor"

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class Scorecard:
    """What the experiments say of each measure.

    Attributes
    ----------
    values : float64 [column, measure]
        NaN where a criterion does not apply.
    columns, measures, params : what the axes stand for
    """

    values: np.ndarray
    columns: tuple[Column, ...]
    measures: tuple[Measure, ...]
    params: Params

    @property
    def best(self) -> np.ndarray:
        """bool [column, measure]: nothing beats it."""
        worth = self.worth
        top = np.max(np.where(np.isfinite(worth), worth, -np.inf), axis=1, keepdims=True)
        return worth >= top

    @property
    def worth(self) -> np.ndarray:
        """The values, turned so that more is better [column, measure]."""
        return np.array([row if column.more else -row for column, row in zip(self.columns, self.values, strict=True)])

    @property
    def rank(self) -> np.ndarray:
        """Mean over the columns of a measure's rank, 1 the best, ties at their mean rank; NaN ranks last [measure]."""
        worth = np.where(np.isfinite(self.worth), self.worth, -np.inf)
        above = (worth[:, None, :] > worth[:, :, None]).sum(axis=-1)
        tied = (worth[:, None, :] == worth[:, :, None]).sum(axis=-1)
        return (above + (tied + 1) / 2).mean(axis=0)

    def frame(self) -> "pd.DataFrame":
        """One row per measure, the best mean rank first: the mean rank over the criteria, and these."""
        import pandas as pd

        columns = {c.name: row for c, row in zip(self.columns, self.values, strict=True)}
        frame = pd.DataFrame({"measure": [str(m) for m in self.measures], "mean rank": self.rank, **columns})
        return frame.sort_values("mean rank", kind="stable", ignore_index=True)

    def headline(self) -> str:
        """Which measure comes out best, and in which columns."""
        names, order = [str(m) for m in self.measures], np.argsort(self.rank, kind="stable")
        wins = {m: [c.name for c, row in zip(self.columns, self.best, strict=True) if row[m]] for m in order}
        first = order[0]
        text = f"Over {len(self.columns)} criteria {names[first]} ranks best on average (mean rank {self.rank[first]:.1f} of {len(names)})"
        text += f", and first in {', '.join(wins[first])}." if wins[first] else ", though first in none."
        others = [f"{names[m]} in {', '.join(wins[m])}" for m in order[1:] if wins[m]]
        return text + (f" First are also {'; '.join(others)}." if others else "")

    def charts(self) -> list[Chart]:
        """The ranks."""
        return [
            Chart(
                "Rank by each criterion",
                "A row per measure, best mean rank on top; the deeper a cell, the better its measure by that criterion. A row deep from end to end is "
                "robust in every respect.",
                self._ranks,
            )
        ]

    def tables(self) -> "dict[str, pd.DataFrame]":
        """The scorecard."""
        return {"Scorecard": self.frame()}

    def _ranks(self) -> "go.Figure":
        from irmeval.plots import cells

        order = np.argsort(self.rank, kind="stable")
        worth = np.where(np.isfinite(self.worth), self.worth, -np.inf)
        rank = 1.0 + (worth[:, None, :] > worth[:, :, None]).sum(axis=-1)
        names = [str(self.measures[m]) for m in order]
        return cells.cells(
            names,
            [c.name for c in self.columns],
            rank[:, order].T,
            title="rank",
            low=1.0,
            high=max(len(names), 2.0),
            form=".0f",
            reverse=True,
        )


@experiment(
    "scorecard",
    title="Scorecard",
    source="Sakai & Kando 2008; Bompada et al. 2007; Sakai 2007 (reliability of graded relevance metrics); see the pages",
    params=Params,
)
def scorecard(
    collection: Collection,
    measures: Sequence[str | Measure],
    params: Params = Params(),
    *,
    store: Store[np.ndarray] | None = None,
    decided: Store[deciding.Cell] | None = None,
    progress: Progress | None = None,
) -> Scorecard:
    """Each measure goes through the experiments of the other pages, with the parameters of the papers: how well the order of the runs and their
    significant differences survive the loss of judgments, and how stable and sensitive the measure is over other topics.

    `store` and `decided` are those of the experiments incompleteness and decisions, for the same collection, seed, rounding and samples. Raises
    `ParamError` where there are too few runs or topics.
    """
    chosen = distinct(measures)
    scores = scored(collection, chosen)
    rates = tuple(sorted({*RATES, params.rate}, reverse=True))
    curved, decided_on = params.trials * sum(rate < ALL for rate in rates), params.trials

    def part(offset: int) -> Progress:
        return lambda done, total: progress(offset + done, curved + decided_on + len(chosen)) if progress else None

    curves = reducing.incompleteness(
        collection,
        chosen,
        reducing.Params(rates, trials=params.trials, seed=params.seed, rounding=params.rounding),
        store=store,
        progress=part(0),
    )
    outcome = deciding.significance_decisions(
        collection,
        chosen,
        deciding.Params((ALL, params.rate), trials=params.trials, seed=params.seed, rounding=params.rounding, samples=params.samples),
        store=decided,
        progress=part(curved),
    )
    minority, sensitivity = [], []
    for m, values in enumerate(scores.values):
        minority.append(minority_at(stability(values, sets=params.sets, seed=params.seed, fuzziness=FUZZINESS), TIES))
        sensitivity.append(required(swap(values, trials=params.sets, seed=params.seed), threshold=THRESHOLD).sensitivity)
        part(curved + decided_on)(m + 1, len(chosen))
    at = rates.index(params.rate)
    tau = curves.tau.mean(axis=-1)
    (_, made_up), (_, kept) = np.moveaxis(outcome.decisions.confusion[:, 1].sum(axis=1), 0, -1)
    told = made_up + kept
    left = curves.mean[:, at].mean(axis=-1)
    before = curves.full.mean(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        drop, errors = np.abs(1 - left / before), np.where(told > 0, made_up / told, np.nan)
    percent = f"{params.rate:g}%"
    found: dict[Column, Any] = {
        Column(
            f"tau {percent}",
            True,
            "incompleteness/curves",
            f"Kendall's tau of the order of the runs with {percent} of the judgments and with all, mean over trials.",
        ): tau[:, at],
        Column(
            "knee (%)", False, "incompleteness/curves", "The lowest share of the judgments at which tau is still above .9, interpolated."
        ): knee(np.array(rates), tau).interpolated,
        Column(
            "power 100%", True, "significance/power", "Share of the run pairs told apart by the paired bootstrap at .05 on all judgments."
        ): outcome.full.mean(axis=-1),
        Column(
            f"power {percent}", True, "incompleteness/decisions", f"The same with {percent} of the judgments, mean over trials."
        ): outcome.power[:, 1].mean(axis=-1),
        Column(
            f"errors {percent}", False, "incompleteness/decisions", "Of the pairs told apart then, the share that is not on all judgments."
        ): errors,
        Column(
            f"mean off {percent}",
            False,
            "incompleteness/curves",
            f"By how much of itself the mean score rises or falls, with {percent} of the judgments.",
        ): drop,
        Column(f"MR at PT {TIES:.0%}", False, "reliability/stability", "Minority rate where 10% of the comparisons tie."): np.array(
            minority
        ),
        Column(
            f"sensitivity {THRESHOLD:.0%}",
            True,
            "reliability/swap",
            "Share of comparisons with a difference that at most 5% of other topic sets contradict.",
        ): np.array(sensitivity),
    }
    return Scorecard(np.array(list(found.values()), dtype=float), tuple(found), chosen, params)
