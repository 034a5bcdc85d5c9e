"""A lock on a file, for servers that share a disk. The system releases it if its holder is killed."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 10.0
"""Seconds to wait for the lock."""
LOOK = 0.02
"""Seconds between two tries."""

if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _leave(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _leave(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


class Busy(OSError):
    """Another process holds the lock and does not release it."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, which is made if it is missing. Raises `OSError`; `Busy` after `PATIENCE`."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait(file)
        try:
            yield
        finally:
            _leave(file)
    finally:
        os.close(file)


def _wait(file: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return _take(file)
        except (BlockingIOError, PermissionError):  # the latter on Windows
            if time.monotonic() > deadline:
                raise Busy("another server is just writing it") from None
        time.sleep(LOOK)
