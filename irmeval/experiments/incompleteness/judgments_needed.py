"""Number of judgments for an interval of the required width, and a sample of documents
to judge.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import NEAR
from irmeval.core import parallel
from irmeval.core.errors import ParamError
from irmeval.core.params import checked, param
from irmeval.core.places import pick
from irmeval.core.text import count_noun, list_all, shorten, verb
from irmeval.experiments.base import COLLECTION, LISTS, MEASURES, Work, experiment
from irmeval.experiments.ends import estimates_of
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.results import Chart, Figure, Frame, NextStep, Result, Table, table
from irmeval.experiments.settings import Level, Seed
from irmeval.metrics import Measure
from irmeval.metrics.hits import find_hits, ideal_lists
from irmeval.metrics.sampling_variance import CHANGES, deviation
from irmeval.plots import colors, line_charts
from irmeval.reductions import with_design
from irmeval.reductions.base import random_generator
from irmeval.scoring.estimated_scores import estimate
from irmeval.scoring.selection import parse_names, select_by_name
from irmeval.scoring.unjudged_near_top import documents_near_top
from irmeval.stats.intervals import LEVEL, share_interval, student_quantile
from irmeval.stats.sample_size import allocate, variance_of_total

JUDGED = "judged"
"""The sample is drawn from the judged documents."""
LISTED = "lists"
"""The sample is drawn from the documents of the lists."""
# Neyman's allocation leaves the deepest stratum almost undrawn, where few relevant documents decide
OF_RATIO = 0.05
"""Minimum share drawn from each stratum for a ratio. Its intervals contain the truth
too rarely if few documents stand for many.
"""
TRIED = 30
"""Number of samples that test the plan if everything is judged."""
AT_ONCE = 16
"""Number of runs whose hits are in memory at the same time; with all 30 runs of the
sample it is twice the memory, and no faster. Results do not depend on it.
"""
WIDTHS = np.array([4.0, 2.83, 2.0, 1.41, 1.0, 0.71, 0.5, 0.35, 0.25])
"""Half-widths of a chart, as multiples of the one asked for."""
BOUNDS = (10, 50)
"""Smallest best rank in each stratum except the deepest, as in `by-rank`."""


@checked
class Params:
    """Which interval is required, and its width."""

    half_width: float = param(
        "half-width",
        "Half-width of the interval over judgments.",
        low=1e-6,
        template="intervals of ± {}",
        default=0.02,
    )
    of_runs: str = param(
        "of",
        "One run: its mean. Two runs, separated by a comma: their difference. Empty: the mean of"
        " any run, on average.",
        empty="any run's mean",
        default="",
    )
    pool: str = param(
        "drawn from",
        "judged: the judged pool, as for another assessor; a sample is extended. lists: the"
        f" unjudged documents down to rank {NEAR} of the lists; all judgments stay.",
        choices=(JUDGED, LISTED),
        value_labels={
            JUDGED: "drawn from the judged pool",
            LISTED: "drawn from the unjudged documents of the lists",
        },
        default=JUDGED,
    )
    level: Level = 95.0
    seed: Seed = 1


class SamplePool(NamedTuple):
    """Documents that a sample is drawn from, by topic, then id. A cell is a stratum of
    a topic.
    """

    topics: list[str]
    """name of each document's topic [J]"""
    documents: list[str]
    grade: np.ndarray
    """int [J], -1 if not judged"""
    cell: np.ndarray
    """int [J]"""
    strata: tuple[str, ...]
    """name of each cell's stratum [S]"""


NONE_RELEVANT = "No judged document of the lists is relevant."
TOO_FEW = "Too few documents are judged to show how much their contributions vary."


class JudgmentsNeeded(Result):
    """A plan of a sample, and the sample."""

    looked_at = "drawn"

    chosen: Frame
    """the whole pool: topic, document, stratum, grade (-1 = not drawn, ? = to be
    judged)
    """
    strata: Frame
    """one row per stratum over all topics: documents, standard deviation, share that is
    drawn, documents judged and to judge
    """
    half_width: float
    """expected half-width; NaN if unknown"""
    finds_relevant: bool
    """whether a judged document of the lists is relevant; else nothing tells how wide
    an interval is
    """
    tried: np.ndarray
    """float64 [trial], half-width, median over runs, in trial samples of complete
    judgments; empty without these, or if all are drawn
    """
    held: np.ndarray
    """bool [trial, run], whether the interval of a run, or of the difference, contains
    the value on all judgments
    """
    measures: tuple[Measure, ...]
    """the estimator"""
    runs: tuple[str, ...]
    """the run whose mean, or the two whose difference is estimated; empty for any run's
    mean
    """
    params: Params
    by_width: np.ndarray
    """float64 [2, width], half-widths, and the judgments that each is expected to need"""

    @property
    def needed(self) -> int:
        """Documents to judge."""
        return int(self.strata["to judge"].sum())

    def facts(self, choice: str = "") -> list[Fact]:
        """Judgments to make, and the half-width of the interval that they give."""
        measure, of = str(self.measures[0]), ",".join(self.runs)
        return [
            Fact(what, measure, of, float(value), np.nan, np.nan)
            for what, value in (("to judge", self.needed), ("half-width", self.half_width))
        ]

    @property
    def _of(self) -> str:
        """Text of what the interval is of."""
        if len(self.runs) > 1:
            return f"the difference of {self.runs[0]} and {self.runs[1]}"
        if self.runs:
            return f"the mean of {self.runs[0]}"
        return "a run's mean"

    def verdict(self, choice: str = "") -> Verdict:
        measure, level = self.measures[0], f"{self.params.level:g}%"
        what = f"It is the {level} interval of {self._of} over judgments, by {measure}."
        needed, every = self.needed, len(self.chosen)
        if not self.finds_relevant or np.isnan(self.half_width):
            why = NONE_RELEVANT
            if self.finds_relevant:
                why = TOO_FEW
            reason = f"{why} {what}"
            if needed:
                reason += f" Judge {self._describe_rates()} first."
            return Verdict("Nothing tells how wide an interval is.", reason)
        width = f"± {self.half_width:.2g}"
        if not needed:
            return Verdict(f"No more judgments are needed: the present ones give {width}.", what)
        if needed == every and not self.half_width:
            all_of_them = f"All {needed:,} documents must be judged: fewer do not give"
            return Verdict(f"{all_of_them} ± {self.params.half_width:g}.", what)
        judgments = f"{count_noun(needed, 'judgment')} of {count_noun(every, 'document')}"
        return Verdict(
            f"{judgments} {verb(needed, 'is', 'are')} expected to give an interval of {width}.",
            what,
            f"Judge {self._describe_rates()}.{self._tell_tried()}",
        )

    def _describe_rates(self) -> str:
        """The share of each stratum that is drawn."""
        parts = zip(self.strata["stratum"], self.strata["drawn"], strict=True)
        return list_all([f"{share:.0%} of stratum {name}" for name, share in parts])

    def _tell_tried(self) -> str:
        """A sentence on the intervals in trial samples; empty if none was drawn."""
        known = np.isfinite(self.tried)
        lacking = int((~known).sum())
        few = (
            f"{count_noun(lacking, 'trial')} of {known.size} {verb(lacking, 'has', 'have')} too few"
            " documents for an interval."
        )
        if known.sum() < 2:
            if not known.size:
                return ""
            return f" Tried with these judgments, {few}"
        tried, held = self.tried[known], self.held[known]
        low, high = share_interval(held.mean(axis=1), held.shape[1], level=LEVEL)
        interval = f"{LEVEL:.0%} interval {low:.0%} to {high:.0%}"
        often = f"{held.mean():.0%} of {tried.size} trials ({interval})"
        more = ""
        if high < self.params.level / 100:
            more = " Take more."
        if lacking:
            more += f" {few}"
        return (
            f" Tried with these judgments, it is ± {np.median(tried):.2g}. It contains the value on"
            f" all judgments in {often}.{more}"
        )

    def frame(self) -> Frame:
        """One row per document to judge: topic, document, stratum."""
        asked = self.chosen[self.chosen["grade"] == "?"]
        return asked[["topic", "document", "stratum"]].reset_index(drop=True)

    def next_steps(self) -> list[NextStep]:
        return [NextStep("How close are estimates to the truth?", "estimates")]

    def charts(self, choice: str = "") -> list[Chart]:
        caption = (
            f"Judgments to make for an interval of {self._of} by {self.measures[0]}; the vertical"
            " line is at the half-width asked for."
        )
        known = self.finds_relevant and bool(self.by_width[1].any())
        if not known:
            return []
        return [Chart("needed", "Judgments by half-width", caption, self._curve)]

    def _curve(self) -> Figure:
        # evenly along the axis, from wide to narrow
        places = [*map(float, range(WIDTHS.size))]
        widths, judgments = self.by_width
        figure = line_charts.curves(
            places,
            [line_charts.ChartLine("judgments", judgments, colors.Style(colors.PALETTE["blue"]))],
            line_charts.Axes(
                "half-width",
                "judgments to make",
                (0.0, float(judgments.max()) * 1.05),
                ticks={
                    place: f"± {width:.2g}" for place, width in zip(places, widths, strict=True)
                },
                mark=places[WIDTHS.tolist().index(1.0)],
            ),
        )
        return line_charts.without_names(figure)

    def widths(self) -> Frame:
        """One row per half-width: the judgments that it is expected to need."""
        half_width, judgments = self.by_width
        return table({"half-width": half_width, "to judge": judgments.astype(int)})

    def tables(self) -> list[Table]:
        return [
            Table("strata", "By stratum", lambda: self.strata),
            Table("list", "To judge", self.frame),
            Table("widths", "By half-width", self.widths),
        ]


@experiment(
    "judgments-needed",
    title="How many judgments?",
    question="How many judgments does a narrow interval need?",
    does="plan and draw a sample for an interval",
    formula=r"n_s = n \frac{N_s \sigma_s}{\sum_j N_j \sigma_j}",
    source="Neyman 1934; Cochran 1977, 5.5",
    takes=(COLLECTION, LISTS, MEASURES),
    sampled=True,
)
def judgments_needed(work: Work[Params]) -> JudgmentsNeeded:
    """Finds the smallest number of judgments for a given half-width of the interval
    over judgments, of a mean or of the difference of two. Documents are drawn from
    strata in proportion to the size of a stratum and to the spread of its documents'
    contributions to the estimate (Neyman's allocation), as estimated from the present
    judgments. The sample is drawn, and can be read back as judgments with strata.

    Where everything is judged, such samples are tried: how wide their intervals are,
    and how often they contain the value on all judgments. For a ratio at least 5% of
    each stratum is drawn. The first measure that has an estimator is used. Strata are
    those of the sample, else by best rank in any run. Deviations are pooled over
    topics. Raises `ParamError` without an estimator, for unequal probabilities within a
    stratum, and for `lists` on a sample.
    """
    params, collection = work.params, work.collection
    estimator, runs = _estimator(work.measures), _planned_runs(params, collection)
    planned = collection if collection.design else with_design(collection, "by-rank")
    if params.pool == LISTED:
        pool = _pool_near_top(collection)
    else:
        pool = _judged(planned, drawn=collection.design is not None)
    kinds = tuple(sorted({*pool.strata}))
    some, pair = planned, len(runs) == 2
    if runs:
        some = select_by_name(collection, runs, collection.topics)
        some = replace(some, design=planned.design)  # by best rank in any run, not in these
    by_kind = _deviations(some, estimator, pair)
    kind = np.array([*map(kinds.index, pool.strata)])
    spread = np.array([by_kind.get(name, 0.0) for name in kinds])[kind]
    units = np.bincount(pool.cell, minlength=kind.size)
    drawn = np.bincount(pool.cell[pool.grade >= 0], minlength=kind.size)
    per_total = _half_width_per_deviation(collection, estimator, params.level)
    share = OF_RATIO if estimator.metric.divides_by else 0.0

    def sizes_for(half_width: float) -> np.ndarray:
        """How many documents of each stratum such an interval needs."""
        return allocate(units, spread, drawn, (half_width / per_total) ** 2, share=share)

    sizes = sizes_for(params.half_width)
    widths = params.half_width * WIDTHS
    judgments = [sizes_for(width).sum() - drawn.sum() for width in widths]
    is_sample = bool((sizes < units).any())
    # only where everything is judged is the truth known, with which a sample is compared
    whole = collection.design is None and params.pool == JUDGED and is_sample
    relevant = bool((some.grade[some.judgment_index] >= estimator.params["rel"]).any())
    half_width = per_total * variance_of_total(units, spread, sizes) ** 0.5
    if is_sample and not half_width:
        # too few documents have shown how contributions vary
        half_width = float("nan")
    return JudgmentsNeeded(
        _sample_frame(pool, sizes, params.seed),
        _by_kind(kinds, kind, units, drawn, sizes, spread),
        half_width,
        relevant,
        *_try_samples(work, some, estimator, pair, pool, sizes, TRIED if whole else 0),
        (estimator,),
        runs,
        params,
        np.array([widths, judgments]),
    )


def _planned_runs(params: Params, collection: Collection) -> tuple[str, ...]:
    """The run or pair whose interval is planned; () for the mean run. Raises
    `ParamError` for more, and for a sample that no further one can be planned from.
    """
    if collection.design and not collection.design.alike:
        raise ParamError(
            "judgments-needed: expected documents of a stratum drawn alike, found probabilities by"
            " document."
        )
    if collection.design and params.pool == LISTED:
        raise ParamError(f"pool: {LISTED} is for judgments that are not a sample. Use {JUDGED}.")
    runs = tuple(parse_names(params.of_runs, collection.runs, "of_runs"))
    if len(runs) > 2:
        raise ParamError(f"of_runs: expected one or two names, found {shorten(params.of_runs)}.")
    return runs


def _half_width_per_deviation(collection: Collection, estimator: Measure, level: float) -> float:
    """Half-width of the interval of a mean, where the total over topics has a deviation
    of 1; topics without a relevant document have no score.
    """
    T = len(collection.topics)
    relevant = collection.grade >= estimator.params["rel"]
    scored = int((np.bincount(collection.topic, relevant, T) > 0).sum())
    return float(student_quantile(level / 100, T) / max(scored, 1))


def _estimator(measures: tuple[Measure, ...]) -> Measure:
    """Estimator of the first measure that has one; the last of several, which are sums
    over documents.
    """
    for target in measures:
        if target.metric.name in CHANGES:
            return target
        if found := [one for one in estimates_of(target) if one.metric.name in CHANGES]:
            return found[-1]
    raise ParamError(
        "judgments-needed: expected a measure that has an estimator, such as AP, nDCG, P@10 or"
        f" RBP; found {measures[0]}."
    )


def _try_samples(
    work: Work[Params],
    collection: Collection,
    estimator: Measure,
    pair: bool,
    pool: SamplePool,
    sizes: np.ndarray,
    trials: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute `tried` and `held` of `JudgmentsNeeded` for samples of these sizes; of
    the difference of two runs, if `pair`.
    """
    level = work.params.level / 100

    def ends(grades: np.ndarray) -> np.ndarray:
        return estimate(collection, [estimator], grades=grades, pairs=pair).ends(
            pairs=pair, level=level
        )[:3, 0]

    def step(trial: int) -> np.ndarray:
        return ends(
            np.where(_draw_sample(pool, sizes, work.params.seed, trial), collection.grade, -1)
        )

    if not trials:
        return np.zeros(0), np.zeros((0, 1), bool)
    truth, found = (
        ends(collection.grade)[0],
        # trial 1 is the sample that is written
        np.array(work.each(step, range(2, trials + 2), collection.concurrency)),
    )
    low, high = found[:, 1], found[:, 2]
    return np.median((high - low) / 2, axis=1), (low <= truth) & (truth <= high)


def _deviations(some: Collection, estimator: Measure, pair: bool) -> dict[str, float]:
    """Standard deviation per stratum of its documents' contributions to the mean of a
    run, or to the difference of two runs if `pair`: root mean square over topics,
    weighted by documents, and over runs.
    """
    topics = ideal_lists(some, some.grade, estimator.params["rel"])
    k, count = estimator.params.get("k"), 1 if pair else len(some.runs)
    # a difference needs both runs at once
    at_once = len(some.runs) if pair else AT_ONCE
    squares, documents = [], np.zeros(0)
    for first in range(0, len(some.runs), at_once):
        parallel.check_cancelled()
        hits = find_hits(
            some, some.grade, topics, estimator.params["rel"], slice(first, first + at_once)
        )
        found = deviation(estimator, hits.cut(k) if k else hits, pair=pair)
        squares.append(found.square)
        documents = found.documents
    # in one sum, since sums of parts would depend on the parts in their last bits
    square = np.concatenate(squares).sum(axis=0) / count
    assert some.design
    names = np.array(some.design.names)
    return {
        str(name): float(
            np.sqrt(
                (square * documents)[names == name].sum() / max(documents[names == name].sum(), 1)
            )
        )
        for name in dict.fromkeys(some.design.names)
    }


def _judged(planned: Collection, drawn: bool) -> SamplePool:
    """The judged pool; `drawn` is whether its grades are a sample to keep."""
    assert planned.design
    topics = pick(planned.topics, planned.topic.tolist())
    grade = planned.grade if drawn else np.full(planned.grade.size, -1)
    return SamplePool(
        topics, planned.documents.to_pylist(), grade, planned.design.stratum, planned.design.names
    )


def _pool_near_top(collection: Collection) -> SamplePool:
    """Documents near the top of the lists. Judged documents are one stratum; others are
    divided by best rank.
    """
    near = documents_near_top(collection)
    best = np.full(near.topic.size, NEAR)
    np.minimum.at(best, near.judgment_index, near.rank)
    code = np.where(near.grade >= 0, 0, 1 + np.searchsorted(BOUNDS, best))
    present, cell = np.unique(near.topic * (len(BOUNDS) + 2) + code, return_inverse=True)
    names = ("judged", *(str(i + 1) for i in range(len(BOUNDS) + 1)))
    topics = pick(collection.topics, near.topic.tolist())
    return SamplePool(
        topics,
        near.document,
        near.grade,
        cell,
        tuple(names[i % len(names)] for i in present.tolist()),
    )


def _sample_frame(pool: SamplePool, sizes: np.ndarray, seed: int) -> Frame:
    """The pool with the sample, in which each cell has its size."""
    asked = _draw_sample(pool, sizes, seed)
    grade = np.where(asked, "?", pool.grade.astype(str))
    return table(
        {
            "topic": pool.topics,
            "document": pool.documents,
            "stratum": pick(pool.strata, pool.cell.tolist()),
            "grade": grade,
        }
    )


def _draw_sample(pool: SamplePool, sizes: np.ndarray, seed: int, trial: int = 1) -> np.ndarray:
    """Whether a document of the pool is to be judged, so that each cell has its size;
    judged documents count.
    """
    number = random_generator(seed, trial).random(pool.grade.size)
    # judged documents come first in their cell, since they count towards its size
    order = np.lexsort((number, pool.grade < 0, pool.cell))
    size = np.bincount(pool.cell, minlength=sizes.size)
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size) - np.repeat(np.cumsum(size) - size, size)
    return (place < sizes[pool.cell]) & (pool.grade < 0)


def _by_kind(
    kinds: tuple[str, ...],
    kind: np.ndarray,
    units: np.ndarray,
    drawn: np.ndarray,
    sizes: np.ndarray,
    spread: np.ndarray,
) -> Frame:
    N, n0, n = (np.bincount(kind, of, len(kinds)).astype(int) for of in (units, drawn, sizes))
    deviations = [float(spread[kind == i][0]) for i in range(len(kinds))]
    return table(
        {
            "stratum": list(kinds),
            "documents": N,
            "deviation": deviations,
            "drawn": n / np.maximum(N, 1),
            "judged": n0,
            "to judge": n - n0,
        }
    )
