"""How much of the scores' variance is the runs', and which runs are told apart by Tukey's HSD."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Annotated, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.parallel import check_cancelled
from irmeval.core.params import Param, checked
from irmeval.core.text import counted, some_of, verb
from irmeval.experiments import cost as costs
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, experiment, once
from irmeval.experiments.results import Chart, Figure, Frame, Table, result
from irmeval.experiments.scored import names_of, values_of
from irmeval.experiments.settings import Alpha, Seed
from irmeval.experiments.table import table, tidy_pairs
from irmeval.experiments.work import Work
from irmeval.metrics import Measure, measure
from irmeval.plots import pins, row_charts
from irmeval.plots.cells import cells
from irmeval.reading.matrix import Matrix
from irmeval.reductions.stratified import shards
from irmeval.scoring.scores import evaluate
from irmeval.stats.anova import OTHERS, THESE, Anova, anova, critical_difference, honest_differences, letters
from irmeval.stats.pairs import Pairs, stretches

READABLE = 40
"""Runs that a figure names."""


@checked
class Params:
    """How variance is analysed."""

    shards: Annotated[
        int,
        Param(
            "shards",
            "1: a score per run and topic. More: each topic's judged documents are dealt out at random, and each run is scored on each "
            "shard as if no other documents were there.",
            low=1,
            high=10,
        ),
    ] = 1
    holds_for: Annotated[
        str,
        Param(
            "holds for",
            "With shards. other topics: differences are compared with the variation over topics. these topics: with the variation over "
            "shards, "
            "as in Ferro & Sanderson; more pairs differ, but they may not on other topics.",
            choices=(OTHERS, THESE),
        ),
    ] = OTHERS
    alpha: Alpha = 0.05
    seed: Seed = 1


class Analysis(NamedTuple):
    """What an analysis of the variance of some scores says."""

    anova: Anova
    pairs: Pairs
    topics: int
    """topics with a score for every run, on every shard"""


@result
class Variance:
    """Analyses of variance by every measure. Pairs are in the order of ``np.triu_indices(runs, 1)``.

    Attributes
    ----------
    whole : an `Analysis` per measure, of a score per run and topic
    sharded : the same of shards, by what it holds for; empty where there is one shard
    names : of the measures; of a score matrix, its own
    measures : () for a score matrix
    runs : as read, or as asked for
    topics : how many there are, with those that were left out
    params : Params
    """

    whole: tuple[Analysis, ...]
    sharded: dict[str, tuple[Analysis, ...]]
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: int
    params: Params

    @property
    def analyses(self) -> tuple[Analysis, ...]:
        """Those that were asked for, one per measure."""
        return self.sharded.get(self.params.holds_for, self.whole)

    @cached_property
    def square(self) -> np.ndarray:
        """Whether two runs are not told apart by the first measure [run, run]."""
        alike = np.zeros((len(self.runs), len(self.runs)), bool)
        alike[np.triu_indices(len(self.runs), 1)] = self.analyses[0].pairs.p >= self.params.alpha
        return alike | alike.T

    @cached_property
    def order(self) -> np.ndarray:
        """The runs by mean score by the first measure, best first."""
        return np.argsort(-self.analyses[0].anova.means, kind="stable")

    @cached_property
    def top(self) -> list[str]:
        """The runs that are not told apart from the best, which is the first of them."""
        return [self.runs[r] for r in self.order if r == self.order[0] or self.square[self.order[0], r]]

    def told_apart(self, analyses: Sequence[Analysis]) -> np.ndarray:
        """How many pairs differ [measure]."""
        return np.array([int((each.pairs.p < self.params.alpha).sum()) for each in analyses])

    def frame(self) -> Frame:
        """One row per measure and pair: measure, run_a, run_b, difference (a less b), p_value (Tukey's HSD), significant."""
        p = np.array([each.pairs.p for each in self.analyses])
        difference = np.array([each.pairs.difference for each in self.analyses])
        return tidy_pairs(self.names, self.runs, {"difference": difference, "p_value": p, "significant": p < self.params.alpha})

    def variance(self) -> Frame:
        """One row per measure and factor: sum of squares, degrees of freedom, mean square, F, p, share of all variance (eta squared), and
        that estimated for the population (omega squared)."""
        rows = [
            {
                "measure": name,
                "factor": factor,
                "sum of squares": found.squares[i],
                "df": found.df[i],
                "mean square": found.mean_squares[i],
                "F": found.F[i],
                "p": found.p[i],
                "share of variance": found.share[i],
                "omega squared": found.omega[i],
            }
            for name, (found, *_) in zip(self.names, self.analyses, strict=True)
            for i, factor in enumerate(found.factors)
        ]
        return table(rows)

    def groups(self) -> Frame:
        """One row per run, best by the first measure first: its mean, its letters, and whether it is told apart from the best. Two runs
        that have a letter in common are not told apart, nor any between them."""
        said = letters(self.square[np.ix_(self.order, self.order)])
        top = {*self.top}
        columns = {
            "run": [self.runs[r] for r in self.order],
            f"mean {self.names[0]}": self.analyses[0].anova.means[self.order],
            "groups": said,
            "not told apart from the best": [self.runs[r] in top for r in self.order],
        }
        return table(columns)

    def power(self) -> Frame:
        """One row per measure: the pairs told apart on the whole judgments and with shards, the difference of means that is enough, topics
        and pairs."""
        columns = {"measure": self.names, "one score per topic": self.told_apart(self.whole)}
        columns |= {f"shards, holds for {what}": self.told_apart(found) for what, found in self.sharded.items()}
        columns["required difference"] = [critical_difference(each.anova, self.params.alpha) for each in self.analyses]
        return table(columns | {"pairs": self.whole[0].pairs.p.size, "topics": [each.topics for each in self.analyses]})

    def headline(self) -> str:
        """How many pairs are told apart, which runs share the top, what share of the variance is the runs'; with shards, what they did."""
        found, name = self.analyses[0], self.names[0]
        pairs, share = found.pairs.p.size, found.anova.share
        told = int(self.told_apart(self.analyses)[0])
        best = f"{self.top[0]}, the best, differs significantly from all others"
        if len(self.top) > 1:
            others = len(self.top) - 1
            best = f"{counted(others, 'other run')} {verb(others, 'does', 'do')} not differ significantly from {self.top[0]}, the best"
        whose = (
            f"runs explain {share[0]:.0%} of the variance, topics {share[1]:.0%}" if np.isfinite(share).all() else "all scores are the same"
        )
        said = (
            f"By {name}, {some_of(told, pairs, 'pair')} of runs {verb(told, 'differs', 'differ')} significantly (Tukey's HSD, alpha "
            f"{self.params.alpha:g}); {best}; {whose}."
        )
        dropped = self.topics - min(each.topics for each in self.analyses)
        left_out = f" {counted(dropped, 'topic')} without a score for every run {verb(dropped, 'is', 'are')} left out." if dropped else ""
        return f"{said}{self._replicated()}{left_out}"

    def _replicated(self) -> str:
        if not self.sharded:
            return ""
        plain, (others, these) = self.told_apart(self.whole)[0], (self.told_apart(self.sharded[what])[0] for what in (OTHERS, THESE))
        return (
            f" With one score per topic, {plain:,} {verb(plain, 'differs', 'differ')} significantly; with {self.params.shards} shards, "
            f"{others:,} for other topics too and {these:,} for these topics alone."
        )

    def charts(self) -> list[Chart]:
        """Shares of variance, and groups of runs by the first measure."""
        factors = self.analyses[0].anova.factors
        share = np.array([each.anova.share for each in self.analyses]).T
        return [
            Chart(
                "shares",
                "Shares of variance",
                "What the scores' variance comes from: sums of squares as a share of all. The residual is what neither runs nor topics "
                "explain.",
                lambda: cells(factors, self.names, share, title="share of variance", low=0.0, high=1.0),
            ),
            Chart(
                "groups",
                "Groups of runs",
                f"The best {READABLE} runs at most, by mean {self.names[0]}. A bar joins runs of which no two differ significantly by "
                f"Tukey's HSD at {self.params.alpha:g}.",
                self._groups,
            ),
        ]

    def _groups(self) -> Figure:
        best = pins.best(self.order, self.runs, READABLE)
        means, alike = self.analyses[0].anova.means[best], self.square[np.ix_(best, best)]
        return row_charts.ladder([self.runs[r] for r in best], means, stretches(alike), f"mean {self.names[0]}")

    def tables(self) -> list[Table]:
        """Groups of runs; analysis of variance; pairs told apart, with and without shards; every pair."""
        return [
            Table("groups", "Groups", self.groups),
            Table("variance", "Analysis of variance", self.variance),
            Table("power", "Significant pairs", self.power),
            Table("pairs", "Every pair", self.frame),
        ]


def condensed(m: Measure) -> Measure:
    """The measure on lists without their unjudged documents, where it has such a form."""
    return measure(f"{m}'") if m.metric.primed and not m.prime else m


def cost(work: Work[Params]) -> costs.Cost:
    """Of the measures that are not kept yet; a result keeps some numbers per pair."""
    _, runs, topics = work.shape
    names = names_of(work.source, work.measures)
    missing = [name for name in names if name not in work.kept]
    parts, analyses = (work.params.shards, 3) if work.params.shards > 1 else (0, 1)
    tested = costs.Cost({costs.TESTED: 8.0 * analyses * len(missing) * costs.pairs(runs)}, room=24.0 * (parts + 1) * runs * topics)
    found = costs.of_pairs(analyses, len(names), costs.pairs(runs)) + costs.kept(1, runs, runs)
    return once(replace(work, measures=tuple(m for m in work.measures if m in missing))) * (parts + 1) + tested + found


@experiment(
    "anova",
    title="Variance",
    question="Do runs or topics make the difference, and which runs share the top?",
    does="divide the variance of scores among runs and topics",
    source="Tague-Sutcliffe & Blustein 1995; Tukey 1953; shards: Ferro & Sanderson 2022",
    params=Params,
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("shards", "seed"),
    cost=cost,
)
def variance(work: Work[Params]) -> Variance:
    """The variance of scores is divided among runs, topics and what is left, and every pair of runs is held against it by Tukey's HSD,
    which allows for there being many pairs. With shards of the judged documents there are several scores per run and topic, so that what is
    peculiar to a run on a topic is told from chance.

    The shards are drawn per topic, relevant and nonrelevant documents apart, and scored by the measure's condensed form, where it has one:
    a document outside the shard is left out of the list. Topics that have no score on some shard, as they have fewer relevant documents,
    are left out. Raises `ParamError` where there are fewer than two runs, or two topics with a score for every run, or shards are asked of
    a score matrix; `UnknownName` for a run that is not there.
    """
    source, kept, params = work.source, work.kept, work.params
    assert source is not None
    if isinstance(source, Matrix) and params.shards > 1:
        raise ParamError(f"shards: expected 1 for the score matrix {source.name}, which has no judgments to divide, found {params.shards}.")
    names = names_of(source, work.measures)
    missing = [name for name in names if name not in kept]
    measures = tuple(m for m in work.measures if m not in kept)
    values = values_of(source, measures)
    grades = parts_of(source, params) if missing else []
    for i, (name, scores) in work.steps(enumerate(zip(missing, values, strict=False))):
        found = {"": analyse(name, scores[work.places], OTHERS)}
        if grades and isinstance(source, Collection):
            replicates = [evaluate(source, [condensed(measures[i])], grades=part).values[0][work.places] for part in grades]
            found |= {what: analyse(name, np.stack(replicates, axis=-1), what) for what in (OTHERS, THESE)}
        kept[name] = found
    whole = tuple(kept[name][""] for name in names)
    sharded = {what: tuple(kept[name][what] for name in names) for what in (OTHERS, THESE)} if params.shards > 1 else {}
    runs = tuple(source.runs[i] for i in work.places)
    return Variance(whole, sharded, names, work.measures, runs, len(source.topics), params)


def parts_of(source: Collection | Matrix, params: Params) -> Sequence[np.ndarray]:
    """Grades of each shard; none where there is one."""
    if params.shards == 1 or not isinstance(source, Collection):
        return []
    return list(shards(source, params.shards, np.random.default_rng(params.seed)))


def analyse(name: str, values: np.ndarray, holds_for: str) -> Analysis:
    """The analysis of scores [run, topic, ...] on the topics that have all of them."""
    check_cancelled()
    scored = np.isfinite(values).all(axis=(0, *range(2, values.ndim)))
    if min(len(values), int(scored.sum())) < 2:
        came = f"{len(values)} and {int(scored.sum())}"
        todo = " on every shard, found {}. Choose fewer shards." if values.ndim > 2 else ", found {}."
        raise ParamError(f"{name}: expected at least 2 runs and 2 topics with a score for every run{todo.format(came)}")
    found = anova(values[:, scored], holds_for=holds_for)
    return Analysis(found, honest_differences(found), int(scored.sum()))
