"""Claims about the numbers of a lesson: comparisons, and whether they can hold
together.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, filterfalse, pairwise
from typing import NamedTuple

NEAR = 1e-9
"""Tolerance for equal numbers."""
DIGITS = 15
"""Maximum digits of a number before its point, and behind it: those of which float64
keeps each.
"""
_DIGITS = rf"\d{{1,{DIGITS}}}"
_NUMERAL = rf"-?(?:{_DIGITS}(?:\.{_DIGITS})?|\.{_DIGITS})"
_CLAIM = re.compile(rf"\s*(\w{{1,41}}|{_NUMERAL})\s*(<=|>=|<|>|=)\s*(\w{{1,41}}|{_NUMERAL})\s*")
_COMPARED: dict[str, Callable[[float, float, float], bool]] = {
    "<": lambda a, b, apart: a < b - apart,
    ">": lambda a, b, apart: a > b + apart,
    "<=": lambda a, b, apart: a <= b + NEAR,
    ">=": lambda a, b, apart: a >= b - NEAR,
    "=": lambda a, b, apart: abs(a - b) <= NEAR,
}
_STEPS = {
    "<": [(0, 1)],
    "<=": [(0, 1)],
    ">": [(1, 0)],
    ">=": [(1, 0)],
    "=": [(0, 1), (1, 0)],
}
"""Which side of a comparison is at most which, by its sign."""


class Margin(NamedTuple):
    """By how much a number must be less than another to be called less."""

    size: float = 0.0
    is_share: bool = False
    """whether the size is a share of the larger of the two"""

    def __str__(self) -> str:
        if self.is_share:
            return f"{self.size:.0%} of the larger"
        return f"{self.size:g}"

    def of(self, a: float, b: float) -> float:
        """The margin between two numbers."""
        if self.is_share:
            return self.size * max(abs(a), abs(b))
        return self.size


NONE = Margin()
"""Numbers are compared as they are."""


@dataclass(frozen=True)
class Claim:
    """A comparison of two numbers, each given by its name or as digits. ``<`` and ``>``
    hold by a margin; the others allow for rounding alone.
    """

    left: str
    sign: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.sign} {self.right}"

    @property
    def sides(self) -> tuple[str, str]:
        """The two sides of the comparison."""
        return self.left, self.right

    def write(self, number: Callable[[str], str]) -> str:
        """The claim with its numbers as texts, as in ``tau_ap 0.55 < tau_q 0.64``."""
        named = {side: f"{side} {number(side)}" for side in filterfalse(is_number, self.sides)}
        return f" {self.sign} ".join(named.get(side, side) for side in self.sides)

    def holds(self, numbers: Mapping[str, float], margin: Margin = NONE) -> bool:
        """Whether the claim holds for these numbers, by a margin."""
        left, right = (_value_of(side, numbers) for side in self.sides)
        return _COMPARED[self.sign](left, right, NEAR + margin.of(left, right))


def _value_of(side: str, numbers: Mapping[str, float]) -> float:
    if is_number(side):
        return float(side)
    return numbers[side]


def is_number(text: str) -> bool:
    """Whether a side of a claim is given as digits."""
    return re.fullmatch(_NUMERAL, text) is not None


def read(text: str, names: Collection[str]) -> Claim | None:
    """Parse a claim with at least one of these names; None if the text is not a
    claim.
    """
    parts = _CLAIM.fullmatch(text)
    if not parts:
        return None
    claim = Claim(*parts.groups())
    named = {*filterfalse(is_number, claim.sides)}
    if not named or not named <= {*names}:
        return None
    return claim


def read_all(text: str, names: Collection[str]) -> tuple[Claim, ...] | None:
    """Read claims with "and" between them; None if one is no claim."""
    parts = text.split(" and ")
    found = [*filter(None, (read(part, names) for part in parts))]
    if len(found) < len(parts):
        return None
    return tuple(found)


def can_hold(claims: Iterable[Claim]) -> bool:
    """Whether some numbers satisfy all of these claims.

    Each claim means that one side is at most the other, or less. They cannot all hold
    if a chain of claims leads from a side back to itself, and one of its steps is
    strict.

    Examples
    --------
    >>> a, b, c = Claim("a", "<", "b"), Claim("b", "<=", "0.5"), Claim("a", ">", "0.7")
    >>> can_hold([a, b]), can_hold([a, b, c])
    (True, False)
    """
    # weak steps under False, strict ones under True
    steps: dict[bool, set[tuple[str, str]]] = {False: set(), True: set()}
    for claim in claims:
        sides = [*map(_spelled, claim.sides)]
        found = [(sides[low], sides[high]) for low, high in _STEPS[claim.sign]]
        steps[claim.sign in "<>"].update(found)
    everything = {*chain.from_iterable(steps[False] | steps[True])}
    # digits are in an order of their own, which no claim has to state
    numerals = sorted(map(float, filterfalse(str.isidentifier, everything)))
    steps[True].update(pairwise(map(repr, numerals)))
    above = defaultdict[str, set[str]](set)
    for low, high in steps[False] | steps[True]:
        above[low].add(high)
    return not any(low in _reached(high, above) for low, high in steps[True])


def _spelled(side: str) -> str:
    """A side of a claim; equal numbers are spelled alike, and none is -0.0."""
    if not is_number(side):
        return side
    return repr(float(side) + 0.0)


def _reached(start: str, above: Mapping[str, set[str]]) -> set[str]:
    """All sides that a chain of claims puts at or above a side."""
    found, newest = {start}, {start}
    while newest:
        higher = (above.get(side, set()) for side in newest)
        newest = set[str]().union(*higher) - found
        found |= newest
    return found
