"""Sampling designs of judgments: strata and inclusion probabilities."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.core.places import pick

SATURATED = 1e-12
"""Tolerance: an inclusion probability this close to 1 counts as 1."""


@dataclass(frozen=True, eq=False)
class Design:
    """Sampling design of the judged documents of a pool, without replacement. The
    grades identify the drawn documents.

    Attributes
    ----------
    stratum : int32 [J]
        The stratum of each document of the pool, 0 to S - 1, numbered by topic. A
        stratum belongs to one topic.
    names : tuple of str [S]
        Names of the strata in the file. Strata of different topics may share a name.
    weight : float64 [J], optional
        Within a stratum, documents were drawn in proportion to their weights; without
        weights, with equal probability.
    stated : float64 [J], optional
        Inclusion probabilities that the file states, in (0, 1]. The rest of the pool is
        then unknown.
    """

    stratum: np.ndarray
    names: tuple[str, ...]
    weight: np.ndarray | None = None
    stated: np.ndarray | None = None

    @classmethod
    def plain(cls, topic: np.ndarray, topics: int) -> "Design":
        """One stratum per topic, as infAP assumes for any judgments. `topic` [J] is the
        topic of each judgment.
        """
        return cls(topic.astype(np.int32), ("0",) * topics)

    @cached_property
    def digest(self) -> bytes:
        """Digest of all attributes, 16 bytes."""
        digest = hashlib.blake2b(repr(self.names).encode(), digest_size=16)
        for column in (self.stratum, self.weight, self.stated):
            # absent is not the same as empty
            digest.update(b"-" if column is None else column.tobytes())
        return digest.digest()

    @classmethod
    def named(cls, topic: np.ndarray, names: Sequence[str], code: np.ndarray) -> "Design":
        """Strata by name. `topic` [J] is the topic of each judgment, `code` [J] the
        index of its stratum in `names`. The strata of a topic are in the order of
        `names`.
        """
        # strata of two topics may have one name in a file, and are two strata
        present, number = np.unique(topic.astype(np.int64) * len(names) + code, return_inverse=True)
        return cls(number.astype(np.int32), tuple(names[i % len(names)] for i in present.tolist()))

    def take(self, kept: np.ndarray) -> "Design":
        """Design of some of the judgments (indices, ascending), without strata that
        lose all their judgments.
        """
        present, number = np.unique(self.stratum[kept], return_inverse=True)
        weight, stated = self.weight, self.stated
        if weight is not None:
            weight = weight[kept]
        if stated is not None:
            stated = stated[kept]
        return Design(number.astype(np.int32), tuple(pick(self.names, present)), weight, stated)

    def undrawn(self, grades: np.ndarray) -> np.ndarray:
        """Strata without a drawn document. Estimates count no relevant documents in
        them.
        """
        return np.flatnonzero(self.drawn(grades) == 0)

    @property
    def alike(self) -> bool:
        """Whether all documents of a stratum had the same probability."""
        return self.weight is None and self.stated is None

    @property
    def S(self) -> int:
        """Number of strata over all topics."""
        return len(self.names)

    def topic_of(self, topic: np.ndarray) -> np.ndarray:
        """The topic of each stratum [S], from the topic of each judgment [J]."""
        # any document of a stratum tells its topic: a stratum belongs to one
        found = np.zeros(self.S, np.int64)
        found[self.stratum] = topic
        return found

    def pooled(self) -> np.ndarray:
        """The number of documents of each stratum, drawn or not [S]."""
        return np.bincount(self.stratum, minlength=self.S)

    def drawn(self, grades: np.ndarray) -> np.ndarray:
        """The number of drawn documents of each stratum [S]. A drawn document has a
        grade of 0 or higher.
        """
        return np.bincount(self.stratum[grades >= 0], minlength=self.S)

    def probability(self, grades: np.ndarray) -> np.ndarray:
        """Inclusion probability of each document of the pool under a vector of grades,
        float64 [J]: the stated one; or n / N in its stratum; or proportional to its
        weight, at most 1, with the sum n. It is 0 in a stratum without a drawn
        document.
        """
        # the file's word counts: the rest of the pool, and so N, is unknown
        if self.stated is not None:
            return self.stated
        N, n = self.pooled(), self.drawn(grades)
        if self.weight is None:
            return (n / np.maximum(N, 1))[self.stratum]
        return proportional(self.weight, self.stratum, n.astype(np.float64))


def proportional(weight: np.ndarray, stratum: np.ndarray, n: np.ndarray) -> np.ndarray:
    """Inclusion probabilities proportional to weights, at most 1, with the sum n in
    each stratum (Sarndal, Swensson & Wretman 1992, 3.6.2). If n is at least the number
    of documents, all are 1.

    Parameters
    ----------
    weight : float64 [J], from 0 on
    stratum : int [J], 0 to S - 1
    n : float64 [S], documents that are drawn

    Returns
    -------
    float64 [J]
    """
    certain = (n >= np.bincount(stratum, minlength=n.size))[stratum]
    while True:
        rest = n - np.bincount(stratum[certain], minlength=n.size)
        total = np.bincount(stratum, np.where(certain, 0.0, weight), n.size)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(total > 0, rest / total, 0.0)
        probability = np.where(certain, 1.0, weight * share[stratum])
        # what would be drawn more than once is certain, and the rest shares what is left
        above = ~certain & (probability >= 1 - SATURATED)
        if not above.any():
            return probability
        certain |= above
