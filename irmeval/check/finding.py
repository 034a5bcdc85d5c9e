"""One finding about a run: what was seen, what it means, what to do."""

from typing import NamedTuple

LEVELS = ("red", "amber", "green")
"""Worst first: wrong, odd, as it should be."""
MATTERS = 0.0005
"""A difference of means that is visible in three decimals."""


class Finding(NamedTuple):
    """One line of a check.

    Attributes
    ----------
    level : red (scores are not what they should be), amber (know this before you compare), green
    subject : what was checked
    what : what was seen
    meaning : the effect on scores
    remedy : what to do; empty if nothing
    """

    level: str
    subject: str
    what: str
    meaning: str
    remedy: str = ""
