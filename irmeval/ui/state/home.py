"""The folder of irmeval's data on disk, their lifetime, and writing of files in it."""

import os
from hashlib import blake2b
from pathlib import Path

from irmeval.core import saving
from irmeval.core.errors import ParamError
from irmeval.core.lazy import pa
from irmeval.ui.state import hosts

HOME = "IRMEVAL_HOME"
"""Environment variable: the folder."""
KEEP = "IRMEVAL_KEEP"
"""Environment variable: number of days that data are kept, or ``off``."""
DAYS = 30
"""Default number of days after the last use, on a server that only this machine can
reach.
"""


def root() -> Path:
    """Folder of irmeval's data: `IRMEVAL_HOME`, or else the platform's folder for
    program data.
    """
    from platformdirs import user_data_path

    given = os.environ.get(HOME)
    if given:
        return Path(given)
    return user_data_path("irmeval", appauthor=False)


def days(bound: str | None) -> float:
    """Days that visitors' data are kept after the last use, 0: none are kept; from the
    environment, by default `DAYS` on a server that only this machine can reach. Raises
    `ParamError` for a bad setting.
    """
    if text := os.environ.get(KEEP, ""):
        return read_days(text)
    if hosts.is_local(bound):
        return DAYS
    return 0.0


def read_days(text: str) -> float:
    """A number of days above 0, or 0 for ``off``. Raises `ParamError` for anything
    else.
    """
    if text == "off":
        return 0.0
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1e5:
        raise ParamError(f"keep: expected off or a number of days above 0, found {text[:20]!r}.")
    return number


def hash_of(data: "bytes | pa.Buffer") -> str:
    """Name of a file with this content."""
    # 20 bytes: two contents of one name are not met by chance, nor made at will
    return blake2b(data, digest_size=20).hexdigest()


def replace(path: Path, data: "bytes | pa.Buffer") -> None:
    """Replace a file as a whole, or leave it unchanged."""
    # only the server's own user may read what visitors have loaded
    saving.save(path, memoryview(data), 0o600)
