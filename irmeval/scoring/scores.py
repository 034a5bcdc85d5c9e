"""Scores of every run on every topic, under any vector of grades."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.shards import Sharded
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.registry import check_known
from irmeval.core.text import counted, shorten
from irmeval.metrics import Measure, distinct, usual
from irmeval.reading.gain_maps import Gains
from irmeval.scoring.values import values_with

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from irmeval.scoring.estimated_scores import Estimates

FLOOR = 1e-5
"""The lowest value of a topic's score in a geometric mean."""
ROWS = 10
"""Runs that a notebook shows."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of runs on topics; NaN where a topic has no relevant document, and so no score.

    Attributes
    ----------
    values : float64 [measure, run, topic]
    measures, runs, topics : names along the axes

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
    sample: "tuple[Collection, ArrayLike | None] | None" = field(default=None, kw_only=True, repr=False)
    """Where judgments are a sample: the collection, and grades in place of its own; a pickled copy has none."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "sample": None}

    @property
    def estimates(self) -> "Estimates | None":
        """Those by estimators, where judgments are a sample, with what the draw does to them; None where there are none."""
        from irmeval.scoring.estimated_scores import estimate, with_intervals

        known = with_intervals(self.measures) if self.sample else []
        return estimate(self.sample[0], known, grades=self.sample[1]) if self.sample and known else None

    def interval(self, *, over: str = "", level: float = 0.95) -> "pd.DataFrame":
        """Intervals of the means, a row for each run, measure and what the interval is over: run, measure, over, estimate (the mean; of
        an estimator where judgments are a sample, less its bias), low, high.

        Over ``topics``: where the mean on other topics may lie. Over ``judgments``: where the mean on all judgments of these topics
        may lie, of such estimators alone. By default there are rows for both. Raises `ParamError` for another word.
        """
        from irmeval.scoring.estimated_scores import intervals

        return intervals(self, over=over, level=level)

    @property
    def means(self) -> np.ndarray:
        """Arithmetic means over the topics with a score [measure, run]; NaN if no topic has one. Counts are summed instead."""
        return self.over_topics("mean")

    @property
    def counts(self) -> np.ndarray:
        """Number of topics in each mean [measure, run]."""
        return np.count_nonzero(~np.isnan(self.values), axis=2)

    def on(self, topics: Sequence[str]) -> "Scores":
        """The scores on these topics only, in this order. Raises `UnknownName` for an unknown topic."""
        place = {topic: t for t, topic in enumerate(self.topics)}
        for topic in topics:
            check_known(topic, place, "unknown topic")
        return Scores(self.values[..., [place[topic] for topic in topics]], self.measures, self.runs, tuple(topics))

    def over_topics(self, aggregate: str = "mean") -> np.ndarray:
        """One of `AGGREGATES` over the topics with a score [measure, run]; NaN if no topic has one. Counts are summed instead.

        Raises `ParamError` for another name.
        """
        if aggregate not in AGGREGATES:
            raise ParamError(f"aggregate: expected one of {', '.join(AGGREGATES)}, found {shorten(aggregate)}.")
        result = AGGREGATES[aggregate](self.values)
        for i, measure in enumerate(self.measures):
            if measure.metric.summed:
                result[i] = np.where(self.counts[i] > 0, np.nansum(self.values[i], axis=-1), np.nan)
        return result

    def mean(self, aggregate: str = "mean") -> "pd.DataFrame":
        """One of `AGGREGATES` over the topics: runs x measures; counts are summed instead."""
        import pandas as pd

        return pd.DataFrame(self.over_topics(aggregate).T, index=pd.Index(self.runs, name="run"), columns=[*map(str, self.measures)])

    @property
    def mean_ranks(self) -> np.ndarray:
        """Mean rank of each run over the topics with a score for every run [measure, run]: 1 is the best, equal scores share their ranks,
        NaN without such a topic. The Borda count over topics orders runs alike: on each it is the number of runs less the rank."""
        scored = ~np.isnan(self.values).any(axis=1)
        found = [len(self.runs) - _beaten(values[:, on]) for values, on in zip(self.values, scored, strict=True)]
        return np.array([ranks.mean(axis=-1) if ranks.size else np.full(len(self.runs), np.nan) for ranks in found])

    @property
    def borda(self) -> np.ndarray:
        """Borda count of each run over the measures [run]: for each measure the number of runs with a lower mean, half for an equal one.
        A measure by which some run has no mean does not vote (Borda 1784)."""
        return _beaten(self.means[np.isfinite(self.means).all(axis=1)].T).sum(axis=-1)

    def board(self) -> "pd.DataFrame":
        """One row per run: run, over how many topics its means are, the mean by each measure; counts are summed."""
        import pandas as pd

        counts = self.counts
        topics = counts[0] if np.all(counts == counts[0]) else [" / ".join(map(str, c)) for c in counts.T]
        means = zip(map(str, self.measures), self.means, strict=True)
        return pd.DataFrame({"run": self.runs, "topics": topics, **dict(means)})

    def frame(self, wide: bool = False) -> "pd.DataFrame":
        """One row per observation: run, measure, topic, score; `wide`: one per run and topic, with a column for each measure."""
        import pandas as pd

        if wide:
            index = pd.MultiIndex.from_product([self.runs, self.topics], names=["run", "topic"])
            columns = zip(map(str, self.measures), self.values.reshape(len(self.measures), -1), strict=True)
            return pd.DataFrame(dict(columns), index).reset_index()
        names = {"run": self.runs, "measure": [*map(str, self.measures)], "topic": self.topics}
        index = pd.MultiIndex.from_product([*names.values()], names=[*names])
        return pd.Series(self.values.transpose(1, 0, 2).ravel(), index, name="score").reset_index()

    to_frame = frame

    def __repr__(self) -> str:
        sizes = zip((len(self.runs), len(self.topics), len(self.measures)), ("run", "topic", "measure"), strict=True)
        return f"Scores: {' x '.join(counted(*size) for size in sizes)}"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: means of the first runs."""
        more = f"<p>{len(self.runs) - ROWS:,} more runs</p>" if len(self.runs) > ROWS else ""
        shown = f"{counted(len(self.topics), 'topic')}, mean of those with a score"
        return f"<p>{shown}</p>{self.mean().head(ROWS).to_html(border=0)}{more}"


def _beaten(scores: np.ndarray) -> np.ndarray:
    """How many of the others each run is above, half for one that is equal, in each column; float64, of the shape of scores [run, n]."""
    return np.array([(own > scores).sum(axis=0) + ((own == scores).sum(axis=0) - 1) / 2 for own in scores]).reshape(scores.shape)


def mean_over_topics(values: np.ndarray) -> np.ndarray:
    """Mean along the last axis, NaN left out; NaN if nothing is left."""
    scored = ~np.isnan(values)
    n = np.count_nonzero(scored, axis=-1)
    total = np.where(scored, values, 0).sum(axis=-1)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def geometric_mean_over_topics(values: np.ndarray) -> np.ndarray:
    """Geometric mean along the last axis, NaN left out. A score below `FLOOR` counts as `FLOOR`. Topics with low scores weigh more than in
    the arithmetic mean.

    Of AP it is GMAP (trec_eval 9.0.8, gm_map; Robertson 2006).
    """
    return np.exp(mean_over_topics(np.log(np.maximum(values, FLOOR))))


def median_over_topics(values: np.ndarray) -> np.ndarray:
    """Median along the last axis, NaN left out; NaN if nothing is left."""
    ordered = np.sort(values, axis=-1)  # NaN comes last
    n = np.count_nonzero(~np.isnan(values), axis=-1)[..., None]
    low, high = (np.take_along_axis(ordered, np.maximum(i, 0), axis=-1)[..., 0] for i in ((n - 1) // 2, n // 2))
    return np.where(n[..., 0] > 0, (low + high) / 2, np.nan)


AGGREGATES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "mean": mean_over_topics,
    "geometric": geometric_mean_over_topics,
    "median": median_over_topics,
}


def evaluate(
    collection: Collection,
    measures: str | Iterable[str] | None = None,
    *,
    grades: "ArrayLike | None" = None,
    gains: Gains | None = None,
) -> Scores:
    """Score every run on every topic.

    Parameters
    ----------
    collection : Collection
    measures : one text or measure, or several; repeated ones are computed once. By default AP, nDCG@10, P@10 and RR; where judgments are a
        sample, behind their estimators
    grades : int [J], optional
        Grades in place of those of the qrels, one whole number per judgment, such as a row from `reduce`; negative = unjudged. None may
        be above the highest grade of the qrels.
    gains : mapping from grade to gain, text such as ``1:1,2:3``, or the name of a preset (`irmeval.reading.gain_maps.PRESETS`), optional
        By default the gains of the collection's policy, whose own default is the grade.

    Returns
    -------
    Scores
        A run that lacks a topic scores 0 on it; a topic without relevant documents has no score (NaN). The policy of the collection may
        say otherwise.

    Raises
    ------
    UnknownName, ParamError
        For an unknown measure, grades that do not fit the judgments, or gains that `irmeval.reading.gain_maps` refuses.
    ReadError
        For a collection without runs.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> scores = irmeval.evaluate(collection, ["AP", "AP'", "nDCG@10"], gains="1:1,2:3")
    >>> scores.mean().round(3).head(3)
                AP    AP'  nDCG@10
    run
    aurora1  0.230  0.241    0.378
    aurora2  0.215  0.226    0.358
    aurora3  0.242  0.265    0.419
    """
    chosen = usual(collection.design) if measures is None else measures
    scores = evaluate_by_gains(collection, chosen, [gains], grades=grades)[0]
    return replace(scores, sample=(collection, grades)) if collection.design and gains is None else scores


def evaluate_by_gains(
    collection: Collection,
    measures: str | Iterable[str],
    maps: Sequence[Gains | None],
    *,
    grades: "ArrayLike | None" = None,
) -> list[Scores]:
    """`evaluate` with several gain maps, faster: the relevant documents retrieved are looked up once."""
    return _evaluated(collection, [(measures, grades)], maps)[0]()


def evaluate_many(collection: Collection, cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]") -> list[Callable[[], Scores]]:
    """`evaluate` for several (measures, grades). Each is computed when its function is called; if the runs are on other machines, all are
    computed now, together."""

    def first(made: Callable[[], list[Scores]]) -> Scores:
        return made()[0]

    return [partial(first, made) for made in _evaluated(collection, cells, [None])]


def check_runs(collection: Collection) -> None:
    """Raise `ReadError` for a collection without runs."""
    if not collection.runs:
        raise ReadError("runs", None, "at least one run", "none", "Judgments alone have no scores: add run files.")


def _evaluated(
    collection: Collection, cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]", maps: Sequence[Gains | None]
) -> list[Callable[[], list[Scores]]]:
    check_runs(collection)
    checked = [(distinct(measures), None if grades is None else grade_vector(collection, grades)) for measures, grades in cells]

    def scores(chosen: tuple[Measure, ...], parts: Sequence[np.ndarray]) -> list[Scores]:
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2)
        return [Scores(of_map, chosen, collection.runs, collection.topics) for of_map in values]

    def here(chosen: tuple[Measure, ...], grades: np.ndarray | None) -> list[Scores]:
        return scores(chosen, [_values(collection, chosen, grades, maps)])

    if not isinstance(collection, Sharded):
        return [partial(here, *cell) for cell in checked]
    parts = collection.by_part(partial(_all_values, cells=checked, maps=maps))
    return [partial(scores, chosen, values) for (chosen, _), *values in zip(checked, *parts, strict=True)]


def _all_values(
    collection: Collection, cells: Iterable[tuple[tuple[Measure, ...], np.ndarray | None]], maps: Sequence[Gains | None]
) -> list[np.ndarray]:
    return [_values(collection, *cell, maps) for cell in cells]


def _values(collection: Collection, chosen: tuple[Measure, ...], grades: np.ndarray | None, maps: Sequence[Gains | None]) -> np.ndarray:
    """Scores [gain map, measure, run, topic]."""
    return values_with(collection, chosen, collection.grade if grades is None else grades, maps)[0]


def grade_vector(collection: Collection, grades: "ArrayLike") -> np.ndarray:
    """Grades as an integer array [J], one per judgment. Raises `ParamError` if they do not fit."""
    J, top = collection.grade.size, collection.top_grade
    try:
        given = np.asarray(grades)
    except ValueError:  # lists of different lengths in a list
        raise ParamError(f"grades: expected {J}, one per judgment, found lists in a list. Give one of them.") from None
    if given.shape != (J,):
        came = " x ".join(map(str, given.shape)) or "a single value"
        advice = " Give one row of them." if given.ndim == 2 else ""
        raise ParamError(f"grades: expected {J}, one per judgment, found {came}.{advice}")
    if given.dtype.kind not in "iuf":
        odd = next((g for g in given.tolist() if type(g) not in (int, float)), given.dtype)
        raise ParamError(f"grades: expected whole numbers, found {shorten(odd)}.")
    unfit = (given > top) if given.dtype.kind != "f" else ~(given <= top) | (given != np.floor(given))
    if unfit.any():
        raise ParamError(f"grades: expected whole numbers up to {top}, the highest grade of the qrels, found {given[unfit][0]:g}.")
    return given if given.dtype.kind == "i" else given.astype(np.int64)
