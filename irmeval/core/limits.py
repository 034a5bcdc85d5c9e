"""Memory limit of one computation, and settings that keep freed memory."""

import ctypes
import os
from contextlib import suppress
from functools import cache

from irmeval.core.errors import ParamError

MEMORY = "IRMEVAL_MEMORY"
"""Environment variable: the limit in gigabytes."""
DEFAULT = 2.0


def read_setting(name: str, default: float, what: str = "a number") -> float:
    """Read a number from an environment variable, or return the default.

    Raises `ParamError` for anything but a number above 0; `what` names in the message
    what was expected.
    """
    text = os.environ.get(name, str(default))
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise ParamError(f"{name}: expected {what} above 0, found {text[:20]!r}.")
    return number


def memory_limit() -> float:
    """Bytes that one computation may take. Raises as `read_setting`."""
    return read_setting(MEMORY, DEFAULT, "a number of gigabytes") * 1e9


def refuse_over(size: float, what: str, remedy: str) -> None:
    """Raise `ParamError` if something would take more bytes than allowed, before it is
    allocated.
    """
    if size > (limit := memory_limit()):
        raise ParamError(
            f"{what} would take {size / 1e9:,.1f} GB, more than the {limit / 1e9:g} GB allowed."
            f" {remedy}, or raise {MEMORY}."
        )


@cache
def keep_freed_memory() -> None:
    """Keep freed memory until the process ends. glibc returns large arrays at once, and
    with Dask all memory; arrays of scores would then be mapped again and again, with
    Dask at three times the cost.
    """
    with suppress(OSError, AttributeError):  # another libc has no such settings
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD
        mallopt(-1, 64 << 20)  # M_TRIM_THRESHOLD
