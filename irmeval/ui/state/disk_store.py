"""The data of visitors on disk: a folder for each, with a small record and the Arrow files that it names.

Folders and files are named by hashes, and only the server's own user can read them. Each file is replaced as a whole, the record last, so
that an interruption leaves the last good state. Servers that share the folder write in turn, and each first reads what another has written.
"""

import json
import logging
import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from pathlib import Path
from secrets import token_bytes
from typing import Any, NamedTuple

from irmeval.core import saving
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.lazy import pa
from irmeval.ui.state import hosts, quotas
from irmeval.ui.state.locking import locked
from irmeval.workspace.archive import Archived, read, write

log = logging.getLogger("irmeval")

HOME, KEEP = "IRMEVAL_HOME", "IRMEVAL_KEEP"
"""Environment variables: the folder, and for how many days data are kept (or ``off``)."""
DAYS = 30
"""Days after the last use, on a server that answers its own machine alone."""
FORMAT = 2
"""Version of the record; other versions are not read."""
RECORD = "record.json"
ASIDE, KEPT_ASIDE = ".aside", 3
"""Ending of a record that was set aside, and how many of a visitor are kept, with their files."""

SECRET_BYTES = 32
_failed: set[str] = set()
"""Reasons that were logged already."""


def root() -> Path:
    """The folder of all that irmeval keeps: `IRMEVAL_HOME`, or else the platform's folder for data of programs."""
    from platformdirs import user_data_path

    return Path(given) if (given := os.environ.get(HOME)) else user_data_path("irmeval", appauthor=False)


def folder() -> Path:
    """The folder of the visitors' data."""
    return root() / "visitors"


def days(bound: str | None) -> float:
    """Days that visitors' data are kept after the last use, 0: not at all; from the environment, by default `DAYS` on a server that only
    this machine reaches. Raises `ParamError` for a bad setting."""
    if text := os.environ.get(KEEP, ""):
        return read_days(text)
    return DAYS if hosts.is_local(bound) else 0.0


def read_days(text: str) -> float:
    """A number of days above 0, or 0 for ``off``. Raises `ParamError` for anything else."""
    if text == "off":
        return 0.0
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e5:
        raise ParamError(f"keep: expected off or a number of days above 0, found {text[:20]!r}.")
    return number


class KeptRecord(NamedTuple):
    """A visitor's record as it is on disk."""

    record: dict[str, Any] | None
    """None if there is none, or if it cannot be read"""
    state: str
    """digest of its bytes; empty if there is none"""


def lock_visitor(visitor: str) -> AbstractContextManager[None]:
    """A context that holds the lock on a visitor's data. Raises `OSError`; `Busy` if another server does not release it."""
    return locked(root() / "locks" / blake2b(visitor.encode(), digest_size=1).hexdigest())


def is_kept(visitor: str) -> bool:
    """Whether there is a record of a visitor."""
    return (folder() / visitor / RECORD).exists()


def load(visitor: str) -> KeptRecord:
    """A visitor's record; a damaged one is logged. Raises `OSError` if the disk cannot be read."""
    try:
        data = (folder() / visitor / RECORD).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return KeptRecord(None, "")
    try:
        record = json.loads(data)
        if record["format"] != FORMAT:
            raise ValueError("of another format")
        return KeptRecord(dict(record), hash_of(data))
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        log.warning("not read: the record of a visitor is damaged (%s); it is set aside", type(error).__name__)
        return KeptRecord(None, hash_of(data))


def fetch(visitor: str, name: str) -> Archived:
    """The content of a file. Raises `ReadError` if it is gone or changed."""
    try:
        data = (folder() / visitor / name).read_bytes()
    except OSError:
        data = b""
    if hash_of(data) != name:
        log.warning("not read: a file that was kept of a visitor is damaged or missing; the rest stays")
        raise ReadError(
            "what was kept of your data", None, "the file as it was written", "a different one, or none", "Load the data again."
        )
    return read("what was kept of your data", data)


def put(visitor: str, content: Archived) -> tuple[str, int]:
    """Write a file; return its name and size. Raises `OSError`; `NoRoom` if a quota is used up."""
    data = write(content)
    name = hash_of(data)
    place = folder() / visitor
    _make(place)
    _check_room(visitor, data.size - ((place / name).stat().st_size if (place / name).exists() else 0))
    replace(place / name, data)
    return name, data.size


def holds(visitor: str, name: str, size: int) -> bool:
    """Whether a file of this size is there."""
    try:
        return (folder() / visitor / name).stat().st_size == size
    except OSError:
        return False


def save(visitor: str, record: Mapping[str, Any], files: Mapping[str, int]) -> KeptRecord:
    """Write a record whose files are written already, and remove files that no record names. Raises `OSError`."""
    place = folder() / visitor
    _make(place)
    data = json.dumps({"format": FORMAT, "files": files, **record}).encode()
    replace(place / RECORD, data)
    remove_unnamed_files(visitor)
    return KeptRecord(json.loads(data), hash_of(data))


def set_aside(visitor: str) -> None:
    """Keep the record and its files under another name, before a new record replaces it. Raises `OSError`."""
    place = folder() / visitor
    with suppress(FileNotFoundError):
        replace(place / f"record-{time.time_ns():020}{ASIDE}", (place / RECORD).read_bytes())
    for old in _aside(place)[:-KEPT_ASIDE]:
        old.unlink(missing_ok=True)


def remove_unnamed_files(visitor: str) -> None:
    """Remove the files that no record names, set aside or not."""
    place = folder() / visitor
    with suppress(OSError):
        records = [path for path in (place / RECORD, *_aside(place)) if path.exists()]
        named = {name.decode() for path in records for name in re.findall(rb"\b[0-9a-f]{40}\b", path.read_bytes())}
        for path in place.iterdir():
            if path not in records and path.name not in named:
                path.unlink(missing_ok=True)


def _aside(place: Path) -> list[Path]:
    return sorted(place.glob(f"record-*{ASIDE}"))


def touch(visitor: str) -> None:
    """Note that a visitor used their data just now."""
    with suppress(OSError):
        os.utime(folder() / visitor)


def forget(visitor: str) -> None:
    """Remove all data of a visitor, the record first. Raises `OSError`."""
    place = folder() / visitor
    if not place.exists():
        return
    with lock_visitor(visitor):
        (place / RECORD).unlink(missing_ok=True)
        shutil.rmtree(place)


def sweep(kept: float) -> int:
    """Remove the data that were not used for `kept` days; return the number of removed visitors."""
    gone = 0
    for path in _folders():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > kept * 86_400:
                forget(path.name)
                gone += 1
    return gone


def log_failure(error: OSError) -> None:
    """Log why nothing can be kept, once for each reason."""
    reason = error.strerror or str(error)
    if reason not in _failed:
        _failed.add(reason)
        log.warning("what visitors load cannot be kept on disk, and is kept in memory alone: %s", reason[0].lower() + reason[1:])


class NoRoom(OSError):
    """A quota of the disk is used up."""


def secret(*, make: bool) -> bytes:
    """The key that signs cookies, for all servers that share the folder; `make` makes a missing one. Raises `OSError`."""
    path = root() / "cookies.key"
    with suppress(FileNotFoundError):
        if len(found := path.read_bytes()) == SECRET_BYTES:
            return found
    if not make:
        raise FileNotFoundError(path)
    with locked(root() / "locks" / "cookies"):
        if not path.exists() or path.stat().st_size != SECRET_BYTES:
            replace(path, token_bytes(SECRET_BYTES))
        return path.read_bytes()


def _check_room(visitor: str, size: int) -> None:
    place = folder() / visitor
    for quota, folders in ((quotas.KEPT, [place]), (quotas.KEPT_ALL, _folders())):
        most = quotas.limit(quota)
        while sum(entry.stat().st_size for path in folders for entry in os.scandir(path)) + size > most:
            if not (old := _aside(place)[:1]):
                raise NoRoom(f"more than the {most / 1e9:g} GB allowed on disk ({quota})")
            old[0].unlink()
            remove_unnamed_files(visitor)


def _folders() -> list[Path]:
    try:
        return [path for path in folder().iterdir() if path.is_dir()]
    except OSError:
        return []


def _make(place: Path) -> None:
    """Make the folder of a visitor, and that of all visitors, closed to other users of the machine."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for made in (place, place.parent):
        made.chmod(0o700)


def hash_of(data: "bytes | pa.Buffer") -> str:
    """The name of a file with this content."""
    return blake2b(data, digest_size=20).hexdigest()


def replace(path: Path, data: "bytes | pa.Buffer") -> None:
    """Replace a file as a whole, or leave it unchanged."""
    saving.save(path, memoryview(data), 0o600)
