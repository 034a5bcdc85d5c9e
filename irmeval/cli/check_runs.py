"""``irmeval check``: what is odd about runs."""

from collections.abc import Iterator

import click

from irmeval.check import Check, every_run, text_report
from irmeval.check.finding import SUBJECTS, rule_name
from irmeval.check.formats import WRITERS
from irmeval.cli import flags, given_data
from irmeval.cli.given_data import Progress
from irmeval.cli.program import FILES, Flag, Given, OneOf, command
from irmeval.core.errors import ParamError

OF_CHECK = ("AP", "nDCG", "RBP(p=0.95)")
"""Default measures of a check."""
TEXT = "text"
"""Format of a check for people."""


def _check(given: Given) -> Iterator[str]:
    given_data.refuse_scheduler(given, "check")
    given_data.check_no_judges(given, "check")
    runs = given.runs
    if given.stored:
        runs = given.stored.runs
    if given.run and not runs:
        raise ParamError("check: --run names one of the runs, and none are given. Add RUN files.")
    measures, policy = given_data.measures_of(given), given_data.policy_of(given)
    if given.stored:
        stored = given.stored
        judged = (stored.qrels or stored.require_judged(policy)).qrels
        checks = every_run.check_parsed(
            stored.name, judged, stored.runs, measures, policy, given.run
        )
    else:
        checks = every_run.check_files(
            given.qrels,
            given.runs,
            measures,
            policy,
            given.run,
            formats=given_data.formats_of(given),
        )
    return _write_checks(checks, given)


def _write_checks(checks: every_run.Checks, given: Given) -> Iterator[str]:
    """Yield the output of checks piece by piece. Sets the exit status to 1 if an error
    is shown.
    """
    subjects = [*SUBJECTS]
    if given.only:
        subjects = [subject for subject in SUBJECTS if rule_name(subject) in given.only]
    found: list[Check] = []
    progress = Progress()
    for check in checks.each:
        found.append(check.only(subjects))
        progress(len(found), len(checks.names))
    # it is 1 already where files were left out
    given.status = max(given.status, *(int(check.level == "error") for check in found))
    if given.format != TEXT:
        yield WRITERS[given.format](found)
    elif len(found) == 1:
        yield text_report.as_text(found[0], given.tables)
    else:
        yield from text_report.write(
            found,
            text_report.Options(bool(given.only), bool(given.run) or given.verbose, given.tables),
        )


@command(
    "check",
    _check,
    "find errors and unusual properties of runs",
    FILES,
    "Exit status 1 for errors.",
    without_runs=True,
    usual=OF_CHECK,
)
def _declare_check() -> Iterator[click.Parameter]:
    yield from flags.run_flags(without_runs=True)
    yield flags.measure_flag(OF_CHECK)
    names = {rule_name(subject): subject for subject in SUBJECTS}
    yield Flag("--run", multiple=True, metavar="NAME", help="all findings on this run; repeatable")
    help = "only this check, with its notes; repeatable"
    yield Flag("--only", multiple=True, type=OneOf(tuple(names)), help=help)
    yield Flag("--verbose", is_flag=True, help="all findings on every run, including notes")
    yield Flag("--tables", is_flag=True, help="tables behind the findings")
    yield Flag(
        "--format",
        type=OneOf((TEXT, *WRITERS)),
        default=TEXT,
        help="junit, sarif: for continuous integration",
    )
