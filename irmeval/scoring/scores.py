"""Scoring of every run on every topic, under any vector of grades."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from irmeval.collection import Collection, check_collection
from irmeval.collection.caveats import describe_caveats
from irmeval.collection.shards import Sharded
from irmeval.metrics import Measure, default_measures, distinct
from irmeval.reading.gain_maps import Gains
from irmeval.scoring.estimated_scores import estimate, with_intervals
from irmeval.scoring.score_table import Scores
from irmeval.scoring.values import check_runs, grade_vector, local_scores


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
    measures : one text or measure, or several; repeated ones are computed once. By
        default AP, nDCG@10, P@10 and RR; where judgments are a sample, after their
        estimators
    grades : int [J], optional Grades in place of those of the qrels, one whole number
        per judgment, such as a row from `reduce`; negative = unjudged. None may be
        above the highest grade of the qrels.
    gains : mapping from grade to gain, text such as ``1:1,2:3``, or the name of a
        preset (`irmeval.reading.gain_maps.PRESETS`), optional By default the gains of
        the collection's policy, whose own default is the grade.

    Returns
    -------
    Scores
        A run that lacks a topic scores 0 on it; a topic without relevant documents has
        no score (NaN). The policy of the collection may say otherwise.

    Raises
    ------
    UnknownName, ParamError
        For an unknown measure, grades that do not fit the judgments, or gains that
        `irmeval.reading.gain_maps` refuses.
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
    check_collection(collection)
    chosen = default_measures(collection.design) if measures is None else measures
    scores = replace(
        evaluate_by_gains(collection, chosen, [gains], grades=grades)[0],
        note=describe_caveats(collection),
    )
    if (
        collection.design is None
        or gains is not None
        or not (known := with_intervals(scores.measures))
    ):
        return scores
    return replace(scores, estimator=partial(estimate, collection, known, grades=grades))


def evaluate_by_gains(
    collection: Collection,
    measures: str | Iterable[str],
    maps: Sequence[Gains | None],
    *,
    grades: "ArrayLike | None" = None,
) -> list[Scores]:
    """`evaluate` with several gain maps, faster, since relevant documents are looked up
    only once.
    """
    return _evaluated(collection, [(measures, grades)], maps)[0]()


def evaluate_many(
    collection: Collection, cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]"
) -> list[Callable[[], Scores]]:
    """`evaluate` for several (measures, grades), each when its function is called; all
    at once if runs are on other machines.
    """

    def only(made: Callable[[], list[Scores]]) -> Scores:
        return made()[0]

    return [partial(only, made) for made in _evaluated(collection, cells, [None])]


def _evaluated(
    collection: Collection,
    cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]",
    maps: Sequence[Gains | None],
) -> list[Callable[[], list[Scores]]]:
    """A function for each (measures, grades) that returns the scores by every gain
    map.
    """
    check_runs(collection)
    checked = [
        (distinct(measures), None if grades is None else grade_vector(collection, grades))
        for measures, grades in cells
    ]

    def scores(chosen: tuple[Measure, ...], parts: Sequence[np.ndarray]) -> list[Scores]:
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2)
        return [Scores(of_map, chosen, collection.runs, collection.topics) for of_map in values]

    def here(chosen: tuple[Measure, ...], grades: np.ndarray | None) -> list[Scores]:
        return scores(chosen, [local_scores(collection, chosen, grades, maps)[0]])

    if not isinstance(collection, Sharded):
        return [partial(here, *cell) for cell in checked]
    parts = collection.by_part(partial(_values, cells=checked, maps=maps))
    return [
        partial(scores, chosen, values)
        for (chosen, _), *values in zip(checked, *parts, strict=True)
    ]


def _values(
    part: Collection,
    cells: Iterable[tuple[tuple[Measure, ...], np.ndarray | None]],
    maps: Sequence[Gains | None],
) -> list[np.ndarray]:
    return [local_scores(part, *cell, maps)[0] for cell in cells]
