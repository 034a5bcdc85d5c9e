"""Flags of ``irmeval check``, and its output."""

from collections.abc import Iterator

from irmeval.check import Check, text_report
from irmeval.check.every_run import Checks
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS
from irmeval.cli.inputs import Progress
from irmeval.cli.program import Flag, Given, OneOf

TEXT = "text"
"""Format for people."""


def flags() -> Iterator[Flag]:
    """Flags that select the contents and format of the output."""
    names = {rule_name(subject): subject for subject in SUBJECTS}
    yield Flag("--run", multiple=True, metavar="NAME", help="all findings on this run; repeatable")
    help = "only this check, with its notes; repeatable"
    yield Flag("--only", multiple=True, type=OneOf(tuple(names)), help=help)
    yield Flag("--verbose", is_flag=True, help="all findings on every run, including notes")
    yield Flag("--tables", is_flag=True, help="tables behind the findings")
    yield Flag("--format", type=OneOf((TEXT, *WRITERS)), default=TEXT, help="junit, sarif: for continuous integration")


def write(checks: Checks, given: Given) -> Iterator[str]:
    """Yield the output of checks piece by piece. Sets the exit status to 1 if an error is shown."""
    subjects = [subject for subject in SUBJECTS if not given.only or rule_name(subject) in given.only]
    found: list[Check] = []
    progress = Progress()
    for check in checks.each:
        found.append(check.only(subjects))
        progress(len(found), len(checks.names))
    given.status = max(given.status, *(int(check.level == "error") for check in found))
    if given.format != TEXT:
        yield WRITERS[given.format](found)
    elif len(found) == 1:
        yield text_report.as_text(found[0], given.tables)
    else:
        yield from text_report.write(found, text_report.Options(bool(given.only), bool(given.run) or given.verbose, given.tables))
