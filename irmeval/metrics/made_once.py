"""What several measures need of the same thing is made once."""

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")


class Shared:
    """Something that keeps what is made of it, for as long as it is there itself."""

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What a function returned when it was first called for a key."""
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]
