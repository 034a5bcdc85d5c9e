"""Formats of scores of runs by topic: one record each."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from irmeval.core.errors import ReadError
from irmeval.core.text import shorten
from irmeval.reading.first_block import FirstBlock
from irmeval.reading.formats.base import add_format, add_records, tell_named
from irmeval.reading.formats.conditions import is_text
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
    found = find_columns(block.names, SCORE_COLUMNS)
    if not {"run", "topic"} <= found.keys() or _has_documents(block):
        return None
    if "value" not in found:  # it may be headed by the name of a measure
        others = [name for name in block.names if name not in found.values()]
        numbers = [name for name in others if block.numbers(name)]
        found |= {"value": numbers[0]} if len(numbers) == 1 else {}
    return found if "value" in found else None


def _has_documents(block: FirstBlock) -> bool:
    """Whether lines name documents, or lists of them."""
    lists = block.keys & {*RANKED, *JUDGED}
    return bool(lists or find_columns(block.names, ("document",)))


def _tell_measures(layout: Layout) -> Callable[[FirstBlock], Layout | None]:
    """Test for lines with the name of a measure, and a number last."""

    def tell(block: FirstBlock) -> Layout | None:
        width, place = len(layout.columns), layout.columns.index("measure")
        if not is_text(block, width):
            return None
        rows = [row for row in block.rows if row[0] not in NO_SCORES]
        names = {row[place] for row in rows}
        # measures of any name
        own = (
            width == len(NIST.columns)
            and block.stated == "scores"
            and len(names) <= max(len(rows) / 2, 1)
        )
        fits = [
            row
            for row in rows
            if is_number(row[-1])
            and (
                re.fullmatch(MEASURE, row[place], re.IGNORECASE)
                or (own and not is_number(row[place]))
            )
        ]
        return layout if rows and len(fits) >= block.least * len(rows) and len(fits) else None

    return tell


def _tell_table(block: FirstBlock) -> Layout | None:
    """Whether three columns without the usual names hold runs, topics and scores:
    nearly every run has nearly every topic.
    """
    if not is_text(block, 3) or _tell_measures(TREC_EVAL)(block):
        return None
    header = not is_number(block.rows[0][-1])
    rows = _scored_rows(block, header)
    place = _run_place(block.rows[0] if header else [], rows)
    if place is None or not _is_grid(rows, place) or not (header or block.stated == "scores"):
        return None
    columns = ("run", "topic", "value") if place == 0 else ("topic", "run", "value")
    return Layout(columns, block.separator, header, block.quoted)


def _scored_rows(block: FirstBlock, header: bool) -> list[Sequence[str]]:
    """Rows with a score; none if too many others have none. A further header, with no
    run or topic of a score, is none of these.
    """
    below = block.rows[header:]
    rows = [row for row in below if is_number(row[-1])]
    known = set()
    if header:
        known = {cell for row in rows for cell in row[:2]}
    others = [row for row in below if not is_number(row[-1])]
    bad = others
    if header:
        bad = [row for row in others if not known.isdisjoint(row[:2])]
    enough = len(rows) >= block.least * (len(rows) + len(bad))
    return rows if enough else []


def _run_place(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """Column of the runs, the first or the second: not that of topics, and no
    numbers.
    """
    topics = find_columns(header, ("topic",)).get("topic")
    for place in (0, 1):
        headed = bool(header) and header[place] == topics
        if rows and not headed and not all(is_number(row[place]) for row in rows):
            return place
    return None


def _is_grid(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Whether nearly every run has a score on nearly every topic."""
    runs, topics = {row[place] for row in rows}, {row[1 - place] for row in rows}
    pairs = {(row[0], row[1]) for row in rows}
    return min(len(runs), len(topics)) > 1 and len(runs) * len(topics) <= GRID * len(pairs)


def _is_divided(block: FirstBlock) -> bool:
    """Whether a text has several lines and columns, divided by a separator."""
    several = block.width > 1 and len(block.rows) > 1
    return several and is_text(block, block.width) and block.separator != BLANK


def _names_columns(block: FirstBlock) -> bool:
    """Whether the first line names topics, or runs, or columns."""
    head = block.rows[0]
    return not all(map(is_number, head)) and (_names_lines(head) or _heads_a_matrix(head))


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
    if _has_numbers(block, 0) or _names_lines(block.rows[0]):
        return True
    return block.width > 2 and _tell_table(block) is None


MATRIX = (_is_divided, _names_columns, _has_scores, _may_name_lines)
"""What tells a score matrix: all of these conditions."""


def _tell_matrix(block: FirstBlock) -> Any:
    """Whether a text has a line of names, and numbers below it; the first column may
    hold names, too.
    """
    return block.separator if all(condition(block) for condition in MATRIX) else None


def _has_numbers(block: FirstBlock, place: int) -> bool:
    """Whether enough cells of a column below the first line are numbers."""
    cells = [row[place] for row in block.rows[1:] if row[place]]
    return sum(map(is_number, cells)) >= block.least * len(cells)


def _heads_a_matrix(head: Sequence[str]) -> bool:
    """Whether a line may name runs. A line of qrels or of a run has numbers."""
    return len(head) not in (3, 4, 6) or not any(map(is_number, head[1:]))


def _read_scores(name: str, data: bytes, layout: Layout) -> dict[str, Any]:
    """Columns of lines of scores. The header may be repeated between them, as in
    concatenated files.
    """
    columns: dict[str, list[str]] = {
        column: [] for column in layout.columns if not column.startswith("-")
    }
    header: list[bytes] = []
    odd: list[tuple[int, dict[str, str]]] = []
    named: list[tuple[int, str]] = []
    lines: list[int] = []
    for number, line in numbered_lines(data, layout=layout):
        cells = layout.split(line)
        if layout.header and not header:
            header = cells
            continue
        if len(cells) != len(layout.columns):
            raise ReadError(
                name,
                number,
                f"{len(layout.columns)} columns ({layout})",
                f"{len(cells)}: {shorten(line)}",
                "Fix the line.",
            )
        if layout == TREC_EVAL and cells[0].decode("utf-8", "replace") in NO_SCORES:
            named += (
                [(len(columns["topic"]), cells[2].decode("utf-8", "replace"))]
                if cells[0] == b"runid"
                else []
            )
            continue
        row = dict(
            zip(layout.columns, (cell.decode("utf-8", "replace") for cell in cells), strict=True)
        )
        if not is_number(row["value"]):
            odd.append((number, row))
            continue
        for column, texts in columns.items():
            texts.append(row[column])
        lines.append(number)
    known = {*columns.get("run", ()), *columns["topic"]}
    if bad := next(
        ((number, row["value"]) for number, row in odd if not header or not _is_header(row, known)),
        None,
    ):
        raise ReadError(
            name, bad[0], "a number as score", shorten(bad[1]), "Fix or remove the line."
        )
    if data[begin_of_text(data) :].strip() and not columns["topic"]:
        raise ReadError(name, None, "lines of scores", "a header only")
    if layout == TREC_EVAL:
        columns["run"] = _runs_of_rows(len(columns["topic"]), named)
    table = table_of(
        name,
        {
            column: [*map(float, texts)] if column == "value" else texts
            for column, texts in columns.items()
        },
    )
    return table | {"lines": lines}


def _is_header(row: dict[str, str], known: set[str]) -> bool:
    """Whether a line without a score heads the columns again, in any words: no run or
    topic is called so.
    """
    found = {name: column for column, name in find_columns(row.values(), SCORE_COLUMNS).items()}
    expected = all(found.get(name, column) == column for column, name in row.items())
    return expected and not {row.get("run"), row["topic"]} & known


def _runs_of_rows(rows: int, named: list[tuple[int, str]]) -> list[str]:
    """Run of each row of trec_eval's output, from the rows above each name. A name
    follows the scores of its topics, unless the file begins with one.
    """
    ends = [end for end, _ in named]
    bounds = [*ends, rows] if 0 in ends else [0, *ends]
    runs = [
        run
        for (_, run), (start, end) in zip(named, pairwise(bounds), strict=True)
        for _ in range(start, end)
    ]
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
