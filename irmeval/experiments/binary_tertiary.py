"""Do grades of relevance help to keep the order of the runs as judgments disappear?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irmeval import parallel
from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.incompleteness import PAPERS, Rates, Rounding, Seed, band, banded, said_of_band
from irmeval.experiments.parameters import GAINS, having
from irmeval.metrics import Measure, distinct
from irmeval.params import Param, check
from irmeval.reductions import draw
from irmeval.scores import evaluate
from irmeval.stats.correlation import tau_b

if TYPE_CHECKING:
    import pandas as pd

MAPS = {"binary": "flat", "tertiary 2:1": "bompada2", "tertiary 10:1": "bompada10", "tertiary 100:1": "bompada100"}


@dataclass(frozen=True)
class Params:
    """What to reduce, how often, and from which seed."""

    rates: Rates = PAPERS
    trials: Annotated[int, Param("trials", "Random samples per rate; the band is over them.", low=1, high=1000)] = 10
    seed: Seed = 1
    rounding: Rounding = "floor"

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class BinaryTertiary:
    """Order of the runs as judgments disappear, with relevance in one grade and in two.

    Attributes
    ----------
    tau : float64 [measure, map, rate, trial]
        Kendall's tau-b with the order on full judgments, with the same gains.
    measures, params : what the axes stand for; maps are `MAPS`
    """

    tau: np.ndarray
    measures: tuple[Measure, ...]
    params: Params

    @cached_property
    def mean(self) -> np.ndarray:
        """Tau, mean over trials [measure, map, rate]."""
        return self.tau.mean(axis=-1)

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, gains, rate (per cent), trial, tau."""
        import pandas as pd

        trials = range(1, self.params.trials + 1)
        axes = {"measure": [str(m) for m in self.measures], "gains": list(MAPS), "rate": self.params.rates, "trial": trials}
        return pd.DataFrame({"tau": self.tau.ravel()}, pd.MultiIndex.from_product(axes.values(), names=axes)).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure, gains and rate: mean over trials, 5th and 95th percentile."""
        import pandas as pd

        low, middle, high = band(self.tau)
        axes = {"measure": [str(m) for m in self.measures], "gains": list(MAPS), "rate": self.params.rates}
        columns = {"tau": middle.ravel(), "tau_low": low.ravel(), "tau_high": high.ravel()}
        return pd.DataFrame(columns, pd.MultiIndex.from_product(axes.values(), names=axes)).reset_index()

    def headline(self) -> str:
        """By how much tau differs between binary and tertiary gains, at most."""
        apart = np.abs(self.mean[:, 1:] - self.mean[:, :1])
        if not np.isfinite(apart).any():
            return "There is no order of runs to compare: none differ."
        m, g, r = np.unravel_index(int(np.nanargmax(apart)), apart.shape)
        name, which, rate = self.measures[m], list(MAPS)[g + 1], self.params.rates[r]
        before, after = self.mean[m, 0, r], self.mean[m, g + 1, r]
        return (
            f"Binary and {which} gains of {name} differ most at {rate:g}% of the judgments: tau {before:.3f} and {after:.3f}; "
            f"on average over rates, measures and gains they are {np.nanmean(apart):.3f} apart."
        )

    def charts(self) -> list[Chart]:
        """Tau against the rate by the first measure."""
        return [self.chart_of(str(self.measures[0]))]

    def chart_of(self, name: str) -> Chart:
        """Tau against the rate by one measure, a line per gain map."""
        tau = self.tau[[str(m) for m in self.measures].index(name)]
        return Chart(
            f"Binary and tertiary {name}",
            "Kendall's tau of the order of the runs with that on full judgments, with the same gains: all relevant documents alike (binary), or highly "
            f"relevant ones worth 2, 10 or 100 times as much (tertiary). Where the lines run together, grades do not help; {said_of_band(self.params.trials)}.",
            lambda: banded(list(MAPS), self.params.rates, tau, "Kendall's tau with the full judgments", top=1.0, threshold=0.9),
        )

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per measure, gains and rate; and every trial."""
        return {"Summary": self.summary(), "Every trial": self.frame()}


@experiment("binary-tertiary", title="Binary and tertiary", source="Bompada et al. 2007, Section 5.4, Fig. 3", params=Params)
def binary_tertiary(
    collection: Collection, measures: Sequence[str | Measure], params: Params = Params(), *, progress: Progress | None = None
) -> BinaryTertiary:
    """Judgments are taken away at random. The graded measures are computed on what is left, once with all relevant documents alike and then with highly
    relevant ones worth more, and the order of the runs is compared with that on the full judgments.

    Measures that do not tell grades apart are left out. Raises `ParamError` where none is left.
    """
    chosen = having(distinct(measures), GAINS)
    if not chosen:
        raise ParamError("gains: none of the measures tells grades of relevance apart; pick nDCG or Q, say.")
    tick = parallel.ticker(progress, params.trials)

    def means(grades: np.ndarray) -> np.ndarray:
        """Means [measure, map, run]."""
        return np.stack([evaluate(collection, chosen, grades=grades, gains=given).means for given in MAPS.values()], axis=1)

    full = means(collection.grade)

    def step(trial: int) -> np.ndarray:
        vectors = draw(collection, "stratified", [r / 100 for r in params.rates], trial, params.seed, rounding=params.rounding)
        found = np.stack(
            [tau_b(full if rate == 100 else means(vector), full) for rate, vector in zip(params.rates, vectors, strict=True)], axis=-1
        )
        tick(1)
        return found

    return BinaryTertiary(np.stack(parallel.each(step, range(1, params.trials + 1)), axis=-1), chosen, params)
