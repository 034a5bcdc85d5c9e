"""Texts in files and folders, by name. Packed files and archives are unpacked in
memory, up to a limit; nothing is written to disk.
"""

import io
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, islice, takewhile
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from irmeval.core.errors import ReadError, TooLarge, reason_of
from irmeval.core.lazy import bz2, lzma, tarfile, zipfile
from irmeval.core.text import natural_key
from irmeval.reading.not_read import refuse_packed

MAX_BYTES = (2 << 30) - 1
"""Maximum bytes of text in one file: as many as Arrow parses at once, far more than a
run needs.
"""
MAX_RATIO = 100
"""Maximum ratio of a text to its packed file, above `SMALL`. Runs pack to a fifth or a
tenth, only a zip bomb to less than a hundredth.
"""
SMALL = 64 << 20
MAX_MEMBERS = 2001
"""Maximum number of files in one zip: two thousand runs and their qrels."""
MAX_PARTS = 100_000
"""Maximum number of concatenated gzip streams, in one file or in a whole zip."""
MAX_PIPED = 512 << 20
"""Maximum bytes read from a pipe or a device, which may never end."""
STANDARD_INPUT = "/dev/stdin"
"""The path of standard input, on any system."""
PIECE = 1 << 20
"""Bytes unpacked, or read from a pipe, at a time."""
_WINDOW = 1 << 16
"""Bytes unpacked at a time from concatenated gzip streams."""
_AS_ONE = "Unpack them, and compress them as one."
_PADDING = re.compile(rb"\0*")

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 1
"""Flag of a zip member that needs a password."""
GZIP = b"\x1f\x8b"
_PACKING = {
    9: "Deflate64",
    12: "bzip2",
    14: "LZMA",
    93: "Zstandard",
    95: "xz",
    98: "PPMd",
}
XZ_MEMORY = 512 << 20
"""Memory limit of the xz decoder in bytes, without the text."""
_STREAMS: dict[bytes, tuple[str, str, Callable[[], Any]]] = {
    GZIP: ("gzip", "a gzip file", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", "a bzip2 file", lambda: bz2.BZ2Decompressor()),
    b"\xfd7zXZ\0": ("xz", "an xz file", lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY)),
}
"""Packing programs, what they make, and decoders by the first bytes of a file."""
_TAR = slice(257, 262)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks of texts in UTF-16."""
LITTER = ("__MACOSX", "Thumbs.db", "desktop.ini")
"""Prefixes of system files in folders and archives, besides hidden ones."""
PACKED_ENDINGS = re.compile(r"(?!^)(\.(gz|bz2|xz|tgz|tar))+$")
"""File extensions of packed files, behind a name."""
MARKED = "a byte order mark in front of it, as where files were put together"
UNMARK = r"Remove it: sed 's/\xEF\xBB\xBF//g' FILE > NEW"


def unpack(name: str, data: bytes, limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Yield each text in a file with its name: the file itself, or the content of a
    packed file (gzip, bzip2, xz) or an archive (zip, tar). UTF-16 becomes UTF-8.

    Raises `ReadError` for an archive that is cut off or holds another archive, and
    `TooLarge` for more than `limit` bytes, packed or not.
    """
    unpacked = max_unpacked(len(data), limit)
    if data.startswith(ZIP):
        yield from unzip(name, data, unpacked)
        return
    if is_packed(data):
        data, _ = _inflate(name, data, unpacked, MAX_PARTS)
    elif len(data) > limit:
        raise TooLarge(name, None, f"at most {limit >> 20} MiB", "more", "Split the file.")
    if data[_TAR] == b"ustar":
        yield from _untar(name, data, unpacked)
        return
    refuse_packed(name, data)
    yield name, as_utf8(name, data)


def is_packed(data: bytes) -> bool:
    """Whether a file is packed by gzip, bzip2 or xz."""
    return data.startswith((*_STREAMS,))


def as_utf8(name: str, data: bytes) -> bytes:
    """Convert a text in UTF-16 that begins with its byte order mark to UTF-8. Raises
    `ReadError` where the rest is no UTF-16.
    """
    if data[:2] not in UTF_16:
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        expected = "text in UTF-16, as its first bytes say"
        remedy = "Save it as UTF-8 text."
        raise ReadError(name, None, expected, "binary data", remedy) from None


def unpack_one(name: str, data: bytes, what: str, limit: int = MAX_BYTES) -> tuple[str, bytes]:
    """The only text in a file, with its name. Raises `ReadError` as `unpack`, and for
    several texts; `what` is the expected content.
    """
    texts = list(unpack(name, data, limit))
    if len(texts) != 1:
        raise ReadError(name, None, f"one {what}", f"a zip of {len(texts)}")
    return texts[0]


def max_unpacked(size: int, limit: int = MAX_BYTES) -> int:
    """Maximum bytes of text that `size` packed bytes may unpack to."""
    return min(limit, max(SMALL, MAX_RATIO * size))


def refuse_binary(name: str, data: bytes) -> None:
    """Raise `ReadError` for data that are not UTF-8 text."""
    if data[:2] in UTF_16 or b"\0" in data:
        came = "binary data or another encoding"
        raise ReadError(name, None, "plain text in UTF-8", came, "Save it as UTF-8 text.")


def refuse_inner_mark(name: str, data: bytes) -> None:
    """Raise `ReadError` for a line after the first that begins with a byte order mark,
    which would be taken for a part of its first name.
    """
    place = data.find(b"\n\xef\xbb\xbf")
    if place < 0:
        return
    line = data.count(b"\n", 0, place) + 2
    raise ReadError(name, line, "a line of text", MARKED, UNMARK)


def find_long_line(data: bytes, longest: int) -> tuple[int, bytes] | None:
    """Number and first bytes of the first line longer than `longest` bytes, or None.
    The text is not copied.
    """
    start = 0
    while len(data) - start > longest:
        end = data.rfind(b"\n", start, start + longest + 1)
        if end < 0:
            return data.count(b"\n", 0, start) + 1, data[start : start + 400]
        start = end + 1
    return None


def file_state(path: Path) -> tuple[int, int]:
    """Modification time of a file in nanoseconds, and its size; zeros for a file that
    cannot be accessed.
    """
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


def unpacked_name(name: str) -> str:
    """Name of a file without extensions of packing, such as ``.gz``."""
    return PACKED_ENDINGS.sub("", name)


def stem(name: str) -> str:
    """Last part of a path, without ``.gz``; bytes that are not text become escapes."""
    return unpacked_name(re.split(r"[/\\]", name)[-1]).encode(errors="backslashreplace").decode()


def path_within(name: str) -> str:
    """Path of a file within an upload, without ``.gz`` and parts such as ``..``; bytes
    that are not text become escapes.

    Examples
    --------
    >>> from irmeval.reading.files import path_within
    >>> path_within("runs.zip/./dense/run.txt.gz")
    'runs.zip/dense/run.txt'
    """
    parts = [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..")]
    return unpacked_name("/".join(parts)).encode(errors="backslashreplace").decode()


def path_ends(path: str) -> list[str]:
    """All suffixes of a path (`path_within`), the shortest first: the file name, then
    that with its folder, ...
    """
    folders_last = reversed(path.split("/"))
    return [*accumulate(folders_last, lambda end, folder: f"{folder}/{end}")]


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Distinct names of paths (`path_within`), without their common folder and unneeded
    leading folders. A file in a subfolder keeps that. Only equal paths have the same
    name.

    Examples
    --------
    >>> from irmeval.reading.files import distinct_names
    >>> distinct_names(["runs/bm25/run.txt", "runs/dense/run.txt", "runs/bm25/other.txt"])
    ['bm25/run.txt', 'dense/run.txt', 'bm25/other.txt']
    """
    parts = [path.split("/") for path in paths]
    levels = zip(*(of_path[:-1] for of_path in parts), strict=False)
    shared = len([*takewhile(_is_common, levels)])
    within = ["/".join(of_path[shared:]) for of_path in parts]
    ends = [*map(path_ends, within)]
    times = Counter(chain.from_iterable(ends))
    return [_shortest_alone(of_path, times) for of_path in ends]


def _is_common(folders: tuple[str, ...]) -> bool:
    """Whether folders are the same."""
    return len({*folders}) == 1


def _shortest_alone(ends: list[str], times: Counter[str]) -> str:
    """The shortest end of a path, with its subfolder, that no other path has; else the
    whole.
    """
    alone = (end for end in ends[1:] if times[end] == 1)
    return next(alone, ends[-1])


def is_file_name(name: str) -> bool:
    """Whether a text is the name of a file without a folder."""
    return name not in ("", ".", "..") and not re.search(r"[/\\\0]", name)


def _inflate(name: str, data: bytes, limit: int, most: int) -> tuple[bytes, int]:
    """Text in a packed file, and the number of its concatenated streams, which may be
    at most `most`, with zeros between them.
    """
    start = next(filter(data.startswith, _STREAMS))
    what, kind, make = _STREAMS[start]
    view = memoryview(data)
    pieces = list[bytes]()
    # one byte more than allowed tells a longer text from one that just fits
    room, at, parts = limit + 1, 0, 0
    try:
        while at < len(data) and room:
            parts += 1
            if parts > most:
                expected = f"at most {most:,} {what} files in a row"
                raise ReadError(name, None, expected, "more", _AS_ONE)
            # what lies behind a stream is copied (`unused_data`), for each of many
            window = _WINDOW if parts > 1 else max(_WINDOW, len(data))
            found, at = _inflate_stream(make(), view, at, window, room)
            room -= sum(map(len, found))
            pieces += found
            # it matches nothing, too
            at = _PADDING.match(data, at).end()  # type: ignore[union-attr]
    except EOFError:
        came = "a truncated one"
        raise ReadError(name, None, f"a whole {what} file", came, "Copy it again.") from None
    except (zlib.error, OSError, lzma.LZMAError, ValueError) as error:
        came = f"damaged data ({error})"
        raise ReadError(name, None, kind, came, "Compress it again.") from None
    if not room:
        raise _too_large(name, limit, "file")
    text = b"".join(pieces)  # a single piece is not copied
    if text.startswith((*ZIP, *_STREAMS)):
        came = "one that is packed twice"
        raise ReadError(name, None, f"a text packed by {what}", came, "Unpack it first.")
    return text, parts


def _inflate_stream(
    stream: Any, data: memoryview, at: int, window: int, room: int
) -> tuple[list[bytes], int]:
    """Text of one stream that begins at a byte, in pieces of at most `room` bytes in all,
    and where it ends. Raises `EOFError` for a stream that is cut off.
    """
    pieces = list[bytes]()
    while not stream.eof and room:
        # bzip2 and xz may hold text back, and then take no more
        takes = getattr(stream, "needs_input", True)
        if takes and at == len(data):
            raise EOFError
        given = data[at : at + window] if takes else b""
        text = stream.decompress(given, room)
        unused = len(getattr(stream, "unconsumed_tail", b"")) + len(stream.unused_data)
        at += len(given) - unused
        room -= len(text)
        pieces.append(text)
    return pieces, at


def _too_large(name: str, limit: int, what: str) -> TooLarge:
    expected = f"at most {limit >> 20} MiB when unpacked"
    return TooLarge(name, None, expected, "more", f"Split the {what}.")


@dataclass
class _Room:
    """What the texts of an archive may still take."""

    name: str
    kind: str
    """zip or tar"""
    limit: int
    streams: int
    left: int
    """bytes"""

    def take(self, inner: str, text: bytes) -> bytes:
        """The text of a member, unpacked if it is packed itself. Raises `TooLarge` where
        there is no room for it.
        """
        try:
            text, streams = _member_text(inner, text, self.left, self.streams, self.kind)
        except TooLarge:  # its own limit is what others have left
            raise _too_large(self.name, self.limit, self.kind) from None
        self.streams -= streams
        self.left -= len(text)
        if self.left < 0:
            raise _too_large(self.name, self.limit, self.kind)
        return text


def unzip(
    name: str,
    data: bytes,
    limit: int,
    holds: int = 0,
    wanted: Callable[[str], bool] = lambda member: True,
) -> Iterator[tuple[str, bytes]]:
    """Yield each `wanted` text in a zip, named after the zip and the member.

    Raises `ReadError` for any fault, before it takes much memory; also if the texts
    have more than `limit` bytes, or the zip holds more than `holds` files (by default
    `MAX_MEMBERS`).
    """
    holds = holds or MAX_MEMBERS
    archive = _open_zip(name, data, holds)
    members = [*filter(_may_be_read, archive.infolist())]
    if not members:
        raise ReadError(name, None, "a zip file with run or qrels files in it", "an empty one")
    if len(members) > holds:
        expected = f"at most {holds} files in a zip"
        raise ReadError(name, None, expected, f"{len(members)}", "Split it.")
    members = [member for member in members if wanted(member.filename)]
    declared = sum(map(attrgetter("file_size"), members))
    if declared > limit:
        raise _too_large(name, limit, "zip")
    room = _Room(name, "zip", limit, MAX_PARTS, limit)
    for member in sorted(members, key=lambda member: _in_order(member.filename)):
        inner = f"{name}/{member.filename}"
        _refuse_outside(inner, member.filename, "zip")
        _check_packing(inner, member)
        try:
            text = _read(archive, member, room.left)
        except Exception as error:  # as of `_open_zip`
            came = f"one that cannot be unpacked ({error})"
            raise ReadError(inner, None, "a readable zip member", came, "Pack it again.") from None
        yield inner, room.take(inner, text)


def _may_be_read(member: "zipfile.ZipInfo") -> bool:
    """Whether a member of a zip is a file of its user."""
    return not member.is_dir() and not _is_litter(member.filename)


def _open_zip(name: str, data: bytes, holds: int) -> "zipfile.ZipFile":
    """Open a zip. Raises `ReadError` for a damaged one, and for too many entries."""
    if b"[Content_Types].xml" in data[:4000]:
        expected = "a zip file with run or qrels files in it"
        raise ReadError(name, None, expected, "an Office document", "Save its sheet as CSV.")
    entries = data.count(_ENTRY)
    if entries > 10 * holds:  # listing the entries would take memory
        expected = f"at most {holds} files in a zip"
        raise ReadError(name, None, expected, f"{entries} entries", "Split it.")
    try:
        return zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # for a damaged archive zipfile raises errors of many kinds
        came = f"damaged data ({error})"
        raise ReadError(name, None, "a zip file", came, "Pack it again.") from None


def _check_packing(inner: str, member: "zipfile.ZipInfo") -> None:
    """Raise `ReadError` for a member that Python's zipfile cannot unpack."""
    method = member.compress_type
    if method not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        expected = "a zip member that is stored or deflated"
        came = f"one packed with {_PACKING.get(method, f'method {method}')}"
        raise ReadError(inner, None, expected, came, "Pack it again with zip's default method.")
    if member.flag_bits & _ENCRYPTED:
        expected = "a zip member without a password"
        raise ReadError(inner, None, expected, "an encrypted one", "Pack it again without one.")


def _refuse_outside(inner: str, member: str, archive: str) -> None:
    if member.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", member):
        came = "a path that leads out of it"
        raise ReadError(inner, None, f"a name inside the {archive}", came, "Pack it again.")


def _member_text(inner: str, text: bytes, room: int, parts: int, archive: str) -> tuple[bytes, int]:
    """Text of a member of an archive, unpacked if it is packed itself; and the number
    of its streams.
    """
    streams = 0
    if is_packed(text):
        text, streams = _inflate(inner, text, room, parts)
    elif text.startswith(ZIP):
        raise _archive_within(inner, f"a zip inside a {archive}")
    elif text[_TAR] == b"ustar":
        raise _archive_within(inner, f"a tar inside a {archive}")
    refuse_packed(inner, text)
    return as_utf8(inner, text), streams


def _archive_within(inner: str, came: str) -> ReadError:
    return ReadError(inner, None, "a text or gzip file", came, "Unpack it first.")


def _untar(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield each text in a tar, named after it and the member. Raises `ReadError` as
    `unzip`.
    """
    room = _Room(name, "tar", limit, MAX_PARTS, limit)
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            # one more than it may hold: a tar of millions would take memory
            members = [*islice(filter(_may_be_read_from_tar, archive), MAX_MEMBERS + 1)]
            if len(members) > MAX_MEMBERS:
                expected = f"at most {MAX_MEMBERS} files in a tar"
                raise ReadError(name, None, expected, "more", "Split it.")
            for member in sorted(members, key=lambda member: _in_order(member.name)):
                # bytes that are not text are kept as halves of surrogate pairs
                inner = f"{name}/{member.name.encode(errors='backslashreplace').decode()}"
                _refuse_outside(inner, member.name, "tar")
                stream = archive.extractfile(member)
                if not stream or member.size > room.left:
                    raise _too_large(name, limit, "tar")
                yield inner, room.take(inner, stream.read(room.left + 1))
    except (tarfile.TarError, EOFError) as error:
        came = f"damaged data ({error})"
        raise ReadError(name, None, "a tar file", came, "Pack it again.") from None
    if not members:
        raise ReadError(name, None, "a tar file with run or qrels files in it", "an empty one")


def _may_be_read_from_tar(member: "tarfile.TarInfo") -> bool:
    """Whether a member of a tar is a file of its user."""
    return member.isfile() and not _is_litter(member.name)


def _read(archive: "zipfile.ZipFile", member: "zipfile.ZipInfo", room: int) -> bytes:
    """Content of a member, cut soon after `room` bytes; the declared size is not
    trusted.
    """
    text = io.BytesIO()
    with archive.open(member) as stream:
        while text.tell() <= room and (piece := stream.read(PIECE)):
            text.write(piece)
    return text.getvalue()


def _is_litter(path: str) -> bool:
    """Whether a path in an archive or folder belongs to the system: hidden, or in a
    hidden folder.
    """
    parts = {*re.split(r"[/\\]", path)} - {".", ".."}
    return any(part.startswith((".", *LITTER)) for part in parts)


def _in_order(path: str) -> Any:
    """Sort key of files: natural order of their names, then their paths."""
    return natural_key(stem(path)), path


def _path(named: str | Path) -> Path:
    """Convert a text to a path. Raises `ReadError` for an empty text, which `Path`
    would take for the current folder.
    """
    if named == "":
        raise ReadError("''", None, "the path of a file or a folder", "an empty text", "Name one.")
    return Path(named)


def is_folder(path: str | Path) -> bool:
    """Whether a path is a folder; an empty or impossible path is not."""
    return os.path.isdir(path)  # pathlib raises an error for a very long text


def list_files(sources: Iterable[str | Path]) -> list[Path]:
    """Files in natural order of their names, in whatever order they are given, so that
    no result depends on it. A folder contains all files in it and in its subfolders, as
    in a ZIP of it, without hidden ones.
    """
    listed = chain.from_iterable(map(_files_at, map(_path, sources)))
    return sorted(listed, key=lambda path: _in_order(str(path)))


def _files_at(source: Path) -> list[Path]:
    """A file, or the files in a folder and its subfolders."""
    if is_folder(source):
        return _files_below(source)
    return [source]


def _files_below(folder: Path) -> list[Path]:
    """Files in a folder and its subfolders. Raises `ReadError` if there are none."""
    found = list[Path]()
    for inner, _, names in os.walk(folder):
        paths = map(Path(inner).joinpath, names)
        # a hidden folder above this one is the user's choice
        shown = [path for path in paths if not _is_litter(str(path.relative_to(folder)))]
        found += filter(_may_be_file, shown)
    if not found:
        raise ReadError(str(folder), None, "a folder of run files", "an empty folder")
    return found


def _may_be_file(path: Path) -> bool:
    """Whether a path is a file; where that is kept secret, reading it tells why."""
    try:
        return path.is_file()
    except OSError:
        return True


def unreadable(path: str, reason: str = "no such file or directory") -> ReadError:
    """Error for a path that cannot be read. It suggests the packed or unpacked form of
    the same file if that exists.
    """
    other = f"{path}.gz"
    if path.endswith(".gz"):
        other = path.removesuffix(".gz")
    remedy = "Check the path."
    if reason.startswith("no such file") and os.path.isfile(other):
        remedy = f"Use {other}, which exists."
    return ReadError(path, None, "a readable file", reason, remedy)


def read_bytes(path: str | Path, limit: int = MAX_BYTES) -> bytes:
    """Bytes of a file. Raises `ReadError` if it cannot be read, and `TooLarge` for more
    than `limit` bytes, or more than `MAX_PIPED` from a pipe.
    """
    try:
        with _open(path) as file:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode):
                expected = f"at most {limit >> 20} MiB"
                remedy = "Split the file."
                text = _read_at_most(file, limit, status.st_size)
            else:
                limit = min(limit, MAX_PIPED)
                expected = f"at most {limit >> 20} MiB from a pipe or a device"
                remedy = "Write them to a file first."
                text = _read_at_most(file, limit, 0)
    except (OSError, ValueError) as error:
        raise unreadable(str(path), reason_of(error)) from None
    if text is None:
        raise TooLarge(str(path), None, expected, "more", remedy)
    return text


def _read_at_most(file: BinaryIO, limit: int, size: int) -> bytes | None:
    """Bytes of a file that has this size, or more by now; None for more than `limit`."""
    if size > limit:
        return None
    # not read(limit), for which Python reserves that many bytes
    pieces = [file.read(size)]
    # None, too, where standard input does not wait and has nothing yet
    while piece := file.read(PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return None
    return b"".join(pieces)


def _open(path: str | Path) -> BinaryIO:
    """Open a file, or standard input, which stays open for others."""
    if str(path) == STANDARD_INPUT:
        return open(0, "rb", closefd=False)
    return _path(path).open("rb")
