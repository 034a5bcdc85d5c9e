"""Tables in the layout of a paper: selected cells of a tidy table, with names, digits,
and bold type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from irmeval.experiments.results import Frame, Result, table_named

UNREAD = "Its columns or axes could not be read; it follows the paper's text."
"""Note on a table or figure that is illegible in our copy of the paper."""
IRMEVAL = "irmeval"
"""Head of the column with irmeval's own names, if the paper has others."""


class Column(NamedTuple):
    """A column of numbers or words."""

    name: str
    """in the tidy table"""
    head: str = ""
    """in the paper; by default the name"""
    form: str = ".3f"
    """number format, for `format`"""


@dataclass(frozen=True)
class Layout:
    """How a paper prints one table."""

    label: str
    """its number in the paper: ``Table 6``"""
    caption: str
    table: str
    """name of the tidy table of the exhibit's result"""
    columns: tuple[Column, ...]
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
    above: float | None = None
    """numbers above this are bold"""
    bold: tuple[str, ...] = ()
    """rows in bold"""


class Cell(NamedTuple):
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
    parts: tuple[tuple[str, tuple[tuple[Cell, ...], ...]], ...]


def printed(layout: Layout, result: Result, names: Mapping[str, str]) -> Printed:
    """Lay out a result; `names` are the paper's own for measures. Rows and columns that
    the tidy table lacks are left out.

    Raises `UnknownName` for a table that the result does not have.
    """
    frame = table_named(result, layout.table).make()
    for column, value in layout.where.items():
        frame = frame[frame[column] == (frame[column].min() if value is None else value)]
    if layout.by:
        frame = frame.sort_values(layout.by, ascending=False, kind="stable")
    if layout.apart:
        frames = {
            names.get(str(value), str(value)): part
            for value, part in frame.groupby(layout.apart, sort=False)
        }
        blocks = {title: _block(layout, part, layout.only) for title, part in frames.items()}
    else:
        blocks = {
            title: _block(layout, frame, only)
            for title, only in (layout.parts or {"": layout.only}).items()
        }
    heads = next(iter(blocks.values()))[0] if blocks else ()
    own = any(names.get(name, name) != name for _, rows in blocks.values() for name, _ in rows)
    first = {"measure": "metric", "measure_a": "metric", "measure b": "against"}.get(
        layout.rows, layout.rows
    )
    head = (first, *([IRMEVAL] if own else []), *(names.get(name, name) for name in heads))

    def line(name: str, cells: list[Cell]) -> tuple[Cell, ...]:
        bold = name in layout.bold
        return (
            Cell(names.get(name, name), bold),
            *([Cell(name)] if own else []),
            *(Cell(c.text, c.bold or bold) for c in cells),
        )

    parts = tuple(
        (title, tuple(line(*row) for row in rows)) for title, (_, rows) in blocks.items() if rows
    )
    return Printed(layout.label, layout.caption, 2 if own else 1, head, parts)


Block = tuple[Sequence[str], list[tuple[str, list[Cell]]]]
"""The heads of the columns; the name of each row and its cells."""


def _block(layout: Layout, frame: Frame, only: Sequence[str]) -> Block:
    """Lay out the rows of one part."""
    form, texts = layout.columns[0].form, frame[layout.rows].map(str)
    if not layout.across:
        lines = {name: i for i, name in reversed(list(enumerate(texts)))}
        there = texts.unique()
        named = (
            [name for name in there if not only or name in only]
            if layout.by or not only
            else [name for name in only if name in lines]
        )
        values = {c.name: frame[c.name].tolist() for c in layout.columns}
        heads = [c.head or c.name for c in layout.columns]
        return heads, [
            (
                name,
                [_cell(values[c.name][lines[name]], c.form, layout.above) for c in layout.columns],
            )
            for name in named
        ]
    over = frame[layout.across].map(str)
    cells = dict(zip(zip(texts, over, strict=True), frame[layout.columns[0].name], strict=True))
    if layout.mirrored:
        cells |= {(b, a): value for (a, b), value in cells.items()}
    known = {name: None for pair in cells for name in pair} if layout.mirrored else None
    rows = [
        name
        for name in only or known or dict.fromkeys(texts)
        if any(name == row for row, _ in cells)
    ]
    heads = [
        name
        for name in layout.over or known or dict.fromkeys(over)
        if any(name == column for _, column in cells)
    ]
    same = layout.mirrored and rows == heads
    if same:  # each pair is printed once
        rows, heads = rows[:-1], heads[1:]
    full = {
        (row, column): not same or j >= i
        for i, row in enumerate(rows)
        for j, column in enumerate(heads)
    }
    return heads, [
        (
            row,
            [
                _cell(cells.get((row, column)) if full[row, column] else None, form, layout.above)
                for column in heads
            ],
        )
        for row in rows
    ]


def _cell(value: Any, form: str, above: float | None) -> Cell:
    if value is None or value != value:
        return Cell("")
    if isinstance(value, bool | np.bool_):
        return Cell("yes" if value else "no")
    return (
        Cell(value)
        if isinstance(value, str)
        else Cell(format(value, form), above is not None and value > above)
    )


def of_taus(
    label: str,
    between: str,
    *,
    only: tuple[str, ...] = (),
    over: tuple[str, ...] = (),
    above: float | None = None,
    form: str = ".3f",
) -> Layout:
    """Kendall's tau between the orders of the runs by measures, each pair once."""
    caption = f"Kendall's tau {between}" + (
        f"; bold above {above:g}.".replace("0.", ".") if above else "."
    )
    rows, across = "measure_a", "measure_b"
    return Layout(
        label,
        caption,
        "list",
        (Column("tau_b", form=form),),
        rows,
        across,
        only,
        over,
        mirrored=True,
        above=above,
    )
