"""Pairs of runs that still differ significantly as judgments disappear, and their
agreement with full judgments.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.collection import Collection, shards
from irmeval.core.params import checked, param
from irmeval.core.text import count_noun, list_all, verb
from irmeval.experiments.base import Work, experiment
from irmeval.experiments.headlines import best_and_worst, describe_range, differ
from irmeval.experiments.needs import PAIRS
from irmeval.experiments.results import Chart, Frame, NextStep, Table, result, table, tidy
from irmeval.experiments.scored import check_pairs
from irmeval.experiments.settings import (
    PAPERS,
    TEST,
    Alpha,
    Correlate,
    Method,
    Rates,
    Rounding,
    Samples,
    Seed,
    Test,
    TestedTrials,
    Testing,
)
from irmeval.experiments.sweep import ALL, LEFT, Sample, by_rate, draw_grades
from irmeval.experiments.trials import OverTrials, find_knee, over_trials
from irmeval.metrics import Measure
from irmeval.reductions import share_left
from irmeval.scoring.scores import evaluate, evaluate_many
from irmeval.scoring.selection import restrict_pool
from irmeval.stats.bootstrap import required_difference
from irmeval.stats.correlation import CORRELATIONS
from irmeval.stats.decision_agreement import (
    DecisionAgreement,
    Knee,
    agreement_of_counts,
    decisions,
    describe_knee,
)
from irmeval.stats.pair_tests import p_of_two
from irmeval.stats.pairs import count_pairs


class Cell(NamedTuple):
    """Results of one measure on one sample of the judgments."""

    p: np.ndarray
    """float64 [pair], p of each pair alone that is tested; NaN with fewer than two
    topics for both runs
    """
    means: np.ndarray
    """float64 [run]"""
    topics: int
    """topics with a score for every run"""


@checked
class Params(Testing):
    """How judgments are removed, and how pairs are tested."""

    rates: Rates = PAPERS
    trials: TestedTrials = 10
    seed: Seed = 1
    rounding: Rounding = "floor"
    method: Method = "stratified"
    test: Test = TEST
    samples: Samples = 1000
    alpha: Alpha = 0.05
    pairs: int = param(
        "random pairs",
        "Number of pairs tested, drawn at random; Bompada et al. used 300. 0: all.",
        low=0,
        high=10_000_000,
        template="{} random pairs",
        value_labels={"0": "all pairs of runs"},
        default=0,
    )
    pool: str = param(
        "judgments of",
        "all: a sample of all judgments. pair: for each pair, a sample of what the two runs"
        " retrieved, as Bompada et al.; much slower.",
        choices=("all", "pair"),
        value_labels={"all": "a sample of all judgments", "pair": "a sample for each pair"},
        default="all",
    )
    correlation: Correlate = "tau_b"
    threshold: float = param(
        "knee at",
        "The knee of a curve is the lowest rate at which it is above this.",
        low=0,
        high=1,
        default=0.9,
    )
    unused = frozenset()  # the required difference is estimated from samples whatever the test


@result
class ReducedDecisions(OverTrials):
    """Pairs of runs that differ significantly on reduced and on full judgments. Pairs
    are in the order of ``np.triu_indices(runs, 1)``.
    """

    full: np.ndarray
    """bool [measure, pair], on full judgments"""
    reduced: np.ndarray
    """bool [measure, rate, trial, pair]"""
    tested: np.ndarray
    """bool [measure, rate, trial], whether some pair is tested on a sample: has two
    topics with a score for both runs
    """
    tau: np.ndarray
    """float64 [measure, rate, trial], correlation of the order of the runs with that on
    full judgments; tau-b by default
    """
    topics: np.ndarray
    """int [measure, rate, trial], topics with a score for every run"""
    left: np.ndarray
    """float64 [rate, trial], realised share of the judgments, in per cent; mean over
    pairs if each pair has its own
    """
    collection: Collection
    """with all judgments"""
    measures: tuple[Measure, ...]
    params: Params

    @property
    def runs(self) -> tuple[str, ...]:
        """Runs whose pairs are tested."""
        return self.collection.runs

    @cached_property
    def power(self) -> np.ndarray:
        """Share of the pairs that differ significantly [measure, rate, trial]; NaN for
        a sample on which none is tested.
        """
        return np.where(self.tested, self.reduced.mean(axis=-1), np.nan)

    @cached_property
    def told_apart(self) -> np.ndarray:
        """Number of these pairs [measure, rate, trial]."""
        return np.where(self.tested, self.reduced.sum(axis=-1), np.nan)

    @cached_property
    def decisions(self) -> DecisionAgreement:
        """Agreement with the decisions on full judgments, each [measure, rate,
        trial]; NaN for a sample on which no pair is tested.
        """
        found = decisions(self.full[:, None, None, :], self.reduced)
        if self.tested.all():
            return found
        return agreement_of_counts(np.where(self.tested[..., None, None], found.confusion, np.nan))

    @cached_property
    def required(self) -> np.ndarray:
        """Difference in mean score required for significance at the lowest rate, as
        estimated by Sakai's bootstrap for any test [measure, trial]; NaN if fewer than
        two topics have a score.
        """
        params, rate = self.params, self.params.rates[-1]
        found = np.full((len(self.measures), params.trials), np.nan)
        for trial in range(params.trials):
            grades = (
                self.collection.grade
                if rate == ALL
                else draw_grades(self.collection, params, [rate], trial + 1)[0]
            )
            for m, values in enumerate(
                evaluate(self.collection, self.measures, grades=grades).values
            ):
                scores = values[:, np.isfinite(values).all(axis=0)]
                if scores.shape[1] > 1:
                    found[m, trial] = required_difference(
                        scores, alpha=params.alpha, samples=params.samples, seed=params.seed
                    )
        return found

    def knees(self) -> "dict[str, Knee]":
        """The knees of the mean curves of tau and of accuracy, each [measure]."""
        curves = {"tau": self.tau, "accuracy": self.decisions.accuracy}
        return {
            name: find_knee(self.realised, over_trials(curve), threshold=self.params.threshold)
            for name, curve in curves.items()
        }

    @property
    def observed(self) -> dict[str, np.ndarray]:
        return {
            "power": self.power,
            **{
                name: values
                for name, values in self.decisions._asdict().items()
                if name != "confusion"
            },
            **{
                f"c{i + 1}{j + 1}": self.decisions.confusion[..., i, j]
                for i in (0, 1)
                for j in (0, 1)
            },
            "tau": self.tau,
            "topics": self.topics,
        }

    def table_of_knees(self) -> Frame:
        """One row per measure: the knees of tau and accuracy (Bompada Tables 3, 5). The
        knee is where the curve first falls below the threshold, interpolated and as the
        last rate before it; beside them the lowest rate above the threshold, even after
        a dip.
        """
        columns = {
            f"{name}, {how}": describe_knee(getattr(knees, how), knees.below)
            for name, knees in self.knees().items()
            for how in ("interpolated", "measured", "lowest")
        }
        return table({"measure": self.measures, **columns})

    def table_of_decisions(self) -> Frame:
        """Pairs by decision at 100% (rows) and at the rate (columns), for each measure
        and rate; means over trials (Bompada Table 4).
        """
        axes = {
            "measure": self.measures,
            "rate": self.params.rates,
            "at 100%": ("accepted", "rejected"),
        }
        cells = over_trials(np.moveaxis(self.decisions.confusion, 2, -1))
        return tidy(axes, {"accepted": cells[..., 0], "rejected": cells[..., 1]})

    def table_of_power(self) -> Frame:
        """One row per measure, at the lowest rate, highest power first: share of
        significant pairs, required difference, number of significant pairs; means over
        trials (SK08 Table 4).
        """
        columns = {
            "measure": self.measures,
            "power": over_trials(self.power[:, -1]),
            "required difference": over_trials(self.required),
            "told apart": over_trials(self.told_apart[:, -1]),
            "pairs": self.full.shape[-1],
            LEFT: self.realised[-1].left,
        }
        return table(columns, by="power", descending=True)

    def table_of_errors(self) -> Frame:
        """One row per measure, at the lowest rate: pairs significant on full judgments,
        on reduced ones, and only on reduced ones (SK08 Table 5); means over trials. The
        error rate is a ratio of sums over trials.
        """
        found = agreement_of_counts(
            over_trials(np.moveaxis(self.decisions.confusion[:, -1], 1, -1))
        )
        columns = {
            "measure": self.measures,
            "told apart at 100%": self.full.sum(axis=-1),
            f"told apart at {self.params.rates[-1]:g}%": found.confusion[..., 1].sum(axis=-1),
            "of these not at 100%": found.confusion[:, 0, 1],
            "error rate": found.error_rate,
            LEFT: self.realised[-1].left,
        }
        return table(columns, by="error rate")

    def confusion(self, name: str, rate: float) -> np.ndarray:
        """Pairs, mean over trials: not significant and significant on full judgments
        (rows) and on reduced ones (columns) [2, 2].
        """
        counts = self.decisions.confusion[self.measures.index(name), self.params.rates.index(rate)]
        return over_trials(np.moveaxis(counts, 0, -1))

    def headline(self) -> str:
        last, pairs = self.realised[-1], f"{self.full.shape[-1]:,}"
        if last.too_much:
            return last.refuse_verdict()
        power, accuracy = map(over_trials, (self.power[:, -1], self.decisions.accuracy[:, -1]))
        if np.isnan(power).all():
            return (
                f"With {last.amount} of the judgments left{last.beside}, no two runs have 2 topics"
                f" with a score for both, so no pair is tested.{last.reason}"
            )
        before, n, ends = self.full.mean(axis=-1), len(self.measures), ("the most", "the fewest")
        where = f"On {last.amount} of the judgments{last.beside}"
        if self.full.size == n and self.params.trials == 1:
            reduced, full = (
                _differ_by([m for m, p in zip(self.measures, of, strict=True) if p])
                for of in (power, before)
            )
            told = (
                f"{where}, in the only sample, the two runs {reduced}; on all judgments they"
                f" {full}."
            )
            return f"{told} Tests: {self.params.decided_by}.{last.reason}"
        if self.full.shape[-1] == 1:
            often = " to ".join(
                dict.fromkeys((f"{np.nanmin(power):.0%}", f"{np.nanmax(power):.0%}"))
            )
            told = f"the two runs differ significantly in {often} of the samples"
        else:
            told = best_and_worst(
                self.measures, power, f"find {{}} of {pairs} pairs significant", ends, form=".1%"
            )
            told += (
                f". On all judgments, the share is {describe_range(self.measures, before, '.1%')}"
            )
        stay = best_and_worst(self.measures, accuracy, "keep {}", ends, form=".1%")
        fall = self.describe_falls(
            "Accuracy", self.measures, over_trials(self.decisions.accuracy), self.params.threshold
        )
        return (
            (
                f"{where}, {told}. Of the decisions, {stay}. Tests: {self.params.decided_by}."
                f" {fall}"
            ).rstrip()
            + self._describe_fewest()
            + last.reason
        )

    def _describe_fewest(self) -> str:
        """A sentence on samples with fewer topics than others; empty if there are
        none.
        """
        fewest = int(self.topics.min())
        if not self.tested.all():
            return " Samples in which no two runs have 2 topics with a score for both are left out."
        if fewest == self.topics.max():
            return ""
        only = f"{count_noun(fewest, 'topic')} {verb(fewest, 'has', 'have')}"
        return f" In some samples only {only} a score for every run."

    def next_steps(self) -> list[NextStep]:
        last, before, after = (
            self.realised[-1],
            self.full.sum(axis=-1),
            over_trials(self.told_apart[:, -1]),
        )
        if np.isnan(after).all():
            return [NextStep("Which runs differ on all judgments?", "matrix")]
        worst, how = int(np.nanargmax(before - after)), self.params.decided_by
        name, lost, all_found = (
            self.measures[worst],
            round(float(before[worst] - after[worst])),
            int(before[worst]),
        )
        some = (
            f"{lost:,} fewer significant {verb(lost, 'difference', 'differences')}"
            if lost > 0
            else "no fewer significant differences"
        )
        fewer = f"{name} finds {some} at {last.amount} ({how}): how large must a difference be?"
        which = (
            f"{name} finds {count_noun(all_found, 'significant difference')} on all judgments"
            f" ({how}): which?"
        )
        none = (
            f"{name} finds no significant difference on all judgments ({how}): how large must"
            " one be?"
        )
        return [
            *([NextStep(none, "power")] if not all_found else []),
            *([NextStep(fewer, "power")] if all_found and not last.too_much else []),
            *([NextStep(which, "matrix", {"measure": name})] if all_found else []),
            NextStep("Does a different judge reach the same decisions?", "systems"),
        ]

    def charts(self) -> list[Chart]:
        shares, knee, how = self.decisions, self.params.threshold, self.params.decided_by
        power = (
            f"Share of the pairs of runs that differ significantly ({how}). A falling curve means"
            " missed differences; a rising one, differences that full judgments do not show."
        )
        accuracy = (
            f"Share of the pairs with the same decision ({how}) as on full judgments. The dotted"
            " line is the level of the knee."
        )
        g_mean = (
            f"Agreement on the pairs without a significant difference ({how}). It is the geometric"
            " mean of two shares: of the pairs without one on full judgments, those without one on"
            " reduced judgments, and vice versa."
        )
        missed = (
            f"Of the pairs that differ significantly on full judgments ({how}), the share that no"
            " longer differs. These are the false positives of Bompada et al., who count an"
            " accepted H0 as positive."
        )
        spurious = (
            f"Of the pairs that do not differ significantly on full judgments ({how}), the share"
            " that now differs. These are the false negatives of Bompada et al."
        )
        return [
            self.line_chart("power", "Discriminative power", power, self.power),
            self.line_chart(
                "accuracy", "Accuracy", accuracy, shares.accuracy, top=1.0, threshold=knee
            ),
            self.line_chart("g-mean", "g-mean", g_mean, shares.g_mean, top=1.0, order=True),
            self.line_chart("missed", "Differences missed", missed, shares.false_positive_rate),
            self.line_chart(
                "made-up", "Spurious differences", spurious, shares.false_negative_rate
            ),
        ]

    def tables(self) -> list[Table]:
        at = f"{self.realised[-1].amount}{self.realised[-1].beside}"
        return [
            Table("summary", "Summary", self.summary),
            Table("knees", "Knees", self.table_of_knees),
            Table("errors", f"Errors at {at}", self.table_of_errors),
            Table("power", f"Power at {at}", self.table_of_power),
            Table("decisions", "Decisions", self.table_of_decisions),
            Table("trials", "Every trial", self.frame),
        ]


def _differ_by(measures: Sequence[str]) -> str:
    return f"{differ(measures)} by {list_all(measures)}" if measures else differ(False)


@experiment(
    "decisions",
    title="Decisions",
    question="Do the same runs still differ significantly?",
    does="count significant pairs as judgments disappear",
    formula=r"\frac{pairs\ with\ p < \alpha}{m(m - 1)/2}",
    source=(
        "Bompada et al. 2007, Fig. 2, Tables 3-5; Sakai & Kando 2008, Figs. 5-6, Table 5; Sakai"
        " 2007 (alternatives to bpref), Fig. 3"
    ),
    stored=("seed", "rounding", "method", "test", "samples", "pairs"),
    first={"trials": 1},
    needs=PAIRS,
)
def significance_decisions(work: Work[Params]) -> ReducedDecisions:
    """Removes judgments at random, in the same samples as the curves of mean score and
    tau. Every pair of runs is tested again on the remaining judgments, and the decision
    is compared with that on the full judgments.

    Raises `ParamError` where on full judgments there are fewer than two runs, or two
    topics with a score for every run.
    """
    collection, params = work.collection, work.params
    picked = _picked(len(collection.runs), params)

    def cell(sample: Sample) -> Cell:
        p = params.p_alone(sample.values, picked)
        if sample.full:
            check_pairs(sample.measure, sample.values)
        return Cell(p, sample.means, int(np.count_nonzero(~np.isnan(sample.values).any(axis=0))))

    full, cells, left = by_rate(work, params, cell)
    means, topics = (
        np.array([[[getattr(cell, part) for cell in row] for row in rows] for rows in cells])
        for part in ("means", "topics")
    )
    if params.pool == "pair":
        p, p_reduced, left = p_of_pairs(work, picked)
    else:
        p = np.array([cell.p for cell in full])
        p_reduced = np.array([[[cell.p for cell in row] for row in rows] for rows in cells])
    return ReducedDecisions(
        full=p < params.alpha,
        reduced=p_reduced < params.alpha,
        tested=np.isfinite(p_reduced).any(axis=-1),
        tau=CORRELATIONS[params.correlation].compute(
            means, np.array([cell.means for cell in full])[:, None, None, :]
        ),
        topics=topics,
        left=left,
        collection=collection,
        measures=work.measures,
        params=params,
    )


def _picked(runs: int, params: Params) -> np.ndarray:
    """Pairs to test, ascending."""
    pairs = count_pairs(runs)
    if not 0 < params.pairs < pairs:
        return np.arange(pairs)
    return np.sort(np.random.default_rng(params.seed).choice(pairs, params.pairs, replace=False))


def p_of_pairs(work: Work[Any], picked: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p-values of pairs of runs on the pool of the two, and on samples of it: [measure,
    pair] and [measure, rate, trial, pair]; and the realised share of the pool, in per
    cent [rate, trial], mean over pairs.

    `picked` are numbers of pairs, as in ``np.triu_indices(runs, 1)``. With fewer than
    two topics that have a score, p is NaN.
    """
    collection, params, measures = work.collection, work.params, work.measures
    if (key := ("own pools", measures, params.rates, params.trials, params.pairs)) in work.cache:
        return work.cache[key]
    shards.check_local(collection, "decisions (pool=pair)")
    a, b = (runs[picked] for runs in np.triu_indices(len(collection.runs), 1))
    full = np.empty((len(measures), len(picked)))
    p = np.empty((len(measures), len(params.rates), params.trials, len(picked)))
    left = np.full((len(params.rates), params.trials, len(picked)), ALL)

    def test(k: int) -> None:
        two = restrict_pool(collection, [int(a[k]), int(b[k])])
        less = [i for i, rate in enumerate(params.rates) if rate < ALL]
        grades = [two.grade]
        for trial in range(params.trials):
            grades += [*draw_grades(two, params, [params.rates[i] for i in less], trial + 1)]
        values = np.stack(
            [
                scores().values
                for scores in evaluate_many(two, ((measures, sample) for sample in grades))
            ]
        )
        tested = p_of_two(values, params.test, samples=params.samples, seed=params.seed)
        full[:, k] = tested[0]
        p[..., k] = full[:, k, None, None]
        p[:, less, :, k] = (
            tested[1:].reshape(params.trials, len(less), len(measures)).transpose(1, 2, 0)
        )
        if less:
            left[less, :, k] = (
                share_left(two.grade, np.array(grades[1:])).reshape(params.trials, len(less)).T
            )

    work.each(test, range(len(picked)))
    work.cache[key] = full, p, left.mean(axis=-1)
    return work.cache[key]
