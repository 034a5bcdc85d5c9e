"""An ordered table of items by name, which refuses duplicates and offers the nearest names for an unknown one."""

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

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

    def decorator(self, name: str, make: Callable[[Any, str], T]) -> Any:
        """A decorator of functions that adds an item under a name: what `make` returns for the function and its docstring, in one line."""

        def register(function: Any) -> Any:
            self.add(name, make(function, " ".join((function.__doc__ or "").split())))
            return function

        return register

    def arrange(self, *names: str) -> None:
        """Put the items with these names first, in this order."""
        self._items = {name: self[name] for name in names} | self._items

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """If an error ends this context, all items that were added in it are removed."""
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
    """Raise the error if a name is not among `names`. The message is the prefix, such as "unknown run", the name, and the nearest names."""
    if name not in names:
        raise error(f"{prefix} {shorten(name)}{suggest_nearest(name, names)}.")


def suggest_nearest(name: str, names: Collection[str]) -> str:
    """The text ``"; nearest: A, B"``, or the list of all names if none is near."""
    close = nearest_names(name, names)
    return f"; nearest: {', '.join(close)}" if close else f"; known: {list_few([*names], MAX_LISTED)}"


def nearest_names(name: str, names: Collection[str]) -> list[str]:
    """The names most like this one, at most three, nearest first."""
    lower = {n.lower(): n for n in names}
    return [lower[n] for n in difflib.get_close_matches(name[:MAX_QUOTED].lower(), lower, n=3, cutoff=0.4)]
