"""Standard output and standard error: on a terminal, what would control it or mislead the eye is written as an escape; a file or a pipe
takes the data as they are, in UTF-8."""

import codecs
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast

_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, ESC among them; not the tab and the end of a line
    "\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"  # turns the direction; unseen
    "\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\ud800-\udfff]"
    # joiners, which scripts other than ours need between their own letters
    "|(?<![^\x00-\x7f\u200b-\u200f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f\u200b-\u200f])"
)
AS_BYTES = "irmeval.as_bytes"
"""How a text becomes UTF-8 that holds what is no character: a byte of a file's name as that byte, anything else as an escape."""


def escape(text: str) -> str:
    r"""A text for a terminal: what would control it, turn the direction of writing or not be seen, as in ``\u202e``."""
    return _ODD.sub(lambda found: _escape(found[0]), text)


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _as_bytes(error: UnicodeError) -> tuple[bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    rest = error.object[error.start : error.end]
    return b"".join(bytes([ord(c) - 0xDC00]) if "\udc80" <= c <= "\udcff" else _escape(c).encode() for c in rest), error.end


codecs.register_error(AS_BYTES, _as_bytes)


class _Stream:
    """A stream as it was, but for how it writes."""

    def __init__(self, stream: TextIO, drop: bool):
        self.stream, self.drop, self.shows = stream, drop, stream.isatty()

    def write(self, text: str) -> int:
        shown = text
        if self.shows:
            start = text[: text.startswith("\r")]  # a line of progress is written over
            known = self.stream.encoding or "utf-8"
            shown = start + escape(text[len(start) :]).encode(known, "backslashreplace").decode(known)
        try:
            self.stream.write(shown)
        except BrokenPipeError:
            if not self.drop:
                raise
        return len(text)

    def flush(self) -> None:
        with suppress(*[BrokenPipeError] * self.drop):
            self.stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _flush() -> None:
    """Or a full disk would be found out after the last word."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stderr.write(f"irmeval: standard output: {error.strerror}\n")
        raise SystemExit(2) from None


@contextmanager
def fitted() -> Iterator[None]:
    """Within it, whatever is printed fits where it goes. What nobody reads on, as with ``| head``, ends in silence; messages that nobody
    reads are no reason to end."""
    out: Any = sys.stdout
    before = None
    if hasattr(out, "reconfigure") and not out.isatty():
        before = {"encoding": out.encoding, "errors": out.errors}
        out.reconfigure(encoding="utf-8", errors=AS_BYTES)
    try:
        with redirect_stdout(cast(TextIO, _Stream(out, False))), redirect_stderr(cast(TextIO, _Stream(sys.stderr, True))):
            try:
                yield
            except SystemExit as left:
                if not left.code:
                    _flush()
                raise
            _flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())
    finally:
        if before:
            with suppress(OSError):
                out.reconfigure(**before)


@contextmanager
def plain() -> Iterator[None]:
    """Within it, streams are as they were, for a program within this one that colours its own."""
    out, error = (getattr(stream, "stream", stream) for stream in (sys.stdout, sys.stderr))
    with redirect_stdout(out), redirect_stderr(error):
        yield
