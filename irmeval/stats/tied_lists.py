"""Expected scores over all ways to break ties (McSherry & Najork 2008), exactly and without trying them out."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


def place_in_group(group: np.ndarray) -> np.ndarray:
    """The place of each value of ascending ones among those equal to it, from 1 [n].

    Examples
    --------
    >>> import numpy as np
    >>> place_in_group(np.array([2, 2, 5, 7, 7, 7])).tolist()
    [1, 2, 1, 1, 2, 3]
    """
    line = np.arange(group.size)
    first = np.concatenate([[True], group[1:] != group[:-1]])[: group.size]
    return line - np.maximum.accumulate(np.where(first, line, 0)) + 1


@dataclass(frozen=True, eq=False)
class Tied:
    """Ranked lists in which stretches of documents are tied, flat; every order of a stretch is as likely as any other."""

    list: np.ndarray
    """int [documents]. The list and the tie of each document, both ascending; a document without a tie is a group of its own."""
    group: np.ndarray
    gain: np.ndarray
    """float64 [documents]. 0 where not relevant. Which document of a tie stands where does not matter."""
    lists: int
    """int. How many lists there are; some may be empty."""
    depth: int
    """int. What lies below counts for nothing."""

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
        """Place in the group, from 1."""
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

    def sum(self, value: np.ndarray) -> np.ndarray:
        """Per list, the sum of a value over the ranks down to the depth [lists]."""
        return np.bincount(self.list, value * (self.rank <= self.depth), self.lists)

    def precision(self, k: int) -> np.ndarray:
        """Expected P@k of each list [lists], from 0 to 1."""
        return self.sum(self.m / self.n * (self.rank <= k)) / k

    def average_precision(self, R: np.ndarray) -> np.ndarray:
        """Expected AP of each list [lists], from 0 to 1; `R` relevant documents are known for each [lists]."""
        # of the i - 1 documents above in the group, each is relevant with (m - 1) / (n - 1), given that this one is
        above = self.c + (self.i - 1) * (self.m - 1) / np.maximum(self.n - 1, 1)
        return self.sum(self.m / self.n * (above + 1) / self.rank) / R

    def reciprocal_rank(self) -> np.ndarray:
        """Expected RR of each list [lists], from 0 to 1."""
        expected = np.zeros(self.lists)
        first = np.flatnonzero((self.c == 0) & (self.m > 0) & (self.i == 1))
        for start in first:
            n, m, rank = int(self.n[start]), int(self.m[start]), int(self.rank[start])
            j = np.arange(n - m + 1)
            # none relevant among the first j of the group, then one
            none = np.concatenate([[1.0], np.cumprod((n - m - j[:-1]) / (n - j[:-1]))])
            expected[self.list[start]] = (none * m / (n - j) / (rank + j) * (rank + j <= self.depth)).sum()
        return expected

    def ndcg(self, ideal: np.ndarray) -> np.ndarray:
        """Expected nDCG of each list [lists], from 0 to 1, discount log2(r + 1); `ideal` is the ideal list's DCG [lists]."""
        mean = np.bincount(self.group, self.gain)[self.group] / self.n
        return self.sum(mean / np.log2(self.rank + 1)) / ideal
