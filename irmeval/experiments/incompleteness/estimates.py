"""Estimates from samples of the judgments, compared with the truth on all of them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_few
from irmeval.experiments.base import COLLECTION, IF_OTHERS, MEASURES, Work, experiment
from irmeval.experiments.ends import estimates_of
from irmeval.experiments.incompleteness.aided import (
    SURE,
    Aided,
    OnSample,
    aided_cells,
    describe_limits,
    scored,
    ways_with_judge,
    whole_topics,
)
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Result
from irmeval.experiments.settings import AXES, SAMPLED, Axis, Level, Rates, Seed, Trials
from irmeval.experiments.sweep import ALL, LEFT, at_rates, with_sampling
from irmeval.experiments.trials import (
    Banded,
    OfMeans,
    describe_asked,
    over_trials,
)
from irmeval.judges.simulation import SIMULATED
from irmeval.metrics import Measure
from irmeval.metrics.sampling_variance import CHANGES
from irmeval.plots.line_charts import against_rate, measure_curves
from irmeval.reductions import share_left
from irmeval.scoring.estimated_scores import estimate
from irmeval.scoring.scores import evaluate
from irmeval.stats.intervals import share_interval
from irmeval.stats.powered import NORMAL, QUANTILES

WHOLE = (
    "infNDCG and statNDCG build the ideal list from whole documents, a bias that their intervals"
    " ignore."
)
WHY = {
    "infP": "infP assumes that a third of a stratum without drawn documents is relevant.",
    "infNDCG": WHOLE,
    "statNDCG": WHOLE,
}
"""Reasons why intervals of an estimator contain the truth too rarely
(`benchmarks/README.md`, "Intervals over judgments").
"""
FEW_DRAWN = "Near the top of a list few relevant documents are drawn, and on some topics none."
"""Reason for all other estimators."""
SURE_OF = 0.95
"""Confidence of a verdict on the coverage of intervals."""
SPOKEN_OF = 10.0
"""The headline uses the rate nearest to this, in per cent."""


@checked
class Params:
    """How samples are drawn, and which intervals they give."""

    rates: Rates = (70.0, 50.0, 30.0, 20.0, 10.0)
    trials: Trials = 10
    seed: Seed = 1
    method: str = param(
        "sample",
        "by-rank: from strata by the best rank of a document in any run, more from the upper"
        " strata. uniform: with equal probability. weighted: with a higher probability for"
        " documents that could add more to AP.",
        choices=("by-rank", "uniform", "weighted"),
        value_labels=SAMPLED,
        default="by-rank",
    )
    level: Level = 95.0
    cheap: str = param(
        "cheap judge",
        "Name of a judge, such as a language model, whose grades of the whole pool complement the"
        f" samples; or a simulated judge, such as {SIMULATED}noisy,0.05,1. Empty: none.",
        empty="none",
        default="",
    )
    quantile: str = param(
        "quantile",
        "For intervals of prediction-powered means. normal: as in ppi-python. student: wider if few"
        " topics are fully judged.",
        choices=QUANTILES,
        value_labels={name: f"{name} quantile" for name in QUANTILES},
        default=NORMAL,
    )
    axis: Axis = AXES[0]
    rounding = "floor"


class Estimated(Banded, OfMeans, Result):
    """Means of runs as estimated from samples, and the true means: `full`, by the
    target of each measure. `measures` are compared with the truth; they are `Aided` if
    a cheap judge helps.
    """

    low: np.ndarray
    """lower limits of the intervals of `means` over judgments; NaN for measures without
    intervals
    """
    high: np.ndarray
    """upper limits"""
    left: np.ndarray
    """float64 [rate, trial], realised share of the judgments, in per cent"""
    pool: int
    """number of all judgments"""
    targets: tuple[Measure, ...]
    """target of each measure"""
    topics: int
    simulated: str = ""
    """sentence on a simulated cheap judge"""

    @cached_property
    def bias(self) -> np.ndarray:
        """Bias of the means, averaged over runs [measure, rate, trial]; above 0 is too
        high.
        """
        return (self.means - self.full[:, None, None]).mean(axis=-1)

    @cached_property
    def coverage(self) -> np.ndarray:
        """Share of the runs whose interval contains the truth [measure, rate, trial];
        NaN without an interval.
        """
        truth = self.full[:, None, None]
        held = ((self.low <= truth) & (truth <= self.high)).mean(axis=-1)
        return np.where(np.isnan(self.low).all(axis=-1), np.nan, held)

    @cached_property
    def half_width(self) -> np.ndarray:
        """Median half-width of the intervals over runs [measure, rate, trial]."""
        return np.median((self.high - self.low) / 2, axis=-1)

    @property
    def estimated(self) -> list[int]:
        """Indices of the measures that are estimators with intervals."""
        return [
            m
            for m, one in enumerate(self.measures)
            if (one.way in SURE if isinstance(one, Aided) else one.metric.name in CHANGES)
        ]

    columns = ("bias", "error", "tau", "coverage", "half_width")

    def coverage_left_open(self, level: float = SURE_OF) -> tuple[np.ndarray, np.ndarray]:
        """Confidence interval of the coverage over trials, (low, high), each [measure,
        rate]. The runs of a trial share its sample.
        """
        return share_interval(self.coverage, len(self.runs), level=level)

    def describe_coverage(self) -> str:
        """Sentences on intervals that contain the truth too rarely, beyond chance, with
        reasons; too often, by more than 0.02; and on all others. Chance is over all
        estimators and rates together.
        """
        aim, told_of = self.params.level / 100, max(len(self.estimated) * len(self.params.rates), 1)
        if self.params.trials == 1:
            return " One trial does not show how often intervals contain the truth."
        low, high = self.coverage_left_open(1 - (1 - SURE_OF) / told_of)
        rarely, often = high < aim, low > aim + 0.02
        known = np.isfinite(self.coverage).any(axis=(1, 2))
        fine = [
            str(self.measures[m])
            for m in self.estimated
            if known[m] and not (rarely | often)[m].any()
        ]
        rest = (
            f" In {count_noun(self.params.trials, 'trial')}, no deviation is detected for"
            f" {list_few(fine)}."
            if fine
            else ""
        )
        return (
            self._tell("Too rarely", rarely)
            + self._why(rarely)
            + self._tell("Too often", often)
            + rest
        )

    def _why(self, rarely: np.ndarray) -> str:
        """Known reasons why intervals in a mask [measure, rate] miss the truth, as
        sentences; none for those of a cheap judge.
        """
        own = [
            one.metric.name
            for m in self.estimated
            if rarely[m].any() and not isinstance(one := self.measures[m], Aided)
        ]
        return "".join(f" {why}" for why in dict.fromkeys(WHY.get(name, FEW_DRAWN) for name in own))

    def _tell(self, how: str, which: np.ndarray) -> str:
        """Estimators and rates in a mask [measure, rate], as a sentence; empty if there
        are none.
        """
        rates = {
            m: [one.amount for one, on in zip(self.realised, which[m], strict=True) if on]
            for m in self.estimated
        }
        told = [f"{self.measures[m]} (at {', '.join(some)})" for m, some in rates.items() if some]
        return f" {how}, beyond chance: {list_few(told)}." if told else ""

    def summary(self) -> Frame:
        """Means over trials with their percentiles; the coverage with its confidence
        interval.
        """
        made = super().summary()
        made.insert(
            1, "target", np.repeat([str(target) for target in self.targets], len(self.params.rates))
        )
        made["coverage_low"], made["coverage_high"] = (
            end.ravel() for end in self.coverage_left_open()
        )
        return made

    @cached_property
    def own(self) -> list[int]:
        """Indices of the measures with the same target as the first estimator, or as
        the first measure if there is none.
        """
        target = self.targets[(self.estimated or [0])[0]]
        return [m for m, of in enumerate(self.targets) if of == target]

    @property
    def spoken_of(self) -> int:
        """Index of the rate of the headline."""
        return int(np.argmin(np.abs(np.array(self.params.rates) - SPOKEN_OF)))

    @cached_property
    def best(self) -> int | None:
        """Index in `own` of the least biased estimator without a cheap judge at that
        rate; None if there is none.
        """
        bias = abs(self.bias[:, self.spoken_of].mean(axis=-1))
        sure = [
            m for m in self.own if m in self.estimated and not isinstance(self.measures[m], Aided)
        ]
        return _least(sure, bias) if sure else None

    def headline(self, choice: str = "") -> str:
        limits = describe_limits(
            [self.measures[m] for m in self.own],
            self.topics,
            self.params.rates[self.spoken_of],
            self.params.quantile,
        )
        falls = self.describe_falls(
            "Tau", [self.measures[m] for m in self.own], over_trials(self.tau[self.own])
        )
        return " ".join(filter(None, [self.simulated, self._estimated(), falls, *limits]))

    def _estimated(self) -> str:
        """Describe the bias of the measure and of its best estimator."""
        own, rate, best = self.own, self.spoken_of, self.best
        if (there := self.realised[rate]).too_much:
            return there.refuse_verdict()
        bias = self.bias[:, rate].mean(axis=-1)
        if np.isnan(bias[own]).all():
            return (
                f"On {there.amount} of the judgments{there.beside} {self.targets[own[0]]} and its"
                f" estimates are undefined.{there.reason}"
            )
        said = (
            f"On {there.amount} of the judgments{there.beside} {self.targets[own[0]]} is"
            f" {describe_bias(bias[own[0]])}"
        )
        rest = self._won(own, rate) + there.reason
        if best is None:
            return f"{said}. It has no estimator here.{rest}"
        held, (low, high) = (
            self.coverage[best, rate].mean(),
            (end[best, rate] for end in self.coverage_left_open()),
        )
        said = f"{said}, its estimator {self.measures[best]} {describe_bias(bias[best])}"
        if np.isnan(held):
            return f"{said}. Its intervals are undefined.{rest}"
        if self.params.trials == 1:
            return (
                f"{said}. One trial does not show how often its {self.params.level:g}% intervals"
                f" contain the truth.{rest}"
            )
        said = f"{said}. {held:.0%} of its {self.params.level:g}% intervals contain the truth"
        sure = (
            f"between {low:.0%} and {high:.0%}, as far as {count_noun(self.params.trials, 'trial')}"
            " can show"
        )
        return f"{said} ({sure}).{rest}"

    def _won(self, own: Sequence[int], rate: int) -> str:
        """Compare the least error with a cheap judge, without one, and of the cheap
        judge alone; empty without one.
        """
        with_judge = [m for m in own if isinstance(self.measures[m], Aided)]
        if not with_judge:
            return ""
        error = self.error[:, rate].mean(axis=-1)
        best, without = (
            _least(some, error) for some in (with_judge, [m for m in own if m not in with_judge])
        )
        alone, judge = with_judge[0], self.params.cheap
        least, other, gained = (
            (best, without, True) if error[best] < error[without] else (without, best, False)
        )
        first = (
            f" With {judge} for all documents, "
            if gained
            else f" With {judge} for all documents, there is no gain: "
        )
        first += f"{self.measures[least]} has the least error, {error[least]:.3f}"
        return (
            f"{first}; {self.measures[other]} has {error[other]:.3f}, {judge} alone"
            f" {error[alone]:.3f}."
        )

    def next_steps(self) -> list[NextStep]:
        lowest, tau = self.realised[-1], self.last_tau
        kept = (
            f"Kendall's tau is {tau[0]:.2f} by {self.measures[0]} on {lowest.amount} of the"
            " judgments"
        )
        found = [NextStep(kept, "curves")] if np.isfinite(tau[0]) and not lowest.too_much else []
        return [*found, NextStep("Which documents should be judged next?", "judge-next")]

    def charts(self, choice: str = "") -> list[Chart]:
        sure, own = self.estimated, self.own
        target, held = self.targets[own[0]], [self.measures[m] for m in own]
        if self.params.cheap:  # there are too many lines for one chart
            sure = [m for m in sure if m in own]
        names = [self.measures[m] for m in sure]
        left_open = self._describe_band(sure)
        charts = [
            self.line_chart(
                "bias",
                "Bias",
                f"Mean score minus mean {target} on all judgments, averaged over runs. Above 0,"
                " scores are too high.",
                self.bias[own],
                f"mean score minus {target} on all",
                held,
            ),
            Chart(
                "coverage",
                "Coverage",
                f"Share of the runs whose {self.params.level:g}% interval contains the truth,"
                " ideally at the dotted line. The runs of a trial share one sample, so few trials"
                f" are imprecise.{left_open}{describe_asked(self.realised)}"
                f"{self.describe_coverage()}",
                lambda: self._coverage_chart(sure),
            ),
            self.line_chart(
                "error",
                "Error",
                f"Root mean squared error of the means of the runs, as estimates of {target} on all"
                " judgments.",
                self.error[own],
                "root mean squared error",
                held,
            ),
            self.line_chart(
                "width",
                "Width",
                "Median half-width of the intervals over runs.",
                self.half_width[sure],
                "half-width",
                names,
            ),
            self.tau_chart(
                f"by {target} on all judgments",
                self.tau[own],
                f"Kendall's tau with {target} on all",
                held,
            ),
        ]
        return (
            charts
            if sure
            else [chart for chart in charts if chart.name in ("bias", "error", "tau")]
        )

    def _describe_band(self, rows: Sequence[int]) -> str:
        """A sentence on the band in the chart of the coverage of some estimators; empty
        if it has none.
        """
        if self.params.trials == 1 or self.best is None or self.best not in rows:
            return ""
        low, high = (ends[self.best] for ends in self.coverage_left_open())
        if not (high > low).any():
            return ""
        return f" The band is the 95% interval of the coverage of {self.measures[self.best]}."

    def _coverage_chart(self, rows: Sequence[int]) -> Figure:
        """The coverage of some estimators, with a band around the best one alone: more
        bands would cover each other.
        """
        mean, ends = self.coverage[rows].mean(axis=-1), self.coverage_left_open()
        lines = measure_curves([self.measures[m] for m in rows], mean)
        if self.params.trials > 1:
            lines = [
                line._replace(low=ends[0][m], high=ends[1][m]) if m == self.best else line
                for m, line in zip(rows, lines, strict=True)
            ]
        aim, ytitle = self.params.level / 100, "intervals that contain the truth"
        return against_rate(
            lines=lines, values=mean, ytitle=ytitle, top=1.0, threshold=aim, **self.x_axis
        )

    @property
    def x_axis(self) -> dict[str, Any]:
        if self.params.axis == AXES[0]:
            return super().x_axis
        judgments = (self.left.mean(axis=1) * self.pool / ALL).round()
        return {"rates": tuple(judgments.tolist()), "xtitle": "judgments", "suffix": ""}


def _least(rows: Sequence[int], error: np.ndarray) -> int:
    """Row with the least error; one without an error only if all are."""
    return min(rows, key=lambda m: (np.isnan(error[m]), error[m], m))


def describe_bias(value: float) -> str:
    """Describe the bias of a mean: ``0.021 too low``."""
    if np.isnan(value):
        return "undefined"
    return (
        "right on average"
        if abs(value) < 0.0005
        else f"{abs(value):.3f} too {'low' if value < 0 else 'high'}"
    )


def _estimates_by_target(work: Work[Params]) -> dict[Measure, list[Measure | Aided]]:
    """Map of targets to the measures compared with their truth. A measure that is
    already compared with the truth of another is not a target.
    """
    collection, judge = _with_judge(work)
    found = {target: estimates_of(target) for target in work.measures}
    others = {one for some in found.values() for one in some[1:]}
    return {
        target: [*some, *ways_with_judge(collection, target, judge)]
        for target, some in found.items()
        if target not in others
    }


def _with_judge(work: Work[Params]) -> tuple[Collection, str]:
    """The collection with its cheap judge, and the judge's name; empty if there is
    none.
    """
    collection, name = work.collection, work.params.cheap
    if name.startswith(SIMULATED):
        return (
            collection if name in collection.judges else collection.with_judgments(name, name)
        ), name
    if name:
        check_known(name, collection.judges[1:], "unknown judge beside the first")
    return collection, name


def _key(one: Measure | Aided) -> Measure | tuple[Aided, str]:
    """Cache key of a cell."""
    return (one, one.judge) if isinstance(one, Aided) else one


@experiment(
    "estimates",
    title="Estimates",
    question="What would the score be on all judgments?",
    does="compare estimates from samples with true scores",
    formula=r"\hat{Y} = \sum_{d\ drawn} \frac{y_d}{\pi_d}",
    source=(
        "Yilmaz, Kanoulas & Aslam 2008; Aslam, Pavlu & Yilmaz 2006; Horvitz & Thompson 1952; with a"
        " cheap judge Cochran 1977, Aslam & Yilmaz 2007 and Angelopoulos, Duchi & Zrnic 2023"
    ),
    takes=(COLLECTION, MEASURES, IF_OTHERS),
    stored=("seed", "method", "level", "quantile"),
    first={"trials": 1},
)
def estimates(work: Work[Params]) -> Estimated:
    """Draws samples of the judgments at each rate, anew in each trial. Each gives
    estimates of the means of the runs, with intervals over judgments. These are
    compared with the means on all judgments; so are the measure itself, its prime and
    bpref.

    AP, nDCG, P and RBP have estimators. A cheap judge, such as a language model, adds
    its grades of the whole pool to the sample, in every way there is;
    prediction-powered means draw whole topics instead.

    Raises `UnknownName` for a cheap judge that the collection does not have beside the
    first, and `ParamError` for a collection whose judgments are a sample, as there is
    no truth to compare with.
    """
    if work.collection.design:
        raise ParamError(
            "estimates: these judgments are a sample. irmeval own-sample estimates scores from"
            " them."
        )
    params, held = work.params, _estimates_by_target(work)
    collection = with_sampling(_with_judge(work)[0], params)
    rows = [(target, one) for target, some in held.items() for one in some]
    every = tuple(dict.fromkeys(one for _, one in rows))
    if new := [target for target in held if (target, ALL, 0) not in work.cache]:
        work.cache.update(
            ((target, ALL, 0), means)
            for target, means in zip(new, evaluate(collection, new).means, strict=True)
        )

    def lacking(rate: float, trial: int) -> list[Measure | Aided]:
        return [one for one in every if (_key(one), rate, trial) not in work.cache]

    def step(trial: int) -> None:
        for rate, grades in zip(params.rates, at_rates(collection, params, trial), strict=True):
            work.cache[LEFT, rate, trial] = share_left(collection.grade, grades)
            some = lacking(rate, trial)
            cells = (
                _cells_on(collection, grades, alone, params.level)
                if (alone := [one for one in some if not isinstance(one, Aided)])
                else {}
            )
            if both := [one for one in some if isinstance(one, Aided)]:
                topics = whole_topics(collection, rate, trial, params.seed)
                cells |= aided_cells(
                    collection, both, grades, topics, params.level / 100, params.quantile
                )
            work.cache.update({(_key(one), rate, trial): cell for one, cell in cells.items()})

    trials = range(1, params.trials + 1)
    todo = [trial for trial in trials if any(lacking(rate, trial) for rate in params.rates)]
    work.each(step, todo, work.collection.concurrency, kept=params.trials - len(todo))
    cells = [
        [[work.cache[_key(one), rate, trial] for trial in trials] for rate in params.rates]
        for _, one in rows
    ]
    means, low, high = np.moveaxis(np.array(cells), 3, 0)
    targets = tuple(target for target, _ in rows)
    truth = np.array([work.cache[target, ALL, 0] for target in targets])
    return Estimated(
        full=truth,
        means=means,
        measures=tuple(one for _, one in rows),
        runs=collection.runs,
        params=params,
        low=low,
        high=high,
        left=np.array(
            [[work.cache[LEFT, rate, trial] for trial in trials] for rate in params.rates]
        ),
        pool=int(np.count_nonzero(collection.grade >= 0)),
        targets=targets,
        topics=len(collection.topics),
        simulated=(
            collection.panel.judges.describe_simulated([params.cheap])
            if collection.panel and params.cheap
            else ""
        ),
    )


def _cells_on(
    collection: Collection, grades: np.ndarray, some: list[Measure], level: float
) -> dict[Measure | Aided, OnSample]:
    """Means of the runs by each measure on a sample of the judgments, with their
    interval limits.
    """
    sure = [one for one in some if one.metric.name in CHANGES]
    cells: dict[Measure | Aided, OnSample] = {}
    if raw := [one for one in some if one not in sure]:
        nothing = np.full(len(collection.runs), np.nan)
        cells = {
            one: OnSample(means, nothing, nothing)
            for one, means in zip(raw, evaluate(collection, raw, grades=grades).means, strict=True)
        }
    for rel in {one.params["rel"] for one in sure}:
        group = [one for one in sure if one.params["rel"] == rel]
        found = estimate(collection, group, grades=grades, pairs=False)
        found = replace(found, values=found.values[..., scored(collection, rel)])
        low, high = found.bounds(level=level / 100)
        cells |= {
            one: OnSample(*ends) for one, *ends in zip(group, found.means, low, high, strict=True)
        }
    return cells
