"""The team of a run, by its name or by a list; and its kind, such as lexical or neural,
by that list.
"""

import csv
import io
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Annotated, NamedTuple

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.params import Param
from irmeval.core.text import number_key, shorten
from irmeval.reading.files import refuse_binary

LETTERS = "letters"
"""Default rule: the leading letters of the name."""
LARGEST = 16 << 20
"""Maximum bytes of a list of teams."""
TeamRule = Annotated[
    str,
    Param(
        "team of a run",
        "letters: the leading letters of its name; a number: this many characters; a text:"
        " everything before it.",
        high=100,
        value_labels={LETTERS: "teams by leading letters"},
    ),
]
Kinds = Annotated[
    str,
    Param(
        "kinds of runs",
        "Kinds of systems, each followed by its runs: lexical,bm25,rm3;neural,dense. The column"
        " kind of a list of teams fills it.",
        empty="none",
        template="with kinds of runs",
    ),
]


def team_of(name: str, rule: str = LETTERS) -> str:
    """The team of a run.

    `rule` is ``letters`` (the leading letters), a number (of leading characters), or a
    text (everything before it). If the rule finds nothing, the run is a team of its
    own.
    """
    return _beginning(name, rule) or name


def _beginning(name: str, rule: str) -> str:
    if rule == LETTERS:
        return "".join(takewhile(str.isalpha, name))
    if not rule:
        return name
    number = number_key(rule)
    if number is None:
        return name.partition(rule)[0]
    size, digits = number
    # a number of ten digits is longer than any name, and int() of many digits is refused
    return name[: int(digits or 0)] if size < 10 else name


def teams_of(runs: Iterable[str], rule: str, listed: Mapping[str, str]) -> list[str]:
    """The team of each run: from the list (run -> team), or by the rule if the list
    lacks the run.
    """
    return [listed.get(run) or team_of(run, rule) for run in runs]


class Groups(NamedTuple):
    """Content of a list of teams."""

    teams: dict[str, str]
    """run -> team"""
    kinds: dict[str, str]
    """run -> kind of system; empty without that column"""


def read_teams(name: str, data: bytes) -> Groups:
    """The team and the kind of each run, from a CSV with the columns run and team, and
    perhaps kind.

    Raises
    ------
    ReadError
        For a file that is too large, is not UTF-8 or holds a NUL; for another header, a
        line of another length, or a run named twice.
    """
    if len(data) > LARGEST:
        raise ReadError(name, None, f"at most {LARGEST >> 20} MiB", "more", "Leave runs out.")
    refuse_binary(name, data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise ReadError(
            name, None, "plain text in UTF-8", "another encoding", "Save it as UTF-8 text."
        ) from None
    try:
        lines = [
            (number, row)
            for number, row in enumerate(csv.reader(text.removeprefix("\ufeff").splitlines()), 1)
            if row
        ]
    except csv.Error as error:
        raise ReadError(
            name, None, "comma-separated text", f"something else ({error})", "Save it as CSV."
        ) from None
    header = [cell.strip() for cell in lines[0][1]] if lines else []
    if header not in (["run", "team"], ["run", "team", "kind"]):
        came = shorten(",".join(lines[0][1])) if lines else "an empty file"
        raise ReadError(
            name, 1, "the header run,team or run,team,kind", came, "Put it on the first line."
        )
    found = Groups({}, {})
    for number, row in lines[1:]:
        if len(row) != len(header) or row[0] in found.teams:
            wanted = f"a run not named before and its {' and '.join(header[1:])}"
            raise ReadError(name, number, wanted, shorten(",".join(row)), "Fix or remove the line.")
        found.teams[row[0]] = row[1]
        if row[2:] and row[2]:
            found.kinds[row[0]] = row[2]
    return found


def kinds_text(kinds: Mapping[str, str]) -> str:
    """The text that `parse_kinds` reads: each kind and its runs, with commas between
    them and semicolons between kinds.

    Examples
    --------
    >>> kinds_text({"bm25": "lexical", "rm3": "lexical", "dense": "neural"})
    'lexical,bm25,rm3;neural,dense'
    """
    rows: dict[str, list[str]] = {}
    for run, kind in kinds.items():
        rows.setdefault(kind, [kind]).append(run)
    return _joined([_joined(row, ",") for row in rows.values()], ";")


def parse_kinds(text: str) -> dict[str, str]:
    """Run -> kind. Raises `ParamError` for a text of another form, and for a run that
    is named twice.
    """
    kinds: dict[str, str] = {}
    parts = _split(text, ";") if text else []
    for part in parts:
        kind, *runs = _split(part, ",") or [""]
        has_both = kind and runs
        if not has_both or kinds.keys() & {*runs}:
            expected = "a kind and runs that no other kind has, as in lexical,bm25,rm3;neural,dense"
            raise ParamError(f"kinds: expected {expected}, found {shorten(part)}.")
        kinds |= dict.fromkeys(runs, kind)
    return kinds


def _joined(cells: Iterable[str], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="").writerow(cells)
    return text.getvalue()


def _split(text: str, separator: str) -> list[str]:
    try:
        return [
            cell.strip() for cell in next(csv.reader([text], delimiter=separator, strict=True), [])
        ]
    except csv.Error:
        raise ParamError(
            f"kinds: expected text with matching quotes, found {shorten(text)}."
        ) from None
