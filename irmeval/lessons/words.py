"""Texts of lessons: a number in place of its name, and words that depend on the
numbers.

>>> from irmeval.lessons.words import conditions, fill
>>> told = "AP is {ap}{ap < 0.9 ? , which is {loss} less}."
>>> fill(told, {"ap": "0.55", "loss": "0.45"}.get, lambda condition: True)
'AP is 0.55, which is 0.45 less.'
>>> conditions(told)
('ap < 0.9',)
"""

import re
from collections.abc import Callable

PLACE = re.compile(r"\{(\w+)\}")
"""A number in a text, or the experiment's test."""
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")
_CONDITION = re.compile(r"\|([^|]*)\?")


def fill(text: str, number: Callable[[str], str], holds: Callable[[str], bool]) -> str:
    """Replace ``{name}`` by its number, and ``{condition ? words | other words}`` by
    the words of the first condition that holds; the other words, without a condition,
    may be missing.
    """

    def pick(found: re.Match[str]) -> str:
        for case in found[1].split("|"):
            condition, _, words = case.rpartition("?")
            if not condition or holds(condition):
                return words.strip()
        return ""

    return _ALTERNATIVES.sub(pick, PLACE.sub(lambda place: number(place[1]), text))


def conditions(text: str) -> tuple[str, ...]:
    """The conditions on which words of a text depend; what is in braces without any
    counts as one, which is no comparison.
    """
    found = list[str]()
    for inside in _ALTERNATIVES.findall(PLACE.sub("", text)):
        # each condition is found behind a bar, and the first has none
        asked = _CONDITION.findall(f"|{inside}")
        found += map(str.strip, asked or [f"{{{inside}}}"])
    return tuple(found)
