"""Scores that pairs of runs can be compared on: of a collection or a score matrix, on the topics that every run has a score for."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from irmeval.collection import Collection
from irmeval.errors import ParamError
from irmeval.experiments.significance import find_runs
from irmeval.metrics import Measure, distinct
from irmeval.params import Param
from irmeval.reading.matrix import Matrix
from irmeval.scores import evaluate

Size = Annotated[
    int | None, Param("topics per set", "Topics in a random set; empty: half of all topics, as in the papers.", low=1, empty="half")
]
Sets = Annotated[int, Param("topic sets", "Random sets of topics, 1000 in the papers; the same for all measures.", low=1, high=100_000)]
Seed = Annotated[int, Param("seed", "Same seed, same topic sets.", low=0, high=2**31 - 1)]


class Scored(NamedTuple):
    """Scores with the names along their axes."""

    values: np.ndarray
    """float64 [measure, run, topic], all finite"""
    names: tuple[str, ...]
    """of the measures; of a score matrix, its own"""
    measures: tuple[Measure, ...]
    """() for a score matrix"""
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    dropped: int
    """topics left out, because some run has no score there by some measure"""

    @property
    def pairs(self) -> int:
        """Pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    def pair_names(self) -> tuple[np.ndarray, np.ndarray]:
        """Names of both runs of every pair, in the order of ``np.triu_indices(runs, 1)``."""
        a, b = np.triu_indices(len(self.runs), 1)
        names = np.array(self.runs, dtype=object)
        return names[a], names[b]

    def left_out(self) -> str:
        """A sentence on topics that were left out, if any."""
        return f" Topics left out, for want of a score for every run by every measure: {self.dropped}." if self.dropped else ""


def scored(source: Collection | Matrix, measures: Sequence[str | Measure], only: Sequence[str] = ()) -> Scored:
    """Scores of all runs, or of those named, on the topics with a score for each of them by every measure.

    Raises
    ------
    ParamError
        Where fewer than two runs or two such topics are left.
    UnknownName
        A run that is not there.
    """
    chosen = () if isinstance(source, Matrix) else distinct(measures)
    names = (source.name,) if isinstance(source, Matrix) else tuple(map(str, chosen))
    values = source.values[None] if isinstance(source, Matrix) else evaluate(source, chosen).values
    where = find_runs(source.runs, only)
    values = values[:, where]
    kept = np.isfinite(values).all(axis=(0, 1))
    if len(where) < 2 or kept.sum() < 2:
        raise ParamError(
            f"expected at least 2 runs and 2 topics with a score for every run by every measure, came {len(where)} and {kept.sum()}."
        )
    topics = tuple(t for t, k in zip(source.topics, kept, strict=True) if k)
    return Scored(values[..., kept], names, chosen, tuple(source.runs[i] for i in where), topics, int((~kept).sum()))
