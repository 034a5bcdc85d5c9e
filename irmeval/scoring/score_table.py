"""Scores of runs on topics, computed or estimated from a sample, with means and
intervals over topics.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.core.errors import IrmevalError, ParamError
from irmeval.core.lazy import pd
from irmeval.core.other_packages import made_by, unknown_attribute
from irmeval.core.places import place_of_each
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun, shorten
from irmeval.metrics import Measure, distinct
from irmeval.stats.intervals import difference_interval, mean_interval, student_quantile
from irmeval.stats.means import exact_sum, mean_of_known, tied
from irmeval.stats.pairs import Differences, by_rows

FLOOR = 1e-5
"""Minimum of a topic's score in a geometric mean."""
ROWS = 10
"""Number of runs that a notebook shows."""
OVER = {
    "judgments": "these topics, judged by another sample",
    "topics": "other topics, each judged by a sample",
}
"""Source of variation of an interval: the sample of judgments, or the topics."""
ENDS = ("estimate", *(f"{end}_{over}" for over in OVER for end in ("low", "high")))
"""Rows of `Estimates.ends`: the estimate, the limits over judgments, the limits over
topics.
"""


ELSEWHERE = {
    "plot": 'irmeval.EXPERIMENTS["leaderboard"](collection, measures).plot()',
    **dict.fromkeys(("per_query", "by_query", "per_topic"), "scores.frame()"),
    **dict.fromkeys(("results", "scores"), "scores.frame(), or scores.values"),
    "compare": 'irmeval.EXPERIMENTS["matrix"](collection, measures)',
    # beside `mean`, which is over topics, they would be read as over topics, too
    **{
        name: f"scores.mean().{name}(), over runs, or scores.frame(), with a row per topic"
        for name in (
            *("std", "var", "sem", "median", "quantile", "min", "max", "sum", "count", "nunique"),
            *("describe", "mode", "prod", "product", "skew", "kurt", "kurtosis", "corr", "cov"),
            *("agg", "aggregate", "all", "any", "cumsum", "cumprod", "cummin", "cummax"),
        )
    },
}
"""Attributes that tables of scores have in other packages, with what there is here."""


@made_by("irmeval.evaluate(collection, measures) makes them.")
@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of runs on topics; NaN if a topic has no relevant document, and so no
    score.

    Attributes
    ----------
    values : float64 [measure, run, topic]
    measures, runs, topics : tuple of str, along the axes

    Examples
    --------
    >>> import irmeval
    >>> qrels = {"1": {"a": 2, "b": 0}, "2": {"a": 0, "c": 1}}
    >>> runs = {"mine": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "c": 1.0}}}
    >>> scores = irmeval.evaluate(irmeval.Collection.from_dicts(qrels, runs), ["AP", "RR"])
    >>> scores.values.shape, scores.topics
    ((2, 1, 2), ('1', '2'))
    >>> scores.mean()
            AP    RR
    run
    mine  0.75  0.75
    >>> scores.frame().iloc[0].to_dict()
    {'run': 'mine', 'measure': 'AP', 'topic': '1', 'score': 1.0}
    >>> scores.interval().round(2)
        run measure    over  estimate  low  high
    0  mine      AP  topics      0.75  0.0   1.0
    1  mine      RR  topics      0.75  0.0   1.0
    """

    values: np.ndarray
    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    estimator: "Callable[[], Estimates] | None" = field(default=None, kw_only=True, repr=False)
    """Function that computes `estimates`, if there are any; a pickled copy has none."""
    note: str = field(default="", kw_only=True, repr=False)
    """a sentence on runs that lack topics; empty if there are none"""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "estimator": None}

    @property
    def estimates(self) -> "Estimates | None":
        """Scores by estimators with the sampling variance, if judgments are a sample;
        None without a sample or an estimator.
        """
        return self.estimator() if self.estimator else None

    def interval(self, *, over: str = "", level: float = 0.95) -> "pd.DataFrame":
        """Intervals of the means: run, measure, over, estimate (the mean; less its
        bias, for an estimator on a sample), low, high.

        Over ``topics`` they hold the mean on other topics. Over ``judgments``, for
        estimators on a sample alone, they hold the mean on all judgments of these
        topics. By default there are rows for both. Raises `ParamError` for another
        word.
        """
        kinds = [check_over(over)] if over else [*OVER]
        estimated = self.estimates.measures if self.estimates else ()
        ends = np.stack([self._ends_over(kind, level) for kind in kinds], axis=2)
        index = pd.MultiIndex.from_product(
            (self.runs, [*map(str, self.measures)], kinds), names=["run", "measure", "over"]
        )
        rows = ends.swapaxes(0, 1).reshape(-1, 3)
        frame = pd.DataFrame(rows, index, columns=["estimate", "low", "high"])
        of_sample = np.isin([*map(str, self.measures)], [*map(str, estimated)])
        known = of_sample[:, None] | (np.array(kinds) == "topics")
        return frame[np.tile(known.ravel(), len(self.runs))].reset_index()

    def _ends_over(self, kind: str, level: float) -> np.ndarray:
        """Estimate, low and high over topics or judgments [measure, run, 3]; NaN over
        judgments for a measure that is no estimator.
        """
        ends = np.full((len(self.measures), len(self.runs), 3), np.nan)
        found = self.estimates
        estimated = found.measures if found else ()
        for m, measure in enumerate(self.measures):
            if kind == "topics" and measure not in estimated:
                ends[m] = self._ends_of_mean(m, level)
        if found:
            places = [self.measures.index(measure) for measure in estimated]
            parts = found.over_topics(), *found.bounds(over=kind, level=level)
            ends[places] = np.stack(parts, axis=-1)
        return ends

    def _ends_of_mean(self, m: int, level: float) -> np.ndarray:
        """Mean, low and high over topics by a measure [run, 3]; sums of counts."""
        values, measure = self.values[m], self.measures[m]
        times = self.counts[m] if measure.metric.summed else 1
        low, high = mean_interval(values, level=level, bounds=measure.bounds(values))
        return np.stack([self.over_topics()[m], low * times, high * times], axis=-1)

    @property
    def means(self) -> np.ndarray:
        """Arithmetic means over the topics with a score [measure, run]; NaN if no topic
        has one. Counts are summed instead.
        """
        return self.over_topics("mean")

    @property
    def counts(self) -> np.ndarray:
        """Number of topics in each mean [measure, run]."""
        return np.count_nonzero(~np.isnan(self.values), axis=2)

    def on(self, topics: Sequence[str]) -> "Scores":
        """The scores on these topics only, in this order. Raises `UnknownName` for an
        unknown topic.
        """
        place = place_of_each(self.topics)
        for topic in topics:
            check_known(topic, place, "unknown topic")
        return Scores(
            self.values[..., [place[topic] for topic in topics]],
            self.measures,
            self.runs,
            tuple(topics),
        )

    def over_topics(self, aggregate: str = "mean") -> np.ndarray:
        """One of `AGGREGATES` over the topics with a score [measure, run]; NaN if no
        topic has one. Counts are summed instead.

        Raises `ParamError` for another name.
        """
        if aggregate not in AGGREGATES:
            raise ParamError(
                f"aggregate: expected one of {', '.join(AGGREGATES)}, found {shorten(aggregate)}."
            )
        result = AGGREGATES[aggregate](self.values)
        for i, measure in enumerate(self.measures):
            if measure.metric.summed:
                result[i] = np.where(
                    self.counts[i] > 0, exact_sum(np.nan_to_num(self.values[i])), np.nan
                )
        return result

    def mean(self, aggregate: str = "mean") -> "pd.DataFrame":
        """One of `AGGREGATES` over the topics: runs x measures; counts are summed
        instead.
        """
        return pd.DataFrame(
            self.over_topics(aggregate).T,
            index=pd.Index(self.runs, name="run"),
            columns=[*map(str, self.measures)],
        )

    @cached_property
    def mean_ranks(self) -> np.ndarray:
        """Mean rank of each run over the topics with a score for every run [measure,
        run]: 1 is the best, equal scores share their ranks, NaN without such a topic.
        Equivalent to the Borda count over topics, which is the number of runs minus the
        rank on each.
        """
        # ranks on a topic compare only where every run has one
        scored = ~np.isnan(self.values).any(axis=1)
        found = [
            len(self.runs) - _beaten(values[:, on])
            for values, on in zip(self.values, scored, strict=True)
        ]
        return np.array(
            [
                ranks.mean(axis=-1) if ranks.size else np.full(len(self.runs), np.nan)
                for ranks in found
            ]
        )

    @cached_property
    def borda(self) -> np.ndarray:
        """Borda count of each run over the measures [run]: for each measure the number
        of runs with a lower mean, half for an equal one. A measure by which some run
        has no mean is skipped (Borda 1784).
        """
        return _beaten(self.means[np.isfinite(self.means).all(axis=1)].T).sum(axis=-1)

    @cached_property
    def leaders(self) -> tuple[tuple[str, ...], ...]:
        """Runs with the highest mean by each measure, including ties; none if no run
        has a mean.
        """
        means = tied(self.means)
        highest = np.nanmax(means, axis=1, keepdims=True, initial=-np.inf)
        return tuple(
            tuple(self.runs[r] for r in np.flatnonzero(first)) for first in means == highest
        )

    def board(self) -> "pd.DataFrame":
        """One row per run: run, over how many topics its means are, the mean by each
        measure; counts are summed.
        """
        counts = self.counts
        topics = (
            counts[0]
            if np.all(counts == counts[0])
            else [" / ".join(map(str, c)) for c in counts.T]
        )
        means = zip(map(str, self.measures), self.means, strict=True)
        return pd.DataFrame({"run": self.runs, "topics": topics, **dict(means)})

    def columns(self, *, means: bool = False) -> dict[str, list[Any]]:
        """Columns of `frame` as lists; with `means`, of the means, topic ``all``."""
        topics, values = (("all",), self.means[..., None]) if means else (self.topics, self.values)
        rows = product(self.runs, map(str, self.measures), topics)
        run, measure, topic = map(list, zip(*rows, strict=True))
        score = values.transpose(1, 0, 2).ravel().tolist()
        return {"run": run, "measure": measure, "topic": topic, "score": score}

    def frame(self, wide: bool = False) -> "pd.DataFrame":
        """One row per observation: run, measure, topic, score; `wide`: one per run and
        topic, with a column for each measure.
        """
        if wide:
            index = pd.MultiIndex.from_product([self.runs, self.topics], names=["run", "topic"])
            columns = zip(
                map(str, self.measures), self.values.reshape(len(self.measures), -1), strict=True
            )
            return pd.DataFrame(dict(columns), index).reset_index()
        return pd.DataFrame(self.columns())

    to_frame = to_dataframe = to_pandas = frame

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Means as run -> measure -> score."""
        names = [*map(str, self.measures)]
        means = zip(self.runs, self.means.T.tolist(), strict=True)
        return {run: dict(zip(names, of_run, strict=True)) for run, of_run in means}

    def __getitem__(self, name: "str | Measure") -> "pd.Series[float]":
        """Means of a measure by run, or of a run by measure. Raises `UnknownName`."""
        means = self.mean()
        if isinstance(name, str) and name in self.runs:
            return means.T[name]
        measure = _spelled(name)
        check_known(measure, dict.fromkeys(self), "unknown measure")
        return means[measure]

    def __contains__(self, name: object) -> bool:
        """Whether there are means under a name: of a measure in any spelling, or a run."""
        return name in self.runs or _spelled(name) in self.measures

    def items(self) -> "Iterator[tuple[str, pd.Series[float]]]":
        """Each measure, with its means by run."""
        return ((measure, self[measure]) for measure in self)

    def __iter__(self) -> Iterator[str]:
        """The measures, as texts."""
        return map(str, self.measures)

    def __len__(self) -> int:
        """Number of measures."""
        return len(self.measures)

    if not TYPE_CHECKING:  # a type checker knows what there is

        def __getattr__(self, name: str) -> Any:
            """A measure, or a method of data frames, of `mean`: ``scores.to_csv(...)``."""
            is_public = not name.startswith("_")  # unpickling looks for others, too early
            if is_public and name not in ELSEWHERE and self._is_of_means(name):
                return getattr(self.mean(), name)
            raise unknown_attribute("Scores", name, ELSEWHERE, dir(self))

    def _is_of_means(self, name: str) -> bool:
        return name in self.measures or hasattr(pd.DataFrame, name)

    def __repr__(self) -> str:
        sizes = zip(
            (len(self.runs), len(self.topics), len(self.measures)),
            ("run", "topic", "measure"),
            strict=True,
        )
        return f"Scores: {' x '.join(count_noun(*size) for size in sizes)}"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: means of the first runs."""
        more = f"<p>{len(self.runs) - ROWS:,} more runs</p>" if len(self.runs) > ROWS else ""
        shown = f"{count_noun(len(self.topics), 'topic')}, mean of those with a score"
        return f"<p>{shown}</p>{self.mean().head(ROWS).to_html(border=0)}{more}"


def _spelled(name: object) -> str:
    """A measure as irmeval spells it; any other name as it is."""
    with suppress(IrmevalError):
        return str(distinct(str(name))[0])
    return str(name)


def _beaten(scores: np.ndarray) -> np.ndarray:
    """Number of other runs below each run, ties as one half, in each column; float64,
    the shape of scores [run, n].
    """
    scores = tied(scores.T).T
    return np.array(
        [(own > scores).sum(axis=0) + ((own == scores).sum(axis=0) - 1) / 2 for own in scores]
    ).reshape(scores.shape)


@dataclass(frozen=True, eq=False)
class Estimates(Scores):
    """Scores estimated from a sample, with their covariance over other draws.

    Attributes
    ----------
    raw : float64 [measure, run, topic]
        The scores by the measures. `values` are these less their bias, as estimated
        from the sample; a sum has none.
    covariance : float64 [measure, run, run]
        Over other draws, summed over topics; NaN between runs that `estimate` was not
        asked to compare.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=30)[0]
    >>> estimates = irmeval.estimate(collection, ["statP@10"], grades=tenth)
    >>> estimates.interval().round(3).head(2)
           run   measure       over  estimate    low  high
    0  aurora1  statP@10  judgments     0.394  0.317  0.490
    1  aurora1  statP@10     topics     0.394  0.286  0.534
    """

    raw: np.ndarray
    covariance: np.ndarray

    @property
    def estimates(self) -> "Estimates":
        """Itself."""
        return self

    def bounds(
        self, *, over: str = "judgments", level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray]:
        """Limits of the interval of each mean, (low, high), each [measure, run]. Raises
        `ParamError` for a word not in `OVER`.

        Over judgments the variance is that of the draw, plus that between topics for
        each topic without a drawn relevant document, which the mean of the others
        stands for. The interval is Student's on the logarithm of the mean, so that its
        ends are the same factor above and below; where it would reach 0, on the mean
        itself, from 0 on. Over topics the variance is that between topics, which
        includes both (`irmeval.stats.intervals.mean_interval`).
        """
        if check_over(over) == "topics":
            ends = np.stack([mean_interval(values, level=level) for values in self.values], axis=1)
        else:
            mean, known = mean_of_known(self.values), self.counts
            with np.errstate(divide="ignore", invalid="ignore"):
                between = np.nansum((self.values - mean[..., None]) ** 2, axis=-1) / (known - 1)
            half = self._half(np.diagonal(self.covariance, axis1=1, axis2=2), between, known, level)
            # multiplied and divided where it can be: scores are positive, and their
            # errors skewed
            sure = mean > half
            times = np.exp(np.divide(half, mean, out=np.zeros(mean.shape), where=sure))
            ends = np.where(
                sure,
                [mean / times, mean * times],
                [(mean - half).clip(np.minimum(mean, 0)), mean + half],
            )
        low, high = np.where(
            [[measure.metric.summed] for measure in self.measures], ends * self.counts, ends
        )
        return low, high

    def difference(
        self, first: str, second: str, *, over: str = "judgments", level: float = 0.95
    ) -> "pd.DataFrame":
        """Paired difference in means, first minus second run: measure, estimate, low,
        high. Raises `UnknownName`, and as `bounds`.
        """
        for name in (first, second):
            check_known(name, self.runs, "unknown run")
        two = self.of_runs([self.runs.index(name) for name in (first, second)])
        columns = zip(
            ("estimate", "low", "high"), two.differences(over=over, level=level), strict=True
        )
        return pd.DataFrame(
            {
                "measure": [*map(str, self.measures)],
                **{name: value[:, 0] for name, value in columns},
            }
        )

    def differences(
        self, *, over: str = "judgments", level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Difference in means of every two runs, the first minus the second, and its
        interval limits, each [measure, pair].

        On the topics with a score for every run; NaN where there are fewer than two.
        Pairs are in the order of ``np.triu_indices(runs, 1)``. Errors as `bounds`.
        """
        check_over(over)
        first, second = np.triu_indices(self.values.shape[1], 1)
        found = np.full((3, len(self.measures), first.size), np.nan)
        for m, (values, covariance) in enumerate(zip(self.values, self.covariance, strict=True)):
            scores, draw = values[:, ~np.isnan(values).any(axis=0)], np.diag(covariance)
            # a difference takes two runs, its variance two topics
            if min(scores.shape) < 2:
                continue
            # in blocks: all pairs of 1,000 runs would not fit into memory at once
            moments = by_rows(
                lambda z: np.stack([z.mean(axis=1), z.var(axis=1, ddof=1)], axis=1),
                Differences(scores),
            )
            mean, between = moments.T
            if over == "topics":
                found[:, m] = mean, *difference_interval(scores, level=level)
            else:
                # rounding may take the variance of equal runs below 0
                own = (draw[first] + draw[second] - 2 * covariance[first, second]).clip(0)
                half = self._half(own, between, np.array(scores.shape[1]), level)
                found[:, m] = mean, mean - half, mean + half
        return found[0], found[1], found[2]

    def ends(self, *, pairs: bool = False, level: float = 0.95) -> np.ndarray:
        """`ENDS` of each mean, or with `pairs` of the difference of every two runs [5,
        measure, run or pair].
        """
        if pairs:
            mean, *judgments = self.differences(level=level)
            return np.stack([mean, *judgments, *self.differences(over="topics", level=level)[1:]])
        return np.stack(
            [
                self.over_topics(),
                *self.bounds(level=level),
                *self.bounds(over="topics", level=level),
            ]
        )

    def of_runs(self, places: Sequence[int] | np.ndarray) -> "Estimates":
        """The same of some of the runs, by their indices."""
        of = {name: getattr(self, name)[:, places] for name in ("values", "raw")}
        runs = tuple(self.runs[place] for place in places)
        return replace(self, **of, runs=runs, covariance=self.covariance[:, places][:, :, places])

    def _half(
        self, draw: np.ndarray, between: np.ndarray, known: np.ndarray, level: float
    ) -> np.ndarray:
        """Half the width of Student's interval over judgments, from the variance of the
        draw and, for missing topics, between topics.
        """
        T = self.values.shape[-1]
        missing = T - known
        with np.errstate(divide="ignore", invalid="ignore"):
            of_missing = np.where(
                missing > 0, missing * between * (1 + missing / known) / T**2, 0.0
            )
            return student_quantile(level, T) * np.sqrt(draw / known**2 + of_missing)


def check_over(over: str) -> str:
    """A word of `OVER`. Raises `ParamError` for another one."""
    if over not in OVER:
        raise ParamError(f"over: expected {' or '.join(OVER)}, found {shorten(over)}.")
    return over


def geometric_mean_over_topics(values: np.ndarray) -> np.ndarray:
    """Geometric mean along the last axis, NaN left out. Scores below `FLOOR` count as
    `FLOOR`. Topics with low scores weigh more than in the arithmetic mean. For AP it is
    GMAP (trec_eval 9.0.8, gm_map; Robertson 2006).
    """
    return np.exp(mean_of_known(np.log(np.maximum(values, FLOOR))))


def median_over_topics(values: np.ndarray) -> np.ndarray:
    """Median along the last axis, NaN left out; NaN if nothing is left."""
    ordered = np.sort(values, axis=-1)  # NaN is last
    n = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    low, high = (
        np.take_along_axis(ordered, np.maximum(i, 0), axis=-1)[..., 0]
        for i in ((n - 1) // 2, n // 2)
    )
    return np.where(n[..., 0] > 0, (low + high) / 2, np.nan)


AGGREGATES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mean": mean_of_known,
    "geometric": geometric_mean_over_topics,
    "median": median_over_topics,
}
