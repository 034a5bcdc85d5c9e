"""The slow reader of qrels and runs, line by line: it finds the line at fault, and reads what Arrow is too strict for."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.columns import BLANKS, BOM, ArrowRefused, read_block, split_blocks
from irmeval.reading.files import long_line, refuse_binary

LONGEST = 10_000
"""Bytes of the longest line allowed."""
MAX_COLUMNS = 100
"""The most columns of a line that are counted."""
MAX_CHECKED_LINES = 2_000_000
"""The most lines of a file that are checked one by one, which takes seconds."""
_SKIPPED = re.compile(rb"(?:[ \t\v\f\r]{0,4999}+(?:#[^\n]{0,4999}+)?+\n)*+")
"""Empty lines and comments in a row, however many, as a file of 60 MB may hold millions; none of them longer than `LONGEST`."""


def check_text(name: str, data: bytes) -> None:
    """Raise `ReadError` for data that are no text, and for a line longer than `LONGEST`, before anything is copied."""
    refuse_binary(name, data)
    if line := long_line(data, LONGEST):
        raise _too_long(name, *line)


def _too_long(name: str, number: int, line: bytes) -> ReadError:
    return ReadError(name, number, f"a line of at most {LONGEST:,} bytes", f"more: {shorten(line)}", "Fix or remove the line.")


def numbered_lines(data: bytes, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Number and text of each line that is neither empty nor a comment; the first line has the number `first`. A line longer than `LONGEST`
    is cut just after that."""
    number, at = first, len(BOM) if first == 1 and data.startswith(BOM) else 0
    while at < len(data):
        start = _SKIPPED.match(data, at).end()  # type: ignore[union-attr]  # it matches nothing, too
        number += data.count(b"\n", at, start)
        end = data.find(b"\n", start)
        at = len(data) + 1 if end < 0 else end + 1
        if at - 1 - start > LONGEST:
            yield number, data[start : start + LONGEST + 1]
        elif (line := data[start : at - 1].translate(BLANKS).strip(b" ")) and not line.startswith(b"#"):
            yield number, line
        number += 1


def numbered_blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """A text in blocks of whole lines, with the number of the first line of each."""
    number = 1
    for block in split_blocks(data):
        yield number, block
        number += block.count(b"\n")


_IS_BLANK = np.zeros(256, bool)
_IS_BLANK[[*b" \t\v\f\r"]] = True


def line_number(data: bytes, row: int) -> int:
    """The number of the line of a row; rows are counted from 0, without empty lines and comments."""
    for number, block in numbered_blocks(data.removeprefix(BOM)):
        marks = np.frombuffer(block, np.uint8)
        places = np.flatnonzero(~_IS_BLANK[marks])
        marks = marks[places]
        begins = np.concatenate([[True], marks[:-1] == ord("\n")]) & (marks != ord("\n")) & (marks != ord("#"))
        found = places[begins]
        if row < found.size:
            return number + block.count(b"\n", 0, int(found[row]))
        row -= found.size
    raise IndexError(row)


_NUMBER = re.compile(r"[+-]?((\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?|inf(inity)?|nan)", re.IGNORECASE | re.ASCII)
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_FORMS = {"grade": (_INTEGER, "a whole number"), "score": (_NUMBER, "a number"), "probability": (_NUMBER, "a number")}
_FLOATS = ("score", "probability")
_USED = ("topic", "document", "stratum", "grade", "probability", "rank", "score", "tag")


def is_integer(text: str) -> bool:
    """Whether a text is a decimal integer that fits 64 bits."""
    return bool(_INTEGER.fullmatch(text))


def read_blocks(name: str, data: bytes, columns: tuple[str, ...], kinds: dict[str, Any]) -> "Iterator[pa.Table]":
    """The columns, block by block, or line by line where Arrow gives up. Raises `ReadError` at the first line at fault."""
    looked = 0
    for number, block in numbered_blocks(data):
        table = read_if_sound(number, block, columns, kinds)
        if table is None:
            if looked > MAX_CHECKED_LINES:
                expected = f"at most about {MAX_CHECKED_LINES:,} lines beside something out of the ordinary"
                raise ReadError(name, number, expected, "more", "Write plain numbers, and one blank between columns; or split the file.")
            table = _line_by_line(name, number, block, columns, kinds)
            looked += table.num_rows
        yield table


def read_if_sound(number: int, block: bytes, columns: tuple[str, ...], kinds: dict[str, Any]) -> "pa.Table | None":
    """The columns of a block, as Arrow reads it; None if its lines must be checked one by one. `number` is that of its first line."""
    try:
        table = read_block(block.removeprefix(BOM) if number == 1 else block, columns, kinds)
    except ArrowRefused:
        return None
    grades = [text for chunk in table["grade"].chunks for text in chunk.dictionary.to_pylist()] if "grade" in columns else ()
    return table if all(map(is_integer, grades)) else None


def _line_by_line(name: str, first: int, data: bytes, columns: tuple[str, ...], kinds: dict[str, Any]) -> "pa.Table":
    """The columns of lines, numbered from `first`. Raises `ReadError` at the first line at fault."""
    texts_of: dict[str, list[str]] = {c: [] for c in kinds}
    for number, line in numbered_lines(data, first):
        if error := line_fault(name, number, line, columns):
            raise error
        for column, part in zip(columns, line.split(), strict=True):
            if column in kinds:
                texts_of[column].append(part.decode())
    parsed = {c: map(float, texts) if c in _FLOATS else texts for c, texts in texts_of.items()}
    return pa.table({c: pa.array(parsed[c], kinds[c], size=len(texts)) for c, texts in texts_of.items()})


def line_fault(name: str, number: int, line: bytes, columns: tuple[str, ...]) -> ReadError | None:
    """The fault of a line, or None: the number of columns, the encoding, or a grade or score that is no number."""
    if len(line) > LONGEST:
        return _too_long(name, number, line)
    parts = line.split(None, MAX_COLUMNS)
    if len(parts) != len(columns):
        expected = f"{len(columns)} columns ({' '.join(columns)})"
        return ReadError(name, number, expected, f"{count_columns(parts)}: {shorten(line)}", "Fix or remove the line.")
    for column, part in zip(columns, parts, strict=True):
        if column in _USED:
            try:
                text = part.decode()
            except UnicodeDecodeError:
                return ReadError(name, number, "text in UTF-8", shorten(line), "Save the file as UTF-8.")
            if column in _FORMS and not _FORMS[column][0].fullmatch(text):
                return ReadError(name, number, f"{_FORMS[column][1]} as {column}", shorten(text), "Fix or remove the line.")
    return None


def count_columns(parts: list[bytes]) -> str:
    """The number of columns of a line, as text. At most `MAX_COLUMNS` are counted, so that a long line does not fill the memory."""
    return str(len(parts)) if len(parts) <= MAX_COLUMNS else f"over {MAX_COLUMNS}"
