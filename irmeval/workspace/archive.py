"""Qrels, runs and score matrices as Arrow files. Columns are stored as in memory,
everything else as JSON.
"""

import json
from typing import Any

import numpy as np

from irmeval.core.errors import IrmevalError, ReadError
from irmeval.core.lazy import pa
from irmeval.core.records import Record, parts_of, to_json
from irmeval.reading.design import Design
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Better, Qrels, Run

Archived = Qrels | Run | Matrix
KINDS: dict[str, type[Archived]] = {"qrels": Qrels, "run": Run, "matrix": Matrix}
_NAME_OF = {kind: name for name, kind in KINDS.items()}
_FACTS = b"irmeval"
_NESTED: dict[str, type[Design | Better]] = {"design": Design, "better": Better}
"""Fields that are records with columns of their own; these are stored as
``design.stratum`` and so on.
"""


def write(content: Archived) -> "pa.Buffer":
    """An Arrow file (IPC) of one row. Equal content gives equal bytes."""
    columns: dict[str, pa.Array] = {}
    facts: dict[str, Any] = {"kind": _NAME_OF[type(content)]}
    for name, value in _fields(content).items():
        if isinstance(value, np.ndarray):
            columns[name] = pa.array(value.ravel())
        elif isinstance(value, pa.Array):
            columns[name] = value
        else:
            facts[name] = to_json(value)
    # one row of lists, since the columns of a table are all of one length
    rows = [
        pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column)
        for column in columns.values()
    ]
    metadata = {_FACTS: json.dumps(facts).encode()}
    table = pa.table(rows, list(columns)).replace_schema_metadata(metadata)
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
        facts = json.loads(table.schema.metadata[_FACTS])
        kind = KINDS[facts.pop("kind")]
        columns = {key: _array(table[key].chunk(0).values) for key in table.column_names}
        for field, record in _NESTED.items():
            inner = _within(field, columns)
            if inner:
                columns[field] = Record(name, field, _within(field, facts)).made(record, **inner)
        if kind is Matrix:
            # columns are flat in the file, and a matrix has two axes
            shape = len(facts["runs"]), len(facts["topics"])
            columns["values"] = columns["values"].reshape(shape)
        return Record(name, "", facts).made(kind, **columns)
    # a file of another version may lack any part, and the visitor has the original
    except (pa.ArrowException, IrmevalError, KeyError, IndexError, TypeError, ValueError):
        raise ReadError(
            name, None, "a file stored by irmeval", "something else", "Load the data again."
        ) from None


def _array(column: "pa.Array") -> Any:
    if pa.types.is_string(column.type):
        return column
    return column.to_numpy()


def _within(field: str, parts: dict[str, Any]) -> dict[str, Any]:
    """The parts of a field that is a record, which are taken out."""
    inner = {}
    for name in [*parts]:
        outer, dot, own = name.partition(".")
        if dot and outer == field:
            inner[own] = parts.pop(name)
    return inner


def _fields(content: Archived) -> dict[str, Any]:
    """The stored fields by name, those of nested records one by one; without those that
    have their usual value.
    """
    parts: dict[str, Any] = {}
    for name, part in parts_of(type(content)).items():
        value = getattr(content, name)
        if not isinstance(value, np.ndarray | pa.Array) and value == part.default:
            continue
        if name in _NESTED:
            parts |= {f"{name}.{key}": one for key, one in _fields(value).items()}
        else:
            parts[name] = value
    return parts
