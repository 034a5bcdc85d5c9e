"""An ordered table of items by name. It rejects duplicates and suggests the nearest names for an unknown one."""

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from typing import Any, Generic, TypeVar

from irmeval.core.errors import IrmevalError, UnknownName
from irmeval.core.text import MAX_QUOTED, list_few, shorten

T = TypeVar("T")
SESSION = "__main__"
"""Module of definitions in a notebook or at a prompt."""
MAX_LISTED = 40
"""Maximum number of names that a message lists if none is near."""


class Registry(Mapping[str, T], Generic[T]):
    """Items of one kind ("metric", "reduction", ...), in the order of registration."""

    def __init__(self, kind: str):
        self.kind = kind
        self._items: dict[str, T] = {}
        self._of_session: set[str] = set()

    def add(self, name: str, item: T, module: str = "") -> T:
        """Add an item under a new name. A duplicate is a programming error, unless both items are from a notebook or prompt, where a cell
        may be run again."""
        if name in self._items and not (module == SESSION and name in self._of_session):
            raise ValueError(f"{self.kind} {name!r} is registered twice")
        if module == SESSION:
            self._of_session.add(name)
        self._items[name] = item
        return item

    def _rows(self) -> list[tuple[str, str]]:
        """Names, each with the question that the item answers, its meaning, or its label."""
        told = [[getattr(item, part, "") for part in ("question", "meaning", "label")] for item in self._items.values()]
        return [
            (name, next((text for text in texts if text and isinstance(text, str)), "")) for name, texts in zip(self, told, strict=True)
        ]

    def __repr__(self) -> str:
        width = max(map(len, self._items), default=0)
        return "\n".join(f"{name:{width}}  {text}".rstrip() for name, text in self._rows())

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return f"<table>{''.join(f'<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>' for name, text in self._rows())}</table>"

    def decorator(self, name: str, make: Callable[[Any, str], T]) -> Any:
        """Decorate functions to add an item: `make` receives the function and its docstring on one line."""

        def register(function: Any) -> Any:
            self.add(name, make(function, " ".join((function.__doc__ or "").split())), function.__module__)
            return function

        return register

    def arrange(self, *names: str) -> None:
        """Move the items with these names to the front, in this order."""
        self._items = {name: self[name] for name in names} | self._items

    @contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Remove all items added in this context if it ends with an error."""
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
    """Raise the error for a name that is not among `names`. The message is the prefix, such as "unknown run", the name, and the nearest
    names."""
    if name not in names:
        raise error(f"{prefix} {shorten(name)}{suggest_nearest(name, names)}.")


def suggest_nearest(name: str, names: Collection[str]) -> str:
    """Text ``"; nearest: A, B"``, or the list of all names if none is near."""
    close = nearest_names(name, names)
    return f"; nearest: {', '.join(close)}" if close else f"; known: {list_few([*names], MAX_LISTED)}"


def nearest_names(name: str, names: Collection[str]) -> list[str]:
    """The most similar names, at most three, nearest first."""
    lower = {n.lower(): n for n in names}
    return [lower[n] for n in difflib.get_close_matches(name[:MAX_QUOTED].lower(), lower, n=3, cutoff=0.4)]
