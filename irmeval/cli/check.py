"""The flags of ``irmeval check``, and its output."""

import argparse
import shutil
import sys
from collections.abc import Iterator

from irmeval.check import Check, text_report
from irmeval.check.every_run import Checks
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS

TEXT = "text"
"""The format for people."""


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the flags that choose what is shown, and how."""
    names = {rule_name(subject): subject for subject in SUBJECTS}
    command.add_argument("--run", action="append", default=[], metavar="NAME", help="all that was found about this run alone; repeatable")
    help = f"this check alone, with what is odd; repeatable: {', '.join(names)}"
    command.add_argument("--only", action="append", metavar="CHECK", choices=tuple(names), help=help)
    command.add_argument("--verbose", action="store_true", help="all that was found about every run, also what is odd or fine")
    command.add_argument("--tables", action="store_true", help="the numbers behind the findings as well")
    command.add_argument("--format", choices=(TEXT, *WRITERS), default=TEXT, help="junit, sarif: as continuous integration reads it")


def write(checks: Checks, given: argparse.Namespace) -> Iterator[str]:
    """The output of checks, piece by piece. Sets the exit status to 1 if something that is shown is wrong."""
    subjects = [subject for subject in SUBJECTS if given.only is None or rule_name(subject) in given.only]

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
