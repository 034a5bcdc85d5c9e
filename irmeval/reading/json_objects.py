"""The object in a JSON file, which `irmeval.core.records` reads."""

import json
import math
from typing import Annotated

from irmeval.core.errors import ReadError
from irmeval.core.records import Condition, Record
from irmeval.core.text import shorten
from irmeval.reading.files import is_file_name
from irmeval.reading.named_columns import lone_surrogate

LARGEST = 16 << 20
"""Maximum bytes of a record."""
FileName = Annotated[
    str, Condition("the name of a file alone", is_file_name, "Do not trust this file.")
]
"""Name of a file without a folder."""


def read_json(file: str, data: bytes, what: str, remedy: str) -> Record:
    """Object in a JSON text. Raises `ReadError` if the text is not a JSON object, is
    larger than `LARGEST`, or contains NaN, an infinite number or half of a surrogate
    pair, which no disk and no browser takes; `what` describes the expectation.
    """
    if len(data) > LARGEST:
        raise ReadError(file, None, f"{what}, of at most {LARGEST >> 20} MiB", "more", remedy)
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
