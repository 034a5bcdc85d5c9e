"""Large files as blocks of text, read on demand: only the blocks in use are in memory."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from irmeval.core.errors import ReadError
from irmeval.reading import files
from irmeval.reading.columns import BLOCK, BOM, ArrowRefused
from irmeval.reading.not_read import refuse_packed

LARGE = 64 << 20
"""Size in bytes above which files are read one at a time, block by block on all cores."""
GZIP_RATIO = 5
"""Assumed ratio of the size of a text to its gzip file."""


def is_large(path: Path) -> bool:
    """Whether a file is large enough to be read by `stream`."""
    try:
        size = path.stat().st_size
    except OSError:
        return False
    return size * (GZIP_RATIO if path.suffix in (".gz", ".zip", ".bz2", ".xz", ".tgz") else 1) >= LARGE


def stream(path: Path) -> Iterator[bytes]:
    """The text of a plain or gzip file in blocks of whole lines.

    Raises `ArrowRefused` for a zip, and for everything that `files.unpack` refuses or checks more closely.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            start = file.read(len(files.GZIP)) if not file.seek(0) else b""
            file.seek(0)
            packed = start == files.GZIP
            limit = files.max_unpacked(size) if packed else files.MAX_BYTES
            yield from _lines(str(path), _gunzipped(file) if packed else iter(lambda: file.read(BLOCK), b""), limit)
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
    while packed := file.read(files.PIECE):
        while packed:
            if unpacker.eof:  # several gzip streams, or padding
                raise ArrowRefused
            if text := unpacker.decompress(packed, BLOCK):
                yield text
            packed = unpacker.unconsumed_tail or unpacker.unused_data
    if not unpacker.eof:
        raise ArrowRefused
