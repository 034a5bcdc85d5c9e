"""Methods that only one thread runs at a time."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def hold_lock(method: Method) -> Method:
    """Run a method under its object's `lock`, so that two tabs of one visitor do not
    change it at once.
    """

    @wraps(method)
    def waiting(self: Any, *given: Any, **named: Any) -> Any:
        with self.lock:
            return method(self, *given, **named)

    return cast(Method, waiting)
