"""Comparison of measures on several collections: figures on each, and agreement between
collections.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, compress

import numpy as np

from irmeval.core.registry import check_known
from irmeval.core.text import capitalize, count_noun, list_all, quantify
from irmeval.experiments.facts import Verdict
from irmeval.experiments.measures.scorecard import Criterion, Params, name_criteria, signed_worth
from irmeval.experiments.results import Chart, Frame, Result, Table, rowwise, table, tidy
from irmeval.experiments.trials import Realised
from irmeval.metrics import Measure
from irmeval.plots import cells, row_charts
from irmeval.stats.anova import Pooled, pool_effects
from irmeval.stats.correlation import chance_of_w, kendall_w, tau_b
from irmeval.stats.intervals import LEVEL, interval_of_error

DEFINED = 0.9
"""Minimum share of the halves on which a difference must be defined to have a standard
error.
"""
FEW = {
    2: (
        "Two collections are too few to estimate how much collections differ. Their mean is"
        " imprecise: its interval is ± 12.7 standard errors."
    ),
    3: (
        "Three collections hardly show how much collections differ: if they differ by no more than"
        " chance within them, 40% of estimates are 0. The interval of a mean is ± 4.3 standard"
        " errors."
    ),
}
"""Warnings for few collections, by their number; see benchmarks/README.md, Means over
collections.
"""


@dataclass(frozen=True, eq=False)
class Summary:
    """Summary figures of measures on one collection."""

    values: np.ndarray
    """float64 [criterion, measure]; NaN where a criterion does not apply"""
    halves: np.ndarray
    """float64 [criterion, measure, half], the values with more weight on half of the
    topics, minus their mean, and scaled so that their variance is that of the value
    over topics; zeros for a criterion that does not depend on topics
    """
    freedom: float
    """degrees of freedom of the variance"""
    criteria: tuple[Criterion, ...]
    """without the share that is left in their names"""
    measures: tuple[Measure, ...]
    runs: int
    """number of runs"""
    topics: int
    """number of topics"""
    reduced: Realised
    """realised share of the judgments"""

    def error(self, halves: np.ndarray) -> np.ndarray:
        """Standard error over topics of a figure from its values on the halves [...,
        half]; NaN if too few are defined.
        """
        defined = np.isfinite(halves)
        known = defined.sum(axis=-1) >= max(2, DEFINED * halves.shape[-1])
        some = np.where(known[..., None], halves, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(known, np.nanstd(some, axis=-1, ddof=1), np.nan)


class Across(Result):
    """Measures on several collections."""

    names: tuple[str, ...]
    """of the collections"""
    summaries: tuple[Summary, ...]
    params: Params

    @cached_property
    def criteria(self) -> tuple[Criterion, ...]:
        """Criteria of all collections."""
        return name_criteria(
            self.summaries[0].criteria, *(summary.reduced for summary in self.summaries)
        )

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Compared measures."""
        return self.summaries[0].measures

    @cached_property
    def values(self) -> np.ndarray:
        """float64 [criterion, measure, collection]; NaN if a criterion does not
        apply.
        """
        return np.stack([summary.values for summary in self.summaries], axis=-1)

    @cached_property
    def worth(self) -> np.ndarray:
        """The values with signs such that more is better, -inf if a criterion does not
        apply [criterion, collection, measure].
        """
        return signed_worth(self.criteria, self.values).swapaxes(1, 2)

    @cached_property
    def concordance(self) -> np.ndarray:
        """Kendall's W between the orders of the measures on the collections
        [criterion]; NaN if all measures are equal everywhere.
        """
        return np.array([*map(kendall_w, self.worth)])

    @cached_property
    def by_chance(self) -> float:
        """The 95th percentile of W of random orders; NaN for one collection or
        measure.
        """
        k, n = len(self.names), len(self.measures)
        if min(k, n) < 2:
            return np.nan
        return chance_of_w(k, n)

    def frame(self) -> Frame:
        """One row per collection, criterion and measure: the value, and its standard
        error over topics.
        """
        axes = {
            "collection": self.names,
            "criterion": [column.name for column in self.criteria],
            "measure": self.measures,
        }
        errors = np.stack([summary.error(summary.halves) for summary in self.summaries])
        return tidy(axes, {"value": np.moveaxis(self.values, -1, 0), "error": errors})

    def side_by_side(self) -> Frame:
        """One row per criterion and measure, one column per collection."""
        rows = [
            (column.name, measure, *values)
            for column, of_measures in zip(self.criteria, self.values, strict=True)
            for measure, values in zip(self.measures, of_measures, strict=True)
        ]
        return rowwise(["criterion", "measure", *self.names], rows)

    def agreement(self) -> Frame:
        """One row per criterion: Kendall's W, its 95th percentile by chance, and
        Kendall's tau between every two collections.
        """
        columns = {
            "criterion": [column.name for column in self.criteria],
            "W": self.concordance,
            "W by chance": self.by_chance,
        }
        pairs = {
            f"tau {self.names[a]}, {self.names[b]}": tau_b(self.worth[:, a], self.worth[:, b])
            for a, b in combinations(range(len(self.names)), 2)
        }
        return table({**columns, **pairs})

    def effects_of(
        self, criterion: str, a: str, b: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Difference between two measures by a criterion, its standard error over
        topics, and the degrees of freedom of that, each [collection]. Raises
        `UnknownName`.
        """
        c = _place(criterion, [column.name for column in self.criteria], "unknown criterion")
        m, n = (_place(name, [*map(str, self.measures)], "unknown measure") for name in (a, b))
        halves = [summary.halves[c, m] - summary.halves[c, n] for summary in self.summaries]
        errors = [summary.error(half) for summary, half in zip(self.summaries, halves, strict=True)]
        return (
            self.values[c, m] - self.values[c, n],
            np.array(errors),
            np.array([summary.freedom for summary in self.summaries]),
        )

    def pooled(self, criterion: str, a: str, b: str) -> Pooled:
        """The mean of that difference over collections, with its interval at `LEVEL`
        (random effects).
        """
        # 1.96 standard errors, the interval of DerSimonian & Laird, held the truth in .72 to .95 of
        # simulations; this one never in less than .94
        return pool_effects(*self.effects_of(criterion, a, b)[:2], level=LEVEL)

    def effects(self) -> Frame:
        """One row per criterion and pair of measures: mean difference over collections,
        its interval and p (not corrected for the number of rows), standard deviation
        between collections, I squared, number of collections, and the difference on
        each.
        """
        shown, rows = ("mean", "low", "high", "p", "between", "inconsistency", "studies"), []
        for column in self.criteria:
            for a, b in combinations(map(str, self.measures), 2):
                found = self.pooled(column.name, a, b)
                rows.append(
                    (
                        column.name,
                        a,
                        b,
                        *(getattr(found, name) for name in shown),
                        *self.effects_of(column.name, a, b)[0],
                    )
                )
        return rowwise(
            ["criterion", "measure a", "measure b", *shown[:-1], "collections", *self.names], rows
        )

    def verdict(self, choice: str = "") -> Verdict:
        known = self._informative()
        collections = count_noun(len(self.names), "collection")
        measures = count_noun(len(self.measures), "measure")
        if len(self.names) < 2 or not known.size:
            return Verdict(
                f"{collections}, {measures}: agreement requires two of each, and measures that"
                " differ."
            )
        agreement = self.concordance[known]
        high, low = f"{agreement.max():.2f}", f"{agreement.min():.2f}"
        said = [
            f"Agreement is Kendall's W of the orders of {measures}.",
            self._describe_asked(),
            self._describe_chance(),
            FEW.get(len(self.names), ""),
        ]
        beside = " ".join(filter(None, said))
        below = self._describe_left_out(known)
        # by the printed values: criteria that look equal are not told apart
        if high == low:
            told = f"{collections} agree with W {low} by {self._name_all(known)}."
            return Verdict(told, beside, below)
        most, least = self._name_with(known, high), self._name_with(known, low)
        told = f"{collections} agree most by {most} (W {high}), least by {least} ({low})."
        return Verdict(told, beside, below)

    def _informative(self) -> np.ndarray:
        """The criteria that have a W and do not follow from definitions."""
        measured = [self.summaries[0].halves[c].any() for c in range(len(self.criteria))]
        return np.flatnonzero(np.isfinite(self.concordance) & measured)

    def _name_with(self, known: np.ndarray, agreement: str) -> str:
        """The criterion among `known` with this W, as printed; the number of several."""
        which = [c for c in known if f"{self.concordance[c]:.2f}" == agreement]
        if len(which) > 1:
            return quantify(len(which), len(known), "criterion")
        return self._name_briefly(which[0])

    def _name_all(self, known: np.ndarray) -> str:
        """The only one of the criteria `known`, or their number."""
        if len(known) == 1:
            return self._name_briefly(known[0])
        return f"each of {count_noun(len(known), 'criterion')}"

    def _name_briefly(self, c: int) -> str:
        """A criterion with what is left, but not what was asked: ``tau at 12–14%``."""
        return self.criteria[c].said.partition(" (")[0].replace("% to ", "–")

    def _describe_left_out(self, known: np.ndarray) -> str:
        """Which criteria agreement is not stated for, a sentence; empty if for all."""
        others = sorted({*range(len(self.criteria))} - {*known.tolist()})
        if not others:
            return ""
        names = list_all([self.criteria[c].said for c in others])
        return f"Left out, as measures are equal or follow from definitions: {names}."

    def _describe_asked(self) -> str:
        """What share of the judgments was asked for, a sentence; empty if it is left."""
        for reduced in [summary.reduced for summary in self.summaries]:
            if not reduced.as_asked:
                return f"Asked for: {reduced.asked:g}% of the judgments."
        return ""

    def _describe_chance(self) -> str:
        """How high agreement is by chance alone, a sentence."""
        if self.by_chance >= 1:
            return "With so few measures, agreement by chance is too common to be informative."
        return f"Kendall's W of random orders exceeds {self.by_chance:.2f} in 5% of cases."

    def charts(self, choice: str = "") -> list[Chart]:
        first, names = self.criteria[0].name, [*map(str, self.measures)]
        charts = [self.chart_of_values(first)]
        if len(names) > 1:
            charts.append(self.chart_of_effect(first, *names[:2]))
        return charts

    def chart_of_values(self, criterion: str) -> Chart:
        """Values by one criterion, measures by collections."""
        c = _place(criterion, [column.name for column in self.criteria], "unknown criterion")
        column, values = self.criteria[c], self.values[c]
        order = np.arange(len(values))
        if np.isfinite(self.worth[c]).all():
            order = np.argsort(-self.worth[c].mean(axis=0), kind="stable")
        deep = "less"
        if column.more:
            deep = "more"
        caption = (
            f"{column.meaning} A row per measure, a column per collection; the deeper, the {deep}."
        )
        if np.isfinite(self.concordance[c]):
            caption += f" Kendall's W between the columns is {self.concordance[c]:.2f}."
        return Chart(
            "values",
            f"{capitalize(column.name)} on each collection",
            caption,
            lambda: cells.cells(
                [str(self.measures[m]) for m in order],
                self.names,
                values[order],
                title=column.name,
                shades=cells.Shades(reverse=not column.more),
            ),
        )

    def chart_of_effect(self, criterion: str, a: str, b: str) -> Chart:
        """A forest plot: the difference between two measures on each collection, and
        its mean over all.
        """
        values, errors, freedom = self.effects_of(criterion, a, b)
        pooled = self.pooled(criterion, a, b)
        ends = [
            interval_of_error(*of, level=LEVEL)[:2]
            for of in zip(values, errors, freedom, strict=True)
        ]
        low, high = np.array([*ends, (pooled.low, pooled.high)]).T
        middle = np.append(values, pooled.mean)
        rows = [*self.names, f"Mean of {count_noun(pooled.studies, 'collection')}"]
        shown = np.isfinite(middle)
        # of an unknown interval, which is NaN, nothing is without 0
        apart = (low > 0) | (high < 0)
        # its point stands alone
        low, high = (np.where(np.isfinite(end), end, middle) for end in (low, high))
        return Chart(
            "forest",
            f"{a} minus {b} by {criterion}",
            f"{capitalize(criterion)} by {a} minus that by {b}: on each collection with its"
            f" {LEVEL:.0%} interval over topics, and the mean over collections (diamond; random"
            " effects: DerSimonian & Laird 1986), with the interval of Hartung & Knapp (2001)."
            f" Blue: the interval does not contain 0. {_describe(pooled)}",
            lambda: row_charts.intervals(
                [*compress(rows, shown)],
                row_charts.Ranges(middle[shown], low[shown], high[shown], apart[shown]),
                f"difference in {criterion}",
                pooled=bool(shown[-1]),
            ),
        )

    def tables(self) -> list[Table]:
        return [
            Table("summary", "Figures side by side", self.side_by_side),
            Table("agreement", "Agreement between collections", self.agreement),
            Table("effects", "Differences between measures over collections", self.effects),
            Table("observations", "Every figure", self.frame),
        ]


def _place(name: str, names: Sequence[str], kind: str) -> int:
    check_known(name, dict.fromkeys(names), kind)
    return names.index(name)


def _describe(pooled: Pooled) -> str:
    """Describe a mean with its interval, and the variation between collections."""
    if pooled.studies < 2:
        return "There is no interval over fewer than two collections."
    said = (
        f"Mean {pooled.mean:+.3f} ({pooled.low:+.3f} to {pooled.high:+.3f}); between collections a"
        " standard deviation of"
    )
    return f"{said} {pooled.between:.3f}, I squared {pooled.inconsistency:.0%}."
