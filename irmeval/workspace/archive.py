"""Qrels, runs and score matrices as Arrow files. Columns are stored as in memory,
everything else as JSON.
"""

import json
from dataclasses import fields
from typing import Any

import numpy as np

from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.lazy import pa
from irmeval.reading.design import Design
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Better, Fault, Qrels, Run

Archived = Qrels | Run | Matrix
KINDS: dict[str, type[Archived]] = {"qrels": Qrels, "run": Run, "matrix": Matrix}
_FACTS = b"irmeval"
_NESTED: dict[str, type[Design | Better]] = {"design": Design, "better": Better}
"""Fields that are records of their own; their fields are stored as ``design.stratum``
and so on.
"""
_IF_ANY = (
    "header",
    "format",
    "notes",
    "design",
    "design.weight",
    "design.stated",
    "better",
    "judge",
    "others",
)
"""Rare fields, stored only if they are not empty."""


def write(content: Archived) -> "pa.Buffer":
    """An Arrow file (IPC) of one row. Equal content gives equal bytes."""
    columns: dict[str, pa.Array] = {}
    facts: dict[str, Any] = {
        "kind": next(name for name, kind in KINDS.items() if isinstance(content, kind))
    }
    for name, value in _parts(content).items():
        if name in _IF_ANY and (value is None or not len(value)):
            continue
        if isinstance(value, np.ndarray):
            columns[name] = pa.array(value.ravel())
        elif isinstance(value, pa.Array):
            columns[name] = value
        else:
            facts[name] = value
    rows = [
        pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
        for column in columns.values()
    ]
    table = pa.table(rows, list(columns)).replace_schema_metadata(
        {_FACTS: json.dumps(facts, default=_error).encode()}
    )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue()


def read(name: str, content: "bytes | pa.Buffer") -> Archived:
    """Content of a file from `write`; its arrays are read-only views of the bytes.

    Raises `ReadError` for any other file; `name` is its name in the message. There is
    no checksum: the caller must know that the bytes are unchanged.
    """
    try:
        table = pa.ipc.open_file(pa.BufferReader(content)).read_all()
        parts = json.loads(table.schema.metadata[_FACTS])
        kind = KINDS[parts.pop("kind")]
        parts = {key: _tuples(value) for key, value in parts.items()}
        for key in table.column_names:
            column = table[key].chunk(0).values
            parts[key] = column if pa.types.is_string(column.type) else column.to_numpy()
        for field, record in _NESTED.items():
            if own := {key: parts.pop(key) for key in [*parts] if key.startswith(f"{field}.")}:
                parts[field] = record(
                    **{key.removeprefix(f"{field}."): value for key, value in own.items()}
                )
        if kind is Matrix:
            parts["values"] = parts["values"].reshape(len(parts["runs"]), len(parts["topics"]))
        else:
            parts["repeated"] = tuple(
                Fault(lines, ReadError(*first)) for lines, first in parts["repeated"]
            )
        return kind(**parts)
    except (pa.ArrowException, IrmevalError, KeyError, IndexError, TypeError, ValueError):
        raise ReadError(
            name, None, "a file stored by irmeval", "something else", "Load the data again."
        ) from None


def _parts(content: Archived) -> dict[str, Any]:
    """The stored fields by name, those of nested records one by one."""
    parts = _fields(content)
    for field in _NESTED:
        if record := parts.get(field):
            del parts[field]
            parts |= {f"{field}.{key}": value for key, value in _fields(record).items()}
    return parts


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass or a named tuple."""
    names = getattr(record, "_fields", None) or [field.name for field in fields(record)]
    return {name: getattr(record, name) for name in names}


def _error(value: object) -> Any:
    """The parts of a `ReadError` in the faults of a file, for JSON."""
    if isinstance(value, ReadError):
        return value.__reduce__()[1]
    raise TypeError(type(value).__name__)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
