"""Facts: what a result states, told apart by measure or by line, and as rows of a
table.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irmeval.core.lazy import pd

if TYPE_CHECKING:
    from pandas import DataFrame


class Fact(NamedTuple):
    """A number that a result states."""

    what: str
    """of which quantity: ``tau``, or ``tau falls below 0.9``"""
    measure: str
    """empty for a quantity that no measure has"""
    line: str
    """empty for a result without lines"""
    value: float
    level: float = np.nan
    """where on the axis; `NEVER` for a curve that does not get there, NaN for one that
    is undefined
    """
    left: float = np.nan
    """share of the judgments that is left there, in per cent; NaN where none is
    removed
    """
    reading: str = ""
    """how pairs of runs are tested: ``alone``; empty if none are"""


class Verdict(NamedTuple):
    """What a result says, what stands beside it in small type, and what below."""

    claim: str
    """the answer to the question of its page: one claim of at most `LONGEST` words, without
    the name of a test
    """
    beside: str = ""
    """sentences on the family, the runs loaded, what was really left; may be empty"""
    below: str = ""
    """sentences on what else is known, which a page shows with its tables; may be empty"""

    @property
    def text(self) -> str:
        """All as one text."""
        return " ".join(filter(None, self))


LONGEST = 20
"""Maximum number of words of a claim."""


def name_of(fact: Fact, facts: Sequence[Fact]) -> str:
    """What tells a fact apart from others of its kind: its measure, or its line."""
    lines = {other.line for other in facts}
    if len(lines) > 1:
        return fact.line
    return fact.measure or fact.line


def table(
    facts: Sequence[Fact], column: str, write: Callable[[Fact], Any], lines: bool = False
) -> "DataFrame":
    """A row for each fact: measure, line if there are any, and the value in words."""
    rows = pd.DataFrame(
        [(fact.measure, fact.line, write(fact)) for fact in facts],
        columns=["measure", "line", column],
    )
    if lines:
        return rows
    return rows.drop(columns="line")
