"""Scores from a cheap judge's grades of all documents and an expensive judge's grades
of a sample.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pd
from irmeval.core.parallel import map_threads, single_threaded_algebra
from irmeval.core.registry import check_known
from irmeval.core.text import list_few, shorten
from irmeval.metrics import Measure, at_least_one
from irmeval.metrics.hits import find_hits, ideal_lists
from irmeval.metrics.sampling_variance import DrawnDocuments
from irmeval.metrics.with_cheap_judge import CORRECTED, Corrected
from irmeval.metrics.with_judge_calibrated import Calibrated
from irmeval.scoring.score_table import Estimates, Scores, check_over
from irmeval.scoring.scores import evaluate
from irmeval.scoring.values import check_runs, grade_vector, run_slices
from irmeval.stats.blocks import product
from irmeval.stats.powered import NORMAL, Powered, powered_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

WAYS = {
    "as truth": "the cheap judge's grades in place of the expensive one's",
    "filled": "the expensive judge's grades if available, else the cheap one's",
    "calibrated": (
        "the expected score, by the expensive judge's grades on the sample for each grade of the"
        " cheap one"
    ),
    "difference": (
        "the cheap judge's score, corrected by the expensive one's differences on the sample;"
        " unbiased for sums"
    ),
    "prediction-powered": "some topics completely by the expensive judge, others by the cheap one",
}
"""Ways to use a cheap judge."""


class Pool(NamedTuple):
    """A pool under two judges."""

    collection: Collection
    """its documents are the pool, its grades those of the expensive judge so far"""
    expensive: np.ndarray
    """int [J], the expensive judge's grades of the sample; negative = not judged"""
    cheap: np.ndarray
    """int [J], the cheap judge's grades; negative = not judged"""
    whole: np.ndarray
    """bool [T], topics judged completely by the expensive judge"""


def pool_of(collection: Collection, cheap: str, grades: "ArrayLike | None" = None) -> Pool:
    """The pool of a collection and its judge `cheap`, besides the first one.

    Without `grades` and without a design, the pool is all documents that either judge
    was given. A grade above the expensive judge's highest counts as that one.
    """
    check_known(cheap, collection.judges[1:], "unknown judge beside the first")
    assert collection.panel
    judges, union = collection.panel.judges, collection.panel.union
    own, given = np.flatnonzero(judges.pooled[0]), judges.scoring(judges.number(cheap))
    if grades is not None or collection.design:
        expensive = collection.grade if grades is None else grade_vector(collection, grades)
        asked = np.full(expensive.size, True) if collection.design else collection.grade >= 0
        pool, given = collection, given[own]
    else:
        expensive, asked = np.full(judges.topic.size, -1, collection.grade.dtype), judges.pooled[0]
        expensive[own] = collection.grade
        pool = replace(union, grade=expensive)
    topic, T = pool.topic, len(pool.topics)
    # of a topic without a document nobody was asked anything
    whole = (np.bincount(topic[asked], minlength=T) > 0) & (
        np.bincount(topic[asked & (expensive < 0)], minlength=T) == 0
    )
    return Pool(pool, expensive, np.minimum(given, pool.top_grade), whole)


@dataclass(frozen=True, eq=False)
class PoweredEstimates(Estimates):
    """Prediction-powered means of runs over topics. `values` are the scores by the
    expensive judge, NaN on topics not judged completely.
    """

    cheap: np.ndarray
    """float64 [measure, run, topic], scores by the cheap judge"""
    quantile: str = NORMAL
    """of the intervals, as `irmeval.stats.powered.Powered.interval`"""

    def over_topics(self, aggregate: str = "mean") -> np.ndarray:
        """The prediction-powered means [measure, run]. Raises `ParamError` for another
        aggregate.
        """
        if aggregate != "mean":
            raise ParamError(
                "aggregate: expected mean, which alone is prediction-powered, found"
                f" {shorten(aggregate)}."
            )
        return np.stack([powered.mean for powered in self._powered(self.values, self.cheap)])

    def bounds(self, *, over: str = "topics", level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """As `Estimates.bounds`, over topics, of which the completely judged ones are a
        sample. NaN over judgments.
        """
        _, low, high = self._ends(self._powered(self.values, self.cheap), over, level)
        return low, high

    def difference(
        self, first: str, second: str, *, over: str = "topics", level: float = 0.95
    ) -> "pd.DataFrame":
        """As `Estimates.difference`, over topics; the mean of the differences is
        prediction-powered.
        """
        return super().difference(first, second, over=over, level=level)

    def differences(
        self, *, over: str = "topics", level: float = 0.95
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `Estimates.differences`; each mean of differences is
        prediction-powered.
        """
        first, second = np.triu_indices(len(self.runs), 1)
        mean, low, high = self._ends(
            self._powered(*(of[:, first] - of[:, second] for of in (self.values, self.cheap))),
            over,
            level,
        )
        return mean, low, high

    def of_runs(self, places: Sequence[int] | np.ndarray) -> "PoweredEstimates":
        """The same of some of the runs, by their indices."""
        found = super().of_runs(places)
        assert isinstance(found, PoweredEstimates)
        return replace(found, cheap=self.cheap[:, places])

    def _powered(self, values: np.ndarray, cheap: np.ndarray) -> list[Powered]:
        """For each measure, the means of values [measure, row, topic], which are NaN on
        topics that only the cheap judge has judged.
        """
        known = ~np.isnan(values).any(axis=1)
        return [
            powered_mean(y[:, own], f[:, own], f[:, ~own])
            for y, f, own in zip(values, cheap, known, strict=True)
        ]

    def _ends(self, powered: Iterable[Powered], over: str, level: float) -> np.ndarray:
        """Means and their interval limits [3, measure, row]."""
        known = 1.0 if check_over(over) == "topics" else np.nan
        return np.stack(
            [
                [of.mean, *(known * end for end in of.interval(level, quantile=self.quantile))]
                for of in powered
            ],
            axis=1,
        )


def estimate_with(
    collection: Collection,
    measures: str | Iterable[str],
    cheap: str,
    *,
    way: str = "difference",
    grades: "ArrayLike | None" = None,
    quantile: str = NORMAL,
) -> Estimates:
    """Score every run on every topic from a cheap judge's grades of the whole pool and
    the first judge's grades of a part of it.

    Parameters
    ----------
    collection : Collection Its first judge is the expensive one. Its design describes
        how the judged documents were drawn; without one, those of a topic count as
        drawn at random from all documents that either judge was given.
    measures : one text or measure, or several: P, RBP, AP, nDCG, and statDCG for DCG
    cheap : name of the cheap judge, as of `Collection.with_judgments`
    way : one of `WAYS` as truth: the cheap judge's grades in place of the expensive
        one's. filled: the expensive judge's grades where there are some, else the cheap
        one's. For both the error is unknown, so there is no interval over judgments
        (NaN). calibrated: the expected score. The distribution of an unknown grade by
        the expensive judge is that among drawn documents of the stratum with the same
        cheap grade. Biased where that differs from topic to topic. difference: the
        cheap judge's score plus, for each drawn document, the difference of the two
        judges times the number of documents it stands for. Unbiased for P, DCG and RBP,
        for any cheap judge; AP and nDCG are ratios of two such sums.
        prediction-powered: the expensive judge has judged some topics completely. The
        others count by the cheap judge, as far as the two agree on the judged topics.
        Only the mean over topics is estimated, with an interval over topics.
    grades : int [J], optional As `evaluate`: what the expensive judge has judged.
    quantile : of the intervals of prediction-powered means, normal or student, which is
        wider for few topics

    Raises
    ------
    UnknownName, ParamError, ReadError
        For a judge that the collection lacks, an unknown way, a measure that cannot be
        corrected, or no topic that is judged wholly; else as `evaluate`.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> collection = collection.with_judgments("model", "simulated:lenient,0.3,1")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=10)[0]
    >>> estimates = irmeval.estimate_with(collection, ["P@10", "AP"], "model", grades=tenth)
    >>> estimates.interval(over="judgments").round(3).head(2)
           run measure       over  estimate    low   high
    0  aurora1    P@10  judgments     0.386  0.287  0.521
    1  aurora1      AP  judgments     0.372  0.274  0.506
    """
    chosen = at_least_one(measures)
    if way not in WAYS:
        raise ParamError(f"way: expected {list_few([*WAYS], len(WAYS))}, found {shorten(way)}.")
    check_runs(collection)
    pool = pool_of(collection, cheap, grades)
    found = _MADE[way](pool, chosen)
    return replace(found, quantile=quantile) if isinstance(found, PoweredEstimates) else found


def _replaced(pool: Pool, measures: tuple[Measure, ...], grades: np.ndarray) -> Estimates:
    """Scores by these grades as if they were the expensive judge's, without intervals
    over judgments.
    """
    found = evaluate(pool.collection, measures, grades=grades)
    return Estimates(
        found.values, measures, found.runs, found.topics, found.values, _unknown(found)
    )


def _unknown(scores: Scores) -> np.ndarray:
    return np.full((len(scores.measures), len(scores.runs), len(scores.runs)), np.nan)


def _check_corrected(measures: tuple[Measure, ...]) -> None:
    if other := [
        measure for measure in measures if measure.metric.name not in CORRECTED or measure.prime
    ]:
        known = list_few([*CORRECTED], len(CORRECTED))
        raise ParamError(
            f"{shorten(other[0])} cannot be corrected by a sample: expected one of {known}."
        )


def _calibrated(pool: Pool, measures: tuple[Measure, ...]) -> Estimates:
    _check_corrected(measures)
    collection, expensive = pool.collection, pool.expensive
    # every retrieved document is a hit here: each has an expected gain
    everything = np.ones(expensive.size, np.int8)
    hits = find_hits(collection, everything, ideal_lists(collection, everything, gains={}))

    def of(measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        rel, k = measure.params["rel"], measure.params.get("k")
        return Calibrated(
            measure, hits.cut(k) if k else hits, ideal_lists(collection, expensive, rel), pool.cheap
        ).score()

    # the measures are on all threads already
    with single_threaded_algebra():
        scores, covariance = map(np.stack, zip(*map_threads(of, measures), strict=True))
    return _estimates(pool, measures, scores, covariance)


def _difference(pool: Pool, measures: tuple[Measure, ...]) -> Estimates:
    _check_corrected(measures)
    collection = pool.collection
    parts = collection.by_part(
        partial(
            _corrected, measures=measures, cheap=np.maximum(pool.cheap, 0), expensive=pool.expensive
        )
    )
    scores, roots = (
        [np.concatenate([part[m][i] for part in parts]) for m in range(len(measures))]
        for i in range(2)
    )
    covariance = np.stack([product(root, root.T, out=np.empty((len(root),) * 2)) for root in roots])
    return _estimates(pool, measures, np.stack(scores), covariance)


def _estimates(
    pool: Pool, measures: tuple[Measure, ...], scores: np.ndarray, covariance: np.ndarray
) -> Estimates:
    """Estimates of unknown bias under the policy of the collection. A topic that is
    judged wholly and has nothing relevant has no score.
    """
    collection = pool.collection
    for m, measure in enumerate(measures):
        relevant = np.bincount(
            collection.topic, pool.expensive >= measure.params["rel"], len(collection.topics)
        )
        # of a topic that is judged in part, something relevant may be left
        scores[m, :, pool.whole & (relevant == 0)] = np.nan
    if collection.policy.empty == "zero":
        scores = np.nan_to_num(scores)
    if collection.policy.average == "retrieved":
        scores[:, collection.missing] = np.nan
    return Estimates(scores, measures, collection.runs, collection.topics, scores, covariance)


def _corrected(
    collection: Collection, measures: Sequence[Measure], cheap: np.ndarray, expensive: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each measure, the difference estimates of every run, and the root of their
    covariance (`Spread.root`).
    """
    # hits are looked up once for all measures of a relevance level
    levels = {measure.params["rel"] for measure in measures}
    by_cheap, by_expensive = (
        {rel: ideal_lists(collection, given, rel) for rel in levels} for given in (cheap, expensive)
    )
    either = {
        rel: np.where(expensive >= 0, np.maximum(expensive, cheap) >= rel, -1).astype(np.int8)
        for rel in levels
    }
    marked = {rel: ideal_lists(collection, of_level, gains={}) for rel, of_level in either.items()}

    def of(runs: slice) -> list[tuple[np.ndarray, np.ndarray]]:
        hits = {
            rel: (
                find_hits(collection, cheap, by_cheap[rel], rel, runs),
                find_hits(collection, either[rel], marked[rel], runs=runs),
            )
            for rel in levels
        }
        found = []
        for measure in measures:
            rel, k = measure.params["rel"], measure.params.get("k")
            whole, drawn = (part.cut(k) if k else part for part in hits[rel])
            score, spread = Corrected(
                measure, whole, DrawnDocuments(drawn), by_expensive[rel]
            ).score()
            found.append((score, spread.root))
        return found

    parts = zip(*map_threads(of, run_slices(collection, 1.0)), strict=True)
    return [
        (np.concatenate(score), np.concatenate(root))
        for score, root in (zip(*p, strict=True) for p in parts)
    ]


def _prediction_powered(pool: Pool, measures: tuple[Measure, ...]) -> PoweredEstimates:
    if not pool.whole.any():
        raise ParamError(
            "prediction-powered: expected topics that the expensive judge has judged completely,"
            " found none. Use a different way."
        )
    expensive, cheap = (
        evaluate(pool.collection, measures, grades=grades)
        for grades in (pool.expensive, pool.cheap)
    )
    values = np.where(pool.whole, expensive.values, np.nan)
    return PoweredEstimates(
        values,
        measures,
        expensive.runs,
        expensive.topics,
        values,
        _unknown(expensive),
        np.nan_to_num(cheap.values),
    )


_MADE = {
    "as truth": lambda pool, measures: _replaced(pool, measures, pool.cheap),
    "filled": lambda pool, measures: _replaced(
        pool, measures, np.where(pool.expensive >= 0, pool.expensive, pool.cheap)
    ),
    "calibrated": _calibrated,
    "difference": _difference,
    "prediction-powered": _prediction_powered,
}
