"""Axes: the record of what is taken away, their registry, and the draws of a trial."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.team_names import teams_of
from irmeval.core.params import Field, Param, checked, fields
from irmeval.core.registry import Registry
from irmeval.experiments.sweep import Drawn
from irmeval.experiments.trials import Realised
from irmeval.reductions.base import random_generator

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


@checked
class Nothing:
    """Parameters of an axis, or of a statistic, that has none."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One random trial on a collection."""

    collection: Collection
    seed: int
    number: int
    """from 1"""
    team: Mapping[str, str] = field(default_factory=dict)
    """run -> team, for runs whose team does not follow from a rule"""
    made: dict[Any, Any] = field(default_factory=dict)
    """what `once` made"""

    def generator(self) -> np.random.Generator:
        """Random numbers from the start of the trial's stream. Every axis starts it
        anew, so that what one draws does not depend on the others.
        """
        return random_generator(self.seed, self.number)

    def teams(self, rule: str) -> list[str]:
        """The team of each run."""
        return teams_of(self.collection.runs, rule, self.team)

    def once(self, make: "Callable[[Trial], T]") -> T:
        """What a function makes of the trial; made once, for all lines."""
        if make not in self.made:
            self.made[make] = make(self)
        found: T = self.made[make]
        return found


Draws = Callable[[Trial, Sequence[Any], Any], Sequence[Drawn]]
"""Draws some levels of a trial, under the axis' own parameters."""


def at_most(levels: Sequence[int], most: int) -> tuple[int, ...]:
    """Numbers of things, highest first; a higher number than there are means all."""
    return tuple(sorted({min(n, most) for n in levels}, reverse=True))


@dataclass(frozen=True, eq=False)
class Axis:
    """What is taken away, step by step."""

    name: str
    meaning: str
    """from the docstring of `draw`"""
    draw: Draws
    words: str
    """the subject of *disappear*, in the question"""
    levels: Field
    """its levels: label, default, range and order"""
    write: Callable[[Any], str]
    """text of a level: ``depth 10``"""
    on: str
    """beginning of a sentence at a level: ``On a pool of {}``"""
    everything: str
    """what samples are compared with, within a sentence: ``all judgments``"""
    at: Callable[[float], str]
    """text of where a curve falls to a value, within a sentence: ``at depth 7``"""
    xtitle: str
    """title of the axis in charts"""
    line: str = "{}"
    """name of a line at a level: ``{} judged``"""
    trials: int = 10
    """default number of trials"""
    params: type = Nothing
    """record of its own parameters"""
    whole: float | None = None
    """the level at which nothing is taken away, if there is one"""
    suffix: str = ""
    """text after a level in charts"""
    even: bool = False
    """whether levels are drawn at even distances"""
    removes: bool = True
    """whether judgments are removed, so that their share that is left is reported"""
    shares: bool = False
    """whether a level is itself a share of the judgments, in per cent"""
    random: Callable[[Any], bool] = lambda own: True
    """whether trials differ, by its own parameters"""
    prepare: Callable[[Collection, Any], Collection] = lambda collection, own: collection
    """the collection with what estimators need to know of the draws"""
    fit: Callable[[Trial, Sequence[Any], Any], tuple[Any, ...]] = lambda trial, levels, own: tuple(
        levels
    )
    """the levels that there can be on a collection"""
    note: Callable[[Collection, Sequence[Any]], str] = lambda collection, levels: ""
    """a sentence of a caption on the levels; else empty"""
    realise: Callable[[Any, Sequence[Any], np.ndarray], list[Realised]] = lambda *_: []
    """shares asked for and left [level, trial], if levels are shares"""

    @property
    def own(self) -> dict[str, Field]:
        """Its own parameters by name."""
        return fields(self.params)


AXES: Registry[Axis] = Registry("axis")
"""Axes by name."""
OF_CURVES = frozenset(
    ("of", "by", "watch", "levels", "trials", "seed", "test", "samples", "alpha", "pairs")
)
"""Parameters of *Curves* itself."""


def refuse_taken(name: str, params: type, *registries: Mapping[str, Any]) -> None:
    """Raise `ValueError` if the own parameters of a new axis or statistic have a name
    that *Curves*, or another one in the registries, has as well.
    """
    # a cell of a notebook that is run again replaces the one with its name
    others = [one for records in registries for one in records.values() if one.name != name]
    taken = OF_CURVES.union(*(one.own for one in others))
    for own in fields(params).keys() & taken:
        raise ValueError(f"the parameter {own!r} is taken")


def axis(name: str, *, params: type = Nothing, **record: Any) -> Callable[[F], F]:
    """Register a function as an axis. Its docstring is the description; `record` are
    other fields of `Axis`.
    """
    refuse_taken(name, params, AXES)
    register: Callable[[F], F] = AXES.decorator(
        name, lambda draw, meaning: Axis(name, meaning, draw, params=params, **record)
    )
    return register


def levels_of(kind: type, default: tuple[Any, ...], label: str, help: str, **more: Any) -> Field:
    """Declare the levels of an axis: the type of one, the usual ones, and the other
    arguments of `irmeval.core.params.Param`.
    """
    return Field("levels", kind, default, Param(label, help, **more), is_list=True)
