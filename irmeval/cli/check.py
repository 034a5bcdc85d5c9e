"""The flags of ``irmeval check``, and its output."""

import shutil
import sys
from collections.abc import Iterator

from irmeval.check import Check, text_report
from irmeval.check.every_run import Checks
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS
from irmeval.cli.program import Flag, Given, OneOf

TEXT = "text"
"""The format for people."""


def flags() -> Iterator[Flag]:
    """The flags that choose what is shown, and how."""
    names = {rule_name(subject): subject for subject in SUBJECTS}
    yield Flag("--run", multiple=True, metavar="NAME", help="all that was found about this run alone; repeatable")
    help = "this check alone, with what is odd; repeatable"
    yield Flag("--only", multiple=True, type=OneOf(tuple(names)), help=help)
    yield Flag("--verbose", is_flag=True, help="all that was found about every run, also what is odd or fine")
    yield Flag("--tables", is_flag=True, help="the numbers behind the findings as well")
    yield Flag("--format", type=OneOf((TEXT, *WRITERS)), default=TEXT, help="junit, sarif: as continuous integration reads it")


def write(checks: Checks, given: Given) -> Iterator[str]:
    """The output of checks, piece by piece. Sets the exit status to 1 if something that is shown is wrong."""
    subjects = [subject for subject in SUBJECTS if not given.only or rule_name(subject) in given.only]

    def shown() -> Iterator[Check]:
        for check in checks.each:
            check = check.only(subjects)
            given.status = max(given.status, int(check.level == "red"))
            yield check

    if given.format != TEXT:
        yield WRITERS[given.format]([*shown()])
    elif len(checks.names) == 1:
        yield from (text_report.as_text(check, given.tables) for check in shown())
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() and not given.output else text_report.WIDE
        options = text_report.Options(bool(given.only), bool(given.run) or given.verbose, given.tables, width)
        yield from text_report.write(checks.names, shown(), subjects, options)
