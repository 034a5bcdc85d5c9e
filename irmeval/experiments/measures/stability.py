"""How often other topics contradict the order of two runs, and how often two runs
tie.
"""

from functools import cached_property

import numpy as np

from irmeval.core.params import checked
from irmeval.core.text import count_noun, list_all
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.headlines import best_and_worst
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import (
    Chart,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    of_pairs,
    table,
    tidy,
)
from irmeval.experiments.scored import OfScores, Scored, score_runs
from irmeval.experiments.settings import Fuzziness, Replacement, Seed, Sets, Size
from irmeval.plots import line_charts, theme
from irmeval.stats import topic_sets as method
from irmeval.stats.topic_sets import FUZZINESS, WinsAndTies, minority_rate_at

TIES = 0.1
"""Proportion of ties at which measures are compared."""


@checked
class Params:
    """Sampling of topic sets, and the definition of ties."""

    size: Size = None
    replacement: Replacement = "without"
    sets: Sets = 1000
    seed: Seed = 1
    fuzziness: Fuzziness = FUZZINESS


class Stability(OfScores, Result):
    """Wins and ties of every pair of runs over random topic sets."""

    counts: WinsAndTies
    """each int [measure, fuzziness, pair]"""
    scores: Scored
    size: int
    """topics in a set"""
    params: Params

    @cached_property
    def rates(self) -> tuple[np.ndarray, np.ndarray]:
        """Minority rate and proportion of ties, each [measure, fuzziness]."""
        return self.counts.minority_rate, self.counts.proportion_of_ties

    @cached_property
    def at_ties(self) -> np.ndarray:
        """Minority rate at a proportion of ties of `TIES` [measure]; NaN if the
        curve lies wholly above or below it.
        """
        return minority_rate_at(self.counts, TIES)

    @cached_property
    def order(self) -> np.ndarray:
        """Measures, most stable first: by the minority rate at `TIES`, or by the whole
        curve if that rate is unknown.
        """
        MR, PT = self.rates
        return np.lexsort(((MR + PT).mean(axis=-1), self.at_ties))

    def frame(self) -> Frame:
        """One row per observation: measure, fuzziness, minority_rate,
        proportion_of_ties.
        """
        columns = dict(zip(("minority_rate", "proportion_of_ties"), self.rates, strict=True))
        return tidy({"measure": self.scores.names, "fuzziness": self.params.fuzziness}, columns)

    def summary(self) -> Frame:
        """One row per measure, most stable first: minority rate at 10% ties; it and the
        proportion of ties at the smallest, the middle and the largest f.
        """
        f, (MR, PT) = self.params.fuzziness, self.rates
        columns = {"measure": self.scores.names, f"minority rate at {TIES:.0%} ties": self.at_ties}
        for k in dict.fromkeys((0, (len(f) - 1) // 2, len(f) - 1)):
            columns |= {
                f"minority rate at f {f[k]:g}": MR[:, k],
                f"proportion of ties at f {f[k]:g}": PT[:, k],
            }
        return table(columns).iloc[self.order].reset_index(drop=True)

    def of_pairs(self, name: str, f: float) -> Frame:
        """One row per pair of runs, least stable first: number of sets in which either
        run is better, ties, minority rate.
        """
        m, k = self.scores.names.index(name), self.params.fuzziness.index(f)
        columns = {
            "difference": self.scores.differences(name),
            "a better": self.counts.wins[m, k],
            "b better": self.counts.losses[m, k],
            "ties": self.counts.ties[m, k],
            "minority rate": self.counts.minority_of_pairs[m, k],
        }
        return of_pairs(self.scores.runs, columns, by="minority rate", descending=True)

    def headline(self, choice: str = "") -> str:
        names = self.scores.names
        first = self.order[0]
        pairs = f"{count_noun(self.scores.pairs, 'pair')} of runs"
        sets = (
            f"{count_noun(self.params.sets, 'set')} of {count_noun(self.size, 'topic')} and {pairs}"
        )
        if np.isnan(self.at_ties[first]):
            low, high = f"{self.rates[1].min():.1%}", f"{self.rates[1].max():.1%}"
            return (
                f"{low if low == high else f'{low} to {high}'} of the comparisons tie, over {sets}."
                f" Measures are compared where {TIES:.0%} tie.{self._not_compared()}"
                f"{self.scores.left_out()}"
            )
        contradicted = best_and_worst(
            names,
            self.at_ties,
            "are contradicted by other topics {}",
            ("most", "least"),
            label="minority rate",
            form=".3f",
            low_first=True,
        )
        text = f"Where {TIES:.0%} of the comparisons tie, {contradicted}. Based on {sets}."
        return text + self._not_compared() + self.scores.left_out()

    def _not_compared(self) -> str:
        """A sentence on measures whose curve lies beyond `TIES`, on either side; empty
        if there are none.
        """
        names, ties = self.scores.names, self.rates[1]
        unknown = [m for m in self.order if np.isnan(self.at_ties[m])]
        more = [names[m] for m in unknown if ties[m].min() > TIES]
        fewer = [names[m] for m in unknown if ties[m].max() < TIES]
        last = self.params.fuzziness[-1]
        told = [
            *([f"by {list_all(more)}, more than {TIES:.0%} tie at every f"] if more else []),
            *([f"by {list_all(fewer)}, fewer tie up to f = {last:g}"] if fewer else []),
        ]
        return f" Not compared: {'; '.join(told)}." if told else ""

    def next_steps(self) -> list[NextStep]:
        names = self.scores.names
        first = self.of_pairs(names[0], self.params.fuzziness[0]).iloc[0]
        a, b, known = (
            first["run a"],
            first["run b"],
            self.order[np.isfinite(self.at_ties[self.order])],
        )
        apart = known.size and self.at_ties[known[-1]] > self.at_ties[known[0]]
        least = (
            f"{names[known[-1]]} is the least steady: how large must a difference be?"
            if apart
            else "How large must a difference be?"
        )
        told = (
            f"Sets of topics disagree most about {a} and {b}"
            if self.scores.pairs > 1
            else f"On which topics do {a} and {b} differ?"
        )
        return [NextStep(told, "two-runs", {"run_a": a, "run_b": b}), NextStep(least, "swap")]

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                "curves",
                "Minority rate and ties",
                "Each point is one fuzziness f, the share of the higher mean within which two runs"
                " tie. Vertical: minority rate, how often a set of"
                f" {count_noun(self.size, 'topic')} contradicts most sets. Horizontal: proportion"
                " of ties. Closer to the lower left is better. Beside the names: the minority rate"
                f" at {TIES:.0%} ties.",
                self._curves,
            )
        ]

    def tables(self) -> list[Table]:
        name, f = self.scores.names[0], self.params.fuzziness[(len(self.params.fuzziness) - 1) // 2]
        return [
            Table("measures", "Measures", self.summary),
            Table("curves", "Curves", self.frame),
            Table("pairs", f"Run pairs by {name}", lambda: self.of_pairs(name, f)),
        ]

    def _curves(self) -> Figure:
        style, (MR, PT) = theme.styles(self.scores.names), self.rates
        lines = []
        for m in self.order:
            name = self.scores.names[m]
            note = "" if np.isnan(self.at_ties[m]) else f"{self.at_ties[m]:.3f}"
            lines.append(
                line_charts.Path(
                    name,
                    PT[m],
                    MR[m],
                    style[name],
                    note,
                    [f"f = {f:g}" for f in self.params.fuzziness],
                )
            )
        return line_charts.paths(
            lines, xtitle="proportion of ties", ytitle="minority rate", mark=TIES
        )


@experiment(
    "stability",
    title="Stability",
    question="Would other topics agree?",
    does="count pair orders that change on other topics",
    formula=r"\frac{\sum \min(wins,\,losses)}{\sum sets}",
    source=(
        "Buckley & Voorhees 2000; Sakai 2007 (reliability of graded relevance metrics), Section"
        " 4.2, Figs. 1-6"
    ),
    takes=(COLLECTION, MATRIX, MEASURES),
    first={"sets": 100},
    needs=PAIRS,
)
def stability(work: Work[Params]) -> Stability:
    """Draws random sets of topics, the same for all measures. On each set, the run with
    the higher mean wins a pair, or the pair ties if the means are too close. The
    minority rate is how often a set favours the run that most sets do not favour; ties
    lower it.

    Raises `ParamError` if there are too few runs or topics.
    """
    scores, params = score_runs(work), work.params
    size = params.size or len(scores.topics) // 2
    again = params.replacement == "with"
    counts = [
        method.stability(
            values,
            size=size,
            sets=params.sets,
            seed=params.seed,
            replace=again,
            fuzziness=params.fuzziness,
        )
        for values in work.steps(scores.values)
    ]
    return Stability(WinsAndTies(*map(np.stack, zip(*counts, strict=True))), scores, size, params)
