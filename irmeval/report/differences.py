"""Largest differences between two results of one experiment."""

from itertools import takewhile
from typing import NamedTuple

from irmeval.experiments.results import Frame

AXES = ("rate", "R", "f")
"""Numeric columns that identify a row."""


class Difference(NamedTuple):
    """The row where a column of two tables differs most."""

    column: str
    where: tuple[str, ...]
    """the cells that identify the row"""
    first: float
    second: float

    def __str__(self) -> str:
        at = f" ({', '.join(self.where)})" if self.where else ""
        return f"{self.column}{at} {self.first:.4g} and {self.second:.4g}"


def find_largest(first: Frame, second: Frame) -> list[Difference]:
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
    leading = [
        *takewhile(lambda name: name in AXES or first[name].dtype.kind != "f", first.columns)
    ]
    names = [name for name in leading if name in AXES or first[name].dtype.kind not in "iu"]
    keys = [
        str(name)
        for name in (names if names and not first.duplicated(names).any() else leading)
        if name in second
    ]
    numbers = [
        str(c)
        for c, kind in first.dtypes.items()
        if kind.kind == "f" and c not in keys and c in second and second[c].dtype.kind == "f"
    ]
    if not keys or first.duplicated(keys).any() or second.duplicated(keys).any():
        return []
    a, b = (table.set_index(keys)[numbers] for table in (first, second))
    both = a.index.intersection(b.index)
    found = []
    for name in numbers:
        apart = (a.loc[both, name] - b.loc[both, name]).abs().dropna()
        if len(apart):
            place = apart.idxmax()
            where = tuple(
                f"{part:g}" if isinstance(part, float) else str(part)
                for part in (place if isinstance(place, tuple) else (place,))
            )
            found.append(
                Difference(name, where, float(a.loc[place, name]), float(b.loc[place, name]))
            )
    return sorted(found, key=lambda d: -abs(d.first - d.second))
