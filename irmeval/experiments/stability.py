"""How often do other topics mislead, and how often do they not tell two runs apart?"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import numpy as np

from irmeval.collection import Collection
from irmeval.experiments.base import Chart, Progress, experiment
from irmeval.experiments.scored import Scored, Seed, Sets, Size, scored
from irmeval.metrics import Measure
from irmeval.params import Param, check
from irmeval.reading.matrix import Matrix
from irmeval.stats import stability as method
from irmeval.stats.stability import FUZZINESS, Stability, minority_at

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

TIES = 0.1
"""Proportion of ties at which measures are compared."""
WAYS = ("without", "with")

Replacement = Annotated[
    str, Param("replacement", "without: a topic is in a set once at most, as in the papers. with: topics may be drawn again.", choices=WAYS)
]


@dataclass(frozen=True)
class Params:
    """Which topic sets, and when two means tie."""

    size: Size = None
    replacement: Replacement = "without"
    sets: Sets = 1000
    seed: Seed = 1
    fuzziness: Annotated[
        tuple[float, ...],
        Param(
            "fuzziness f",
            "Two means tie where they differ by less than this share of the larger.",
            low=0,
            high=1,
            offers=(*FUZZINESS, 0.15, 0.2, 0.3),
        ),
    ] = FUZZINESS

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class MinorityRates:
    """Wins and ties of every pair of runs over random topic sets.

    Attributes
    ----------
    found : Stability, each int [measure, fuzziness, pair]
    scores : Scored
    size : topics in a set
    params : Params
    """

    found: Stability
    scores: Scored
    size: int
    params: Params

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures, none for a score matrix."""
        return self.scores.measures

    @cached_property
    def at_ties(self) -> np.ndarray:
        """Minority rate at a proportion of ties of `TIES` [measure], NaN where the curve does not get there."""
        return minority_at(self.found, TIES)

    @cached_property
    def order(self) -> np.ndarray:
        """The measures, the steadiest first: by the minority rate at `TIES`, or where that is not known, by the whole curve."""
        whole = (self.found.minority_rate + self.found.proportion_of_ties).mean(axis=-1)
        return np.lexsort((whole, self.at_ties))

    def frame(self) -> "pd.DataFrame":
        """One row per observation: measure, fuzziness, minority_rate, proportion_of_ties."""
        import pandas as pd

        index = pd.MultiIndex.from_product([self.scores.names, self.params.fuzziness], names=["measure", "fuzziness"])
        columns = {"minority_rate": self.found.minority_rate.ravel(), "proportion_of_ties": self.found.proportion_of_ties.ravel()}
        return pd.DataFrame(columns, index).reset_index()

    def summary(self) -> "pd.DataFrame":
        """One row per measure, the steadiest first: minority rate at 10% ties, and both rates at the smallest, the middle and the largest f."""
        import pandas as pd

        f = self.params.fuzziness
        columns = {"measure": self.scores.names, f"MR at PT {TIES:.0%}": self.at_ties}
        for k in dict.fromkeys((0, (len(f) - 1) // 2, len(f) - 1)):
            columns |= {f"MR at f {f[k]:g}": self.found.minority_rate[:, k], f"PT at f {f[k]:g}": self.found.proportion_of_ties[:, k]}
        return pd.DataFrame(columns).iloc[self.order].reset_index(drop=True)

    def of_pairs(self, name: str, f: float) -> "pd.DataFrame":
        """One row per pair of runs, the least steady first: in how many sets the one or the other is better, ties, minority rate."""
        import pandas as pd

        m, k = self.scores.names.index(name), self.params.fuzziness.index(f)
        a, b = self.scores.pair_names()
        means = self.scores.values[m].mean(axis=-1)
        i, j = np.triu_indices(len(means), 1)
        columns = {
            "run a": a,
            "run b": b,
            "difference": means[i] - means[j],
            "a better": self.found.wins[m, k],
            "b better": self.found.losses[m, k],
            "ties": self.found.ties[m, k],
            "minority rate": self.found.minority_of_pairs[m, k],
        }
        return pd.DataFrame(columns).sort_values("minority rate", ascending=False, kind="stable", ignore_index=True)

    def headline(self) -> str:
        """Which measure misleads least and most often where it ties as often as the others."""
        names = self.scores.names
        first = self.order[0]
        sets = f"({self.params.sets:,} sets of {self.size} topics, {self.scores.pairs:,} pairs of runs)"
        if np.isnan(self.at_ties[first]):
            low, high = self.found.proportion_of_ties.min(), self.found.proportion_of_ties.max()
            return f"{low:.1%} to {high:.1%} of the comparisons tie {sets}: no measure passes {TIES:.0%} within these f, where measures are compared.{self.scores.left_out()}"
        text = f"Where {TIES:.0%} of the comparisons tie {sets}, {names[first]} misleads least often, {self.at_ties[first]:.1%}"
        worst = [m for m in self.order if np.isfinite(self.at_ties[m])][-1]
        text += f", and {names[worst]} most often, {self.at_ties[worst]:.1%}." if worst != first else "."
        never = [names[m] for m in self.order if np.isnan(self.at_ties[m])]
        return (
            text + (f" Not compared, as they never tie that often or seldom: {', '.join(never)}." if never else "") + self.scores.left_out()
        )

    def charts(self) -> list[Chart]:
        """Minority rate against proportion of ties."""
        return [
            Chart(
                "Minority rate and ties",
                f"Each point is one f. Up: how often a set of {self.size} topics says the opposite of what most sets say. To the right: how often it "
                f"does not tell two runs apart. The further to the lower left, the better. Beside the names: the minority rate at {TIES:.0%} ties.",
                self._curves,
            )
        ]

    def tables(self) -> "dict[str, pd.DataFrame]":
        """Per measure; the curves; pairs of runs by the first measure at the middle f."""
        f = self.params.fuzziness
        name = self.scores.names[0]
        return {"Measures": self.summary(), "Curves": self.frame(), f"Run pairs by {name}": self.of_pairs(name, f[(len(f) - 1) // 2])}

    def _curves(self) -> "go.Figure":
        from irmeval.plots import paths, theme

        style = theme.styles(self.scores.names)
        lines = []
        for m in self.order:
            name, MR, PT = self.scores.names[m], self.found.minority_rate[m], self.found.proportion_of_ties[m]
            note = "" if np.isnan(self.at_ties[m]) else f"{self.at_ties[m]:.1%}"
            lines.append(paths.Path(name, PT, MR, style[name], note, [f"f = {f:g}" for f in self.params.fuzziness]))
        return paths.paths(lines, xtitle="proportion of ties", ytitle="minority rate", mark=TIES)


@experiment(
    "stability",
    title="Stability",
    source="Buckley & Voorhees 2000; Sakai 2007 (reliability of graded relevance metrics), Section 4.2, Figs. 1-6",
    params=Params,
    matrix=True,
)
def stability(
    source: Collection | Matrix,
    measures: Sequence[str | Measure] = (),
    params: Params = Params(),
    *,
    only: Sequence[str] = (),
    progress: Progress | None = None,
) -> MinorityRates:
    """Random sets of topics are drawn, the same for all measures. On each, every pair of runs is won by the one with the higher mean, or tied
    where the means are too close. The minority rate is how often a set favours the run that most sets do not; it is bought with ties.

    Raises `ParamError` where there are too few runs or topics.
    """
    scores = scored(source, measures, only)
    size = params.size or len(scores.topics) // 2
    with_replacement = params.replacement == "with"
    found = []
    for m, values in enumerate(scores.values):
        if progress:
            progress(m, len(scores.names))
        found.append(
            method.stability(values, size=size, sets=params.sets, seed=params.seed, replace=with_replacement, fuzziness=params.fuzziness)
        )
    return MinorityRates(Stability(*map(np.stack, zip(*found, strict=True))), scores, size, params)
