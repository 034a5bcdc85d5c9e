"""NumPy's arrays of numbers as Arrow's, and back, without a copy and without pandas:
Arrow's own functions for this import pandas, which takes longer than most commands.
"""

from collections.abc import Iterable

import numpy as np

from irmeval.core.lazy import pa


def to_arrow(values: np.ndarray) -> "pa.Array":
    """Numbers [n] as an Arrow array."""
    values = np.ascontiguousarray(values)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, values.size, [None, pa.py_buffer(values)])


def to_numpy(values: "pa.Array | pa.ChunkedArray") -> np.ndarray:
    """Numbers or truth values [n] without nulls as a NumPy array, which is read-only."""
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_boolean(values.type):
        return np.from_dlpack(values.cast(pa.uint8())).view(bool)
    return np.from_dlpack(values)


def to_texts(texts: Iterable[str]) -> "pa.StringArray":
    """A few texts, such as the names of topics, as an Arrow array. Texts by the million,
    which are copied twice here, are for `pyarrow.array`.
    """
    encoded = [*map(str.encode, texts)]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    buffers = map(pa.py_buffer, (ends, b"".join(encoded)))
    return pa.StringArray.from_buffers(len(encoded), *buffers)


def codes_of(texts: Iterable[str], known: dict[str, int]) -> np.ndarray:
    """A number for each text, int32, by its first appearance; those `known` so far have
    theirs, and further ones are added.
    """
    return np.array([known.setdefault(text, len(known)) for text in texts], np.int32)


def no_texts() -> "pa.StringArray":
    """An empty array of texts."""
    return pa.nulls(0, pa.string())
