"""Records of file formats, with functions that recognise and read them, and the
recogniser, which tries them in turn.
"""

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from irmeval.core.errors import UNKNOWN_FORMAT, OfOtherKind, ParamError, ReadError
from irmeval.core.registry import Registry
from irmeval.core.text import count_noun, list_all, shorten
from irmeval.reading.first_block import MOSTLY, FirstBlock, first_blocks
from irmeval.reading.lines import (
    check_text,
    describe_nothing,
    is_number,
    numbered_lines,
    without_description,
)
from irmeval.reading.lists_of_objects import JUDGED, RANKED
from irmeval.reading.named_columns import as_parquet, missing_column, read_json_lines, read_parquet
from irmeval.reading.not_read import EXPECTED, refuse_unread
from irmeval.reading.text_layout import (
    BLANK,
    MAX_COLUMNS,
    QRELS,
    QRELS_COLUMNS,
    RUN,
    Layout,
    find_columns,
    is_header,
    name_columns,
)

SEE_FORMATS = "See irmeval formats."
"""Remedy for a file of unknown format: the command that lists the formats."""
AUTO = "auto"
"""Name for recognising the format from the content of the file."""
KINDS = {"qrels": "qrels", "run": "a run", "scores": "scores of runs"}
"""Kinds of files in words."""
Table = dict[str, Any]
"""Columns of a file by name, in the form of `irmeval.reading.columns.join_tables`."""


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    name : typed after ``--qrels-format`` or ``--run-format``; unique among the formats
        of its kind
    kind : ``qrels``, ``run`` or ``scores``
    title : what a file of it is called, as in "TREC qrels"
    looks : how it looks, in a few words
    tell : from the first block of a file, where its columns are, in a form that `read`
        understands; None for a file of another format
    read : from the name of a file, its bytes and what `tell` found, its columns
    example : a small file
    source : who writes such files
    encode : from the text of the example, the bytes of the file
    """

    name: str
    kind: str
    title: str
    looks: str
    tell: Callable[[FirstBlock], Any]
    read: Callable[[str, bytes, Any], Table]
    example: str
    source: str
    encode: Callable[[str], bytes] = str.encode

    @property
    def key(self) -> str:
        """Key in `FORMATS`: kind and name."""
        return f"{self.kind} {self.name}"


class Recognised(NamedTuple):
    """The format of a file, and the result of its test."""

    format: Format
    found: Any
    """None if it does not fit"""

    def fits(self) -> bool:
        """Whether the file is of the format."""
        return self.found is not None


FORMATS: Registry[Format] = Registry("format")
"""All formats by kind and name, as in ``qrels trec``."""


def add_format(
    key: str,
    title: str,
    looks: str,
    tell: Callable[[FirstBlock], Any],
    read: Callable[[str, bytes, Any], Table],
    example: str,
    source: str,
    encode: Callable[[str], bytes] = str.encode,
) -> Format:
    """Add a format by its key, kind and name; the rest are the fields of `Format`. A
    plugin calls this for its own.
    """
    kind, _, name = key.partition(" ")
    return FORMATS.add(key, Format(name, kind, title, looks, tell, read, example, source, encode))


def add_records(
    kind: str,
    title: str,
    columns: str,
    find: Callable[[FirstBlock], dict[str, str] | None],
    example: str,
    *sources: str,
) -> None:
    """Add JSON lines and Parquet files with the same named `columns`, which `find` maps
    as for `tell_named`. The example is CSV, with numbers in its last column; `sources`
    are those of both.
    """
    head, *rows = [line.split(",") for line in example.splitlines()]
    lines = "".join(
        json.dumps(dict(zip(head, [*row[:-1], json.loads(row[-1])], strict=True))) + "\n"
        for row in rows
    )
    looks = f"an object a line, with keys such as {columns}"
    add_format(
        f"{kind} jsonl",
        f"{title} in JSON lines",
        looks,
        tell_named("jsonl", find),
        read_json_lines,
        lines,
        sources[0],
    )
    looks, tell = f"columns such as {columns}", tell_named("parquet", find)
    add_format(
        f"{kind} parquet",
        f"{title} in Parquet",
        looks,
        tell,
        read_parquet,
        example,
        sources[1],
        as_parquet,
    )


COLUMNS = "columns"
"""Format of qrels with several columns of grades; one of them follows after a colon, as
in ``columns:usefulness``.
"""


class Columns(tuple[str, ...]):
    """Names of the columns of grades, of which one must be chosen."""


def format_at(key: str) -> Format:
    """Format by its key, as in ``qrels columns:usefulness``."""
    name, colon, column = key.partition(":")
    if not colon:
        return FORMATS[name]
    found = FORMATS[name]
    return replace(found, name=f"{found.name}:{column}", title=f"{found.title}: {column}")


def formats_of(kind: str) -> dict[str, Format]:
    """Formats of a kind of file by name."""
    return {found.name: found for found in FORMATS.values() if found.kind == kind}


def check_format(form: str, kind: str = "qrels") -> str:
    """Return the name of a format of this kind, or `AUTO`. Raises `ParamError` for
    anything else.
    """
    known = (AUTO, *formats_of(kind))
    name, colon, column = form.partition(":")
    if name not in known or bool(column) != bool(colon) or (colon and name != COLUMNS):
        raise ParamError(
            f"{kind}_format: expected one of {', '.join(known)}, found {shorten(form)}."
        )
    return form


def tell_named(
    container: str, find: Callable[[FirstBlock], dict[str, str] | None]
) -> Callable[[FirstBlock], Any]:
    """Test for files with named columns: `find` maps columns to their names, or returns
    None for a file of another format.
    """

    def tell(block: FirstBlock) -> Any:
        found = find(block) if block.container == container else None
        if found is None or container != "text":
            return found
        return Layout(name_columns(block.names, found), block.separator, True, block.quoted)

    return tell


LIST_KEYS = {*JUDGED, *RANKED}


def tell_lists(keys: Iterable[str]) -> Callable[[FirstBlock], Any]:
    """Test for JSON with lists of objects under one of these keys. A mapping of topics
    to documents with numbers has none, whatever its keys, unless it is below such a
    key.
    """

    def tell(block: FirstBlock) -> Any:
        if not block.container.startswith("json"):
            return None
        is_another = is_mapping(block) and not _is_below(block, keys)
        if is_another:
            return None
        # what comes before the lists of a single object may be long
        found = block.keys & LIST_KEYS or block.all_keys
        return None if found.isdisjoint(keys) else True

    return tell


def _is_below(block: FirstBlock, keys: Iterable[str]) -> bool:
    """Whether a JSON text has all its topics and documents below one of these keys."""
    return bool(block.filled) and all(
        len(path) == 3 and path[0].strip('"').lower() in keys for path, _ in block.filled
    )


def is_mapping(block: FirstBlock) -> bool:
    """Whether all values in a JSON text are numbers under keys, no lists or texts."""
    return block.container == "json" and all(map(_is_numbered, block.filled))


def _is_numbered(leaf: tuple[tuple[str, ...], str]) -> bool:
    path, value = leaf
    return "[]" not in path and is_number(value.strip('"'))


class FormatNames(NamedTuple):
    """Formats of the qrels and the runs of a collection; `AUTO` for recognition from
    the content.
    """

    qrels_format: str = AUTO
    run_format: str = AUTO


AS_TOLD = FormatNames()
"""Both formats are recognised from the content of each file."""


def rater_columns(keys: Iterable[str]) -> dict[str, str]:
    """Columns of grades among the keys of formats that fit: name -> format.

    Examples
    --------
    >>> rater_columns(["qrels columns:Ann", "run trec"])
    {'Ann': 'columns:Ann'}
    """
    forms = [key.removeprefix("qrels ") for key in keys]
    columns = [form for form in forms if form.startswith(f"{COLUMNS}:")]
    return {form.partition(":")[2]: form for form in columns}


class UndecidedFormat(ReadError):
    """Several formats fit a file.

    Attributes
    ----------
    keys : their keys in `FORMATS`
    """

    def __init__(self, file: str, keys: Sequence[str]):
        self.keys = tuple(keys)
        formats = [format_at(key) for key in keys]
        kinds = [*dict.fromkeys(found.kind for found in formats)]
        remedy = f"Give its format: {_flags(formats)}."
        if kinds == ["scores"]:
            remedy = "Name its columns in the first line, as in run,topic,measure,score."
        elif len(kinds) > 1:
            remedy = (
                "State what it is:"
                f" {list_all([KINDS[kind] for kind in kinds]).replace(' and ', ' or ')}."
            )
        super().__init__(
            file,
            None,
            "a file of one format",
            f"one that could be {' or '.join(found.title for found in formats)}",
            remedy,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.file, self.keys)


def _flags(formats: Sequence[Format]) -> str:
    flag = "--run-format" if formats[0].kind == "run" else "--qrels-format"
    return " or ".join(f"{flag} {shlex.quote(found.name)}" for found in formats)


def recognise(name: str, data: bytes, kind: str = "", form: str = AUTO) -> Recognised:
    """Recognise the format of a file. `kind` is its kind if known from its place;
    `form` is the name of its format, if it is given.

    Raises `ReadError` for a file of no known format or, if it is given, of another one;
    `UndecidedFormat` if several fit.
    """
    refuse_unread(name, data)
    data = without_description(data)
    blocks = first_blocks(name, data)
    if form != AUTO:
        return _as_named(name, data, blocks, format_at(f"{kind} {check_format(form, kind)}"))
    fitting = fitting_formats(blocks, kind)
    if not fitting:
        return _unfitting(name, data, kind, blocks)
    if len({found.format.kind for found in fitting}) > 1:
        fitting = _by_name(name, fitting) or fitting
    keys = [key for found in fitting for key in _keys(found)]
    if len(keys) > 1:
        raise UndecidedFormat(name, keys)
    return fitting[0]


def _unfitting(name: str, data: bytes, kind: str, blocks: Sequence[FirstBlock]) -> Recognised:
    """Format to report the first line of a file that fits none. Raises `ReadError` if
    it is no text, of another kind, or has a header without a needed column.
    """
    if blocks[0].container == "text":
        check_text(name, data)
    is_run = kind == "run" and _plain(blocks).starts_list()
    if kind and not is_run:
        _check_place(name, kind, blocks)
    _check_names(name, kind, blocks[0].names)
    return _fallback(name, data, kind, blocks)


def _keys(recognised: Recognised) -> list[str]:
    """Key of a format, or its keys with each column that may be chosen."""
    key, found = recognised.format.key, recognised.found
    return [f"{key}:{column}" for column in found] if isinstance(found, Columns) else [key]


def looks_like_run(name: str, data: bytes) -> bool:
    """Whether a file may be meant as a run: a README, qrels or an image among runs is
    not; an empty or damaged file may be.
    """
    try:
        refuse_unread(name, data)
        blocks = first_blocks(name, without_description(data))
    except ReadError as error:
        return not isinstance(error, OfOtherKind)
    if _plain(blocks).has_q0(3):
        return True
    has_content = any(block.all_rows or block.container == "json" for block in blocks)
    return not has_content or bool(fitting_formats(blocks, "run"))


def fitting_formats(blocks: Sequence[FirstBlock], kind: str = "") -> list[Recognised]:
    """Formats of a kind, or of all kinds, that fit all lines of a first block; if there
    are none, those that fit most lines, or, of a known kind, those whose header
    fits.
    """
    candidates = formats_of(kind) if kind else FORMATS
    for least, block in _attempts(blocks, kind):
        block.least, block.stated = least, kind
        told = [Recognised(each, each.tell(block)) for each in candidates.values()]
        fitting = [*filter(Recognised.fits, told)]
        if fitting:
            return fitting
    return []


def _attempts(blocks: Sequence[FirstBlock], kind: str) -> Iterator[tuple[float, FirstBlock]]:
    """Each block with the share of its lines that must fit, the strictest first."""
    yield from product((1.0, MOSTLY), blocks)
    if kind:
        yield from ((0.0, block) for block in blocks if block.names)


def _by_name(name: str, fitting: list[Recognised]) -> list[Recognised]:
    """Formats whose kind appears in the name of the file or its folder."""
    parts = name.lower().replace("\\", "/").split("/")[-2:]
    for part in reversed(parts):
        kinds = _kinds_in(part)
        if len(kinds) == 1:
            return [found for found in fitting if found.format.kind == kinds[0]]
    return []


def _kinds_in(name: str) -> list[str]:
    """Kinds of files that a name mentions."""
    return [kind for kind, words in _WORDS.items() if any(word in name for word in words)]


_WORDS = {
    "qrels": ("qrel", "judg", "relevance"),
    "run": ("run", "result", "ranking", "submission", "top1000"),
    "scores": ("score", "eval"),
}
"""Words in file names by kind."""


def _as_named(name: str, data: bytes, blocks: Sequence[FirstBlock], format: Format) -> Recognised:
    for least in (1.0, MOSTLY):
        for block in blocks:
            block.least, block.stated = least, format.key
            if (found := format.tell(block)) is not None:
                return Recognised(format, found)
    fitting = fitting_formats(blocks, format.kind)
    others = [key.partition(" ")[2] for found in fitting for key in _keys(found)]
    remedy = (
        f"It looks like {' or '.join(others)}: give that as the format, or none."
        if others
        else "Fix the line, or give no format."
    )
    if not others:
        _check_names(name, format.kind, blocks[0].names)
    number, came = _first_line(data, blocks)
    raise ReadError(
        name,
        number,
        f"{format.title} ({format.looks}), as in the format {format.name}",
        came,
        remedy,
    )


def _first_line(data: bytes, blocks: Sequence[FirstBlock]) -> tuple[int | None, str]:
    """Number and content of the first line."""
    if blocks[0].container != "text":
        container = {
            "json": "JSON of another shape",
            "jsonl": "JSON lines",
            "parquet": "a Parquet file",
        }[blocks[0].container]
        return None, container + (
            f" with {', '.join(map(shorten, blocks[0].names[:5]))}" if blocks[0].names else ""
        )
    number, line = next(numbered_lines(data), (0, b""))
    width = max(block.width for block in blocks)
    columns = f"over {MAX_COLUMNS} columns" if width > MAX_COLUMNS else count_noun(width, "column")
    return (number, f"{columns}: {shorten(line)}") if line else (None, describe_nothing(data))


def _check_place(name: str, kind: str, blocks: Sequence[FirstBlock]) -> None:
    """Raise `ReadError` for a file in the place of one kind that is of another."""
    other = fitting_formats(blocks)
    if not other:
        return
    looks = " or ".join(
        f"a {found.format.title}" if found.format.kind == "run" else found.format.title
        for found in other
    )
    remedy = f"Give {NEEDED[kind]} here; {PLACES[other[0].format.kind]}, or dropped on Collection."
    raise ReadError(name, None, KINDS[kind], f"what looks like {looks}", remedy)


NEEDED = {"qrels": "judgments", "run": "ranked lists", "scores": "scores by topic"}
"""Contents of each kind of file."""
PLACES = {
    "qrels": "judgments are given as QRELS",
    "run": "runs are given as RUN",
    "scores": "scores are given with --matrix",
}
"""Where a file of each kind belongs on the command line."""


def _check_names(name: str, kind: str, names: Sequence[str]) -> None:
    """Raise `ReadError` for a header without one of the required columns of this kind
    of file.
    """
    if not is_header(names):
        return
    likely = kind or ("qrels" if find_columns(names, ("document",)) else "scores")
    needed = {
        "qrels": QRELS_COLUMNS,
        "run": ("topic", "document", "score"),
        "scores": ("run", "topic", "value"),
    }[likely]
    if lacking := [column for column in needed if column not in find_columns(names, needed)]:
        raise missing_column(name, lacking[0], names)


def _plain(blocks: Sequence[FirstBlock]) -> FirstBlock:
    """First block split at any blanks, if the file is text."""
    return next((block for block in blocks if block.separator == BLANK), blocks[0])


def _fallback(name: str, data: bytes, kind: str, blocks: Sequence[FirstBlock]) -> Recognised:
    """TREC's format for a file in the place of qrels or a run, so that its first line
    is reported.
    """
    plain = _plain(blocks)
    likely = kind or _likely_kind(plain)
    is_matrix = plain.container == "text" and likely == "scores"
    if is_matrix:
        return Recognised(FORMATS["scores matrix"], ",")
    usual = USUAL.get(likely)
    is_usual = usual is not None and _may_be_meant_as(plain, usual)
    if is_usual:
        return Recognised(FORMATS[f"{likely} trec"], usual)
    raise _unknown(name, data, kind, blocks)


def _unknown(name: str, data: bytes, kind: str, blocks: Sequence[FirstBlock]) -> ReadError:
    """Error for a file in no known format, with its first line."""
    number, came = _first_line(data, blocks)
    expected = f"{KINDS[kind]} in a known format" if kind else EXPECTED
    if number is None and _plain(blocks).container == "text":
        return ReadError(name, number, expected, came, "Copy it again.")
    return ReadError(name, number, expected, came, SEE_FORMATS, UNKNOWN_FORMAT)


USUAL = {"qrels": QRELS, "run": RUN}


def _likely_kind(plain: FirstBlock) -> str:
    """Kind of a text by its columns; empty if it may be anything."""
    if plain.starts_list():
        return "run"
    return "qrels" if plain.width == len(QRELS.columns) else ""


def _may_be_meant_as(plain: FirstBlock, usual: Layout) -> bool:
    """Whether the lines of a text may be meant as those of TREC: an empty file may."""
    widths = (0, 1, len(usual.columns))
    return plain.container == "text" and (plain.starts_list() or plain.width in widths)
