"""The first block of a file, from which its format is recognised: up to 256 rows, split
into columns, or the nesting of a JSON text.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, filterfalse, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from irmeval.core.lazy import pa, pc
from irmeval.reading.columns import BOM
from irmeval.reading.files import refuse_binary
from irmeval.reading.lines import is_number, numbered_lines, whole_number
from irmeval.reading.named_columns import parquet_file
from irmeval.reading.text_layout import BLANK, Layout, find_columns, is_header

LINES = 256
"""Maximum number of lines that are examined."""
BYTES = 1 << 18
"""Maximum number of bytes that are examined."""
PARQUET = b"PAR1"
OF_JSON = ("json", "jsonl")
"""Containers of JSON texts."""
UNSORTED = 3
"""Minimum count of whole numbers in the longest topic that are ranks although they are
not in order.
"""
SEPARATORS = ("\t", ",", ";")
MOSTLY = 0.5
"""Share of the lines that must fit a format if no format fits all of them."""
CELL = 200
"""Maximum number of letters of a cell of a Parquet file that are examined."""
# with blanks as separator, `numbered_lines` would turn tabs into blanks
_RAW = Layout(("line",), "\t")
_JSON = re.compile(rb'[\[{]\s*(["{\[\]}]|$)')
_KEY = re.compile(rb'"([A-Za-z_-]{1,24})"\s*:')
"""Key of an object, of letters."""
_GAP = re.compile(r"[\s,]*")
_TOKEN = re.compile(r'\s*(?:([{}\[\],:])|("(?:[^"\\]|\\.)*(?:"|\\?\Z)|[^\s{}\[\],:"]+))')
"""A mark of a JSON text, or a word: a text in quotes (of which the last may be cut off),
a number, true, false, null.
"""
TOKENS = 40 * LINES
"""Maximum number of marks and words of a JSON text that are examined: those of `LINES`
objects of ten keys, with their colons, values and commas.
"""
NUMERAL = 40
"""Maximum number of letters of a number in a JSON text."""


class Leaf(NamedTuple):
    """A value in a JSON text that is no object and no list."""

    path: tuple[str, ...]
    """keys that lead to it, in quotes; ``[]`` for a list"""
    value: str
    """as written, a text in quotes"""

    @property
    def cell(self) -> str:
        """The value without quotes, as in a table."""
        return self.value.strip('"')

    @property
    def top(self) -> str:
        """The first key."""
        return self.path[0].strip('"')

    def is_listed(self) -> bool:
        """Whether a list leads to it."""
        return "[]" in self.path

    def is_listed_text(self) -> bool:
        """Whether it is a text in a list under a single key."""
        return self.path[1:] == ("[]",) and self.value.startswith('"')


class FirstBlock:
    """The first lines of a file, split into columns in one way.

    Attributes
    ----------
    container : ``text``, ``json``, ``jsonl`` (JSON lines, or a JSON list of objects) or
        ``parquet``
    separator, quoted : as in `Layout`
    names : the names of the columns; empty if there is no header
    rows : the rows of the most common width, without the header
    data : the whole file
    """

    def __init__(
        self,
        container: str,
        data: bytes,
        rows: Sequence[Sequence[str]] = (),
        names: Sequence[str] = (),
        separator: str = BLANK,
        quoted: bool = False,
    ):
        self.container, self.data = container, data
        self.names, self.separator, self.quoted = tuple(names), separator, quoted
        widths = Counter(map(len, rows))
        self.width = len(names) or max(widths, key=widths.__getitem__, default=0)
        self.rows = [row for row in rows if len(row) == self.width]
        self.all_rows = len(rows)
        self.least = 1.0
        """share of the lines that must fit"""
        self.stated = ""
        """kind or key of a format, if the file's place or reader determines it; else
        empty
        """

    def is_even(self) -> bool:
        """Whether all rows are of the same width."""
        return len(self.rows) == self.all_rows

    def has_content(self) -> bool:
        """Whether there is a row, or a JSON text of any shape."""
        return self.container == "json" or self.all_rows > 0

    def has_columns(self) -> bool:
        """Whether there are more than two columns, or a header."""
        return self.width > 2 or bool(self.names)

    def column(self, place: int | str) -> list[str]:
        """Cells of a column, by its position or name."""
        if isinstance(place, str):
            place = self.names.index(place)
        return [row[place] for row in self.rows]

    def most(self, fits: Callable[[str], bool], place: int | str) -> bool:
        """Whether all cells of a column fit; if no format fits all lines, whether most
        of them do.
        """
        cells = [*filter(None, self.column(place))]  # an empty one decides nothing
        if not cells:
            return False
        uneven = self.all_rows - len(self.rows)
        return sum(map(fits, cells)) >= self.least * (len(cells) + uneven)

    def starts_list(self) -> bool:
        """Whether the second column is Q0, as only in TREC runs and in qrels of four
        columns.
        """
        return self.has_q0(5)

    def has_q0(self, width: int) -> bool:
        """Whether the second of at least `width` columns is Q0."""
        is_wide = self.container == "text" and self.width >= width
        return is_wide and self.most(lambda cell: cell.upper() == "Q0", 1)

    def is_trec(self) -> bool:
        """Whether all lines have six columns with a score, or four with a grade, as
        TREC runs and qrels do.
        """
        if self.names:
            return False
        if self.width == 6:
            return self.numbers(4)
        return self.width == 4 and self.whole(3)

    def whole(self, place: int | str) -> bool:
        """Whether a column contains whole numbers."""
        return self.most(lambda cell: whole_number(cell) is not None, place)

    def numbers(self, place: int | str) -> bool:
        """Whether a column contains numbers."""
        return self.most(is_number, place)

    def by_topic(self, topic: int | str, place: int | str) -> dict[str, list[int]]:
        """Whole numbers of a column by topic, in the order of the file."""
        lists: dict[str, list[int]] = {}
        for of, cell in zip(self.column(topic), self.column(place), strict=True):
            if (number := whole_number(cell)) is not None:
                lists.setdefault(of, []).append(number)
        return lists

    def counts(self, topic: int | str, place: int | str) -> bool:
        """Whether the whole numbers of a column count within each topic, from 0 or 1:
        upwards in the order of the lines, or in any order without a gap.
        """
        if not self.whole(place):
            return False
        lists = [*self.by_topic(topic, place).values()]
        if all(map(_rises, lists)):
            return True
        if max(map(len, lists)) < UNSORTED:
            return False
        return all(map(_counts, lists[:-1])) and self._may_count(lists[-1])

    def _may_count(self, last: list[int]) -> bool:
        """Whether the numbers of the last topic count, or do so where the file goes on
        beyond the block.
        """
        is_cut = self._may_go_on()
        return _counts(last, is_cut) or (is_cut and _falls(last))

    def _may_go_on(self) -> bool:
        """Whether the file may have more rows than the block."""
        # a header is one of the examined lines, but not one of the rows
        return self.all_rows + bool(self.names) >= LINES or len(self.data) > BYTES

    def falls(self, topic: int | str, place: int | str) -> bool:
        """Whether the whole numbers of a column decrease by one within each topic, as
        reversed ranks do, and as scores may.
        """
        lists = self.by_topic(topic, place).values()
        longest = max(map(len, lists), default=0)
        if longest < 2:
            return False
        return all(map(_falls, lists))

    @cached_property
    def filled(self) -> list[Leaf]:
        """Leaves at the beginning of a JSON text, without null and empty texts, which
        decide nothing.
        """
        if self.container not in OF_JSON:
            return []
        begin = self.data[:BYTES].removeprefix(BOM).decode("utf-8", "replace")
        leaves = _leaves(begin, is_cut=len(self.data) > BYTES)
        return [leaf for leaf in leaves if leaf.value not in ("null", '""')]

    def lists_documents(self) -> bool:
        """Whether a JSON text maps topics to lists of texts."""
        return bool(self.filled) and all(map(Leaf.is_listed_text, self.filled))

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the objects at the beginning of a JSON text, in lower case."""
        if self.container not in OF_JSON:
            return frozenset()
        return _keys(self.data[:BYTES])

    @cached_property
    def all_keys(self) -> frozenset[str]:
        """Keys of the objects in a whole JSON text that is no list of records."""
        if self.container != "json":
            return self.keys
        return _keys(self.data)


def _keys(text: bytes) -> frozenset[str]:
    # most keys are repeated: each is decoded once
    keys = map(bytes.decode, {*_KEY.findall(text)})
    return frozenset(map(str.lower, keys))


def _rises(numbers: list[int]) -> bool:
    if numbers[0] not in (0, 1):
        return False
    return bool(np.all(np.diff(numbers) > 0))


def _counts(numbers: list[int], cut: bool = False) -> bool:
    """Whether numbers rise, or are gapless in any order."""
    return _rises(numbers) or _is_gapless(numbers, cut)


def _falls(numbers: list[int]) -> bool:
    return bool(np.all(np.diff(numbers) == -1))


def _is_gapless(numbers: list[int], cut: bool = False) -> bool:
    """Whether each number from 0 or 1 on occurs once; a topic that may be `cut` may
    lack some.
    """
    low = min(numbers)
    if low not in (0, 1):
        return False
    if len({*numbers}) < len(numbers):
        return False
    return cut or max(numbers) - low == len(numbers) - 1


def first_blocks(name: str, data: bytes) -> list[FirstBlock]:
    """Possible divisions of a file into columns, most likely first. Raises `ReadError`
    for a damaged Parquet file, and for binary data.
    """
    if data.startswith(PARQUET):
        return [_parquet_block(name, data)]
    begin = data[:BYTES].removeprefix(BOM).lstrip()
    if _JSON.match(begin):
        return [_json_block(data, begin)]
    refuse_binary(name, data)
    lines = _first_lines(data)
    blank = _text_block(data, lines, BLANK)
    # the usual case is told at once; tabs and blanks may be mixed
    if blank.is_trec():
        return [blank]
    blocks = map(partial(_text_block, data, lines), SEPARATORS)
    divided = [block for block in blocks if block.width > 1]
    is_likelier = partial(_is_likelier, blank)
    return [*filter(is_likelier, divided), blank, *filterfalse(is_likelier, divided)]


def _is_likelier(blank: FirstBlock, block: FirstBlock) -> bool:
    """Whether a text is rather divided by a separator than by blanks."""
    if not block.is_even():
        return False
    if not block.has_columns():
        return False
    if block.separator != "\t":
        return True
    if not blank.is_even():
        return True
    # tabs between the same columns are as good as blanks, but for a header
    is_headed = bool(block.names) > bool(blank.names)
    return is_headed or block.width != blank.width


def _first_lines(data: bytes) -> list[bytes]:
    """First lines that are neither empty nor comments. Lines that begin with a number
    sign and a word count only if there are no others.
    """
    lines = map(itemgetter(1), numbered_lines(_head(data), layout=_RAW))
    rows = [*islice(filterfalse(_is_comment, lines), LINES)]
    if rows:
        return rows
    return [*map(itemgetter(1), islice(numbered_lines(data), LINES))]


def _head(data: bytes) -> bytes:
    """The whole lines at the beginning of a text."""
    if len(data) <= BYTES:
        return data
    end = data.rfind(b"\n", 0, BYTES) + 1
    # a first line longer than the block has no end in it
    return data[: end or BYTES]


def _is_comment(line: bytes) -> bool:
    return line.startswith(b"#")


def _text_block(data: bytes, lines: list[bytes], separator: str) -> FirstBlock:
    layout = Layout((), separator, quoted=_may_be_quoted(lines, separator))
    rows = [*map(layout.texts, lines)]
    if rows and is_header(rows[0]):
        return FirstBlock("text", data, rows[1:], rows[0], separator, layout.quoted)
    return FirstBlock("text", data, rows, (), separator, layout.quoted)


def _may_be_quoted(lines: list[bytes], separator: str) -> bool:
    """Whether cells may stand in quotes: in CSV, and in TSV whose first line has
    any.
    """
    if separator == "\t":
        return bool(lines) and b'"' in lines[0]
    return separator != BLANK


def _parquet_block(name: str, data: bytes) -> FirstBlock:
    with parquet_file(name, data) as file:
        names = file.schema_arrow.names
        looked_at = _columns_to_look_at(file.schema_arrow)
        batch = next(file.iter_batches(LINES, columns=looked_at), None)
        if batch is None:
            return FirstBlock("parquet", data, (), names)
        cells = dict.fromkeys(names, [""] * batch.num_rows)
        cells |= {column: _cells(batch[column]) for column in looked_at}
        return FirstBlock("parquet", data, [*zip(*cells.values(), strict=True)], names)


def _columns_to_look_at(schema: "pa.Schema") -> list[str]:
    """Columns whose cells tell a format. Topics and documents are told by their names;
    their texts take longest to decode, and are left for the reader.
    """
    named = {*find_columns(schema.names, ("topic", "document")).values()}
    flat = [column.name for column in schema if not pa.types.is_nested(column.type)]
    return [*filterfalse(named.__contains__, flat)]


def _cells(column: "pa.Array") -> list[str]:
    """Texts in a column of a Parquet file; of a dictionary, which may hold long ones,
    their beginnings.
    """
    if pa.types.is_dictionary(column.type):
        # the dictionary may hold many more texts than these rows use
        used = column.indices.dictionary_encode()
        texts = column.dictionary.take(used.dictionary).cast(pa.string())
        column = pc.utf8_slice_codeunits(texts, 0, CELL).take(used.indices)
    return [*map(_text, column.to_pylist())]


def _json_block(data: bytes, begin: bytes) -> FirstBlock:
    """First block of a JSON text; of JSON lines and lists of objects, the rows."""
    records = _records_in(begin)
    if not records:
        return FirstBlock("json", data)
    # a record may lack keys that others have
    names = [*dict.fromkeys(chain.from_iterable(records))]
    rows = [[*map(_text, map(record.get, names))] for record in records]
    return FirstBlock("jsonl", data, rows, names)


def _records_in(begin: bytes) -> list[dict[str, Any]]:
    """The objects of a JSON list or of JSON lines. One on a line that has neither texts
    nor numbers is a mapping of topics, no record.
    """
    if begin.startswith(b"["):
        return _first_records(_values_of_list(begin))
    records = _first_records(_values_of_lines(begin))
    if any(map(_is_flat, records)):
        return records
    return []


def _first_records(values: Iterator[Any]) -> list[dict[str, Any]]:
    first = islice(_until_cut_off(values), LINES)
    return [value for value in first if isinstance(value, dict)]


def _values_of_lines(begin: bytes) -> Iterator[Any]:
    # the last part of the split is the whole rest, not a line
    lines = begin.split(b"\n", LINES)[:LINES]
    return map(json.loads, filter(bytes.strip, lines))


def _values_of_list(begin: bytes) -> Iterator[Any]:
    decoder, text, at = json.JSONDecoder(), begin.decode("utf-8", "replace"), 1
    while True:
        # it matches nothing, too
        at = _GAP.match(text, at).end()  # type: ignore[union-attr]
        value, at = decoder.raw_decode(text, at)
        yield value


def _until_cut_off(values: Iterator[Any]) -> Iterator[Any]:
    """The values before one at which the block ends, or which is on several lines."""
    with suppress(ValueError, RecursionError):
        yield from values


def _is_flat(record: dict[str, Any]) -> bool:
    """Whether an object has a text or number under a key."""
    return not all(isinstance(value, dict | list | None) for value in record.values())


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value)


def _leaves(text: str, is_cut: bool) -> Iterator[Leaf]:
    """Leaves at the beginning of a JSON text, which may be cut off anywhere."""
    walk = Walk([], [])
    for token in islice(_TOKEN.finditer(text), TOKENS):
        mark, word = token.groups()
        is_last = is_cut and token.end() == len(text)
        # the beginning of a value, such as - or nul, is another one, but of a long text
        if is_last and len(word or "") <= NUMERAL:
            return
        if word:
            yield from walk.take(word)
        elif mark in "{[":
            walk.enter(mark)
        elif mark in "}]":
            if not walk.kinds:  # no JSON: more is closed than was opened
                return
            walk.leave()
        elif mark == ",":
            walk.key = None


@dataclass
class Walk:
    """A place in a JSON text."""

    path: list[str]
    """keys that lead to the innermost object or list, ``[]`` for a list"""
    kinds: list[str]
    """opening bracket of each object and list around the place"""
    key: str | None = None
    """key whose value is next"""

    def step(self) -> str:
        """Key of the place in the innermost object or list."""
        if self.kinds[-1] == "[":
            return "[]"
        return self.key or ""

    def enter(self, mark: str) -> None:
        """Begin an object or a list."""
        if self.kinds:
            self.path.append(self.step())
        self.kinds.append(mark)
        self.key = None

    def leave(self) -> None:
        """End the innermost one."""
        self.kinds.pop()
        # not `pop`: the outermost has put nothing on the path
        del self.path[-1:]
        self.key = None

    def take(self, word: str) -> Iterator[Leaf]:
        """Take a key, or a value, which is a leaf."""
        if not self.kinds:
            return
        if self.kinds[-1] == "{" and self.key is None:
            self.key = word
        else:
            yield Leaf((*self.path, self.step()), word)
