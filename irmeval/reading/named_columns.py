"""Tables with named columns: JSON lines, Parquet and data frames."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import csv, pa, pc, pq
from irmeval.core.text import MAX_QUOTED, list_few, shorten
from irmeval.reading.files import MAX_BYTES
from irmeval.reading.lines import begin_of_text
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
    table: dict[str, Any] = {}
    for column, values in columns.items():
        if not len(values):
            raise ReadError(name, None, "at least one row", "none")
        if column not in TEXTS:
            table[column] = _numbers(name, column, values)
            continue
        texts = string_array(values)
        if texts.null_count and column in ("topic", "document"):
            row = pc.index(pc.is_null(texts), True).as_py() + 1
            raise ReadError(
                name, None, "a topic and a document in each row", f"an empty cell in row {row:,}"
            )
        table |= _coded(column, texts) if column in FEW else {column: texts}
    return table


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


def string_array(values: Any) -> "pa.StringArray":
    """Convert a column to texts. A missing value becomes null; a whole number that
    pandas made a float, such as ``1.0``, its digits; any other value its `str`.
    """
    values = values if hasattr(values, "__len__") else [*values]
    try:
        column = pa.array(values, pa.string())
    except (pa.ArrowException, TypeError):  # not texts alone
        empty = values.isna() if hasattr(values, "isna") else [value is None for value in values]
        column = pa.array(
            [None if none else _text(value) for value, none in zip(values, empty, strict=True)],
            pa.string(),
        )
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _text(value: Any) -> str:
    return (
        str(int(value))
        if isinstance(value, float | np.floating) and float(value).is_integer()
        else str(value)
    )


def read_parquet(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of a Parquet file; `found` maps columns to their names. Raises
    `ReadError` as `table_of`.
    """
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        size = sum(
            file.metadata.row_group(group).total_byte_size for group in range(file.num_row_groups)
        )
        if max(size, 8 * file.metadata.num_rows) > MAX_BYTES:
            raise ReadError(
                name,
                None,
                f"at most {MAX_BYTES >> 20} MiB when unpacked",
                "more",
                "Split the file.",
            )
        read = file.read([*found.values()])
        columns = {column: _plain(read[heading]) for column, heading in found.items()}
        return table_of(name, columns)
    except (pa.ArrowException, OSError, KeyError, UnicodeDecodeError) as error:
        raise ReadError(
            name, None, "a Parquet file", f"damaged data ({str(error)[:80]})", "Write it again."
        ) from None


def as_parquet(text: str) -> bytes:
    """Convert a CSV text to a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(csv.read_csv(pa.BufferReader(text.encode())), sink)
    return sink.getvalue().to_pybytes()


def _plain(column: "pa.ChunkedArray") -> Any:
    """A column in one chunk; whole numbers and dictionaries as texts if Arrow can cast
    them.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    if pa.types.is_string(column.type):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    return column.to_numpy() if is_number and not column.null_count else column.to_pylist()


def records(name: str, data: bytes) -> Iterator[tuple[int | None, Any]]:
    """Objects of JSON lines with their line numbers, or of a JSON list. Raises
    `ReadError` for a line that is not an object.
    """
    start = begin_of_text(data)
    if data[start : start + 1000].lstrip()[:1] == b"[":
        listed = load_json(name, data)
        yield from ((None, found) for found in listed)
        return
    number = 0
    while start < len(data):
        end = data.find(b"\n", start)
        end = len(data) if end < 0 else end
        number += 1
        if line := data[start:end].strip():
            yield number, load_json(name, line, number)
        start = end + 1


def load_json(name: str, text: bytes, number: int | None = None, **hooks: Any) -> Any:
    """Value of a JSON text. Raises `ReadError` with the invalid line; `number` is that
    of its first line.
    """
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


def read_json_lines(name: str, data: bytes, found: Mapping[str, str]) -> dict[str, Any]:
    """Columns of JSON lines, or of a JSON list of objects; `found` maps columns to
    their keys. Raises `ReadError` as `table_of`, and for an object that lacks a key.
    """
    columns: dict[str, list[Any]] = {column: [] for column in found}
    for number, record in records(name, data):
        if not isinstance(record, dict):
            raise ReadError(name, number, "an object", shorten(record), "Fix or remove the line.")
        for column, key in found.items():
            value = record.get(key)
            if value is None and column in ("topic", "document", "grade", "score", "value"):
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
