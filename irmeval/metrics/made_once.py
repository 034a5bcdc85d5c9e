"""Values that several measures need are computed once."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class Shared:
    """A record that keeps the values computed from it."""

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, which is called only once for each key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
