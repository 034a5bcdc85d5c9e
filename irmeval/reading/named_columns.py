"""Tables with named columns: JSON lines, Parquet and data frames."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import csv, pa, pc, pq
from irmeval.core.text import MAX_QUOTED, list_few, shorten
from irmeval.reading.files import MAX_BYTES, max_unpacked
from irmeval.reading.lines import LONGEST, begin_of_text
from irmeval.reading.text_layout import NAMES

TEXTS = ("topic", "document", "run", "measure", "rank")
FEW = ("topic", "run", "measure")
"""Columns of few distinct texts, which are stored as codes."""


def table_of(name: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a file or frame by meaning, in the form of
    `irmeval.reading.columns.join_tables`.

    Raises `ReadError` for an empty table, an empty cell, and a grade or score that is
    not a number.
    """
    if any(not len(values) for values in columns.values()):
        raise ReadError(name, None, "at least one row", "none")
    table: dict[str, Any] = {
        column: _numbers(name, column, values)
        for column, values in columns.items()
        if column not in TEXTS
    }
    judged = ~np.isnan(table["grade"]) if "grade" in table else np.True_
    for column, texts in columns.items():
        if column not in TEXTS:
            continue
        texts = string_array(texts, name)
        if column in ("topic", "document"):
            check_filled(name, texts, judged)
            _check_length(name, texts)
        table |= _coded(column, texts) if column in FEW else {column: texts}
    return table


def check_filled(
    name: str, texts: "pa.StringArray", needed: np.ndarray | np.bool_ = np.True_
) -> None:
    """Raise `ReadError` for an empty text in a row where one is `needed`."""
    empty = pc.fill_null(pc.equal(texts, ""), True).to_numpy(zero_copy_only=False)
    if (rows := np.flatnonzero(empty & needed)).size:
        came = f"an empty cell in row {rows[0] + 1:,}"
        raise ReadError(name, None, "a topic and a document in each row", came)


def _check_length(name: str, texts: "pa.StringArray") -> None:
    """Raise `ReadError` for an id longer than a line of a text may be."""
    longest = pc.max(pc.binary_length(texts)).as_py() or 0
    if longest > LONGEST:
        expected = f"ids of at most {LONGEST:,} bytes"
        raise ReadError(name, None, expected, f"one of {longest:,}", "Shorten the ids.")


def _coded(column: str, texts: "pa.StringArray") -> dict[str, Any]:
    """Distinct texts, and for each row the index of its text."""
    encoded = texts.fill_null("").dictionary_encode()
    return {
        column: encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32),
        f"{column}s": tuple(encoded.dictionary.to_pylist()),
    }


def _numbers(name: str, column: str, values: Any) -> np.ndarray:
    if not (isinstance(values, list) and any(isinstance(value, bool | None) for value in values)):
        try:
            return np.asarray(values, np.float64)
        except (TypeError, ValueError):
            pass
    listed = values.to_pylist() if hasattr(values, "to_pylist") else [*values]
    if column == "grade":  # a document without one is not judged
        listed = [np.nan if value is None or value == "" else value for value in listed]
    for row, value in enumerate(listed, 1):
        try:
            if isinstance(value, bool):
                raise TypeError
            float(value)
        except (TypeError, ValueError):
            what = "nothing" if value is None else shorten(value)
            raise ReadError(
                name,
                None,
                f"numbers as {column}s",
                f"{what} in row {row:,}",
                "Fix or remove the row.",
            ) from None
    return np.array(listed, np.float64)


def string_array(values: Any, name: str = "names") -> "pa.StringArray":
    """Convert a column to texts. A missing value becomes null; a whole number that
    pandas made a float, such as ``1.0``, its digits; any other value its `str`. Raises
    `ReadError` with `name` for a text that is not Unicode.
    """
    values = values if hasattr(values, "__len__") else [*values]
    try:
        column = pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair: {shorten(error.object)}"
        raise ReadError(name, None, "text in Unicode", found, "Fix or remove the text.") from None
    except (pa.ArrowException, TypeError):  # not texts alone
        column = pa.array(_texts(values), pa.string())
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _texts(values: Any) -> list[str | None]:
    """Values as texts, None for a missing one."""
    missing = values.isna() if hasattr(values, "isna") else [value is None for value in values]
    return [None if none else _text(value) for value, none in zip(values, missing, strict=True)]


def _text(value: Any) -> str:
    return (
        str(int(value))
        if isinstance(value, float | np.floating) and float(value).is_integer()
        else str(value)
    )


def read_parquet(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a Parquet file; `found` maps columns to their names. Raises
    `ReadError` as `table_of`; also for columns of lists, and for texts that become much
    larger than the file.
    """
    with parquet_file(name, data) as file:
        for heading in found.values():
            kind = file.schema_arrow.field(heading).type
            if pa.types.is_nested(kind):
                came = f"{shorten(heading)} with {str(kind)[:100]}"
                raise ReadError(name, None, "columns of texts and numbers", came)
        read = file.read([*found.values()])
        room = max_unpacked(len(data)) - sum(map(text_bytes, read.columns))
        if room < 0:
            raise _too_large(name, len(data))
        return table_of(name, {column: _plain(read[heading]) for column, heading in found.items()})


@contextmanager
def parquet_file(name: str, data: bytes) -> "Iterator[pq.ParquetFile]":
    """A Parquet file whose texts are read as dictionaries, so that repeated ones are
    held once. Raises `ReadError` for a damaged file, here and within the context, and
    for one that becomes much larger.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        schema, groups = file.schema, file.metadata
        texts = [
            schema.column(place).path
            for place in range(len(schema))
            if schema.column(place).physical_type == "BYTE_ARRAY"
        ]
        sizes = [groups.row_group(group).total_byte_size for group in range(file.num_row_groups)]
        if max(sum(sizes), 8 * groups.num_rows) > max_unpacked(len(data)):
            raise _too_large(name, len(data))
        yield pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise ReadError(
            name, None, "a Parquet file", f"damaged data ({str(error)[:80]})", "Write it again."
        ) from None


def _too_large(name: str, size: int) -> ReadError:
    most = f"at most {max_unpacked(size) >> 20} MiB when unpacked"
    return ReadError(name, None, most, "more", "Split the file.")


def text_bytes(column: "pa.ChunkedArray") -> int:
    """Bytes of the texts in a column, repeated ones counted each time."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = (
        pc.sum(pc.take(pc.binary_length(chunk.dictionary), chunk.indices))
        for chunk in column.chunks
    )
    return sum(length.as_py() or 0 for length in lengths)


def as_parquet(text: str) -> bytes:
    """Convert a CSV text to a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(csv.read_csv(pa.BufferReader(text.encode())), sink)
    return sink.getvalue().to_pybytes()


def _plain(column: "pa.ChunkedArray") -> Any:
    """A column in one chunk; whole numbers and dictionaries as texts if Arrow can cast
    them.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_large_string(kind):
        kind = pa.string()
    values = column.cast(kind)
    if pa.types.is_string(kind):
        return values.combine_chunks() if values.num_chunks != 1 else values.chunk(0)
    return values.to_numpy() if _is_plain(values) else values.to_pylist()


def _is_plain(column: "pa.ChunkedArray") -> bool:
    """Whether a column has numbers alone."""
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return is_number and not column.null_count


def records(name: str, data: bytes) -> Iterator[tuple[int | None, Any]]:
    """Objects of JSON lines with their line numbers, or of a JSON list. Raises
    `ReadError` for a line that is not an object.
    """
    for number, value in values_of(name, data):
        for record in value if isinstance(value, list) else [value]:
            yield number, record


def values_of(name: str, data: bytes) -> Iterator[tuple[int | None, Any]]:
    """Values of JSON lines with their line numbers, or the value of a JSON text.
    Raises `ReadError` for anything else.
    """
    if not _is_json_lines(data):
        yield None, load_whole(name, data)
        return
    _check_unicode(name, data)
    for number, line in _lines_of(data):
        yield number, _loads(name, line, number)


def _is_json_lines(data: bytes) -> bool:
    """Whether the first line is a JSON text, and others follow."""
    start = begin_of_text(data)
    begin = _WORD.search(data, start)
    end = data.find(b"\n", begin.start()) if begin else -1
    return end >= 0 and bool(_WORD.search(data, end)) and _is_json(data[start:end])


_WORD = re.compile(rb"\S")


def _lines_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and text of each line that is not empty."""
    start, number = begin_of_text(data), 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if line := data[start:end].strip():
            yield number, line
        start = end + 1


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


LARGEST = 512 << 20
"""Maximum bytes of a JSON text; a larger one can be converted to JSON lines."""
TO_LINES = "jq -c '.[]'"
"""Command that writes each element of a JSON list or mapping on a line."""


def load_whole(name: str, data: bytes, to_lines: str = TO_LINES, **hooks: Any) -> Any:
    """Value of a whole JSON text, as `load_json`. Raises `ReadError` also for a large
    one; `to_lines` makes it JSON lines.
    """
    remedy = f"Make it JSON lines: {to_lines} FILE > NEW.jsonl"
    if len(data) > LARGEST:
        raise ReadError(name, None, f"at most {LARGEST >> 20} MiB of JSON", "more", remedy)
    if _decoded_bytes(data) > MAX_BYTES:
        expected = f"JSON that takes at most {MAX_BYTES >> 20} MiB when decoded"
        raise ReadError(name, None, expected, "more", remedy)
    return load_json(name, data, **hooks)


def _decoded_bytes(data: bytes) -> int:
    """Estimated bytes of the objects, lists and texts in a JSON text."""
    return 400 * data.count(b"{") + 64 * data.count(b"[") + 25 * data.count(b'"')


def load_json(name: str, text: bytes, number: int | None = None, **hooks: Any) -> Any:
    """Value of a JSON text. Raises `ReadError` with the invalid line; `number` is that
    of its first line.
    """
    _check_unicode(name, text, number or 1)
    return _loads(name, text, number, **hooks)


def _check_unicode(name: str, text: bytes, number: int = 1) -> None:
    """Raise `ReadError` for half of a surrogate pair; `number` is that of the first
    line.
    """
    if (at := lone_surrogate(text)) < 0:
        return
    line = number + text.count(b"\n", 0, at)
    came = f"half of a surrogate pair: {shorten(text[max(at - 20, 0) : at + 6])}"
    raise ReadError(name, line, "text in Unicode", came, "Fix or remove the text.")


def _loads(name: str, text: bytes, number: int | None, **hooks: Any) -> Any:
    """Value of a JSON text that is Unicode."""
    try:
        return json.loads(text, **hooks)
    except json.JSONDecodeError as error:
        line = (number or 1) + error.lineno - 1
        around = error.doc[max(error.pos - 20, 0) : error.pos + 20]
        raise ReadError(
            name,
            line,
            "JSON",
            f"{shorten(around)} ({error.msg})",
            "It may be truncated: write it again.",
        ) from None
    except UnicodeDecodeError:
        raise ReadError(
            name, number, "text in UTF-8", "another encoding", "Save the file as UTF-8."
        ) from None
    except (RecursionError, ValueError):
        raise ReadError(
            name,
            number,
            "JSON of qrels, a run or scores",
            "deeply nested brackets or a huge number",
        ) from None


_MAY_BE_LONE = rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]"
_ESCAPE = rb"\xed[\xa0-\xbf]|\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<lone>u[dD][89a-fA-F])|.)"
"""Escapes of a JSON text: a surrogate pair, half of one, or another."""


def lone_surrogate(text: bytes) -> int:
    """Place of the first half of a surrogate pair without the other half, else -1."""
    has_any = b"\\u" in text or b"\xed" in text  # much faster than the pattern
    if not has_any:
        return -1
    if not re.search(_MAY_BE_LONE, text):
        return -1
    halves = filter(_is_half, re.finditer(_ESCAPE, text, re.DOTALL))
    return next(map(re.Match.start, halves), -1)


def _is_half(escape: re.Match[bytes]) -> bool:
    return bool(escape["lone"]) or escape[0].startswith(b"\xed")


NEEDED = ("topic", "document", "score", "value")
"""Columns without empty cells; documents without a grade need only the last two."""


def read_json_lines(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of JSON lines, or of a JSON list of objects; `found` maps columns to
    their keys. Raises `ReadError` as `table_of`, and for an object that lacks a key.
    """
    columns: dict[str, list[Any]] = {column: [] for column in found}
    grade = found.get("grade")
    for number, record in records(name, data):
        if not isinstance(record, dict):
            raise ReadError(name, number, "an object", shorten(record), "Fix or remove the line.")
        unjudged = grade is not None and record.get(grade) in (None, "")
        required = NEEDED[2:] if unjudged else NEEDED
        for column, key in found.items():
            value = record.get(key)
            if column == "grade" and value in (None, ""):
                value = np.nan
            if value is None and column in required:
                raise ReadError(
                    name, number, f"the key {key}", f"{shorten(record)}", "Fix or remove the line."
                )
            if column in ("grade", "score", "value") and not _can_be_number(value):
                raise ReadError(
                    name, number, f"a number as {column}", shorten(value), "Fix or remove the line."
                )
            columns[column].append(value)
    return table_of(name, columns)


def _can_be_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return not isinstance(value, bool)


def missing_column(name: str, column: str, names: Sequence[Any]) -> ReadError:
    """Error for a table that lacks a column."""
    choices = (*NAMES[column], "score") if column == "grade" else NAMES[column]
    came = list_few([str(each)[:MAX_QUOTED] for each in names], 8)
    return ReadError(name, None, f"a column named {' or '.join(choices)}", came, "Rename a column.")
