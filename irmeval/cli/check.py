"""The flags of ``irmeval check``, and its output."""

from collections.abc import Iterator

from irmeval.check import Check, text_report
from irmeval.check.every_run import Checks
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS
from irmeval.cli.inputs import Progress
from irmeval.cli.program import Flag, Given, OneOf

TEXT = "text"
"""The format for people."""


def flags() -> Iterator[Flag]:
    """The flags that choose what is shown, and how."""
    names = {rule_name(subject): subject for subject in SUBJECTS}
    yield Flag("--run", multiple=True, metavar="NAME", help="all that was found about this run alone; repeatable")
    help = "this check alone, with its notes; repeatable"
    yield Flag("--only", multiple=True, type=OneOf(tuple(names)), help=help)
    yield Flag("--verbose", is_flag=True, help="all that was found about every run, also notes")
    yield Flag("--tables", is_flag=True, help="the numbers behind the findings as well")
    yield Flag("--format", type=OneOf((TEXT, *WRITERS)), default=TEXT, help="junit, sarif: as continuous integration reads it")


def write(checks: Checks, given: Given) -> Iterator[str]:
    """The output of checks, piece by piece. Sets the exit status to 1 if an error is shown."""
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
