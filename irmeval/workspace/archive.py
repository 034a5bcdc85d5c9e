"""Qrels, runs, score matrices and collections as Arrow files, and back. Columns are stored as they are in memory, all else as JSON."""

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from irmeval.collection import Collection
from irmeval.collection.joining import Outside
from irmeval.core.errors import IrmevalError, ReadError
from irmeval.reading.design import Design
from irmeval.reading.matrix import Matrix
from irmeval.reading.policy import Policy
from irmeval.reading.trec import Fault, Qrels, Run

if TYPE_CHECKING:
    import pyarrow as pa

Archived = Qrels | Run | Matrix | Collection
KINDS: dict[str, type[Archived]] = {"qrels": Qrels, "run": Run, "matrix": Matrix, "collection": Collection}
_FACTS, _OUTSIDE, _DESIGN = b"irmeval", "outside.", "design."
_ELSEWHERE = ("chosen", "panel", "source")
"""Fields of a collection that are not stored: what was made after reading, and how it is read again."""
_IF_ANY = ("header", "headers", "design", "design.weight", "design.stated")
"""Fields that are stored only where they hold something, as they are rare."""


def write(content: Archived) -> "pa.Buffer":
    """An Arrow file (IPC) of one row. Equal content gives equal bytes."""
    import pyarrow as pa

    columns: dict[str, pa.Array] = {}
    facts: dict[str, Any] = {"kind": next(name for name, kind in KINDS.items() if isinstance(content, kind))}
    for name, value in _parts(content).items():
        if name in _IF_ANY and (value is None or not len(value)):
            continue
        if isinstance(value, np.ndarray):
            columns[name] = pa.array(value.ravel())
        elif isinstance(value, pa.Array):
            columns[name] = value
        else:
            facts[name] = asdict(value) if isinstance(value, Policy) else value
    rows = [pa.LargeListArray.from_arrays(pa.array([0, len(column)], pa.int64()), column) for column in columns.values()]
    table = pa.table(rows, list(columns)).replace_schema_metadata({_FACTS: json.dumps(facts, default=_error).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as file:
        file.write_table(table)
    return sink.getvalue()


def read(name: str, content: "bytes | pa.Buffer") -> Archived:
    """The content of a file from `write`; its arrays are read-only views of the bytes.

    Raises `ReadError` for another file; `name` is its name in the message. The bytes have no checksum: the caller must know that they are
    unchanged.
    """
    import pyarrow as pa

    try:
        table = pa.ipc.open_file(pa.BufferReader(content)).read_all()
        parts = json.loads(table.schema.metadata[_FACTS])
        kind = KINDS[parts.pop("kind")]
        parts = {key: _tuples(value) for key, value in parts.items()}
        for key in table.column_names:
            column = table[key].chunk(0).values
            parts[key] = column if pa.types.is_string(column.type) else column.to_numpy()
        if _DESIGN + "stratum" in parts:
            own = {key: parts.pop(_DESIGN + key) for key in ("stratum", "names", "weight", "stated") if _DESIGN + key in parts}
            parts["design"] = Design(**own)
        if kind in (Qrels, Run):
            parts["repeated"] = tuple(Fault(lines, ReadError(*first)) for lines, first in parts["repeated"])
        if kind is Matrix:
            parts["values"] = parts["values"].reshape(len(parts["runs"]), len(parts["topics"]))
        if kind is Collection:
            parts["outside"] = Outside(**{key: parts.pop(_OUTSIDE + key) for key in Outside._fields})
            parts["policy"] = Policy(**parts["policy"])
        return kind(**parts)
    except (pa.ArrowException, IrmevalError, KeyError, IndexError, TypeError, ValueError):
        raise ReadError(name, None, "a file that irmeval has kept", "something else", "Load the data again.") from None


def _parts(content: Archived) -> dict[str, Any]:
    """The fields by name, with those of the `Outside` of a collection, and of the `Design` of a sample."""
    if isinstance(content, Qrels | Run):
        return _with_design(content._asdict())
    parts = {field.name: getattr(content, field.name) for field in fields(content) if field.name not in _ELSEWHERE}
    if isinstance(content, Collection):
        parts |= {_OUTSIDE + key: value for key, value in parts.pop("outside")._asdict().items()}
    return _with_design(parts)


def _with_design(parts: dict[str, Any]) -> dict[str, Any]:
    """The fields, with those of a design in its place."""
    if design := parts.get("design"):
        del parts["design"]
        parts |= {_DESIGN + field.name: getattr(design, field.name) for field in fields(design)}
    return parts


def _error(value: object) -> Any:
    """The parts of a `ReadError` in the faults of a file, for JSON."""
    if isinstance(value, ReadError):
        return value.__reduce__()[1]
    raise TypeError(type(value).__name__)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
