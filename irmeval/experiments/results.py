"""Results of experiments: charts, tables, and their display in notebooks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, dataclass_transform

import numpy as np

from irmeval.core.errors import MissingPackage, ParamError
from irmeval.core.lazy import pd
from irmeval.core.registry import check_known
from irmeval.core.text import list_few
from irmeval.experiments.facts import Fact, Verdict
from irmeval.experiments.recipe import Recipe
from irmeval.metrics import Measure
from irmeval.plots.projected import with_lines
from irmeval.plots.svg import pictures
from irmeval.stats.crossings import describe_crossing

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure as Figure

    Frame: TypeAlias = DataFrame
else:  # loaded only to make a table or draw a figure
    Frame = Figure = Any

T = TypeVar("T")
ROWS = 10
"""Maximum number of rows of a table in a notebook."""
LARGEST = 300_000
"""Maximum characters of a picture in a notebook; one of all pairs of hundreds of runs
would fill its file.
"""


class Chart(NamedTuple):
    """A figure of a result, drawn on demand."""

    name: str
    title: str
    caption: str
    """contents and how to read it"""
    draw: Callable[[], Figure]
    wide: bool = False
    """whether it needs the whole width of a page"""
    beside: bool = False
    """whether it is the first of a result and read together with the second"""
    usual: str = ""
    """caption part dropped when runs have custom colours"""

    def picture(self, lines: Mapping[str, str]) -> str:
        """The figure as SVG, with only the `lines` of these names, if there are any,
        under the labels given; empty if it has no SVG.
        """
        return "".join(pictures({self.name: with_lines(self.draw(), lines).to_dict()}).values())


class Table(NamedTuple):
    """A table of a result, computed on demand."""

    name: str
    title: str
    make: Callable[[], Frame]
    note: str = ""
    """a sentence that stands below the table wherever it is printed"""

    def noted(self, note: str) -> str:
        """Its note and another."""
        return " ".join(filter(None, [self.note, note]))


def table_of_crossings(
    level: str,
    column: str,
    axes: Mapping[str, Sequence[Any]],
    at: np.ndarray,
    end: str,
    digits: int = 1,
) -> Table:
    """Where each curve crosses a level; `end` tells how far one was followed that does
    not: ``not down to 10``.
    """
    return Table(
        "crossings",
        level,
        lambda: tidy(axes, {column: np.vectorize(describe_crossing)(at, end, digits)}),
    )


class NextStep(NamedTuple):
    """A question that follows from a result, and the page that answers it."""

    question: str
    """short, such as ``Which runs differ?``"""
    page: str
    """URL path of a page of the dashboard"""
    settings: Mapping[str, str | Sequence[str]] = {}
    """values of settings of that page"""


class Choice(NamedTuple):
    """What a result can be shown for, one at a time."""

    label: str
    """of the list, such as ``measure``"""
    options: tuple[str, ...]
    help: str
    default: str = ""
    """the option at first; empty for the first one"""


def of_measure(
    names: Iterable[object], help: str = "The measure of the first chart."
) -> Choice | None:
    """Choice of a measure; None if there are none."""
    options = tuple(map(str, names))
    if not options:
        return None
    return Choice("measure", options, help)


N = TypeVar("N", Chart, Table)


def pick_named(items: Iterable[N], names: Names[str]) -> list[N]:
    """The charts or tables with these names, or all if there are no names."""
    return [item for item in items if not names or item.name in names]


def table_named(result: Any, name: str) -> Table:
    """Table of a result, or of anything with `tables`, by its name; raises
    `UnknownName` with the nearest names.
    """
    return _one_named(result.tables(), name, "table")


def _one_named(items: Iterable[N], name: str, kind: str) -> N:
    """Chart or table with this name; raises `UnknownName` with the nearest names."""
    found = {item.name: item for item in items}
    check_known(name, found, f"this result has no {kind}")
    return found[name]


@dataclass_transform(frozen_default=True, eq_default=False)
@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The result of an experiment; its subclasses are frozen dataclasses. In a notebook
    it shows its verdict, its first table and its charts.

    A subclass has `measures` and `params`, `frame` and `tables`, and either `verdict`
    or `headline`. If it can be shown for one of several things, such as a measure, it
    has `choice`, and what depends on that takes one of its options; empty is the usual
    one.

    Examples
    --------
    >>> from irmeval.experiments import EXPERIMENTS
    >>> result = EXPERIMENTS["top-heaviness"](measures=["AP", "RBP(p=0.8)"])
    >>> result.headline()
    'AP halves the worth of rank 1 at rank 2, RBP(p=0.8) at rank 5. With 10 ...'
    >>> list(result.frame())
    ['measure', 'R', 'rank', 'score', 'share']
    >>> [table.name for table in result.tables()], [chart.name for chart in result.charts()]
    (['ranks', 'scores'], ['R-10', 'R-100'])
    >>> len(result.to_frame("ranks")), len(result.plot("R-10").data)
    (40, 2)
    """

    made_by: Recipe | None = field(default=None, kw_only=True)
    note: str = field(default="", kw_only=True)
    """notes on the runs for readers of its tables: sentences, or nothing"""

    if TYPE_CHECKING:  # fields or properties of subclasses

        @property
        def measures(self) -> tuple[Measure, ...]:
            """The measures; () for a score matrix."""

        @property
        def params(self) -> Any:
            """The parameters."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False, repr=False)(cls)

    def facts(self, choice: str = "") -> list[Fact]:
        """The numbers that it states; none by default."""
        return []

    def verdict(self, choice: str = "") -> Verdict:
        """The answer to the question of its page, made from its facts."""
        return Verdict(self.headline(choice))

    def headline(self, choice: str = "") -> str:
        """The verdict as a text, for commands, reports and exports."""
        return self.verdict(choice).text

    @property
    def looked_at(self) -> str:
        """The column of its first table on which two results are compared; by default
        that of the choice, or else the first with numbers.
        """
        return ""

    def choice(self) -> Choice | None:
        """What it can be shown for; None by default."""
        return None

    def frame(self) -> Frame:
        """The tidy table: one row per observation."""
        raise NotImplementedError

    def tables(self) -> list[Table]:
        """The tables, the main one first."""
        raise NotImplementedError

    def charts(self, choice: str = "") -> list[Chart]:
        """The figures, in the order of the story; none by default."""
        return []

    def next_steps(self) -> list[NextStep]:
        """Questions that follow, most relevant first; none by default."""
        return []

    def to_frame(self, table: str = "") -> Frame:
        """The tidy table, or one of the tables by its name. Raises `UnknownName`."""
        if not table:
            return self.frame()
        return table_named(self, table).make()

    def plot(self, chart: str = "", choice: str = "") -> Figure:
        """The first figure, or one by its name, for one option of `choice`. Raises
        `UnknownName`, `ParamError` without figures, and `MissingPackage` without
        Plotly.
        """
        if choice:
            self._check_choice(choice)
        if not (charts := self.charts(choice)):
            raise ParamError("plot: this result has no figure, only tables.")
        return _one_named(charts, chart or charts[0].name, "figure").draw()

    def _check_choice(self, choice: str) -> None:
        """Raise `ParamError` if there is nothing to choose, and `UnknownName` with the
        nearest options.
        """
        offered = self.choice()
        if offered is None:
            raise ParamError("plot: this result has no choice. Leave it out.")
        check_known(choice, offered.options, f"unknown {offered.label}")

    def recipe(self) -> Recipe:
        """Recipe: command, script and manifest entry. Raises `ParamError` for a result
        without an experiment.
        """
        if self.made_by is None:
            raise ParamError("recipe: no experiment made this result.")
        return self.made_by

    def __repr__(self) -> str:
        name = self.made_by.experiment if self.made_by else type(self).__name__
        return f"{name}: {self.headline()}"

    def _repr_html_(self) -> str:
        frame = self.tables()[0].make()
        rest = f"<p>{len(frame) - ROWS:,} more rows</p>" if len(frame) > ROWS else ""
        return (
            f"<p>{escape(self.headline())}</p>"
            f"{frame.head(ROWS).to_html(index=False, border=0)}{rest}{self._other_choices()}"
            f"{_draw_all(self.charts())}"
        )

    def _other_choices(self) -> str:
        """What the charts are for, and how to draw them for something else, as HTML; empty
        if there is nothing to choose.
        """
        offered = self.choice()
        if offered is None or len(offered.options) < 2:
            return ""
        shown = offered.default or offered.options[0]
        others = [option for option in offered.options if option != shown]
        said = f"{offered.label}: {shown}. Draw another by plot(choice=...): {list_few(others)}."
        return f"<p>{escape(said[0].upper() + said[1:])}</p>"


def _draw_all(charts: Sequence[Chart]) -> str:
    """Charts as HTML, with their captions; without Plotly, how to install it."""
    try:
        drawn = pictures({chart.caption: chart.draw() for chart in charts}).items()
    except MissingPackage as error:
        return f"<p>No charts: {escape(str(error))}</p>"
    return "".join(
        f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"
        for caption, picture in drawn
        if len(picture) <= LARGEST
    )


def with_recipe(result: T, recipe: Recipe | None, note: str = "") -> T:
    """The same result with its recipe and its note."""
    made: T = replace(result, made_by=recipe, note=note)  # type: ignore[type-var]
    return made


def _plain(frame: Frame) -> Frame:
    """A frame with measures as plain texts; pandas before 3 keeps their type
    otherwise.
    """
    from pandas.api.types import is_object_dtype

    for name, kind in zip(frame.columns, frame.dtypes, strict=True):
        if is_object_dtype(kind):
            frame[name] = frame[name].map(_plain_value)
    if any(isinstance(name, Measure) for name in frame.columns):
        return frame.set_axis([*map(_plain_value, frame.columns)], axis=1)
    return frame


def _plain_value(value: Any) -> Any:
    """A measure as its text; anything else as it is."""
    if isinstance(value, Measure):
        return str(value)
    return value


def tidy(
    axes: Mapping[str, Sequence[Any] | np.ndarray],
    columns: Mapping[Any, np.ndarray],
    *,
    descending: np.ndarray | None = None,
) -> Frame:
    """One row per observation: the names along the axes, the first axis changing
    slowest, beside the values.

    Parameters
    ----------
    axes : name -> labels along it
    columns : name -> values [axis, ...], or an array that broadcasts to that shape
    descending : values [first axis, second axis] that order the rows of each label on
        the first axis, highest first
    """
    shape = tuple(map(len, axes.values()))
    along = {
        name: pd.Index(names).take(at.ravel())
        for (name, names), at in zip(axes.items(), np.indices(shape), strict=True)
    }
    frame = _plain(
        pd.DataFrame(
            along
            | {name: np.broadcast_to(values, shape).ravel() for name, values in columns.items()}
        )
    )
    if descending is None:
        return frame
    order = (
        np.argsort(-descending, axis=1, kind="stable")
        + np.arange(len(descending))[:, None] * descending.shape[1]
    )
    return frame.iloc[order.ravel()].reset_index(drop=True)


def rowwise(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Frame:
    """A table from the names of its columns and its rows."""
    return _plain(pd.DataFrame(list(rows), columns=list(names)))


def name_pairs(runs: Sequence[str]) -> np.ndarray:
    """First and second run of every pair [2, pair], in the order of
    ``np.triu_indices(runs, 1)``.
    """
    return np.array(runs, dtype=object)[np.array(np.triu_indices(len(runs), 1))]


def tidy_pairs(
    measures: Sequence[Any], runs: Sequence[str], columns: Mapping[str, np.ndarray]
) -> Frame:
    """One row per measure and pair of runs: measure, ``run_a``, ``run_b``, in the order
    of `name_pairs`, beside the values [measure, pair].
    """
    a, b = name_pairs(runs)
    return tidy(
        {"measure": measures, "pair": range(a.size)}, {"run_a": a, "run_b": b, **columns}
    ).drop(columns="pair")


def of_pairs(runs: Sequence[str], columns: Mapping[str, np.ndarray], **order: Any) -> Frame:
    """One row per pair of runs, ``run a`` and ``run b``, in the order of `name_pairs`,
    beside the values [pair]; `order` as for `table`.
    """
    a, b = name_pairs(runs)
    return table({"run a": a, "run b": b, **columns}, **order)


def table(
    columns: Mapping[Any, Any] | Sequence[Mapping[str, Any]],
    *,
    by: str = "",
    descending: bool = False,
) -> Frame:
    """A table from columns or from rows. If it is sorted by a column, equal rows keep
    their order.
    """
    frame = _plain(pd.DataFrame(columns))
    if not by:
        return frame
    return frame.sort_values(by, ascending=not descending, kind="stable", ignore_index=True)
