"""Plain dictionaries, topic -> document -> number, where every key is a text and every
value a number of a usual type; what is not plain is read by `irmeval.reading.nested`.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Mapping
from itertools import chain
from operator import countOf
from typing import Any, NamedTuple

import numpy as np

META = ("mteb_model_meta",)
"""Keys of a JSON text without lists."""
DICTIONARIES = frozenset({dict, OrderedDict, defaultdict})
NUMBERS = frozenset({int, float, np.float64, np.float32, np.int64, np.int32})
"""Usual types of lists, grades and scores."""


class PlainLists(NamedTuple):
    """Lists of documents with numbers."""

    documents: Mapping[str, dict[str, Any]]
    """topic -> document -> number, without empty topics"""
    number: np.ndarray
    """float64 [documents of all topics]"""

    @property
    def sizes(self) -> list[int]:
        """Number of documents of each topic."""
        return [*map(len, self.documents.values())]

    @property
    def names(self) -> list[str]:
        """Documents of all topics."""
        return [*chain.from_iterable(self.documents.values())]


def plain_lists(lists: Any) -> PlainLists | None:
    """Plain lists; None for anything else. No topic has a document twice, since
    documents are the keys of a dictionary.
    """
    if not _maps_topics(lists):
        return None
    held = {topic: documents for topic, documents in lists.items() if documents}
    if not held:
        return None
    if not all(map(_are_named, held.values())):
        return None
    numbers = floats_of([*chain.from_iterable(map(dict.values, held.values()))])
    if numbers is None:
        return None
    return PlainLists(held, numbers)


def _maps_topics(lists: Any) -> bool:
    """Whether lists are a dictionary of dictionaries by topic."""
    if type(lists) not in DICTIONARIES:
        return False
    # a topic without a name is refused where rows are read
    if not lists.keys().isdisjoint({"", *META}):
        return False
    kinds_of_lists = {*map(type, lists.values())}
    return kinds_of_lists <= DICTIONARIES and _are_texts([*lists])


def _are_named(documents: dict[Any, Any]) -> bool:
    """Whether all documents of a topic have names.

    All names are asked at once, in C, since they lie scattered in memory: to fetch them
    one by one takes ten times as long.
    """
    return "" not in documents and _are_texts([*documents])


def _are_texts(names: list[Any]) -> bool:
    """Whether all names are texts that a file can hold."""
    if countOf(map(type, names), str) < len(names):
        return False
    text = "".join(names)
    return text.isascii() or not any(map(_is_half_of_pair, {*text}))


def _is_half_of_pair(letter: str) -> bool:
    """Whether a letter is half of a surrogate pair, which no file can hold."""
    return "\ud800" <= letter <= "\udfff"


def floats_of(values: Collection[Any]) -> np.ndarray | None:
    """Numbers as float64; None if one is of another type, or no float holds it."""
    if {*map(type, values)} - NUMBERS:
        return None
    try:
        return np.fromiter(values, np.float64, len(values))
    except OverflowError:
        return None
