"""Kinds of files that are not supported, each with a command that converts it if there
is one.
"""

from collections.abc import Iterable
from typing import NamedTuple

from irmeval.core.errors import OfOtherKind, ReadError


class NotRead(NamedTuple):
    """An unsupported kind of file."""

    starts: tuple[bytes, ...]
    """first bytes, any of these"""
    what: str
    remedy: str = ""
    """how to convert it; empty for what no collection has"""

    def refusal(self, name: str) -> ReadError:
        """The error for a file of this kind."""
        if self.remedy:
            return ReadError(name, None, EXPECTED, self.what, self.remedy)
        return OfOtherKind(name, None, EXPECTED, self.what, LEAVE_OUT)


TO_CSV = (
    "python -c 'import pandas, sys; pandas.{}(sys.argv[1]).to_csv(sys.argv[2], index=False)' FILE"
    " NEW.csv"
)
UNPACK = "Unpack it: {}"
EXPECTED = "qrels, a run or scores"
"""Expectation of an error about any file."""
LEAVE_OUT = "Leave it out."
KINDS = (
    NotRead((b"\x28\xb5\x2f\xfd",), "a Zstandard file", UNPACK.format("unzstd FILE")),
    NotRead((b"\x04\x22\x4d\x18",), "an LZ4 file", UNPACK.format("unlz4 FILE")),
    NotRead((b"7z\xbc\xaf\x27\x1c",), "a 7z file", UNPACK.format("7z x FILE")),
    NotRead((b"Rar!\x1a\x07",), "a RAR file", UNPACK.format("unrar x FILE")),
    NotRead((b"\x1f\x9d",), "a file packed by compress", UNPACK.format("gzip -d FILE")),
    NotRead((b"\x5d\x00\x00",), "an LZMA file", UNPACK.format("unlzma FILE")),
    NotRead((b"\xff\x06\x00\x00sNaPpY",), "a Snappy file", UNPACK.format("snzip -d FILE")),
    NotRead((b"\x89HDF\r\n",), "an HDF5 file", TO_CSV.format("read_hdf")),
    NotRead((b"ARROW1",), "an Arrow file", TO_CSV.format("read_feather")),
    NotRead((b"ORC",), "an ORC file", TO_CSV.format("read_orc")),
    NotRead(
        (b"\x93NUMPY",),
        "a NumPy array",
        "Write its rows with the names of topics and documents as text.",
    ),
    NotRead(
        (b"SQLite format 3\0",),
        "an SQLite database",
        "sqlite3 -csv -header FILE 'SELECT * FROM table' > NEW.csv",
    ),
    NotRead(
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        "a pickle",
        "Pickles can run code and are not read. Write JSON: json.dump(run, open('NEW.json', 'w'))",
    ),
    NotRead((b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM"), "an image"),
    NotRead((b"%PDF",), "a PDF"),
    NotRead((b"\xd0\xcf\x11\xe0",), "an Office document", "Save its sheet as CSV."),
    NotRead((b"{\\rtf",), "a document in RTF", "Save it as plain text."),
)
"""Kinds by the first bytes of a file."""
MARKED = (
    NotRead(
        (b"<!doctype html", b"<html"),
        "a web page",
        "Download the file itself, not the page about it.",
    ),
    # these may be without a byte that is 0
    NotRead((b"%pdf-",), "a PDF"),
    NotRead((b"<svg",), "an image"),
    NotRead((b"<?xml", b"<top>", b"<topics", b"<doc>"), "XML or topics"),
    NotRead((b"version https://git-lfs",), "a pointer of Git LFS", "Fetch the file: git lfs pull"),
)
"""Kinds of texts by their first letters, in lower case."""
ONLY_BINARY = (b"BM", b"ORC", b"GIF8", b"%PDF", b"ARROW1")
"""First bytes that a text can have, too; a binary file has a byte that is 0."""


def refuse_packed(name: str, data: bytes) -> None:
    """Raise `ReadError` for an archive or a binary format that is not supported."""
    may_be_text = data.startswith(ONLY_BINARY) and b"\0" not in data[: 1 << 20]
    if not may_be_text:
        _refuse(name, data, KINDS)


def _refuse(name: str, data: bytes, kinds: Iterable[NotRead]) -> None:
    for kind in kinds:
        if data.startswith(kind.starts):
            raise kind.refusal(name)


def refuse_unread(name: str, data: bytes) -> None:
    """Raise `ReadError` for a file whose first bytes show that it contains no run,
    qrels or scores.
    """
    refuse_packed(name, data)
    _refuse(name, data[:2000].lstrip().lower(), MARKED)
