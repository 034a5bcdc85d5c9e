"""Robustness of each measure: one row per measure, a column for each criterion."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.numbers import correlation
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import (
    all_of,
    capitalize,
    count_noun,
    count_with_be,
    list_all,
    share_that,
    verb,
)
from irmeval.experiments.base import experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.incompleteness.curves import Params as Watching
from irmeval.experiments.incompleteness.curves import curves
from irmeval.experiments.measures.stability import TIES
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Frame, NextStep, Result, Table, table
from irmeval.experiments.scored import score_runs
from irmeval.experiments.settings import (
    TEST,
    Rounding,
    Samples,
    Seed,
    Sets,
    Test,
    TestedTrials,
    Testing,
)
from irmeval.experiments.sweep import ALL, LEFT, weigh_step
from irmeval.experiments.trials import Realised, describe_asked, describe_span
from irmeval.experiments.watched.decisions import counts_of
from irmeval.experiments.work import Progress, Work
from irmeval.metrics import Measure
from irmeval.plots import cells
from irmeval.stats.decision_agreement import agreement_of_counts
from irmeval.stats.means import rank_scores, tied
from irmeval.stats.swap_rates import find_required_difference, swap
from irmeval.stats.topic_sets import minority_rate_at, stability

RATES = (100.0, 90.0, 70.0, 50.0, 30.0, 20.0, 10.0, 5.0, 2.0, 1.0)
"""Rates between which the knee is interpolated."""
FUZZINESS = tuple(f / 100 for f in range(31))
"""Fuzziness values: a wider range than in the papers, so that measures with few ties
also reach `TIES`.
"""
THRESHOLD = 0.05
"""Highest swap rate."""
CHANCE = 0.5
"""Minority rate of runs that topic sets order at random: the highest that there is."""
ALPHA = 0.05
"""Level of the tests."""
KNEE = "rate for tau 0.9 (%)"
"""The criterion in per cent."""
TAU = "tau"
"""The criterion that is a correlation."""
COARSE = 0.1
"""Smallest share that is written in whole per cent."""
CURVES = "curves"
"""Page of what is watched on fewer judgments."""


class Criterion(NamedTuple):
    """A criterion: the worst and the best value that it can have, the page with
    details, and its meaning.
    """

    name: str
    worst: float
    best: float
    page: str
    meaning: str
    """with ``{}`` for the realised share, if it is on fewer judgments"""
    on_fewer: bool = False

    @property
    def more(self) -> bool:
        """Whether more of it is better."""
        return self.best > self.worst

    @property
    def said(self) -> str:
        """Its name in a sentence, without the unit."""
        return self.name.removesuffix(" (%)")


@checked
class Params(Testing):
    """Settings of the sampling, and the rate at which measures are compared."""

    rate: float = param(
        "rate, %",
        "Share of the judgments that is kept, for criteria on fewer judgments.",
        low=1,
        high=99,
        rate=True,
        template="{} of the judgments",
        default=10.0,
    )
    trials: TestedTrials = 10
    test: Test = TEST
    samples: Samples = 1000
    sets: Sets = 1000
    seed: Seed = 1
    rounding: Rounding = "floor"
    alpha = ALPHA


class Scorecard(Result):
    """Each measure by several criteria."""

    values: np.ndarray
    """float64 [column, measure]; NaN if a criterion does not apply"""
    below: np.ndarray
    """bool [measure], whether the knee is below the lowest rate, which is then its
    value
    """
    columns: tuple[Criterion, ...]
    measures: tuple[Measure, ...]
    params: Params
    pairs: int
    """pairs of runs that are tested"""
    reduced: Realised
    """realised share of the judgments at the rate"""

    @property
    def worth(self) -> np.ndarray:
        """The values with signs such that more is better, ties made equal; -inf if a
        criterion does not apply [column, measure].
        """
        return tied(signed_worth(self.columns, self.values))

    @property
    def nearness(self) -> np.ndarray:
        """How near each value is to the best that a measure can have, from 0 for the
        worst to 1 [column, measure]; NaN if a criterion does not apply.
        """
        worst = np.array([column.worst for column in self.columns], float)[:, None]
        best = np.array([column.best for column in self.columns], float)[:, None]
        return np.clip((self.values - worst) / (best - worst), 0, 1)

    @property
    def best(self) -> np.ndarray:
        """Whether no measure is better, and some measure is worse, bool [column,
        measure].
        """
        high = self.worth.max(axis=1, keepdims=True)
        return np.isfinite(self.values) & (self.worth == high) & self.distinguishes[:, None]

    @property
    def distinguishes(self) -> np.ndarray:
        """Whether measures differ by a criterion, bool [column]."""
        return self.worth.min(axis=1) < self.worth.max(axis=1)

    @property
    def too_few(self) -> bool:
        """Whether too few criteria distinguish the measures to call one the most
        robust.
        """
        return 2 * int(self.distinguishes.sum()) < len(self.columns)

    @property
    def rank(self) -> np.ndarray:
        """Mean rank of each measure over the columns, 1 for the best; ties have their
        mean rank, NaN the last [measure].
        """
        alike = (self.worth[:, None, :] == self.worth[:, :, None]).sum(axis=-1)
        return (rank_scores(self.worth) + (alike - 1) / 2).mean(axis=0)

    @property
    def order(self) -> np.ndarray:
        """The measures, best mean rank first."""
        return np.argsort(self.rank, kind="stable")

    def numbers(self) -> Frame:
        """One row per measure, best mean rank first: mean rank, the value of each
        criterion, and the realised share of the judgments at the rate, in per cent.
        """
        columns = {column.name: row for column, row in zip(self.columns, self.values, strict=True)}
        return table(
            {"measure": self.measures, "mean rank": self.rank, **columns, LEFT: self.reduced.left},
            by="mean rank",
        )

    def frame(self) -> Frame:
        """`numbers`, with a knee below the lowest rate as text: ``< 1``."""
        numbers = self.numbers()
        knees = [
            f"< {rate:.3g}" if below else rate
            for rate, below in zip(numbers[KNEE], self.below[self.order], strict=True)
        ]
        return numbers.assign(**{KNEE: knees})

    def facts(self, choice: str = "") -> list[Fact]:
        """The value of each measure by each criterion that applies to it."""
        return [
            Fact(criterion.said, measure, "", float(value))
            for criterion, row in zip(self.columns, self.values, strict=True)
            for measure, value in zip(self.measures, row, strict=True)
            if np.isfinite(value)
        ]

    def verdict(self, choice: str = "") -> Verdict:
        first, *rest = (str(self.measures[m]) for m in self.order)
        tested = f"{count_with_be(self.pairs, 'pair of runs')} tested pair by pair."
        if self.reduced.too_much:
            refused = self.reduced.refusal()
            return refused._replace(beside=f"{refused.beside} {tested}")
        criteria = count_noun(len(self.columns), "criterion")
        if not rest:
            return Verdict(f"{first} is the only measure here: pick others to compare it.", tested)
        if self.too_few:
            found = int(self.distinguishes.sum())
            told = share_that(found, len(self.columns), "criterion", "distinguish the measures")
            return Verdict(f"{capitalize(told)}, too few to call one the most robust.", tested)
        leaders = [str(self.measures[m]) for m in self.order if self._leads(m)]
        firsts = self._describe_firsts()
        if len(leaders) > len(rest):
            every = all_of(len(leaders), "measure")
            return Verdict(
                f"By their mean rank over {criteria}, {every} are equally robust.", tested, firsts
            )
        whose = "its" if len(leaders) == 1 else "their"
        who = f"{list_all(leaders)} {verb(len(leaders), 'is', 'are')} the most robust"
        return Verdict(
            f"By {whose} mean rank over {criteria}, {who} of {len(rest) + 1} measures.",
            tested,
            firsts,
        )

    def _leads(self, m: int) -> bool:
        """Whether no measure has a better mean rank."""
        return bool(np.isclose(self.rank[m], self.rank[self.order[0]]))

    def _describe_firsts(self) -> str:
        """The criteria in which each measure is first, and its mean rank."""
        said = []
        for m in self.order:
            firsts = int(self.best[:, m].sum())
            if firsts or self._leads(m):
                name = f"{self.measures[m]} (mean rank {self.rank[m]:.1f})"
                said.append(f"{name} is first in {self._name_criteria(self.best[:, m])}.")
        return " ".join(said)

    def _name_criteria(self, first: np.ndarray) -> str:
        """The criteria in which a measure is first, or if these are most, the others."""
        names = np.array([column.said.partition(" (")[0] for column in self.columns])
        ahead, others = names[first].tolist(), names[~first].tolist()
        if not ahead:
            return "none"
        if not others:
            return all_of(len(names), "criterion")
        if len(ahead) <= len(others):
            return list_all(ahead)
        return f"all but {list_all(others)}"

    def next_steps(self) -> list[NextStep]:
        if self.reduced.too_much:
            return [NextStep("How often do other topics disagree?", "stability")]
        best, worst = (str(self.measures[self.order[end]]) for end in (0, -1))
        by_best = NextStep(f"Which run is best by {best}?", "leaderboard", {"in_detail": best})
        if self.too_few or self._leads(int(self.order[-1])):
            return [by_best, NextStep("Which measures order the runs alike?", "agreement")]
        found = [by_best]
        if lost := self._first_lost():
            found.append(NextStep(f"Why is {best} not first in {lost.said}?", lost.page))
        pair = {"sorted_by": best, "against": worst}
        return [*found, NextStep(f"Do {best} and {worst} order the runs alike?", "rankings", pair)]

    def _first_lost(self) -> Criterion | None:
        """The first criterion in which the most robust measure is not first."""
        for criterion, best in zip(self.columns, self.best, strict=True):
            if best.any() and not best[self.order[0]]:
                return criterion
        return None

    def charts(self, choice: str = "") -> list[Chart]:
        names = pick(self.measures, self.order)
        columns = [column.name for column in self.columns]
        said = self.frame()[columns].to_numpy().tolist()
        texts = [[_write(*cell) for cell in zip(columns, row, strict=True)] for row in said]
        less = list_all([column.said for column in self.columns if not column.more])
        return [
            Chart(
                "values",
                "Each measure by each criterion",
                "The bluer a cell, the nearer its value is to the best possible one; the best mean"
                " rank is on top. Equal blue is hardly a difference. Lower is better for"
                f" {less}.{describe_asked([self.reduced])}",
                lambda: cells.cells(
                    names,
                    columns,
                    self.nearness[:, self.order].T,
                    title="colour: from the worst to the best possible value",
                    shades=cells.Shades(low=0.0, high=1.0),
                    printed=texts,
                ),
                wide=True,
            )
        ]

    def tables(self) -> list[Table]:
        return [Table("scorecard", "Scorecard", self.frame)]


def _write(name: str, value: float | str) -> str:
    """A value in its cell, short enough for a telephone; empty for NaN."""
    if isinstance(value, str):  # a knee below the lowest rate
        return f"{value}%"
    if np.isnan(value):
        return ""
    if name.startswith(TAU):
        return correlation(value)
    share = value / 100 if name == KNEE else value
    digits = 0 if share >= COARSE else 1
    return f"{share:.{digits}%}"


def _parts(params: Params) -> tuple[Watching, Watching]:
    """Parameters of the experiments on fewer judgments."""
    drawn: dict[str, Any] = {
        "trials": params.trials,
        "seed": params.seed,
        "rounding": params.rounding,
    }
    rates = tuple(sorted({*RATES, params.rate}, reverse=True))
    # pairs are tested at the two ends that the scorecard reads, not at all rates of the curve
    tested: dict[str, Any] = {"test": params.test, "samples": params.samples, "alpha": params.alpha}
    decisions = ("pairs", "decisions")
    return (
        Watching(levels=rates, **drawn),
        Watching(levels=(ALL, params.rate), watch=decisions, **tested, **drawn),
    )


@experiment(
    "scorecard",
    title="Scorecard",
    question="Which measure is the most robust?",
    does="run every experiment on each measure",
    formula=r"\tau_b = \frac{concordant - discordant}{\sqrt{untied_x \cdot untied_y}}",
    source=(
        "Sakai & Kando 2008; Bompada et al. 2007; Sakai 2007 (reliability of graded relevance"
        " metrics); see the pages"
    ),
    first={"trials": 1, "sets": 100},
    needs=PAIRS,
)
def scorecard(work: Work[Params]) -> Scorecard:
    """Compares the measures in the experiments of the other pages, with the parameters
    of the papers: how well the order of the runs and their significant differences
    survive the loss of judgments, and how stable and sensitive each measure is with
    other topics.

    Raises `ParamError` if there are too few runs or topics.
    """
    params, measures = work.params, work.measures
    scores = score_runs(work)
    reducing, deciding = _parts(params)
    on_all, at_rates = (
        weigh_step(1.0),
        [weigh_step(rate / ALL) for rate in reducing.levels if rate < ALL],
    )
    parts = (
        on_all + params.trials * sum(at_rates),
        on_all + params.trials * weigh_step(params.rate / ALL),
        len(measures),
    )

    def part(number: int) -> Progress:
        return lambda done, total: work.report_progress(
            sum(parts[:number]) + parts[number] * done // max(total, 1), sum(parts)
        )

    found = curves(work.source, measures, reducing, store=work.store, progress=part(0))
    outcome = curves(work.source, measures, deciding, store=work.store, progress=part(1))
    minority, sensitivity = [], []
    for m, values in enumerate(scores.values):
        minority.append(
            minority_rate_at(
                stability(values, sets=params.sets, seed=params.seed, fuzziness=FUZZINESS), TIES
            )
        )
        sensitivity.append(
            find_required_difference(
                swap(values, trials=params.sets, seed=params.seed), threshold=THRESHOLD
            ).sensitivity
        )
        part(2)(m + 1, len(measures))
    at = reducing.levels.index(params.rate)
    tau, mean = found.curve("tau")[:, 0], found.curve("mean")[:, 0]
    knees, there = found.knee("tau"), found.realised[at]
    # a ratio of sums over trials, as on *Curves*
    errors = agreement_of_counts(np.nansum(counts_of(outcome)[:, 0, 1], axis=1)).error_rate
    with np.errstate(divide="ignore", invalid="ignore"):
        # 0 / 0 by a measure that gives every run 0
        drop = np.abs(1 - mean[:, at] / found.whole["mean"][:, 0])
    power = outcome.whole["power"][:, 0], outcome.curve("power")[:, 0, 1]
    values = np.array(
        [tau[:, at], knees.interpolated, *power, errors, drop, minority, sensitivity], dtype=float
    )
    columns = name_criteria(_columns(params.decided_by), there)
    # no verdict on robustness where less than a twentieth of the judgments is removed
    if there.too_much:
        values[[column.page == CURVES for column in columns]] = np.nan
    return Scorecard(values, knees.below, columns, measures, params, outcome.tested, there)


def name_criteria(columns: Sequence[Criterion], *reduced: Realised) -> tuple[Criterion, ...]:
    """Criteria with the realised shares of the judgments, of one collection or several,
    if they are on fewer: ``tau at 10%``.
    """
    left = describe_span(reduced)
    return tuple(
        (
            column._replace(
                name=f"{column.name} at {left}", meaning=column.meaning.replace("{}", left)
            )
            if column.on_fewer
            else column
        )
        for column in columns
    )


def _columns(tested: str) -> tuple[Criterion, ...]:
    """Criteria for a test."""
    alike = (
        "Kendall's tau of the order of the runs with {} of the judgments and with all, mean over"
        " trials."
    )
    told = f"Share of the pairs of runs that differ significantly ({tested}), on all judgments."
    off = "Relative change of the mean score with {} of the judgments."
    wrong = "Share of the pairs significant then that are not significant on all judgments."
    sure = (
        "Share of the comparisons with a difference that at most 5% of other topic sets contradict."
    )
    return (
        Criterion(TAU, 0, 1, CURVES, alike, on_fewer=True),
        Criterion(
            KNEE,
            100,
            0,
            CURVES,
            "The lowest rate at which tau is still above 0.9, interpolated: the knee of its curve.",
        ),
        Criterion("power at 100%", 0, 1, "power", told),
        Criterion(
            "power",
            0,
            1,
            CURVES,
            "The same with {} of the judgments, mean over trials.",
            on_fewer=True,
        ),
        Criterion("errors", 1, 0, CURVES, wrong, on_fewer=True),
        Criterion("mean off", 1, 0, CURVES, off, on_fewer=True),
        Criterion(
            f"minority rate at {TIES:.0%} ties",
            CHANCE,
            0,
            "stability",
            "Minority rate at a proportion of ties of 10%.",
        ),
        Criterion(f"sensitivity at {THRESHOLD:.0%}", 0, 1, "swap", sure),
    )


def signed_worth(columns: Sequence[Criterion], values: np.ndarray) -> np.ndarray:
    """Values [column, ...] with signs such that more is better; -inf for what is not
    finite.
    """
    more = np.reshape([column.more for column in columns], (-1, *[1] * (values.ndim - 1)))
    signed = np.where(more, values, -values)
    return np.where(np.isfinite(signed), signed, -np.inf)
