"""Items by their places in a sequence."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")


def pick(items: Sequence[T] | Mapping[Any, T], places: Iterable[Any]) -> list[T]:
    """The items at some places, or under some keys, in the order of these.

    Examples
    --------
    >>> pick(("run1", "run2", "run3"), [2, 0])
    ['run3', 'run1']
    """
    return [items[place] for place in places]


def place_of_each(items: Iterable[T]) -> dict[T, int]:
    """The place of each item.

    Examples
    --------
    >>> place_of_each(("run1", "run2"))
    {'run1': 0, 'run2': 1}
    """
    return {item: place for place, item in enumerate(items)}


def place_of_choice(choice: str | None, names: Iterable[object]) -> int:
    """Place of a chosen name among all names; 0, the first, if none is chosen.

    Examples
    --------
    >>> place_of_choice("nDCG", ["AP", "nDCG"]), place_of_choice("", ["AP", "nDCG"])
    (1, 0)
    """
    if not choice:
        return 0
    return [*map(str, names)].index(choice)
