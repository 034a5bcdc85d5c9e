"""Variance of scores due to runs and to topics, and runs that differ by Tukey's HSD."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.parallel import check_cancelled
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import capitalize, count_noun, share_that, verb
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.needs import PAIRS, check_enough
from irmeval.experiments.results import (
    Chart,
    Figure,
    Frame,
    NextStep,
    Result,
    Table,
    rowwise,
    table,
    tidy_pairs,
)
from irmeval.experiments.scored import (
    describe_left_out,
    each_measure,
    names_not_kept,
    names_of,
)
from irmeval.experiments.settings import Alpha, Seed
from irmeval.metrics import Measure, measure
from irmeval.plots import pins, row_charts
from irmeval.plots.pins import READABLE
from irmeval.reading.score_matrix import Matrix
from irmeval.reductions.stratified import shards
from irmeval.scoring.scores import evaluate
from irmeval.stats.anova import (
    OTHERS,
    SYSTEMS,
    THESE,
    Anova,
    anova,
    critical_difference,
    tukey_differences,
)
from irmeval.stats.means import best_first
from irmeval.stats.pair_tests import letters
from irmeval.stats.pairs import Pairs, stretches_alike


@checked
class Params:
    """Settings of the analysis of variance."""

    shards: int = param(
        "shards",
        "1: one score per run and topic. More: each topic's judged documents are divided at random"
        " into shards, and each run is scored on each shard alone.",
        low=1,
        high=10,
        template="{} shards",
        default=1,
    )
    holds_for: str = param(
        "holds for",
        "With shards. other topics: differences are compared with the variation over topics. these"
        " topics: with the variation over shards, as in Ferro & Sanderson; more pairs differ, but"
        " they may not differ on other topics.",
        # where no run is better on the mean of all topics, these topics alone give a false pair in
        # .96 of simulations and more
        choices=(OTHERS, THESE),
        default=OTHERS,
    )
    alpha: Alpha = 0.05
    seed: Seed = 1


class Analysis(NamedTuple):
    """An analysis of the variance of some scores."""

    anova: Anova
    pairs: Pairs
    topics: int
    """number of topics with a score for every run on every shard"""


class Variance(Result):
    """Analyses of variance by every measure. Pairs are in the order of
    ``np.triu_indices(runs, 1)``.
    """

    whole: tuple[Analysis, ...]
    """per measure, of one score per run and topic"""
    sharded: dict[str, tuple[Analysis, ...]]
    """for other topics and for these, one per measure, of scores on shards; empty for
    one shard
    """
    names: tuple[str, ...]
    """of the measures, or of the score matrix"""
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    """in the order of the files, or as chosen"""
    topics: int
    """how many there are, including those left out"""
    params: Params

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """Selected analyses, one per measure."""
        return self.sharded.get(self.params.holds_for, self.whole)

    @cached_property
    def square(self) -> np.ndarray:
        """Whether two runs do not differ significantly by the first measure [run,
        run].
        """
        alike = np.zeros((len(self.runs), len(self.runs)), bool)
        alike[np.triu_indices(len(self.runs), 1)] = self.analyses[0].pairs.p >= self.params.alpha
        return alike | alike.T

    @cached_property
    def order(self) -> np.ndarray:
        """The runs by mean score of the first measure, best first."""
        return best_first(self.analyses[0].anova.means)

    @cached_property
    def top(self) -> list[str]:
        """The best run, and the runs that do not differ significantly from it."""
        return [
            self.runs[r] for r in self.order if r == self.order[0] or self.square[self.order[0], r]
        ]

    @property
    def factors(self) -> list[str]:
        """Sources of the variance: runs are the systems."""
        return [factor.replace(SYSTEMS, "runs") for factor in self.analyses[0].anova.factors]

    def count_significant(self, analyses: Sequence[Analysis]) -> list[int]:
        """How many pairs differ significantly [measure]."""
        return [int((each.pairs.p < self.params.alpha).sum()) for each in analyses]

    def frame(self) -> Frame:
        """One row per measure and pair: measure, run_a, run_b, difference (a less b),
        p_value (Tukey's HSD), significant.
        """
        p = np.array([each.pairs.p for each in self.analyses])
        difference = np.array([each.pairs.difference for each in self.analyses])
        return tidy_pairs(
            self.names,
            self.runs,
            {"difference": difference, "p_value": p, "significant": p < self.params.alpha},
        )

    def variance(self) -> Frame:
        """One row per measure and factor: sum of squares, degrees of freedom, mean
        square, F, p, share of the variance (eta squared), and its population estimate
        (omega squared).
        """
        names = (
            "measure",
            "factor",
            "sum of squares",
            "df",
            "mean square",
            "F",
            "p",
            "share of variance",
            "omega squared",
        )
        rows = [
            (name, *of_factor)
            for name, (a, *_) in zip(self.names, self.analyses, strict=True)
            for of_factor in zip(
                self.factors,
                a.squares,
                a.df,
                a.mean_squares,
                a.F,
                a.p,
                a.share,
                a.omega,
                strict=True,
            )
        ]
        return rowwise(names, rows)

    def groups(self) -> Frame:
        """One row per run, best by the first measure first: its mean, its letters, and
        whether it differs from the best. Two runs share a letter if and only if they do
        not differ by Tukey's HSD; letters are omitted for many runs.
        """
        runs, top = pick(self.runs, self.order), {*self.top}
        columns = {
            "run": runs,
            f"mean {self.names[0]}": self.analyses[0].anova.means[self.order],
            "groups": letters(~self.square[np.ix_(self.order, self.order)]),
            "not different from the best": [run in top for run in runs],
        }
        return table(columns)

    def power(self) -> Frame:
        """One row per measure: significant pairs without and with shards, smallest
        significant difference, pairs, topics.
        """
        columns = {"measure": self.names, "one score per topic": self.count_significant(self.whole)}
        columns |= {
            f"shards, holds for {what}": self.count_significant(found)
            for what, found in self.sharded.items()
        }
        columns["required difference"] = [
            critical_difference(each.anova, self.params.alpha) for each in self.analyses
        ]
        return table(
            columns
            | {
                "pairs": self.whole[0].pairs.p.size,
                "topics": [each.topics for each in self.analyses],
            }
        )

    def facts(self, choice: str = "") -> list[Fact]:
        """Share of the variance of each source, and pairs of runs that differ, by each
        measure.
        """
        found = []
        for name, each in zip(self.names, self.analyses, strict=True):
            shares = zip(self.factors, each.anova.share.tolist(), strict=True)
            found += [
                Fact("share of the variance", str(name), what, share) for what, share in shares
            ]
        for name, told in zip(self.names, self.count_significant(self.analyses), strict=True):
            found.append(Fact("pairs that differ", str(name), "", float(told), reading="at once"))
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        name, share = self.names[0], self.analyses[0].anova.share
        said = [self._describe_pairs(), self._with_shards(), self._describe_left_out()]
        beside = " ".join(filter(None, said))
        if not np.isfinite(share).all():
            return Verdict(f"By {name}, all scores are the same.", beside)
        whose = f"Runs explain {share[0]:.0%} of the variance by {name}, topics {share[1]:.0%}"
        return Verdict(f"{whose}; {self._describe_best()}.", beside)

    def _describe_best(self) -> str:
        """How many runs do not differ from the best."""
        others = len(self.top) - 1
        if not others:
            return f"{self.top[0]} differs from all others"
        best = f"not differ from {self.top[0]}"
        return f"{count_noun(others, 'run')} {verb(others, 'does', 'do')} {best}"

    def _describe_pairs(self) -> str:
        """How many pairs of runs differ, by the first measure."""
        pairs = self.analyses[0].pairs.p.size
        told = self.count_significant(self.analyses)[0]
        said = share_that(told, pairs, "pair of runs", "differ")
        return f"{capitalize(said)} with all pairs tested together, by {self.names[0]}."

    def _with_shards(self) -> str:
        """How many pairs differ with and without shards; empty without shards."""
        if not self.sharded:
            return ""
        plain, others, these = (
            self.count_significant(found)[0] for found in (self.whole, *self.sharded.values())
        )
        return (
            f"With one score per topic, {count_noun(plain, 'pair')}"
            f" {verb(plain, 'differs', 'differ')}; with {self.params.shards} shards, {others:,} if"
            f" other topics are meant too, {these:,} if these topics alone are meant."
        )

    def _describe_left_out(self) -> str:
        least = min(each.topics for each in self.analyses)
        return describe_left_out(self.topics - least).strip()

    def next_steps(self) -> list[NextStep]:
        best, *rivals = pick(self.runs, self.order)
        pair = {"measure": self.names[0], "run_a": best, "run_b": rivals[0]} if rivals else {}
        return [
            NextStep("Do pairs differ by another test too?", "matrix", pair),
            NextStep("Would other topics agree?", "stability"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        share = np.array([each.anova.share for each in self.analyses]).T
        whose = (
            f"The best {READABLE} of {len(self.runs):,} runs"
            if len(self.runs) > READABLE
            else "The runs"
        )
        return [
            Chart(
                "shares",
                "Shares of variance",
                "Sources of the variance of scores: sums of squares as a share of the total. The"
                " residual is explained by neither runs nor topics.",
                lambda: row_charts.stacked(
                    self.names, self.factors, share, "share of the variance of scores, %"
                ),
            ),
            Chart(
                "groups",
                "Groups by Tukey's HSD",
                f"{whose}, by mean {self.names[0]}. A bar joins runs that do not differ"
                f" significantly from each other by Tukey's HSD at {self.params.alpha:g}.",
                self._groups,
            ),
        ]

    def _groups(self) -> Figure:
        best = pins.first_drawn(self.order, self.runs, READABLE)
        means, alike = self.analyses[0].anova.means[best], self.square[np.ix_(best, best)]
        return row_charts.ladder(
            pick(self.runs, best), means, stretches_alike(alike), f"mean {self.names[0]}"
        )

    def tables(self) -> list[Table]:
        return [
            Table("groups", "Groups by Tukey's HSD", self.groups),
            Table("variance", "Analysis of variance", self.variance),
            Table("power", "Significant pairs", self.power),
            Table("pairs", "Every pair", self.frame),
        ]


def condensed(m: Measure) -> Measure:
    """The condensed form of a measure, if it has one."""
    if m.metric.primed and not m.prime:
        return measure(f"{m}'")
    return m


@experiment(
    "variance",
    title="Variance",
    question="Do scores vary by run or by topic, and which runs are best?",
    does="attribute the variance of scores to runs and topics",
    formula=r"s_{rt} = \mu + \rho_r + \theta_t + \varepsilon_{rt}",
    source="Tague-Sutcliffe & Blustein 1995; Tukey 1953; shards: Ferro & Sanderson 2022",
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("shards", "seed"),
    needs=PAIRS,
)
def variance(work: Work[Params]) -> Variance:
    """Attributes the variance of scores to runs, topics and a residual. Every pair of
    runs is tested against it by Tukey's HSD, which corrects for the number of pairs.
    With shards of the judged documents there are several scores per run and topic,
    which separate the interaction of run and topic from chance.

    The shards are drawn per topic, relevant and nonrelevant documents apart, and scored
    by the condensed form of the measure, if it has one: documents outside the shard are
    left out of the lists. Topics without a score on some shard, as they have few
    relevant documents, are left out. Raises `ParamError` if there are fewer than two
    runs, or fewer than two topics with a score for every run, or if shards are asked of
    a score matrix; `UnknownName` for an unknown run.
    """
    source, params, places = work.data, work.params, work.run_indices
    in_shards = params.shards > 1
    if in_shards and isinstance(source, Matrix):
        raise ParamError(
            f"shards: expected 1 for the score matrix {source.name}, which has no judgments to"
            f" divide, found {params.shards}."
        )
    grades = list[np.ndarray]()
    if in_shards and names_not_kept(work):
        # Ferro & Sanderson 2022 cut the corpus, alike for all topics; here each topic's judgments
        # are dealt out
        rng = np.random.default_rng(params.seed)
        grades.extend(shards(work.collection, params.shards, rng))

    def analyse_all(name: Any, scores: np.ndarray) -> dict[str, Analysis]:
        found = {"": analyse(name, scores, OTHERS)}
        if not in_shards:
            return found
        # raw measures would count documents of other shards as nonrelevant: the condensed form
        # leaves them out
        replicates = [
            evaluate(work.collection, [condensed(name)], grades=part).values[0][places]
            for part in grades
        ]
        scores = np.stack(replicates, axis=-1)
        return found | {what: analyse(name, scores, what) for what in (OTHERS, THESE)}

    found = each_measure(work, analyse_all)
    whole = tuple(of[""] for of in found)
    sharded = {}
    if in_shards:
        sharded = {what: tuple(of[what] for of in found) for what in (OTHERS, THESE)}
    return Variance(
        whole,
        sharded,
        names_of(source, work.measures),
        work.measures,
        work.runs,
        len(source.topics),
        params,
    )


def analyse(name: str, values: np.ndarray, holds_for: str) -> Analysis:
    """Analyse scores [run, topic, ...] on the topics without a missing score."""
    check_cancelled()
    # the sums of squares add up only where every run has every topic
    scored = np.isfinite(values).all(axis=(0, *range(2, values.ndim)))
    topics = int(scored.sum())
    on_shards = ("run on every shard", " Choose fewer shards.") if values.ndim > 2 else ()
    check_enough(f"{name}: ", len(values), topics, *on_shards)
    found = anova(values[:, scored], holds_for=holds_for)
    return Analysis(found, tukey_differences(found), topics)
