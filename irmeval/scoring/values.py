"""Scoring of runs slice by slice on one vector of grades."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from irmeval.collection import Collection, check_collection
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.parallel import check_cancelled, map_threads
from irmeval.core.text import shorten
from irmeval.metrics import Measure
from irmeval.metrics.hits import Hits, find_hits, ideal_lists
from irmeval.reading.gain_maps import Gains
from irmeval.stats.blocks import fit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

T = TypeVar("T")
DOCUMENT_BYTES = 100
"""Bytes per judged document during scoring."""
View = tuple[int, bool, int | None]
"""Relevance level, whether condensed, and cut-off."""
SLICE_DOCUMENTS = 125_000
"""Judged documents scored at a time: few enough for the processor's cache, enough to
amortise a call.
"""


def local_scores(
    collection: Collection,
    chosen: Sequence[Measure],
    grades: np.ndarray | None = None,
    maps: Sequence[Gains | None] = (None,),
    also: Callable[[Measure, Hits], T] | None = None,
) -> tuple[np.ndarray, list[list[T]]]:
    """Scores [gain map, measure, run, topic] of runs on this machine, by default under
    the grades of the collection; and for each slice of the runs the results of `also`,
    which is called with each measure and its hits under the first map.
    """
    grades = collection.grade if grades is None else grades
    levels = {m.params["rel"] for m in chosen}
    topics = [
        {rel: ideal_lists(collection, grades, rel, gains) for rel in levels} for gains in maps
    ]
    values = np.empty((len(maps), len(chosen), len(collection.runs), len(collection.topics)))

    def score(runs: slice) -> list[T]:
        check_cancelled()
        made = []
        found = {rel: find_hits(collection, grades, topics[0][rel], rel, runs) for rel in levels}
        for g, ideals in enumerate(topics):
            views: dict[View, Hits] = {
                (rel, False, None): replace(whole, topics=ideals[rel])
                for rel, whole in found.items()
            }
            # topics without relevant documents
            with np.errstate(divide="ignore", invalid="ignore"):
                for i, measure in enumerate(chosen):
                    hits = _view_for(measure, views)
                    values[g, i, runs] = measure.score(hits)
                    if also and not g:
                        made.append(also(measure, hits))
        return made

    judged = np.count_nonzero(grades >= 0) / max(grades.size, 1)
    made = map_threads(score, run_slices(collection, judged))
    if collection.policy.empty == "zero":
        for i, measure in enumerate(chosen):
            values[:, i][..., topics[0][measure.params["rel"]].R == 0] = 0
    if collection.policy.average == "retrieved":
        values[..., collection.missing] = np.nan
    return values, made


def run_slices(collection: Collection, judged: float) -> Iterator[slice]:
    """Slices of the runs with about `SLICE_DOCUMENTS` judged documents each, if a share
    `judged` of the pool is judged; at least two.
    """
    bounds = collection.start[:: len(collection.topics)]
    least = fit(SLICE_DOCUMENTS, DOCUMENT_BYTES)
    most = max(least, min(least / max(judged, 1e-9), bounds[-1] / 2))
    first = 0
    while first < len(collection.runs):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + most, side="right")) - 1)
        yield slice(first, last)
        first = last


def _view_for(measure: Measure, views: dict[View, Hits]) -> Hits:
    return _view(views, measure.params["rel"], measure.prime, measure.params.get("k"))


def _view(views: dict[View, Hits], rel: int, prime: bool, k: int | None) -> Hits:
    """The hits condensed and cut as a measure needs them, shared by measures with the
    same needs. `views` are the whole lists of each relevance level; the hits do not
    refer to their views, since cycles would keep arrays in memory until a garbage
    collection.
    """
    view = rel, prime, k
    if view in views:
        return views[view]
    whole = views[rel, False, None] if k is None else _view(views, rel, prime, None)
    views[view] = whole.condensed() if k is None else whole.cut(k)
    return views[view]


def check_runs(collection: Collection) -> None:
    """Raise `ParamError` for anything but a collection, and `ReadError` for one without
    runs.
    """
    check_collection(collection)
    if not collection.runs:
        remedy = "Judgments alone have no scores: add run files."
        raise ReadError("runs", None, "at least one run", "none", remedy)


def grade_vector(collection: Collection, grades: "ArrayLike") -> np.ndarray:
    """Grades as an integer array [J], one per judgment. Raises `ParamError` if they do
    not fit.
    """
    J, top = collection.grade.size, collection.top_grade
    try:
        given = np.asarray(grades)
    except ValueError:  # lists of different lengths in a list
        came = "lists in a list. Give one of them"
        raise ParamError(f"grades: expected {J}, one per judgment, found {came}.") from None
    if given.shape != (J,):
        came = " x ".join(map(str, given.shape)) or "a single value"
        advice = " Give one row of them." if given.ndim == 2 else ""
        raise ParamError(f"grades: expected {J}, one per judgment, found {came}.{advice}")
    if given.dtype.kind not in "iuf":
        odd = next((g for g in given.tolist() if type(g) not in (int, float)), given.dtype)
        raise ParamError(f"grades: expected whole numbers, found {shorten(odd)}.")
    # no NaN is at most the highest grade
    unfit = ~(given <= top)
    if given.dtype.kind == "f":
        unfit |= given != np.floor(given)
    if unfit.any():
        expected = f"whole numbers up to {top}, the highest grade of the qrels"
        raise ParamError(f"grades: expected {expected}, found {given[unfit][0]:g}.")
    return given if given.dtype.kind == "i" else given.astype(np.int64)
