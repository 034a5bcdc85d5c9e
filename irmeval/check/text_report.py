"""Checks as text: findings on all runs, then errors and warnings by their effect, and
all findings of requested runs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap
from typing import Any, NamedTuple

from irmeval.check import Check, CheckFinding
from irmeval.check.finding import LEVELS, OF_RUNS, rule_name, worst_first
from irmeval.core.places import place_of_each
from irmeval.core.text import conjugate, count_noun, list_all, one_line
from irmeval.reading import faults

SHOWN = 10
"""Maximum number of printed rows of a table."""
NOTE = LEVELS[-1]


class Options(NamedTuple):
    """Contents of the text besides errors and warnings."""

    notes: bool = False
    """whether notes of runs are included"""
    each: bool = False
    """all findings, run by run"""
    tables: bool = False
    """tables behind the findings, run by run"""


def write(checks: Sequence[Check], options: Options) -> Iterator[str]:
    """Yield the text of several checks, piece by piece."""
    faulty = [check.faults for check in checks if check.faults]
    if len(faulty) > 1:
        files = f"{len(faulty)} of {count_noun(len(checks), 'file')}"
        yield f"{files} with errors:\n{faults.as_text(faults.group_faults(faulty))}\n\n"
    common = find_common(checks)
    if common:
        yield f"{name_common(checks)}:\n{''.join(map(_common_line, common))}\n"
    rest = [check.without(common) for check in checks]
    yield f"{count_levels(rest)}\n\n"
    if options.each or options.tables:
        for check in rest:
            yield as_text(check, options.tables)
        return
    ranked = rank(rest)
    yield from _write_ranked(ranked, checks[0].measure, options)
    if not options.notes:
        yield _count_notes(finding for _, finding in ranked)


def _common_line(finding: CheckFinding) -> str:
    if finding.level == NOTE:
        return f"{finding.level:<9}{finding.subject}: {finding.what}\n"
    return _lines(finding)


def _write_ranked(
    ranked: Sequence[tuple[Check, CheckFinding]], measure: str, options: Options
) -> Iterator[str]:
    """Findings of all runs, worst first; notes if they are asked for."""
    problems = [(check, finding) for check, finding in ranked if finding.level != NOTE]
    if any(starmap(describe_effect, problems)):
        yield f"In brackets: change of mean {measure} without the problem.\n\n"
    shown = ranked if options.notes else problems
    for check, finding in shown:
        effect = describe_effect(check, finding)
        yield f"{_lines(finding, one_line(check.name), effect)}\n"


def _count_notes(findings: Iterable[CheckFinding]) -> str:
    """A sentence on the notes among findings; empty if there are none."""
    notes = Counter(finding.subject for finding in findings if finding.level == NOTE)
    if not notes:
        return ""
    counts = [f"{rule_name(subject)} {n:,}" for subject, n in notes.most_common()]
    how = "--only CHECK, --run NAME or --verbose"
    return f"Notes of runs: {', '.join(counts)}. To show them: {how}.\n"


def rank(checks: Sequence[Check]) -> list[tuple[Check, CheckFinding]]:
    """Findings of some checks, worst first, and within a level by the size of the
    effect.
    """
    found = [(check, finding) for check in checks for finding in check.findings]
    ranked = worst_first(finding for _, finding in found)
    # one finding of several runs has one place, and they stay together there
    place = place_of_each(ranked)
    return sorted(found, key=lambda each: place[each[1]])


ONE = {"error": "an error", "warning": "a warning"}
"""Level -> one finding of it, within a sentence."""


def count_levels(checks: Sequence[Check]) -> str:
    """Number of runs with errors, and with warnings."""
    if len(checks) == 1:
        return f"The run has {describe_levels(checks[0])}."
    said = [_runs_with(level, checks) for level in ONE]
    return f"Of {count_noun(len(checks), 'run')}, {list_all(said)}."


def _runs_with(level: str, checks: Sequence[Check]) -> str:
    """Number of runs with a finding of a level: ``none have errors``."""
    n = sum(bool(check.count(level)) for check in checks)
    number, what = f"{n:,}" if n else "none", ONE[level] if n == 1 else f"{level}s"
    return f"{number} {conjugate(n, 'have')} {what}"


def describe_levels(check: Check) -> str:
    """Number of findings of each level of a run: ``no error, 2 warnings and 3
    notes``.
    """
    return list_all([_count_or_no(check.count(level), level) for level in LEVELS])


def _count_or_no(n: int, level: str) -> str:
    return count_noun(n, level) if n else f"no {level}"


def describe_effect(check: Check, finding: CheckFinding) -> str:
    """Change of the mean of the first measure: ``AP +0.1508``; empty if there is
    none.
    """
    return f"{check.measure} {finding.effect:+.4f}" if abs(finding.effect) >= 5e-5 else ""


def find_common(checks: Sequence[Check]) -> tuple[CheckFinding, ...]:
    """Findings shared by all runs, worst first. Runs that cannot be scored are left
    out; empty for fewer than two runs.
    """
    found = [check.findings for check in checks if check.scored]
    if len(found) < 2:
        return ()
    shared = set.intersection(*map(set, found))
    # in the order of the first run, as a set has none
    return worst_first(finding for finding in found[0] if finding in shared)


def name_common(checks: Sequence[Check]) -> str:
    """Runs whose findings `find_common` compares."""
    scored = sum(check.scored for check in checks)
    if scored == len(checks):
        return f"All {scored:,} runs"
    return f"The {scored:,} runs that can be scored"


def list_unremarkable(checks: Sequence[Check]) -> str:
    """Checks of runs without a finding, in words; empty if there are none."""
    found = {finding.subject for check in checks for finding in check.findings}
    return list_all([subject for subject in OF_RUNS if subject not in found])


def _lines(finding: CheckFinding, run: str = "", effect: str = "") -> str:
    """A finding with its meaning and remedy."""
    of_run = f"{run}: " if run else ""
    changes = f" [{effect}]" if effect else ""
    text = f"{finding.level:<8} {of_run}{finding.subject}: {finding.what}{changes}\n"
    if finding.meaning:
        text += f"{'':9}{finding.meaning}\n"
    if finding.remedy:
        text += f"{'':9}-> {finding.remedy}\n"
    return text


def as_text(check: Check, tables: bool = False) -> str:
    """Findings of a run line by line, worst first; with the first `SHOWN` rows of its
    tables if `tables` is true.
    """
    text = f"{one_line(check.name)}: {describe_levels(check)}\n\n"
    for finding in check.findings:
        text += _lines(finding, effect=describe_effect(check, finding))
    unremarkable = list_unremarkable([check])
    if check.scored and unremarkable:
        text += f"\nNothing to report: {unremarkable}.\n"
    if tables:
        text += "".join(_table_as_text(title, frame) for title, frame in check.tables.items())
    return f"{text}\n"


def _table_as_text(title: str, frame: Any) -> str:
    more = f" (first {SHOWN} of {len(frame):,})" if len(frame) > SHOWN else ""
    shown = frame.head(SHOWN).to_string(index=False, float_format="{:.4f}".format)
    return f"\n{title}{more}\n{shown}\n"
