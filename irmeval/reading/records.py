"""Records from JSON and TOML files: every value is checked on reading, and errors give
its key.
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.params import fields
from irmeval.core.text import shorten
from irmeval.reading.files import is_file_name
from irmeval.reading.named_columns import lone_surrogate

T = TypeVar("T")
LARGEST = 16 << 20
"""Maximum bytes of a record."""
CHARACTERS = 100_000
"""Maximum characters of a text in a record."""
HIGHEST = 2**53
"""Maximum count."""
_DIGITS = frozenset("0123456789abcdef")


class Unquoted(str):
    """A description of a value. A message shows it without quotes."""


def read_json(file: str, data: bytes, what: str, remedy: str) -> "Record":
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


@dataclass(frozen=True)
class Record:
    """An object in a record. Its methods check values; their errors give the key.

    Attributes
    ----------
    file : name of the file
    above : the keys that lead to the object, each followed by a dot
    values : by key
    """

    file: str
    above: str
    values: Mapping[str, Any]

    def refuse(self, key: str, expected: str, came: object, remedy: str = "") -> ReadError:
        """The error to raise for the value of a key."""
        said = came if isinstance(came, Unquoted) else shorten(came)
        return ReadError(f"{self.file}, {self.above}{key}", None, expected, said, remedy)

    def only(self, known: Collection[str]) -> None:
        """Refuse an unknown key."""
        for key in self.values:
            if key not in known:
                raise self.refuse(
                    key, f"one of the keys {', '.join(known)}", key, "Check how it is written."
                )

    def get(self, key: str, kind: type[T], expected: str, default: T | None = None) -> T:
        """Value of a key, checked to be of a kind. A missing or null value becomes the
        default, or is refused if there is none.
        """
        value = self.values.get(key)
        value = default if value is None else value
        if value is None:
            raise self.refuse(key, expected, Unquoted("nothing"), "Add it.")
        if type(value) is not kind:
            raise self.refuse(key, expected, value)
        return value

    def text(self, key: str, default: str | None = None, most: int = CHARACTERS) -> str:
        """A text of at most `most` characters."""
        value = self.get(key, str, "a text", default)
        if len(value) > most:
            raise self.refuse(key, f"at most {most:,} characters", Unquoted(f"{len(value):,}"))
        return value

    def digest(self, key: str, default: str | None = None) -> str:
        """A SHA-256 in 64 hexadecimal digits, or an empty text."""
        return self._digest(key, self.get(key, str, "a text", default))

    def _digest(self, key: str, value: Any) -> str:
        if value != "" and not (
            isinstance(value, str) and len(value) == 64 and _DIGITS.issuperset(value)
        ):
            raise self.refuse(key, "a SHA-256, 64 hexadecimal digits", value)
        return str(value)

    def whole(self, key: str, low: int, high: int = HIGHEST, default: int | None = None) -> int:
        """A whole number within bounds."""
        expected = f"a whole number from {low:,} to {high:,}"
        value = self.get(key, int, expected, default)
        if not low <= value <= high:
            raise self.refuse(key, expected, value)
        return value

    def table(self, key: str, default: dict[str, Any] | None = None) -> "Record":
        """An object."""
        return Record(
            self.file, f"{self.above}{key}.", self.get(key, dict, "keys with values", default)
        )

    def tables(self, key: str, default: list[Any] | None = None) -> "list[Record]":
        """A list of objects, numbered from 1."""
        numbered = self._numbered(key, "a list", default)
        return [numbered.table(number) for number in numbered.values]

    def _numbered(self, key: str, expected: str, default: list[Any] | None) -> "Record":
        """A list as a table with the keys 1, 2, ..."""
        items = self.get(key, list, expected, default)
        return Record(
            self.file, f"{self.above}{key}.", {str(n): item for n, item in enumerate(items, 1)}
        )

    def texts(self, key: str, default: list[Any] | None = None) -> tuple[str, ...]:
        """A list of texts."""
        numbered = self._numbered(key, "a list of texts", default)
        return tuple(map(numbered.text, numbered.values))

    def by_name(self, key: str, default: dict[str, Any] | None = None) -> dict[str, str]:
        """Texts by name."""
        table = self.table(key, default)
        return {name: table.text(name) for name in table.values}

    def digests(self, key: str) -> dict[str, str]:
        """SHA-256 by name."""
        table = self.table(key)
        return {name: table._digest(name, value) for name, value in table.values.items()}

    def pairs(self, key: str, kind: type[T]) -> tuple[tuple[T, T], ...]:
        """A list of pairs of texts, or of whole numbers."""
        expected = f"a pair of {'texts' if kind is str else 'whole numbers'}"
        listed = self.get(key, list, f"a list, each {expected}")
        for number, pair in enumerate(listed, 1):
            if not (
                isinstance(pair, list | tuple) and [type(value) for value in pair] == [kind, kind]
            ):
                raise self.refuse(f"{key}.{number}", expected, pair)
        return tuple((first, second) for first, second in listed)

    def record(self, key: str, kind: type[T]) -> T:
        """A dataclass of declared parameters (see `irmeval.core.params`). An unknown
        parameter is refused; a missing one gets its default.
        """
        table, known = self.table(key), fields(kind)
        for name, value in table.values.items():
            if name not in known:
                remedy = "Use the version that wrote it."
                raise table.refuse(
                    name,
                    "a parameter known to this version of irmeval",
                    Unquoted("one it does not know"),
                    remedy,
                )
            one = known[name]
            if (
                isinstance(value, str if one.kind is not str else int | float | list | dict)
                and not one.is_list
            ):
                raise table.refuse(name, "a text" if one.kind is str else "a number", value)
        try:
            return kind(**table.values)
        except (ParamError, TypeError) as error:
            raise self.refuse(key, "valid values", Unquoted(str(error).rstrip("."))) from None


def check_file_names(table: Record) -> None:
    """Raise `ReadError` if a key of the table is not the name of a file without a
    folder.
    """
    for name in table.values:
        if not is_file_name(name):
            raise table.refuse(
                shorten(name),
                "the name of a file alone",
                Unquoted("a path"),
                "Do not trust this file.",
            )
