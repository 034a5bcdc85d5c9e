"""Fast reader of qrels and runs: Arrow parses blocks of text on all cores. Only the
blocks in use are in memory.

A large file is read block by block too.
"""

import itertools
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from irmeval.core.errors import ReadError
from irmeval.core.lazy import csv, pa, pc
from irmeval.core.parallel import map_lazily, map_threads
from irmeval.reading import files
from irmeval.reading.arrays import codes_of, to_numpy
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
        end = _block_end(text, start)
        yield text[start:end]  # the whole text is not copied
        start = end


def _block_end(text: bytes, start: int) -> int:
    """Where a block that begins at a byte ends, behind the end of a line."""
    last_within = text.rfind(b"\n", start, start + BLOCK) + 1
    # of a line longer than a block, the whole line
    return last_within or text.find(b"\n", start + BLOCK) + 1 or len(text)


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
    parts: dict[str, list[Any]] = {name: [] for name in kinds}
    for table in tables:
        for name, chunks in parts.items():
            chunks += table[name].chunks
    tables.clear()  # free the parts of each column as soon as they are joined
    joined = map_threads(lambda name: _join_chunks(name, parts.pop(name), kinds[name]), kinds)
    return dict(itertools.chain.from_iterable(joined))


def _join_chunks(name: str, chunks: "list[Any]", kind: "pa.DataType") -> list[tuple[str, Any]]:
    if pa.types.is_dictionary(kind):
        return _join_codes(name, chunks)
    if pa.types.is_floating(kind):
        return [(name, to_numpy(pa.chunked_array(chunks, kind)))]
    if len(chunks) == 1:  # it is not copied: the documents are the largest column
        return [(name, chunks[0])]
    return [(name, pa.concat_arrays([pa.nulls(0, kind), *chunks]))]


def _join_codes(name: str, chunks: "list[Any]") -> list[tuple[str, Any]]:
    """Codes of the distinct texts of a column, and these texts."""
    known: dict[str, int] = {}
    # a text may have no blocks, and NumPy joins no empty list
    codes = [np.empty(0, np.int32)]
    for chunk in chunks:
        of_text = codes_of(chunk.dictionary.to_pylist(), known)
        codes.append(of_text[to_numpy(chunk.indices)])
    texts = f"{name}s", tuple(known)
    if name == TAG:
        return [texts]
    return [(name, np.concatenate(codes)), texts]


def read_block(text: bytes, layout: Layout, kinds: "dict[str, pa.DataType]") -> "pa.Table":
    """Columns of a block of whole lines, without a header. Raises `ArrowRefused`."""
    separator = layout.separator
    if separator == BLANK:
        text, separator = _normalise_blanks(text, layout)
    else:
        text = _without_comments(text.replace(b"\r\n", b"\n"), layout).strip(b"\n")
    if not text:
        return pa.schema(kinds).empty_table()
    try:
        table = csv.read_csv(
            pa.BufferReader(text),
            # each block has a thread already
            read_options=csv.ReadOptions(
                use_threads=False, block_size=len(text), column_names=layout.columns
            ),
            parse_options=csv.ParseOptions(
                delimiter=separator,
                quote_char='"' if layout.quoted else False,
                double_quote=layout.quoted,
            ),
            # by default, Arrow takes scores such as NA and nan for missing, without a word
            convert_options=csv.ConvertOptions(
                column_types=kinds, null_values=[], include_columns=list(kinds)
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ArrowRefused from None
    if layout.separator == BLANK:
        return table
    return _strip_cells(table)


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
    # where tabs and blanks were mixed, no tab is left by now
    if b"\t" in text:
        return text, "\t"
    return text, " "


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
    may_have_any = text.startswith(b"#") or b"\n#" in text
    if not may_have_any:
        return text
    return comments(layout).sub(b"", text)


def _strip_cells(table: "pa.Table") -> "pa.Table":
    """Strip the texts of all columns. Raises `ArrowRefused` for an empty topic or
    document.
    """
    columns = map(_strip_column, table.column_names, table.columns)
    return pa.table([*columns], table.column_names)


def _strip_column(name: str, column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    if pa.types.is_floating(column.type):
        return column
    chunks = [_strip_texts(name, chunk) for chunk in column.chunks]
    return pa.chunked_array(chunks, column.type)


def _strip_texts(name: str, chunk: "pa.Array") -> "pa.Array":
    if pa.types.is_dictionary(chunk.type):
        texts = _strip_texts(name, chunk.dictionary)
        return pa.DictionaryArray.from_arrays(chunk.indices, texts)
    texts = pc.utf8_trim_whitespace(chunk)
    if name in ("topic", "document") and pc.any(pc.equal(texts, "")).as_py():
        raise ArrowRefused
    return texts


LARGE = 64 << 20
"""Size in bytes above which files are read one at a time, block by block on all
cores.
"""
_PACKED = (".gz", ".zip", ".bz2", ".xz", ".tgz")
GZIP_RATIO = 5
"""Assumed ratio of the size of a text to its gzip file."""


def is_large(path: Path) -> bool:
    """Whether a file is large enough to be read by `stream`."""
    try:
        size = path.stat().st_size
    except (OSError, ValueError):  # of an impossible path
        return False
    if path.suffix in _PACKED:
        size *= GZIP_RATIO
    return size >= LARGE


def stream(path: Path) -> Iterator[bytes]:
    """The text of a plain or gzip file in blocks of whole lines.

    Raises `ArrowRefused` for a zip, and for everything that `files.unpack` refuses or
    checks more closely.
    """
    try:
        with path.open("rb") as file:
            is_packed = file.read(len(files.GZIP)) == files.GZIP
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            if is_packed:
                yield from _lines(str(path), _gunzipped(file), files.max_unpacked(size))
            else:
                pieces = iter(partial(file.read, BLOCK), b"")
                yield from _lines(str(path), pieces, files.MAX_BYTES)
    except (OSError, ReadError, zlib.error):
        raise ArrowRefused from None


def _lines(name: str, pieces: Iterator[bytes], limit: int) -> Iterator[bytes]:
    """Blocks of whole lines from pieces of a text."""
    first = next(pieces, b"")
    # what is packed within, such as a tar, is for `files.unpack`
    if first[257:262] == b"ustar" or files.is_packed(first):
        raise ArrowRefused
    refuse_packed(name, first)
    size, rest = 0, b""
    for piece in itertools.chain([first.removeprefix(BOM)], pieces):
        size += len(piece)
        if size > limit or len(rest) > BLOCK:  # a very long line
            raise ArrowRefused
        end = piece.rfind(b"\n") + 1
        if end:
            # a view, so that the piece is copied once
            yield b"".join((rest, memoryview(piece)[:end]))
            rest = b""
        rest += piece[end:]
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
        # what is left of a piece first: at most a block is unpacked at a time
        packed = unpacker.unconsumed_tail or file.read(files.PIECE)
    if unpacker.unused_data or not unpacker.eof:
        raise ArrowRefused
