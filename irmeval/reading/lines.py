"""Slow reader of qrels and runs, line by line: it locates errors, and reads texts for
which Arrow is too strict.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.columns import BLANKS, BOM, ArrowRefused, read_block, split_blocks
from irmeval.reading.files import find_long_line, refuse_binary
from irmeval.reading.text_layout import BLANK, MAX_COLUMNS, QRELS, Layout, skipped

LONGEST = 10_000
"""Maximum bytes of a line."""
MAX_CHECKED_LINES = 2_000_000
"""Maximum number of lines of a file that are checked one by one, which takes
seconds.
"""


def check_text(name: str, data: bytes) -> None:
    """Raise `ReadError` for data that are not text, and for a line longer than
    `LONGEST`, before anything is copied.
    """
    refuse_binary(name, data)
    if line := find_long_line(data, LONGEST):
        raise _too_long(name, *line)


def _too_long(name: str, number: int, line: bytes) -> ReadError:
    expected = f"a line of at most {LONGEST:,} bytes"
    return ReadError(name, number, expected, f"more: {shorten(line)}", _FIX)


def numbered_lines(
    data: bytes, first: int = 1, layout: Layout = QRELS
) -> Iterator[tuple[int, bytes]]:
    """Number and text of each line that is neither empty nor a comment; the first line
    has the number `first`. A line longer than `LONGEST` is cut just after that.
    """
    number, at = first, 0
    if first == 1:
        at = begin_of_text(data)
    while at < len(data):
        # it matches nothing, too
        start = skipped(layout).match(data, at).end()  # type: ignore[union-attr]
        number += data.count(b"\n", at, start)
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        if end - start > LONGEST:
            yield number, data[start : start + LONGEST + 1]
        elif line := _content(data[start:end], layout):
            yield number, line
        number += 1
        at = end + 1


def _content(line: bytes, layout: Layout) -> bytes:
    """A line without blanks at its ends; empty for a comment."""
    bare = line.strip(b" \r")
    if layout.separator == BLANK:
        bare = line.translate(BLANKS).strip(b" ")
    # topics such as ``#7`` begin like a comment
    if bare.startswith(b"#") and not layout.is_row(bare):
        return b""
    return bare


def begin_of_text(data: bytes) -> int:
    """Index of the first byte after a byte order mark."""
    if data.startswith(BOM):
        return len(BOM)
    return 0


_DESCRIPTION = re.compile(
    rb"\s*(?:<([A-Za-z][\w-]{0,30})[^<>\n]{0,100}>.*?</\1>[^\S\n]*\n\s*)+", re.DOTALL
)
"""Elements of XML before the first line, as ``<SYSDESC>`` in runs of NTCIR."""
LONGEST_DESCRIPTION = 1 << 16


def description_lines(data: bytes) -> int:
    """Number of lines of a description in XML at the beginning of a text."""
    begin = data[:LONGEST_DESCRIPTION].removeprefix(BOM)
    if not begin[:100].lstrip().startswith(b"<"):
        return 0
    found = _DESCRIPTION.match(begin)
    if not found:
        return 0
    return found[0].count(b"\n")


def without_description(data: bytes) -> bytes:
    """The text with empty lines in place of a description."""
    lines = description_lines(data)
    if not lines:
        return data
    *_, rest = data.split(b"\n", lines)
    return b"\n" * lines + rest


def describe_nothing(data: bytes) -> str:
    """What a file without a row has."""
    if data[begin_of_text(data) :].strip():
        return "only comment lines"
    return "an empty file"


def begin_of_rows(data: bytes, layout: Layout) -> int:
    """Index of the first byte after the byte order mark and the header line, if there
    are any.
    """
    if not layout.header:
        return begin_of_text(data)
    number, _ = next(numbered_lines(data, layout=layout), (1, b""))
    end = begin_of_text(data)
    for _ in range(number):
        end = data.find(b"\n", end) + 1 or len(data)
    return end


def numbered_blocks(data: bytes, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Split a text, from a byte on, into blocks of whole lines, with the number of the
    first line of each.
    """
    number = 1 + data.count(b"\n", 0, start)
    for block in split_blocks(data, start):
        yield number, block
        number += block.count(b"\n")


_IS_BLANK = np.zeros(256, bool)
_IS_BLANK[[*b" \t\v\f\r"]] = True


def line_number(data: bytes, layout: Layout, row: int) -> int:
    """Line number of a row; rows are counted from 0, without header, empty lines and
    comments. Raises `IndexError` for a row that is not there.
    """
    for number, block in numbered_blocks(data, begin_of_rows(data, layout)):
        marks = np.frombuffer(block, np.uint8)
        places = np.flatnonzero(~_IS_BLANK[marks])
        marks = marks[places]
        begins = np.concatenate([[True], marks[:-1] == ord("\n")]) & (marks != ord("\n"))
        comments = np.flatnonzero(begins & (marks == ord("#")))
        begins[comments] = [
            layout.is_row(block[at : at + LONGEST].split(b"\n", 1)[0])
            for at in places[comments].tolist()
        ]
        found = places[begins]
        if row < found.size:
            return number + block.count(b"\n", 0, int(found[row]))
        row -= found.size
    raise IndexError(row)


HIGHEST_GRADE = 2**15 - 1
"""Maximum grade of a judgment: 16 bits."""
TOO_LARGE = 10**18
"""Placeholder for all larger whole numbers, none of which is a grade or a rank."""
_NUMBER = re.compile(
    r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE | re.ASCII
)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_FLOATS = ("score", "probability")
_FRACTION = "Map fractions to whole numbers: multiply all grades, or set levels."
_FIX = "Fix or remove the line."
_ODD = "out of the ordinary"
_PLAINER = "Write plain numbers, and one blank between columns; or split the file."


def is_number(text: str) -> bool:
    """Whether a text is a number in decimal or exponential form; NaN and infinity
    are.
    """
    return bool(_NUMBER.fullmatch(text))


def is_integer(text: str) -> bool:
    """Whether a text is a decimal integer that fits 64 bits."""
    return bool(_INTEGER.fullmatch(text))


def whole_number(text: str) -> int | None:
    """Whole number of a text such as ``1``, ``1.0`` or ``1e0``, at most `TOO_LARGE` in
    absolute value; None for any other text.
    """
    if is_integer(text):
        return int(text)
    is_decimal = is_number(text) and "n" not in text.lower()  # no inf, no nan
    if not is_decimal:
        return None
    value = float(text)
    if abs(value) >= TOO_LARGE:
        return int(math.copysign(TOO_LARGE, value))
    if not value.is_integer():
        return None
    return int(value)


def _is_text(text: str) -> bool:
    """Anything that is UTF-8, as every cell is that was decoded."""
    return True


_CELLS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "topic": (bool, "a topic"),
    "document": (bool, "a document"),
    "grade": (lambda text: whole_number(text) is not None, "a whole number as grade"),
    "score": (is_number, "a number as score"),
    "probability": (is_number, "a number as probability"),
    **dict.fromkeys(
        ("stratum", "level", "rank", "tag", "run", "subtopic", "measure"), (_is_text, "a text")
    ),
}
"""What holds of a cell of each column that is read, and what it should have; columns
that nobody reads, such as the iteration of qrels, may have any bytes.
"""


def read_blocks(
    name: str, data: bytes, layout: Layout, kinds: dict[str, Any]
) -> "Iterator[pa.Table]":
    """Columns, block by block, or line by line if Arrow fails. Raises `ReadError` at
    the first invalid line.
    """
    looked = 0
    for number, block in numbered_blocks(data, begin_of_rows(data, layout)):
        table = read_if_sound(block, layout, kinds)
        if table is None:
            if looked > MAX_CHECKED_LINES:
                expected = f"at most about {MAX_CHECKED_LINES:,} lines beside something {_ODD}"
                raise ReadError(name, number, expected, "more", _PLAINER)
            table = _line_by_line(name, number, block, layout, kinds)
            looked += table.num_rows
        yield table


def read_if_sound(block: bytes, layout: Layout, kinds: dict[str, Any]) -> "pa.Table | None":
    """Columns of a block, as Arrow reads it; None if its lines must be checked one by
    one.
    """
    try:
        table = read_block(block, layout, kinds)
    except ArrowRefused:
        return None
    if "grade" not in kinds:
        return table
    # each grade that occurs, once
    occurring = [chunk.dictionary.to_pylist() for chunk in table["grade"].chunks]
    if not are_grades(chain.from_iterable(occurring), layout):
        return None
    return table


def are_grades(texts: Iterable[str], layout: Layout) -> bool:
    """Whether cells are grades."""
    return all(is_grade(text, layout) for text in texts)


def is_grade(text: str, layout: Layout) -> bool:
    """Whether a cell is a whole number, or empty where cells may be: such a document is
    not judged.
    """
    if text == "":
        return layout.separator != BLANK
    return whole_number(text) is not None


def _line_by_line(
    name: str, first: int, data: bytes, layout: Layout, kinds: dict[str, Any]
) -> "pa.Table":
    """Columns of lines, numbered from `first`. Raises `ReadError` at the first invalid
    line.
    """
    # so that `zip` yields every column even if all lines are comments
    rows = [[*layout.columns]]
    for number, line in numbered_lines(data, first, layout):
        error = line_fault(name, number, line, layout)
        if error:
            raise error
        rows.append(layout.texts(line))
    texts_of = {column: texts for column, *texts in zip(*rows, strict=True)}
    columns = [_column(column, texts_of[column], kind) for column, kind in kinds.items()]
    return pa.table(columns, [*kinds])


def _column(name: str, texts: list[str], kind: Any) -> "pa.Array":
    """A column of a type, from its texts."""
    if name in _FLOATS:
        return pa.array([*map(float, texts)], kind)
    return pa.array(texts, kind)


def is_unjudged(cells: list[bytes], layout: Layout) -> bool:
    """Whether a row of qrels has an empty cell as grade."""
    return "grade" in layout.columns and not cells[layout.columns.index("grade")]


def line_fault(name: str, number: int, line: bytes, layout: Layout) -> ReadError | None:
    """Error of a line, or None: the number of columns, the encoding, or a grade or
    score that is not a number.
    """
    if len(line) > LONGEST:
        return _too_long(name, number, line)
    parts = layout.split(line)
    if len(parts) != len(layout.columns):
        expected = f"{len(layout.columns)} columns ({layout})"
        count = len(parts) if len(parts) <= MAX_COLUMNS else f"over {MAX_COLUMNS}"
        return ReadError(name, number, expected, f"{count}: {shorten(line)}", _FIX)
    if is_unjudged(parts, layout):
        return None
    for column, part in zip(layout.columns, parts, strict=True):
        if column not in _CELLS:
            continue
        try:
            text = part.decode()
        except UnicodeDecodeError:
            remedy = "Save the file as UTF-8."
            return ReadError(name, number, "text in UTF-8", shorten(line), remedy)
        holds, _ = _CELLS[column]
        if not holds(text):
            return _cell_fault(name, number, column, text)
    return None


def _cell_fault(name: str, number: int, column: str, text: str) -> ReadError:
    """Error of a cell that does not hold what its column has."""
    _, expected = _CELLS[column]
    if column in ("topic", "document"):
        return ReadError(name, number, expected, "an empty cell", _FIX)
    if column == "grade" and "." in text:
        return ReadError(name, number, expected, shorten(text), _FRACTION)
    return ReadError(name, number, expected, shorten(text), _FIX)
