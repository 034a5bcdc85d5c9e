"""Records of file formats, with functions that recognise and read them, and the
recogniser, which tries them in turn.
"""

import json
import re
import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from operator import attrgetter
from typing import Any, NamedTuple

from irmeval.core.errors import UNKNOWN_FORMAT, OfOtherKind, ParamError, ReadError
from irmeval.core.places import pick
from irmeval.core.registry import Registry
from irmeval.core.text import count_noun, list_all, shorten
from irmeval.reading.first_block import MOSTLY, FirstBlock, first_blocks
from irmeval.reading.formats.conditions import tell_named
from irmeval.reading.lines import (
    check_text,
    describe_nothing,
    numbered_lines,
    without_description,
)
from irmeval.reading.named_columns import (
    as_parquet,
    read_json_lines,
    read_parquet,
    require_columns,
)
from irmeval.reading.not_read import EXPECTED, refuse_unread
from irmeval.reading.text_layout import (
    BLANK,
    MAX_COLUMNS,
    QRELS,
    QRELS_COLUMNS,
    RUN,
    find_columns,
    is_header,
)

SEE_FORMATS = "See irmeval formats."
"""Remedy for a file of unknown format: the command that lists the formats."""
WITH_LF = r"End them in LF: tr '\r' '\n' < FILE > NEW"
"""Remedy for a text of old Macs, which has no other line ends."""
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

    @property
    def with_article(self) -> str:
        """The title, for a sentence: qrels and scores are many."""
        if self.kind == "run":
            return f"a {self.title}"
        return self.title


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
    *,
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
    *,
    title: str,
    columns: str,
    find: Callable[[FirstBlock], dict[str, str] | None],
    example: str,
    sources: tuple[str, str],
) -> None:
    """Add JSON lines and Parquet files with the same named `columns`, which `find` maps
    as for `tell_named`. The example is CSV, with numbers in its last column; `sources`
    are those of the JSON lines and of the Parquet files.
    """
    of_lines, of_parquet = sources
    head, *lines = example.splitlines()
    keys = head.split(",")
    records = [_record_of(keys, line) for line in lines]
    add_format(
        f"{kind} jsonl",
        title=f"{title} in JSON lines",
        looks=f"an object a line, with keys such as {columns}",
        tell=tell_named("jsonl", find),
        read=read_json_lines,
        example="".join(f"{json.dumps(record)}\n" for record in records),
        source=of_lines,
    )
    add_format(
        f"{kind} parquet",
        title=f"{title} in Parquet",
        looks=f"columns such as {columns}",
        tell=tell_named("parquet", find),
        read=read_parquet,
        example=example,
        source=of_parquet,
        encode=as_parquet,
    )


def _record_of(keys: Sequence[str], line: str) -> dict[str, Any]:
    """A line of CSV by its keys; its last cell is a number."""
    *texts, number = line.split(",")
    return dict(zip(keys, [*texts, json.loads(number)], strict=True))


COLUMNS = "columns"
"""Format of qrels with several columns of grades; one of them follows after a colon, as
in ``columns:usefulness``.
"""


class Columns(tuple[str, ...]):
    """Names of the columns of grades, of which one must be chosen."""


def format_at(key: str) -> Format:
    """Format by its key, as in ``qrels columns:usefulness``."""
    name, _, column = key.partition(":")
    format = FORMATS[name]
    if not column:
        return format
    return replace(format, name=f"{format.name}:{column}", title=f"{format.title}: {column}")


def formats_of(kind: str) -> dict[str, Format]:
    """Formats of a kind of file by name."""
    return {format.name: format for format in FORMATS.values() if format.kind == kind}


def check_format(form: str, kind: str = "qrels") -> str:
    """Return the name of a format of this kind, or `AUTO`. Raises `ParamError` for
    anything else.
    """
    known = (AUTO, *formats_of(kind))
    name, _, column = form.partition(":")
    if name != COLUMNS or not column:  # no other format is asked for a column
        name = form
    if name not in known:
        raise ParamError(
            f"{kind}_format: expected one of {', '.join(known)}, found {shorten(form)}."
        )
    return form


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
    of_qrels = "qrels "
    prefix = f"{of_qrels}{COLUMNS}:"
    chosen = [key for key in keys if key.startswith(prefix)]
    return {key.removeprefix(prefix): key.removeprefix(of_qrels) for key in chosen}


class UndecidedFormat(ReadError):
    """Several formats fit a file.

    Attributes
    ----------
    keys : their keys in `FORMATS`
    """

    def __init__(self, file: str, keys: Sequence[str]):
        self.keys = tuple(keys)
        formats = [*map(format_at, keys)]
        found = f"one that could be {_either(map(attrgetter('title'), formats))}"
        super().__init__(file, None, "a file of one format", found, _how_to_decide(formats))

    def __reduce__(self) -> tuple[object, ...]:
        # else an exception is pickled with what its base was given, which this one does not take
        return type(self), (self.file, self.keys)


def _how_to_decide(formats: Sequence[Format]) -> str:
    """What to do with a file that several formats fit."""
    kinds = dict.fromkeys(map(attrgetter("kind"), formats))
    if len(kinds) > 1:
        listed = list_all(pick(KINDS, kinds))
        return f"State what it is: {listed.replace(' and ', ' or ')}."
    if "scores" in kinds:  # no command line has a flag for these
        return "Name its columns in the first line, as in run,topic,measure,score."
    [kind] = kinds
    flags = _either(f"--{kind}-format {shlex.quote(format.name)}" for format in formats)
    return f"Give its format: {flags}."


def _either(texts: Iterable[str]) -> str:
    return " or ".join(texts)


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
        return _as_stated(name, data, blocks, format_at(f"{kind} {check_format(form, kind)}"))
    fitting = fitting_formats(blocks, kind)
    if not fitting:
        return _likeliest(name, data, blocks, kind)
    if len(fitting) > 1:
        # the name comes last, after place and content: a file may be called anything
        fitting = _told_by_name(name, fitting)
    keys = _keys(fitting)
    if len(keys) > 1:
        raise UndecidedFormat(name, keys)
    return fitting[0]


def _told_by_name(name: str, fitting: list[Recognised]) -> list[Recognised]:
    """The formats of the kind that the name of the file tells; all if it tells none."""
    kind = _kind_by_name(name)
    of_kind = [found for found in fitting if found.format.kind == kind]
    return of_kind or fitting


def _keys(fitting: Iterable[Recognised]) -> list[str]:
    """Keys of formats, with each column where one must be chosen."""
    return [*chain.from_iterable(map(_keys_of, fitting))]


def _keys_of(recognised: Recognised) -> list[str]:
    key, found = recognised.format.key, recognised.found
    if isinstance(found, Columns):
        return [f"{key}:{column}" for column in found]
    return [key]


def looks_like_run(name: str, data: bytes) -> bool:
    """Whether a file may be meant as a run: a README, qrels or an image among runs is
    not; an empty or damaged file may be.
    """
    try:
        refuse_unread(name, data)
        blocks = first_blocks(name, without_description(data))
    except ReadError as error:
        return not isinstance(error, OfOtherKind)
    if _divided_by_blanks(blocks).has_q0(3):
        return True
    is_empty = not any(map(FirstBlock.has_content, blocks))
    if is_empty:
        return True
    return bool(fitting_formats(blocks, "run"))


def fitting_formats(blocks: Sequence[FirstBlock], kind: str = "") -> list[Recognised]:
    """Formats of a kind, or of all kinds, that fit all lines of a first block; if there
    are none, those that fit most lines, or, of a known kind, those whose header
    fits.
    """
    attempts = [*_in_turn(blocks)]
    if not kind:
        return _first_fitting([*FORMATS.values()], attempts, kind)
    attempts += product([0.0], filter(attrgetter("names"), blocks))
    return _first_fitting([*formats_of(kind).values()], attempts, kind)


def _in_turn(blocks: Sequence[FirstBlock]) -> Iterator[tuple[float, FirstBlock]]:
    """Each block with the share of its lines that must fit, the strictest first."""
    return product((1.0, MOSTLY), blocks)


def _first_fitting(
    formats: Sequence[Format], attempts: Iterable[tuple[float, FirstBlock]], stated: str
) -> list[Recognised]:
    """The formats that fit at the first attempt at which any does; `stated` is the kind
    or the key that the place of the file or its reader states.
    """
    for least, block in attempts:
        # conditions ask the block, so that few of them need more than one argument
        block.least, block.stated = least, stated
        told = [Recognised(format, format.tell(block)) for format in formats]
        if fitting := [*filter(Recognised.fits, told)]:
            return fitting
    return []


def _kind_by_name(name: str) -> str:
    """The kind that the name of a file mentions, or else that of its folder; empty if
    none is mentioned alone.
    """
    parts = name.lower().replace("\\", "/").split("/")
    for part in reversed(parts[-2:]):
        kinds = [kind for kind, words in _WORDS.items() if re.search(words, part)]
        if len(kinds) == 1:
            return kinds[0]
    return ""


_WORDS = {
    "qrels": "qrel|judg|relevance",
    # MS MARCO calls its runs top1000
    "run": "run|result|ranking|submission|top1000",
    "scores": "score|eval",
}
"""Words in file names by kind."""


def _as_stated(name: str, data: bytes, blocks: Sequence[FirstBlock], format: Format) -> Recognised:
    """A file in the format that is given. Raises `ReadError` for one of another format,
    with those that it may be of.
    """
    fitting = _first_fitting([format], _in_turn(blocks), format.key)
    if fitting:
        return fitting[0]
    expected = f"{format.title} ({format.looks}), as in the format {format.name}"
    _check_line_ends(name, data, expected)
    number, came = _first_line(data, blocks)
    others = [key.partition(" ")[2] for key in _keys(fitting_formats(blocks, format.kind))]
    if others:
        remedy = f"It looks like {_either(others)}: give that as the format, or none."
        raise ReadError(name, number, expected, came, remedy)
    _check_names(name, format.kind, blocks[0].names)
    raise ReadError(name, number, expected, came, "Fix the line, or give no format.")


def _likeliest(name: str, data: bytes, blocks: Sequence[FirstBlock], kind: str) -> Recognised:
    """The format that a text which fits none was probably meant to be in, so that its
    reader reports the first line at fault. Raises `ReadError` if there is no such
    line: for no text, one of another kind, or a header without a needed column.
    """
    plain = _divided_by_blanks(blocks)
    is_text = plain.container == "text"
    if is_text:
        check_text(name, data)
    _check_line_ends(name, data, _expected(kind))
    _check_place(name, kind, blocks)
    _check_names(name, kind, blocks[0].names)
    usual = _usual_format(plain, kind)
    if usual and is_text:
        return Recognised(FORMATS[usual.key], usual.found)
    raise _unknown(name, data, kind, blocks)


class Usual(NamedTuple):
    """The format in which a text without a better one may be meant."""

    key: str
    found: Any
    """what its reader is told"""
    widths: Container[int]
    """numbers of columns that a text with faults may seem to have: none if it is empty,
    one where its separator is unknown
    """


USUAL = {
    "qrels": Usual("qrels trec", QRELS, (0, 1, 4)),
    "run": Usual("run trec", RUN, (0, 1, 6)),
    "scores": Usual("scores matrix", ",", range(MAX_COLUMNS + 2)),
    "": Usual("qrels trec", QRELS, (4,)),
}
"""These formats by the kind of file; empty if it is unknown."""


def _usual_format(plain: FirstBlock, kind: str) -> Usual | None:
    """The usual format of a text of this kind; None if its columns rule that out."""
    if plain.starts_list():
        return USUAL[kind or "run"]
    usual = USUAL[kind]
    if plain.width not in usual.widths:
        return None
    return usual


def _expected(kind: str) -> str:
    """What a file of this kind should be; of any kind if it is empty."""
    if kind:
        return f"{KINDS[kind]} in a known format"
    return EXPECTED


def _check_line_ends(name: str, data: bytes, expected: str) -> None:
    """Raise `ReadError` for a text of old Macs with several lines, which end in CR
    alone.
    """
    if b"\n" not in data and b"\r" in data.rstrip():
        raise ReadError(name, None, expected, "lines that end in CR alone", WITH_LF)


def _unknown(name: str, data: bytes, kind: str, blocks: Sequence[FirstBlock]) -> ReadError:
    """Error for a file in no known format, with its first line."""
    number, came = _first_line(data, blocks)
    expected = _expected(kind)
    if number is None and blocks[0].container == "text":  # it is empty
        return ReadError(name, number, expected, came, "Copy it again.")
    return ReadError(name, number, expected, came, SEE_FORMATS, UNKNOWN_FORMAT)


CONTAINERS = {
    "json": "JSON of another shape",
    "jsonl": "JSON lines",
    "parquet": "a Parquet file",
}
"""Files that have no first line to show."""


def _first_line(data: bytes, blocks: Sequence[FirstBlock]) -> tuple[int | None, str]:
    """Number and content of the first line."""
    if blocks[0].container != "text":
        return None, _describe_container(blocks[0])
    number, line = next(numbered_lines(data), (None, b""))
    if number is None:
        return None, describe_nothing(data)
    columns = _describe_width(max(map(attrgetter("width"), blocks)))
    return number, f"{columns}: {shorten(line)}"


def _describe_container(first: FirstBlock) -> str:
    came = CONTAINERS[first.container]
    if not first.names:
        return came
    names = ", ".join(map(shorten, first.names[:5]))
    return f"{came} with {names}"


def _describe_width(width: int) -> str:
    if width > MAX_COLUMNS:
        return f"over {MAX_COLUMNS} columns"
    return count_noun(width, "column")


def _check_place(name: str, kind: str, blocks: Sequence[FirstBlock]) -> None:
    """Raise `ReadError` for a file in the place of one kind that is of another."""
    if kind == "run" and _divided_by_blanks(blocks).starts_list():
        return  # a run with many faults may look like qrels of six columns
    others = fitting_formats(blocks)
    if not others:
        return
    looks = _either(map(attrgetter("format.with_article"), others))
    belongs = PLACES[others[0].format.kind]
    remedy = f"Give {NEEDED[kind]} here; {belongs}, or dropped on Collection."
    raise ReadError(name, None, KINDS[kind], f"what looks like {looks}", remedy)


NEEDED = {"qrels": "judgments", "run": "ranked lists", "scores": "scores by topic"}
"""Contents of each kind of file."""
PLACES = {
    "qrels": "judgments are given as QRELS",
    "run": "runs are given as RUN",
    "scores": "scores are given with --matrix",
}
"""Where a file of each kind belongs on the command line."""
NEEDED_COLUMNS = {
    "qrels": QRELS_COLUMNS,
    "run": ("topic", "document", "score"),
    "scores": ("run", "topic", "value"),
}
"""Columns that a header of each kind of file must name."""


def _check_names(name: str, kind: str, names: Sequence[str]) -> None:
    """Raise `ReadError` for a header without one of the required columns of this kind
    of file.
    """
    if not is_header(names):
        return
    needed = NEEDED_COLUMNS[kind or _kind_of_header(names)]
    require_columns(name, needed, find_columns(names, needed), names)


def _kind_of_header(names: Sequence[str]) -> str:
    if find_columns(names, ("document",)):
        return "qrels"
    return "scores"


def _divided_by_blanks(blocks: Sequence[FirstBlock]) -> FirstBlock:
    """First block split at any blanks, if the file is text."""
    return next((block for block in blocks if block.separator == BLANK), blocks[0])
