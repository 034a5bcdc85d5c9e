"""Joined collections of the operator's files, on disk, so that a server that starts again need not read unchanged files.

Each is an Arrow file, named by a hash of all it depends on and a hash of its content. Only the server's own user can read it.
"""

import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from hashlib import blake2b, file_digest
from pathlib import Path

from irmeval.collection import Collection, read_collection
from irmeval.collection.joining import Source, rejoin
from irmeval.core import parallel
from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.core.version import __version__
from irmeval.reading.files import file_state, list_files
from irmeval.reading.policy import Policy
from irmeval.reading.trec import AUTO
from irmeval.ui.state import home, quotas
from irmeval.workspace import archive

log = logging.getLogger("irmeval")

FORMAT = 2
"""Raise it when the same files and policy make another collection, or Arrow files are read in another way."""
WORTH = 16 << 20
"""Bytes of the smallest files that are cached."""


def folder() -> Path:
    """The folder of the cached collections."""
    return home.root() / "collections"


def read(qrels: Path, runs: tuple[Path, ...], policy: Policy, progress: Callable[[int, int], None], qrels_format: str = AUTO) -> Collection:
    """The collection of some files: from the cache, or else read by `read_collection` and then cached if the disk allows it."""
    files = [qrels, *list_files(runs)]
    before = [*map(file_state, files)]
    worth = sum(size for _, size in before) >= WORTH and os.environ.get(home.KEEP) != "off"
    key = _key(files, policy, qrels_format) if worth else ""
    if key and (collection := _open(key)):
        return replace(collection, source=Source(collection.runs, collection.topics, partial(rejoin, files[1:], policy)))
    collection = read_collection(qrels, runs, qrels_format=qrels_format, progress=progress, **asdict(policy))
    if key and [*map(file_state, files)] == before:
        try:
            _keep(key, collection)
        except OSError as error:
            log.warning("a collection cannot be kept on disk, and is read again next time: %s", error.strerror or error)
    return collection


def _key(files: list[Path], policy: Policy, qrels_format: str) -> str:
    """A hash of all that the collection depends on; empty if a file cannot be read, for which `read_collection` has a better message."""
    try:
        digests = parallel.map_threads(_digest, files)
    except OSError:
        return ""
    named = [(path.name, digest) for path, digest in zip(files, digests, strict=True)]
    named_by = FORMAT, __version__, asdict(policy), named, *([] if qrels_format == AUTO else [qrels_format])
    return home.hash_of(repr(named_by).encode())


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=20)).hexdigest()


def _open(key: str) -> Collection | None:
    """The collection under a key, mapped into memory; None if there is none, or if it was changed."""
    for path in folder().glob(f"{key}.*"):
        with suppress(OSError, ReadError):
            content = pa.memory_map(str(path)).read_buffer()
            if path.suffix == f".{home.hash_of(content)}" and isinstance(found := archive.read(path.name, content), Collection):
                os.utime(path)
                return found
    return None


def _keep(key: str, collection: Collection) -> None:
    """Write a collection. Removes old ones, and the least recently used beyond the quota. Raises `OSError`."""
    content = archive.write(collection)
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    folder().chmod(0o700)
    room = quotas.limit(quotas.KEPT) - content.size
    for path, used, size in sorted(_files(), key=lambda file: -file[1]):
        room -= size
        if room < 0 or time.time() - used > home.DAYS * 86_400:
            path.unlink(missing_ok=True)
    if content.size <= quotas.limit(quotas.KEPT):
        home.replace(folder() / f"{key}.{home.hash_of(content)}", content)


def _files() -> Iterator[tuple[Path, float, int]]:
    """Path, time of the last use and size of each file in the cache."""
    for path in folder().iterdir():
        with suppress(FileNotFoundError):  # another server may remove it
            status = path.stat()
            yield path, status.st_mtime, status.st_size
