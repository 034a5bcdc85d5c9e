"""The team of a run, by its name or by a list; and its kind, such as lexical or neural,
by that list.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Annotated, NamedTuple

from irmeval.core.errors import ParamError, ReadError
from irmeval.core.params import Param
from irmeval.core.text import number_key, shorten
from irmeval.reading.files import refuse_binary, refuse_inner_mark

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
    if size >= 10:
        return name
    return name[: int(digits or 0)]


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
    (_, first), *lines = _numbered_rows(name, data) or [(1, [])]
    header = [*map(str.strip, first)]
    if header not in (["run", "team"], ["run", "team", "kind"]):
        expected = "the header run,team or run,team,kind"
        came = shorten(",".join(first)) if first else "an empty file"
        raise ReadError(name, 1, expected, came, "Put it on the first line.")
    found = Groups({}, {})
    for number, row in lines:
        run = row[0]
        if len(row) != len(header) or run in found.teams:
            wanted = f"a run not named before and its {' and '.join(header[1:])}"
            raise ReadError(name, number, wanted, shorten(",".join(row)), "Fix or remove the line.")
        found.teams[run], kind = (*row[1:], "")[:2]
        if kind:
            found.kinds[run] = kind
    return found


def _numbered_rows(name: str, data: bytes) -> list[tuple[int, list[str]]]:
    """Rows of a CSV that are not empty, with their numbers. Raises `ReadError`."""
    refuse_binary(name, data)
    refuse_inner_mark(name, data)
    try:
        # spreadsheets write a byte order mark, which utf-8-sig leaves out
        rows = [*csv.reader(data.decode("utf-8-sig").splitlines())]
    except UnicodeDecodeError:
        expected, remedy = "plain text in UTF-8", "Save it as UTF-8 text."
        raise ReadError(name, None, expected, "another encoding", remedy) from None
    except csv.Error as error:
        expected, came = "comma-separated text", f"something else ({error})"
        raise ReadError(name, None, expected, came, "Save it as CSV.") from None
    return [(number, row) for number, row in enumerate(rows, 1) if row]


def kinds_text(kinds: Mapping[str, str]) -> str:
    """The text that `parse_kinds` reads: each kind and its runs, with commas between
    them and semicolons between kinds.

    Examples
    --------
    >>> kinds_text({"bm25": "lexical", "rm3": "lexical", "dense": "neural"})
    'lexical,bm25,rm3;neural,dense'
    """
    runs = defaultdict[str, list[str]](list)
    for run, kind in kinds.items():
        runs[kind].append(run)
    return _joined([_joined([kind, *of_kind], ",") for kind, of_kind in runs.items()], ";")


def parse_kinds(text: str) -> dict[str, str]:
    """Run -> kind. Raises `ParamError` for a text of another form, and for a run that
    is named twice.
    """
    kinds: dict[str, str] = {}
    for part in _split(text, ";"):
        kind, *runs = _split(part, ",") or [""]
        has_both = kind and runs
        if not has_both or not kinds.keys().isdisjoint(runs):
            expected = "a kind and runs that no other kind has, as in lexical,bm25,rm3;neural,dense"
            raise ParamError(f"kinds: expected {expected}, found {shorten(part)}.")
        kinds |= dict.fromkeys(runs, kind)
    return kinds


def _joined(cells: Iterable[str], separator: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="").writerow(cells)
    return text.getvalue()


def _split(text: str, separator: str) -> list[str]:
    rows = csv.reader([text], delimiter=separator, strict=True)
    try:
        return [*map(str.strip, next(rows))]
    except csv.Error:
        expected = "text with matching quotes"
        raise ParamError(f"kinds: expected {expected}, found {shorten(text)}.") from None
