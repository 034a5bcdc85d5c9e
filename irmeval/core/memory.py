"""How a process keeps its memory."""

import ctypes
from contextlib import suppress
from functools import cache


@cache
def keep_freed_memory() -> None:
    """Keep freed memory. Dask tells glibc to return it at once; each array of scores would then be mapped anew, at three times the cost."""
    with suppress(OSError, AttributeError):  # another libc has no such settings
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(-3, 32 << 20)  # M_MMAP_THRESHOLD
        mallopt(-1, 64 << 20)  # M_TRIM_THRESHOLD
