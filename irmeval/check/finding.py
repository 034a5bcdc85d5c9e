"""A finding about a run: what was seen, what it means, what to do."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

LEVELS = ("red", "amber", "green")
"""Worst first: wrong, odd, fine."""
MARKS = {"red": "WRONG", "amber": "odd", "green": "fine"}
"""The name of each level in texts."""
OF_RUNS = (
    "format",
    "duplicates",
    "topics",
    "depth",
    "scores",
    "precision",
    "ranks",
    "ties",
    "judged",
    "to judge next",
    "bounds",
    "standing",
    "same run",
    "topics far off",
)
"""Subjects of findings about a run."""
SUBJECTS = (*OF_RUNS, "grades", "judgments")
"""Subjects of all findings. The last two are about the qrels, and the same for all runs."""
MATTERS = 0.0005
"""The least difference of means that is visible in three decimals."""


class Finding(NamedTuple):
    """A finding of a check.

    Attributes
    ----------
    level : red (scores are not what they should be), amber (know this before you compare), green
    subject : what was checked
    what : what was seen
    meaning : the effect on scores
    remedy : what to do; empty if nothing need be done
    """

    level: str
    subject: str
    what: str
    meaning: str
    remedy: str = ""


wrong = partial(Finding, LEVELS[0])
"""Makes an error from the other fields of a finding."""
odd = partial(Finding, LEVELS[1])
"""Makes a warning."""
fine = partial(Finding, LEVELS[2])
"""Makes a note."""


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings sorted by level, worst first. Within a level their order is kept."""
    return tuple(sorted(findings, key=lambda finding: LEVELS.index(finding.level)))


def rule_name(subject: str) -> str:
    """The name of a subject for programs: one word."""
    return subject.replace(" ", "-")
