"""Checks as text: a matrix of runs and checks, the findings that all runs share, and those of each run that are wrong or asked for."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from irmeval.check import Check, Finding
from irmeval.check.finding import LEVELS, MARKS, OF_RUNS, rule_name, worst_first
from irmeval.core.text import count_noun, list_all, one_line, verb
from irmeval.reading import faults

WIDE = 160
"""Characters of a line in a file or a pipe."""
SHOWN = 10
"""The most rows of a table that are printed."""
NAME = 40
"""The most characters of a run's name in the matrix."""
CELLS = MARKS | {"green": ".", "": ""}
LEGEND = "WRONG: scores are not what they should be. odd: know this before you compare. Dot: fine. Blank: nothing to tell."


class Options(NamedTuple):
    """What the text shows besides the matrix and wrong findings."""

    odd: bool = False
    """odd findings, run by run"""
    fine: bool = False
    """all findings, run by run"""
    tables: bool = False
    """the numbers behind them"""
    width: int = WIDE
    """characters of a line of the matrix"""


class Table:
    """The matrix, line by line, as runs are checked. Its columns are headed by words if they fit, else by numbers with a key."""

    def __init__(self, names: Sequence[str], subjects: Sequence[str], width: int):
        self.subjects = subjects
        stacked = [subject.rpartition(" ") for subject in subjects]
        self.heads = [(above or below, below if above else "") for above, _, below in stacked]
        self.key = ""
        longest = min(max(len(one_line(name)) for name in names), NAME)
        if longest + sum(self._widths()) > width:
            self.key = "".join(f"{number:>3} {subject}\n" for number, subject in enumerate(subjects, 1))
            self.heads = [(str(number), "") for number in range(1, len(subjects) + 1)]
        self.name = max(min(longest, width - sum(self._widths())), 8)

    def _widths(self) -> list[int]:
        return [max(map(len, head)) + 2 for head in self.heads] if self.key else [max(5, *map(len, head)) + 1 for head in self.heads]

    def head(self) -> str:
        """The lines above the runs."""
        return self.key + "".join(self._line("", row) for row in zip(*self.heads, strict=True) if any(row))

    def row(self, check: Check) -> str:
        """The line of a run."""
        levels = check.levels()
        cells = [CELLS[levels.get(subject, "")] for subject in self.subjects]
        return self._line(_cut(one_line(check.name), self.name), [cell[:1] for cell in cells] if self.key else cells)

    def _line(self, name: str, cells: Iterable[str]) -> str:
        padded = "".join(f"{cell:>{width}}" for cell, width in zip(cells, self._widths(), strict=True))
        return f"{name:<{self.name}}{padded}".rstrip() + "\n"


def _cut(name: str, most: int) -> str:
    """A name of at most `most` characters. The middle is left out, as names differ at their ends."""
    ends = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - ends]}…{name[len(name) - ends :]}"


def write(names: Sequence[str], checks: Iterable[Check], subjects: Sequence[str], options: Options) -> Iterator[str]:
    """The text of several checks, piece by piece: the line of a run in the matrix as soon as it is checked."""
    table = Table(names, [subject for subject in OF_RUNS if subject in subjects], options.width)
    yield f"{LEGEND}\n\n{table.head()}"
    seen = []
    for check in checks:
        seen.append(check)
        yield table.row(check)
    yield "\n"
    if len(faulty := [check.faults for check in seen if check.faults]) > 1:
        yield f"{len(faulty)} of {count_noun(len(seen), 'file')} at fault:\n{faults.as_text(faults.group_faults(faulty))}\n\n"
    common = find_common(seen)
    if common:
        scored = sum(check.scored for check in seen)
        which = f"all {scored} runs" if scored == len(seen) else f"the {scored} runs that can be scored"
        yield f"The same for {which}:\n{''.join(map(_one_line_if_fine, common))}\n"
    rest = [check.without(common) for check in seen]
    yield f"{count_levels(rest, 'Apart from that, of' if common else 'Of')}\n\n"
    yield from (_text(check, [finding for finding in check.findings if finding.level == "red"]) for check in rest if check.count("red"))
    odd = [check for check in rest if check.count("amber")]
    if options.fine or options.tables:
        yield from (as_text(check, options.tables) for check in rest)
    elif options.odd:
        yield from (_text(check, [finding for finding in check.findings if finding.level == "amber"]) for check in odd)
    elif odd:
        subjects = [finding.subject for check in odd for finding in check.findings if finding.level == "amber"]
        counts = ", ".join(f"{rule_name(subject)} {n:,}" for subject, n in Counter(subjects).most_common())
        yield f"Runs that are odd, by check: {counts}. What is odd: --only CHECK, --run NAME or --verbose.\n"


def count_levels(checks: Sequence[Check], of: str = "Of") -> str:
    """How many runs are wrong, odd and fine."""
    if len(checks) == 1:
        return f"The run is {MARKS[checks[0].level].lower()}."
    counts = Counter(check.level for check in checks)
    none = [] if counts["red"] else ["none is wrong"]
    found = [
        f"{'all' if n == len(checks) else f'{n:,}'} {verb(n, 'is', 'are')} {MARKS[level].lower()}"
        for level in LEVELS
        if (n := counts[level])
    ]
    return f"{of} {count_noun(len(checks), 'run')}, {list_all([*none, *found])}."


def find_common(checks: Sequence[Check]) -> tuple[Finding, ...]:
    """The findings that all runs share, worst first. Runs that cannot be scored are left out; empty for fewer than two runs."""
    scored = [check for check in checks if check.scored]
    if len(scored) < 2:
        return ()
    shared = set.intersection(*(set(check.findings) for check in scored))
    return worst_first(finding for finding in scored[0].findings if finding in shared)


def _one_line_if_fine(finding: Finding) -> str:
    """A finding in one line if it is fine, else with its meaning and remedy."""
    return f"{MARKS[finding.level]:<6}{finding.subject}: {finding.what}\n" if finding.level == "green" else _lines(finding)


def _lines(finding: Finding) -> str:
    below = (finding.meaning, finding.remedy and f"-> {finding.remedy}")
    lines = [f"{MARKS[finding.level]:<6}{finding.subject}: {finding.what}", *(f"      {text}" for text in below if text)]
    return "".join(f"{line}\n" for line in lines)


def _text(check: Check, findings: Iterable[Finding]) -> str:
    return f"{check.name}\n{''.join(map(_lines, findings))}\n"


def as_text(check: Check, tables: bool = False) -> str:
    """The findings of a run line by line, worst first; with the first `SHOWN` rows of its tables if `tables` is true."""
    counts = ", ".join(f"{check.count(level)} {MARKS[level].lower()}" for level in LEVELS)
    text = f"{check.name}: {counts}\n\n{''.join(map(_lines, check.findings))}"
    for title, frame in check.tables.items() if tables else ():
        more = f" (first {SHOWN} of {len(frame):,})" if len(frame) > SHOWN else ""
        shown = frame.head(SHOWN).to_string(index=False, float_format=lambda value: f"{value:.4f}")
        text += f"\n{title}{more}\n{shown}\n"
    return text + "\n"
