"""What visitors have loaded, on disk: a folder for each, which holds a small record and the Arrow files that it names.

Folders and files are named by hashes, never by what a visitor has uploaded, and are open to the server's own user alone. A file is written
beside its place and then moved there, the record last: whatever interrupts that, the last good state is what is read.
"""

import json
import logging
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from irmeval.archive import Archived, read, write
from irmeval.errors import ParamError, ReadError
from irmeval.program import saving
from irmeval.ui import hosts, quotas

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger("irmeval")

HOME, KEEP = "IRMEVAL_HOME", "IRMEVAL_KEEP"
"""Environment variables: the folder, and for how many days (or ``off``)."""
DAYS = 30
"""After the last use, on one's own machine."""
FORMAT = 2
"""Of the record; one of another number is not read."""
RECORD = "record.json"
_failed: set[str] = set()
"""Reasons for which nothing could be written, each said once."""


def root() -> Path:
    """Where everything is kept: `IRMEVAL_HOME`, or else the platform's folder for data of programs."""
    from platformdirs import user_data_path

    return Path(given) if (given := os.environ.get(HOME)) else user_data_path("irmeval", appauthor=False)


def folder() -> Path:
    """Where that of visitors is kept."""
    return root() / "visitors"


def days(bound: str | None) -> float:
    """For how many days after their last use what visitors load is kept; 0: it is not.

    The environment says it, or else who is answered by a server that is bound to an address: this machine alone, or others too.
    Raises `ParamError` where the environment says something else.
    """
    text = os.environ.get(KEEP, "")
    if not text:
        return DAYS if hosts.is_own(bound) else 0.0
    return read_days(text)


def read_days(text: str) -> float:
    """A number of days above 0, or 0 for ``off``; `ParamError` for anything else."""
    if text == "off":
        return 0.0
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e5:
        raise ParamError(f"keep: expected off or a number of days above 0, came {text[:20]!r}.")
    return number


def stamp(visitor: str) -> int:
    """Tells one state of a visitor's record from another; 0 where there is none."""
    try:
        return (folder() / visitor / RECORD).stat().st_mtime_ns
    except OSError:
        return 0


def load(visitor: str) -> dict[str, Any] | None:
    """A visitor's record; None where there is none, or none that is whole, which is a line in the log."""
    place = folder() / visitor
    try:
        record = json.loads((place / RECORD).read_bytes())
        if record["format"] != FORMAT:
            raise ValueError("of another format")
        for name, size in record["files"].items():
            if (place / name).stat().st_size != size:
                raise ValueError("a file of another size")
    except FileNotFoundError:
        if (place / RECORD).exists():
            log.warning("not read: what was kept of a visitor is damaged (a file is missing); they start afresh")
        return None
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        log.warning("not read: what was kept of a visitor is damaged (%s); they start afresh", type(error).__name__)
        return None
    return dict(record)


def fetch(visitor: str, name: str) -> Archived:
    """The content of a file; `ReadError` where it is not there any more, or not as it was written."""
    try:
        data = (folder() / visitor / name).read_bytes()
    except OSError:
        data = b""
    if _hash(data) != name:
        log.warning("not read: a file that was kept of a visitor is damaged")
        raise ReadError("what was kept of your data", None, "the file as it was written", "another, or none", "Load the data again.")
    return read("what was kept of your data", data)


def put(visitor: str, content: Archived) -> tuple[str, int]:
    """Write a file; its name and size. Raises `OSError`, `NoRoom` where a quota is used up."""
    data = write(content)
    name = _hash(data)
    place = folder() / visitor
    _make(place)
    _check_room(visitor, data.size - ((place / name).stat().st_size if (place / name).exists() else 0))
    replace(place / name, data)
    return name, data.size


def save(visitor: str, record: Mapping[str, Any], files: Mapping[str, int]) -> None:
    """Write the record, which names files that are there already; those that it does not name go. Raises `OSError`."""
    place = folder() / visitor
    _make(place)
    replace(place / RECORD, json.dumps({"format": FORMAT, "files": files, **record}).encode())
    tidy(visitor, files)


def tidy(visitor: str, files: Mapping[str, int]) -> None:
    """Remove what the record does not name."""
    with suppress(OSError):
        for path in (folder() / visitor).iterdir():
            if path.name not in files and path.name != RECORD:
                path.unlink(missing_ok=True)


def touch(visitor: str) -> None:
    """Note that a visitor was here."""
    with suppress(OSError):
        os.utime(folder() / visitor)


def forget(visitor: str) -> None:
    """Remove all that is kept of a visitor, at once."""
    shutil.rmtree(folder() / visitor, ignore_errors=True)


def sweep(kept: float) -> int:
    """Remove what nobody has used for so many days; how many visitors that was."""
    gone = 0
    for path in _folders():
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > kept * 86_400:
                shutil.rmtree(path)
                gone += 1
    return gone


def failed(error: OSError) -> None:
    """Say once in the log why nothing can be kept."""
    reason = error.strerror or str(error)
    if reason not in _failed:
        _failed.add(reason)
        log.warning("what visitors load cannot be kept on disk, and is kept in memory alone: %s", reason[0].lower() + reason[1:])


class NoRoom(OSError):
    """A quota of what is kept on disk is used up."""


def _check_room(visitor: str, size: int) -> None:
    for quota, folders in ((quotas.KEPT, [folder() / visitor]), (quotas.KEPT_ALL, _folders())):
        held = sum(entry.stat().st_size for path in folders for entry in os.scandir(path))
        if held + size > (most := quotas.limit(quota)):
            raise NoRoom(f"more than the {most / 1e9:g} GB allowed on disk ({quota})")


def _folders() -> list[Path]:
    try:
        return [path for path in folder().iterdir() if path.is_dir()]
    except OSError:
        return []


def _make(place: Path) -> None:
    """The folder of a visitor, and that of all, open to nobody else."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    for made in (place, place.parent):
        made.chmod(0o700)


def _hash(data: "bytes | pa.Buffer") -> str:
    return blake2b(data, digest_size=20).hexdigest()


def replace(path: Path, data: "bytes | pa.Buffer") -> None:
    """Put a whole file in a place, or leave what is there."""
    saving.save(path, memoryview(data), 0o600)
