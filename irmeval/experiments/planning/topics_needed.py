"""Number of topics that a collection needs, by measure, and the pool depth with the
least cost.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Live, checked, param
from irmeval.core.text import count_noun, names_or_number
from irmeval.experiments.axes.depth import SHALLOWER
from irmeval.experiments.base import COLLECTION, MATRIX, MEASURES, Work, experiment
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.measures.pooled_variance import (
    EXAMPLE,
    CachedVariances,
    describe_flat,
    measure_variance,
    pool_with,
)
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
    table_of_crossings,
    tidy,
)
from irmeval.experiments.scored import (
    names_of,
    values_of,
)
from irmeval.experiments.settings import OFFERS, SAMPLED, Alpha, Seed
from irmeval.experiments.sweep import ALL, Drawn, Plan, Sample, gather, read_whole, sweep
from irmeval.experiments.trials import describe_depth, note_depths
from irmeval.metrics import Measure
from irmeval.plots.line_charts import Axes, Crossing, curves, measure_curves
from irmeval.reductions import draw, with_design
from irmeval.reductions.base import random_generator, rate_reductions
from irmeval.stats.crossings import find_crossings
from irmeval.stats.intervals import LEVEL, student_quantile
from irmeval.stats.sample_size import WAYS, ScoreVariance
from irmeval.stats.sample_size import topics_for_interval as for_interval
from irmeval.stats.sample_size import topics_for_power as for_power

DEPTH = "pool depth"
POINTS = 25
"""Number of points of a curve."""
TRIED = np.geomspace(0.001, 1.0, 100)
"""Differences among which the smallest that the topics here detect is sought."""
NOT_ENOUGH = f"not up to {TRIED[-1]:g}"
"""Text for topics that detect none of these."""
BILLION = 1e9
"""Costs from here on are not written in full."""
WORDS = {0.05: "in 95% of cases", 0.1: "in 90% of cases", 0.2: "in 80% of cases"}

CELL = "cell"
"""Cache key of cells."""


@checked
class Params:
    """Differences that the collection should detect, and how its judgments may be
    reduced.
    """

    alpha: Alpha = 0.05
    beta: float = param(
        "beta",
        "Probability of missing the difference: 1 - power.",
        low=0.001,
        high=0.5,
        default=0.2,
    )
    differences: tuple[float, ...] = param(
        "differences",
        "Differences of mean scores to detect, or widths of intervals.",
        low=0.001,
        high=1,
        offers=(0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3),
        default=(0.05, 0.1, 0.15, 0.2),
    )
    systems: tuple[int, ...] = param(
        "systems",
        "Number of systems that the analysis of variance compares.",
        low=2,
        high=1000,
        offers=(2, 3, 5, 10, 20, 30, 50, 100),
        template="systems of {} runs",
        default=(2, 10, 50),
    )
    variance: str = param(
        "variance",
        "two-way: without differences between topics, since systems are compared on the same"
        " topics. one-way: with them.",
        choices=WAYS,
        value_labels={way: f"{way} variance" for way in WAYS},
        default=WAYS[0],
    )
    pooled_with: str = param(
        "variances of other collections",
        "Pooled by degrees of freedom. Each: measure, variance, degrees of freedom, as in"
        f" {EXAMPLE}; semicolons between.",
        empty="none",
        template="pooled with {}",
        default="",
    )
    judging: str = param(
        "judgments by",
        f"How judgments are reduced. {DEPTH}: to documents that a loaded run has down to that rank."
        " Others: to a share of the judgments, or to the first ones in an order of judging.",
        choices=Live(lambda: (DEPTH, *rate_reductions())),
        value_labels={DEPTH: "judged to a pool depth", **SAMPLED},
        default=DEPTH,
    )
    depths: tuple[int, ...] = param(
        "pool depths",
        "Pool depths at which the cost is computed.",
        low=1,
        high=1_000_000,
        offers=(1, 2, 3, 5, *range(10, 101, 10), 200, 500, 1000),
        default=(*range(10, 101, 10),),
    )
    budgets: tuple[float, ...] = param(
        "budgets, %",
        "Shares of the judgments at which the cost is computed, for the other methods.",
        low=0.1,
        high=100,
        rate=True,
        offers=OFFERS[::-1],
        default=(5.0, 10.0, 20.0, 35.0, 50.0, 75.0, 100.0),
    )
    samples: int = param(
        "samples",
        "Resamples of topics, for intervals of the cost.",
        low=10,
        high=2000,
        template="{} samples",
        default=200,
    )
    seed: Seed = 1

    @property
    def spoken_of(self) -> float:
        """Difference of the headline and the cost: the smallest, which takes most."""
        return min(self.differences)

    @property
    def judged_as(self) -> str:
        """Text on how judgments are reduced."""
        return SAMPLED.get(self.judging, self.judging)

    @property
    def levels(self) -> tuple[float, ...]:
        """Pool depths, or shares of the judgments in per cent, in rising order."""
        return self.depths if self.judging == DEPTH else self.budgets


class TopicsNeeded(Result):
    """Number of topics that a collection needs, by the variance of scores in this
    one.
    """

    whole: tuple[ScoreVariance, ...]
    """per measure, on all judgments, or pooled over collections"""
    variances: np.ndarray
    """float64 [measure, level], on reduced judgments; NaN with fewer than two topics
    with a score for every run
    """
    judged: np.ndarray
    """float64 [level], judged documents per topic"""
    resampled: np.ndarray
    """float64 [measure, level, sample], the variances on resampled topics"""
    judged_resampled: np.ndarray
    """float64 [level, sample], judged documents per topic there"""
    names: tuple[Any, ...]
    """of the measures, or of the score matrix"""
    measures: tuple[Measure, ...]
    topics: tuple[int, ...]
    """number of topics with a score for every run [measure]"""
    others: int
    """number of other collections pooled"""
    runs: int
    longest: int
    """number of documents in the longest list; 0 for a score matrix"""
    params: Params

    @cached_property
    def by_method(self) -> dict[tuple[str, int], np.ndarray]:
        """Topics needed [measure, difference] by method and number of systems; NaN for
        a measure with variance 0.
        """
        variance, p = np.array([each.value for each in self.whole])[:, None], self.params
        how: dict[str, Any] = {"alpha": p.alpha, "beta": p.beta}
        anova = {
            ("anova", m): for_power(p.differences, variance, **how, systems=m, paired=False)
            for m in p.systems
        }
        # exact by noncentral distributions, where Sakai 2016 and Nagata 2003 approximate them
        found = {("t", 2): for_power(p.differences, variance, **how), **anova}
        found["interval", 2] = for_interval(p.differences, variance, alpha=p.alpha)
        return (
            found
            if (variance > 0).all()
            else {
                method: np.where(variance > 0, counts, np.nan) for method, counts in found.items()
            }
        )

    @property
    def needed(self) -> np.ndarray:
        """Topics needed by the paired t test at the difference of the headline
        [measure].
        """
        return self.by_method["t", 2][:, self.params.differences.index(self.params.spoken_of)]

    @cached_property
    def costs(self) -> np.ndarray:
        """All judgments: topics by the paired t test times judged documents per topic
        [measure, level].
        """
        return self._topics(self.variances) * self.judged

    @cached_property
    def costs_resampled(self) -> np.ndarray:
        """The same on resampled topics [measure, level, sample]."""
        return self._topics(self.resampled) * self.judged_resampled

    def _topics(
        self, variance: np.ndarray, difference: float | np.ndarray | None = None
    ) -> np.ndarray:
        """Topics that the paired t test takes; NaN by a variance of 0."""
        p, known, wanted = (
            self.params,
            variance > 0,
            self.params.spoken_of if difference is None else difference,
        )
        return np.where(
            known,
            for_power(wanted, np.where(known, variance, 0), alpha=p.alpha, beta=p.beta),
            np.nan,
        )

    def frame(self) -> Frame:
        """One row per measure, method (t, anova, interval), number of systems and
        difference: measure, method, alpha, beta, difference, systems, variance, topics.
        For an interval the difference is its width, and beta is NaN.
        """
        p = self.params
        rows = [
            (
                name,
                method,
                p.alpha,
                np.nan if method == "interval" else p.beta,
                difference,
                systems,
                found.value,
                count,
            )
            for m, (name, found) in enumerate(zip(self.names, self.whole, strict=True))
            for (method, systems), counts in self.by_method.items()
            for difference, count in zip(p.differences, counts[m].tolist(), strict=True)
        ]
        return rowwise(
            ("measure", "method", "alpha", "beta", "difference", "systems", "variance", "topics"),
            rows,
        )

    def summary(self) -> Frame:
        """One row per measure and difference: topics needed by each method."""
        called = {"t": "t test", "interval": "interval of this width"}
        columns = {
            called.get(method, f"ANOVA, {systems} systems"): counts
            for (method, systems), counts in self.by_method.items()
        }
        return tidy({"measure": self.names, "difference": self.params.differences}, columns)

    def variance(self) -> Frame:
        """One row per measure: variance, degrees of freedom, topics with a score for
        every run, runs.
        """
        values, freedom = zip(*self.whole, strict=True)
        return table(
            {
                "measure": self.names,
                "variance": values,
                "df": freedom,
                "topics": self.topics,
                "runs": self.runs,
            }
        )

    def cost(self) -> Frame:
        """One row per measure and level: judged documents per topic, variance, topics
        needed by the t test, all judgments with the ends of a 95% interval, and the
        share of resamples in which this level costs least.

        The interval is of the logarithm: Student's t times the standard deviation of
        the logarithms of the resampled costs. It covers a simulated variance in .94 of
        cases with 10 topics, in .93 with 25 and 50 (`benchmarks/README.md`).
        """
        low, high = self._ends
        columns = {
            "judged a topic": self.judged,
            "variance": self.variances,
            "topics": self._topics(self.variances),
            "judgments": self.costs,
            "low": low,
            "high": high,
            "costs least": self._least(),
        }
        return tidy({"measure": self.names, self.params.judging: self.params.levels}, columns)

    def _least(self) -> np.ndarray:
        """Share of resamples in which each level costs least [measure, level]."""
        # NumPy takes NaN for the least: an unknown cost would win
        cost = np.where(np.isfinite(self.costs_resampled), self.costs_resampled, np.inf)
        return (cost.argmin(axis=1)[:, None] == np.arange(cost.shape[1])[:, None]).mean(axis=-1)

    @cached_property
    def _ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the intervals of the cost [measure, level]; NaN if a resample has no
        cost, or costs nothing.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            # on 10 topics percentiles of resamples held a variance in .85 of simulations, this in
            # .94
            spread = np.log(self.costs_resampled).std(axis=-1, ddof=1)
        times = np.exp(
            np.array([student_quantile(LEVEL, n) for n in self.topics])[:, None] * spread
        )
        return self.costs / times, self.costs * times

    def facts(self, choice: str = "") -> list[Fact]:
        """Topics that each measure needs for the smallest difference, and the difference
        that the topics here detect.
        """
        wanted, found = self.params.spoken_of, []
        for name, n, here in zip(self.names, self.needed, self.found, strict=True):
            found += [
                Fact("topics needed", str(name), "", float(n), wanted),
                Fact("difference that the topics here detect", str(name), "", float(here)),
            ]
        return [fact for fact in found if np.isfinite(fact.value)]

    def verdict(self, choice: str = "") -> Verdict:
        needed = [fact for fact in self.facts() if fact.what == "topics needed"]
        if not needed:
            why = "differences of runs do not vary over topics"
            return Verdict(f"The number of topics is undefined: {why}.")
        least, most = (end(needed, key=lambda fact: fact.value) for end in (min, max))
        power = WORDS.get(self.params.beta, f"in {1 - self.params.beta:.0%} of cases")
        names = [fact.measure for fact in needed]
        takes = f"{count_noun(int(least.value), 'topic')} by {least.measure}"
        if most.value > least.value:
            takes += f", {most.value:,.0f} by {most.measure}"
        elif len(names) > 1:
            every = names_or_number(names, len(self.names), "measure")
            takes = f"{count_noun(int(least.value), 'topic')} by {every}"
        beside = self._describe_pooled(), describe_flat(self.names, self.whole)
        return Verdict(
            f"To detect a difference of {self.params.spoken_of:g} {power} takes {takes}.",
            " ".join(filter(None, beside)),
            " ".join(filter(None, self._describe_cost())),
        )

    def _describe_pooled(self) -> str:
        if not self.others:
            return ""
        others = count_noun(self.others, "other collection")
        return f"Variances are pooled with {others} ({self.whole[0].freedom:,} degrees of freedom)."

    @cached_property
    def found(self) -> np.ndarray:
        """The difference from which on the topics here are enough [measure]."""
        return find_crossings(
            TRIED.tolist(),
            self._topics(np.array([[each.value] for each in self.whole]), TRIED),
            max(self.topics),
        )

    def _describe_cost(self) -> list[str]:
        """Sentences on the pool depth, or the share judged, that costs least."""
        if not self.judged.size or not np.isfinite(self.costs[0]).any():
            return []
        i = int(np.nanargmin(self.costs[0]))
        short = self._describe_short_lists(i)
        cost = f"{self.costs[0, i]:,.0f} judgments{self._describe_interval(i)}"
        where = "with every list judged to its end" if short else self._describe_level(i)
        if len(self.judged) == 1 or (short and not i):
            return [short, f"It costs {cost} {where}."]
        # the least of a curve at its end may lie beyond it
        if not i:
            where += ", the lowest tried"
        # other collections give a variance on all judgments, none at other depths or shares
        if self.others:
            where += ", by the variance here"
        agree = f"{self._least()[0, i]:.0%} of the resamples agree"
        return [short, f"Judging costs least {where}: {cost}; {agree}."]

    def _describe_short_lists(self, i: int) -> str:
        """A sentence on a pool depth that no list reaches; else empty."""
        if self.params.judging != DEPTH:
            return ""
        return describe_depth(int(self.params.levels[i]), self.longest)

    def _describe_level(self, i: int) -> str:
        """Pool depth or share of the judgments at a level, within a sentence."""
        level = self.params.levels[i]
        if self.params.judging == DEPTH:
            return f"at pool depth {level:g}"
        return f"with {level:g}% judged ({self.params.judged_as})"

    def _describe_interval(self, i: int) -> str:
        """Interval of the cost at a level, in brackets; empty if it is unknown."""
        low, high = (end[0, i] for end in self._ends)
        if not np.isfinite([low, high]).all():
            return ""
        most = f"{high:,.0f}"
        if high >= BILLION:
            most = "more than a billion"
        return f" (95% interval {low:,.0f} to {most})"

    def next_steps(self) -> list[NextStep]:
        return [
            NextStep("Which pairs differ on the topics here?", "power"),
            NextStep("What if the pool had been shallower?", *SHALLOWER),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        p = self.params
        short = note_depths(p.depths, self.longest) if p.judging == DEPTH else ""
        cost = Chart(
            "cost",
            "Judgments in all",
            f"Topics that a paired t test needs to detect a difference of {p.spoken_of:g}, times"
            f" judged documents per topic, by {p.judged_as}. Bands are 95% intervals over resampled"
            f" topics.{short} With fewer judged documents, scores and their differences may shrink,"
            " so that the same difference is relatively larger.",
            self._cost,
        )
        topics = Chart(
            "topics",
            "Topics needed",
            f"Labelled: the difference that the {count_noun(max(self.topics), 'topic')} here"
            " detect (dotted line). A curve has the topics that a paired t test needs to detect a"
            f" difference of means (alpha {p.alpha:g}, power {1 - p.beta:g}). It rests on the"
            f" {p.variance} variance of these scores.",
            self._curve,
        )
        if not self.judged.size:
            return [topics]
        return [topics, cost]

    def _curve(self) -> Figure:
        low, high = self.params.differences[0], self.params.differences[-1]
        # falling: names stand where lines are far apart
        x = np.geomspace(high if high > low else min(2 * low, 1.0), low, POINTS)
        y, here, names = (
            self._topics(np.array([[each.value] for each in self.whole]), x),
            max(self.topics),
            [*map(str, self.names)],
        )
        return curves(
            x.tolist(),
            measure_curves(names, y),
            Axes(
                xtitle="difference of means",
                ytitle="topics",
                yrange=(0, float(np.nanmax(y, initial=here)) * 1.05),
                ticks={value: f"{value:g}" for value in self.params.differences},
            ),
            threshold=here,
            crossings={
                name: Crossing(x, f"{x:.3f}")
                for name, x in zip(names, self.found.tolist(), strict=True)
            },
        )

    def _cost(self) -> Figure:
        low, high = self._ends
        unit = "" if self.params.judging == DEPTH else "%"
        places = [*range(1, len(self.judged) + 1)]
        ticks = {
            float(place): f"{level:g}{unit}"
            for place, level in zip(places, self.params.levels, strict=True)
        }
        top = float(np.nanmax(np.stack([high, self.costs]), initial=1.0)) * 1.05
        lines = measure_curves([*map(str, self.names)], self.costs, low, high)
        title = DEPTH if not unit else f"judged ({self.params.judged_as})"
        return curves(
            places,
            lines,
            Axes(xtitle=title, ytitle="judgments in all", yrange=(0, top), ticks=ticks),
        )

    def tables(self) -> list[Table]:
        return [
            Table("summary", "Topics needed", self.summary),
            table_of_crossings(
                f"{count_noun(max(self.topics), 'topic')} here",
                "enough from",
                {"measure": self.names},
                self.found,
                NOT_ENOUGH,
                3,
            ),
            *([Table("cost", "Judgments in all", self.cost)] if self.judged.size else []),
            Table("variance", "Variance", self.variance),
            Table("rows", "Every requirement", self.frame),
        ]


@experiment(
    "topics-needed",
    title="Topics needed",
    question="How many topics does a collection need?",
    does="estimate how many topics a collection needs",
    formula=(
        r"power(n) = Pr\left(F_{1,\,n-1}(\lambda) > F_{1,\,n-1;\,\alpha}\right), \quad \lambda ="
        r" \frac{n \delta^2}{2 \sigma^2}"
    ),
    source="Sakai 2016; Nagata 2003",
    takes=(COLLECTION, MATRIX, MEASURES),
    stored=("variance", "judging", "samples", "seed"),
    needs=PAIRS,
)
def topics_needed(work: Work[Params]) -> TopicsNeeded:
    """Estimates the number of topics that a paired t test or an analysis of variance
    needs to detect a given difference with a given power, or for a short enough
    interval, from the residual variance of scores here. Then judgments are reduced:
    with fewer judgments per topic more topics may be needed, and the product is the
    cost of a collection.

    Raises `ParamError` if there are fewer than two runs, or fewer than two topics with
    a score for every run, and for variances of other collections in another form;
    `UnknownName` for an unknown run.
    """
    source, params, places = work.data, work.params, work.run_indices
    names = names_of(source, work.measures)
    topics = len(source.topics)
    samples, longest = params.samples, 0
    if isinstance(source, Collection):
        longest = int(source.length.max(initial=0))
    else:
        samples = 0  # a score matrix has no judgments that could be reduced, so no cost to resample
    # the same resamples of topics for every measure and level, so that costs are compared on
    # equal topics
    rng = random_generator(params.seed, 0)
    drawn = rng.multinomial(topics, np.full(topics, 1 / topics), samples)
    measured = partial(measure_variance, drawn=drawn, way=params.variance)
    cells: list[list[CachedVariances]] = [[]]
    if isinstance(source, Collection):
        full, cells = _on_fewer(work, measured)
    else:
        full = [measured(values_of(source, ())[0][places], np.zeros(topics))]
    for name, cell in zip(names, full, strict=True):
        check_enough(f"{name}: ", len(places), cell.topics)
    whole, others = pool_with(names, [cell.variance for cell in full], params.pooled_with)
    return TopicsNeeded(
        whole=whole,
        variances=np.array([[cell.variance.value for cell in row] for row in cells]),
        judged=np.array([cell.judged for cell in cells[0]]),
        resampled=np.array([[cell.resampled for cell in row] for row in cells]),
        judged_resampled=np.array([cell.judged_resampled for cell in cells[0]]),
        names=names,
        measures=work.measures,
        topics=tuple(cell.topics for cell in full),
        others=others,
        runs=len(places),
        longest=longest,
        params=params,
    )


def _on_fewer(
    work: Work[Params], measured: Callable[[np.ndarray, np.ndarray], CachedVariances]
) -> tuple[list[CachedVariances], list[list[CachedVariances]]]:
    """The cells of each measure on all judgments, and at each level."""
    params, places, by_depth = work.params, work.run_indices, work.params.judging == DEPTH
    collection = work.collection if by_depth else with_design(work.collection, params.judging)
    smaller = {level: 1.0 for level in params.levels if by_depth or level < ALL}

    def judged(sample: Sample) -> CachedVariances:
        counts = np.bincount(collection.topic[sample.grades >= 0], minlength=len(collection.topics))
        return measured(sample.values[places], counts)

    def reduced(trial: int, wanted: Sequence[float]) -> list[Drawn]:
        method = "shallow" if by_depth else params.judging
        return [*map(Drawn, draw(collection, method, wanted, trial, params.seed))]

    work = replace(work, source=collection)
    plan = Plan(smaller, 1, reduced, {CELL: judged}, {}, Drawn(collection.grade))
    sweep(work, plan)
    full, cells = read_whole(work, CELL), gather(work, plan, CELL)
    # 100% is not drawn: its cells are those of all judgments
    levels = [[level[0] for level in row] for row in cells]
    if not by_depth and ALL in params.budgets:
        for row, whole in zip(levels, full, strict=True):
            row.append(whole)
    return full, levels
