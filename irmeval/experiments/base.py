"""Experiments: one file each, with its parameters, its run and its result.

All are called alike, ``run(collection, measures, params, *, progress)``: measures as texts or values, each counted once; an instance of the
file's own `Params`; and a function that is told the steps done and the steps in all. Those that need scores alone take a `Matrix` in the
collection's place, and then no measures; `only` names the runs to compare, all where it is empty. A `store` is a mapping that keeps what was
computed for the next call. What an experiment cannot work on is refused with `ParamError`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from irmeval.metrics import Measure
from irmeval.registry import Registry

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

Progress = Callable[[int, int], None]
"""Told how many steps of how many are done; may raise `Cancelled` to stop the work."""


class Chart(NamedTuple):
    """A figure of a result, drawn when it is asked for."""

    title: str
    caption: str
    """what it shows and how to read it, in a sentence"""
    draw: "Callable[[], go.Figure]"
    wide: bool = False
    """whether it needs the whole width of a page"""


class Result(Protocol):
    """What an experiment returns."""

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What was compared, none where a score matrix was."""

    @property
    def params(self) -> Any:
        """With which parameters."""

    def frame(self) -> "pd.DataFrame":
        """The tidy table: one row per observation."""

    def headline(self) -> str:
        """What was found here, in a sentence made from the numbers."""

    def charts(self) -> list[Chart]:
        """The figures, in the order of the story."""

    def tables(self) -> "dict[str, pd.DataFrame]":
        """The tables by title, the first the one to show."""


@dataclass(frozen=True)
class Experiment:
    """An experiment with what a person or a program needs to know of it.

    Attributes
    ----------
    name : as on the command line and in URLs
    title : as above its page
    meaning : what it does, from the docstring of its function
    source : the papers' tables and figures that show it
    params : frozen dataclass of declared parameters
    run : (collection, measures, params, ...) -> Result, or (measures, params) -> Result where it needs no data
    data : whether it works on a collection
    matrix : whether it takes a score matrix in its place
    measured : whether it works with measures
    """

    name: str
    title: str
    meaning: str
    source: str
    params: type
    run: Callable[..., Any]
    data: bool
    matrix: bool
    measured: bool


EXPERIMENTS: Registry[Experiment] = Registry("experiment")


def experiment(
    name: str, *, title: str, source: str, params: type, data: bool = True, matrix: bool = False, measured: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the function that runs an experiment; the first paragraph of its docstring is its meaning."""

    def register(run: Callable[..., Any]) -> Callable[..., Any]:
        meaning = " ".join((run.__doc__ or "").split("\n\n")[0].split())
        EXPERIMENTS.add(name, Experiment(name, title, meaning, source, params, run, data, matrix, measured))
        return run

    return register
