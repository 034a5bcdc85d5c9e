"""Which pairs of runs are still told apart as judgments disappear, and whether rightly."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.incompleteness import PAPERS, Method, Rates, Rounding, Seed, banded, said_of_band
from irmeval.experiments.significance import Alpha, Correct, Samples, Test, run_test
from irmeval.experiments.sweep import Sample, Store, by_rate
from irmeval.metrics import Measure, distinct
from irmeval.params import Param, check
from irmeval.stats.corrections import adjust
from irmeval.stats.correlation import tau_b
from irmeval.stats.decisions import Decisions, Knee, decisions, knee

if TYPE_CHECKING:
    import pandas as pd


class Cell(NamedTuple):
    """What is kept of one measure on one sample of the judgments."""

    p: np.ndarray
    """float64 [pair], not corrected"""
    means: np.ndarray
    """float64 [run]"""
    topics: int
    """topics with a score for every run"""


@dataclass(frozen=True)
class Params:
    """What to reduce, and how the pairs are tested."""

    rates: Rates = PAPERS
    trials: Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=100)] = 10
    seed: Seed = 1
    rounding: Rounding = "floor"
    method: Method = "stratified"
    test: Test = "bootstrap"
    samples: Samples = 1000
    alpha: Alpha = 0.05
    correction: Correct = "none"
    pairs: Annotated[
        int, Param("random pairs", "Decide on so many pairs, drawn at random, as Bompada et al. on 300. 0: all.", low=0, high=10_000_000)
    ] = 0
    threshold: Annotated[float, Param("knee at", "The knee of a curve is the lowest rate at which it is above this.", low=0, high=1)] = 0.9

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Significance decisions on reduced judgments, and those on full ones. Pairs are in the order of ``np.triu_indices(runs, 1)``.

    Attributes
    ----------
    full : bool [measure, pair]
        Whether the pair is told apart on the full judgments.
    reduced : bool [measure, rate, trial, pair]
    tau : float64 [measure, rate, trial]
        Kendall's tau-b of the order of all runs with that on the full judgments.
    topics : int [measure, rate, trial]
        How many topics have a score for every run.
    measures, runs, params : what the axes stand for
    """

    full: np.ndarray
    reduced: np.ndarray
    tau: np.ndarray
    topics: np.ndarray
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    params: Params

    @cached_property
    def power(self) -> np.ndarray:
        """Share of the pairs told apart [measure, rate, trial]."""
        return self.reduced.mean(axis=-1)

    @cached_property
    def decisions(self) -> Decisions:
        """Agreement with the decisions on full judgments, each [measure, rate, trial]."""
        return decisions(self.full[:, None, None, :], self.reduced)

    def knees(self) -> "dict[str, Knee]":
        """The knees of the mean curves of tau and of accuracy, each [measure]."""
        curves = {"tau": self.tau, "accuracy": self.decisions.accuracy}
        rates = np.array(self.params.rates)
        return {name: knee(rates, curve.mean(axis=-1), threshold=self.params.threshold) for name, curve in curves.items()}

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, rate (per cent), trial; power, accuracy and the rest of `Decisions`; the four cells; tau; topics."""
        import pandas as pd

        found = self.decisions
        names = [str(m) for m in self.measures]
        index = pd.MultiIndex.from_product([names, self.params.rates, range(1, self.params.trials + 1)], names=["measure", "rate", "trial"])
        columns = {
            "power": self.power,
            "accuracy": found.accuracy,
            "g_mean": found.g_mean,
            "false_positive_rate": found.false_positive_rate,
            "false_negative_rate": found.false_negative_rate,
            "error_rate": found.error_rate,
            **{f"c{i + 1}{j + 1}": found.confusion[..., i, j] for i in (0, 1) for j in (0, 1)},
            "tau": self.tau,
            "topics": self.topics,
        }
        return pd.DataFrame({name: values.ravel() for name, values in columns.items()}, index).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure and rate: means over trials."""
        return self.frame().drop(columns="trial").groupby(["measure", "rate"], sort=False).mean().reset_index()

    def table_of_knees(self) -> "pd.DataFrame":
        """One row per measure: the knees of tau and accuracy, by linear interpolation and as the lowest rate measured (Bompada Tables 3, 5)."""
        import pandas as pd

        columns = {
            f"{name}, {how}": values
            for name, found in self.knees().items()
            for how, values in (("interpolated", found.interpolated), ("measured", found.measured))
        }
        return pd.DataFrame({"measure": [str(m) for m in self.measures], **columns})

    def table_of_errors(self) -> "pd.DataFrame":
        """One row per measure, at the lowest rate: pairs told apart on full and on reduced judgments, and those of the latter that are
        not among the former (SK08 Table 5); means over trials, the rate being errors of all trials over pairs of all trials."""
        import pandas as pd

        (_, made_up), (_, kept) = np.moveaxis(self.decisions.confusion[:, -1].mean(axis=1), 0, -1)
        told = made_up + kept
        columns = {
            "measure": [str(m) for m in self.measures],
            "told apart at 100%": self.full.sum(axis=-1),
            f"told apart at {self.params.rates[-1]:g}%": told,
            "of these not at 100%": made_up,
            "error rate": np.divide(made_up, told, out=np.full(len(told), np.nan), where=told > 0),
        }
        return pd.DataFrame(columns).sort_values("error rate", kind="stable", ignore_index=True)

    def confusion(self, name: str, rate: float) -> np.ndarray:
        """Pairs, mean over trials: rows not told apart, told apart on full judgments, columns on reduced ones [2, 2]."""
        m = [str(m) for m in self.measures].index(name)
        return self.decisions.confusion[m, self.params.rates.index(rate)].mean(axis=0)

    def headline(self) -> str:
        """Which measure still tells most pairs apart at the lowest rate, and whose decisions change least."""
        names, rate = [str(m) for m in self.measures], self.params.rates[-1]
        power, accuracy = self.power[:, -1].mean(axis=-1), self.decisions.accuracy[:, -1].mean(axis=-1)
        first, last, steady = int(power.argmax()), int(power.argmin()), int(accuracy.argmax())
        before = self.full.mean(axis=-1)
        fewest = int(self.topics.min())
        few = f" In some samples only {fewest} topics have a score for every run." if fewest < self.topics.max() else ""
        return (
            f"With {rate:g}% of the judgments left, {names[first]} tells most of {self.full.shape[-1]:,} pairs of runs apart, "
            f"{power[first]:.1%} ({before[first]:.1%} on all judgments), and {names[last]} fewest, {power[last]:.1%} ({before[last]:.1%}); "
            f"the decisions of {names[steady]} change least ({accuracy[steady]:.1%} stay).{few}"
        )

    def charts(self) -> list[Chart]:
        """Power, accuracy, g-mean, and the rates of the two errors against the rate."""
        found, over = self.decisions, said_of_band(self.params.trials)
        told = [
            (
                "Discriminative power",
                "Share of the pairs of runs told apart. A curve that falls is a measure that sees less; one that rises sees what is not there",
                self.power,
            ),
            ("Accuracy", "Share of the pairs with the same decision as on full judgments; dotted is the level of the knee", found.accuracy),
            (
                "g-mean",
                "How well the pairs that are not told apart stay those: the geometric mean of their shares in the full and in the reduced decisions",
                found.g_mean,
            ),
            (
                "Differences missed",
                "Of the pairs told apart on full judgments, the share no longer told apart (the false positives of Bompada et al., who count "
                "an accepted H0 as positive)",
                found.false_positive_rate,
            ),
            (
                "Differences made up",
                "Of the pairs not told apart on full judgments, the share told apart now (the false negatives of Bompada et al.)",
                found.false_negative_rate,
            ),
        ]
        return [self._chart(title, f"{caption}; {over}.", values) for title, caption, values in told]

    def _chart(self, title: str, caption: str, values: np.ndarray) -> Chart:
        share = title in ("Accuracy", "g-mean")
        top, threshold = (1.0 if share else None), (self.params.threshold if title == "Accuracy" else None)
        return Chart(title, caption, lambda: banded(self.measures, self.params.rates, values, title.lower(), top=top, threshold=threshold))

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per measure and rate; knees; errors at the lowest rate; every trial."""
        errors = f"Errors at {self.params.rates[-1]:g}%"
        return {"Summary": self.summary(), "Knees": self.table_of_knees(), errors: self.table_of_errors(), "Every trial": self.frame()}


@experiment(
    "decisions",
    title="Decisions",
    source="Bompada et al. 2007, Fig. 2, Tables 3, 5; Sakai & Kando 2008, Figs. 5-6, Table 5",
    params=Params,
)
def significance_decisions(
    collection: Collection,
    measures: Sequence[str | Measure],
    params: Params = Params(),
    *,
    store: Store[Cell] | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Judgments are taken away at random, in the very samples that the curves of mean score and tau show; on what is left, every pair of
    runs is tested again, and the decision compared with that on the full judgments.

    What a `store` holds is not tested again; one serves one collection, seed, rounding, method, test and number of samples. Raises `ParamError`
    where on full judgments there are fewer than two runs, or two topics with a score for every run.
    """
    chosen = distinct(measures)

    def cell(sample: Sample) -> Cell:
        if not sample.full and np.count_nonzero(~np.isnan(sample.values).any(axis=0)) < 2:
            # no test is possible, so that no pair is told apart
            runs = len(collection.runs)
            return Cell(np.ones(runs * (runs - 1) // 2), sample.means, 0)
        tested = run_test(sample.measure, sample.values, collection.topics, test=params.test, samples=params.samples, seed=params.seed)
        return Cell(tested.pairs.p, sample.means, len(tested.topics))

    full, cells = by_rate(collection, chosen, params, cell, {} if store is None else store, progress)
    picked = _picked(len(collection.runs), params)
    reduced = [[[_told_apart(cell, picked, params) for cell in row] for row in rows] for rows in cells]
    means = np.array([[[cell.means for cell in row] for row in rows] for rows in cells])
    return Outcome(
        full=np.array([_told_apart(cell, picked, params) for cell in full]),
        reduced=np.array(reduced),
        tau=tau_b(means, np.array([cell.means for cell in full])[:, None, None, :]),
        topics=np.array([[[cell.topics for cell in row] for row in rows] for rows in cells]),
        measures=chosen,
        runs=collection.runs,
        params=params,
    )


def _picked(runs: int, params: Params) -> np.ndarray:
    """The pairs to decide on, ascending."""
    pairs = runs * (runs - 1) // 2
    if not 0 < params.pairs < pairs:
        return np.arange(pairs)
    return np.sort(np.random.default_rng(params.seed).choice(pairs, params.pairs, replace=False))


def _told_apart(cell: Cell, picked: np.ndarray, params: Params) -> np.ndarray:
    return adjust(cell.p[picked], params.correction) < params.alpha
