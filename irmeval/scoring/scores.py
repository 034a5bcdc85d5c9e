"""Scoring of every run on every topic, under any vector of grades."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from irmeval.collection import Collection, check_collection, read_collection
from irmeval.collection.base import join_settled
from irmeval.collection.caveats import describe_caveats
from irmeval.collection.joining import name_runs
from irmeval.collection.looked_up import look_up
from irmeval.collection.shards import Sharded
from irmeval.core.errors import ParamError
from irmeval.core.registry import suggest_nearest
from irmeval.core.text import shorten
from irmeval.metrics import Measure, at_least_one, default_measures, distinct
from irmeval.reading import foreign
from irmeval.reading.gain_maps import Gains
from irmeval.reading.policy import DEFAULT
from irmeval.reading.sources import paths_of, read_qrels, read_run, runs_of
from irmeval.reading.trec import Qrels, Run
from irmeval.scoring.estimated_scores import estimate, with_intervals
from irmeval.scoring.score_table import Estimates, Scores
from irmeval.scoring.values import check_runs, grade_vector, local_scores

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike


@overload
def evaluate(
    collection: Collection,
    /,
    measures: str | Iterable[str] | None = None,
    *,
    metrics: str | Iterable[str] | None = None,
    grades: "ArrayLike | None" = None,
    gains: Gains | None = None,
) -> Scores: ...


@overload
def evaluate(
    qrels: "Qrels | Mapping[str, Mapping[str, int]] | pd.DataFrame",
    run: "Mapping[str, Mapping[str, float]] | pd.DataFrame",
    /,
    measures: str | Iterable[str] | None = None,
    *,
    metrics: str | Iterable[str] | None = None,
    grades: "ArrayLike | None" = None,
    gains: Gains | None = None,
) -> Scores: ...


def evaluate(  # type: ignore[misc] # the first form has measures in place of a run
    judged: Any = None,
    run: Any = None,
    /,
    measures: Any = None,
    *,
    metrics: Any = None,
    grades: "ArrayLike | None" = None,
    gains: Gains | None = None,
    **more: Any,
) -> Scores:
    """Score every run of a collection on every topic, ``evaluate(collection,
    measures)``; or one run, as in a loop of training, ``evaluate(qrels, run, measures)``.

    Parameters
    ----------
    qrels, run : dictionaries, data frames or files, under the default policy; qrels best
        from `irmeval.read_qrels`, which prepares them once
    measures : one text or measure, or several. By default AP, nDCG@10, P@10 and RR; of
        a sample, after their estimators. `metrics` is the same
    grades : int [J], in place of those of the qrels, such as a row from `reduce`;
        negative = unjudged. None may be above the highest grade of the qrels.
    gains : grade -> gain, text such as ``1:1,2:3``, or the name of a preset
        (`irmeval.reading.gain_maps.PRESETS`); by default those of the policy

    Returns
    -------
    Scores
        A run that lacks a topic scores 0 on it; a topic without relevant documents has
        no score (NaN). The policy of the collection may say otherwise.

    Raises
    ------
    UnknownName, ParamError, ReadError
        For arguments of both forms mixed, an unknown measure or none, grades that do
        not fit the judgments, gains that `irmeval.reading.gain_maps` refuses, or no
        runs.

    Examples
    --------
    >>> import irmeval
    >>> collection = irmeval.read_collection("sample_data/qrels.txt.gz", "sample_data/runs")
    >>> irmeval.evaluate(collection, ["AP", "AP'"], gains="1:1,2:3").mean().round(3).head(1)
               AP    AP'
    run
    aurora1  0.23  0.241
    """
    judged, run = more.pop("qrels", judged), more.pop("run", run)
    if more:
        raise _unknown_keyword(next(iter(more)))
    measures = metrics if measures is None else measures
    # dictionaries in a loop are looked up: in three fifths of the time of a join
    looked_up = look_up(judged, run, in_order=grades is not None)
    collection, measures = (looked_up, measures) if looked_up else _asked(judged, run, measures)
    given = default_measures(collection.design) if measures is None else measures
    (scores,) = evaluate_by_gains(collection, at_least_one(given), [gains], grades=grades)
    estimator = _estimator(collection, scores.measures, grades, gains)
    return replace(scores, note=describe_caveats(collection), estimator=estimator)


def _estimator(
    collection: Collection,
    measures: Sequence[Measure],
    grades: "ArrayLike | None",
    gains: Gains | None,
) -> Callable[[], Estimates] | None:
    """What makes the intervals of scores on a sample; None where no measure has any."""
    # the variance of an estimator is known under the gains of the policy alone
    if collection.design is None or gains is not None:
        return None
    known = with_intervals(measures)
    if not known:
        return None
    return partial(estimate, collection, known, grades=grades)


ELSEWHERE = {
    **dict.fromkeys(("per_query", "return_mean", "aggregate"), "scores.frame(), or scores.mean()"),
    **dict.fromkeys(
        ("relevance_level", "rel", "rel_lvl", "min_rel"),
        'a level of the measure, as in "AP(rel=2)"',
    ),
    **dict.fromkeys(("k", "k_values", "cutoff"), 'the cut-off of a measure, as in "nDCG@10"'),
    **dict.fromkeys(("threads", "n_jobs"), "not needed: all processors are used"),
    "make_comparable": "the default: a run scores 0 on a topic that it lacks",
    "runs": "Collection.from_dicts(qrels, runs)",
    "policy": "read_collection or Collection.from_dicts, which take its fields",
}
"""Keywords of other packages, with what there is here."""


def _unknown_keyword(name: str) -> ParamError:
    known = ("measures", "metrics", "grades", "gains")
    here = f". Here it is {ELSEWHERE[name]}" if name in ELSEWHERE else suggest_nearest(name, known)
    return ParamError(f"evaluate: unknown keyword {shorten(name)}{here}.")


def _asked(judged: Any, run: Any, measures: Any) -> tuple[Collection, Any]:
    """The collection to score and the measures, from either form of the arguments of
    `evaluate`. Raises `ParamError` if they are mixed.
    """
    if not isinstance(judged, Collection):
        return _join_given(judged, run, measures), measures
    # beside a collection, the second argument is the measures
    if run is None:
        return judged, measures
    if measures is not None or _in_memory(run):
        raise _mixed(judged, run, measures, "A collection has its runs: leave out the run.")
    return judged, run


def _join_given(judged: Any, run: Any, measures: Any) -> Collection:
    """A run, or several, joined with qrels under the default policy, each in any form."""
    if not foreign.form_of(judged):
        check_collection(judged)
    if paths_of(judged) and paths_of(run):
        return read_collection(judged, run)
    if not _is_run(run, measures):
        raise _mixed(judged, run, measures, _how_to_give(run))
    run = _with_files_read(run)
    qrels = judged if isinstance(judged, Qrels) else read_qrels(judged)
    if foreign.are_runs(run):
        return Collection.from_dicts(qrels, run)
    return _join_runs(qrels, runs_of(run))


def _with_files_read(run: Any) -> Any:
    """Runs by name, with the files among them read; anything else as it is."""
    if not isinstance(run, Mapping):
        return run
    files = {name: one for name, one in run.items() if isinstance(one, str | Path)}
    return {**run, **{name: read_run(file) for name, file in files.items()}} if files else run


def _join_runs(qrels: Qrels, runs: Sequence[Run]) -> Collection:
    names = name_runs([(each.name, each.tags) for each in runs])
    named = [each._replace(name=name) for each, name in zip(runs, names, strict=True)]
    return join_settled(qrels, named, DEFAULT)


def _is_run(given: Any, measures: Any) -> bool:
    """Whether it is a run, or several. A text may be a measure, unless there is such a
    file or measures stand beside it: then a file that is missing is named.
    """
    paths = paths_of(given)
    if paths:
        return _are_measures(measures) or all(map(os.path.exists, paths))
    return foreign.are_runs(given) or foreign.form_of(given) in ("a dictionary", "a data frame")


def _are_measures(given: Any) -> bool:
    return given is not None and not _in_memory(given)


def _how_to_give(run: Any) -> str:
    """Remedy for what is no run."""
    if isinstance(run, list) and any(map(_in_memory, run)):
        return "Of files and runs in memory, name the runs: {'bm25': run, ...}."
    return "Give a run after the qrels."


def _mixed(judged: Any, run: Any, measures: Any, remedy: str) -> ParamError:
    given = [one for one in (judged, run, measures) if one is not None]
    return ParamError(
        "expected evaluate(collection, measures) or evaluate(qrels, run, measures), found"
        f" evaluate({', '.join(map(_describe, given))}). {remedy}"
    )


def _describe(given: Any) -> str:
    """An argument of `evaluate` in a message."""
    if isinstance(given, Collection):
        return "a collection"
    return _in_memory(given) or shorten(given)


def _in_memory(given: Any) -> str:
    """Form of qrels or a run in memory; empty for anything else."""
    form = foreign.form_of(given)
    return "" if form == "a file" else form


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
    return evaluate_samples(collection, [(measures, grades)], maps)[0]()


def evaluate_many(
    collection: Collection, cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]"
) -> list[Callable[[], Scores]]:
    """`evaluate` for several (measures, grades), each when its function is called; all
    at once if runs are on other machines.
    """

    def only(made: Callable[[], list[Scores]]) -> Scores:
        return made()[0]

    return [partial(only, made) for made in evaluate_samples(collection, cells)]


def evaluate_samples(
    collection: Collection,
    cells: "Iterable[tuple[str | Iterable[str], ArrayLike | None]]",
    maps: Sequence[Gains | None] = (None,),
) -> list[Callable[[], list[Scores]]]:
    """`evaluate` for several (measures, grades): a function for each that scores when
    it is called, under every gain map; all at once if runs are on other machines.
    """
    check_runs(collection)
    checked = [
        (distinct(measures), None if grades is None else grade_vector(collection, grades))
        for measures, grades in cells
    ]

    def scores(chosen: tuple[Measure, ...], parts: Sequence[np.ndarray]) -> list[Scores]:
        # the usual case, without a copy of all scores
        values = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2)
        return [Scores(of_map, chosen, collection.runs, collection.topics) for of_map in values]

    def here(chosen: tuple[Measure, ...], grades: np.ndarray | None) -> list[Scores]:
        return scores(chosen, [local_scores(collection, chosen, grades, maps)[0]])

    # each when it is called, so that only the last is in memory
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
