"""Ctrl-C: irmeval as a program ends without a word, with exit status 130, from its first import on.

Imported before all else of the package, so that it imports next to nothing. Who imports irmeval in a program of their own keeps their own
way.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

STATUS = 130
"""Of a program that was interrupted: 128 and the number of the signal."""


def is_own(arguments: list[str], given: list[str]) -> bool:
    """Whether a process is irmeval's own program: the script, or ``python -m irmeval``, whose name is ``-m`` while the package is imported.

    `arguments` are those of the program, `given` those of Python with them, as in `sys`.
    """
    name = arguments[0] if arguments else ""
    if name == "-m":
        return "-mirmeval" in given or ("-m", "irmeval") in pairwise(given)
    return os.path.splitext(os.path.basename(name))[0] == "irmeval"


def _leave(number: int, frame: object) -> None:
    os._exit(STATUS)


def _replace(handler: object, other: object) -> bool:
    """Put another in place of a handler of SIGINT; whether that was the handler: a signal that is ignored stays so."""
    if signal.getsignal(signal.SIGINT) is not handler:
        return False
    try:
        signal.signal(signal.SIGINT, other)  # type: ignore[arg-type]
    except ValueError:  # in a thread
        return False
    return True


@contextmanager
def heard() -> Iterator[None]:
    """Within it, an interrupt unwinds what is under way, and then leaves with `STATUS`; one after it leaves the program at once."""
    own = _replace(_leave, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(STATUS) from None
    finally:
        if own:
            _replace(signal.default_int_handler, _leave)


@contextmanager
def unheard() -> Iterator[None]:
    """Processes that are begun within it do not hear of Ctrl-C, which is meant for this one."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # of the main thread alone
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


if is_own(sys.argv, sys.orig_argv):
    _replace(signal.default_int_handler, _leave)
