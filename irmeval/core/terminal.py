"""Standard output and standard error. On a terminal, characters that control it or
mislead the eye are escaped; files and pipes get the data unchanged, in UTF-8.
"""

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from typing import Any, TextIO, cast

_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tab and end of line
    # bidirectional or invisible
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\ud800-\udfff]"
    # joiners, except between letters of scripts that need them
    "|(?<![^\x00-\x7f\u200b-\u200f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200b-\u200f])"
)
AS_BYTES = "irmeval.as_bytes"
"""Error handler for UTF-8: a byte of a file name that is not a character is written as
this byte, anything else as an escape.
"""


def escape(text: str) -> str:
    r"""Escape a text for a terminal. Characters that control it, change the direction
    or are invisible become escapes such as ``\u202e``.
    """
    return _ODD.sub(lambda found: _escape(found[0]), text)


BOLD = "\x1b[1m"
"""Starts bold type."""
PLAIN = "\x1b[22m"
"""Ends bold type."""


class Styled(str):
    """A text that is escaped already and may contain styles: a terminal gets it
    unchanged.
    """


def bold(text: str) -> str:
    """A text in bold, as a part of a `Styled` text."""
    return f"{BOLD}{text}{PLAIN}"


def shows_styles() -> bool:
    """Whether standard output is a terminal with bold type and the user allows it
    (https://no-color.org).
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout.isatty()


def _escape(character: str) -> str:
    number = ord(character)
    if number < 0x10000:
        return f"\\u{number:04x}"
    return f"\\U{number:08x}"


def _as_bytes(error: UnicodeError) -> tuple[bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    rest = error.object[error.start : error.end]
    return b"".join(map(_byte_of, rest)), error.end


def _byte_of(character: str) -> bytes:
    """The byte for which Python has put a half of a surrogate pair into a file name."""
    if "\udc80" <= character <= "\udcff":
        return bytes([ord(character) - 0xDC00])
    return _escape(character).encode()


codecs.register_error(AS_BYTES, _as_bytes)


class _Stream:
    """A stream that escapes what it writes to a terminal. `ignoring` is the context of
    each write, which may ignore errors.
    """

    def __init__(self, stream: TextIO, ignoring: AbstractContextManager[None]):
        self.stream, self.ignoring, self.shows = stream, ignoring, stream.isatty()

    def write(self, text: str) -> int:
        shown = text
        if self.shows:
            shown = self._shown(text)
        with self.ignoring:
            self.stream.write(shown)
        return len(text)

    def _shown(self, text: str) -> str:
        """A text as a terminal gets it, escaped and in characters that it has."""
        safe = text
        if not isinstance(text, Styled):
            start = text[: text.startswith("\r")]  # a progress line starts with a carriage return
            safe = start + escape(text[len(start) :])
        known = self.stream.encoding or "utf-8"
        return safe.encode(known, "backslashreplace").decode(known)

    def flush(self) -> None:
        with self.ignoring:
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _flush() -> None:
    """Flush standard output now, so that a full disk is reported."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stderr.write(f"irmeval: standard output: {error.strerror}\n")
        raise SystemExit(2) from None


@contextmanager
def escape_streams() -> Iterator[None]:
    """Escape or encode printed text for its target within this context. A closed pipe,
    as with ``| head``, ends the program silently; a closed standard error does not end
    it.
    """
    out: Any = sys.stdout
    before = None
    if hasattr(out, "reconfigure") and not out.isatty():
        before = {"encoding": out.encoding, "errors": out.errors}
        out.reconfigure(encoding="utf-8", errors=AS_BYTES)
    try:
        with (
            redirect_stdout(cast(TextIO, _Stream(out, nullcontext()))),
            redirect_stderr(cast(TextIO, _Stream(sys.stderr, suppress(BrokenPipeError)))),
        ):
            try:
                yield
            except SystemExit as left:
                if not left.code:
                    _flush()
                raise
            _flush()
    except BrokenPipeError:
        # Python writes what is left when it ends, and would complain of the closed pipe
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    finally:
        if before:
            with suppress(OSError):
                out.reconfigure(**before)


@contextmanager
def original_streams() -> Iterator[None]:
    """Escape nothing within this context, for a program that colours its own output."""
    out, error = (getattr(stream, "stream", stream) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(error):
        yield
