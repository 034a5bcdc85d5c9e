"""The command line: numbers to standard output or a file, messages to standard error,
flags from declared parameters.

What a command runs stands in a module of its own, which is imported for it alone.
"""

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from irmeval.cli.program import Given, parse
from irmeval.core import interrupts, saving, terminal
from irmeval.core.errors import IrmevalError, ReadError


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command. Bad input prints one line on standard error and gives exit
    status 2.
    """
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    with interrupts.exit_on_interrupt(), terminal.escape_streams():
        # there for errors in the line itself, which leave it unparsed
        given = Given()
        try:
            given = parse(words)
            _preparing().prepare(given)
            _write(given, given.command.run(given))
        except ReadError as error:
            _refuse(_preparing().refusal(error, given, words))
        except IrmevalError as error:
            _refuse(error)
        except BrokenPipeError:  # the reader has had enough, as `head` has: no error of ours
            raise
        except OSError as error:
            place = error.filename or given.output or "standard output"
            _refuse(f"{place}: {error.strerror}")
        if given.status:
            raise SystemExit(given.status)


def _preparing() -> ModuleType:
    """What reads and scores, which help and completion do not import."""
    return import_module("irmeval.cli.preparing")


def _write(given: Given, text: str | bytes | Iterable[str]) -> None:
    """Write what a command returns: to its file, or piece by piece as it is made."""
    # of a folder, the names of its files are printed
    to_file = bool(given.output) and not given.folder
    if isinstance(text, bytes):
        saving.save(given.output, text)
    elif to_file:
        saving.save(given.output, "".join(text))
    else:
        _print([text] if isinstance(text, str) else text)


def _print(parts: Iterable[str]) -> None:
    for part in parts:
        sys.stdout.write(part)
        sys.stdout.flush()


def _refuse(why: object) -> NoReturn:
    print(f"irmeval: {why}", file=sys.stderr)
    raise SystemExit(2) from None
