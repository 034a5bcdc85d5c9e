"""Atomic writing of files, and checks before any work that a path is writable."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from irmeval.core.errors import ParamError
from irmeval.core.terminal import AS_BYTES

try:
    import fcntl
except ModuleNotFoundError:  # Windows: an open file cannot be removed there anyway
    fcntl = None  # type: ignore[assignment]

TEMPORARY_PREFIX = ".irmeval-"
"""Prefix of temporary files, which are in the folder of the final path."""
TEMPORARY_SUFFIX = ".part"
"""Suffix of temporary files."""


def save(path: str | Path, content: str | bytes | memoryview, mode: int = 0o666) -> None:
    """Write a whole file or keep the old one. Temporary files of killed processes in
    the same folder are removed.

    `mode` is the mode of a new file, as far as the process allows it; an existing file
    keeps its own. A link stays, and its target is written. Devices and pipes are
    written directly. Raises `OSError`.
    """
    if isinstance(content, str):
        content = content.encode(errors=AS_BYTES)
    # the target of a link: a file in its place would replace the link
    place = Path(os.path.realpath(path))
    if not _is_replaceable(place):
        place.write_bytes(content)
        return
    remove_leftovers(place.parent)
    try:
        with _temporary_file(place.parent, mode) as file:
            file.write(content)
            file.flush()
            # a power cut after the rename would otherwise leave an empty file
            os.fsync(file.fileno())
            with suppress(OSError):  # a new file has no mode to keep
                os.chmod(file.name, stat.S_IMODE(place.stat().st_mode))
            if not fcntl:  # Windows cannot rename an open file
                file.close()
            Path(file.name).replace(place)
    except OSError as error:
        # of the path that was asked for, not of the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from None


def _is_replaceable(place: Path) -> bool:
    """Whether a file can be put in a place: not in that of a device, or in a folder that
    cannot be written to.
    """
    if not place.exists():
        return True
    return place.is_file() and os.access(place.parent, os.W_OK)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed processes from a folder. Files that a process is
    writing are locked and stay.
    """
    for path in [*folder.glob(f"{TEMPORARY_PREFIX}*{TEMPORARY_SUFFIX}")]:
        with suppress(OSError), path.open("rb") as file:
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            else:
                file.close()  # an open file cannot be removed there
            path.unlink()


@contextmanager
def _temporary_file(folder: Path, mode: int) -> Iterator[BinaryIO]:
    """Create a temporary file in a folder, locked while it is open and removed after an
    error.
    """
    while True:
        name = folder / f"{TEMPORARY_PREFIX}{os.urandom(8).hex()}{TEMPORARY_SUFFIX}"
        with open(name, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            if not _lock(file):
                continue  # another process has just removed it
            try:
                yield file
            except BaseException:  # Ctrl-C, too, leaves no half a file behind
                with suppress(OSError):
                    name.unlink()
                raise
            return


def _lock(file: BinaryIO) -> bool:
    """Lock a file against removal. Returns whether it still exists."""
    if fcntl:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a disk without locks: other processes get none either, and remove nothing
            return True
    return os.path.exists(file.name)


def check_file(path: Path) -> None:
    """Raise `ParamError` if no file can be written at a path."""
    found, remedy = _fault_of_file(path)
    if found:
        raise _refusal(path, "a file to write", found, remedy)


def _fault_of_file(path: Path) -> tuple[str, str]:
    """Why no file can be written at a path, and what to do; empty texts if one can."""
    folder = path.parent
    elsewhere = "Create the folder, or choose a different one."
    if path.is_dir():
        return "a folder", "Name a file in it."
    if path.exists():
        if os.access(path, os.W_OK):
            return "", ""
        return "one without permission to write", "Name another."
    if folder.is_dir():
        # to make a file in a folder takes the right to enter it, too
        if os.access(folder, os.W_OK | os.X_OK):
            return "", ""
        return "one in a folder without permission to write", "Name another."
    if folder.exists():
        return f"one below the file {folder}", elsewhere
    return f"one in a folder that does not exist, {folder}", elsewhere


def check_folder(path: Path) -> None:
    """Raise `ParamError` if a folder is not writable or cannot be created."""
    # a link that leads nowhere does not exist, yet no folder can be made in its place
    nearest = path.absolute()
    while not os.path.lexists(nearest):
        nearest = nearest.parent
    if not nearest.is_dir():
        found = f"one below the file {nearest}"
        if nearest == path.absolute():
            found = "a file"
        raise _refusal(path, "a folder, or a name for one", found, "Name another.")
    if not os.access(nearest, os.W_OK | os.X_OK):
        found = "one without permission to write"
        raise _refusal(path, "a folder to write files into", found, "Name another.")


def _refusal(path: Path, expected: str, came: str, remedy: str) -> ParamError:
    return ParamError(f"{path}: expected {expected}, found {came}. {remedy}")
