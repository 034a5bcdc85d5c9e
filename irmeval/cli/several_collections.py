"""``irmeval across``: one analysis of several collections."""

import itertools
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from irmeval.cli import table_format as tables
from irmeval.cli.flags import field_flag, format_flag, given_values, measure_flag, optional_flags
from irmeval.cli.given_data import Progress, formats_of
from irmeval.cli.print_tables import write_frame
from irmeval.cli.program import Flag, Given, OneOf, argument, command
from irmeval.collection import Collection, read_collection
from irmeval.collection.joining import path_on_disk
from irmeval.core.errors import ParamError
from irmeval.core.params import Field, fields
from irmeval.core.text import repeated, shorten
from irmeval.core.written import split_path
from irmeval.experiments.measures.scorecard import Params
from irmeval.experiments.results import table_named
from irmeval.metrics import Measure
from irmeval.papers.exhibits import Overrides
from irmeval.papers.findings_across import compare_findings
from irmeval.papers.on_collections import compare_collections
from irmeval.reading import files
from irmeval.reading.foreign import IRDS
from irmeval.reading.formats import FormatNames
from irmeval.reading.policy import PROFILES, Policy
from irmeval.scoring.selection import Selection, select
from irmeval.workspace import Workspace

FINDINGS = ("findings", "answers")
"""Tables of the papers' findings. Other tables compare measures."""
TABLES = ("summary", "agreement", "effects", "observations", *FINDINGS)


def _across(given: Given) -> str | bytes:
    params = Params(**given_values(given, fields(Params)))
    decided = {record: given_values(given, _own_fields(record)) for record in (Policy, Selection)}
    plain = asdict(PROFILES[given.profile]) | decided[Policy]
    sources, stored = sources_of(given.sources, plain, decided, formats_of(given))
    how: dict[str, Any] = {"scheduler": given.scheduler, "progress": Progress()}
    if given.table in FINDINGS:
        result: Any = compare_findings(sources, Overrides(decided[Selection]), **how)
    else:
        measures = given.measure or stored or None
        result = compare_collections(sources, measures, params, **how)
    for line in filter(None, (result.note, result.headline())):
        sys.stderr.write(f"{line}\n")
    return write_frame(given, table_named(result, given.table).make(), result.note)


def _own_fields(record: Any) -> dict[str, Field]:
    """Parameters of a record that the scorecard lacks."""
    return {name: field for name, field in fields(record).items() if name not in fields(Params)}


def sources_of(
    words: Sequence[str],
    plain: Mapping[str, Any],
    decided: Mapping[Any, dict[str, Any]],
    formats: FormatNames,
) -> tuple[dict[str, Callable[[], Collection]], Sequence[Measure]]:
    """A function that reads each collection on the command line; and the measures of
    the first workspace.

    `plain` is the policy under which files are read. `decided` holds the values that
    the user gave for `Policy` and `Selection`: they also replace those of a workspace.
    """
    policy, rules = decided[Policy], decided[Selection]
    Policy(**plain), Selection(**rules)  # checked before files are read
    sources, readers = list[str](), list[Callable[[], Collection]]()
    measures: Sequence[Measure] = ()
    for source, runs in _pairs(words):
        named = split_path(source)
        if named is None:
            sources.append(source)
            readers.append(partial(_of_files, source, runs, formats, plain, rules))
            continue
        file, name = named
        opened = Workspace.load(file, name or None)
        measures = measures or opened.measures
        for each in opened.names:
            sources.append(f"{file}#{each}")
            readers.append(partial(_of_workspace, file, each, policy, rules))
    return dict(zip(short_names(sources), readers, strict=True)), measures


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each workspace, with an empty text; qrels, with their runs. Raises an error for
    files that are missing now, before other collections are computed.
    """
    # one by one: a workspace takes one word, qrels take two
    left = iter(words)
    for source in left:
        if split_path(source):
            yield source, ""
            continue
        runs = next(left, "")
        _check_files(source, runs)
        yield source, runs


def _check_files(qrels: str, runs: str) -> None:
    """Raise an error for qrels without runs, and for files that are missing."""
    if not runs or split_path(runs):
        found = "none"
        if runs:
            found = shorten(runs)
        raise ParamError(f"expected RUNS after QRELS {shorten(qrels)}, found {found}.")
    on_disk = [qrels, runs]
    if qrels.startswith(IRDS):
        on_disk = [runs]
    for path in itertools.filterfalse(os.path.exists, files.list_files(on_disk)):
        # for its error alone, which says what is missing
        files.read_bytes(path)


def short_names(sources: Sequence[str]) -> list[str]:
    """Short names of collections in qrels files or workspaces (``my.irmeval#name``):
    that of the file, or in the workspace. If several share it, the name of the folder
    is added, or that in the workspace after its file's.

    Raises `ParamError` if a collection stands twice, also with other runs: means over
    collections take their topics as independent.
    """
    places = [*map(_place, sources)]
    twice = repeated(places)
    if twice:
        source = sources[places.index(twice[0])]
        raise ParamError(
            "expected different qrels, or names in a workspace, for each collection, found"
            f" {shorten(source)} twice. Leave one out."
        )
    names, longs = [*map(_short, sources)], [*map(_long, sources)]
    shared = [long for name, long in zip(names, longs, strict=True) if names.count(name) > 1]
    longer = dict(zip(shared, files.distinct_names(shared), strict=True))
    # a longer name may be the short one of another, as ``a-b`` of a/b and of a-b; and a folder
    # may hold several of the collections
    for finer in (map(longer.get, longs, longs), longs, places):
        times = Counter(names)
        pairs = zip(names, finer, strict=True)
        names = [name if times[name] == 1 else fine for name, fine in pairs]
    return names


def _place(source: str) -> str:
    """Where a collection is: the path of its file, with its name in a workspace."""
    file, name = split_path(source) or (source, "")
    return "/".join(filter(None, [path_on_disk(file), name]))


def _short(source: str) -> str:
    """Name of a collection: in its workspace, or of its file."""
    inside = split_path(source)
    if inside:
        return inside[1]
    return Path(files.stem(source)).stem


def _long(source: str) -> str:
    """Where a collection is, for its name: in a workspace, or in a folder."""
    if split_path(source):
        return _place(source)
    return path_on_disk(os.path.dirname(source))


def _of_files(
    qrels: str, runs: str, formats: FormatNames, policy: Mapping[str, Any], rules: Mapping[str, Any]
) -> Collection:
    read = read_collection(qrels, runs, **formats._asdict(), **policy)
    return select(read, Selection(**rules)).collection


def _of_workspace(
    path: str, name: str, policy: Mapping[str, Any], rules: Mapping[str, Any]
) -> Collection:
    stored = Workspace.load(path, name).stored(name)
    stored.policy = replace(stored.policy, **policy)
    stored.selection = replace(stored.selection, **rules)
    return stored.selected().collection


TEXT = (
    "Takes workspaces (all their collections, or one: my.irmeval#name), or pairs of QRELS and RUNS,"
    " a run file or a folder of them."
)
EXAMPLE = "robust/qrels robust/runs covid/qrels covid/runs -m AP"


@command("across", _across, "compare results on several collections", EXAMPLE, TEXT)
def _declare() -> Iterator[click.Parameter]:
    text = "a workspace, or QRELS followed by RUNS; two collections or more"
    yield argument("sources", text, metavar="SOURCE", nargs=-1, required=True)
    yield measure_flag()
    text = (
        "default observations; findings and answers are about the papers, others about the measures"
    )
    yield Flag("--table", type=OneOf(TABLES), default=TABLES[3], help=text)
    yield from map(field_flag, fields(Params).values())
    yield Flag(
        "--profile",
        type=OneOf(tuple(PROFILES)),
        default="papers",
        help="of files: defaults of the flags below (default: papers)",
    )
    yield format_flag()
    yield format_flag("run")
    for record in (Policy, Selection):
        yield from optional_flags(_own_fields(record).values())
    yield from tables.flags()
