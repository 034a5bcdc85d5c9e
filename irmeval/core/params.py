"""Declarations of parameters, from which widgets, command-line flags and checks are
made.

A parameter is declared where it is used: a metric's as ``name: Annotated[type,
Param(...)] = default``, a field of an experiment's ``Params`` as ``name: type =
param(..., default=default)``. What several records share is a type of the first kind,
with a name.
"""

import dataclasses
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Collection as Names
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, TypeVar, cast

from irmeval.core.errors import ParamError
from irmeval.core.registry import check_known
from irmeval.core.text import list_all, shorten

T = TypeVar("T")
REQUIRED = inspect.Parameter.empty
FEW = 3
"""Maximum number of values that are listed one by one."""
YES_OR_NO = {"true": True, "false": False}
KINDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}
"""What a message says that it expected."""
PER_CENT = ", %"
"""End of the label of a value in per cent."""
CHARACTERS = 100_000
"""Maximum length of a text, unless the declaration sets another."""


class Live(Sequence[str]):
    """Names that are read anew at each use, such as those of a registry to which a
    notebook adds.
    """

    def __init__(self, read: Callable[[], Iterable[str]]):
        self.read = read

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self.read()))

    def __getitem__(self, at: Any) -> Any:
        return tuple(self.read())[at]

    def __len__(self) -> int:
        return len(tuple(self.read()))


ANY_JUDGE = "any"
"""A judge of the collection."""
BESIDE_FIRST = "beside the first"
"""Another judge than the one who is first."""


@dataclass(frozen=True)
class Param:
    """Label, help and permitted values of a parameter. Bounds are included; `high` of a
    text is its length in characters.
    """

    label: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: Sequence[str] = ()
    """the only permitted values, if not empty"""
    offers: tuple[float, ...] = ()
    """suggested values of a parameter that takes several; other values may be typed"""
    empty: str = ""
    """placeholder of an empty field: what empty means"""
    descending: bool = False
    """whether several values are sorted in descending order"""
    template: str = ""
    """the value with its unit in a list of settings, as in ``{} trials``; by default
    the label and the value
    """
    value_labels: Mapping[str, str] = dataclasses.field(default_factory=dict, hash=False)
    """replacements for values in a list of settings, by value as text"""
    rate: bool = False
    """whether it is a rate in per cent; below 1 it must be written with its sign, as in
    ``"0.5%"``
    """
    otherwise: str = ""
    """what a rate may be in place of per cent, as in ``at least 1 document``"""
    pair: bool = False
    """whether the text has the names of two runs, separated by a comma"""
    measure: bool = False
    """whether the text is a measure"""
    judge: str = ""
    """of the name of a judge, which ones it may be: `ANY_JUDGE` or `BESIDE_FIRST`"""


class BelowOne(float):
    """A rate below 1%. Its text keeps the sign, without which it would be read as a
    share: ``0.5%``.
    """

    def __str__(self) -> str:
        return f"{float(self):.15g}%"

    def __repr__(self) -> str:
        return repr(str(self))


def read_rate(name: str, value: Any, otherwise: str = "") -> Any:
    """A rate in per cent, from a number or from a text with or without the sign;
    `otherwise` is that of `Param`.

    Raises `ParamError` for a number between 0 and 1, which may be a share or per cent;
    the message has both spellings.
    """
    signed = isinstance(value, BelowOne)
    if isinstance(value, str) and value.strip().endswith("%"):
        value, signed = value.strip().removesuffix("%"), True
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return value  # refused as no number by whoever checks it
    if not 0 < number < 1:
        return value
    if not signed:
        share = f"{100 * number:.10g}"
        expected = ", or ".join(filter(None, ["per cent", otherwise]))
        raise ParamError(
            f"{name}: expected {expected}, found {shorten(value)}. Write {share} for {share}%, or"
            f' "{number:.10g}%".'
        )
    return BelowOne(number)


def param(label: str, help: str = "", *, default: Any, **more: Any) -> Any:
    """Declare a field of a record of parameters with its default; other arguments are
    those of `Param`.
    """
    return dataclasses.field(default=default, metadata={"param": Param(label, help, **more)})


@dataclass(frozen=True)
class Field:
    """A declared parameter: its name, the type of its value (or of each value, if
    `many`), default and `Param`.
    """

    name: str
    kind: type
    default: Any
    param: Param
    is_list: bool = False

    def check(self, value: Any) -> Any:
        """Convert a value to the declared type; several are sorted and deduplicated.
        Raises `ParamError` for a value that is not permitted, and for no value where
        the default has some.
        """
        if self.is_list:
            return self._check_several(value)
        if value is None and self.default is None:
            return None
        return self._check_one(value)

    def _check_several(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, str) or not isinstance(value, Iterable):
            value = [value]
        values = sorted({*map(self._check_one, value)}, reverse=self.param.descending)
        may_be_empty = self.default == ()
        if not values and not may_be_empty:
            raise ParamError(f"{self.name}: expected at least one value, found none.")
        return tuple(values)

    def _check_one(self, value: Any) -> Any:
        choices = self.param.choices
        if self.param.rate:
            value = read_rate(self.name, value, self.param.otherwise)
        try:
            typed = self._convert(value)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise self._refuse(KINDS[self.kind], value) from None
        if choices and typed not in choices:
            raise self._refuse(f"one of {', '.join(choices)}", value)
        if self.kind is str:
            self._check_length(typed)
        elif not self._is_within(typed):
            raise self._refuse(self.bounds(), value)
        return typed

    def _refuse(self, expected: str, value: Any) -> ParamError:
        return ParamError(f"{self.name}: expected {expected}, found {shorten(value)}.")

    def _check_length(self, text: str) -> None:
        longest = int(self.param.high or CHARACTERS)
        if len(text) > longest:
            raise ParamError(
                f"{self.name}: expected at most {longest:,} characters, found {len(text):,}."
            )

    def _is_within(self, number: float) -> bool:
        """Whether a number is within the bounds; NaN is in none."""
        least, most = -math.inf, math.inf
        if self.param.low is not None:
            least = self.param.low
        if self.param.high is not None:
            most = self.param.high
        return least <= number <= most

    def _convert(self, value: Any) -> Any:
        """The value as its declared type. Raises one of several errors, `ValueError`
        among them, where something of it would be lost, such as the half of 1.5.
        """
        if self.kind is bool:
            return YES_OR_NO[str(value).lower()]
        # True is a number in Python, but no visitor means 1 by it
        if isinstance(value, bool):
            raise ValueError
        if isinstance(value, BelowOne):
            return value
        typed = self.kind(value)
        if self.kind is str:
            is_exact = isinstance(value, str | int | float)
        else:
            is_exact = float(typed) == float(value)
        if not is_exact:
            raise ValueError
        return typed

    def say(self, value: Any) -> str:
        """Text of a value in a list of settings, such as ``10 trials``; empty for an
        empty value. Of more than `FEW` values, only the first and the last are given.
        ``1 trials`` becomes ``1 trial``, ``ranks 10`` becomes ``rank 10``.
        """
        if self.is_list:
            return self._say_values(value)
        return self.param.value_labels.get(format_value(value)) or self._say_values([value])

    def _say_values(self, values: Iterable[Any]) -> str:
        texts = [*filter(None, map(_text_of, values))]
        if not texts:
            return ""
        text = list_all(texts)
        if len(texts) > FEW:
            text = f"{texts[0]} to {texts[-1]}"
        name = self.param.label.removesuffix(PER_CENT)
        if name != self.param.label:
            text += "%"
        return self._template(name, text, len(texts)).format(text)

    def _template(self, name: str, text: str, count: int) -> str:
        """The words around the values, in the singular where there is one."""
        template = self.param.template or f"{name} {{}}"
        is_lone = self.is_list and count == 1
        if text == "1":  # ``1 trials``
            template = re.sub(r"({} .*?)s\b", r"\1", template)
        if is_lone:  # ``ranks 10``
            template = re.sub(r"s {}$", " {}", template)
        return template

    def bounds(self) -> str:
        """The permitted range in words."""
        low, high = self.param.low, self.param.high
        if low is None and high is None:
            return "a number"
        if low is None:
            return f"at most {high:.10g}"
        if high is None:
            return f"at least {low:.10g}"
        return f"a value from {low:.10g} to {high:.10g}"


def _text_of(value: Any) -> str:
    """A value in a list of settings; empty for None, False and an empty text."""
    if value is None or value is False:
        return ""
    if isinstance(value, BelowOne):
        return f"{value:g}"
    return format_value(value)


def say(record: Any, name: str) -> str:
    """Text of a record's value in a list of settings: its own ``<name>_said`` if there
    is one, else `Field.say`.
    """
    said: str | None = getattr(record, f"{name}_said", None)
    if said is not None:
        return said
    return fields(type(record))[name].say(getattr(record, name))


def format_value(value: Any) -> str:
    """The shortest text that parses to the value."""
    if isinstance(value, BelowOne):
        return str(value)
    if not isinstance(value, float):
        return str(value)
    # ``g`` keeps six digits, and a value must be the same again in a command or URL
    short = f"{value:g}"
    if float(short) == value:
        return short
    return repr(value)


def fields(owner: type | Callable[..., Any]) -> dict[str, Field]:
    """Declared parameters of a function or dataclass, in order. Parameters without a
    `Param` are left out.
    """
    return _fields(owner).copy()


@cache
def _fields(owner: type | Callable[..., Any]) -> dict[str, Field]:
    hints = typing.get_type_hints(owner, include_extras=True)
    fields = {}
    for name, (default, of_field) in _declared_in(owner).items():
        hint, *marks = _parts_of_hint(hints.get(name))
        declared = [mark for mark in (of_field, *marks) if isinstance(mark, Param)]
        if declared:
            is_list = typing.get_origin(hint) is tuple
            fields[name] = Field(name, _kind(hint), default, declared[0], is_list)
    return fields


def _declared_in(owner: type | Callable[..., Any]) -> dict[str, tuple[Any, Param | None]]:
    """Default of each parameter, and the `Param` of a field declared by `param`."""
    if dataclasses.is_dataclass(owner):
        listed = dataclasses.fields(owner)
        return {field.name: (field.default, field.metadata.get("param")) for field in listed}
    parameters = inspect.signature(owner).parameters
    return {name: (one.default, None) for name, one in parameters.items()}


def _parts_of_hint(hint: Any) -> Sequence[Any]:
    """A type, and what stands beside it in ``Annotated[type, ...]``."""
    if not hasattr(hint, "__metadata__"):
        return (hint,)
    return typing.get_args(hint)


def _kind(hint: Any) -> type:
    """The type of one value: the first in ``tuple[int, ...]`` and in ``int | None``."""
    if not isinstance(hint, (types.UnionType, types.GenericAlias)):
        return hint
    return next(kind for kind in typing.get_args(hint) if kind is not type(None))


def check_names(given: Iterable[str], known: Names[str], owner: str = "") -> None:
    """Raise `ParamError`, with the nearest names, for a keyword that its owner does not
    have.
    """
    prefix = "unknown keyword"
    if owner:
        prefix = f"{owner}: {prefix}"
    for name in given:
        check_known(name, known, prefix, ParamError)


@typing.dataclass_transform(frozen_default=True, field_specifiers=(param,))
def checked(record: type[T]) -> type[T]:
    """Decorate a frozen dataclass of declared parameters: every new instance converts
    its values to their declared types or rejects them.

    The class's own ``__post_init__`` runs after that. An unknown keyword raises
    `ParamError` with the nearest names.
    """
    own_checks = getattr(record, "__post_init__", lambda self: None)

    def check(self: Any) -> None:
        for name, field in fields(type(self)).items():
            # the only way to set a field of a frozen dataclass
            object.__setattr__(self, name, field.check(getattr(self, name)))
        own_checks(self)

    record.__post_init__ = check  # type: ignore[attr-defined]
    made: Any = dataclass(frozen=True)(record)
    assign, known = made.__init__, [field.name for field in dataclasses.fields(made)]

    @wraps(assign)
    def create(self: Any, *values: Any, **named: Any) -> None:
        check_names(named, known)
        assign(self, *values, **named)

    made.__init__ = create
    return cast("type[T]", made)


def takes(record: Any, name: str) -> bool:
    """Whether a record has a parameter that its others do not make idle."""
    return name in _in_use(record)


def _in_use(record: Any) -> dict[str, Field]:
    """Declared parameters of a record that its others do not make idle."""
    found, idle = fields(type(record)), getattr(record, "idle", ())
    for name in found.keys() & {*idle}:
        del found[name]
    return found


def gathered(*records: type) -> Callable[[type[T]], type[T]]:
    """Decorate a record, before `checked`, to declare the parameters of other records
    as well. A name that two of them declare is a programming error.
    """

    def add(record: type[T]) -> type[T]:
        for other in records:
            hints = typing.get_type_hints(other, include_extras=True)
            for field in dataclasses.fields(other):
                if field.name in record.__annotations__:
                    raise ValueError(f"the parameter {field.name!r} is declared twice")
                record.__annotations__[field.name] = hints[field.name]
                copy = dataclasses.field(default=field.default, metadata=field.metadata)
                setattr(record, field.name, copy)
        return record

    return add


def replace_known(record: T, **decided: Any) -> T:
    """Copy of the record with new values for some fields; names that it does not take
    are ignored.
    """
    taken = {name: decided[name] for name in decided.keys() & _in_use(record).keys()}
    if not taken:
        return record
    return dataclasses.replace(record, **taken)  # type: ignore[type-var]


def describe(record: Any) -> dict[str, str]:
    """The values of the declared parameters of a record, as text by label."""
    return {
        field.param.label: _describe_value(record, field)
        for field in _in_use(record).values()
        if not field.is_list
    }


def _describe_value(record: Any, field: Field) -> str:
    value = getattr(record, field.name)
    if value in (None, "") and field.param.empty:
        return field.param.empty
    said: str = getattr(record, f"{field.name}_said", format_value(value))
    return said
