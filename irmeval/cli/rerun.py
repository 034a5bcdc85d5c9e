"""``irmeval rerun``: reproduce the numbers of a report from the given files."""

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import cache, partial
from typing import Any

import click

from irmeval.cli import asked, given_data, several_collections
from irmeval.cli import table_format as tables
from irmeval.cli.flags import format_flag, given_values, optional_flags
from irmeval.cli.print_tables import write_frame
from irmeval.cli.program import FILE, FILES, TARGET, Flag, Given, argument, command
from irmeval.collection import Collection, read_collection
from irmeval.collection.shards import read_runs
from irmeval.core.errors import ReadError
from irmeval.core.params import fields
from irmeval.core.registry import check_known
from irmeval.core.text import count_noun
from irmeval.core.written import split_path
from irmeval.experiments.recipe import COLLECTION
from irmeval.reading.parsing import read_matrix, read_scores
from irmeval.reading.policy import Policy
from irmeval.report import manifest, panels
from irmeval.report.folder import write_file
from irmeval.workspace import Workspace


def _needs_runs(item: manifest.RecordedItem) -> bool:
    """Whether a result was computed from runs."""
    recipe = item.recipe
    if recipe.source != COLLECTION:
        return False
    return recipe.data is None or bool(recipe.data.runs)


def _collections(
    given: Given, read: Callable[[Policy], Any], judges: Mapping[str, Any]
) -> dict[str, manifest.AtHand]:
    """All given collections, by name. `read` reads the files that are first on the
    command line.
    """
    found: dict[str, manifest.AtHand] = {}
    sources, readers = list[str](), list[Callable[[Policy], Any]]()
    if given.stored:
        found |= _of_workspace(given)
    elif given.qrels:
        sources.append(given.qrels)
        readers.append(read)
    for qrels, runs in given.also:
        sources.append(qrels)
        readers.append(cache(partial(_read_also, given, qrels, runs)))
    names = several_collections.short_names(sources)
    for name, reader in zip(names, readers, strict=True):
        # those of the workspace come first
        found.setdefault(name, manifest.AtHand(reader, judges))
    return found


def _of_workspace(given: Given) -> dict[str, manifest.AtHand]:
    """All collections of a workspace, each with its own judges."""
    named = split_path(given.qrels)
    assert named  # it was opened by this name
    found = {}
    for each in Workspace.load(named[0]).collections:
        judges = {name: judge.qrels for name, judge in each.judges.items()}
        found[each.name] = manifest.AtHand(cache(each.everything), judges)
    return found


def _read_also(given: Given, qrels: str, runs: str, policy: Policy) -> Collection:
    formats = given_data.formats_of(given)._asdict()
    tell = partial(given_data.leave_out, given)
    return read_collection(qrels, runs, refused=tell, **formats, **asdict(policy))


def _rerun(given: Given) -> str | bytes:
    recorded = manifest.read(given.manifest)
    _check_runs(given, recorded)
    at_hand = _at_hand(given, recorded)
    rows, made, notes = manifest.rerun(recorded, at_hand, given_values(given, fields(Policy)))
    _write_tables(given, made)
    different = sum(not row.same for row in rows)
    tables_in_words = count_noun(len(rows), "table")
    if different:
        notes.append(f"{different} of {tables_in_words} differ")
    else:
        notes.append(f"{tables_in_words}, identical")
    sys.stderr.write("".join(f"{note}\n" for note in notes))
    given.status = max(given.status, int(different > 0))
    return write_frame(given, manifest.frame(rows))


def _check_runs(given: Given, recorded: manifest.Manifest) -> None:
    """Raise `ReadError` for judgments alone, where a result needs runs."""
    if given.runs or given.stored or not given.qrels:
        return
    if any(map(_needs_runs, recorded.items)):
        raise ReadError("rerun", None, "QRELS and RUN", "one of them")


def _write_tables(given: Given, made: Mapping[str, str]) -> None:
    """Write the tables to the folder, if one is given."""
    if not given.table_folder:
        return
    for name, text in made.items():
        write_file(given.table_folder, name, text)


def _at_hand(given: Given, recorded: manifest.Manifest) -> manifest.AtHand:
    """All data on the command line."""
    # most results of a report have one policy: the files are read once for each
    read, judges = cache(partial(_read_first, given)), _judges(given, recorded)
    judged = given_data.scores_of(given)
    found: dict[str, Any] = {"judges": judges}
    if given.qrels:
        found["read"] = read
    if given.matrix:
        found["matrix"] = read_matrix(given.matrix)
    if judged:
        found["scores"] = read_scores(judged)
    if any(item.recipe.of for item in recorded.items):
        found["collections"] = _collections(given, read, judges)
    return manifest.AtHand(**found)


def _judges(given: Given, recorded: manifest.Manifest) -> dict[str, Any]:
    """Judgments of other judges, by the names that the report has for them; those on
    the command line in place of those in a workspace.
    """
    named = given_data.others_of(given)
    known = panels.names(item.recipe.panel for item in recorded.items)
    for name in named:
        check_known(name, known, "unknown judge")
    if given.stored is None:
        return named
    stored = given.stored.judges.items()
    of_workspace = {name: judge.qrels for name, judge in stored}
    return of_workspace | named


def _read_first(given: Given, policy: Policy) -> Any:
    """The files that are first on the command line, or the workspace."""
    if given.stored:
        return given.stored.everything(policy)
    formats = given_data.formats_of(given)._asdict()
    tell = partial(given_data.leave_out, given)
    return read_runs(
        given.qrels, given.runs, given.scheduler, refused=tell, **formats, **asdict(policy)
    )


TEXT = "Reports whether all are bit-identical, and if not, why; exit status 1 if any differs."


@command(
    "rerun",
    _rerun,
    "reproduce the tables of a report",
    f"manifest.json {FILES}",
    TEXT,
    check=asked.check_policy,
)
def _declare() -> Iterator[click.Parameter]:
    yield argument("manifest", "manifest.json of a report or a reproduced paper, or a report's ZIP")
    yield argument(
        "qrels", "a qrels file, or a workspace in place of QRELS and RUN", required=False
    )
    yield argument(
        "runs",
        "run files, or folders of them; of any format, plain or packed",
        metavar="RUN",
        nargs=-1,
    )
    text = (
        "the qrels of another judge, under its name in the report; simulated judges are drawn again"
    )
    yield Flag("--other", multiple=True, metavar="NAME=FILE", help=text)
    yield format_flag()
    yield format_flag("run")
    text = (
        "files of one more collection, for results that compare several; repeatable. A workspace"
        " includes all of its own"
    )
    yield Flag("--also", multiple=True, nargs=2, type=FILE, metavar="QRELS RUNS", help=text)
    yield Flag(
        "--matrix", type=FILE, metavar="FILE", help="the score matrix, for results made on one"
    )
    yield Flag(
        "--scores",
        multiple=True,
        metavar="NAME=FILE",
        help="the scores of a judge, for results made on those of several",
    )
    yield from optional_flags(fields(Policy).values())
    yield from tables.flags()
    how: dict[str, Any] = {"dest": "table_folder", "type": TARGET, "metavar": "FOLDER"}
    yield Flag("--tables", help="write the reproduced tables to this folder", **how)
