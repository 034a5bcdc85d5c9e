"""The command line: numbers to standard output or a file, messages to standard error,
flags from declared parameters.

What a command runs stands in a module of its own, which is imported for it alone.
"""

import atexit
import gc
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from irmeval.cli.program import Given, parse
from irmeval.core import interrupts, parallel, saving, terminal
from irmeval.core.errors import IrmevalError, ReadError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command. Bad input prints one line on standard error and gives exit
    status 2. Raises `SystemExit` unless the status is 0.
    """
    if arguments is None:
        arguments = sys.argv[1:]
        parallel.let_idle_algebra_sleep()
        # this process ends with its command: to look for cycles in what is left then takes long
        atexit.register(gc.freeze)
    with interrupts.exit_on_interrupt(), terminal.escape_streams():
        # there for errors in the line itself, which leave it unparsed
        given = Given()
        try:
            given = parse(arguments)
            _run(given, arguments)
        except IrmevalError as error:
            _refuse(error)
        except BrokenPipeError:  # the reader has had enough, as `head` has: no error of ours
            raise
        except OSError as error:
            place = error.filename or given.output or "standard output"
            _refuse(f"{place}: {error.strerror}")
        if given.status:
            raise SystemExit(given.status)


def _run(given: Given, words: Sequence[str]) -> None:
    """Run a command and write what it returns."""
    from irmeval.cli import asked, given_data  # only now: help and completion read nothing

    try:
        asked.prepare(given)
        _write(given, given.command.run(given))
    except ReadError as error:
        _refuse(given_data.refusal(error, given, words))


def _write(given: Given, text: str | bytes | Iterable[str]) -> None:
    """Write what a command returns: to its file, or piece by piece as it is made."""
    if isinstance(text, bytes):
        saving.save(given.output, text)
        return
    if isinstance(text, str):
        text = [text]
    # of a folder, the names of its files are printed
    if given.output and not given.folder:
        saving.save(given.output, "".join(text))
        return
    for part in text:
        sys.stdout.write(part)
        sys.stdout.flush()


def _refuse(why: object) -> NoReturn:
    print(f"irmeval: {why}", file=sys.stderr)
    raise SystemExit(2) from None
