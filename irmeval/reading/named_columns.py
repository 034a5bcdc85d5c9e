"""Tables with named columns: JSON lines, Parquet and data frames; and the JSON texts of
records, which `irmeval.core.records` reads.
"""

import json
import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from itertools import filterfalse, repeat
from operator import is_
from typing import Annotated, Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import csv, pa, pc, pq
from irmeval.core.records import Condition, Record
from irmeval.core.text import MAX_QUOTED, list_few, shorten
from irmeval.reading.files import MAX_BYTES, is_file_name, max_unpacked
from irmeval.reading.lines import LONGEST, begin_of_text
from irmeval.reading.text_layout import NAMES

TEXTS = ("topic", "document", "run", "measure", "rank")
FEW = ("topic", "run", "measure")
"""Columns of few distinct texts, which are stored as codes."""
IDS = ("topic", "document")
NUMBERS = ("grade", "score", "value")


def table_of(name: str, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a file or frame by meaning, in the form of
    `irmeval.reading.columns.join_tables`.

    Raises `ReadError` for an empty table, an empty cell, and a grade or score that is
    not a number.
    """
    if not all(map(len, columns.values())):
        raise ReadError(name, None, "at least one row", "none")
    table: dict[str, Any] = {}
    for column in filterfalse(TEXTS.__contains__, columns):
        table[column] = _numbers(name, column, columns[column])
    judged: np.ndarray | np.bool_ = np.True_
    if "grade" in table:
        judged = ~np.isnan(table["grade"])
    for column in filter(TEXTS.__contains__, columns):
        texts = string_array(columns[column], name)
        if column in IDS:
            check_filled(name, texts, judged)
            _check_length(name, texts)
        if column in FEW:
            table |= _coded(column, texts)
        else:
            table[column] = texts
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
    """Numbers of a column. Raises `ReadError` for a value that is none."""
    if not _misleads(values):
        with suppress(TypeError, ValueError, OverflowError):
            return np.asarray(values, np.float64)
    listed = _listed(column, values)
    for row, value in enumerate(listed, 1):
        if not _can_be_number(value):
            stated = "nothing" if value is None else shorten(value)
            came = f"{stated} in row {row:,}"
            raise ReadError(name, None, f"numbers as {column}s", came, "Fix or remove the row.")
    return np.array(listed, np.float64)


def _listed(column: str, values: Any) -> list[Any]:
    """Values of a column; a missing grade, of a document that is not judged, is NaN."""
    listed: list[Any] = np.asarray(values, object).tolist()
    if column != "grade":
        return listed
    return [np.nan if value in MISSING else value for value in listed]


MISSING = (None, "")


def _misleads(values: Any) -> bool:
    """Whether a list has values that NumPy takes for 0, 1 or NaN, and nobody means so."""
    return isinstance(values, list) and not {bool, type(None)}.isdisjoint(map(type, values))


def _can_be_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, bool)


def string_array(values: Any, name: str = "names") -> "pa.StringArray":
    """Convert a column to texts. A missing value becomes null; a whole number that
    pandas made a float, such as ``1.0``, its digits; bytes are UTF-8; any other value
    becomes its `str`. Raises `ReadError` with `name` for a text that is not Unicode.
    """
    if not hasattr(values, "__len__"):
        values = [*values]
    try:
        column = pa.array(values, pa.string())
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair: {shorten(error.object)}"
        raise ReadError(name, None, "text in Unicode", found, "Fix or remove the text.") from None
    except (pa.ArrowException, TypeError):  # not texts alone
        texts = map(_text_or_null, repeat(name), values, _are_missing(values))
        return string_array([*texts], name)
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks()
    return column


def _are_missing(values: Any) -> np.ndarray:
    """Which values are missing: those that pandas calls so, else None; bool."""
    if hasattr(values, "isna"):
        return np.asarray(values.isna(), bool)
    return np.fromiter(map(is_, values, repeat(None)), bool)


def _text_or_null(name: str, value: Any, is_missing: bool) -> str | None:
    if is_missing:
        return None
    if isinstance(value, bytes):
        return _decoded(name, value)
    is_float = isinstance(value, float | np.floating)
    if is_float and float(value).is_integer():
        return str(int(value))
    return str(value)


def _decoded(name: str, value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        remedy = "Write ids as texts."
        raise ReadError(name, None, "text in UTF-8", shorten(value), remedy) from None


def read_parquet(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a Parquet file; `found` maps columns to their names. Raises
    `ReadError` as `table_of`; also for columns of lists, and for texts that become much
    larger than the file.
    """
    with parquet_file(name, data) as file:
        for heading in found.values():
            _check_flat(name, heading, file.schema_arrow.field(heading).type)
        read = file.read([*found.values()])
        room = max_unpacked(len(data)) - sum(map(text_bytes, read.columns))
        if room < 0:
            raise _too_large(name, len(data))
        return table_of(name, {column: _plain(read[heading]) for column, heading in found.items()})


def _check_flat(name: str, heading: str, kind: "pa.DataType") -> None:
    """Raise `ReadError` for a column of lists or records."""
    if pa.types.is_nested(kind):
        came = f"{shorten(heading)} with {str(kind)[:100]}"
        raise ReadError(name, None, "columns of texts and numbers", came)


@contextmanager
def parquet_file(name: str, data: bytes) -> "Iterator[pq.ParquetFile]":
    """A Parquet file whose texts are read as dictionaries, so that repeated ones are
    held once. Raises `ReadError` for a damaged file, here and within the context, and
    for one that becomes much larger.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        groups = file.metadata
        columns = map(file.schema.column, range(len(file.schema)))
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
        # before anything is decoded: a file of 115 KB became 4.4 GB
        sizes = [groups.row_group(group).total_byte_size for group in range(file.num_row_groups)]
        if max(sum(sizes), 8 * groups.num_rows) > max_unpacked(len(data)):
            raise _too_large(name, len(data))
        yield pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts)
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        came = f"damaged data ({str(error)[:80]})"
        raise ReadError(name, None, "a Parquet file", came, "Write it again.") from None


def _too_large(name: str, size: int) -> ReadError:
    most = f"at most {max_unpacked(size) >> 20} MiB when unpacked"
    return ReadError(name, None, most, "more", "Split the file.")


def text_bytes(column: "pa.ChunkedArray") -> int:
    """Bytes of the texts in a column, repeated ones counted each time."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    total = 0
    for chunk in column.chunks:
        lengths = pc.take(pc.binary_length(chunk.dictionary), chunk.indices)
        total += pc.sum(lengths, min_count=0).as_py()
    return total


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
        if values.num_chunks == 1:  # it needs no copy
            return values.chunk(0)
        return values.combine_chunks()
    has_numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    if has_numbers and not values.null_count:
        return values.to_numpy()
    return values.to_pylist()


def records(name: str, data: bytes) -> Iterator[tuple[int | None, Any]]:
    """Objects of JSON lines with their line numbers, or of a JSON list. Raises
    `ReadError` for a line that is not an object.
    """
    for number, value in json_values(name, data):
        listed = value if isinstance(value, list) else [value]
        for each in listed:
            yield number, each


def json_values(name: str, data: bytes) -> Iterator[tuple[int | None, Any]]:
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
    if not begin:
        return False
    end = data.find(b"\n", begin.start())
    follow_others = end >= 0 and _WORD.search(data, end) is not None
    return follow_others and _is_json(data[start:end])


_WORD = re.compile(rb"\S")


def _lines_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Number and text of each line that is not empty."""
    lines = BytesIO(data)  # it shares the memory of the bytes
    lines.seek(begin_of_text(data))
    for number, line in enumerate(lines, 1):
        if text := line.strip():
            yield number, text


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
    # Python reads half of a pair without a word, and fails when it is written
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


NEEDED = {True: (*IDS, "score", "value"), False: ("score", "value")}
"""Columns without empty cells, by whether a document has a grade; one without is left
out, whatever it lacks.
"""


def read_json_lines(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of JSON lines, or of a JSON list of objects; `found` maps columns to
    their keys. Raises `ReadError` as `table_of`, and for an object that lacks a key.
    """
    columns: dict[str, list[Any]] = {column: [] for column in found}
    for number, record in records(name, data):
        for column, value in _row_of(name, number, record, found).items():
            columns[column].append(value)
    return table_of(name, columns)


def _row_of(name: str, number: int | None, record: Any, found: Mapping[str, str]) -> dict[str, Any]:
    """Values of an object by column; `number` is that of its line."""
    if not isinstance(record, dict):
        raise ReadError(name, number, "an object", shorten(record), FIX)
    row = {column: record.get(key) for column, key in found.items()}
    is_graded = row.get("grade", 0) not in MISSING
    if not is_graded:
        row["grade"] = np.nan
    lacking = [column for column in NEEDED[is_graded] if row.get(column, "") is None]
    if lacking:
        raise ReadError(name, number, f"the key {found[lacking[0]]}", shorten(record), FIX)
    for column in filter(row.__contains__, NUMBERS):
        if not _can_be_number(row[column]):
            raise ReadError(name, number, f"a number as {column}", shorten(row[column]), FIX)
    return row


FIX = "Fix or remove the line."


def missing_column(name: str, column: str, names: Sequence[Any]) -> ReadError:
    """Error for a table that lacks a column."""
    expected = f"a column named {' or '.join(_CALLED[column])}"
    came = list_few([str(each)[:MAX_QUOTED] for each in names], 8)
    return ReadError(name, None, expected, came, "Rename a column.")


_CALLED = NAMES | {"grade": (*NAMES["grade"], "score")}
"""Names of each column that an error offers."""


def require_columns(
    name: str, needed: Iterable[str], found: Container[str], names: Sequence[Any]
) -> None:
    """Raise `ReadError` for a table with columns of these names, if one of the needed
    columns is not found.
    """
    for column in needed:
        if column not in found:
            raise missing_column(name, column, names)


LARGEST_RECORD = 16 << 20
"""Maximum bytes of a record."""
FileName = Annotated[
    str, Condition("the name of a file alone", is_file_name, "Do not trust this file.")
]
"""Name of a file without a folder."""


def read_json(file: str, data: bytes, what: str, remedy: str) -> Record:
    """Object in a JSON text. Raises `ReadError` if the text is not a JSON object, is
    larger than `LARGEST_RECORD`, or contains NaN, an infinite number or half of a surrogate
    pair, which no disk and no browser takes; `what` describes the expectation.
    """
    if len(data) > LARGEST_RECORD:
        raise ReadError(
            file, None, f"{what}, of at most {LARGEST_RECORD >> 20} MiB", "more", remedy
        )
    try:
        found = json.loads(data, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        came = str(error) if isinstance(error, _NotFinite) else "something else, which is not JSON"
        raise ReadError(file, None, what, came, remedy) from None
    if not isinstance(found, dict):
        raise ReadError(file, None, what, f"something else ({shorten(found)})", remedy)
    if (at := lone_surrogate(data)) >= 0:
        came = f"half of a surrogate pair in {shorten(data[max(at - 20, 0) : at + 6].decode())}"
        raise ReadError(file, data.count(b"\n", 0, at) + 1, "text in Unicode", came, remedy)
    return Record(file, "", found)


class _NotFinite(ValueError):
    """A NaN or an infinite number in JSON."""


def _finite(text: str) -> float:
    if not math.isfinite(number := float(text)):
        raise _NotFinite(f"the number {text[:20]}")
    return number
