"""What tells a format: tests of a first block, made of named conditions."""

from collections.abc import Callable
from typing import Any

from irmeval.reading.first_block import FirstBlock
from irmeval.reading.text_layout import Layout

Condition = Callable[[FirstBlock], bool]
"""What a first block must fulfil for a format."""


def tell_lines(layout: Layout, *conditions: Condition) -> Callable[[FirstBlock], Layout | None]:
    """Test for text without a header: the columns of the layout, whole numbers as
    grades, numbers as scores, and all `conditions`.
    """

    def tell(block: FirstBlock) -> Layout | None:
        if not is_text(block, len(layout.columns)) or not _has_numbers(block, layout):
            return None
        if not all(condition(block) for condition in conditions):
            return None
        return layout._replace(separator=block.separator, quoted=block.quoted)

    return tell


def is_text(block: FirstBlock, width: int) -> bool:
    """Whether a block is a text of this many columns, without a header."""
    return block.container == "text" and not block.names and block.width == width


def _has_numbers(block: FirstBlock, layout: Layout) -> bool:
    needed = {"grade": block.whole, "score": block.numbers, "probability": block.numbers}
    return all(
        needed[column](place) for place, column in enumerate(layout.columns) if column in needed
    )


def unless(condition: Condition) -> Condition:
    """The opposite of a condition."""
    return lambda block: not condition(block)


def tell_first(*tests: Callable[[FirstBlock], Any]) -> Callable[[FirstBlock], Any]:
    """Test that fits if one of several does; the first counts."""

    def tell(block: FirstBlock) -> Any:
        return next((found for test in tests if (found := test(block)) is not None), None)

    return tell
