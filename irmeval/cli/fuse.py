"""``irmeval fuse``: fuse several runs into one."""

import argparse
import sys
from pathlib import Path
from typing import Any

from irmeval.cli.flags import add_command, add_flag
from irmeval.collection import fusion
from irmeval.core.errors import ParamError
from irmeval.core.params import fields
from irmeval.core.text import counted, shorten
from irmeval.reading.faults import read_run_files
from irmeval.reading.ir_metadata import describe_unreadable
from irmeval.reading.policy import Policy
from irmeval.reading.writing import text_of


def add_to(commands: Any) -> None:
    """Add the command."""
    text = "A run file in TREC's format, by ranks (rrf) or scores (combsum, combmnz)."

    @add_command(commands, "fuse", _fuse, "make one run of several", "bm25.run dense.run -o runs/rrf.run", text)
    def declare(command: argparse.ArgumentParser) -> None:
        command.add_argument("files", metavar="RUN", nargs="+", type=Path, help="run files, or folders of them; plain, gzip or zip")
        for field in fields(fusion.Fusion).values():
            add_flag(command, field)
        for name in ("order", "repeated"):
            add_flag(command, fields(Policy)[name])
        command.add_argument("--name", default="", help="of the fused run, its last column (default: the method)")


def _fuse(given: argparse.Namespace) -> str:
    how, policy = fusion.Fusion(given.method, given.k, given.depth), Policy(order=given.order, repeated=given.repeated)
    if given.name and given.name.split() != [given.name]:
        raise ParamError(f"name: expected one without blanks, found {shorten(given.name)}.")
    runs = read_run_files(given.files, policy.repeated)
    for said in describe_unreadable([run.name for run in runs], [run.header for run in runs]):
        sys.stderr.write(f"{said}\n")
    run = fusion.fuse_runs(runs, how, policy.order, given.name)
    sys.stderr.write(f"{run.name}: {counted(len(runs), 'run')}, {counted(len(run.topics), 'topic')}, {len(run.score):,} lines\n")
    return text_of(run).decode()
