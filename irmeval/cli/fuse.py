"""``irmeval fuse``: fuse several runs into one."""

import sys
from collections.abc import Iterator
from functools import partial

import click

from irmeval.cli import given_data
from irmeval.cli.flags import field_flag, format_flag
from irmeval.cli.program import Flag, Given, argument, command
from irmeval.collection import fusion
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.text import count_noun, shorten
from irmeval.reading.exclusions import take
from irmeval.reading.faults import read_run_files
from irmeval.reading.ir_metadata import describe_unreadable
from irmeval.reading.policy import Policy
from irmeval.reading.writing import text_of


def _say(said: str) -> None:
    sys.stderr.write(f"{said}\n")


def _fuse(given: Given) -> str:
    how, policy = (
        fusion.Fusion(given.method, given.k, given.depth),
        Policy(order=given.order, repeated=given.repeated),
    )
    if given.name and given.name.split() != [given.name]:
        raise ParamError(f"name: expected one without blanks, found {shorten(given.name)}.")
    read = read_run_files(
        given.files,
        policy.repeated,
        given.run_format,
        tell=partial(given_data.leave_out, given),
        say=_say,
    )
    runs = [take(run, policy).run for run in read]
    for said in describe_unreadable([run.name for run in runs], [run.header for run in runs]):
        _say(said)
    run = fusion.fuse_runs(runs, how, policy.order, given.name)
    sys.stderr.write(
        f"{run.name}: {count_noun(len(runs), 'run')}, {count_noun(len(run.topics), 'topic')},"
        f" {len(run.score):,} lines\n"
    )
    return text_of(run).decode()


TEXT = "Writes a run file in TREC's format, fused by ranks (rrf) or scores (combsum, combmnz)."


@command("fuse", _fuse, "fuse several runs into one", "bm25.run dense.run -o runs/rrf.run", TEXT)
def _declare() -> Iterator[click.Parameter]:
    yield argument(
        "files",
        "run files, or folders of them; of any format, plain or packed",
        metavar="RUN",
        nargs=-1,
        required=True,
    )
    yield format_flag("run")
    yield from map(field_flag, fields(fusion.Fusion).values())
    yield from (field_flag(fields(Policy)[name]) for name in ("order", "repeated"))
    yield Flag(
        "--name",
        default="",
        metavar="NAME",
        help="of the fused run, its last column (default: the method)",
    )
