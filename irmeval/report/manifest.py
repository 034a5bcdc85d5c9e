"""Manifests of reports, with everything the numbers depend on; and reruns, which check
whether the numbers are reproduced.
"""

import hashlib
import platform
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from importlib import metadata
from itertools import chain
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from irmeval.collection import Collection
from irmeval.core.errors import IrmevalError, ParamError, ReadError
from irmeval.core.lazy import pd
from irmeval.core.records import Digest, Record, to_json
from irmeval.core.tables import FORMATS
from irmeval.core.text import count_noun, list_few, slug, verb
from irmeval.core.version import __version__
from irmeval.experiments.recipe import COLLECTION, JUDGES, Data, Recipe
from irmeval.judges.base import Judgments
from irmeval.metrics import Measure, measure
from irmeval.reading.files import ZIP, max_unpacked, read_bytes, unzip
from irmeval.reading.ir_metadata import read_headers
from irmeval.reading.named_columns import LARGEST_RECORD, FileName, read_json
from irmeval.reading.policy import Policy
from irmeval.reading.score_matrix import Matrix
from irmeval.reading.trec import Qrels
from irmeval.report import panels
from irmeval.report.folder import frames_by_stem
from irmeval.report.items import (
    ReportEntry,
    missing,
    recipe_as_json,
    recipe_of_record,
    remake,
    source_of,
)

FORMAT = 1
"""Format number of a manifest; higher numbers are refused."""
NEEDS = {COLLECTION: "it needs qrels and runs.", JUDGES: "it needs qrels."}
RECORD = "manifest.json"
"""The manifest in a report's ZIP."""
WHAT = "the manifest of a report, or its ZIP"
"""Expectation of a file."""
AGAIN = "Make the report again."
"""Remedy for any other file."""
version = cache(metadata.version)  # each call searches the folder of all packages


def versions() -> dict[str, str]:
    """Versions of the software that computed the numbers."""
    return {"irmeval": __version__, "python": platform.python_version()} | {
        name: version(name) for name in ("numpy", "scipy", "pandas")
    }


def digest(text: str) -> str:
    """SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


class RecordedData(NamedTuple):
    """The files of a collection, a score matrix or judges."""

    qrels: Digest
    runs: dict[str, Digest]
    """by run, in their order"""
    topics: tuple[str, ...]
    read_as: tuple[str, ...] = ()
    """recognised formats of the files"""
    provenance: dict[str, Any] | None = None
    """what the headers of the runs say, by run"""

    @classmethod
    def of(cls, data: Data) -> "RecordedData":
        """What a manifest says of the data of a result."""
        files = data.files or ("",) * len(data.runs)
        runs = dict(zip(data.runs, files, strict=True))
        origin = provenance(data.runs, data.headers)
        return cls(data.qrels, runs, data.topics, data.recognised, origin or None)

    def data(self, fingerprint: str) -> Data:
        """The data of a recipe."""
        files = tuple(self.runs.values())
        return Data(fingerprint, tuple(self.runs), self.topics, self.qrels, files)


class ItemRecord(NamedTuple):
    """An item as a manifest has it."""

    title: str
    note: str
    recipe: Any
    command: str
    """empty for a result that no command makes"""
    seed: int | None
    found: str
    """its finding in a sentence"""
    error: str
    files: dict[FileName, Digest]


def build_manifest(
    title: str, note: str, entries: Sequence[ReportEntry], files: Mapping[str, str]
) -> dict[str, Any]:
    """The manifest of a report with these entries, and these files by name."""
    asked = chain.from_iterable(entry.recipe.measures for entry in entries)
    measures = {text: _describe_measure(measure(text)) for text in asked}
    # what an entry without a result would have been made on is not at hand
    made = chain.from_iterable(entry.recipe.on for entry in entries if entry.result)
    known = filter(None, map(attrgetter("data"), made))
    data = {one.fingerprint: RecordedData.of(one) for one in known}
    return {
        "format": FORMAT,
        "title": title,
        "note": note,
        "versions": versions(),
        "measures": measures,
        "data": to_json(data),
        "items": [to_json(_record_of(entry, files)) for entry in entries],
    }


def _describe_measure(m: Measure) -> dict[str, Any]:
    metric = m.metric
    said = {"formula": metric.formula, "meaning": metric.meaning, "source": metric.source}
    return said | {"params": m.params}


def _record_of(entry: ReportEntry, files: Mapping[str, str]) -> ItemRecord:
    recipe = entry.recipe
    # with what follows a stem, as one may begin with another
    beginnings = f"{entry.stem}-", f"{entry.stem}."
    return ItemRecord(
        title=entry.item.heading,
        note=entry.item.note,
        recipe=recipe_as_json(recipe),
        command=_command(recipe),
        seed=getattr(recipe.params, "seed", None),
        found=entry.finding,
        error=entry.error,
        files={n: digest(text) for n, text in files.items() if n.startswith(beginnings)},
    )


def provenance(runs: Sequence[str], headers: Sequence[str]) -> dict[str, Any]:
    """Provenance of runs, by run, from their headers (ir_metadata); empty if no run has
    a header.
    """
    return {run: _as_record(header) for run, header in read_headers(runs, headers).items()}


def _as_record(header: dict[str, Any] | ReadError) -> dict[str, Any]:
    """A header as it was read, or why it was not."""
    if isinstance(header, ReadError):
        return {"not readable": str(header)}
    return header


def _command(recipe: Recipe) -> str:
    try:
        return recipe.command()
    except ParamError:
        return ""


class RecordedItem(NamedTuple):
    """An item of a manifest."""

    title: str
    recipe: Recipe
    """with the runs, topics and digests of its data"""
    digests: dict[str, str]
    """SHA-256 of its tables, by file name"""


@dataclass(frozen=True)
class Manifest:
    """A manifest: its items, the versions of the software, and the recorded tables."""

    items: tuple[RecordedItem, ...]
    versions: dict[str, str]
    recorded: Callable[[str], str | None]
    """returns the text of a recorded file; None if the file is missing"""


def read(path: str | Path) -> Manifest:
    """Read a manifest, or the one in a report's ZIP. Raises `ReadError` for another
    file, or a format of a later version.
    """
    name, content = str(path), read_bytes(path)
    if content.startswith(ZIP):
        return _read_zip(name, content)
    items, versions = _read_record(name, content)
    return Manifest(items, versions, partial(_read_beside, Path(path)))


def _read_zip(name: str, content: bytes) -> Manifest:
    items, versions = _read_record(f"{name}/{RECORD}", _manifest_in_zip(name, content))
    # only what the items name is unpacked, whatever else the ZIP has
    names = set[str]().union(*(item.digests for item in items))
    return Manifest(items, versions, _read_inside(name, content, names))


def _read_record(file: str, text: bytes) -> tuple[tuple[RecordedItem, ...], dict[str, str]]:
    """The items of a manifest, and its versions."""
    record = read_json(file, text, WHAT, AGAIN)
    if not {"format", "items"} <= record.values.keys():
        raise ReadError(file, None, WHAT, "something else", AGAIN)
    # a later version may mean something else by the same keys
    form = record.whole("format", 1)
    if form > FORMAT:
        expected, came = f"a manifest of format {FORMAT} or lower", f"format {form}"
        raise ReadError(file, None, expected, came, "Use a newer version of irmeval.")
    data = record.value("data", dict[str, RecordedData])
    items = tuple(filter(None, map(partial(_read_item, data), record.tables("items"))))
    return items, record.value("versions", dict[str, str])


def _read_item(given: Mapping[str, RecordedData], item: Record) -> RecordedItem | None:
    """An item of a manifest; None for one without a result."""
    said = item.made(ItemRecord)
    if said.error:
        return None
    recipe = recipe_of_record(item.table("recipe"))
    of = tuple((name, _with_recorded_data(given, on)) for name, on in recipe.of)
    recipe = replace(_with_recorded_data(given, recipe), of=of)
    tables = {name: text for name, text in said.files.items() if name.endswith(".csv")}
    return RecordedItem(said.title, recipe, tables)


def _with_recorded_data(given: Mapping[str, RecordedData], recipe: Recipe) -> Recipe:
    fingerprint = recipe.fingerprint
    if fingerprint not in given:
        return replace(recipe, data=None)
    return replace(recipe, data=given[fingerprint].data(fingerprint))


def _read_beside(path: Path, name: str) -> str | None:
    beside = path.parent / name
    if not beside.is_file():
        return None
    return _decoded(str(beside), read_bytes(beside))


def _manifest_in_zip(name: str, data: bytes) -> bytes:
    texts = [text for _, text in unzip(name, data, LARGEST_RECORD, wanted=RECORD.__eq__)]
    if len(texts) == 1:
        return texts[0]
    found = str(len(texts) or "none")
    raise ReadError(name, None, f"{WHAT}, with one {RECORD} in it", found, AGAIN)


def _read_inside(name: str, data: bytes, names: Container[str]) -> Callable[[str], str | None]:
    texts = unzip(name, data, max_unpacked(len(data)), wanted=names.__contains__)
    return {inner[len(name) + 1 :]: _decoded(inner, text) for inner, text in texts}.get


def _decoded(name: str, text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        raise ReadError(name, None, "text in UTF-8", "other bytes", AGAIN) from None


class TableComparison(NamedTuple):
    """A recorded table of a report, compared with the recomputed one."""

    item: str
    table: str
    same: bool
    """bit-identical"""
    why: str
    """the difference, with possible reasons; empty if it is the same"""


def frame(rows: "Sequence[TableComparison]") -> "pd.DataFrame":
    """One row per table: item, table, same, why."""
    return pd.DataFrame(rows, columns=TableComparison._fields)


class AtHand(NamedTuple):
    """Data from which results are recomputed."""

    read: Callable[[Policy], Collection | Qrels] | None = None
    """function that reads the files under a policy: a collection, or qrels if there are
    no runs; None if there are no files
    """
    judges: Mapping[str, Judgments] = MappingProxyType({})
    """judgments of other judges, by their names in the report; simulated judges are
    drawn again
    """
    matrix: Matrix | None = None
    scores: Matrix | None = None
    """the scores of several judges"""
    collections: "Mapping[str, AtHand]" = MappingProxyType({})
    """by name, for comparisons of several. The fingerprint of a collection identifies
    it, else its name.
    """


def rerun(
    manifest: Manifest, at_hand: AtHand, policy: Mapping[str, Any] = MappingProxyType({})
) -> tuple[list[TableComparison], dict[str, str], list[str]]:
    """Recompute the tables of a report, and compare them with the recorded ones.
    `policy` are decisions that differ from those of the report.

    Returns one comparison per recorded table; the new tables, by file name; and the
    different notes of the results.
    """
    remade, notes = dict[str, str](), dict[str, None]()
    rows = []
    for item in manifest.items:
        reasons: list[str] = []
        try:
            result = _remake(item.recipe, at_hand, policy, reasons)
            tables = _tables_of(result, [*item.digests])
        except IrmevalError as error:
            # the other items may be possible on what is at hand
            why = " ".join([f"Not available: {error}", *reasons])
            rows += [TableComparison(item.title, name, False, why) for name in item.digests]
            continue
        remade |= tables
        notes[result.note] = None
        reasons += _describe_changes("versions", manifest.versions, versions())
        for name in item.digests:
            why = _compare(item, name, manifest.recorded, tables, reasons)
            rows.append(TableComparison(item.title, name, not why, why))
    return rows, remade, [*filter(None, notes)]


def _compare(
    item: RecordedItem,
    name: str,
    recorded: Callable[[str], str | None],
    tables: Mapping[str, str],
    reasons: Sequence[str],
) -> str:
    """How a table differs from the recorded one, and possible reasons; empty if it is
    the same, of which its digest is enough to tell.
    """
    now = tables.get(name)
    if now is not None and digest(now) == item.digests[name]:
        return ""
    return " ".join([_describe_difference(recorded(name), now), *(reasons or [UNKNOWN])])


UNKNOWN = (
    "Files, policy and versions are the same: the libraries were built differently, or the"
    " processor is of a different kind."
)


def _remake(recipe: Recipe, at_hand: AtHand, policy: Mapping[str, Any], reasons: list[str]) -> Any:
    """Compute the result of a recipe on the given data. Differences in the data are
    added to `reasons`.
    """
    if recipe.of:
        return _remake_comparison(recipe, at_hand, policy, reasons)
    if recipe.source not in NEEDS or recipe.data is None:
        return _remake_on_scores(recipe, at_hand, reasons)
    if at_hand.read is None:
        raise ParamError(NEEDS[recipe.source])
    decided = _decide(recipe, policy, reasons)
    if decided.source == COLLECTION or decided.panel is None:
        return remake(*_restrict_to_data_at_hand(decided, at_hand, reasons))
    read, panel = at_hand.read(decided.policy), decided.panel
    compared = panels.compared(panel, read, at_hand.judges, decided.policy.repeated)
    qrels = compared.digests[compared.number(panel.own)]
    reasons += _describe_other_qrels(qrels, recipe.data.qrels)
    reasons += _describe_missing("topic", recipe.data.topics, compared.topics)
    return remake(decided, compared)


def _remake_on_scores(recipe: Recipe, at_hand: AtHand, reasons: list[str]) -> Any:
    """Compute a result that is made on a score matrix, or on nothing."""
    if not recipe.source:
        return remake(recipe, None)
    matrix = at_hand.matrix
    if recipe.judges:
        matrix = at_hand.scores
    # without a matrix, the experiment tells what is missing
    if matrix and recipe.fingerprint not in ("", matrix.fingerprint):
        reasons.append("The score matrix is different.")
    return remake(recipe, matrix)


def _decide(recipe: Recipe, policy: Mapping[str, Any], reasons: list[str]) -> Recipe:
    """The recipe with other decisions of its policy, which are added to `reasons`."""
    decided = replace(recipe.policy, **policy)
    reasons += _describe_changes("policy", asdict(recipe.policy), asdict(decided))
    return replace(recipe, policy=decided)


def _collection(recipe: Recipe, at_hand: AtHand) -> Collection:
    """The given collection under the policy of a recipe, with its judges. Raises
    `ParamError` for judges alone.
    """
    assert at_hand.read  # what is at hand has been looked at
    read = at_hand.read(recipe.policy)
    if not isinstance(read, Collection):
        raise ParamError(NEEDS[COLLECTION])
    return panels.joined(recipe.panel, read, at_hand.judges)


def _restrict_to_data_at_hand(
    recipe: Recipe, at_hand: AtHand, reasons: list[str]
) -> tuple[Recipe, Collection]:
    """A recipe and its collection, both with the available runs and topics. Differences
    in the data are added to `reasons`.
    """
    data, panel = recipe.data, recipe.panel
    assert data
    # files of other names or digests are read all the same: the difference is a reason
    source = seen = _collection(recipe, at_hand)
    own = data.qrels
    if panel:
        own, seen = panel.judge(panel.own).sha256, source.judged_by(panel.names[0])
    reasons += _describe_other_qrels(source.digests[0], own)
    reasons += _describe_other_files(data, seen)
    runs = _still_there("runs", data.runs, seen.runs)
    topics = _still_there("topics", data.topics, seen.topics)
    return replace(recipe, data=data._replace(runs=runs, topics=topics)), source


def _still_there(what: str, wanted: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Names that are known. Raises `ParamError` if none of the wanted is."""
    found = tuple(filter({*known}.__contains__, wanted))
    # with some of them the numbers are others, and the reasons tell which are missing
    if wanted and not found:
        raise ParamError(f"none of its {what} is among these files.")
    return found


def _remake_comparison(
    recipe: Recipe, at_hand: AtHand, policy: Mapping[str, Any], reasons: list[str]
) -> Any:
    """Compute the result of a recipe that compares several collections; like
    `_remake`.
    """
    of, sources = [], {}
    for name, part in recipe.of:
        found, why = _find_collection(name, part, at_hand.collections), list[str]()
        again, source = _restrict_to_data_at_hand(_decide(part, policy, why), found, why)
        reasons += [f"{name}: {reason}" for reason in why]
        of.append((name, again))
        sources[name] = source
    return remake(replace(recipe, of=tuple(of)), sources)


def _find_collection(name: str, part: Recipe, collections: Mapping[str, AtHand]) -> AtHand:
    """The given collection with the fingerprint in a recipe, else the one with this
    name. Raises `ParamError` if there is none.
    """
    # that of the same name first: to compare, files must be read
    for other in sorted(collections, key=lambda other: other != name):
        with suppress(IrmevalError):  # the files do not fit this recipe
            source = source_of(part, _collection(part, collections[other]))
            if isinstance(source, Collection) and source.fingerprint == part.fingerprint:
                return collections[other]
    if name not in collections:
        raise missing(
            name, part, "Give a workspace that contains it, or its files with --also QRELS RUNS."
        )
    return collections[name]


def _describe_changes(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    changes = {
        name: f"{name} {value} in place of {before.get(name)}"
        for name, value in now.items()
        if before.get(name) != value
    }
    if not changes:
        return []
    if "exclude" in changes:  # a list of any length is not written out
        changes["exclude"] = "a different list of exclusions"
    return [f"Other {what}: {', '.join(changes.values())}."]


def _describe_other_qrels(now: str, before: str) -> list[str]:
    if not _have_changed(now, before):
        return []
    return [f"Different qrels: {now[:12]} in place of {before[:12]}."]


def _have_changed(now: str, before: str) -> bool:
    """Whether two digests are of different files. Judgments and runs that come from no
    file have none, so that nothing is known of them.
    """
    return now != before and "" not in (now, before)


def _describe_missing(what: str, wanted: Sequence[str], at_hand: Sequence[str]) -> list[str]:
    missing = sorted({*wanted} - {*at_hand})
    if not missing:
        return []
    return [f"{count_noun(len(missing), what)} missing: {list_few(missing)}."]


def _describe_other_files(data: Data, source: Collection) -> list[str]:
    """Differences of the given runs and topics from those of a report, a sentence
    each.
    """
    reasons = _describe_missing("run", data.runs, source.runs)
    now = dict(zip(source.runs, source.digests[1:], strict=True))
    named = []
    for run, before in zip(data.runs, data.files, strict=False):
        digest = now.get(run, "")
        if _have_changed(digest, before):
            named.append(f"{run} ({digest[:12]} in place of {before[:12]})")
    if named:
        reasons.append(f"{count_noun(len(named), 'run')} with a different file: {list_few(named)}.")
    return reasons + _describe_missing("topic", data.topics, source.topics)


def _tables_of(result: Any, names: Sequence[str]) -> dict[str, str]:
    """Tables of a result as CSV, by the names of the recorded files."""
    makers = dict[str, Callable[[], Any]]()
    for stem, (title, make) in frames_by_stem(result).items():
        # a report names files by the names of tables, a paper by their titles
        makers[f"-{stem}.csv"] = makers[f"-{slug(title)}.csv"] = make
    # ``-pairs-alone.csv`` ends in ``-alone.csv``, too
    ends = {name: max(filter(name.endswith, makers), key=len, default="") for name in names}
    return {name: FORMATS["csv"](makers[end]()) for name, end in ends.items() if end}


def _describe_difference(before: str | None, now: str | None) -> str:
    """A sentence on the number of cells of a table that differ, and the first of
    them.
    """
    if now is None:
        return "This table no longer exists."
    # the recorded file may be gone, while its digest is in the manifest
    if before is None:
        return "It differs."
    lines, lines_now = before.splitlines(), now.splitlines()
    if len(lines) != len(lines_now):
        return f"It has {len(lines_now) - 1:,} rows in place of {len(lines) - 1:,}."
    differing = []
    for row, (old, new) in enumerate(zip(lines, lines_now, strict=True)):
        # a comma within quotes parts both tables alike
        cells = zip(old.split(","), new.split(","), strict=False)
        differing += [f"row {row}: {b} in place of {a}" for a, b in cells if a != b]
    in_rows = sum(line.count(",") + 1 for line in lines[1:])
    differ = verb(len(differing), "differs", "differ")
    said = f"{count_noun(len(differing), 'cell')} of {in_rows:,} {differ}"
    if not differing:
        return f"{said}."
    return f"{said}; the first in {differing[0]}."
