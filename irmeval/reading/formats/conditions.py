"""What tells a format: tests of a first block, made of named conditions. A format is
read as the list of its conditions.
"""

from collections.abc import Callable, Sequence
from typing import Any

from irmeval.reading.first_block import FirstBlock
from irmeval.reading.text_layout import Layout, find_columns

Condition = Callable[[FirstBlock], bool]
"""What a first block must fulfil for a format."""


def tell_lines(layout: Layout, *conditions: Condition) -> Callable[[FirstBlock], Layout | None]:
    """Test for text without a header: the columns of the layout, whole numbers as
    grades, numbers as scores, and all `conditions`.
    """

    def has_numbers(block: FirstBlock) -> bool:
        return all(
            NEEDED[column](block, place)
            for place, column in enumerate(layout.columns)
            if column in NEEDED
        )

    def tell(block: FirstBlock) -> Layout | None:
        if not is_text(block, len(layout.columns)):
            return None
        holds = all(condition(block) for condition in (has_numbers, *conditions))
        return divided_as(block, layout) if holds else None

    return tell


def tell_if(
    find: Callable[[FirstBlock], Any], *conditions: Condition
) -> Callable[[FirstBlock], Any]:
    """Test that finds what `find` does where all `conditions` hold."""

    def tell(block: FirstBlock) -> Any:
        holds = all(condition(block) for condition in conditions)
        return find(block) if holds else None

    return tell


def tell_shape(*conditions: Condition) -> Callable[[FirstBlock], Any]:
    """Test for JSON of a shape that its reader finds by itself."""
    return tell_if(lambda block: True, *conditions)


def is_json(block: FirstBlock) -> bool:
    """Whether a block is a JSON text that is no list of records, and has values."""
    return block.container == "json" and bool(block.filled)


def find_named(
    columns: Sequence[str], *conditions: Callable[[FirstBlock, dict[str, str]], bool]
) -> Callable[[FirstBlock], dict[str, str] | None]:
    """Function that maps some of these columns to their names in a header where all
    `conditions` hold, which are asked with the block and what was found.
    """

    def find(block: FirstBlock) -> dict[str, str] | None:
        found = find_columns(block.names, columns)
        holds = all(condition(block, found) for condition in conditions)
        return found if holds else None

    return find


def is_text(block: FirstBlock, width: int) -> bool:
    """Whether a block is a text of this many columns, without a header."""
    return block.container == "text" and not block.names and block.width == width


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


def tell_first(*tests: Callable[[FirstBlock], Any]) -> Callable[[FirstBlock], Any]:
    """Test that fits if one of several does; the first counts."""

    def tell(block: FirstBlock) -> Any:
        return next((found for test in tests if (found := test(block)) is not None), None)

    return tell
