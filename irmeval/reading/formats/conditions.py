"""What tells a format: tests of a first block, made of named conditions. A format is
read as the list of its conditions.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from irmeval.reading.first_block import OF_JSON, FirstBlock, Leaf
from irmeval.reading.lines import is_number
from irmeval.reading.lists_of_objects import JUDGED, RANKED
from irmeval.reading.text_layout import Layout, find_columns, name_columns

Condition = Callable[[FirstBlock], bool]
"""What a first block must fulfil for a format."""
Tell = Callable[[FirstBlock], Any]
"""Test of a first block: what the reader of a format needs to know, or None for a file
of another format.
"""
Find = Callable[[FirstBlock], dict[str, str] | None]
"""Test of a header: columns -> their names, or None for a file of another format."""


def tell_if(find: Tell, *conditions: Condition) -> Tell:
    """Test that finds what `find` does where all `conditions` hold; they are asked in
    turn, so that one may rely on those before it.
    """

    def tell(block: FirstBlock) -> Any:
        for condition in conditions:
            if not condition(block):
                return None
        return find(block)

    return tell


def tell_lines(layout: Layout, *conditions: Condition) -> Tell:
    """Test for text without a header: the columns of the layout, whole numbers as
    grades, numbers as scores, and all `conditions`.
    """
    return tell_if(
        partial(divided_as, layout=layout),
        is_text_of(len(layout.columns)),
        _has_numbers(layout),
        *conditions,
    )


def _has_numbers(layout: Layout) -> Condition:
    """Condition that each column of numbers holds some."""
    needed = [(place, column) for place, column in enumerate(layout.columns) if column in NEEDED]
    return lambda block: all(NEEDED[column](block, place) for place, column in needed)


def tell_named(container: str, find: Find) -> Tell:
    """Test for files with named columns, which `find` maps to their names."""
    if container == "text":
        return tell_if(_layout_of(find), is_in("text"))
    return tell_if(find, is_in(container))


def _layout_of(find: Find) -> Tell:
    """Test that finds the columns of a text by its header."""

    def tell(block: FirstBlock) -> Layout | None:
        found = find(block)
        if found is None:
            return None
        return Layout(name_columns(block.names, found), block.separator, True, block.quoted)

    return tell


def is_in(*containers: str) -> Condition:
    """Condition that a block is of one of these containers."""
    return lambda block: block.container in containers


LIST_KEYS = {*JUDGED, *RANKED}


def tell_lists(keys: Iterable[str]) -> Tell:
    """Test for JSON with lists of objects under one of these keys. A mapping of topics
    to documents with numbers has none, whatever its keys, unless it is below such a
    key.
    """
    return tell_shape(
        is_in(*OF_JSON),
        either(unless(maps_to_numbers), _is_below(keys)),
        _has_key(keys),
    )


def _has_key(keys: Iterable[str]) -> Condition:
    """Condition that a JSON text has lists under one of these keys."""

    def holds(block: FirstBlock) -> bool:
        found = block.keys & LIST_KEYS
        # what comes before the lists of a single object may be long
        if not found:
            found = block.all_keys
        return not found.isdisjoint(keys)

    return holds


def maps_to_numbers(block: FirstBlock) -> bool:
    """Whether all values in a JSON text are numbers under keys, no lists or texts."""
    if block.container != "json":
        return False
    return all(map(is_number_by_key, block.filled))


def is_number_by_key(leaf: Leaf) -> bool:
    """Whether a leaf of a JSON text is a number, and in no list."""
    return is_number(leaf.cell) and not leaf.is_listed()


def _is_below(keys: Iterable[str]) -> Condition:
    """Condition that all topics and documents of a JSON text are below one of these
    keys.
    """

    def holds(block: FirstBlock) -> bool:
        depths = {len(leaf.path) for leaf in block.filled}
        tops = {leaf.top.lower() for leaf in block.filled}
        return depths == {3} and tops <= {*keys}

    return holds


def tell_shape(*conditions: Condition) -> Tell:
    """Test for JSON of a shape that its reader finds by itself."""
    return tell_if(lambda block: True, *conditions)


def is_json(block: FirstBlock) -> bool:
    """Whether a block is a JSON text that is no list of records, and has values."""
    return block.container == "json" and bool(block.filled)


def find_named(
    columns: Sequence[str], *conditions: Callable[[FirstBlock, dict[str, str]], bool]
) -> Find:
    """Function that maps some of these columns to their names in a header where all
    `conditions` hold, which are asked with the block and what was found.
    """

    def find(block: FirstBlock) -> dict[str, str] | None:
        found = find_columns(block.names, columns)
        for condition in conditions:
            if not condition(block, found):
                return None
        return found

    return find


def is_text_of(width: int) -> Condition:
    """Condition that a block is a text of this many columns, without a header."""
    return lambda block: is_headless(block) and block.width == width


def is_headless(block: FirstBlock) -> bool:
    """Whether a block is a text without a header."""
    return block.container == "text" and not block.names


def divided_as(block: FirstBlock, layout: Layout) -> Layout:
    """The layout, with the separator of the block."""
    return layout._replace(separator=block.separator, quoted=block.quoted)


NEEDED: dict[str, Callable[[FirstBlock, int], bool]] = {
    "grade": FirstBlock.whole,
    "score": FirstBlock.numbers,
    "probability": FirstBlock.numbers,
}
"""What a column of this name must contain."""


def unless(condition: Condition) -> Condition:
    """The opposite of a condition."""
    return lambda block: not condition(block)


def either(*conditions: Condition) -> Condition:
    """Whether one of several conditions holds."""
    return lambda block: any(condition(block) for condition in conditions)


def tell_first(*tests: Tell) -> Tell:
    """Test that fits if one of several does; the first counts."""

    def tell(block: FirstBlock) -> Any:
        for test in tests:
            found = test(block)
            if found is not None:
                return found
        return None

    return tell
