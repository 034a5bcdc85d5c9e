"""Judgments as a sample of a pool: the weight of each drawn document."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from irmeval.collection import Collection
from irmeval.reading.design import Design


@dataclass(frozen=True, eq=False)
class WeightedSample:
    """The judgments under a vector of grades, as drawn by the design of the collection.
    Without one, the pool of a topic is one stratum.
    """

    collection: Collection
    grades: np.ndarray
    """int [J]; a grade of 0 or more was drawn"""

    @cached_property
    def design(self) -> Design:
        """Sampling design of the documents."""
        return self.collection.design or Design.plain(
            self.collection.topic, len(self.collection.topics)
        )

    @cached_property
    def pooled(self) -> np.ndarray:
        """N: documents of each stratum [S]."""
        return self.design.pooled()

    @cached_property
    def drawn(self) -> np.ndarray:
        """n: drawn documents of each stratum [S]."""
        return self.design.drawn(self.grades)

    @cached_property
    def probability(self) -> np.ndarray:
        """Inclusion probability of each document of the pool, float64 [J]."""
        return self.design.probability(self.grades)

    @cached_property
    def expansion(self) -> np.ndarray:
        """Number of documents of the pool that each drawn one represents, 1 /
        probability; 0 for others. float64 [J]
        """
        return np.divide(
            1.0,
            self.probability,
            out=np.zeros(self.grades.size),
            where=(self.grades >= 0) & (self.probability > 0),
        )

    @cached_property
    def repeat_expansion(self) -> np.ndarray:
        """Number of pairs that a pair of drawn documents of a stratum represents, N (N
        - 1) / (n (n - 1)) [S]; 0 if n is less than 2.
        """
        N, n = self.pooled.astype(float), self.drawn.astype(float)
        return np.divide(N * (N - 1), n * (n - 1), out=np.zeros(N.size), where=n > 1)

    @cached_property
    def topic_of(self) -> np.ndarray:
        """The topic of each stratum [S]."""
        return self.design.topic_of(self.collection.topic)

    @cached_property
    def place(self) -> np.ndarray:
        """Index of each document's stratum within its topic, from 0 [J]."""
        first = np.searchsorted(self.topic_of, np.arange(len(self.collection.topics)))
        return (self.design.stratum - first[self.collection.topic]).astype(np.int32)

    @cached_property
    def places(self) -> int:
        """The largest number of strata in a topic."""
        return int(self.place.max(initial=0)) + 1
