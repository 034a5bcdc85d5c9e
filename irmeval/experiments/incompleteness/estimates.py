"""Estimates from samples of the judgments, compared with the truth on all of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain, starmap
from typing import Any

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.params import BESIDE_FIRST, checked, param
from irmeval.core.places import pick
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, list_few
from irmeval.experiments.base import COLLECTION, IF_OTHERS, MEASURES, Work, experiment
from irmeval.experiments.ends import estimates_of
from irmeval.experiments.facts import Fact, Verdict
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
from irmeval.experiments.results import Chart, Choice, Figure, Frame, NextStep, Result, Table, tidy
from irmeval.experiments.settings import AXES, SAMPLED, Axis, Level, Rates, Seed, Trials
from irmeval.experiments.sweep import ALL, LEFT, draw_grades, with_sampling
from irmeval.experiments.trials import (
    Banded,
    OfMeans,
    describe_asked,
    over_trials,
)
from irmeval.judges.simulation import SIMULATED
from irmeval.metrics import Measure
from irmeval.metrics.sampling_variance import CHANGES
from irmeval.plots import colors, pins, row_charts
from irmeval.plots.line_charts import ChartLine, against_rate
from irmeval.plots.pins import READABLE
from irmeval.reductions import share_left
from irmeval.scoring.estimated_scores import estimate
from irmeval.scoring.scores import evaluate
from irmeval.stats.intervals import share_interval
from irmeval.stats.means import best_first
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
FEW_WORDS = 20
"""Maximum number of words of a list of estimators with their rates."""
SURE_OF = 0.95
"""Confidence of a verdict on the coverage of intervals."""
SPOKEN_OF = 10.0
"""The verdict uses the rate nearest to this, in per cent."""


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
        # with 10% of Robust 2003 the error of P@10 is .029 by rank, and .057 with one stratum
        default="by-rank",
    )
    level: Level = 95.0
    cheap: str = param(
        "cheap judge",
        "Name of a judge, such as a language model, whose grades of the whole pool complement the"
        f" samples; or a simulated judge, such as {SIMULATED}noisy,0.05,1. Empty: none.",
        empty="none",
        judge=BESIDE_FIRST,
        default="",
    )
    quantile: str = param(
        "quantile",
        "For intervals of prediction-powered means. normal: as in ppi-python. student: wider if few"
        " topics are fully judged.",
        choices=QUANTILES,
        value_labels={name: f"{name} quantile" for name in QUANTILES},
        # on 5 judged topics normal intervals held the truth in .74 to .80 of simulations, Student's
        # in .82 to .90
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

    def scores(self) -> Frame:
        """One row per measure and run: the score on all judgments, and what the best
        estimator gives at the rate of the verdict in the first trial, with its interval.
        """
        targets = [*dict.fromkeys(map(str, self.targets))]
        best = [self.best_of(self.own_of(target)) for target in targets]
        nothing = np.full(len(self.runs), np.nan)

        def first(values: np.ndarray) -> np.ndarray:
            """In the first trial [target, run]."""
            return np.array([nothing if m is None else values[m, self.spoken_of, 0] for m in best])

        columns = {
            "score": np.array([self.full[self.own_of(target)[0]] for target in targets]),
            "estimate": first(self.means),
            "low": first(self.low),
            "high": first(self.high),
        }
        made = tidy({"measure": targets, "run": self.runs}, columns)
        by = ["" if m is None else str(self.measures[m]) for m in best]
        made.insert(2, "estimator", np.repeat(by, len(self.runs)))
        return made

    def tables(self) -> list[Table]:
        return [*super().tables(), Table("scores", "Scores as estimated", self.scores)]

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
        return [m for m, one in enumerate(self.measures) if _has_interval(one)]

    columns = ("bias", "error", "tau", "coverage", "half_width")

    def coverage_left_open(self, level: float = SURE_OF) -> tuple[np.ndarray, np.ndarray]:
        """Confidence interval of the coverage over trials, (low, high), each [measure,
        rate]. The runs of a trial share its sample.
        """
        # 1.96 standard errors held the coverage in .76 of simulations of 10 samples, this in .99
        return share_interval(self.coverage, len(self.runs), level=level)

    def describe_coverage(self) -> str:
        """Sentences on intervals that contain the truth too rarely, beyond chance, with
        reasons; too often, by more than 0.02; and on all others. Chance is over all
        estimators and rates together.
        """
        aim, told_of = self.params.level / 100, max(len(self.estimated) * len(self.params.rates), 1)
        if self.params.trials == 1:
            return " One trial does not show how often intervals contain the truth."
        # of 40 told together, at most .03 of simulations tell any falsely
        low, high = self.coverage_left_open(1 - (1 - SURE_OF) / told_of)
        rarely, often = high < aim, low > aim + 0.02
        known = np.isfinite(self.coverage).any(axis=(1, 2))
        is_fine = known & ~(rarely | often).any(axis=1)
        fine = [str(self.measures[m]) for m in self.estimated if is_fine[m]]
        said = f"{self._tell('Too rarely', rarely)}{self._why(rarely)}"
        said += self._tell("Too often", often)
        if fine:
            trials = count_noun(self.params.trials, "trial")
            said += f" In {trials}, no deviation is detected for {list_few(fine)}."
        return said

    def _why(self, rarely: np.ndarray) -> str:
        """Known reasons why intervals in a mask [measure, rate] miss the truth, as
        sentences; none for those of a cheap judge.
        """
        missing = [self.measures[m] for m in self.estimated if rarely[m].any()]
        own = [one.metric.name for one in missing if not isinstance(one, Aided)]
        reasons = dict.fromkeys(WHY.get(name, FEW_DRAWN) for name in own)
        return "".join(f" {why}" for why in reasons)

    def _tell(self, how: str, which: np.ndarray) -> str:
        """Estimators and rates in a mask [measure, rate], as a sentence; empty if there
        are none.
        """
        amounts = np.array([one.amount for one in self.realised], object)
        found = [m for m in self.estimated if which[m].any()]
        if not found:
            return ""
        names = [str(self.measures[m]) for m in found]
        told = list_few(
            [
                f"{name} (at {', '.join(amounts[which[m]])})"
                for name, m in zip(names, found, strict=True)
            ]
        )
        # the table of coverage has the rates too
        if len(told.split()) > FEW_WORDS:
            told = list_few(names)
        return f" {how}, beyond chance: {told}."

    def summary(self) -> Frame:
        """Means over trials with their percentiles; the coverage with its confidence
        interval.
        """
        made = super().summary()
        targets = np.repeat([*map(str, self.targets)], len(self.params.rates))
        made.insert(1, "target", targets)
        low, high = self.coverage_left_open()
        made["coverage_low"], made["coverage_high"] = low.ravel(), high.ravel()
        return made

    def choice(self) -> Choice | None:
        first = str(self.targets[(self.estimated or [0])[0]])
        targets = tuple(dict.fromkeys(map(str, self.targets)))
        return Choice("measure", targets, "Measure whose score is estimated.", first)

    def own_of(self, choice: str = "") -> list[int]:
        """Indices of the measures with a target, by default that of the first estimator, or
        the first measure if there is none.
        """
        offered = self.choice()
        target = choice or (offered.default if offered else "")
        return [m for m, of in enumerate(self.targets) if str(of) == target]

    @property
    def spoken_of(self) -> int:
        """Index of the rate of the verdict."""
        return int(np.argmin(np.abs(np.array(self.params.rates) - SPOKEN_OF)))

    def best_of(self, own: Sequence[int]) -> int | None:
        """The least biased estimator without a cheap judge at that rate, of some measures;
        None if there is none.
        """
        bias = abs(self.bias[:, self.spoken_of].mean(axis=-1))
        known = [m for m in own if m in self.estimated]
        sure = [m for m in known if not isinstance(self.measures[m], Aided)]
        if not sure:
            return None
        return _least(sure, bias)

    def facts(self, choice: str = "") -> list[Fact]:
        """Of the best run: its score on all judgments, and what the best estimator gives
        in the first trial, with its interval.
        """
        own, rate = self.own_of(choice), self.spoken_of
        run, where = int(np.nanargmax(self.full[own[0]])), self.params.rates[rate]
        stated = [("score", own[0], self.full[own[0], run])]
        best = self.best_of(own)
        if best is not None:
            values = {"estimate": self.means, "low": self.low, "high": self.high}
            stated += [(what, best, of[best, rate, 0, run]) for what, of in values.items()]
        left = self.realised[rate].left
        return [
            Fact(what, str(self.measures[m]), self.runs[run], float(value), where, left)
            for what, m, value in stated
        ]

    def verdict(self, choice: str = "") -> Verdict:
        own = self.own_of(choice)
        there, target = self.realised[self.spoken_of], self.targets[own[0]]
        if there.too_much:
            return self._led(there.refusal())
        if np.isnan(self.bias[own, self.spoken_of]).all():
            undefined = (
                f"On {there.amount} of the judgments, {target} and its estimates are undefined."
            )
            return self._led(Verdict(undefined, there.reason.strip()))
        measures = pick(self.measures, own)
        rate, quantile = self.params.rates[self.spoken_of], self.params.quantile
        limits = describe_limits(measures, self.topics, rate, quantile)
        beside = " ".join(filter(None, [there.reason.strip(), *limits]))
        falls = self.describe_falls("Tau", measures, over_trials(self.tau[own]))
        below = f"{self._describe_bias(own)} {falls}".rstrip()
        if self.params.cheap:
            claim, others, _ = self._won(own)
            return self._led(Verdict(claim, f"{others} {beside}".strip(), below))
        return Verdict(self._claim(choice), beside, below)

    def _led(self, said: Verdict) -> Verdict:
        """A verdict after what must be said first of a simulated judge."""
        return said._replace(claim=f"{self.simulated} {said.claim}".lstrip())

    def _claim(self, choice: str) -> str:
        """What the estimator gives for the best run, and what is true."""
        target = self.targets[self.own_of(choice)[0]]
        amount = f"On {self.realised[self.spoken_of].amount} of the judgments,"
        truth, *estimated = self.facts(choice)
        if not estimated:
            bias = self.bias[self.own_of(choice)[0], self.spoken_of].mean()
            return f"{amount} {target} is {describe_bias(bias)}; it has no estimator here."
        mean, low, high = (fact.value for fact in estimated)
        name = estimated[0].measure
        if np.isnan(mean):
            return (
                f"{amount} {name} of {truth.line} is undefined; its {target} is {truth.value:.3f}."
            )
        said = f"{amount} {name} gives {truth.line} {mean:.3f}"
        if not np.isnan(low):
            said += f" ({low:.3f} to {high:.3f})"
        return f"{said}; its {target} on all is {truth.value:.3f}."

    def _describe_bias(self, own: Sequence[int]) -> str:
        """How far the measure and its best estimator are from the truth on average, and
        how often intervals contain it.
        """
        rate, best = self.spoken_of, self.best_of(own)
        asked = self.realised[rate].beside
        bias = self.bias[:, rate].mean(axis=-1)
        said = f"Over all runs, {self.targets[own[0]]} is {describe_bias(bias[own[0]])}{asked}"
        if best is None:
            return f"{said}."
        said = f"{said}, {self.measures[best]} {describe_bias(bias[best])}."
        held, level = self.coverage[best, rate].mean(), f"{self.params.level:g}%"
        if np.isnan(held):
            return f"{said} Its intervals are undefined."
        if self.params.trials == 1:
            few = f"One trial does not show how often its {level} intervals contain the truth."
            return f"{said} {few}"
        low, high = (end[best, rate] for end in self.coverage_left_open())
        sure = f"between {low:.0%} and {high:.0%}, as far as {self.params.trials} trials can show"
        return f"{said} {held:.0%} of its {level} intervals contain the truth ({sure})."

    def _won(self, own: Sequence[int]) -> Verdict:
        """Whether a cheap judge helps: the least error with it, without it, and of the
        judge alone.
        """
        with_judge = [m for m in own if isinstance(self.measures[m], Aided)]
        without = [m for m in own if m not in with_judge]
        there, judge = self.realised[self.spoken_of], self.params.cheap
        if not with_judge:
            return Verdict(f"{self.targets[own[0]]} cannot be estimated with {judge}.")
        error = self.error[:, self.spoken_of].mean(axis=-1)
        best, other = _least(with_judge, error), _least(without, error)
        gained = error[best] < error[other]
        least, more = (best, other) if gained else (other, best)
        named = judge
        if self.simulated:  # the sentence before this one names it
            named = "it"
        said = f"With {named} there is no gain:"
        if gained:
            said = f"With {named},"
        return Verdict(
            f"{said} {self.measures[least]} has the least error on {there.amount},"
            f" {error[least]:.3f}.",
            f"{self.measures[more]} has {error[more]:.3f}, {judge} alone"
            f" {error[with_judge[0]]:.3f}.",
        )

    def next_steps(self) -> list[NextStep]:
        return [
            NextStep("Does the order of runs hold?", "curves"),
            NextStep("How many judgments are needed?", "judgments-needed"),
            NextStep("Which should be judged next?", "judge-next"),
        ]

    def charts(self, choice: str = "") -> list[Chart]:
        own = self.own_of(choice)
        sure = [m for m in self.estimated if m in own]
        target, held = self.targets[own[0]], pick(self.measures, own)
        styles = colors.styles([*map(str, self.measures)])

        def lines(rows: Sequence[int]) -> dict[str, Any]:
            """The names of some measures, in the colours that they have in all charts."""
            names = pick(self.measures, rows)
            return {"lines": names, "styles": [styles[str(name)] for name in names]}

        bias = self.line_chart(
            "bias",
            "Bias",
            f"Mean score minus mean {target} on all judgments, averaged over runs. Above 0, scores"
            " are too high.",
            self.bias[own],
            f"mean score minus {target} on all",
            **lines(own),
        )
        error = self.line_chart(
            "error",
            "Error",
            f"Root mean squared error of the means of the runs, as estimates of {target} on all"
            " judgments.",
            self.error[own],
            "root mean squared error",
            **lines(own),
        )
        tau = self.tau_chart(
            f"by {target} on all judgments",
            self.tau[own],
            f"Kendall's tau with {target} on all",
            held,
            styles=lines(own)["styles"],
        )
        if not sure:
            return [bias, error, tau]
        coverage = Chart(
            "coverage",
            "Coverage",
            f"Share of the runs whose {self.params.level:g}% interval contains the truth, ideally"
            " at the dotted line. The runs of a trial share one sample, so few trials are"
            f" imprecise.{self._describe_band(sure)}{describe_asked(self.realised)}"
            f"{self.describe_coverage()}",
            partial(self._coverage_chart, sure, styles),
        )
        width = self.line_chart(
            "width",
            "Width",
            "Median half-width of the intervals over runs.",
            self.half_width[sure],
            "half-width",
            **lines(sure),
        )
        return [*self._chart_of_scores(own), bias, coverage, error, width, tau]

    def _chart_of_scores(self, own: Sequence[int]) -> list[Chart]:
        """What the best estimator gives for each run in the first trial, beside the
        truth; none without one.
        """
        best, target = self.best_of(own), self.targets[own[0]]
        if best is None or np.isnan(self.low[best, self.spoken_of, 0]).all():
            return []
        truth, n = self.full[own[0]], len(self.runs)
        there = self.realised[self.spoken_of]
        shown = ""
        if n > READABLE:
            shown = f" The best {READABLE} of {n:,} runs."
        caption = (
            f"{self.measures[best]} of each run on {there.amount} of the judgments, with its"
            f" {self.params.level:g}% interval; hollow: {target} on all of them. Coloured"
            f" intervals miss it.{shown}{describe_asked([there])}"
        )

        def draw() -> Figure:
            order = pins.first_drawn(best_first(truth), self.runs, READABLE)
            mean, low, high = (
                ends[best, self.spoken_of, 0][order] for ends in (self.means, self.low, self.high)
            )
            missed = (low > truth[order]) | (high < truth[order])
            return row_charts.intervals(
                pick(self.runs, order),
                row_charts.Ranges(mean, low, high, missed),
                f"mean {target}",
                form=".4f",
                truth=truth[order],
            )

        return [Chart("scores", f"{target} as estimated", caption, draw)]

    def _describe_band(self, rows: Sequence[int]) -> str:
        """A sentence on the band in the chart of the coverage of some estimators; empty
        if it has none.
        """
        best = self.best_of(rows)
        if self.params.trials == 1 or best is None:
            return ""
        low, high = (ends[best] for ends in self.coverage_left_open())
        if not (high > low).any():
            return ""
        return f" The band is the 95% interval of the coverage of {self.measures[best]}."

    def _coverage_chart(self, rows: Sequence[int], styles: Mapping[str, colors.Style]) -> Figure:
        """The coverage of some estimators, with a band around the best one alone: more
        bands would cover each other.
        """
        mean, ends = self.coverage[rows].mean(axis=-1), self.coverage_left_open()
        lines = [
            ChartLine(name := str(self.measures[m]), row, styles[name])
            for m, row in zip(rows, mean, strict=True)
        ]
        best = self.best_of(rows)
        if self.params.trials > 1 and best is not None:
            at = [*rows].index(best)
            lines[at] = lines[at]._replace(low=ends[0][best], high=ends[1][best])
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


def _has_interval(one: Measure | Aided) -> bool:
    if isinstance(one, Aided):
        return one.way in SURE
    return one.metric.name in CHANGES


def _least(rows: Sequence[int], error: np.ndarray) -> int:
    """Row with the least error; one without an error only if all are."""
    return min(rows, key=lambda m: (np.isnan(error[m]), error[m], m))


def describe_bias(value: float) -> str:
    """Describe the bias of a mean: ``0.021 too low``."""
    if np.isnan(value):
        return "undefined"
    if abs(value) < 0.0005:  # 0.000 with three digits
        return "right on average"
    if value < 0:
        return f"{-value:.3f} too low"
    return f"{value:.3f} too high"


def _estimates_by_target(work: Work[Params]) -> dict[Measure, list[Measure | Aided]]:
    """Map of targets to the measures compared with their truth. A measure that is
    already compared with the truth of another is not a target.
    """
    collection, judge = _with_judge(work)
    found = {target: estimates_of(target) for target in work.measures}
    others = set(chain.from_iterable(some[1:] for some in found.values()))
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
    is_new = name.startswith(SIMULATED) and name not in collection.judges
    if is_new:
        return collection.with_judgments(name, name), name
    if name and not name.startswith(SIMULATED):
        check_known(name, collection.judges[1:], "unknown judge beside the first")
    return collection, name


def _key(one: Measure | Aided) -> Measure | tuple[Aided, str]:
    """Cache key of a cell."""
    if isinstance(one, Aided):
        return one, one.judge
    return one


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
    _fill(work, collection, held)

    def kept(key: Any) -> list[list[Any]]:
        trials = range(1, params.trials + 1)
        return [[work.cache[key, rate, trial] for trial in trials] for rate in params.rates]

    targets, measures = zip(*rows, strict=True)
    cells = np.array([*map(kept, map(_key, measures))])  # [row, rate, trial, part, run]
    means, low, high = np.moveaxis(cells, 3, 0)
    simulated = ""
    if collection.panel and params.cheap:
        simulated = collection.panel.judges.describe_simulated([params.cheap])
    return Estimated(
        full=np.array([work.cache[target, ALL, 0] for target in targets]),
        means=means,
        measures=measures,
        runs=collection.runs,
        params=params,
        low=low,
        high=high,
        left=np.array(kept(LEFT)),
        pool=int(np.count_nonzero(collection.grade >= 0)),
        targets=targets,
        topics=len(collection.topics),
        simulated=simulated,
    )


def _fill(
    work: Work[Params],
    collection: Collection,
    held: Mapping[Measure, Sequence[Measure | Aided]],
) -> None:
    """Put into the cache what it lacks: the truth by each target, and what its
    estimators give on each sample.
    """
    params, cache = work.params, work.cache
    new = [target for target in held if (target, ALL, 0) not in cache]
    if new:
        truths = evaluate(collection, new).means
        cache.update({(target, ALL, 0): of for target, of in zip(new, truths, strict=True)})
    every = tuple(dict.fromkeys(chain.from_iterable(held.values())))

    def lacking(rate: float, trial: int) -> list[Measure | Aided]:
        return [one for one in every if (_key(one), rate, trial) not in cache]

    def step(trial: int) -> None:
        drawn = draw_grades(collection, params, params.rates, trial)
        for rate, grades in zip(params.rates, drawn, strict=True):
            cache[LEFT, rate, trial] = share_left(collection.grade, grades)
            wanted = lacking(rate, trial)
            for one, cell in _cells(collection, wanted, grades, rate, trial, params):
                cache[_key(one), rate, trial] = cell

    trials = range(1, params.trials + 1)
    todo = [trial for trial in trials if any(lacking(rate, trial) for rate in params.rates)]
    work.each(step, todo, work.collection.concurrency, kept=params.trials - len(todo))


def _cells(
    collection: Collection,
    some: Sequence[Measure | Aided],
    grades: np.ndarray,
    rate: float,
    trial: int,
    params: Params,
) -> Iterator[tuple[Measure | Aided, OnSample]]:
    """Results of each measure on one sample, those with a cheap judge last."""
    alone = [one for one in some if not isinstance(one, Aided)]
    yield from _cells_on(collection, grades, alone, params.level).items()
    aided = [one for one in some if isinstance(one, Aided)]
    if aided:
        topics = whole_topics(collection, rate, trial, params.seed)
        level = params.level / 100
        yield from aided_cells(collection, aided, grades, topics, level, params.quantile)


def _cells_on(
    collection: Collection, grades: np.ndarray, some: list[Measure], level: float
) -> dict[Measure | Aided, OnSample]:
    """Means of the runs by each measure on a sample of the judgments, with their
    interval limits.
    """
    sure = [one for one in some if one.metric.name in CHANGES]
    raw = [one for one in some if one not in sure]
    cells: dict[Measure | Aided, OnSample] = {}
    if raw:
        nothing = np.full(len(collection.runs), np.nan)
        means = evaluate(collection, raw, grades=grades).means
        cells |= {one: OnSample(of, nothing, nothing) for one, of in zip(raw, means, strict=True)}
    # measures with one level of relevance have the same topics
    for rel in {one.params["rel"] for one in sure}:
        group = [one for one in sure if one.params["rel"] == rel]
        found = estimate(collection, group, grades=grades, pairs=False)
        found = replace(found, values=found.values[..., scored(collection, rel)])
        ends = zip(found.means, *found.bounds(level=level / 100), strict=True)
        cells |= dict(zip(group, starmap(OnSample, ends), strict=True))
    return cells
