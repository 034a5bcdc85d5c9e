"""Tables in the layout of a paper: selected cells of a tidy table, with names, digits,
and bold type.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.results import Frame, Result, table_named

IRMEVAL = "irmeval"
"""Head of the column with irmeval's own names, if the paper has others."""


class PrintedColumn(NamedTuple):
    """A column of numbers or words."""

    name: str
    """in the tidy table"""
    head: str = ""
    """in the paper; by default the name"""
    form: str = ".3f"
    """number format, for `format`"""

    @property
    def title(self) -> str:
        """Head of the column."""
        return self.head or self.name


@dataclass(frozen=True)
class TableLayout:
    """How a paper prints one table."""

    label: str
    """its number in the paper: ``Table 6``"""
    caption: str
    table: str
    """name of the tidy table of the exhibit's result"""
    columns: tuple[PrintedColumn, ...]
    """columns next to the names of the rows; with `across`, the one column of the
    cells
    """
    rows: str = "measure"
    """column of the tidy table with the names of the rows"""
    across: str = ""
    """column of the tidy table with the names of the columns"""
    only: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    """the rows, and the columns, in this order; if empty all, as in the tidy table"""
    mirrored: bool = False
    """whether the tidy table has each pair of names once, in either order"""
    where: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """column -> value of the used rows of the tidy table; None for the lowest value"""
    by: str = ""
    """column that sorts the rows, largest first"""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """title of a sub-table -> its rows"""
    apart: str = ""
    """column with a sub-table for each of its values"""
    above: float = np.inf
    """numbers above this are bold"""
    bold: tuple[str, ...] = ()
    """rows in bold"""


class PrintedCell(NamedTuple):
    """A cell: its text, whether it is bold, and a superscript."""

    text: str
    bold: bool = False
    raised: str = ""


class Printed(NamedTuple):
    """A table to be printed: the first `words` columns hold words, the others numbers;
    each part has a title, which may be empty.
    """

    label: str
    caption: str
    words: int
    head: tuple[str, ...]
    parts: tuple[tuple[str, tuple[tuple[PrintedCell, ...], ...]], ...]

    @property
    def lines(self) -> list[tuple[PrintedCell, ...]]:
        """The rows of all parts."""
        return [*chain.from_iterable(lines for _, lines in self.parts)]


def printed(layout: TableLayout, result: Result, names: Mapping[str, str]) -> Printed:
    """Lay out a result; `names` are the paper's own for measures. Rows and columns that
    the tidy table lacks are left out.

    Raises `UnknownName` for a table that the result does not have.
    """
    blocks = {title: block for title, block in _blocks(layout, result, names) if block.rows}
    parts = blocks.values()
    heads = next(iter(parts), NOTHING).heads
    shown = chain.from_iterable(part.rows for part in parts)
    renames = any(names.get(name, name) != name for name, _ in shown)
    # a paper with names of its own gets a column of ours beside them
    first = [FIRST.get(layout.rows, layout.rows), IRMEVAL][: 1 + renames]

    def line(row: tuple[str, list[PrintedCell]]) -> tuple[PrintedCell, ...]:
        name, cells = row
        bold = name in layout.bold
        named = [PrintedCell(names.get(name, name), bold), PrintedCell(name)][: 1 + renames]
        return (*named, *(PrintedCell(cell.text, cell.bold or bold) for cell in cells))

    return Printed(
        layout.label,
        layout.caption,
        len(first),
        (*first, *(names.get(name, name) for name in heads)),
        tuple((title, tuple(map(line, block.rows))) for title, block in blocks.items()),
    )


FIRST = {"measure": "metric", "measure_a": "metric", "measure b": "against"}
"""Heads of the first column, by the column of the tidy table."""


class PrintedPart(NamedTuple):
    """A part of a table."""

    heads: Sequence[str]
    """of the columns"""
    rows: list[tuple[str, list[PrintedCell]]]
    """the name of each row and its cells"""


NOTHING = PrintedPart((), [])


def _blocks(
    layout: TableLayout, result: Result, names: Mapping[str, str]
) -> Iterator[tuple[str, PrintedPart]]:
    """The parts of a table, each with its title."""
    frame = table_named(result, layout.table).make()
    for column, value in layout.where.items():
        wanted = frame[column].min() if value is None else value
        frame = frame[frame[column] == wanted]
    if layout.by:
        frame = frame.sort_values(layout.by, ascending=False, kind="stable")
    lay_out = _crossed if layout.across else _listed
    if layout.apart:
        for value, part in frame.groupby(layout.apart, sort=False):
            yield names.get(str(value), str(value)), lay_out(layout, part, layout.only)
        return
    parts = layout.parts or {"": layout.only}
    for title, only in parts.items():
        yield title, lay_out(layout, frame, only)


def _listed(layout: TableLayout, frame: Frame, only: Sequence[str]) -> PrintedPart:
    """A row of cells for each name, a column of the tidy table beside the other."""
    # of several rows with a name, the first counts
    frame = frame.assign(row=frame[layout.rows].map(str)).drop_duplicates("row")
    columns = [_column(layout, column, frame[column.name]) for column in layout.columns]
    rows = dict(zip(frame["row"], map(list, zip(*columns, strict=True)), strict=True))
    shown = _those_in(rows, only)
    if layout.by:
        shown.sort(key=[*rows].index)
    heads = [column.title for column in layout.columns]
    return PrintedPart(heads, [(name, rows[name]) for name in shown])


def _column(layout: TableLayout, column: PrintedColumn, values: Iterable[Any]) -> list[PrintedCell]:
    return [_cell(value, column.form, layout.above) for value in values]


def _crossed(layout: TableLayout, frame: Frame, only: Sequence[str]) -> PrintedPart:
    """A cell for each pair of names: a column of the tidy table goes down, one across."""
    [column, *_] = layout.columns
    down, across = frame[layout.rows].map(str), frame[layout.across].map(str)
    cells = dict(zip(zip(down, across, strict=True), frame[column.name], strict=True))
    rows, heads = dict.fromkeys(down), dict.fromkeys(across)
    if layout.mirrored:
        rows = heads = dict.fromkeys(chain.from_iterable(cells))
        cells |= {(b, a): value for (a, b), value in cells.items()}
    shown_rows, shown_heads = _those_in(rows, only), _those_in(heads, layout.over)
    is_triangle = layout.mirrored and shown_rows == shown_heads
    if is_triangle:
        shown_rows, shown_heads = shown_rows[:-1], shown_heads[1:]
    made = []
    for i, row in enumerate(shown_rows):
        values = [cells.get((row, head)) for head in shown_heads]
        # each pair is printed once
        if is_triangle:
            values[:i] = [None] * i
        made.append((row, _column(layout, column, values)))
    return PrintedPart(shown_heads, made)


def _those_in(there: Mapping[str, Any], wanted: Sequence[str]) -> list[str]:
    """The wanted names that are there; all of them if none is wanted."""
    return [*filter(there.__contains__, wanted or there)]


WORDS = {True: "yes", False: "no"}
"""Cells of a column of truth values."""


def _cell(value: Any, form: str, above: float) -> PrintedCell:
    if isinstance(value, str):
        return PrintedCell(value)
    if isinstance(value, bool | np.bool_):
        return PrintedCell(WORDS[bool(value)])
    # a pair that is not printed, or a number that is undefined
    if value is None or np.isnan(value):
        return PrintedCell("")
    return PrintedCell(format(value, form), bool(value > above))


def of_taus(
    label: str,
    between: str,
    *,
    only: tuple[str, ...] = (),
    over: tuple[str, ...] = (),
    above: float = np.inf,
    form: str = ".3f",
) -> TableLayout:
    """Kendall's tau between the orders of the runs by measures, each pair once."""
    caption = f"Kendall's tau {between}"
    if above < np.inf:
        caption += f"; bold above {above:g}"
    rows, across = "measure_a", "measure_b"
    return TableLayout(
        label,
        f"{caption}.",
        "list",
        (PrintedColumn("tau_b", form=form),),
        rows,
        across,
        only,
        over,
        mirrored=True,
        above=above,
    )
