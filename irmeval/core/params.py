"""One description of a parameter, read alike by widgets, command-line flags and checks.

A parameter is declared where it is used, as ``name: Annotated[type, Param(...)] = default``, on a metric's
function or on the ``Params`` dataclass of an experiment.
"""

import dataclasses
import inspect
import types
import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from irmeval.core.errors import ParamError
from irmeval.core.words import shorten

T = TypeVar("T")
REQUIRED = inspect.Parameter.empty
CHARACTERS = 100_000
"""Most of a text, where its declaration does not say otherwise."""


@dataclass(frozen=True)
class Param:
    """What a person needs to know to set a value, and what the value may be (bounds included; `high` of a text: its characters)."""

    label: str
    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    """the only values there are"""
    offers: tuple[float, ...] = ()
    """values to pick from where several may be given; others may be typed"""
    empty: str = ""
    """what a field that is left empty stands for, shown in it"""
    falling: bool = False
    """several values are put in falling order, not in rising"""


@dataclass(frozen=True)
class Field:
    """A declared parameter: its name, the type of its value (or of each value, if `many`), default and `Param`."""

    name: str
    kind: type
    default: Any
    param: Param
    many: bool = False

    def check(self, value: Any) -> Any:
        """The value in its own type, several in order and each once; or `ParamError` saying what was expected and what came."""
        if self.many:
            if isinstance(value, (str, int, float)):
                value = [value]
            values = tuple(self._check_one(v) for v in value)
            if not values:
                raise ParamError(f"{self.name}: expected at least one value, came none.")
            return tuple(sorted(set(values), reverse=self.param.falling))
        return None if value is None and self.default is None else self._check_one(value)

    def _check_one(self, value: Any) -> Any:
        low, high, choices = self.param.low, self.param.high, self.param.choices
        try:
            typed = self.kind(value)
            exact = self.kind is str or float(typed) == float(value)
        except (TypeError, ValueError, OverflowError):
            exact = False
        if not exact or isinstance(value, bool):
            noun = {int: "a whole number", float: "a number", str: "a text"}[self.kind]
            raise ParamError(f"{self.name}: expected {noun}, came {shorten(value)}.")
        if choices and typed not in choices:
            raise ParamError(f"{self.name}: expected one of {', '.join(choices)}, came {shorten(value)}.")
        if self.kind is str:
            if len(typed) > (most := int(high or CHARACTERS)):
                raise ParamError(f"{self.name}: expected at most {most:,} characters, came {len(typed):,}.")
        else:
            # written so that NaN, which no comparison holds for, is refused
            if (low is not None and not typed >= low) or (high is not None and not typed <= high) or typed != typed:
                raise ParamError(f"{self.name}: expected {self.bounds()}, came {shorten(value)}.")
        return typed

    def bounds(self) -> str:
        """The permitted range in words."""
        low, high = self.param.low, self.param.high
        if low is not None and high is not None:
            return f"a value from {low:g} to {high:g}"
        return f"at least {low:g}" if low is not None else f"at most {high:g}" if high is not None else "a number"


def written(value: Any) -> str:
    """The shortest text that reads back as the value."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return short if type(value)(short) == value else repr(value)


def fields(owner: type | Callable[..., Any]) -> dict[str, Field]:
    """The declared parameters of a function or dataclass, in order; those without a `Param` are left out."""
    return _fields(owner).copy()


@cache
def _fields(owner: type | Callable[..., Any]) -> dict[str, Field]:
    hints = typing.get_type_hints(owner, include_extras=True)
    if dataclasses.is_dataclass(owner):
        defaults = {f.name: f.default for f in dataclasses.fields(owner)}
    else:
        defaults = {name: p.default for name, p in inspect.signature(owner).parameters.items()}
    fields = {}
    for name, default in defaults.items():
        for mark in getattr(hints.get(name), "__metadata__", ()):
            if isinstance(mark, Param):
                hint = typing.get_args(hints[name])[0]
                many = typing.get_origin(hint) is tuple
                fields[name] = Field(name, _kind(hint), default, mark, many)
    return fields


def _kind(hint: Any) -> type:
    if isinstance(hint, (types.UnionType, types.GenericAlias)):
        hint = next(a for a in typing.get_args(hint) if a not in (type(None), ...))
    return hint


@typing.dataclass_transform(frozen_default=True)
def checked(record: type[T]) -> type[T]:
    """A frozen dataclass of declared parameters: a value is put into its declared type, or refused, when a record is made.

    A ``__post_init__`` of its own comes after that.
    """
    more = getattr(record, "__post_init__", None)

    def check(self: Any) -> None:
        for name, field in fields(type(self)).items():
            object.__setattr__(self, name, field.check(getattr(self, name)))
        if more:
            more(self)

    record.__post_init__ = check  # type: ignore[attr-defined]
    return dataclass(frozen=True)(record)


def settled(record: T, **decided: Any) -> T:
    """The record with those of its fields set anew that it has."""
    own = {name: value for name, value in decided.items() if name in fields(type(record))}
    return dataclasses.replace(record, **own) if own else record  # type: ignore[type-var]


def said(record: Any) -> dict[str, str]:
    """What the declared parameters of one value are set to, by label and in words."""
    return {
        field.param.label: field.param.empty if (value := getattr(record, name)) in (None, "") and field.param.empty else written(value)
        for name, field in fields(type(record)).items()
        if not field.many
    }
