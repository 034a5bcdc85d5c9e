"""The team of a run, by its name or by a list."""

import csv
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Annotated

from irmeval.core.errors import ReadError
from irmeval.core.params import Param
from irmeval.core.text import number_key, shorten
from irmeval.reading.files import refuse_binary

LETTERS = "letters"
"""The default rule: the leading letters of the name."""
LARGEST = 16 << 20
"""Bytes of the largest list of teams."""
TeamRule = Annotated[
    str,
    Param(
        "team of a run",
        "letters: the leading letters of its name; a number: so many characters; a text: what stands before it.",
        high=100,
        value_labels={LETTERS: "teams by leading letters"},
    ),
]


def team_of(name: str, rule: str = LETTERS) -> str:
    """The team of a run.

    `rule` is ``letters`` (the leading letters), a number (of leading characters), or a text (all that stands before it). If the rule finds
    nothing, the run is a team of its own.
    """
    if rule == LETTERS:
        team = "".join(takewhile(str.isalpha, name))
    elif number := number_key(rule):
        size, digits = number
        team = name[: int(digits or 0)] if size < 10 else name
    else:
        team = name.partition(rule)[0] if rule else name
    return team or name


def teams_of(runs: Iterable[str], rule: str, listed: Mapping[str, str]) -> list[str]:
    """The team of each run: from the list (run -> team), or by the rule if the list lacks the run."""
    return [listed.get(run) or team_of(run, rule) for run in runs]


def read_teams(name: str, data: bytes) -> dict[str, str]:
    """Run -> team, from a CSV with the columns run and team.

    Raises
    ------
    ReadError
        For a file that is too large, is not UTF-8 or holds a NUL; for another header, a line of another length, or a run named twice.
    """
    if len(data) > LARGEST:
        raise ReadError(name, None, f"at most {LARGEST >> 20} MiB", "more", "Leave runs out.")
    refuse_binary(name, data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ReadError(name, None, "plain text in UTF-8", "another encoding", "Save it as UTF-8 text.") from None
    try:
        lines = [(number, row) for number, row in enumerate(csv.reader(text.removeprefix("\ufeff").splitlines()), 1) if row]
    except csv.Error as error:
        raise ReadError(name, None, "comma-separated text", f"something else ({error})", "Save it as CSV.") from None
    if not lines or [cell.strip() for cell in lines[0][1]] != ["run", "team"]:
        came = shorten(",".join(lines[0][1])) if lines else "an empty file"
        raise ReadError(name, 1, "the header run,team", came, "Put it on the first line.")
    team: dict[str, str] = {}
    for number, row in lines[1:]:
        if len(row) != 2 or row[0] in team:
            raise ReadError(name, number, "a run not named before and its team", shorten(",".join(row)), "Fix or remove the line.")
        team[row[0]] = row[1]
    return team
