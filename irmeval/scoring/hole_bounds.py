"""The lowest and the highest score that a run's holes allow."""

from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np

from irmeval.metrics import Measure
from irmeval.scoring.filled import Filled
from irmeval.stats.means import exact_sum

SETS = 1024
"""The most sets of grades tried for a list before only those with two grades are."""


def bound_means(
    raw: np.ndarray, lists: Filled, measure: Measure, *, grows: bool
) -> tuple[float, float]:
    """The lowest and the highest mean over topics, whatever grades the holes have.

    For a given number of holes of each grade, a score is lowest if grades rise with the
    rank, and highest if they fall. All such orders are tried; of lists with many holes
    and grades those with at most two grades.

    Parameters
    ----------
    raw : float64 [topic], scores on the judgments
    """
    holes, top = lists.holes, lists.collection.top_grade
    place = np.lexsort((holes.rank, holes.topic))
    tried = [_falling(int(n), top) for n in np.unique(holes.topic, return_counts=True)[1]]
    most = max(map(len, tried), default=1)
    filled = [each[np.minimum(np.arange(most), len(each) - 1)] for each in tried]
    ends = []
    for which in (1, -1):
        grades = np.empty((most, place.size), np.int8)
        if filled:
            grades[:, place] = np.concatenate([each[:, ::which] for each in filled], axis=1)
        ends.append(lists.scores(measure, grades, grows=grows))
    scores = np.concatenate(ends)
    return _lowest(raw, lists, scores), -_lowest(-raw, lists, -scores)


@cache
def _falling(holes: int, top: int) -> np.ndarray:
    """Grades that do not rise with the rank, int8 [set, hole]."""
    if comb(holes + top, top) <= SETS:
        return np.array([*combinations_with_replacement(range(top, -1, -1), holes)], np.int8)
    two = [
        np.where(np.arange(holes) < n, high, low)
        for low, high in combinations(range(top + 1), 2)
        for n in range(holes + 1)
    ]
    return np.array(two, np.int8)


def _lowest(raw: np.ndarray, lists: Filled, scores: np.ndarray) -> float:
    """The lowest mean over topics, from all scores of those with holes [set, topic]. A
    topic without a score in some set counts if that makes the mean lower.
    """
    rest, known = np.delete(raw, lists.topics), np.isfinite(scores)
    least, always = np.where(known, scores, np.inf).min(axis=0), known.all(axis=0)
    counted, some = (
        np.append(rest[np.isfinite(rest)], least[always]),
        np.sort(least[~always & known.any(axis=0)]),
    )
    counts = counted.size + np.arange(some.size + 1)
    if not counts[-1]:
        return np.nan
    means = (counted.sum() + np.append(0, np.cumsum(some))) / np.maximum(counts, 1)
    n = int(np.argmin(np.where(counts > 0, means, np.inf)))
    return float(exact_sum(np.append(counted, some[:n])) / counts[n])
