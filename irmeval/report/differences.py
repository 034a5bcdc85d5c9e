"""Largest differences between two results of one experiment."""

from itertools import takewhile
from typing import NamedTuple

from irmeval.experiments.results import Frame

AXES = ("rate", "R", "f")
"""Numeric columns that identify a row."""


class LargestDifference(NamedTuple):
    """The row where a column of two tables differs most."""

    column: str
    where: tuple[str, ...]
    """the cells that identify the row"""
    first: float
    second: float

    def __str__(self) -> str:
        at = f" ({', '.join(self.where)})" if self.where else ""
        return f"{self.column}{at} {self.first:.4g} and {self.second:.4g}"


def find_largest(first: Frame, second: Frame) -> list[LargestDifference]:
    """Row with the largest difference in each shared column of numbers, largest
    difference first.

    Rows match if all columns before the first number are equal; columns of whole
    numbers count only if the rows are not unique without them. Rows and columns of one
    table alone are left out. Tables without unique rows have no differences.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"measure": ["AP", "RR"], "mean": [0.25, 0.5], "tau": [1.0, 0.9]})
    >>> [str(d) for d in find_largest(a, a.assign(mean=[0.25, 0.75]))]
    ['mean (RR) 0.5 and 0.75', 'tau (AP) 1 and 1']
    """
    keys = [name for name in _naming_columns(first) if name in second]
    if not keys or first.duplicated(keys).any() or second.duplicated(keys).any():
        return []
    both = [name for name in _columns_of_numbers(first) if name in _columns_of_numbers(second)]
    numbers = [name for name in both if name not in keys]
    a, b = (table.set_index(keys)[numbers] for table in (first, second))
    shared = a.index.intersection(b.index)
    found = []
    for name in numbers:
        apart = (a.loc[shared, name] - b.loc[shared, name]).abs().dropna()
        if apart.empty:
            continue
        place = apart.idxmax()
        parts = place if isinstance(place, tuple) else (place,)
        where = tuple(f"{part:g}" if isinstance(part, float) else str(part) for part in parts)
        found.append(
            LargestDifference(name, where, float(a.loc[place, name]), float(b.loc[place, name]))
        )
    return sorted(found, key=lambda d: -abs(d.first - d.second))


def _columns_of_numbers(frame: Frame) -> list[str]:
    return [str(name) for name, kind in frame.dtypes.items() if kind.kind == "f"]


def _naming_columns(frame: Frame) -> list[str]:
    """The columns that name a row: those before the first number, whole numbers among
    them only where the others do not suffice.
    """
    numbers = {*_columns_of_numbers(frame)} - {*AXES}
    leading = [*takewhile(lambda name: name not in numbers, map(str, frame.columns))]
    names = [name for name in leading if name in AXES or frame[name].dtype.kind not in "iu"]
    suffices = names and not frame.duplicated(names).any()
    return names if suffices else leading
