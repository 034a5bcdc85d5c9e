"""A result or scores as the text of a table."""

from typing import Any

from irmeval.cli.program import Given
from irmeval.cli.table_format import TREC, column_of, form_of, is_wide, room_of
from irmeval.core.tables import PARQUET, PRINTED, TEXT, sort_rows, write_table
from irmeval.experiments.results import Frame, table_named
from irmeval.reading.writing import parquet
from irmeval.report import printed, wide
from irmeval.report.wide import WIDE
from irmeval.scoring.score_table import Scores


def write_result(given: Given, result: Any) -> str | bytes:
    """A result as a table: the one requested; the wide table of an experiment in
    `WIDE`; as text the first one of the page; else every observation.
    """
    form = form_of(given)
    if form == TREC:
        from irmeval.report import exports  # only here, since it takes long to import

        return exports.format_result(result, form, given.table)
    if given.table:
        table = table_named(result, given.table)
        return write_frame(given, table.make(), table.noted(result.note))
    if result.made_by.experiment in WIDE and is_wide(given, form):
        name = result.made_by.experiment
        return wide.as_table(result, form, name=name, **_look_of(form, given))
    if form == TEXT and not given.long:
        return write_frame(given, result.tables()[0].make(), result.note)
    return write_frame(given, result.frame(), result.note)


def write_scores(given: Given, scores: Scores) -> str | bytes:
    """Text of mean scores; with ``--per-topic`` also of the scores of each topic, with
    ``--no-means`` only of these.
    """
    form = form_of(given)
    if given.aggregate != "mean":
        return write_frame(given, wide.aggregate_frame(scores, given.aggregate), scores.note)
    if not is_wide(given, form):
        made = wide.long_frame(scores, given.per_topic, whole=form in PRINTED)
    elif given.per_topic:
        made = wide.topics_frame(scores)
    else:
        return wide.as_table(scores, form, **_look_of(form, given))
    if given.no_means:
        made = made[made["topic"] != "all"]
    return write_frame(given, made, scores.note)


def write_frame(given: Given, frame: Frame, note: str = "", words: int = 0) -> str | bytes:
    """A table in the chosen format, with a note. In text, the first columns (`words`)
    precede each block of others; by default those before the first column of
    numbers.
    """
    form = form_of(given)
    if given.sort:
        frame = sort_rows(frame, column_of(given))
    if form == TEXT:
        made = wide.of_frame(frame, note, words, given.digits)
        return printed.text(made, **room_of(form, given))
    if form == PARQUET:
        if given.digits is not None:
            frame = frame.round(given.digits)
        return parquet(frame)
    return write_table(frame, form, note, given.digits)


def _look_of(form: str, given: Given) -> dict[str, Any]:
    """How a wide table is written: its width, decimals and order."""
    return {**room_of(form, given), "digits": given.digits, "sort": column_of(given)}
