"""Division of the lines of a text file into columns and comments.

Also what columns are called.
"""

import csv
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import repeat
from typing import NamedTuple

BLANK = " "
"""Separator of columns divided by any blanks."""
MAX_COLUMNS = 100
"""Maximum number of columns of a line that are counted."""
UNUSED = "-"
"""Prefix of the names of unused columns."""
_NUMBERS = ("grade", "score", "probability")
_BLANK_BYTES = rb" \t\v\f\r"


class Layout(NamedTuple):
    """The columns of a text file.

    Attributes
    ----------
    columns : names of the columns, in the order of the file
    separator : ``" "`` for any blanks, else a tab, a comma or a semicolon
    header : whether the first line holds the names of the columns
    quoted : whether cells may stand in double quotes
    """

    columns: tuple[str, ...]
    separator: str = BLANK
    header: bool = False
    quoted: bool = False

    def __str__(self) -> str:
        return " ".join(name.removeprefix(UNUSED) for name in self.columns)

    def split(self, line: bytes) -> list[bytes]:
        """Cells of a line, stripped; beyond `MAX_COLUMNS` the rest is one cell."""
        return split_cells(line, self.separator, self.quoted)

    def texts(self, line: bytes) -> list[str]:
        """Cells of a line as texts; bytes that are not UTF-8 become question marks."""
        return [cell.decode("utf-8", "replace") for cell in self.split(line)]

    def is_row(self, line: bytes) -> bool:
        """Whether a line that begins with a number sign is a row: no blank follows, and
        it has the columns and numbers of one.
        """
        return bool(_hash_row(self).match(line))


def split_cells(line: bytes, separator: str, quoted: bool = False) -> list[bytes]:
    """Cells of a line, stripped; beyond `MAX_COLUMNS` the rest is one cell."""
    if separator == BLANK:
        return line.split(None, MAX_COLUMNS)
    if not (quoted and b'"' in line):
        return [*map(bytes.strip, line.split(separator.encode(), MAX_COLUMNS))]
    # as latin-1, since any bytes are text in it and come back unchanged
    rows = csv.reader([line.decode("latin-1")], delimiter=separator)
    try:
        return [cell.strip().encode("latin-1") for cell in next(rows, [])]
    except csv.Error:
        # one cell, so that the line is refused for its number of columns
        return [line]


QRELS = Layout(("topic", "iteration", "document", "grade"))
RUN = Layout(("topic", "Q0", "document", "rank", "score", "tag"))
STRATA = Layout(("topic", "iteration", "document", "stratum", "grade"))
PRELS = Layout(("topic", "document", "grade", "method", "probability"))
"""Columns of qrels that are a sample: with strata, as for NIST's sample_eval.pl; or
with inclusion probabilities, as in the Million Query track.
"""


@cache
def _hash_row(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of a row whose topic begins with a number sign."""
    return re.compile(rb"#" + _row_after_hash(layout.columns, layout.separator))


@cache
def comments(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of any number of consecutive comment lines: lines that begin with a
    number sign and are not rows.
    """
    return re.compile(
        rb"^(?:#(?!" + _row_after_hash(layout.columns, layout.separator) + rb")[^\n]*+\n?+)++",
        re.MULTILINE,
    )


@cache
def skipped(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of any number of consecutive empty lines and comments, since a file of 60
    MB may contain millions; each at most 10,000 bytes.
    """
    row = _row_after_hash(layout.columns, layout.separator)
    return re.compile(
        rb"(?:[" + _BLANK_BYTES + rb"]{0,4999}+(?:#(?!" + row + rb")[^\n]{0,4999}+)?+\n)*+"
    )


def _row_after_hash(columns: Sequence[str], separator: str) -> bytes:
    """Pattern of the text after the number sign in a row."""
    # the quantifiers are possessive, so that no line is tried again and again
    edge = re.escape(separator.encode())
    if separator == BLANK:
        cell, number, gap = rb"[^\s]++", rb"[+\-]?+[\d.][^\s]*+", rb"[" + _BLANK_BYTES + rb"]++"
    else:
        cell, gap = rb"[^" + edge + rb"\n]*+", edge
        number = rb" *+[+\-]?+[\d.]" + cell
    cells = [number if name in _NUMBERS else cell for name in columns]
    return rb"(?=\S)" + gap.join(cells) + rb"[" + _BLANK_BYTES + rb"]*+(?=\n|\Z)"


NAMES = {
    "topic": (
        "qid",
        "query_id",
        "query-id",
        "queryid",
        "q_id",
        "topic",
        "topic_id",
        "topic-id",
        "topicid",
        "question_id",
        "query",
        "query_text",
    ),
    "document": (
        "docno",
        "doc_id",
        "corpus-id",
        "corpus_id",
        "docid",
        "doc-id",
        "document",
        "document_id",
        "pid",
        "passage_id",
        "tweet_id",
        "doc",
    ),
    "grade": ("label", "relevance", "rel", "grade", "rating", "judgment", "judgement"),
    "score": ("score", "similarity", "sim"),
    "value": ("value", "score"),
    "rank": ("rank", "position", "doc_position"),
    "run": (
        "run",
        "system",
        "tag",
        "runid",
        "run_id",
        "run-id",
        "runtag",
        "system_id",
        "snapshot_name",
    ),
    "measure": ("measure", "metric"),
}
"""Usual names of each column, as `plain_name` spells them. Of several, the first
counts.
"""
_CHOICES = NAMES | {"grade": (*NAMES["grade"], *NAMES["score"])}
NAMED_RUNS = ("name", "measure", "value")
"""Columns beside which ``name`` is the run, as in the scores that PyTerrier prints."""
QRELS_COLUMNS = ("topic", "document", "grade")
RUN_COLUMNS = ("topic", "document", "score", "rank", "run")
SCORE_COLUMNS = ("run", "measure", "topic", "value")


def plain_name(name: str) -> str:
    """The name of a column in lower case, with an underscore for each blank."""
    return name.strip().lower().replace(" ", "_")


def find_columns(names: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    """Map each column of `wanted` to its name among the given ones, if any. Grades may
    be named score, as in BEIR.
    """
    # reversed, so that of equal names the first counts
    backwards = [*names][::-1]
    here = dict(zip(map(plain_name, backwards), backwards, strict=True))
    free, found = {**here}, dict[str, str]()
    for column in wanted:
        there = next(filter(free.__contains__, _CHOICES[column]), None)
        if there is not None:
            found[column] = free.pop(there)
    lacks_run = "run" in {*wanted} - found.keys()
    if lacks_run and {*NAMED_RUNS} <= here.keys():
        found["run"] = here["name"]
    return found


def names_topics(cell: str) -> bool:
    """Whether a cell is a name of the topic column."""
    return plain_name(cell) in NAMES["topic"]


def names_runs(cell: str) -> bool:
    """Whether a cell is a name of the run column."""
    return plain_name(cell) in NAMES["run"]


def is_header(cells: Sequence[str]) -> bool:
    """Whether a first line contains column names: topics, documents and grades, or runs
    and topics.
    """
    found = map(find_columns, repeat(cells), (QRELS_COLUMNS, ("run", "topic")))
    return max(map(len, found)) > 1


def name_columns(names: Sequence[str], found: dict[str, str]) -> tuple[str, ...]:
    """Names of all columns of a text for a layout; those that are not in `found` are
    unused.
    """
    columns = nameless_columns(len(names))
    for column, name in found.items():
        # the first of equal names
        columns[names.index(name)] = column
    return tuple(columns)


def nameless_columns(width: int) -> list[str]:
    """Names of unused columns by their places."""
    return [f"{UNUSED}{place}" for place in range(1, width + 1)]
