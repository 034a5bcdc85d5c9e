"""Formats of scores of runs by topic: one record each."""

import re
from collections.abc import Callable, Sequence
from itertools import chain, filterfalse, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.files import refuse_inner_mark
from irmeval.reading.first_block import FirstBlock
from irmeval.reading.formats.base import add_format, add_records
from irmeval.reading.formats.conditions import (
    Condition,
    either,
    is_headless,
    is_text_of,
    tell_first,
    tell_if,
    tell_named,
    unless,
)
from irmeval.reading.lines import begin_of_text, is_number, numbered_lines
from irmeval.reading.lists_of_objects import JUDGED, RANKED
from irmeval.reading.named_columns import table_of
from irmeval.reading.score_matrix import read_wide
from irmeval.reading.text_layout import (
    BLANK,
    MAX_COLUMNS,
    SCORE_COLUMNS,
    UNUSED,
    Layout,
    find_columns,
    names_runs,
    names_topics,
)

# Python compiles a pattern at its first use: few commands need these
MEASURE = (
    r"(num_q|num_ret|num_rel|num_rel_ret|runid|map|gm_map|rprec|bpref|"
    r"recip_rank|infap|utility|set_\w+|success(_\d+)?|relstring\w*|"
    r"(p|recall|relative_p|map_cut|ndcg_cut|ndcg_rel|iprec_at_recall|"
    r"rprec_mult|11pt_avg|ndcg|rndcg|g|binG)([_@.][\d.]+)?|"
    r"'?[a-z]{1,9}'?@\d+|err@\d+|ap|ndcg|rr|rbp.*)"
)
"""Names of measures in the output of trec_eval, gdeval and ir_measures."""
TREC_EVAL = Layout(("measure", "topic", "value"))
NIST = Layout(("run", "topic", "measure", "value"))
NO_SCORES = ("runid", "relstring")
"""Lines of trec_eval without a number."""
GRID = 1.25
"""The most runs times topics for each score of a table whose columns are not named as
usual.
"""


def _find_values(block: FirstBlock) -> dict[str, str] | None:
    """Columns of runs, topics and scores; those of scores may be headed by the name of a
    measure.
    """
    found = find_columns(block.names, SCORE_COLUMNS)
    if not found.keys() >= {"run", "topic"}:
        return None
    if _has_documents(block):
        return None
    if "value" in found:
        return found
    numbers = _other_numbers(block, found)
    if len(numbers) != 1:  # which of several are the scores is not said
        return None
    return found | {"value": numbers[0]}


def _other_numbers(block: FirstBlock, found: dict[str, str]) -> list[str]:
    """Columns of numbers that are not found by their names."""
    others = [name for name in block.names if name not in found.values()]
    return [*filter(block.numbers, others)]


def _has_documents(block: FirstBlock) -> bool:
    """Whether lines name documents, or lists of them."""
    lists_of_documents = block.keys & {*RANKED, *JUDGED}
    if lists_of_documents:
        return True
    return "document" in find_columns(block.names, ("document",))


def _names_measures(layout: Layout, is_named: Callable[[str], bool]) -> Condition:
    """Condition that enough lines have a measure, as `is_named` knows them, and a number
    last.
    """
    place = layout.columns.index("measure")

    def holds(block: FirstBlock) -> bool:
        rows = _with_scores(block)
        fitting = [row for row in filter(_has_score, rows) if is_named(row[place])]
        return len(fitting) >= max(block.least * len(rows), 1)

    return holds


def _with_scores(block: FirstBlock) -> list[Sequence[str]]:
    return [row for row in block.rows if row[0] not in NO_SCORES]


def is_measure(cell: str) -> bool:
    """Whether a cell is the name of a measure in the output of another program."""
    return bool(re.fullmatch(MEASURE, cell, re.IGNORECASE))


def is_label(cell: str) -> bool:
    """Whether a cell is no number, or the name of a measure."""
    return not is_number(cell) or is_measure(cell)


def _is_place_of_scores(block: FirstBlock) -> bool:
    return block.stated == "scores"


def _may_be_qrels(block: FirstBlock) -> bool:
    """Whether the columns may be those of TREC qrels: 0 in each line, and grades."""
    return {*block.column(1)} == {"0"} and block.whole(3)


def _repeats_measures(block: FirstBlock) -> bool:
    """Whether few measures are in many lines of NIST's form."""
    names = [row[NIST.columns.index("measure")] for row in _with_scores(block)]
    return len({*names}) <= max(len(names) / 2, 1)


_names_usual_measures = _names_measures(TREC_EVAL, is_measure)


class Grid(NamedTuple):
    """Lines of three columns: a run, a topic and a score."""

    header: bool
    rows: list[Sequence[str]]
    """those with a score"""
    run: int | None
    """column of the runs, the first or the second; None if neither can be"""


def _grid_of(block: FirstBlock) -> Grid:
    """The lines of a block as runs, topics and scores."""
    first = block.rows[0]
    header = not is_number(first[-1])
    rows = _scored_rows(block, header)
    names = first if header else []
    return Grid(header, rows, _run_place(names, rows))


def _may_be_scores(block: FirstBlock) -> bool:
    """Whether the columns have a line of names, or the place is one of scores."""
    return _is_place_of_scores(block) or not _has_score(block.rows[0])


def _is_grid(block: FirstBlock) -> bool:
    """Whether nearly every run has a score on nearly every topic."""
    _, rows, place = _grid_of(block)
    if place is None:
        return False
    pairs = {tuple(row[:2]) for row in rows}
    first, second = map(len, map(set, zip(*pairs, strict=True)))
    if min(first, second) < 2:  # one run, or one topic, is no grid
        return False
    return first * second <= GRID * len(pairs)


def _find_table(block: FirstBlock) -> Layout:
    header, _, place = _grid_of(block)
    columns = ("run", "topic", "value")
    if place == 1:
        columns = ("topic", "run", "value")
    return Layout(columns, block.separator, header, block.quoted)


_tell_table = tell_if(
    _find_table, is_text_of(3), unless(_names_usual_measures), _may_be_scores, _is_grid
)
"""Test for three columns without the usual names, with runs, topics and scores."""


def _scored_rows(block: FirstBlock, header: bool) -> list[Sequence[str]]:
    """Rows with a score; none if too many others have none. A further header, with no
    run or topic of a score, is none of these.
    """
    below = block.rows[header:]
    rows = [*filter(_has_score, below)]
    bad = [*filterfalse(_has_score, below)]
    if header:
        bad = _of_known(bad, rows)
    if len(rows) < block.least * (len(rows) + len(bad)):
        return []
    return rows


def _has_score(row: Sequence[str]) -> bool:
    """Whether a row ends in a number."""
    return is_number(row[-1])


def _of_known(lines: list[Sequence[str]], rows: list[Sequence[str]]) -> list[Sequence[str]]:
    """The lines that have a run or topic of these rows."""
    known = {*chain.from_iterable(row[:2] for row in rows)}
    return [line for line in lines if not known.isdisjoint(line[:2])]


def _run_place(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Column of the runs, the first or the second: not that of topics, and no
    numbers.
    """
    topics = find_columns(header, ("topic",)).get("topic")
    for place in (0, 1):
        is_of_topics = header[place : place + 1] == [topics]
        are_numbers = all(is_number(row[place]) for row in rows)
        if not is_of_topics and not are_numbers:
            return place
    return None


def _is_divided(block: FirstBlock) -> bool:
    """Whether a text has several lines and columns, divided by a separator."""
    return block.separator != BLANK and min(block.width, len(block.rows)) > 1


def _is_headed(block: FirstBlock) -> bool:
    """Whether the first line has names, not numbers alone."""
    return not all(map(is_number, block.rows[0]))


def _heads_a_matrix(block: FirstBlock) -> bool:
    """Whether the first line may name runs. A line of qrels or of a run has numbers."""
    first = block.rows[0]
    return len(first) not in (3, 4, 6) or not any(map(is_number, first[1:]))


def _names_lines(block: FirstBlock) -> bool:
    """Whether the first column is headed as one of topics or of runs."""
    heading = block.rows[0][0]
    return names_topics(heading) or names_runs(heading)


def _has_scores(block: FirstBlock) -> bool:
    """Whether all columns but the first hold numbers."""
    known = min(block.width, MAX_COLUMNS)  # beyond these, the rest of a line is one cell
    return all(_has_numbers(block, place) for place in range(1, known))


def _numbers_lines(block: FirstBlock) -> bool:
    """Whether the first column holds numbers, as those of topics."""
    return _has_numbers(block, 0)


def _has_numbers(block: FirstBlock, place: int) -> bool:
    """Whether enough cells of a column below the first line are numbers."""
    cells = [row[place] for row in block.rows[1:] if row[place]]
    return sum(map(is_number, cells)) >= block.least * len(cells)


def _is_wide(block: FirstBlock) -> bool:
    """Whether there are columns of several runs; runs, topics and scores are three
    columns, too.
    """
    return block.width > 2 and _tell_table(block) is None


_tell_matrix = tell_if(
    lambda block: block.separator,
    is_headless,
    _is_divided,
    _is_headed,
    either(_names_lines, _heads_a_matrix),
    _has_scores,
    either(_numbers_lines, _names_lines, _is_wide),
)
"""Test for a text with a line of names, and numbers below it; the first column may hold
names, too.
"""


class ScoreLines:
    """Lines of scores as they are read, and the names of runs between them."""

    def __init__(self, layout: Layout):
        used = (column for column in layout.columns if not column.startswith(UNUSED))
        self.columns: dict[str, list[str]] = {column: [] for column in used}
        self.lines: list[int] = []
        self.odd: list[tuple[int, dict[str, str]]] = []
        """number and cells of the lines without a score"""
        self.named: list[tuple[int, str]] = []
        """runs in the output of trec_eval, each with the number of rows above"""
        self.without: tuple[str, ...] = ()
        if layout == TREC_EVAL:
            self.without = NO_SCORES

    def add(self, number: int, row: dict[str, str]) -> None:
        """Add a line."""
        if row.get("measure") in self.without:
            if row["measure"] == "runid":
                self.named.append((len(self.lines), row["value"]))
            return
        if not is_number(row["value"]):
            self.odd.append((number, row))
            return
        self.lines.append(number)
        for column, texts in self.columns.items():
            texts.append(row[column])

    def check_odd(self, name: str, header: bool) -> None:
        """Raise `ReadError` for a line without a score that is no further header."""
        known = {*self.columns.get("run", ()), *self.columns["topic"]}
        for number, row in self.odd:
            if not header or not _is_header(row, known):
                remedy = "Fix or remove the line."
                raise ReadError(name, number, "a number as score", shorten(row["value"]), remedy)


def _read_scores(name: str, data: bytes, layout: Layout) -> dict[str, Any]:
    """Columns of lines of scores. The header may be repeated between them, as in
    concatenated files.
    """
    refuse_inner_mark(name, data)
    rows = ScoreLines(layout)
    for number, line in islice(numbered_lines(data, layout=layout), layout.header, None):
        rows.add(number, _row_of(name, number, line, layout))
    rows.check_odd(name, layout.header)
    if data[begin_of_text(data) :].strip() and not rows.lines:
        raise ReadError(name, None, "lines of scores", "a header only")
    columns: dict[str, Any] = {**rows.columns, "value": [*map(float, rows.columns["value"])]}
    if layout == TREC_EVAL:
        columns["run"] = _runs_of_rows(len(rows.lines), rows.named)
    return table_of(name, columns) | {"lines": rows.lines}


def _row_of(name: str, number: int, line: bytes, layout: Layout) -> dict[str, str]:
    """Cells of a line by column. Raises `ReadError` for another number of cells."""
    cells = layout.texts(line)
    if len(cells) == len(layout.columns):
        return dict(zip(layout.columns, cells, strict=True))
    expected = f"{len(layout.columns)} columns ({layout})"
    raise ReadError(name, number, expected, f"{len(cells)}: {shorten(line)}", "Fix the line.")


def _is_header(row: dict[str, str], known: set[str]) -> bool:
    """Whether a line without a score heads the columns again, in any words: no run or
    topic is called so.
    """
    found = {name: column for column, name in find_columns(row.values(), SCORE_COLUMNS).items()}
    if not {row.get("run"), row["topic"]}.isdisjoint(known):
        return False
    return all(found.get(name, column) == column for column, name in row.items())


def _runs_of_rows(rows: int, named: list[tuple[int, str]]) -> list[str]:
    """Run of each row of trec_eval's output, from the rows above each name. A name
    follows the scores of its topics, unless the file begins with one.
    """
    ends = [*map(itemgetter(0), named)]
    bounds = [0, *ends]
    if 0 in ends:
        bounds = [*ends, rows]
    runs: list[str] = []
    for (_, run), (start, end) in zip(named, pairwise(bounds), strict=True):
        runs += [run] * (end - start)
    return runs + [""] * (rows - len(runs))


add_format(
    "scores matrix",
    title="score matrix",
    looks="CSV with a column per run, headed by its name, and a line per topic; or a line per run,"
    " headed run",
    tell=_tell_matrix,
    read=lambda name, data, separator: {"matrices": [read_wide(name, data, separator)]},
    example="topic,bm25,dense\n301,0.25,0.5\n302,0.75,0.25\n",
    source="spreadsheets",
)
add_format(
    "scores header",
    title="scores with a header",
    looks="columns such as run, topic, score, and perhaps measure, in any order; the header may be"
    " repeated",
    tell=tell_named("text", _find_values),
    read=_read_scores,
    example="run,topic,score\nbm25,301,0.25\ndense,301,0.5\n"
    "run,topic,score\nbm25,302,0.75\ndense,302,0.25\n",
    source="irmeval evaluate --per-topic, CSV",
)
add_format(
    "scores table",
    title="scores in three columns",
    looks="run, topic, score under any header, or without one if it is loaded as scores",
    tell=_tell_table,
    read=_read_scores,
    example="model,question,compatibility\n"
    "bm25,301,0.25\nbm25,302,0.75\ndense,301,0.5\ndense,302,0.25\n",
    source="scripts, several outputs concatenated",
)
add_format(
    "scores trec_eval",
    title="scores of trec_eval -q",
    looks="measure topic value",
    tell=tell_if(lambda block: TREC_EVAL, is_text_of(3), _names_usual_measures),
    read=_read_scores,
    example="map\t301\t0.25\nmap\t302\t0.75\nrunid\tall\tbm25\nmap\tall\t0.5\n",
    source="trec_eval -q, several outputs put together",
)
add_format(
    "scores nist",
    title="scores by run, topic and measure",
    looks="run topic measure value",
    tell=tell_first(
        tell_if(lambda block: NIST, is_text_of(4), _names_measures(NIST, is_measure)),
        # of measures that no program is known to print, the place and the lines tell
        tell_if(
            lambda block: NIST,
            is_text_of(4),
            _is_place_of_scores,
            unless(_may_be_qrels),
            _repeats_measures,
            _names_measures(NIST, is_label),
        ),
    ),
    read=_read_scores,
    example="bm25 301 map 0.25\nbm25 302 map 0.75\ndense 301 map 0.5\ndense 302 map 0.25\n",
    source="NIST",
)
add_records(
    "scores",
    title="scores",
    columns="run, topic, score",
    find=_find_values,
    example="run,topic,score\nbm25,301,0.25\ndense,301,0.5\n",
    sources=("scripts", "pandas"),
)
