"""What users of other packages write, with what it is here: errors that say how."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from irmeval.core.errors import ParamError
from irmeval.core.registry import suggest_nearest

P = ParamSpec("P")
T = TypeVar("T")


def unknown_attribute(owner: str, name: str, known: Mapping[str, str]) -> AttributeError:
    """Error for an attribute that an object lacks, with what there is instead."""
    here = f" Here it is {known[name]}." if name in known else ""
    return AttributeError(f"{owner} has no attribute {name!r}.{here}")


def made_by(how: str) -> Callable[[type[T]], type[T]]:
    """Decorate a record that users do not construct themselves: other arguments than
    its own are a `ParamError` that says how one is made, in place of a `TypeError`.
    """

    def decorate(record: type[T]) -> type[T]:
        is_text = issubclass(record, str)
        create = record.__new__ if is_text else record.__init__
        parameters = signature(create)

        @wraps(create)
        def explained(*given: Any, **named: Any) -> Any:
            try:
                return create(*given, **named)
            except TypeError:
                try:
                    parameters.bind(*given, **named)
                except TypeError:
                    raise ParamError(f"{record.__name__}: {how}") from None
                raise

        if is_text:
            record.__new__ = staticmethod(explained)  # type: ignore[method-assign]
        else:
            record.__init__ = explained  # type: ignore[method-assign]
        return record

    return decorate


def explains_calls(function: Callable[P, T]) -> Callable[P, T]:
    """Decorate a function: arguments that it does not take are a `ParamError` with its
    parameters, in place of a `TypeError`.
    """
    parameters = signature(function)

    @wraps(function)
    def call(*args: P.args, **named: P.kwargs) -> T:
        try:
            return function(*args, **named)
        except TypeError as error:
            try:
                parameters.bind(*args, **named)
            except TypeError as unfit:
                raise ParamError(f"{function.__name__}: {describe(str(unfit))}") from None
            raise error

    def describe(unfit: str) -> str:
        names = [name for name, one in parameters.parameters.items() if one.kind != one.VAR_KEYWORD]
        unknown = unfit.rpartition("argument ")[2].strip("'") if "unexpected" in unfit else ""
        nearest = suggest_nearest(unknown, names) if unknown else f"; it takes {', '.join(names)}"
        return f"{unfit}{nearest}."

    return call
