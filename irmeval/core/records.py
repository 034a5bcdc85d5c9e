"""Records to JSON and back. A record is a named tuple, a frozen dataclass, or a record
of declared parameters; its annotations say what each value must be.

Everything that irmeval keeps goes through here: recipes, reports, manifests, workspaces
and what the dashboard stores. Reading is strict: an error gives the key, what was
expected and what was found. `read_kept` alone is lenient, for what somebody has stored
and cannot mend: they keep all but the values that cannot be read.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, is_dataclass
from functools import cache, partial
from itertools import filterfalse, repeat
from types import UnionType
from typing import (
    Annotated,
    Any,
    Generic,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from irmeval.core.errors import IrmevalError, ParamError, ReadError
from irmeval.core.params import KINDS, REQUIRED, BelowOne, Field, fields
from irmeval.core.text import shorten

T = TypeVar("T")
CHARACTERS = 100_000
"""Maximum characters of a text in a record."""
HIGHEST = 2**53
"""Maximum count."""


class Unquoted(str):
    """A description of a value. A message shows it without quotes."""


class Condition(NamedTuple):
    """What a value must be besides its type, as in ``Annotated[int, whole(1)]``."""

    expected: str
    holds: Callable[[Any], object]
    remedy: str = ""


def whole(low: int, high: int = HIGHEST) -> Condition:
    """A whole number within bounds."""
    return Condition(f"a whole number from {low:,} to {high:,}", lambda n: low <= n <= high)


def one_of(*known: str) -> Condition:
    """One of some texts."""
    return Condition(f"one of {', '.join(filter(None, known))}", known.__contains__)


_SHA_256 = re.compile("([0-9a-f]{64})?")
Digest = Annotated[str, Condition("a SHA-256, 64 hexadecimal digits", _SHA_256.fullmatch)]
"""A SHA-256 in hexadecimal digits, or an empty text."""


class RecordField(NamedTuple):
    """A field of a kind of records."""

    kind: Any
    """its annotation"""
    default: Any = REQUIRED


def parts_of(kind: type) -> Mapping[str, RecordField]:
    """The fields of a kind of records by name: the parameters of its constructor."""
    return _parts_of(kind)


@cache
def _parts_of(kind: type) -> Mapping[str, RecordField]:
    declared = fields(kind)
    if declared:
        return {name: RecordField(_as_declared(one), one.default) for name, one in declared.items()}
    annotated: Any = kind
    if kind is ReadError:
        annotated = ReadError.__init__
    hints = get_type_hints(annotated, include_extras=True)
    return {
        name: RecordField(hints[name], one.default)
        for name, one in inspect.signature(kind).parameters.items()
    }


def _as_declared(field: Field) -> Any:
    """Annotation of a declared parameter, which its record converts and checks itself:
    JSON has texts and numbers, and neither stands for the other.
    """
    if field.is_list or field.param.rate:
        return Any
    # Python would make a text of any value, and a number of many a text
    wrong: Any = str
    if field.kind is str:
        wrong = int | float | list | dict
    return Annotated[Any, Condition(KINDS[field.kind], lambda value: not isinstance(value, wrong))]


def to_json(value: Any, *, brief: bool = False) -> Any:
    """A record as what JSON has: an object with its fields by name. `brief` leaves out
    fields with their default values.
    """
    # before floats, of which it is one: a bare 0.5 would be refused when it is read again
    if isinstance(value, BelowOne):
        return str(value)
    if isinstance(value, str | int | float | None):
        return value
    write = partial(to_json, brief=brief)
    if _is_record(value):
        value = _fields_of(value, brief)
    if isinstance(value, Mapping):
        return {name: write(one) for name, one in value.items()}
    return [*map(write, value)]


def _fields_of(record: Any, brief: bool) -> dict[str, Any]:
    """Values of the fields by name; `brief` leaves out those with their defaults."""
    parts = parts_of(type(record))
    values = {name: getattr(record, name) for name in parts}
    if not brief:
        return values
    return {name: value for name, value in values.items() if value != parts[name].default}


def _is_record(value: Any) -> bool:
    if isinstance(value, ReadError) or is_dataclass(value):
        return True
    return hasattr(value, "_fields")  # of a named tuple


def from_json(kind: type[T], values: Mapping[str, Any], name: str) -> T:
    """A record of this kind from an object of JSON; `name` is what errors call it.

    Raises
    ------
    ReadError
        For a key that is unknown or missing, or a value that its annotation does not
        allow.

    Examples
    --------
    >>> class Point(NamedTuple):
    ...     x: Annotated[int, whole(0, 9)]
    ...     label: str = ""
    >>> from_json(Point, {"x": 3}, "point")
    Point(x=3, label='')
    >>> from_json(Point, {"x": -1}, "point")
    Traceback (most recent call last):
    irmeval.core.errors.ReadError: point, x: expected a whole number from 0 to 9, found -1.
    """
    return Record(name, "", values).made(kind)


class KeptRecord(NamedTuple, Generic[T]):
    """What could be read of a record, and why the rest could not."""

    record: T
    refused: tuple[IrmevalError, ...]


def read_kept(kind: type[T], values: Mapping[str, Any], name: str) -> KeptRecord[T]:
    """A record from values that another version may have stored, or a hand has changed.
    A value that cannot be is left out alone, of values by name only the wrong ones;
    the default stands for it. Unknown keys are ignored.

    Raises
    ------
    ReadError
        If a value is missing that has no default, or cannot be read.

    Examples
    --------
    >>> class Point(NamedTuple):
    ...     x: int = 0
    ...     labels: dict[str, str] = {}
    >>> found = read_kept(Point, {"x": "far", "labels": {"a": "A", "b": 2}}, "point")
    >>> found.record
    Point(x=0, labels={'a': 'A'})
    >>> [str(error) for error in found.refused][0]
    "point, x: expected a whole number, found 'far'."
    """
    at, parts, declared = Record(name, "", values), parts_of(kind), fields(kind)
    needed = {
        key: at.value(key, part.kind) for key, part in parts.items() if part.default is REQUIRED
    }
    refused: list[IrmevalError] = []
    found = dict[str, Any]()
    for key in filter((parts.keys() - needed.keys()).__contains__, values):
        with _noted(refused):
            value = _read_leniently(at, key, parts[key].kind, refused)
            # here, since the record itself would refuse all values for one
            if key in declared:
                value = declared[key].check(value)
            found[key] = value
    try:
        return KeptRecord(kind(**needed, **found), tuple(refused))
    except ParamError as error:  # each value can be, but not beside the others
        return KeptRecord(kind(**needed), (*refused, error))


def _read_leniently(at: "Record", key: str, kind: Any, refused: list[IrmevalError]) -> Any:
    """Value of a key; of values by name, those that can be read."""
    if get_origin(kind) is not dict:
        return at.value(key, kind)
    table, found = at.table(key), dict[str, Any]()
    for name in table.values:
        with _noted(refused):
            found[name] = _read_entry(table, name, kind)
    return found


@contextmanager
def _noted(refused: list[IrmevalError]) -> Iterator[None]:
    """Go on after an error, which is added to those that were noted."""
    try:
        yield
    except IrmevalError as error:
        refused.append(error)


@dataclass(frozen=True)
class Record:
    """An object of JSON or TOML. Its methods check values; their errors give the key.

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
        if not isinstance(came, Unquoted):
            came = shorten(came)
        return ReadError(f"{self.file}, {self.above}{key}", None, expected, str(came), remedy)

    def only(self, known: Collection[str]) -> None:
        """Refuse an unknown key."""
        for key in filterfalse(known.__contains__, self.values):
            expected = f"one of the keys {', '.join(known)}"
            raise self.refuse(key, expected, key, "Check how it is written.")

    def check_known(self, key: str, value: str, known: Collection[str]) -> None:
        """Refuse a value of a key that is not among those known."""
        if value not in known:
            raise self.refuse(key, f"one of {', '.join(known)}", value)

    @contextmanager
    def refusing(self, key: str, expected: str, remedy: str = "") -> Iterator[None]:
        """Refuse the value of a key for the reason that its own reader gives within this
        context.
        """
        try:
            yield
        except (IrmevalError, TypeError) as error:
            raise self.refuse(key, expected, Unquoted(str(error).rstrip(".")), remedy) from None

    def get(self, key: str, kind: type[T], expected: str, default: T | None = None) -> T:
        """Value of a key, checked to be of a kind. A missing or null value becomes the
        default, or is refused if there is none.
        """
        value = self.values.get(key)
        if value is None:
            value = default
        if value is None:
            raise self.refuse(key, expected, Unquoted("nothing"), "Add it.")
        # not isinstance, for which True is a whole number
        if type(value) is not kind:
            raise self.refuse(key, expected, value)
        return value

    def text(self, key: str, default: str | None = None, most: int = CHARACTERS) -> str:
        """A text of at most `most` characters."""
        value = self.get(key, str, "a text", default)
        if len(value) > most:
            raise self.refuse(key, f"at most {most:,} characters", Unquoted(f"{len(value):,}"))
        return value

    def whole(self, key: str, low: int, high: int = HIGHEST, default: int | None = None) -> int:
        """A whole number within bounds."""
        value = self.get(key, int, whole(low, high).expected, default)
        self._check(key, value, [whole(low, high)])
        return value

    def table(self, key: str, default: dict[str, Any] | None = None) -> "Record":
        """An object."""
        return Record(
            self.file, f"{self.above}{key}.", self.get(key, dict, "keys with values", default)
        )

    def tables(self, key: str) -> "Iterator[Record]":
        """Objects of a list."""
        numbered = self._numbered(key)
        return map(numbered.table, numbered.values)

    def _numbered(self, key: str) -> "Record":
        """A list as an object with the keys 1, 2, ..."""
        items = self.get(key, list, "a list")
        numbered = {str(n): item for n, item in enumerate(items, 1)}
        return Record(self.file, f"{self.above}{key}.", numbered)

    def value(self, key: str, kind: Any) -> Any:
        """Value of a key, as an annotation asks for it."""
        read = _READERS.get(get_origin(kind) or kind, _read_record)
        return read(self, key, kind)

    def made(self, kind: type[T], **given: Any) -> T:
        """A record of this kind with these values and those that are given. A missing
        value is the default. Raises `ReadError` for an unknown key and for values that
        the record refuses.
        """
        parts = parts_of(kind)
        for key in filterfalse(parts.__contains__, self.values):
            expected, remedy = f"one of {', '.join(parts)}", "Use the version that wrote it."
            raise self.refuse(key, expected, Unquoted("a key it does not have"), remedy)
        read = {name: part for name, part in parts.items() if name not in given}
        values = {
            name: self.value(name, part.kind)
            for name, part in read.items()
            if name in self.values or part.default is REQUIRED
        }
        try:
            return kind(**values, **given)
        # what only the record itself can check, as that one value fits another
        except (ParamError, TypeError) as error:
            where = f"{self.file}, {self.above.removesuffix('.')}".removesuffix(", ")
            raise ReadError(where, None, "valid values", str(error).rstrip(".")) from None

    def _check(self, key: str, value: Any, checks: Collection[Condition]) -> None:
        for check in checks:
            if not check.holds(value):
                raise self.refuse(key, check.expected, value, check.remedy)


def _read_number(at: Record, key: str, kind: Any) -> float:
    # JSON writes 2.0 as 2
    if type(at.values.get(key)) is int:
        return float(at.get(key, int, "a number"))
    return at.get(key, float, "a number")


def _read_checked(at: Record, key: str, kind: Any) -> Any:
    inner, *checks = get_args(kind)
    value = at.value(key, inner)
    at._check(key, value, checks)
    return value


def _read_optional(at: Record, key: str, kind: Any) -> Any:
    (inner,) = {*get_args(kind)} - {type(None)}
    if at.values.get(key) is None:
        return None
    return at.value(key, inner)


def _read_list(at: Record, key: str, kind: Any) -> tuple[Any, ...]:
    """Any number of values of one kind, or one value of each of several kinds."""
    inner = get_args(kind)
    numbered = at._numbered(key)
    if inner == (str, ...) and _are_texts(numbered.values.values()):
        return tuple(numbered.values.values())
    if inner[-1] is ...:
        kinds: Any = repeat(inner[0])
    elif len(numbered.values) == len(inner):
        kinds = inner
    else:
        raise at.refuse(key, f"a list of {len(inner)}", at.values[key])
    return tuple(numbered.value(n, one) for n, one in zip(numbered.values, kinds, strict=False))


def _are_texts(values: Collection[Any]) -> bool:
    """Whether all are texts of usual length: lists of topics are long, and one look at
    each is enough.
    """
    if {*map(type, values)} != {str}:
        return False
    return max(map(len, values)) <= CHARACTERS


def _read_by_name(at: Record, key: str, kind: Any) -> dict[str, Any]:
    table = at.table(key)
    return {name: _read_entry(table, name, kind) for name in table.values}


def _read_entry(table: Record, name: str, kind: Any) -> Any:
    """One value of a table whose annotation is `kind`, after a check of its name."""
    name_kind, inner = get_args(kind)
    table._check(shorten(name), name, get_args(name_kind)[1:])
    return table.value(name, inner)


def _read_record(at: Record, key: str, kind: Any) -> Any:
    return at.table(key).made(kind)


_READERS: Mapping[Any, Callable[[Record, str, Any], Any]] = {
    Any: lambda at, key, kind: at.values.get(key),
    str: lambda at, key, kind: at.text(key),
    int: lambda at, key, kind: at.get(key, int, KINDS[int]),
    bool: lambda at, key, kind: at.get(key, bool, KINDS[bool]),
    float: _read_number,
    Annotated: _read_checked,
    Union: _read_optional,
    UnionType: _read_optional,
    tuple: _read_list,
    dict: _read_by_name,
}
"""How a value is read, by its annotation or what that is made of; others are records."""
