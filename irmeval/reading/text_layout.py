"""Division of the lines of a text file into columns and comments."""

import csv
import re
from collections.abc import Sequence
from functools import cache
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

    def is_row(self, line: bytes) -> bool:
        """Whether a line that begins with a number sign is a row: no blank follows, and it has the columns and numbers of one."""
        return line[:1] == b"#" and bool(_hash_row(self).match(line))


def split_cells(line: bytes, separator: str, quoted: bool = False) -> list[bytes]:
    """Cells of a line, stripped; beyond `MAX_COLUMNS` the rest is one cell."""
    if separator == BLANK:
        return line.split(None, MAX_COLUMNS)
    if quoted and b'"' in line:
        try:
            return [cell.strip().encode("latin-1") for cell in next(csv.reader([line.decode("latin-1")], delimiter=separator), [])]
        except csv.Error:
            return [line]
    return [cell.strip() for cell in line.split(separator.encode(), MAX_COLUMNS)]


QRELS = Layout(("topic", "iteration", "document", "grade"))
RUN = Layout(("topic", "Q0", "document", "rank", "score", "tag"))
STRATA = Layout(("topic", "iteration", "document", "stratum", "grade"))
PRELS = Layout(("topic", "document", "grade", "method", "probability"))
"""Columns of qrels that are a sample: with strata, as for NIST's sample_eval.pl; or with inclusion probabilities, as in the Million Query
track."""


@cache
def _hash_row(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of a row whose topic begins with a number sign."""
    return re.compile(rb"#" + _row_after_hash(layout.columns, layout.separator))


@cache
def comments(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of any number of consecutive comment lines: lines that begin with a number sign and are not rows."""
    return re.compile(rb"^(?:#(?!" + _row_after_hash(layout.columns, layout.separator) + rb")[^\n]*+\n?+)++", re.MULTILINE)


@cache
def skipped(layout: Layout) -> re.Pattern[bytes]:
    """Pattern of any number of consecutive empty lines and comments, since a file of 60 MB may contain millions; each at most 10,000
    bytes."""
    row = _row_after_hash(layout.columns, layout.separator)
    return re.compile(rb"(?:[" + _BLANK_BYTES + rb"]{0,4999}+(?:#(?!" + row + rb")[^\n]{0,4999}+)?+\n)*+")


def _row_after_hash(columns: Sequence[str], separator: str) -> bytes:
    """Pattern of the text after the number sign in a row."""
    edge = re.escape(separator.encode())
    if separator == BLANK:
        cell, number, gap = rb"[^\s]++", rb"[+\-]?+[\d.][^\s]*+", rb"[" + _BLANK_BYTES + rb"]++"
    else:
        cell, number, gap = rb"[^" + edge + rb"\n]*+", rb" *+[+\-]?+[\d.][^" + edge + rb"\n]*+", edge
    cells = [number if name in _NUMBERS else cell for name in columns]
    return rb"(?=\S)" + gap.join(cells) + rb"[" + _BLANK_BYTES + rb"]*+(?=\n|\Z)"
