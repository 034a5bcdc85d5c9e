"""Largest differences between two results of one experiment."""

from itertools import takewhile
from typing import NamedTuple

import numpy as np

from irmeval.core import numbers
from irmeval.experiments.results import Frame

AXES = ("rate", "level", "budget", "R", "f")
"""Numeric columns that identify a row."""
CORRELATIONS = ("tau", "tau_b", "tau_ap", "kappa", "rho", "accuracy", "power")
"""First words of columns with two digits."""


class LargestDifference(NamedTuple):
    """The row where a column of two tables differs most."""

    column: str
    where: dict[str, str]
    """the cells that identify the row, by column"""
    first: float
    second: float
    others: int = 0
    """number of other rows that are compared"""

    @property
    def size(self) -> float:
        """The difference as a share of the larger value."""
        larger = max(abs(self.first), abs(self.second))
        if not larger:
            return 0.0
        return abs(self.first - self.second) / larger

    @property
    def is_visible(self) -> bool:
        """Whether the two values differ as they are printed."""
        return self._write(self.first) != self._write(self.second)

    @property
    def name(self) -> str:
        """The column in a sentence: ``tau``."""
        if not self.column.isidentifier():  # it may have the name of a run in it
            return self.column
        return self.column.removesuffix("_b").replace("_", " ")

    def __str__(self) -> str:
        """``tau of AP at level 10 is 0.55 instead of 0.78``"""
        of, at = self._of(), self._at()
        where = f"{of} {at}".strip()
        if self.is_count:
            counted = f"{self._write(self.second)} {self.name}"
            return f"{where}: {counted} instead of {self._write(self.first)}"
        what = self.name
        if of:
            what += f" of {of}"
        what = f"{what} {at}".rstrip()
        return f"{what} is {self._write(self.second)} instead of {self._write(self.first)}"

    def _of(self) -> str:
        """The names of the row: ``AP``, ``AP and RR``."""
        names = [cell for cell in self.where.values() if not _is_number(cell)]
        # a measure that is its own target is named once
        names = [*dict.fromkeys(names)]
        if "measure_b" in self.where:
            return " and ".join(names)
        return ", ".join(names)

    def _at(self) -> str:
        """The numbers that name the row: ``at level 10``, ``at pool depth 100``."""
        levels = [(name, cell) for name, cell in self.where.items() if _is_number(cell)]
        return ", ".join(f"at {name} {cell}" for name, cell in levels)

    @property
    def is_count(self) -> bool:
        """Whether both are numbers of something, above 1."""
        both = self.first, self.second
        return all(map(float.is_integer, both)) and max(both) > 1

    def _write(self, value: float) -> str:
        if self.is_count:
            return f"{value:,.0f}"
        if self.column.split()[0] in CORRELATIONS:
            return numbers.correlation(value)
        if abs(value) < 10:
            return numbers.score(value)
        return f"{value:,.1f}"


def find_largest(first: Frame, second: Frame) -> list[LargestDifference]:
    """Row with the largest difference in each shared column of numbers, the column that
    changes most first, and counts last.

    Rows match if all columns before the first number are equal; columns of whole
    numbers count only if the rows are not unique without them. Rows and columns of one
    table alone are left out. Tables without unique rows have no differences, nor do
    square ones, whose columns are the names of their rows: a list of pairs says what
    their numbers are.

    Examples
    --------
    >>> import pandas as pd
    >>> a = pd.DataFrame({"measure": ["AP", "RR"], "mean": [0.25, 0.5], "tau": [1.0, 0.9]})
    >>> [str(d) for d in find_largest(a, a.assign(mean=[0.25, 0.75]))]
    ['mean of RR is 0.750 instead of 0.500', 'tau of AP is 1.00 instead of 1.00']
    """
    keys = [*filter(set(second).__contains__, _naming_columns(first))]
    # rows that are not told apart cannot be matched
    if not keys or first.duplicated(keys).any() or second.duplicated(keys).any():
        return []
    shared = {*_columns_of_numbers(second)} - {*keys}
    columns = [*filter(shared.__contains__, _columns_of_numbers(first))]
    if {*columns} == {*first[keys[0]]}:
        return []
    a, b = first.set_index(keys)[columns], second.set_index(keys)[columns]
    both = a.index.intersection(b.index)
    a, b, cells = a.loc[both], b.loc[both], both.to_frame().map(_cell)
    # nothing is largest beside an infinite difference, nor in a column without a number
    apart = (a - b).abs().replace(np.inf, np.nan).dropna(axis=1, how="all")
    found = []
    for name in map(str, apart.columns):
        row = int(apart[name].argmax())
        before, now = float(a[name].iloc[row]), float(b[name].iloc[row])
        where = dict(zip(keys, cells.iloc[row], strict=True))
        others = int(apart[name].count()) - 1
        found.append(LargestDifference(name, where, before, now, others))
    # counts change with the size of a collection, whatever its measures do
    return sorted(found, key=lambda difference: (difference.is_count, -difference.size))


def _columns_of_numbers(frame: Frame) -> list[str]:
    return [str(name) for name, kind in frame.dtypes.items() if kind.kind == "f"]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _cell(part: object) -> str:
    if isinstance(part, float):
        return f"{part:g}"
    return str(part)


def _naming_columns(frame: Frame) -> list[str]:
    """The columns that name a row: those before the first number, whole numbers among
    them only where the others do not suffice.
    """
    numbers = {*_columns_of_numbers(frame)} - {*AXES}
    leading = [*takewhile(lambda name: name not in numbers, map(str, frame.columns))]
    whole = {*frame.select_dtypes("integer").columns} - {*AXES}
    names = [name for name in leading if name not in whole]
    if not names or frame.duplicated(names).any():
        return leading
    return names
