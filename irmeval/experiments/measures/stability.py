"""How often other topics contradict the order of two runs, and how often two runs
tie.
"""

from functools import cached_property

import numpy as np

from irmeval.core.params import checked
from irmeval.core.text import count_noun, list_all, names_or_number
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
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
from irmeval.plots import colors, line_charts
from irmeval.stats import topic_sets as method
from irmeval.stats.topic_sets import (
    FUZZINESS,
    WinsAndTies,
    minority_rate_at,
    minority_rate_over_runs,
)

TIES = 0.1
"""Proportion of ties at which measures are compared."""
SELDOM = 0.05
"""Minority rate below which other topics are said to agree mostly."""
ENDS = (2.5, 97.5)
"""Percentiles that are the ends of a 95% interval."""


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
        # the last key counts first, and NaN is last
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
        columns |= dict(zip(("low", "high"), self.interval, strict=True))
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

    @property
    def shown_fuzziness(self) -> float:
        """The fuzziness at which pairs of runs are listed: the middle one."""
        return self.params.fuzziness[(len(self.params.fuzziness) - 1) // 2]

    @cached_property
    def resampled(self) -> np.ndarray:
        """`at_ties` with the runs resampled [sample, measure]."""
        # runs, not pairs, which share them and are not independent
        return minority_rate_over_runs(
            self.counts, len(self.scores.runs), TIES, seed=self.params.seed
        )

    @cached_property
    def interval(self) -> np.ndarray:
        """95% interval of `at_ties` over runs [2, measure]; NaN where that is unknown, or
        a tenth of the resamples does not reach it.
        """
        return _ends(self.resampled)

    def facts(self, choice: str = "") -> list[Fact]:
        """The minority rate of each measure whose curve reaches `TIES`, most stable
        first.
        """
        what = f"minority rate at {TIES:.0%} ties"
        known = [m for m in self.order if np.isfinite(self.at_ties[m])]
        return [Fact(what, self.scores.names[m], "", float(self.at_ties[m])) for m in known]

    def verdict(self, choice: str = "") -> Verdict:
        facts = self.facts()
        sets = f"{count_noun(self.params.sets, 'set')} of {count_noun(self.size, 'topic')}"
        on = f"{sets}, {count_noun(self.scores.pairs, 'pair')} of runs.{self.scores.left_out()}"
        if not facts:
            low, high = f"{self.rates[1].min():.1%}", f"{self.rates[1].max():.1%}"
            tie = low if low == high else f"{low} to {high}"
            return Verdict(
                f"Not known: {tie} of the comparisons tie, and measures are compared where"
                f" {TIES:.0%} tie.",
                f"Over {on}",
                self._not_compared().strip(),
            )
        least, most = facts[0], facts[-1]
        answer = "Mostly" if most.value < SELDOM else "Partly"
        said = f"sets of {count_noun(self.size, 'topic')} contradict the order of two runs in"
        rarely, often = f"{least.value:.1%}", f"{most.value:.1%}"
        cases = f"{rarely} of cases by {least.measure}, {often} by {most.measure}"
        if rarely == often:
            known = [fact.measure for fact in facts]
            by = names_or_number(known, len(self.scores.names), "measure")
            cases = f"{rarely} of cases by {by}"
        return Verdict(
            f"{answer}: {said} {cases}.",
            f"Where {TIES:.0%} of the comparisons tie, over {on}",
            f"{self._describe_difference(least, most)}{self._not_compared()}".strip(),
        )

    def _describe_difference(self, least: Fact, most: Fact) -> str:
        """A sentence on the difference of two measures, with its interval over runs; empty
        for one measure.
        """
        a, b = (self.scores.names.index(fact.measure) for fact in (least, most))
        low, high = _ends(self.resampled[:, b] - self.resampled[:, a])
        if a == b or np.isnan(low):
            return ""
        both = f"{most.measure} and {least.measure}"
        over = f"{low:.1%} to {high:.1%} (95% interval over runs)"
        if low <= 0:
            return f" With other runs, {both} could change places: they differ by {over}."
        return f" {both} differ by {over}."

    def _not_compared(self) -> str:
        """A sentence on measures whose curve lies beyond `TIES`, on either side; empty
        if there are none.
        """
        names, ties = self.scores.names, self.rates[1]
        # a larger f makes more ties and fewer minorities, so that rates at unlike ties say
        # nothing
        unknown = [m for m in self.order if np.isnan(self.at_ties[m])]
        more = [names[m] for m in unknown if ties[m].min() > TIES]
        fewer = [names[m] for m in unknown if ties[m].max() < TIES]
        told = []
        if more:
            told.append(f"by {list_all(more)}, more than {TIES:.0%} tie at every f")
        if fewer:
            last = self.params.fuzziness[-1]
            told.append(f"by {list_all(fewer)}, fewer tie up to f = {last:g}")
        return f" Not compared: {'; '.join(told)}." if told else ""

    def next_steps(self) -> list[NextStep]:
        first = self.of_pairs(self.scores.names[0], self.shown_fuzziness).iloc[0]
        a, b = first["run a"], first["run b"]
        return [
            NextStep(f"Where do {a} and {b} differ?", "two-runs", {"run_a": a, "run_b": b}),
            NextStep("How large must a difference be?", "swap"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        return [
            Chart(
                "curves",
                "Minority rate and ties",
                f"How often a set of {count_noun(self.size, 'topic')} contradicts most sets; beside"
                f" the names: at {TIES:.0%} ties, with a 95% interval over runs. Each point is one"
                " fuzziness f, by how many pairs tie; closer to the lower left is better.",
                self._curves,
            )
        ]

    def _note(self, m: int) -> str:
        """The minority rate of a measure, with its interval; empty if unknown."""
        if np.isnan(self.at_ties[m]):
            return ""
        low, high = self.interval[:, m]
        within = "" if np.isnan(low) else f" ({low:.1%} to {high:.1%})"
        return f"{self.at_ties[m]:.1%}{within}"

    def tables(self) -> list[Table]:
        name, f = self.scores.names[0], self.shown_fuzziness
        return [
            Table("measures", "Measures", self.summary),
            Table("curves", "Curves", self.frame),
            Table("pairs", f"Run pairs by {name}", lambda: self.of_pairs(name, f)),
        ]

    def _curves(self) -> Figure:
        style, (MR, PT) = colors.styles(self.scores.names), self.rates
        lines = []
        for m in self.order:
            name = self.scores.names[m]
            note = self._note(m)
            lines.append(
                line_charts.Path(
                    name,
                    100 * PT[m],
                    100 * MR[m],
                    style[name],
                    note,
                    [f"f = {f:g}" for f in self.params.fuzziness],
                )
            )
        return line_charts.paths(
            lines, xtitle="proportion of ties, %", ytitle="minority rate, %", mark=100 * TIES
        )


def _ends(resampled: np.ndarray) -> np.ndarray:
    """95% interval of values that were resampled [sample, ...]; NaN where a tenth of
    them or more is unknown.
    """
    # samples of runs whose curve does not reach the ties have no value; where many have none,
    # the others are those with few ties, not a fair choice
    known = np.isfinite(resampled).mean(axis=0) > 1 - TIES
    filled = np.where(known, resampled, 0.0)
    return np.where(known, np.nanpercentile(filled, ENDS, axis=0), np.nan)


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
    # half of them, as Sakai 2007 draws sets of half of the topics
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
