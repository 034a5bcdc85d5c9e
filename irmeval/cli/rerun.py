"""``irmeval rerun``: compute the numbers of a report again, from the given files."""

import argparse
import sys
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from irmeval.cli import judge_args
from irmeval.cli.flags import add_command, add_flag, format_flag
from irmeval.cli.help import FILES
from irmeval.collection.shards import read_runs
from irmeval.core.errors import ReadError
from irmeval.core.params import fields
from irmeval.core.registry import check_known
from irmeval.core.tables import FORMATS
from irmeval.core.text import counted
from irmeval.experiments.recipe import COLLECTION
from irmeval.reading.matrix import read_matrix
from irmeval.reading.policy import Policy
from irmeval.report import manifest, panels
from irmeval.report.folder import put


def add_to(commands: Any) -> None:
    """Add the command and its flags."""
    text = "Says whether they are identical to the bit, and if not, why; exit status 1 if one is not."
    command = add_command(commands, "rerun", _rerun, "make the tables of a report again", f"manifest.json {FILES}", text)
    command.add_argument("manifest", metavar="MANIFEST", help="manifest.json of a report or of a paper made again, or a report's ZIP")
    command.add_argument("qrels", metavar="QRELS", nargs="?", help="a qrels file, or a workspace in place of QRELS and RUN")
    command.add_argument("runs", metavar="RUN", nargs="*", help="run files, or folders of them; plain, gzip or zip")
    command.add_argument(
        "--other",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="the qrels of a further judge, under its name in the report; simulated judges are drawn again",
    )
    format_flag(command)
    command.add_argument("--matrix", metavar="FILE", help="the score matrix, for results made on one")
    for field in fields(Policy).values():
        add_flag(command, replace(field, default=None))
    command.add_argument("--format", choices=tuple(FORMATS), default="csv")
    command.add_argument("--tables", type=Path, metavar="FOLDER", help="write the tables made again to this folder")


def _of_runs(item: manifest.Item) -> bool:
    """Whether a result was computed from runs."""
    return item.recipe.source == COLLECTION and (item.recipe.data is None or bool(item.recipe.data.runs))


def _rerun(given: argparse.Namespace) -> str:
    recorded = manifest.read(given.manifest)
    matrix = read_matrix(given.matrix) if given.matrix else None
    if given.qrels and not given.runs and not given.stored and any(map(_of_runs, recorded.items)):
        raise ReadError("rerun", None, "QRELS and RUN", "one of them")
    named = dict(judge_args.split_name(text, "other") for text in given.other)
    known = panels.names(item.recipe.panel for item in recorded.items)
    for name in named:
        check_known(name, known, "unknown judge")
    stored = {name: judge.qrels for name, judge in given.stored.judges.items()} if given.stored else {}
    others = {**stored, **named}

    @cache
    def read(policy: Policy) -> Any:
        if given.stored:
            return given.stored.everything(policy)
        return read_runs(given.qrels, given.runs, given.scheduler, qrels_format=given.qrels_format, **asdict(policy))

    decided = {name: value for name in fields(Policy) if (value := getattr(given, name)) is not None}
    rows, tables = manifest.rerun(recorded, read if given.qrels else None, matrix, decided, others)
    if given.tables:
        for name, text in tables.items():
            put(given.tables, name, text)
    other = sum(not row.same for row in rows)
    tables_said = counted(len(rows), "table")
    sys.stderr.write(f"{other} of {tables_said} differ\n" if other else f"{tables_said}, the same to the bit\n")
    given.status = int(other > 0)
    return FORMATS[given.format](manifest.frame(rows))
