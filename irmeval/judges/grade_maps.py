"""Grade maps: grade -> new grade of a judge, as a mapping or as text such as
``2:1,3:1`` or, with ranges, ``0-49:0,50-100:1``.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import groupby

import numpy as np

from irmeval.core.errors import ParamError
from irmeval.core.text import shorten

GradeMap = Mapping[int, int] | str
HIGHEST = int(np.iinfo(np.int16).max)
"""Highest grade in a map."""
_PART = re.compile(r"\s*(-?\d{1,5})(?:-(\d{1,5}))?\s*:\s*(-?\d{1,5})\s*", re.ASCII)


def parse_map(text: str) -> dict[int, int]:
    """A map from text: ``grade:new`` or ``first-last:new``, separated by commas. An
    empty text is an empty map.

    Raises
    ------
    ParamError
        For anything else, a range that descends, a grade named twice, or one above
        `HIGHEST`.

    Examples
    --------
    >>> parse_map("0-2:0,3:1")
    {0: 0, 1: 0, 2: 0, 3: 1}
    """
    grades: dict[int, int] = {}
    for part in text.split(",") if text.strip() else ():
        if not (match := _PART.fullmatch(part)):
            expected = "pairs of grades as in 1:1,2:1, or ranges as in 0-49:0,50-100:1"
            raise ParamError(f"map: expected {expected}, found {shorten(text)}.")
        first, last, after = int(match[1]), int(match[2] or match[1]), int(match[3])
        if first > last:
            expected = "the lower grade of a range first, as in 50-100:1"
            raise ParamError(f"map: expected {expected}, found {shorten(part.strip())}.")
        # before the range is walked, which may otherwise have 99,999 grades
        check_map({first: after, last: after})
        new = dict.fromkeys(range(first, last + 1), after)
        again = new.keys() & grades.keys()
        if again:
            came = f"{min(again)} twice in {shorten(text)}"
            raise ParamError(f"map: expected each grade once, found {came}.")
        grades |= new
    return grades


def map_as_text(grades: Iterable[tuple[int, int]]) -> str:
    """Text of a map that `parse_map` reads. Three or more consecutive grades with the
    same new grade are written as a range.

    Examples
    --------
    >>> map_as_text([(0, 0), (1, 0), (2, 0), (3, 1), (4, 1)])
    '0-2:0,3:1,4:1'
    """
    words = list[str]()
    for (_, after), stretch in groupby(enumerate(grades), _stretch_of):
        words += _stretch_as_text([before for _, (before, _) in stretch], after)
    return ",".join(words)


def _stretch_of(numbered: tuple[int, tuple[int, int]]) -> tuple[int, int]:
    """What consecutive grades with the same new one share: they rise as their numbers."""
    number, (before, after) = numbered
    return before - number, after


def _stretch_as_text(here: list[int], after: int) -> list[str]:
    if len(here) > 2:
        return [f"{here[0]}-{here[-1]}:{after}"]
    # two grades are as short one by one
    return [f"{grade}:{after}" for grade in here]


def as_map(grades: GradeMap) -> Mapping[int, int]:
    """Convert a mapping or text to a map. Raises as `parse_map`."""
    if isinstance(grades, str):
        return parse_map(grades)
    check_map(grades)
    return grades


def check_map(grades: Mapping[int, int]) -> None:
    """Raise `ParamError` for a grade above `HIGHEST`."""
    if wrong := [grade for grade in (*grades, *grades.values()) if abs(grade) > HIGHEST]:
        raise ParamError(f"map: expected grades up to {HIGHEST}, found {shorten(wrong[0])}.")


def apply_map(grade: np.ndarray, grades: Mapping[int, int]) -> np.ndarray:
    """Apply a map to grades, an array of the same shape. A grade that is not in the map
    stays; a new grade below 0 becomes -1.
    """
    if not grades:
        return grade.copy()
    before, after = np.array(sorted(grades.items()), np.int64).T
    at = np.minimum(np.searchsorted(before, grade), before.size - 1)
    return np.where(before[at] == grade, np.maximum(after[at], -1), grade)
