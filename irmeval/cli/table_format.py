"""Format of a printed table: wide (a row per run) or long (a row per observation)."""

import sys
from collections.abc import Iterator
from typing import Any

import click

from irmeval.cli.program import CSV, OUTPUT, Flag, Given, OneOf
from irmeval.core import terminal
from irmeval.core.errors import IrmevalError
from irmeval.core.lazy import shutil
from irmeval.core.tables import FORMATS, PRINTED, TEXT
from irmeval.metrics import distinct

TREC = "trec"
"""Format of documents to judge, as qrels; of scores, that of trec_eval."""


MOST_DIGITS = 17
"""Maximum number of decimals; no number has more digits."""


def format_flag(*more: str) -> Flag:
    """Flag for the format of a table. `more` are additional formats."""
    return Flag(
        "--format",
        type=OneOf((*FORMATS, TEXT, *more)),
        section=OUTPUT,
        help="default: text on a terminal, csv to a file or a pipe",
    )


def flags(*more: str) -> Iterator[Flag]:
    """Flags of a command that prints a table. `more` are additional formats."""
    yield format_flag(*more)
    text = "decimals of numbers (default: 4, all in csv, json and parquet)"
    yield Flag(
        "--digits", type=click.IntRange(0, MOST_DIGITS), metavar="N", section=OUTPUT, help=text
    )
    text = (
        "order the rows by this column, numbers from the highest, texts from A to Z; or runs by"
        " this measure"
    )
    yield Flag("--sort", metavar="COLUMN", default="", section=OUTPUT, help=text)


def wide_flags(*more: str) -> Iterator[Flag]:
    """Flags of a command whose table may be wide. `more` are additional formats."""
    yield from flags(*more)
    text = (
        "a row per run, a column per measure, the best in bold (default of markdown, latex and"
        " text)"
    )
    yield Flag("--wide", is_flag=True, section=OUTPUT, help=text)
    text = "a row per observation (default of csv and json)"
    yield Flag("--long", is_flag=True, section=OUTPUT, help=text)


def form_of(given: Given) -> str:
    """Format chosen by the user; else text on a terminal, and CSV to a file or a
    pipe.
    """
    if given.format:
        return given.format
    if given.output or given.folder:
        return CSV
    # what a program reads does not change with the width of a terminal
    if not sys.stdout.isatty():
        return CSV
    return TEXT


def is_wide(given: Given, form: str) -> bool:
    """Whether the table has a row per run."""
    if given.wide or given.long:
        return bool(given.wide)
    return form in PRINTED


def column_of(given: Given) -> str:
    """The column or measure that orders the rows, a measure in its own spelling; empty
    if none is asked for.
    """
    try:
        return str(distinct([given.sort])[0])
    except IrmevalError:
        return str(given.sort)


def room_of(form: str, given: Given) -> dict[str, Any]:
    """Width and style of a text for the terminal; empty for any other target."""
    if form != TEXT or given.output or not sys.stdout.isatty():
        return {}
    return {"width": shutil.get_terminal_size().columns, "styled": terminal.shows_styles()}
