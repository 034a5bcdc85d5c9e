"""Texts in files and folders, by name. Packed files and archives are unpacked in
memory, up to a limit; nothing is written to disk.
"""

import bz2
import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

from irmeval.core.errors import ReadError, TooLarge, reason_of
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
_PADDING = re.compile(rb"\0*")

ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 1
"""Flag of a zip member that needs a password."""
GZIP = b"\x1f\x8b"
_PACKING = {
    zipfile.ZIP_BZIP2: "bzip2",
    zipfile.ZIP_LZMA: "LZMA",
    9: "Deflate64",
    93: "Zstandard",
    95: "xz",
    98: "PPMd",
}
XZ_MEMORY = 512 << 20
"""Memory limit of the xz decoder in bytes, without the text."""
_STREAMS: dict[bytes, tuple[str, Callable[[], Any]]] = {
    GZIP: ("gzip", lambda: zlib.decompressobj(wbits=31)),
    b"BZh": ("bzip2", bz2.BZ2Decompressor),
    b"\xfd7zXZ\0": ("xz", lambda: lzma.LZMADecompressor(memlimit=XZ_MEMORY)),
}
"""Packing programs and decoders by the first bytes of a file."""
_TAR = slice(257, 262)
LITTER = ("__MACOSX", "Thumbs.db", "desktop.ini")
"""Prefixes of system files in folders and archives, besides hidden ones."""
PACKED_ENDING = re.compile(r"\.(gz|bz2|xz|tgz|tar)$")
"""File extensions of packed files."""


def unpack(name: str, data: bytes, limit: int = MAX_BYTES) -> Iterator[tuple[str, bytes]]:
    """Yield each text in a file with its name: the file itself, or the content of a
    packed file (gzip, bzip2, xz) or an archive (zip, tar). UTF-16 becomes UTF-8.

    Raises `ReadError` for an archive that is cut off, that holds another archive, or
    that unpacks to more than `limit` bytes.
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
    else:
        refuse_packed(name, data)
        yield name, as_utf8(name, data)


def is_packed(data: bytes) -> bool:
    """Whether a file is packed by gzip, bzip2 or xz."""
    return any(data.startswith(start) for start in _STREAMS)


def as_utf8(name: str, data: bytes) -> bytes:
    """Convert a text in UTF-16 that begins with its byte order mark to UTF-8."""
    if data[:2] not in (b"\xff\xfe", b"\xfe\xff"):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeDecodeError:
        raise ReadError(
            name,
            None,
            "text in UTF-16, as its first bytes say",
            "binary data",
            "Save it as UTF-8 text.",
        ) from None


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
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        raise ReadError(
            name,
            None,
            "plain text in UTF-8",
            "binary data or another encoding",
            "Save it as UTF-8 text.",
        )


def long_line(data: bytes, longest: int) -> tuple[int, bytes] | None:
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
    while (short := PACKED_ENDING.sub("", name)) != name and short:
        name = short
    return name


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
    parts = path.split("/")
    return ["/".join(parts[n:]) for n in reversed(range(len(parts)))]


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
    what, make = next(stream for start, stream in _STREAMS.items() if data.startswith(start))
    view, pieces, room, at, parts = memoryview(data), [], limit + 1, 0, 0
    try:
        while at < len(data) and room:
            if (parts := parts + 1) > most:
                raise ReadError(
                    name,
                    None,
                    f"at most {most:,} {what} files in a row",
                    "more",
                    "Unpack them, and compress them as one.",
                )
            stream, window = make(), _WINDOW if parts > 1 else max(_WINDOW, len(data))
            while not stream.eof and room:
                if at == len(data):
                    raise EOFError
                given = view[at : at + window]
                pieces.append(stream.decompress(given, room))
                room -= len(pieces[-1])
                at += (
                    len(given)
                    - len(getattr(stream, "unconsumed_tail", b""))
                    - len(stream.unused_data)
                )
                while not getattr(stream, "needs_input", True) and not stream.eof and room:
                    pieces.append(stream.decompress(b"", room))
                    room -= len(pieces[-1])
            # it matches nothing, too
            at = _PADDING.match(data, at).end()  # type: ignore[union-attr]
    except EOFError:
        raise ReadError(
            name, None, f"a whole {what} file", "a truncated one", "Copy it again."
        ) from None
    except (zlib.error, OSError, lzma.LZMAError, ValueError) as error:
        article = "an" if what == "xz" else "a"
        raise ReadError(
            name, None, f"{article} {what} file", f"damaged data ({error})", "Compress it again."
        ) from None
    if not room:
        raise TooLarge(
            name, None, f"at most {limit >> 20} MiB when unpacked", "more", "Split the file."
        )
    text = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    if text.startswith(ZIP) or is_packed(text):
        raise ReadError(
            name, None, f"a text packed by {what}", "one that is packed twice", "Unpack it first."
        )
    return text, parts


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
    if b"[Content_Types].xml" in data[:4000]:
        raise ReadError(
            name,
            None,
            "a zip file with run or qrels files in it",
            "an Office document",
            "Save its sheet as CSV.",
        )
    if (entries := data.count(_ENTRY)) > 10 * holds:  # listing the entries would take memory
        raise ReadError(
            name, None, f"at most {holds} files in a zip", f"{entries} entries", "Split it."
        )
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception as error:  # for a damaged archive zipfile raises errors of many kinds
        raise ReadError(
            name, None, "a zip file", f"damaged data ({error})", "Pack it again."
        ) from None
    members = [
        m for m in archive.infolist() if not m.filename.endswith("/") and not _is_litter(m.filename)
    ]
    if not members:
        raise ReadError(name, None, "a zip file with run or qrels files in it", "an empty one")
    if len(members) > holds:
        raise ReadError(
            name, None, f"at most {holds} files in a zip", f"{len(members)}", "Split it."
        )
    members = sorted(
        (member for member in members if wanted(member.filename)),
        key=lambda member: _in_order(member.filename),
    )
    too_large = TooLarge(
        name, None, f"at most {limit >> 20} MiB when unpacked", "more", "Split the zip."
    )
    if sum(member.file_size for member in members) > limit:  # the declared sizes
        raise too_large
    room, parts = limit, max(MAX_PARTS, len(members))
    for member in members:
        inner = f"{name}/{member.filename}"
        _refuse_outside(inner, member.filename, "zip")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            packed = (
                "one packed with"
                f" {_PACKING.get(member.compress_type, f'method {member.compress_type}')}"
            )
            raise ReadError(
                inner,
                None,
                "a zip member that is stored or deflated",
                packed,
                "Pack it again with zip's default method.",
            )
        if member.flag_bits & _ENCRYPTED:
            raise ReadError(
                inner,
                None,
                "a zip member without a password",
                "an encrypted one",
                "Pack it again without one.",
            )
        try:
            text = _read(archive, member, room)
        except Exception as error:
            raise ReadError(
                inner,
                None,
                "a readable zip member",
                f"one that cannot be unpacked ({error})",
                "Pack it again.",
            ) from None
        try:
            text, several = _member_text(inner, text, room, parts, "zip")
        except TooLarge:  # its own limit is what others have left
            raise too_large from None
        parts -= several
        room -= len(text)
        if room < 0:
            raise too_large
        yield inner, text


def _refuse_outside(inner: str, member: str, archive: str) -> None:
    if member.startswith(("/", "\\")) or ".." in re.split(r"[/\\]", member):
        raise ReadError(
            inner,
            None,
            f"a name inside the {archive}",
            "a path that leads out of it",
            "Pack it again.",
        )


def _member_text(inner: str, text: bytes, room: int, parts: int, archive: str) -> tuple[bytes, int]:
    """Text of a member of an archive, unpacked if it is packed itself; and the number
    of its streams.
    """
    several = 0
    if is_packed(text):
        text, several = _inflate(inner, text, room, parts)
    elif text.startswith(ZIP) or text[_TAR] == b"ustar":
        found = "zip" if text.startswith(ZIP) else "tar"
        raise ReadError(
            inner, None, "a text or gzip file", f"a {found} inside a {archive}", "Unpack it first."
        )
    refuse_packed(inner, text)
    return as_utf8(inner, text), several


def _untar(name: str, data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    """Yield each text in a tar, named after it and the member. Raises `ReadError` as
    `unzip`.
    """
    found = 0
    room, parts = limit, MAX_PARTS
    too_large = TooLarge(
        name, None, f"at most {limit >> 20} MiB when unpacked", "more", "Split the tar."
    )
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = islice(
                (member for member in archive if member.isfile() and not _is_litter(member.name)),
                MAX_MEMBERS + 1,
            )
            for member in sorted(members, key=lambda member: _in_order(member.name)):
                # bytes that are not text are kept as halves of surrogate pairs
                inner = f"{name}/{member.name.encode(errors='backslashreplace').decode()}"
                _refuse_outside(inner, member.name, "tar")
                if (found := found + 1) > MAX_MEMBERS:
                    raise ReadError(
                        name, None, f"at most {MAX_MEMBERS} files in a tar", "more", "Split it."
                    )
                stream = archive.extractfile(member)
                text = stream.read(room + 1) if stream and member.size <= room else b""
                if member.size > room:
                    raise too_large
                try:
                    text, several = _member_text(inner, text, room, parts, "tar")
                except TooLarge:
                    raise too_large from None
                parts, room = parts - several, room - len(text)
                if room < 0:
                    raise too_large
                yield inner, text
    except (tarfile.TarError, EOFError) as error:
        raise ReadError(
            name, None, "a tar file", f"damaged data ({error})", "Pack it again."
        ) from None
    if not found:
        raise ReadError(name, None, "a tar file with run or qrels files in it", "an empty one")


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, room: int) -> bytes:
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
    return any(
        part.startswith((".", *LITTER)) and part not in (".", "..")
        for part in re.split(r"[/\\]", path)
    )


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
    listed: list[Path] = []
    for source in map(_path, sources):
        if is_folder(source):
            below = (Path(folder, name) for folder, _, names in os.walk(source) for name in names)
            inside = [
                path
                for path in below
                if path.is_file() and not _is_litter(str(path.relative_to(source)))
            ]
            if not inside:
                raise ReadError(str(source), None, "a folder of run files", "an empty folder")
            listed += inside
        else:
            listed.append(source)
    return sorted(listed, key=lambda path: _in_order(str(path)))


def unreadable(path: str, reason: str = "no such file or directory") -> ReadError:
    """Error for a path that cannot be read. It suggests the packed or unpacked form of
    the same file if that exists.
    """
    other = path.removesuffix(".gz") if path.endswith(".gz") else f"{path}.gz"
    beside = reason.startswith("no such file") and os.path.isfile(other)
    return ReadError(
        path,
        None,
        "a readable file",
        reason,
        f"Use {other}, which exists." if beside else "Check the path.",
    )


def read_bytes(path: str | Path, limit: int = MAX_BYTES) -> bytes:
    """Bytes of a file. Raises `ReadError` if it cannot be read, for more than `limit`
    bytes, or more than `MAX_PIPED` from a pipe.
    """
    try:
        with (
            _path(path).open("rb") if str(path) != STANDARD_INPUT else open(0, "rb", closefd=False)
        ) as file:
            status = os.fstat(file.fileno())
            ends = stat.S_ISREG(status.st_mode)
            limit, held = limit if ends else min(limit, MAX_PIPED), status.st_size if ends else 0
            pieces = [file.read(held)] if held <= limit else []
            while held <= limit and (piece := file.read(PIECE)):
                pieces.append(piece)
                held += len(piece)
    except (OSError, ValueError) as error:
        raise unreadable(str(path), reason_of(error)) from None
    if held > limit and ends:
        raise TooLarge(str(path), None, f"at most {limit >> 20} MiB", "more", "Split the file.")
    if held > limit:
        raise TooLarge(
            str(path),
            None,
            f"at most {limit >> 20} MiB from a pipe or a device",
            "more",
            "Write them to a file first.",
        )
    return b"".join(pieces)
