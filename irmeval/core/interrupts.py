"""Quiet exit on Ctrl-C, with exit status 130, from irmeval's first import on.

This module is imported before the rest of the package, so it imports next to nothing
itself. A program of others that imports irmeval keeps its own handler.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

STATUS = 130
"""Exit status of an interrupted program: 128 plus the number of the signal."""


def is_own(arguments: list[str], given: list[str]) -> bool:
    """Whether this process runs irmeval's own program, as a script or by ``python -m
    irmeval`` (named ``-m`` during the import).

    `arguments` is `sys.argv`, `given` is `sys.orig_argv`.
    """
    if not arguments:  # of an embedded Python
        return False
    name = arguments[0]
    if name == "-m":
        return "-mirmeval" in given or ("-m", "irmeval") in pairwise(given)
    return os.path.splitext(os.path.basename(name))[0] == "irmeval"


def _leave(number: int, frame: object) -> None:
    os._exit(STATUS)


def _replace(handler: object, other: object) -> bool:
    """Replace a handler of SIGINT. Returns False without a change if another handler is
    set or the signal is ignored.
    """
    if signal.getsignal(signal.SIGINT) is not handler:
        return False
    try:
        signal.signal(signal.SIGINT, other)  # type: ignore[arg-type]
    except ValueError:  # not in the main thread
        return False
    return True


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Raise on Ctrl-C within this context, so that work is cleaned up, then exit by
    `SystemExit` with `STATUS`; a second Ctrl-C exits at once.
    """
    is_replaced = _replace(_leave, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(STATUS) from None
    finally:
        if is_replaced:
            _replace(signal.default_int_handler, _leave)


@contextmanager
def ignore_interrupts() -> Iterator[None]:
    """Let processes started within this context ignore Ctrl-C, which is meant for this
    process.
    """
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # signals are set in the main thread only
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


if is_own(sys.argv, sys.orig_argv):
    _replace(signal.default_int_handler, _leave)
