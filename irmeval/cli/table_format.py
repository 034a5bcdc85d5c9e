"""Format of a printed table: wide (a row per run) or long (a row per observation)."""

import shutil
import sys
from collections.abc import Iterator
from typing import Any

from irmeval.cli.program import CSV, Flag, Given, OneOf
from irmeval.core import terminal
from irmeval.core.tables import FORMATS, PARQUET, write_table
from irmeval.experiments.results import Frame, table_named
from irmeval.reading.writing import parquet
from irmeval.report import exports, printed, wide
from irmeval.report.wide import PRINTED, TEXT, WIDE
from irmeval.scoring.score_table import Scores

TREC = "trec"
"""Format of documents to judge, as qrels; of scores, that of trec_eval."""


def format_flag(*more: str) -> Flag:
    """Flag for the format of a table. `more` are additional formats."""
    return Flag(
        "--format",
        type=OneOf((*FORMATS, TEXT, *more)),
        help="default: text on a terminal, csv to a file or a pipe",
    )


def flags(*more: str) -> Iterator[Flag]:
    """Flags of a command whose table may be wide. `more` are additional formats."""
    yield format_flag(*more)
    text = (
        "a row per run, a column per measure, the best in bold (default of markdown, latex and"
        " text)"
    )
    yield Flag("--wide", is_flag=True, help=text)
    yield Flag("--long", is_flag=True, help="a row per observation (default of csv and json)")


def form_of(given: Given) -> str:
    """Format chosen by the user; else text on a terminal, and CSV to a file or a
    pipe.
    """
    if given.format:
        return given.format
    goes_to_file = given.output or given.folder
    return TEXT if sys.stdout.isatty() and not goes_to_file else CSV


def is_wide(given: Given, form: str) -> bool:
    """Whether the table has a row per run."""
    return given.wide or (not given.long and form in PRINTED)


def write_result(given: Given, result: Any) -> str | bytes:
    """A result as a table: the one requested; the wide table of an experiment in
    `WIDE`; as text the first one of the page; else every observation.
    """
    form = form_of(given)
    if form == TREC:
        return exports.format_result(result, form, given.table)
    if given.table:
        return write_frame(given, table_named(result, given.table).make(), result.note)
    if result.made_by.experiment in WIDE and is_wide(given, form):
        return wide.as_table(result, form, name=result.made_by.experiment, **_room(form, given))
    return write_frame(
        given,
        result.tables()[0].make() if form == TEXT and not given.long else result.frame(),
        result.note,
    )


def write_scores(given: Given, scores: Scores) -> str | bytes:
    """Text of mean scores; with ``--per-topic`` also of the scores of each topic, with
    ``--no-means`` only of these.
    """
    form = form_of(given)
    if not is_wide(given, form):
        made = wide.long_frame(scores, given.per_topic, whole=form in PRINTED)
    elif given.per_topic:
        made = wide.topics_frame(scores)
    else:
        return wide.as_table(scores, form, **_room(form, given))
    if given.no_means:
        made = made[made["topic"] != "all"]
    return write_frame(given, made, scores.note)


def write_frame(given: Given, frame: Frame, note: str = "", words: int = 0) -> str | bytes:
    """A table in the chosen format, with a note. In text, the first columns (`words`)
    precede each block of others; by default those before the first column of
    numbers.
    """
    form = form_of(given)
    if form == TEXT:
        return printed.text(wide.of_frame(frame, note, words), **_room(form, given))
    return parquet(frame) if form == PARQUET else write_table(frame, form, note)


def _room(form: str, given: Given) -> dict[str, Any]:
    """Width and style of a text for the terminal; empty for any other target."""
    if form != TEXT or given.output or not sys.stdout.isatty():
        return {}
    return {"width": shutil.get_terminal_size().columns, "styled": terminal.shows_styles()}
