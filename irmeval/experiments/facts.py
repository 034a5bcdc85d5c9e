"""Facts: what a result states, and the one place that writes them as sentences, as
marks in charts and as rows of tables.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from irmeval.core.lazy import pd
from irmeval.core.text import list_few
from irmeval.experiments.headlines import NAMED, list_crossings
from irmeval.stats.crossings import NEVER

if TYPE_CHECKING:
    from pandas import DataFrame

SUBJECTS = ("measure", "line")
"""What tells facts of the same kind apart."""


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
    """What a result says, and what stands beside it in small type."""

    claim: str
    """the answer to the question of its page: one claim of at most `LONGEST` words, without
    the name of a test
    """
    beside: str = ""
    """sentences on the family, the runs loaded, what was really left; may be empty"""

    @property
    def text(self) -> str:
        """Both as one text."""
        return f"{self.claim} {self.beside}".strip()


LONGEST = 20
"""Maximum number of words of a claim."""


def describe_falls(
    facts: Sequence[Fact],
    what: str,
    does: str,
    write: Callable[[Fact], str],
    *,
    first: float,
    last: str,
) -> str:
    """Where curves fall to a value, the first to do so first: ``Tau falls below 0.9: AP
    at 34%, Q at 22%, Q' not down to 10%.`` Empty without facts. A single curve of no
    measure has no name: ``Kappa falls below 0.9 at 5%.``

    Parameters
    ----------
    facts : one for each curve, in the order of the levels
    what, does : subject and verb
    write : where, in words, such as ``at 34%``
    first : where the curves begin: one that falls there is below the value already
    last : where they end, such as ``down to 10%``
    """
    defined = [fact for fact in facts if not np.isnan(fact.level)]
    names = [name_of(fact, facts) for fact in defined]
    if not defined:
        return ""

    def place(fact: Fact) -> str:
        return f"already {write(fact)}" if fact.level == first else write(fact)

    if not any(names):  # a curve without a name
        where = f": not {last}" if defined[0].level == NEVER else f" {place(defined[0])}"
        return f"{what} {does}{where}."
    fallen = [
        f"{name} {place(fact)}"
        for name, fact in zip(names, defined, strict=True)
        if fact.level != NEVER
    ]
    above = [name for name, fact in zip(names, defined, strict=True) if fact.level == NEVER]
    rest = [f"{list_few(above, NAMED)} not {last}"] if above else []
    return list_crossings(f"{what} {does}", fallen, rest)


def name_of(fact: Fact, facts: Sequence[Fact]) -> str:
    """What tells a fact apart from others of its kind: its measure, or its line."""
    return fact.line if len({other.line for other in facts}) > 1 else fact.measure or fact.line


def in_order(facts: Sequence[Fact], *, descending: bool) -> list[Fact]:
    """Facts by their level, in the order in which a chart is read."""
    levels = np.array([fact.level for fact in facts], float)
    order = np.argsort(-levels if descending else levels, kind="stable")
    return [facts[i] for i in order]


def marks(facts: Sequence[Fact], place: Callable[[float], float]) -> dict[str, float]:
    """Where charts mark facts: name of a curve -> its place on the axis."""
    return {
        name_of(fact, facts): place(fact.level) if np.isfinite(fact.level) else fact.level
        for fact in facts
    }


def table(
    facts: Sequence[Fact], column: str, write: Callable[[Fact], Any], lines: bool = False
) -> "DataFrame":
    """A row for each fact: measure, line if there are any, and the value in words."""
    names = [name for name in SUBJECTS if name != "line" or lines]
    rows = [(*(getattr(fact, name) for name in names), write(fact)) for fact in facts]
    return pd.DataFrame(rows, columns=[*names, column])
