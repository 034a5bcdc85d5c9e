"""Claims about the numbers of a lesson: comparisons, and whether they can hold
together.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

NEAR = 1e-9
"""Tolerance for equal numbers."""
_NUMERAL = r"-?(?:\d{1,15}(?:\.\d{1,15})?|\.\d{1,15})"
_CLAIM = re.compile(rf"\s*(\w{{1,41}}|{_NUMERAL})\s*(<=|>=|<|>|=)\s*(\w{{1,41}}|{_NUMERAL})\s*")
_COMPARED: dict[str, Callable[[float, float, float], bool]] = {
    "<": lambda a, b, apart: a < b - apart,
    ">": lambda a, b, apart: a > b + apart,
    "<=": lambda a, b, apart: a <= b + NEAR,
    ">=": lambda a, b, apart: a >= b - NEAR,
    "=": lambda a, b, apart: abs(a - b) <= NEAR,
}


class Margin(NamedTuple):
    """By how much a number must be less than another to be called less."""

    size: float = 0.0
    is_share: bool = False
    """whether the size is a share of the larger of the two"""

    def __str__(self) -> str:
        return f"{self.size:.0%} of the larger" if self.is_share else f"{self.size:g}"

    def of(self, a: float, b: float) -> float:
        """The margin between two numbers."""
        return self.size * max(abs(a), abs(b)) if self.is_share else self.size


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
        return f" {self.sign} ".join(
            side if is_number(side) else f"{side} {number(side)}" for side in self.sides
        )

    def holds(self, numbers: Mapping[str, float], margin: Margin = NONE) -> bool:
        """Whether the claim holds for these numbers, by a margin."""
        left, right = (float(side) if is_number(side) else numbers[side] for side in self.sides)
        return _COMPARED[self.sign](left, right, NEAR + margin.of(left, right))


def is_number(text: str) -> bool:
    """Whether a side of a claim is given as digits."""
    return re.fullmatch(_NUMERAL, text) is not None


def read(text: str, names: Collection[str]) -> Claim | None:
    """Parse a claim with at least one of these names; None if the text is not a
    claim.
    """
    parts = _CLAIM.fullmatch(text)
    claim = Claim(*parts.groups()) if parts else None
    known = claim and [side in names for side in claim.sides if not is_number(side)]
    return claim if known and all(known) else None


def read_all(text: str, names: Collection[str]) -> tuple[Claim, ...] | None:
    """Read claims with "and" between them; None if one is no claim."""
    found = [read(part, names) for part in text.split(" and ")]
    return tuple(claim for claim in found if claim) if all(found) else None


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
    weak, strict = set[tuple[str, str]](), set[tuple[str, str]]()
    for claim in claims:
        # no -0.0
        left, right = (repr(float(side) + 0.0) if is_number(side) else side for side in claim.sides)
        pairs = (
            [(right, left)]
            if claim.sign in (">", ">=")
            else [(left, right), (right, left)]
            if claim.sign == "="
            else [(left, right)]
        )
        (strict if claim.sign in "<>" else weak).update(pairs)
    numerals = sorted(
        {float(side) for pair in weak | strict for side in pair if not side.isidentifier()}
    )
    strict |= {(repr(low), repr(high)) for low, high in pairwise(numerals)}
    above: dict[str, set[str]] = {}
    for low, high in weak | strict:
        above.setdefault(low, set()).add(high)
    return not any(low in _reached(high, above) for low, high in strict)


def _reached(start: str, above: Mapping[str, set[str]]) -> set[str]:
    """All sides that a chain of claims puts at or above a side."""
    found, waiting = {start}, [start]
    while waiting:
        for side in above.get(waiting.pop(), set()) - found:
            found.add(side)
            waiting.append(side)
    return found
