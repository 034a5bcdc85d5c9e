"""Findings about runs: observation, meaning, and remedy."""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

LEVELS = ("error", "warning", "note")
"""Worst first. Error: the scores are not what the run's author intended. Warning: the
run differs from others in a way that changes its score or place.
"""
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
"""Subjects of all findings. The last three are about the collection, and equal for all
runs.
"""
LARGE = 0.01
"""Effect on the mean of the first measure beyond which a finding is an error or a
warning, not a note.
"""


class CheckFinding(NamedTuple):
    """A finding of a check.

    Attributes
    ----------
    level : one of `LEVELS`
    subject : what was checked
    what : what was seen
    meaning : the effect on scores
    remedy : what to do; empty if nothing need be done
    effect : by how much the mean of the first measure would change without it; 0 if it
        would not, or nobody can know
    """

    level: str
    subject: str
    what: str
    meaning: str
    remedy: str = ""
    effect: float = 0.0


error = partial(CheckFinding, LEVELS[0])
"""Make an error from the other fields of a finding."""
warning = partial(CheckFinding, LEVELS[1])
"""Make a warning."""
note = partial(CheckFinding, LEVELS[2])
"""Make a note."""


def weigh(level: str, effect: float) -> str:
    """Level of a finding with this effect: a note unless the effect is `LARGE`."""
    return level if abs(effect) > LARGE else LEVELS[2]


def worst_first(findings: Iterable[CheckFinding]) -> tuple[CheckFinding, ...]:
    """Sort findings by level, worst first, and within a level by the size of the
    effect.
    """
    return tuple(
        sorted(findings, key=lambda finding: (LEVELS.index(finding.level), -abs(finding.effect)))
    )


def rule_name(subject: str) -> str:
    """Name of a subject for programs: one word."""
    return subject.replace(" ", "-")
