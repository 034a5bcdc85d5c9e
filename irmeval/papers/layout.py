"""A table as a paper prints it: which cells of a tidy table stand where, under which names, with how many digits, which of them bold."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.results import Frame, Result, table_named

UNREAD = "Its columns or axes could not be read; it shows what the paper's text says of it."
"""In what a table or figure differs that is illegible in the copy of the paper that was at hand."""
IRMEVAL = "irmeval"
"""What stands above irmeval's own names, where the paper has others."""


class Column(NamedTuple):
    """A column of numbers or words."""

    name: str
    """in the tidy table"""
    head: str = ""
    """what the paper has above it, by default its name"""
    form: str = ".3f"
    """of its numbers, as `format` takes it"""


@dataclass(frozen=True)
class Layout:
    """How a paper prints one table.

    Attributes
    ----------
    label : as the paper counts it: ``Table 6``
    caption : what it shows
    table : the tidy table of the exhibit's result that it is made of, by name
    columns : what stands beside each row; where `across` is given, the one that fills the cells
    rows : the column of the tidy table that names the rows
    across : the column of the tidy table that names the columns
    only, over : the rows, and the columns, that there are, in this order; all, as in the tidy table, where empty
    mirrored : of two things each pair is in the tidy table once, in either order
    where : column -> value of the rows of the tidy table that it is made of; None stands for the least
    by : the column that sorts the rows, largest first
    parts : sub-tables by their rows: title -> rows
    apart : sub-tables, one for each value of this column
    above : numbers above this are bold
    bold : rows that are bold
    """

    label: str
    caption: str
    table: str
    columns: tuple[Column, ...]
    rows: str = "measure"
    across: str = ""
    only: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    mirrored: bool = False
    where: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    by: str = ""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    apart: str = ""
    above: float | None = None
    bold: tuple[str, ...] = ()


class Cell(NamedTuple):
    """A cell: its text, whether it is bold, and what is raised beside it."""

    text: str
    bold: bool = False
    raised: str = ""


class Printed(NamedTuple):
    """A table to be printed: the first `words` columns hold words, the others numbers; each part has a title, which may be empty."""

    label: str
    caption: str
    words: int
    head: tuple[str, ...]
    parts: tuple[tuple[str, tuple[tuple[Cell, ...], ...]], ...]


def printed(layout: Layout, result: Result, names: Mapping[str, str]) -> Printed:
    """A result in a layout; `names` are the paper's own for measures. What the tidy table lacks is left out.

    Raises `UnknownName` for a table that the result does not have.
    """
    frame = table_named(result, layout.table).make()
    for column, value in layout.where.items():
        frame = frame[frame[column] == (frame[column].min() if value is None else value)]
    if layout.by:
        frame = frame.sort_values(layout.by, ascending=False, kind="stable")
    if layout.apart:
        frames = {names.get(str(value), str(value)): part for value, part in frame.groupby(layout.apart, sort=False)}
        blocks = {title: _block(layout, part, layout.only) for title, part in frames.items()}
    else:
        blocks = {title: _block(layout, frame, only) for title, only in (layout.parts or {"": layout.only}).items()}
    heads = next(iter(blocks.values()))[0] if blocks else ()
    own = any(name in names and names[name] != name for _, rows in blocks.values() for name, _ in rows)
    first = {"measure": "metric", "measure_a": "metric", "measure b": "against"}.get(layout.rows, layout.rows)
    head = (first, *([IRMEVAL] if own else []), *(names.get(name, name) for name in heads))
    parts = []
    for title, (_, rows) in blocks.items():
        lines = []
        for name, cells in rows:
            bold = name in layout.bold
            lines.append(
                (Cell(names.get(name, name), bold), *([Cell(name)] if own else []), *(Cell(c.text, c.bold or bold) for c in cells))
            )
        if lines:
            parts.append((title, tuple(lines)))
    return Printed(layout.label, layout.caption, 2 if own else 1, head, tuple(parts))


Block = tuple[Sequence[str], list[tuple[str, list[Cell]]]]
"""The heads of columns; the name of each row and its cells."""


def _block(layout: Layout, frame: Frame, only: Sequence[str]) -> Block:
    """Lay out the rows of one part."""
    form, texts = layout.columns[0].form, frame[layout.rows].map(str)
    if not layout.across:
        lines = {name: i for i, name in reversed(list(enumerate(texts)))}
        rows = [name for name in _named(layout, only, texts) if name in lines]
        values = {c.name: frame[c.name].tolist() for c in layout.columns}
        heads = [c.head or c.name for c in layout.columns]
        return heads, [(name, [_cell(values[c.name][lines[name]], c.form, layout.above) for c in layout.columns]) for name in rows]
    heads_of = frame[layout.across].map(str)
    cells = dict(zip(zip(texts, heads_of, strict=True), frame[layout.columns[0].name], strict=True))
    if layout.mirrored:
        cells |= {(b, a): value for (a, b), value in cells.items()}
    known = {name: None for pair in cells for name in pair} if layout.mirrored else None
    rows = [name for name in (only or known or dict.fromkeys(texts)) if any(name == row for row, _ in cells)]
    heads = [name for name in (layout.over or known or dict.fromkeys(heads_of)) if any(name == column for _, column in cells)]
    same = layout.mirrored and rows == heads
    if same:  # a pair is printed once
        rows, heads = rows[:-1], heads[1:]
    full = {(row, column): not same or j >= i for i, row in enumerate(rows) for j, column in enumerate(heads)}
    return heads, [
        (row, [_cell(cells.get((row, column)) if full[row, column] else None, form, layout.above) for column in heads]) for row in rows
    ]


def _named(layout: Layout, only: Sequence[str], texts: Iterable[str]) -> Iterable[str]:
    """The rows in the order of the paper, or in that of the column that sorts them."""
    there = dict.fromkeys(texts)
    return [name for name in there if name in only] if layout.by and only else only or there


def _cell(value: Any, form: str, above: float | None) -> Cell:
    if value is None or value != value:
        return Cell("")
    if isinstance(value, str | bool | np.bool_):
        return Cell(value if isinstance(value, str) else "yes" if value else "no")
    return Cell(format(value, form), above is not None and value > above)


def of_taus(
    label: str, between: str, *, only: tuple[str, ...] = (), over: tuple[str, ...] = (), above: float | None = None, form: str = ".3f"
) -> Layout:
    """Kendall's tau between the orders of the runs by measures, a pair once."""
    caption = f"Kendall's tau {between}" + (f"; bold above {above:g}.".replace("0.", ".") if above else ".")
    rows, across = "measure_a", "measure_b"
    return Layout(label, caption, "list", (Column("tau_b", form=form),), rows, across, only, over, mirrored=True, above=above)
