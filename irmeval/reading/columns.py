"""Fast reader of qrels and runs: Arrow parses blocks of text on all cores. Only the
blocks in use are in memory.

A large file is read block by block too.
"""

import itertools
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import csv, pa, pc
from irmeval.core.parallel import map_lazily, map_threads
from irmeval.reading import files
from irmeval.reading.arrays import to_numpy
from irmeval.reading.not_read import refuse_packed
from irmeval.reading.text_layout import BLANK, Layout, comments

BLOCK = 4 << 20
"""Bytes per block of text."""
TAG = "tag"
"""Column of which only the distinct values are kept, without their rows."""
BLANKS = bytes.maketrans(b"\t\v\f\r", b"    ")
BOM = b"\xef\xbb\xbf"


class ArrowRefused(Exception):
    """Arrow cannot parse a text, because of an error in a line or because this version
    of Arrow is too strict.
    """


def split_blocks(text: bytes, start: int = 0) -> Iterator[bytes]:
    """Split a text, from a byte on, into nonempty blocks of whole lines."""
    while start < len(text):
        end = (
            text.rfind(b"\n", start, start + BLOCK) + 1
            or text.find(b"\n", start + BLOCK) + 1
            or len(text)
        )
        yield text if end - start == len(text) else text[start:end]
        start = end


def parse_blocks(
    texts: Iterable[bytes],
    layout: Layout,
    kinds: "dict[str, pa.DataType]",
    check: Callable[[bytes], None] = lambda text: None,
) -> dict[str, Any]:
    """Columns of a text that arrives in blocks: those of the layout with a type in
    `kinds`, in the form of `join_tables`.

    Raises `ArrowRefused`, and whatever `check` raises for a block.
    """

    def read(text: bytes) -> "pa.Table":
        check(text)
        return read_block(text, layout, kinds)

    return join_tables(map_lazily(read, texts), kinds)


def join_tables(tables: "list[pa.Table]", kinds: "dict[str, pa.DataType]") -> dict[str, Any]:
    """Join the columns of several tables. A column of numbers becomes a NumPy array, a
    column of texts an Arrow array. A column of few distinct texts becomes int32 codes,
    with the texts under its name plus an s, in order of first appearance.
    """
    parts = {name: [chunk for table in tables for chunk in table[name].chunks] for name in kinds}
    tables.clear()  # free the parts of each column as soon as they are joined
    return dict(
        itertools.chain(
            *map_threads(lambda name: _join_chunks(name, parts.pop(name), kinds[name]), kinds)
        )
    )


def _join_chunks(name: str, chunks: "list[Any]", kind: "pa.DataType") -> list[tuple[str, Any]]:
    if pa.types.is_dictionary(kind):
        code: dict[str, int] = {}
        places = [
            [code.setdefault(text, len(code)) for text in chunk.dictionary.to_pylist()]
            for chunk in chunks
        ]
        texts = (f"{name}s", tuple(code))
        if name == TAG:
            return [texts]
        codes = [
            np.array(place, np.int32)[to_numpy(chunk.indices)]
            for place, chunk in zip(places, chunks, strict=True)
        ]
        return [(name, np.concatenate([np.empty(0, np.int32), *codes])), texts]
    if pa.types.is_floating(kind):
        return [(name, to_numpy(pa.chunked_array(chunks, kind)))]
    return [
        (name, chunks[0] if len(chunks) == 1 else pa.concat_arrays([pa.nulls(0, kind), *chunks]))
    ]


def read_block(text: bytes, layout: Layout, kinds: "dict[str, pa.DataType]") -> "pa.Table":
    """Columns of a block of whole lines, without a header. Raises `ArrowRefused`."""
    if layout.separator == BLANK:
        text, separator = _normalise_blanks(text, layout)
    else:
        text, separator = (
            _without_comments(text.replace(b"\r\n", b"\n"), layout).strip(b"\n"),
            layout.separator,
        )
    if not text:
        return pa.schema(kinds).empty_table()
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            read_options=csv.ReadOptions(
                use_threads=False, block_size=len(text), column_names=layout.columns
            ),
            parse_options=csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if layout.quoted else False,
                double_quote=layout.quoted,
            ),
            convert_options=csv.ConvertOptions(
                column_types=kinds, null_values=[], include_columns=list(kinds)
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ArrowRefused from None
    return table if layout.separator == BLANK else _strip_cells(table)


def _normalise_blanks(text: bytes, layout: Layout) -> tuple[bytes, str]:
    """Normalise a text to one blank between columns, none at the ends and no comments;
    also returns the blank.
    """
    if _has_odd_blanks(text):
        text = text.translate(BLANKS)
        while b"  " in text:
            text = text.replace(b"  ", b" ")
        text = text.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" \n")
        text = _without_comments(text, layout)
    return text, "\t" if b"\t" in text else " "


_ODD = (b"#", b"\r", b"\v", b"\f")
"""Blanks other than one between columns, and the mark of comments."""


def _has_odd_blanks(text: bytes) -> bool:
    """Whether a text has anything but one tab, or one blank, between columns; or may
    have comments.
    """
    mixed = all(map(text.__contains__, (b"\t", b" ")))
    has_odd = any(map(text.__contains__, _ODD))
    has_ends = text[:1].isspace() or text[-1:] in b" \t"
    if mixed or has_odd or has_ends:
        return True
    gap = np.frombuffer(text, np.uint8) <= ord(" ")
    return bool(np.any(gap[1:] & gap[:-1]))


def _without_comments(text: bytes, layout: Layout) -> bytes:
    return comments(layout).sub(b"", text) if text.startswith(b"#") or b"\n#" in text else text


def _strip_cells(table: "pa.Table") -> "pa.Table":
    """Strip the texts of all columns. Raises `ArrowRefused` for an empty topic or
    document.
    """
    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_floating(column.type):
            continue
        chunks = []
        for chunk in column.chunks:
            texts = pc.utf8_trim_whitespace(
                chunk.dictionary if pa.types.is_dictionary(column.type) else chunk
            )
            if name in ("topic", "document") and pc.any(pc.equal(texts, "")).as_py():
                raise ArrowRefused
            chunks.append(
                pa.DictionaryArray.from_arrays(chunk.indices, texts)
                if pa.types.is_dictionary(column.type)
                else texts
            )
        table = table.set_column(place, name, pa.chunked_array(chunks, column.type))
    return table


LARGE = 64 << 20
"""Size in bytes above which files are read one at a time, block by block on all
cores.
"""
GZIP_RATIO = 5
"""Assumed ratio of the size of a text to its gzip file."""


def is_large(path: Path) -> bool:
    """Whether a file is large enough to be read by `stream`."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return (
        size * (GZIP_RATIO if path.suffix in (".gz", ".zip", ".bz2", ".xz", ".tgz") else 1) >= LARGE
    )


def stream(path: Path) -> Iterator[bytes]:
    """The text of a plain or gzip file in blocks of whole lines.

    Raises `ArrowRefused` for a zip, and for everything that `files.unpack` refuses or
    checks more closely.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = file.read(len(files.GZIP)) if not file.seek(0) else b""
            file.seek(0)
            packed = start == files.GZIP
            limit = files.max_unpacked(size) if packed else files.MAX_BYTES
            yield from _lines(
                str(path),
                _gunzipped(file) if packed else iter(lambda: file.read(BLOCK), b""),
                limit,
            )
    except (OSError, ReadError, zlib.error):
        raise ArrowRefused from None


def _lines(name: str, pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Blocks of whole lines from pieces of a text."""
    size, rest = 0, b""
    for piece in pieces:
        if not size:
            if piece[257:262] == b"ustar" or files.is_packed(piece):
                raise ArrowRefused
            refuse_packed(name, piece)
            piece = piece.removeprefix(BOM)
        size += len(piece)
        if size > limit or len(rest) > BLOCK:  # a very long line
            raise ArrowRefused
        end = piece.rfind(b"\n") + 1
        if end:
            yield b"".join((rest, memoryview(piece)[:end]))
        rest = piece[end:] if end else rest + piece
    if rest:
        yield rest


def _gunzipped(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(wbits=31)
    packed = file.read(files.PIECE)
    while packed:
        if unpacker.eof:  # several gzip streams, or padding
            raise ArrowRefused
        text = unpacker.decompress(packed, BLOCK)
        if text:
            yield text
        left = unpacker.unconsumed_tail or unpacker.unused_data
        packed = left or file.read(files.PIECE)
    if not unpacker.eof:
        raise ArrowRefused
