"""Scores that are estimated from a sample of the judgments, with intervals."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError
from irmeval.core.parallel import map_threads
from irmeval.core.registry import check_known
from irmeval.core.text import list_few, shorten
from irmeval.metrics import distinct
from irmeval.metrics.hits import find_hits, ideal_lists
from irmeval.metrics.variance import CHANGES, Spread, spread
from irmeval.scoring.scores import Scores, evaluate, grade_vector, mean_over_topics, run_slices
from irmeval.stats.intervals import difference_interval, mean_interval, student_quantile

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

OVER = {"judgments": "these topics, judged by another sample", "topics": "other topics, each judged by a sample"}
"""What an interval is over: what else could have been drawn."""


@dataclass(frozen=True, eq=False)
class Estimates(Scores):
    """Scores estimated from a sample, with what the draw does to them.

    Attributes
    ----------
    raw : float64 [measure, run, topic]
        As the measures have them. `values` are these less their bias, as far as the sample shows it; of a sum there is none.
    roots : tuple of float64 [run, columns]
        For each measure: the covariance of the draw of two runs, summed over topics, is the sum of the products of their rows.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> tenth = irmeval.reduce(collection, "uniform", rate=0.3)[0]
    >>> estimates = irmeval.estimate(collection, ["statP@10"], grades=tenth)
    >>> estimates.interval().round(3).head(2)
           run   measure  estimate    low  high
    0  aurora1  statP@10     0.394  0.317  0.49
    1  aurora2  statP@10     0.394  0.317  0.49
    """

    raw: np.ndarray
    roots: tuple[np.ndarray, ...]

    def interval(self, *, over: str = "judgments", level: float = 0.95) -> "pd.DataFrame":
        """One row a run and measure: run, measure, estimate (the mean, less its bias), low, high. Errors as `bounds`."""
        import pandas as pd

        index = pd.MultiIndex.from_product((self.runs, [*map(str, self.measures)]), names=["run", "measure"])
        columns = zip(("estimate", "low", "high"), (self.over_topics(), *self.bounds(over=over, level=level)), strict=True)
        return pd.DataFrame({name: value.T.ravel() for name, value in columns}, index).reset_index()

    def bounds(self, *, over: str = "judgments", level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the interval of each mean, (low, high), each [measure, run]. Raises `ParamError` for a word that `OVER` lacks.

        Over judgments the variance is that of the draw, and for each topic of which nothing relevant was drawn that of a topic, as the mean
        of the others stands for it. The interval is Student's on the logarithm of the mean, so that its ends are as many times above and
        below; where it would reach 0, on the mean itself, from 0 on.
        Over topics the variance is that between the topics, which holds both (`irmeval.stats.intervals.mean_interval`).
        """
        if _check(over) == "topics":
            ends = np.stack([mean_interval(values, level=level) for values in self.values], axis=1)
        else:
            mean, half = self._around(self.values, self.roots, level)
            sure = mean > half
            times = np.exp(np.divide(half, mean, out=np.zeros(mean.shape), where=sure))
            ends = np.where(sure, [mean / times, mean * times], [(mean - half).clip(np.minimum(mean, 0)), mean + half])
        low, high = np.where([[measure.metric.summed] for measure in self.measures], ends * self.counts, ends)
        return low, high

    def difference(self, first: str, second: str, *, over: str = "judgments", level: float = 0.95) -> "pd.DataFrame":
        """The difference of two runs, the second's mean taken from the first's: measure, estimate, low, high. It is paired: documents and
        topics are the same. Errors as `bounds`, and `UnknownName` for an unknown run."""
        import pandas as pd

        a, b = (self._number(name) for name in (first, second))
        values = self.values[:, a] - self.values[:, b]
        if _check(over) == "topics":
            ends = [difference_interval(self.values[m][[a, b]][:, ~np.isnan(of)], level=level) for m, of in enumerate(values)]
            low, high = (np.array([end[side][0] for end in ends]) for side in (0, 1))
        else:
            roots = [root[[a]] - root[[b]] for root in self.roots]
            mean, half = (part[:, 0] for part in self._around(values[:, None], roots, level))
            low, high = mean - half, mean + half
        return pd.DataFrame({"measure": [*map(str, self.measures)], "estimate": mean_over_topics(values), "low": low, "high": high})

    def _number(self, name: str) -> int:
        check_known(name, self.runs, "unknown run")
        return self.runs.index(name)

    def _around(self, values: np.ndarray, roots: Sequence[np.ndarray], level: float) -> tuple[np.ndarray, np.ndarray]:
        """Means over the topics of values [measure, rows, topic], and half the width of their Student's interval from the roots of the
        draw; each [measure, rows]."""
        T, mean = values.shape[-1], mean_over_topics(values)
        known = np.count_nonzero(~np.isnan(values), axis=-1)
        missing = T - known
        with np.errstate(divide="ignore", invalid="ignore"):
            between = np.nansum((values - mean[..., None]) ** 2, axis=-1) / (known - 1)
            of_missing = np.where(missing > 0, missing * between * (1 + missing / known) / T**2, 0.0)
            draw = np.stack([(root**2).sum(axis=1) for root in roots]) / known**2
        return mean, student_quantile(level, T) * np.sqrt(draw + of_missing)


def _check(over: str) -> str:
    if over not in OVER:
        raise ParamError(f"over: expected {' or '.join(OVER)}, found {shorten(over)}.")
    return over


def estimate(collection: Collection, measures: str | Iterable[str], *, grades: "ArrayLike | None" = None) -> Estimates:
    """Score every run on every topic by estimators, with what is needed for intervals.

    Parameters
    ----------
    collection : Collection
        Its design says how the judgments were drawn; without one, those of a topic count as drawn at random from its pool.
    measures : one text or measure, or several, of the estimators whose variance is known
    grades : int [J], optional
        As `evaluate`.

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
    for measure in chosen:
        if measure.metric.name not in CHANGES:
            raise ParamError(f"{shorten(measure)} has no interval over judgments: expected one of {list_few([*CHANGES], len(CHANGES))}.")
    scores = evaluate(collection, chosen, grades=grades)
    given = collection.grade if grades is None else grade_vector(collection, grades)
    levels = {measure.params["rel"] for measure in chosen}
    topics = {rel: ideal_lists(collection, given, rel) for rel in levels}

    def of(runs: slice) -> list[Spread]:
        hits = {rel: find_hits(collection, given, ideal, rel, runs) for rel, ideal in topics.items()}
        cut = [hits[m.params["rel"]].cut(k) if (k := m.params.get("k")) else hits[m.params["rel"]] for m in chosen]
        return [spread(measure, found) for measure, found in zip(chosen, cut, strict=True)]

    parts = list(zip(*map_threads(of, run_slices(collection, np.count_nonzero(given >= 0) / max(given.size, 1))), strict=True))
    bias = np.stack([np.concatenate([part.bias for part in of_measure]) for of_measure in parts])
    roots = tuple(np.concatenate([part.root for part in of_measure]) for of_measure in parts)
    return Estimates(scores.values - bias, chosen, scores.runs, scores.topics, scores.values, roots)
