"""Runs scored slice by slice on one vector of grades."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.parallel import check_cancelled, map_threads
from irmeval.core.text import shorten
from irmeval.metrics import Measure
from irmeval.metrics.hits import Hits, Ideal, find_hits, ideal_lists
from irmeval.reading.gain_maps import Gains

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

T = TypeVar("T")
SLICE_DOCUMENTS = 125_000
"""Judged documents that are scored at a time: few enough for the processor's cache, enough to be worth a call."""


def values_with(
    collection: Collection,
    chosen: Sequence[Measure],
    grades: np.ndarray | None = None,
    maps: Sequence[Gains | None] = (None,),
    also: Callable[[Measure, Hits], T] | None = None,
) -> tuple[np.ndarray, list[list[T]]]:
    """Scores [gain map, measure, run, topic] of runs on this machine, by default under the grades of the collection; and for each slice of
    the runs the results of `also`, which is called with each measure and its hits under the first map."""
    grades = collection.grade if grades is None else grades
    levels = {m.params["rel"] for m in chosen}
    topics = [{rel: ideal_lists(collection, grades, rel, gains) for rel in levels} for gains in maps]
    values = np.empty((len(maps), len(chosen), len(collection.runs), len(collection.topics)))

    def score(runs: slice) -> list[T]:
        check_cancelled()
        made = []

        @cache
        def found(rel: int) -> Hits:
            return find_hits(collection, grades, topics[0][rel], rel, runs)

        for g, ideals in enumerate(topics):
            view = _Views(found, ideals)
            with np.errstate(divide="ignore", invalid="ignore"):  # topics without relevant documents
                for i, measure in enumerate(chosen):
                    hits = view(measure.params["rel"], measure.prime, measure.params.get("k"))
                    values[g, i, runs] = measure.of(hits)
                    if also and not g:
                        made.append(also(measure, hits))
        return made

    made = map_threads(score, run_slices(collection, np.count_nonzero(grades >= 0) / max(grades.size, 1)))
    if collection.policy.empty == "zero":
        for i, measure in enumerate(chosen):
            values[:, i][..., topics[0][measure.params["rel"]].R == 0] = 0
    if collection.policy.average == "retrieved":
        values[..., collection.missing] = np.nan
    return values, made


def run_slices(collection: Collection, judged: float) -> Iterator[slice]:
    """Slices of the runs with about `SLICE_DOCUMENTS` judged documents each, if a share `judged` of the pool is judged; at least two."""
    bounds = collection.start[:: len(collection.topics)]
    most = max(SLICE_DOCUMENTS, min(SLICE_DOCUMENTS / max(judged, 1e-9), bounds[-1] / 2))
    first = 0
    while first < len(collection.runs):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + most, side="right")) - 1)
        yield slice(first, last)
        first = last


class _Views:
    """The hits condensed and cut as a measure needs them, made once for all measures with the same needs. It has no reference cycles, which
    would keep the arrays in memory until the next garbage collection."""

    def __init__(self, found: Callable[[int], Hits], topics: dict[int, Ideal]):
        self._found, self._topics = found, topics
        self._made: dict[tuple[int, bool, int | None], Hits] = {}

    def __call__(self, rel: int, prime: bool, k: int | None) -> Hits:
        if (rel, prime, k) not in self._made:
            self._made[rel, prime, k] = self._make(rel, prime, k)
        return self._made[rel, prime, k]

    def _make(self, rel: int, prime: bool, k: int | None) -> Hits:
        if k is not None:
            return self(rel, prime, None).cut(k)
        if prime:
            return self(rel, False, None).condensed()
        return replace(self._found(rel), topics=self._topics[rel])


def check_runs(collection: Collection) -> None:
    """Raise `ReadError` for a collection without runs."""
    if not collection.runs:
        raise ReadError("runs", None, "at least one run", "none", "Judgments alone have no scores: add run files.")


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
