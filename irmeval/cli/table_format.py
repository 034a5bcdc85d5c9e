"""The format of a printed table, and whether it is wide (a row per run) or long (a row per observation)."""

import shutil
import sys
from collections.abc import Iterator
from typing import Any

from irmeval.cli.program import Flag, Given, OneOf
from irmeval.core import terminal
from irmeval.core.tables import FORMATS, write_table
from irmeval.experiments.results import Frame, table_named
from irmeval.report import printed, wide
from irmeval.report.wide import PRINTED, TEXT
from irmeval.scoring.score_table import Scores

CSV = "csv"


def flags(*more: str) -> Iterator[Flag]:
    """The flags of a command whose table may be wide. `more` are further formats."""
    yield Flag("--format", type=OneOf((*FORMATS, TEXT, *more)), help="default: text on a terminal, csv into a file or a pipe")
    text = "a row per run, a column per measure, the best in bold (default of markdown, latex and text)"
    yield Flag("--wide", is_flag=True, help=text)
    yield Flag("--long", is_flag=True, help="a row per observation (default of csv and json)")


def form_of(given: Given) -> str:
    """The format that the user chose; else text on a terminal, and CSV into a file or a pipe."""
    return given.format or (TEXT if sys.stdout.isatty() and not given.output and not given.folder else CSV)


def is_wide(given: Given, form: str) -> bool:
    """Whether the table has a row per run."""
    return given.wide or (not given.long and form in PRINTED)


def write_result(given: Given, result: Any) -> str:
    """The text of a result whose table may be wide, or of one of its tables."""
    form = form_of(given)
    if not given.table and is_wide(given, form):
        return wide.as_table(result, form, name=result.made_by.experiment, **_room(form, given))
    return _written(given, table_named(result, given.table).make() if given.table else result.frame(), result.note)


def write_scores(given: Given, scores: Scores) -> str:
    """The text of mean scores; with ``--per-topic`` also of the scores of each topic."""
    form = form_of(given)
    if not is_wide(given, form):
        return _written(given, wide.long_frame(scores, given.per_topic, whole=form in PRINTED), scores.note)
    if given.per_topic:
        return _written(given, wide.topics_frame(scores), scores.note)
    return wide.as_table(scores, form, **_room(form, given))


def _written(given: Given, frame: Frame, note: str) -> str:
    form = form_of(given)
    return printed.text(wide.of_frame(frame, note), **_room(form, given)) if form == TEXT else write_table(frame, form, note)


def _room(form: str, given: Given) -> dict[str, Any]:
    """Width and style of a text for the terminal; empty for any other target."""
    if form != TEXT or given.output or not sys.stdout.isatty():
        return {}
    return {"width": shutil.get_terminal_size().columns, "styled": terminal.shows_styles()}
