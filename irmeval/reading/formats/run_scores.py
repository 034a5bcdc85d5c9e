"""Formats of scores of runs by topic: one record each."""

import re
from collections.abc import Callable, Sequence
from itertools import chain, islice, pairwise
from typing import Any, NamedTuple

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.first_block import FirstBlock
from irmeval.reading.formats.base import add_format, add_records, tell_named
from irmeval.reading.formats.conditions import is_text, tell_if, unless
from irmeval.reading.lines import begin_of_text, is_number, numbered_lines
from irmeval.reading.lists_of_objects import JUDGED, RANKED
from irmeval.reading.named_columns import table_of
from irmeval.reading.score_matrix import read_wide
from irmeval.reading.text_layout import (
    BLANK,
    MAX_COLUMNS,
    SCORE_COLUMNS,
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


def _tell_measures(layout: Layout) -> Callable[[FirstBlock], Layout | None]:
    """Test for lines with the name of a measure, and a number last."""
    place = layout.columns.index("measure")

    def tell(block: FirstBlock) -> Layout | None:
        if not is_text(block, len(layout.columns)):
            return None
        rows = [row for row in block.rows if row[0] not in NO_SCORES]
        names = [row[place] for row in rows]
        any_name = layout == NIST and _are_measures(block, names)
        scored = [row[place] for row in rows if is_number(row[-1])]
        fitting = [*filter(is_name if any_name else is_measure, scored)]
        fits = len(fitting) >= max(block.least * len(rows), 1)
        return layout if fits else None

    return tell


def is_measure(cell: str) -> bool:
    """Whether a cell is the name of a measure in the output of another program."""
    return bool(re.fullmatch(MEASURE, cell, re.IGNORECASE))


def is_name(cell: str) -> bool:
    """Whether a cell is no number, or the name of a measure."""
    return not is_number(cell) or is_measure(cell)


def _are_measures(block: FirstBlock, names: Sequence[str]) -> bool:
    """Whether few names are repeated in many lines, in the place of scores."""
    return block.stated == "scores" and len({*names}) <= max(len(names) / 2, 1)


class Grid(NamedTuple):
    """Lines of three columns: a run, a topic and a score."""

    header: bool
    rows: list[Sequence[str]]
    run: int | None
    """column of the runs, the first or the second; None if neither can be"""


def _grid_of(block: FirstBlock) -> Grid:
    """The lines of a block as runs, topics and scores."""
    header = not is_number(block.rows[0][-1])
    rows = _scored_rows(block, header)
    return Grid(header, rows, _run_place(block.rows[0] if header else [], rows))


def _has_three_columns(block: FirstBlock) -> bool:
    return is_text(block, 3)


def _names_measures(block: FirstBlock) -> bool:
    return _tell_measures(TREC_EVAL)(block) is not None


def _is_grid(block: FirstBlock) -> bool:
    """Whether nearly every run has a score on nearly every topic."""
    header, rows, place = _grid_of(block)
    if place is None:
        return False
    if not header and block.stated != "scores":
        return False
    pairs = {tuple(row[:2]) for row in rows}
    first, second = map(len, map(set, zip(*pairs, strict=True)))
    if min(first, second) < 2:  # one run, or one topic, is no grid
        return False
    return first * second <= GRID * len(pairs)


def _find_table(block: FirstBlock) -> Layout:
    header, _, place = _grid_of(block)
    columns = ("topic", "run", "value") if place else ("run", "topic", "value")
    return Layout(columns, block.separator, header, block.quoted)


_tell_table = tell_if(_find_table, _has_three_columns, unless(_names_measures), _is_grid)
"""Test for three columns without the usual names, with runs, topics and scores."""


def _scored_rows(block: FirstBlock, header: bool) -> list[Sequence[str]]:
    """Rows with a score; none if too many others have none. A further header, with no
    run or topic of a score, is none of these.
    """
    below = block.rows[header:]
    rows = [row for row in below if is_number(row[-1])]
    bad = [row for row in below if not is_number(row[-1])]
    if header:
        bad = _of_known(bad, rows)
    enough = len(rows) >= block.least * (len(rows) + len(bad))
    return rows if enough else []


def _of_known(lines: list[Sequence[str]], rows: list[Sequence[str]]) -> list[Sequence[str]]:
    """The lines that have a run or topic of these rows."""
    known = {*chain.from_iterable(row[:2] for row in rows)}
    return [line for line in lines if not known.isdisjoint(line[:2])]


def _run_place(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Column of the runs, the first or the second: not that of topics, and no
    numbers.
    """
    topics = find_columns(header, ("topic",)).get("topic")
    headed = [place for place, name in enumerate(header[:2]) if name == topics]
    numbers = [place for place in (0, 1) if all(is_number(row[place]) for row in rows)]
    return min({0, 1}.difference(headed, numbers), default=None)


def _is_divided(block: FirstBlock) -> bool:
    """Whether a text has several lines and columns, divided by a separator."""
    if block.separator == BLANK:
        return False
    if not is_text(block, block.width):
        return False
    return min(block.width, len(block.rows)) > 1


def _names_columns(block: FirstBlock) -> bool:
    """Whether the first line names topics, or runs, or columns."""
    head = block.rows[0]
    if all(map(is_number, head)):
        return False
    return _names_lines(head) or _heads_a_matrix(head)


def _names_lines(head: Sequence[str]) -> bool:
    """Whether the first column is headed as one of topics or of runs."""
    return names_topics(head[0]) or names_runs(head[0])


def _has_scores(block: FirstBlock) -> bool:
    """Whether all columns but the first hold numbers."""
    known = min(block.width, MAX_COLUMNS)  # beyond these, the rest of a line is one cell
    return all(_has_numbers(block, place) for place in range(1, known))


def _may_name_lines(block: FirstBlock) -> bool:
    """Whether the first column holds numbers, or names of topics or runs; lines of
    runs, topics and scores are no matrix.
    """
    if _has_numbers(block, 0):
        return True
    if _names_lines(block.rows[0]):
        return True
    if block.width < 3:
        return False
    return _tell_table(block) is None


_tell_matrix = tell_if(
    lambda block: block.separator, _is_divided, _names_columns, _has_scores, _may_name_lines
)
"""Test for a text with a line of names, and numbers below it; the first column may hold
names, too.
"""


def _has_numbers(block: FirstBlock, place: int) -> bool:
    """Whether enough cells of a column below the first line are numbers."""
    cells = [row[place] for row in block.rows[1:] if row[place]]
    return sum(map(is_number, cells)) >= block.least * len(cells)


def _heads_a_matrix(head: Sequence[str]) -> bool:
    """Whether a line may name runs. A line of qrels or of a run has numbers."""
    return len(head) not in (3, 4, 6) or not any(map(is_number, head[1:]))


class ScoreLines:
    """Lines of scores as they are read, and the names of runs between them."""

    def __init__(self, layout: Layout):
        self.columns: dict[str, list[str]] = {
            column: [] for column in layout.columns if not column.startswith("-")
        }
        self.lines: list[int] = []
        self.odd: list[tuple[int, dict[str, str]]] = []
        """number and cells of the lines without a score"""
        self.named: list[tuple[int, str]] = []
        """runs in the output of trec_eval, each with the number of rows above"""
        self.without = NO_SCORES if layout == TREC_EVAL else ()

    def add(self, number: int, row: dict[str, str]) -> None:
        """Add a line."""
        if row.get("measure") in self.without:
            if row["measure"] == "runid":
                self.named.append((len(self.lines), row["value"]))
        elif not is_number(row["value"]):
            self.odd.append((number, row))
        else:
            self.lines.append(number)
            for column, texts in self.columns.items():
                texts.append(row[column])

    def check_odd(self, name: str, header: bool) -> None:
        """Raise `ReadError` for a line without a score that is no further header."""
        known = {*self.columns.get("run", ()), *self.columns["topic"]}
        for number, row in self.odd:
            if not header or not _is_header(row, known):
                found, remedy = shorten(row["value"]), "Fix or remove the line."
                raise ReadError(name, number, "a number as score", found, remedy)


def _read_scores(name: str, data: bytes, layout: Layout) -> dict[str, Any]:
    """Columns of lines of scores. The header may be repeated between them, as in
    concatenated files.
    """
    rows = ScoreLines(layout)
    lines = numbered_lines(data, layout=layout)
    for number, line in islice(lines, layout.header, None):
        cells = [cell.decode("utf-8", "replace") for cell in layout.split(line)]
        if len(cells) != len(layout.columns):
            expected = f"{len(layout.columns)} columns ({layout})"
            found = f"{len(cells)}: {shorten(line)}"
            raise ReadError(name, number, expected, found, "Fix the line.")
        rows.add(number, dict(zip(layout.columns, cells, strict=True)))
    rows.check_odd(name, layout.header)
    if data[begin_of_text(data) :].strip() and not rows.lines:
        raise ReadError(name, None, "lines of scores", "a header only")
    columns: dict[str, Any] = {**rows.columns, "value": [*map(float, rows.columns["value"])]}
    if layout == TREC_EVAL:
        columns["run"] = _runs_of_rows(len(rows.lines), rows.named)
    return table_of(name, columns) | {"lines": rows.lines}


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
    ends = [end for end, _ in named]
    bounds = [*ends, rows] if 0 in ends else [0, *ends]
    runs: list[str] = []
    for (_, run), (start, end) in zip(named, pairwise(bounds), strict=True):
        runs += [run] * (end - start)
    return runs + [""] * (rows - len(runs))


add_format(
    "scores matrix",
    "score matrix",
    "CSV with a column per run, headed by its name, and a line per topic; or a line per run,"
    " headed run",
    _tell_matrix,
    lambda name, data, separator: {"matrices": [read_wide(name, data, separator)]},
    "topic,bm25,dense\n301,0.25,0.5\n302,0.75,0.25\n",
    "spreadsheets",
)
add_format(
    "scores header",
    "scores with a header",
    "columns such as run, topic, score, and perhaps measure, in any order; the header may be"
    " repeated",
    tell_named("text", _find_values),
    _read_scores,
    "run,topic,score\nbm25,301,0.25\ndense,301,0.5\n"
    "run,topic,score\nbm25,302,0.75\ndense,302,0.25\n",
    "irmeval evaluate --per-topic, CSV",
)
add_format(
    "scores table",
    "scores in three columns",
    "run, topic, score under any header, or without one if it is loaded as scores",
    _tell_table,
    _read_scores,
    "model,question,compatibility\nbm25,301,0.25\nbm25,302,0.75\ndense,301,0.5\ndense,302,0.25\n",
    "scripts, several outputs concatenated",
)
add_format(
    "scores trec_eval",
    "scores of trec_eval -q",
    "measure topic value",
    _tell_measures(TREC_EVAL),
    _read_scores,
    "map\t301\t0.25\nmap\t302\t0.75\nrunid\tall\tbm25\nmap\tall\t0.5\n",
    "trec_eval -q, several outputs put together",
)
add_format(
    "scores nist",
    "scores by run, topic and measure",
    "run topic measure value",
    _tell_measures(NIST),
    _read_scores,
    "bm25 301 map 0.25\nbm25 302 map 0.75\ndense 301 map 0.5\ndense 302 map 0.25\n",
    "NIST",
)
add_records(
    "scores",
    "scores",
    "run, topic, score",
    _find_values,
    "run,topic,score\nbm25,301,0.25\ndense,301,0.5\n",
    "scripts",
    "pandas",
)
