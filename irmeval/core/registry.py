"""An ordered table of items by name, which refuses duplicates and offers the nearest names for an unknown one."""

import difflib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

from irmeval.core.errors import IrmevalError, UnknownName
from irmeval.core.text import MAX_QUOTED, list_few, shorten

T = TypeVar("T")
MAX_LISTED = 40
"""The most names that a message lists where none is near."""


class Registry(Mapping[str, T], Generic[T]):
    """The items of one kind ("metric", "reduction", ...), in the order in which they were added."""

    def __init__(self, kind: str):
        self.kind = kind
        self._items: dict[str, T] = {}

    def add(self, name: str, item: T) -> T:
        """Add an item under a new name. A name that is taken is a programming error."""
        if name in self._items:
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        self._items[name] = item
        return item

    def arrange(self, *names: str) -> None:
        """Put the items with these names first, in this order."""
        self._items = {name: self[name] for name in names} | self._items

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Where an error ends the block, what was added in it is taken back."""
        before = dict(self._items)
        try:
            yield
        except BaseException:
            self._items = before
            raise

    def __getitem__(self, name: str) -> T:
        check_known(name, self._items, f"unknown {self.kind}")
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)


def check_known(name: str, names: Collection[str], prefix: str, error: type[IrmevalError] = UnknownName) -> None:
    """Raise the error for a name that is none of these. The message is ``said``, as "unknown run", the name, and the nearest names."""
    if name not in names:
        raise error(f"{prefix} {shorten(name)}{nearest(name, names)}.")


def nearest(name: str, names: Collection[str]) -> str:
    """The text ``"; nearest: A, B"``, or the whole list where nothing is near."""
    close = near(name, names)
    return f"; nearest: {', '.join(close)}" if close else f"; known: {list_few([*names], MAX_LISTED)}"


def near(name: str, names: Collection[str]) -> list[str]:
    """The names that are like this one, at most three, the nearest first."""
    lower = {n.lower(): n for n in names}
    return [lower[n] for n in difflib.get_close_matches(name[:MAX_QUOTED].lower(), lower, n=3, cutoff=0.4)]
