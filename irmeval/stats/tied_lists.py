"""Expected scores over all ways to break ties (McSherry & Najork 2008), exact and
without enumeration.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


def place_in_group(group: np.ndarray) -> np.ndarray:
    """Position of each ascending value among its equals, from 1 [n].

    Examples
    --------
    >>> import numpy as np
    >>> place_in_group(np.array([2, 2, 5, 7, 7, 7])).tolist()
    [1, 2, 1, 1, 2, 3]
    """
    line = np.arange(group.size)
    first = np.concatenate([[True], group[1:] != group[:-1]])[: group.size]
    return line - np.maximum.accumulate(np.where(first, line, 0)) + 1


class Counted(NamedTuple):
    """Documents of ranked lists with ties, each array [documents]; the names of `Tied`,
    and the mean gain of the group.
    """

    list: np.ndarray
    rank: np.ndarray
    n: np.ndarray
    i: np.ndarray
    m: np.ndarray
    c: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True, eq=False)
class Tied:
    """Ranked lists with ties, flat. Every order of tied documents is equally likely."""

    list: np.ndarray
    """int [documents], the list of each document, ascending"""
    group: np.ndarray
    """int [documents], the tie of each document, ascending; an untied document is its
    own group
    """
    gain: np.ndarray
    """float64 [documents], 0 where not relevant; documents of a tie may be in any
    order
    """
    lists: int
    """number of lists; some may be empty"""
    depth: int
    """documents below this rank do not count"""

    @cached_property
    def rank(self) -> np.ndarray:
        """Rank in its list, from 1."""
        return place_in_group(self.list)

    @cached_property
    def n(self) -> np.ndarray:
        """Documents in the group."""
        return np.bincount(self.group)[self.group]

    @cached_property
    def i(self) -> np.ndarray:
        """Position in the group, from 1."""
        return place_in_group(self.group)

    @cached_property
    def m(self) -> np.ndarray:
        """Relevant documents in the group."""
        return np.bincount(self.group, self.gain > 0)[self.group]

    @cached_property
    def c(self) -> np.ndarray:
        """Relevant documents above the group."""
        so_far = np.concatenate([[0], np.cumsum(self.gain > 0)])
        line = np.arange(self.list.size) + 1
        return so_far[line - self.i] - so_far[line - self.rank]

    @cached_property
    def counted(self) -> "Counted":
        """The documents down to the depth that may be relevant. No sum depends on
        others.
        """
        kept = np.flatnonzero((self.m > 0) & (self.rank <= self.depth))
        mean = np.bincount(self.group, self.gain)[self.group[kept]] / self.n[kept]
        return Counted(
            self.list[kept],
            self.rank[kept],
            self.n[kept],
            self.i[kept],
            self.m[kept],
            self.c[kept],
            mean,
        )

    def sum(self, value: np.ndarray) -> np.ndarray:
        """Per list, the sum of a value of the documents that count [lists]."""
        return np.bincount(self.counted.list, value, self.lists)

    def precision(self, k: int) -> np.ndarray:
        """Expected P@k of each list [lists], from 0 to 1."""
        of = self.counted
        return self.sum(of.m / of.n * (of.rank <= k)) / k

    def average_precision(self, R: np.ndarray) -> np.ndarray:
        """Expected AP of each list [lists], from 0 to 1; `R` [lists] is the number of
        relevant documents of each.
        """
        # given that this document is relevant, each of the i - 1 documents above it in the group is
        # with (m - 1) / (n - 1)
        of = self.counted
        above = of.c + (of.i - 1) * (of.m - 1) / np.maximum(of.n - 1, 1)
        return self.sum(of.m / of.n * (above + 1) / of.rank) / R

    def reciprocal_rank(self) -> np.ndarray:
        """Expected RR of each list [lists], from 0 to 1."""
        expected, of = np.zeros(self.lists), self.counted
        first = (of.c == 0) & (of.i == 1)
        certain = first & (of.m == of.n)
        expected[of.list[certain]] = 1 / of.rank[certain]
        for start in np.flatnonzero(first & ~certain):
            n, m, rank = int(of.n[start]), int(of.m[start]), int(of.rank[start])
            j = np.arange(n - m + 1)
            # the chance that none of the first j of the group is relevant
            none = np.concatenate([[1.0], np.cumprod((n - m - j[:-1]) / (n - j[:-1]))])
            expected[of.list[start]] = (
                none * m / (n - j) / (rank + j) * (rank + j <= self.depth)
            ).sum()
        return expected

    def ndcg(self, ideal: np.ndarray) -> np.ndarray:
        """Expected nDCG of each list [lists], from 0 to 1, with the discount log2(r +
        1); `ideal` [lists] is the DCG of the ideal list.
        """
        return self.sum(self.counted.mean / np.log2(self.counted.rank + 1)) / ideal
