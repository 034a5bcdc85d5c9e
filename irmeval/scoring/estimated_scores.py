"""Scores that are estimated from a sample of the judgments, with intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.registry import check_known
from irmeval.core.text import list_few, shorten
from irmeval.metrics import Measure, distinct
from irmeval.metrics.hits import Hits
from irmeval.metrics.variance import CHANGES, spread
from irmeval.scoring.scores import Scores, check_runs, grade_vector, mean_over_topics
from irmeval.scoring.values import values_with
from irmeval.stats.intervals import difference_interval, mean_interval, student_quantile
from irmeval.stats.pairs import Differences, by_rows, product

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

OVER = {"judgments": "these topics, judged by another sample", "topics": "other topics, each judged by a sample"}
"""What an interval is over: what else could have been drawn."""
ENDS = ("estimate", *(f"{end}_{over}" for over in OVER for end in ("low", "high")))
"""Of both intervals: the estimate, the ends over judgments, the ends over topics."""


@dataclass(frozen=True, eq=False)
class Estimates(Scores):
    """Scores estimated from a sample, with what the draw does to them.

    Attributes
    ----------
    raw : float64 [measure, run, topic]
        As the measures have them. `values` are these less their bias, as far as the sample shows it; of a sum there is none.
    covariance : float64 [measure, run, run]
        Of the draw, summed over topics; NaN between runs where only runs were asked for.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=0.3)[0]
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
        """These."""
        return self

    def bounds(self, *, over: str = "judgments", level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the interval of each mean, (low, high), each [measure, run]. Raises `ParamError` for a word that `OVER` lacks.

        Over judgments the variance is that of the draw, and for each topic of which nothing relevant was drawn that of a topic, as the mean
        of the others stands for it. The interval is Student's on the logarithm of the mean, so that its ends are as many times above and
        below; where it would reach 0, on the mean itself, from 0 on.
        Over topics the variance is that between the topics, which holds both (`irmeval.stats.intervals.mean_interval`).
        """
        if check_over(over) == "topics":
            ends = np.stack([mean_interval(values, level=level) for values in self.values], axis=1)
        else:
            mean, known = mean_over_topics(self.values), self.counts
            with np.errstate(divide="ignore", invalid="ignore"):
                between = np.nansum((self.values - mean[..., None]) ** 2, axis=-1) / (known - 1)
            half = self._half(np.diagonal(self.covariance, axis1=1, axis2=2), between, known, level)
            sure = mean > half
            times = np.exp(np.divide(half, mean, out=np.zeros(mean.shape), where=sure))
            ends = np.where(sure, [mean / times, mean * times], [(mean - half).clip(np.minimum(mean, 0)), mean + half])
        low, high = np.where([[measure.metric.summed] for measure in self.measures], ends * self.counts, ends)
        return low, high

    def difference(self, first: str, second: str, *, over: str = "judgments", level: float = 0.95) -> "pd.DataFrame":
        """The difference of two runs, the second's mean taken from the first's: measure, estimate, low, high. It is paired: documents and
        topics are the same. Errors as `bounds`, and `UnknownName` for an unknown run."""
        import pandas as pd

        for name in (first, second):
            check_known(name, self.runs, "unknown run")
        two = self.of_runs([self.runs.index(name) for name in (first, second)])
        columns = zip(("estimate", "low", "high"), two.differences(over=over, level=level), strict=True)
        return pd.DataFrame({"measure": [*map(str, self.measures)], **{name: value[:, 0] for name, value in columns}})

    def differences(self, *, over: str = "judgments", level: float = 0.95) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The difference of every two runs, the second's mean taken from the first's, and the ends of its interval, each [measure, pair].

        On the topics with a score for every run; NaN where there are fewer than two. Pairs are in the order of
        ``np.triu_indices(runs, 1)``. Errors as `bounds`.
        """
        check_over(over)
        first, second = np.triu_indices(self.values.shape[1], 1)
        found = np.full((3, len(self.measures), first.size), np.nan)
        for m, (values, covariance) in enumerate(zip(self.values, self.covariance, strict=True)):
            scores, draw = values[:, ~np.isnan(values).any(axis=0)], np.diag(covariance)
            if min(scores.shape) < 2:
                continue
            moments = by_rows(lambda z: np.stack([z.mean(axis=1), z.var(axis=1, ddof=1)], axis=1), Differences(scores))
            mean, between = moments.T
            if over == "topics":
                found[:, m] = mean, *difference_interval(scores, level=level)
            else:
                own = (draw[first] + draw[second] - 2 * covariance[first, second]).clip(0)
                half = self._half(own, between, np.array(scores.shape[1]), level)
                found[:, m] = mean, mean - half, mean + half
        return found[0], found[1], found[2]

    def ends(self, *, pairs: bool = False, level: float = 0.95) -> np.ndarray:
        """Of each mean, or of the difference of every two runs, what `ENDS` names [5, measure, run or pair]."""
        if pairs:
            mean, *judgments = self.differences(level=level)
            return np.stack([mean, *judgments, *self.differences(over="topics", level=level)[1:]])
        return np.stack([self.over_topics(), *self.bounds(level=level), *self.bounds(over="topics", level=level)])

    def of_runs(self, places: Sequence[int] | np.ndarray) -> "Estimates":
        """The same of some of the runs, by their indices."""
        of = {name: getattr(self, name)[:, places] for name in ("values", "raw")}
        runs = tuple(self.runs[place] for place in places)
        return replace(self, **of, runs=runs, covariance=self.covariance[:, places][:, :, places])

    def _half(self, draw: np.ndarray, between: np.ndarray, known: np.ndarray, level: float) -> np.ndarray:
        """Half the width of Student's interval over judgments, of means over the `known` topics: from the variance of the draw, summed over
        topics, and that between topics, which stands for the missing ones."""
        T = self.values.shape[-1]
        missing = T - known
        with np.errstate(divide="ignore", invalid="ignore"):
            of_missing = np.where(missing > 0, missing * between * (1 + missing / known) / T**2, 0.0)
            return student_quantile(level, T) * np.sqrt(draw / known**2 + of_missing)


def check_over(over: str) -> str:
    """A word of `OVER`. Raises `ParamError` for another one."""
    if over not in OVER:
        raise ParamError(f"over: expected {' or '.join(OVER)}, found {shorten(over)}.")
    return over


def with_intervals(measures: Iterable[Measure]) -> list[Measure]:
    """The estimators among measures that have an interval over judgments."""
    return [measure for measure in measures if measure.metric.name in CHANGES]


RARE = {
    "infP": "of infP@10 in 79 of 100 cases (a tenth drawn)",
    "infNDCG": "of infNDCG in 89 (three tenths)",
    "statNDCG": "of statNDCG in 90 (three tenths)",
}
"""How often 95% intervals over judgments held the mean on all judgments, of some metrics (benchmarks/README.md)."""
ONE_STRATUM = "with one stratum a topic, as here, in 75 to 90 of 100 cases (a tenth drawn)"


def say_rare(collection: Collection, measures: Iterable[Measure]) -> str:
    """Which intervals over judgments are known to hold the mean on all judgments less often than they say, in a sentence; empty where none
    are."""
    if collection.design is None or not (known := with_intervals(measures)):
        return ""
    cut = {measure.metric.name for measure in known if measure.metric.name != "statNDCG" or not measure.params["k"]}
    rare = [said for name, said in RARE.items() if name in cut]
    if collection.design.alike and len(collection.topics) >= collection.design.S:
        rare = [ONE_STRATUM]
    return f"Known to hold too rarely what they should, 95% intervals over judgments: {'; '.join(rare)}." if rare else ""


def intervals(scores: Scores, *, over: str = "", level: float = 0.95) -> "pd.DataFrame":
    """As `Scores.interval`."""
    import pandas as pd

    found = scores.estimates
    place = {measure: m for m, measure in enumerate(found.measures)} if found else {}
    kinds = [check_over(over)] if over else [*OVER]
    ends = np.full((len(scores.runs), len(scores.measures), len(kinds), 3), np.nan)
    for k, kind in enumerate(kinds):
        estimated = [found.over_topics(), *found.bounds(over=kind, level=level)] if found else []
        for m, measure in enumerate(scores.measures):
            if measure in place:
                ends[:, m, k] = np.transpose([part[place[measure]] for part in estimated])
            elif kind == "topics":
                times = scores.counts[m] if measure.metric.summed else 1
                low, high = mean_interval(scores.values[m], level=level, bounds=measure.metric.range)
                ends[:, m, k] = np.transpose([scores.over_topics()[m], low * times, high * times])
    there = [kind == "topics" or measure in place for measure in scores.measures for kind in kinds]
    index = pd.MultiIndex.from_product((scores.runs, [*map(str, scores.measures)], kinds), names=["run", "measure", "over"])
    frame = pd.DataFrame(ends.reshape(-1, 3), index, columns=["estimate", "low", "high"])
    return frame[there * len(scores.runs)].reset_index()


def estimate(collection: Collection, measures: str | Iterable[str], *, grades: "ArrayLike | None" = None, pairs: bool = True) -> Estimates:
    """Score every run on every topic by estimators, with what is needed for intervals.

    Parameters
    ----------
    collection : Collection
        Its design says how the judgments were drawn; without one, those of a topic count as drawn at random from its pool.
    measures : one text or measure, or several, of the estimators whose variance is known
    grades : int [J], optional
        As `evaluate`.
    pairs : whether differences of runs are wanted too; intervals of runs alone take less time

    Raises
    ------
    ParamError, ReadError
        For a measure that is no such estimator; else as `evaluate`.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=0.1)[0]
    >>> irmeval.estimate(collection, ["statAP"], grades=tenth).difference("aurora1", "aurora2").round(3)
      measure  estimate   low   high
    0  statAP     0.017 -0.05  0.084
    """
    chosen = distinct(measures)
    if other := [measure for measure in chosen if measure not in with_intervals(chosen)]:
        raise ParamError(f"{shorten(other[0])} has no interval over judgments: expected one of {list_few([*CHANGES], len(CHANGES))}.")
    check_runs(collection)
    given = collection.grade if grades is None else grade_vector(collection, grades)
    raw, bias, drawn = zip(*collection.by_part(partial(_estimated, chosen=chosen, grades=given, pairs=pairs)), strict=True)
    values = np.concatenate(raw, axis=1)
    of_runs = map(np.concatenate, zip(*drawn, strict=True))
    covariance = np.stack([product(of, of.T, out=np.empty((len(of),) * 2)) if pairs else _of_each(of) for of in of_runs])
    return Estimates(values - np.concatenate(bias, axis=1), chosen, collection.runs, collection.topics, values, covariance)


def _of_each(variance: np.ndarray) -> np.ndarray:
    """A matrix of covariance of which only the variances [run] are known."""
    covariance = np.full((variance.size,) * 2, np.nan)
    np.fill_diagonal(covariance, variance)
    return covariance


def _estimated(
    part: Collection, chosen: Sequence[Measure], grades: np.ndarray, pairs: bool
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Of some runs: scores and their bias [measure, run, topic], and for each measure the root of the draw [run, columns]; without pairs
    its variance [run]."""

    def of_draw(measure: Measure, hits: Hits) -> tuple[np.ndarray, np.ndarray]:
        bias, root = spread(measure, hits)
        return bias, root if pairs else np.einsum("ij,ij->i", root, root)

    values, made = values_with(part, chosen, grades, also=of_draw)
    by_measure = [[np.concatenate(arrays) for arrays in zip(*slices, strict=True)] for slices in zip(*made, strict=True)]
    return values[0], np.stack([bias for bias, _ in by_measure]), [of for _, of in by_measure]
