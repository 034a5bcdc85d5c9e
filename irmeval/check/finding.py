"""A finding about a run: what was seen, what it means, what to do."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

LEVELS = ("error", "warning", "note")
"""Worst first. Error: the scores are not what the run's author means. Warning: the run differs from others in a way that changes its
score or place."""
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
SUBJECTS = (*OF_RUNS, "grades", "judgments", "unjudged")
"""Subjects of all findings. The last three are about the collection, and the same for all runs."""
LARGE = 0.01
"""An effect on the mean of the first measure beyond this is an error or a warning, a smaller one a note."""


class Finding(NamedTuple):
    """A finding of a check.

    Attributes
    ----------
    level : one of `LEVELS`
    subject : what was checked
    what : what was seen
    meaning : the effect on scores
    remedy : what to do; empty if nothing need be done
    effect : by how much the mean of the first measure would change without it; 0 if it would not, or nobody can know
    """

    level: str
    subject: str
    what: str
    meaning: str
    remedy: str = ""
    effect: float = 0.0


error = partial(Finding, LEVELS[0])
"""Makes an error from the other fields of a finding."""
warning = partial(Finding, LEVELS[1])
"""Makes a warning."""
note = partial(Finding, LEVELS[2])
"""Makes a note."""


def weigh(level: str, effect: float) -> str:
    """The level of a finding with this effect: a note unless the effect is `LARGE`."""
    return level if abs(effect) > LARGE else LEVELS[2]


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings sorted by level, worst first, and within a level by the size of the effect."""
    return tuple(sorted(findings, key=lambda finding: (LEVELS.index(finding.level), -abs(finding.effect))))


def rule_name(subject: str) -> str:
    """The name of a subject for programs: one word."""
    return subject.replace(" ", "-")
