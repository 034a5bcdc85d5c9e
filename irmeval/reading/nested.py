"""Lists of documents by topic in JSON texts and dictionaries: topic -> document ->
number, and topic -> documents.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import filterfalse
from numbers import Real
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.text import shorten
from irmeval.reading.arrays import to_arrow
from irmeval.reading.lines import is_number
from irmeval.reading.named_columns import check_filled, load_whole, string_array, table_of
from irmeval.reading.plain import META, floats_of, plain_lists

TO_LINES = (
    "jq -c 'to_entries[] | .key as $q | .value | to_entries[] | {qid: $q, docno: .key, score:"
    " .value}'"
)
SHAPE = "topic -> document -> number"


class Documents(NamedTuple):
    """Documents of a topic, each with a number; without numbers, in ranked order."""

    documents: "pa.StringArray"
    numbers: np.ndarray | None


KeyPath = tuple[str, ...]
"""Keys that lead to a value."""


class NestedList(NamedTuple):
    """The documents of a topic, and where they are."""

    path: KeyPath
    """the topic last; keys above it are those of a run"""
    documents: Documents

    @property
    def topic(self) -> str:
        """The topic."""
        return self.path[-1]

    @property
    def run(self) -> str:
        """The name of the run; empty if no key is above the topic."""
        return "/".join(self.path[:-1])

    @property
    def size(self) -> int:
        """Number of documents."""
        return len(self.documents.documents)


NESTED = (Mapping, list, Documents)


def read_nested(name: str, data: bytes, found: Any = None) -> dict[str, Any]:
    """Columns of a JSON text. Keys above the topics are run names. Raises `ReadError`
    for another shape, or a value that is not a number.
    """
    return nested_table(name, load_whole(name, data, TO_LINES, object_pairs_hook=_compact))


def _compact(pairs: list[tuple[str, Any]]) -> Any:
    """An object of a JSON text as pairs; numbers of documents are arrays, which take
    less memory.
    """
    if not pairs:
        return pairs
    keys, values = zip(*pairs, strict=True)
    numbers = floats_of(values)
    if numbers is None:
        return pairs
    return Documents(pa.array(keys, pa.string()), numbers)


def nested_table(name: str, lists: Any) -> dict[str, Any]:
    """Columns of nested lists: mappings or pairs, down to `Documents`, lists of
    documents, or mappings of documents to numbers. Raises `ReadError` if there are
    none, or if they are nested to different depths.
    """
    if (table := plain_table(lists)) is not None:
        return table
    found = [*_walk(name, lists)]
    if not found:
        raise ReadError(name, None, "topics with documents", "none")
    _check_depth(name, found)
    sizes, topics, runs = zip(*map(attrgetter("size", "topic", "run"), found), strict=True)
    table = table_of(name, {"topic": _repeated(topics, sizes)})
    documents = map(attrgetter("documents.documents"), found)
    table["document"] = pa.concat_arrays([*documents])
    check_filled(name, table["document"])
    if len({*runs}) > 1:
        table |= table_of(name, {"run": _repeated(runs, sizes)})
    if numbers := _numbers(name, found):
        table["number"] = np.concatenate(numbers)
    table["rank"] = ranks(sizes)
    return table


def _check_depth(name: str, found: list[NestedList]) -> None:
    """Raise `ReadError` if some topics are below fewer keys than others."""
    paths = [*map(attrgetter("path"), found)]
    deepest = max(map(len, paths))
    for path in paths:
        if len(path) < deepest:
            came = f"documents below {shorten(', '.join(path))}, deeper elsewhere"
            expected = f"{SHAPE}, alike for all topics"
            raise ReadError(name, None, expected, came, "Fix or remove it.")


def _repeated(texts: Sequence[str], sizes: Sequence[int]) -> np.ndarray:
    """The text of each list, for each of its documents."""
    return np.repeat(np.array(texts, object), sizes)


def plain_table(lists: Any) -> dict[str, Any] | None:
    """Columns of plain lists; None for anything else, which is looked at more closely."""
    plain = plain_lists(lists)
    if plain is None:
        return None
    sizes = plain.sizes
    return {
        "topics": (*plain.documents,),
        "topic": np.repeat(np.arange(len(sizes), dtype=np.int32), sizes),
        "document": pa.array(plain.names, pa.string()),
        "number": plain.number,
        "rank": ranks(sizes),
    }


def _numbers(name: str, found: list[NestedList]) -> list[np.ndarray]:
    """Numbers of each list; none if no list has any. Raises `ReadError` if only some
    lists have numbers.
    """
    numbers = [*map(attrgetter("documents.numbers"), found)]
    bare = [each for each in found if each.documents.numbers is None]
    if not bare:
        return numbers
    if len(bare) == len(found):
        return []
    came = f"documents alone for {shorten(', '.join(bare[0].path))}"
    raise ReadError(name, None, "a number for each document", came, "Add the numbers.")


def _walk(name: str, value: Any) -> Iterator[NestedList]:
    """Lists of all topics, with the keys that lead to each. Empty ones are left out."""
    pairs = _pairs(name, (), value)
    _check_topics(name, [*map(itemgetter(0), pairs)])
    for key, item in pairs:
        _check_nested(name, key, item)
        topic_or_run = _key_text(name, key)
        if topic_or_run not in META:
            yield from _below(name, item, (topic_or_run,))


def _check_topics(name: str, topics: list[Any]) -> None:
    """Raise `ReadError` for topics that no file can hold, and for those that differ,
    but not as texts, such as 1 and ``"1"``.
    """
    string_array([*map(str, topics)], name)
    for topic, times in Counter(map(str, {*topics})).items():
        if times > 1:
            came = f"{shorten(topic)} as a text and as a number"
            raise ReadError(name, None, "each topic once", came, "Keep one of them.")


def _check_nested(name: str, key: Any, item: Any) -> None:
    """Raise `ReadError` for the value of a topic that is no list."""
    if not isinstance(item, NESTED) and not is_empty(item):
        came = f"{shorten(item)} for {shorten(key)}"
        raise ReadError(name, None, SHAPE, came, "Fix or remove it.")


def _below(name: str, value: Any, path: KeyPath) -> Iterator[NestedList]:
    """Lists at a key: one of documents, or those of the keys below."""
    if is_empty(value):
        return
    if len(path) > 5:
        raise ReadError(name, None, SHAPE, "deeper nesting", "Take a level out.")
    documents = _listed(name, value, path)
    if documents is not None:
        here = NestedList(path, documents)
        if here.size:
            yield here
        return
    for key, item in _pairs(name, path, value):
        topic_or_run = _key_text(name, key)
        if topic_or_run not in META:
            yield from _below(name, item, (*path, topic_or_run))


def _key_text(name: str, key: Any) -> str:
    """A topic, or the name of a run above topics, as text. Raises `ReadError` for a key
    that is neither a text nor a number, such as None.
    """
    is_name = isinstance(key, str | Real) and not isinstance(key, bool)
    if not is_name or key != key:  # NaN differs from itself
        remedy = "Name the topic, or leave it out."
        raise ReadError(name, None, "texts or numbers as topics", shorten(key), remedy)
    return str(key)


def _listed(name: str, value: Any, path: KeyPath) -> Documents | None:
    """Documents of a topic; None for a mapping of lists."""
    if isinstance(value, Documents):
        return value
    if _lists_documents(value):
        filled = filterfalse(is_empty, value)
        return Documents(string_array([*map(str, filled)], name), None)
    pairs = _pairs(name, path, value)
    if any(isinstance(item, NESTED) for _, item in pairs):
        return None
    return _documents(name, path, pairs)


def _pairs(name: str, path: KeyPath, value: Any) -> list[tuple[Any, Any]]:
    """Keys and values of a mapping. Raises `ReadError` for anything else."""
    if isinstance(value, Mapping):
        return [*value.items()]
    if isinstance(value, list) and all(map(_is_pair, value)):
        return value
    where = f"{', '.join(path)}: ".removeprefix(": ")
    raise ReadError(name, None, SHAPE, f"{where}{shorten(value)}", "Fix or remove it.")


def is_empty(value: Any) -> bool:
    """Whether a value is null, or an empty text, list or mapping."""
    if value is None:
        return True
    return isinstance(value, str | list | tuple | Mapping) and len(value) == 0


def _lists_documents(value: Any) -> bool:
    """Whether a value is a list of documents, with or without empty elements."""
    return isinstance(value, list) and all(isinstance(item, str | int | None) for item in value)


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2


def _documents(name: str, path: KeyPath, pairs: list[tuple[Any, Any]]) -> Documents:
    """Documents of a topic; an empty value is NaN. Raises `ReadError` for a value that
    is not a number.
    """
    numbers = []
    for document, value in pairs:
        number = as_number(value)
        if number is None:
            where = f"{', '.join(path)}, {document}"
            came = f"{shorten(value)} for {shorten(where)}"
            raise ReadError(name, None, "numbers as grades or scores", came, "Fix or remove it.")
        numbers.append(number)
    documents = [*map(itemgetter(0), pairs)]
    return Documents(string_array(documents, name), np.array(numbers))


def as_number(value: Any) -> float | None:
    """A number, also one written as text; NaN for an empty value, None for any other."""
    if is_empty(value):
        return np.nan
    # a truth value passes for 0 or 1, which nobody means by it
    if isinstance(value, bool) or not _is_like_number(value):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number that no float holds
        return None


def _is_like_number(value: Any) -> bool:
    if isinstance(value, str):
        return is_number(value)
    return hasattr(value, "__float__")


def ranks(lengths: Iterable[int]) -> "pa.StringArray":
    """1, 2, ... for each list of these lengths."""
    each = np.fromiter(lengths, np.int64)
    place = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
    words = to_arrow(np.arange(1, each.max(initial=0) + 1)).cast(pa.string())
    return words.take(to_arrow(place))
