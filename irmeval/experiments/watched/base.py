"""Statistics: the record of what is watched, their registry, and what is read off a
sample for them.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.core.params import Field, fields
from irmeval.core.registry import Registry
from irmeval.experiments.axes.base import AXES, Nothing, refuse_taken
from irmeval.experiments.needs import ANY, Needs
from irmeval.experiments.results import Table
from irmeval.experiments.sweep import Drawn, Sample

F = TypeVar("F", bound=Callable[..., Any])
COUNTS = 0.9
"""Value from which a share or a correlation commonly counts as high."""
Read = Mapping[str, np.ndarray]
"""What was read off samples, by name: arrays whose last axes are those of a reading,
after any others.
"""


class Reading(NamedTuple):
    """What is read off a sample and kept."""

    name: str
    read: Callable[[Any, Any], Any]
    """(`Sample`, the parameters of the job) -> a value; for one of no measure,
    (`OnGrades`, the parameters)
    """
    depends_on: tuple[str, ...] = ()
    """names of parameters"""
    measured: bool = True
    """whether it differs by measure"""

    def key(self, params: Any) -> Hashable:
        """Its name in the cache."""
        return self.name, *(getattr(params, name) for name in self.depends_on)


class OnGrades(NamedTuple):
    """What is left, beside everything."""

    collection: Collection
    drawn: Drawn

    def counts(self, least: int) -> tuple[int, int]:
        """Number of judgments of this grade or a higher one: left, and in all."""
        kept = self.drawn.grades >= least
        if self.drawn.topics is not None:
            kept = kept & self.drawn.topics[self.collection.topic]
        return int(kept.sum()), int((self.collection.grade >= least).sum())


def _pairs_apart(sample: Sample, params: Any) -> np.ndarray:
    return np.asarray(params.differ(sample.values, params.picked(len(sample.values))))


MEANS = Reading("means", lambda sample, params: sample.means)
"""Mean of each run, float64 [run]."""
APART = Reading("apart", _pairs_apart, ("test", "samples", "alpha", "pairs"))
"""Which pairs differ significantly alone, bool [pair]."""


def _most_in_common(sample: Sample, params: Any) -> int:
    runs = len(sample.values)
    known = np.isfinite(sample.values).astype(int)
    of_pairs = (known @ known.T)[np.triu_indices(runs, 1)]
    picked = params.picked(runs)
    return int((of_pairs if picked is None else of_pairs[picked]).max(initial=0))


SCORED = Reading("topics", lambda sample, params: int((~np.isnan(sample.values).any(axis=0)).sum()))
"""Number of topics with a score for every run."""
COMMON = Reading("common", _most_in_common, ("pairs",))
"""Highest number of topics with a score for both runs of a tested pair."""
LEAST = 2
"""Minimum number of topics of a test."""


def known_if_tested(values: np.ndarray, here: Read) -> np.ndarray:
    """Values of samples, with NaN where no pair is tested. `values` has the axes of the
    readings of `here`, and perhaps more.
    """
    tested = here["common"] >= LEAST
    if tested.all():
        return values
    more = values.ndim - tested.ndim
    return np.where(tested.reshape(*tested.shape, *[1] * more), values, np.nan)


class Curve(NamedTuple):
    """A chart of a statistic: one of its columns against the levels."""

    column: str
    name: str
    """name of the chart"""
    title: str
    caption: str
    ytitle: str = ""
    """by default the title in lower case"""
    top: float | None = None
    """its highest value, if it has one"""
    level: float | None = None
    """the value that counts, where the chart has a line"""
    order: bool = False
    """whether the order of the lines matters, so that the axis need not begin at 0"""


def no_tables(result: Any) -> Sequence[Table]:
    """The tables of a statistic without any."""
    return ()


@dataclass(frozen=True, eq=False)
class Statistic:
    """What is watched on each sample, compared with everything."""

    name: str
    meaning: str
    """from the docstring of `compute`: what 1 and 0 mean"""
    compute: Callable[[Read, Read, Any], Mapping[str, Any]]
    """(read off everything, read off samples, the parameters of the job) -> columns"""
    words: str
    """the object of *What happens to*, in the question"""
    reads: tuple[Reading, ...]
    curves: Callable[[Any], Sequence[Curve]]
    """its charts, of a result of *Curves*"""
    says: Callable[[Any], str]
    """a clause on the last level of a result of *Curves*; empty if there is nothing to
    say
    """
    params: type = Nothing
    """record of its own parameters"""
    measured: bool = True
    """whether it differs by measure"""
    tested: bool = False
    """whether it rests on tests of pairs of runs"""
    needs: Needs = ANY
    reference: Callable[[Collection, Any, str | None], Mapping[str, np.ndarray]] = (
        lambda collection, params, gains: {}
    )
    """what replaces that read off everything, such as the means by a gold measure"""
    tables: Callable[[Any], Sequence[Table]] = no_tables
    """tables of a result of *Curves*, beside those of all statistics"""
    named: tuple[str, ...] = ()
    """names of these tables; empty if they are not known before"""
    along: bool = False
    """whether other statistics may be drawn against it"""

    @property
    def own(self) -> dict[str, Field]:
        """Its own parameters by name."""
        return fields(self.params)


STATISTICS: Registry[Statistic] = Registry("statistic")
"""Statistics by name."""


def statistic(name: str, *, params: type = Nothing, **record: Any) -> Callable[[F], F]:
    """Register a function as a statistic. Its docstring is the description; `record`
    are other fields of `Statistic`.
    """
    refuse_taken(name, params, AXES, STATISTICS)
    _refuse_readings(name, record["reads"])
    register: Callable[[F], F] = STATISTICS.decorator(
        name, lambda compute, meaning: Statistic(name, meaning, compute, params=params, **record)
    )
    return register


def _refuse_readings(name: str, reads: Sequence[Reading]) -> None:
    """Raise `ValueError` if another statistic reads something else under the same name,
    which is the key of what is kept.
    """
    others = [one.reads for one in STATISTICS.values() if one.name != name]
    elsewhere = {*chain.from_iterable(others)} - {*reads}
    taken = {*map(attrgetter("name"), elsewhere)} & {*map(attrgetter("name"), reads)}
    if taken:
        raise ValueError(f"the reading {min(taken)!r} is taken")
