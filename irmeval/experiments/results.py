"""Results of experiments: charts, tables, and how a notebook shows them."""

from collections.abc import Callable, Iterable
from collections.abc import Collection as Names
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar, dataclass_transform

from irmeval.core.errors import ParamError
from irmeval.core.registry import check_known
from irmeval.experiments.recipe import Recipe
from irmeval.metrics import Measure
from irmeval.plots.svg import pictures

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure as Figure

    Frame: TypeAlias = DataFrame
else:  # loaded only to make a table or draw a figure
    Frame = Figure = Any

T = TypeVar("T")
ROWS = 10
"""Most rows of a table in a notebook."""
LARGEST = 300_000
"""Most characters of a picture in a notebook; one of all pairs of hundreds of runs would fill its file."""


class Chart(NamedTuple):
    """A figure of a result, drawn when it is asked for."""

    name: str
    title: str
    caption: str
    """what it shows and how to read it"""
    draw: Callable[[], Figure]
    wide: bool = False
    """whether it needs the whole width of a page"""
    usual: str = ""
    """the part of the caption, on colours and names, that is wrong where runs are picked out in colours of their own"""


class Table(NamedTuple):
    """A table of a result, made when it is asked for."""

    name: str
    title: str
    make: Callable[[], Frame]


N = TypeVar("N", Chart, Table)


def named(items: Iterable[N], names: Names[str]) -> list[N]:
    """The charts or tables with these names, or all if there are no names."""
    return [item for item in items if not names or item.name in names]


def table_named(result: Any, name: str) -> Table:
    """The table of a result, or of anything with `tables`, by its name; raises `UnknownName` with the nearest where there is none."""
    return _one_named(result.tables(), name, "table")


def _one_named(items: Iterable[N], name: str, kind: str) -> N:
    """The chart or table with this name; raises `UnknownName` with the nearest where there is none."""
    found = {item.name: item for item in items}
    check_known(name, found, f"unknown {kind}")
    return found[name]


class Result(Protocol):
    """The result of an experiment. In a notebook it shows its headline, its first table and its charts.

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> result = EXPERIMENTS["top-heaviness"](measures=["AP", "RBP(p=0.8)"])
    >>> result.headline()
    'With 10 relevant documents, the value of one halves at rank 2 by AP; ...'
    >>> list(result.frame())
    ['measure', 'R', 'rank', 'score', 'share']
    >>> [table.name for table in result.tables()], [chart.name for chart in result.charts()]
    (['ranks', 'scores'], ['R-10', 'R-100'])
    >>> len(result.to_frame("ranks")), len(result.plot("R-10").data)
    (40, 2)
    """

    made_by: Recipe | None

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures; () for a score matrix."""

    @property
    def params(self) -> Any:
        """The parameters."""

    def headline(self) -> str:
        """The finding, in a sentence made from the numbers."""

    def frame(self) -> Frame:
        """The tidy table: one row per observation."""

    def tables(self) -> list[Table]:
        """The tables, the main one first."""

    def charts(self) -> list[Chart]:
        """The figures, in the order of the story."""

    def to_frame(self, table: str = "") -> Frame:
        """The tidy table, or one of the tables by its name. Raises `UnknownName`."""
        return table_named(self, table).make() if table else self.frame()

    def plot(self, chart: str = "") -> Figure:
        """The first figure, or one by its name. Raises `UnknownName`, and `ParamError` without figures."""
        if not (charts := self.charts()):
            raise ParamError("plot: this result has no figure, only tables.")
        return _one_named(charts, chart or charts[0].name, "figure").draw()

    def recipe(self) -> Recipe:
        """How it was made: as a command, a script, and for a manifest. Raises `ParamError` where no experiment made it."""
        if self.made_by is None:
            raise ParamError("recipe: no experiment made this result.")
        return self.made_by

    def __repr__(self) -> str:
        return f"{self.made_by.experiment if self.made_by else type(self).__name__}: {self.headline()}"

    def _repr_html_(self) -> str:
        frame = self.tables()[0].make()
        rest = f"<p>{len(frame) - ROWS:,} more rows</p>" if len(frame) > ROWS else ""
        drawn = pictures({chart.caption: chart.draw() for chart in self.charts()}).items()
        charts = "".join(
            f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>" for caption, picture in drawn if len(picture) <= LARGEST
        )
        return f"<p>{escape(self.headline())}</p>{frame.head(ROWS).to_html(index=False, border=0)}{rest}{charts}"


def with_recipe(result: T, recipe: Recipe | None) -> T:
    """The same result, with its recipe."""
    object.__setattr__(result, "made_by", recipe)
    return result


@dataclass_transform(frozen_default=True, eq_default=False)
def result(record: type[T]) -> type[T]:
    """Decorate a class as a frozen dataclass with the methods that every `Result` has: recipe, tables, figures, display in a notebook."""
    for method in (Result.to_frame, Result.plot, Result.recipe, Result.__repr__, Result._repr_html_):
        setattr(record, method.__name__, method)
    record.__annotations__["made_by"] = Recipe | None
    record.made_by = field(default=None, kw_only=True)  # type: ignore[attr-defined]
    return dataclass(frozen=True, eq=False, repr=False)(record)
