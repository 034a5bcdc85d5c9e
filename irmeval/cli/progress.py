"""Progress on standard error: a terminal shows one line that is overwritten; a file gets a line at every tenth of long work."""

import sys
import time

from irmeval.core.text import duration_in_words, seconds_left

LONG_SECONDS = 5.0
"""Seconds after which work is long: a file gets lines, and a terminal shows the time left."""


class Progress:
    """A function that writes the number of steps done and of all steps, and in long work the time left, as measured so far."""

    def __init__(self) -> None:
        self.told, self.begun, self.width = (0, 0), time.monotonic(), 0

    def __call__(self, done: int, total: int) -> None:
        """Write the progress, unless it has not changed since the last call."""
        before, self.told = self.told, (done, total)
        if self.told == before:
            return
        if before[1] != total:
            self.begun = time.monotonic()
        taken = time.monotonic() - self.begun
        long = taken >= LONG_SECONDS
        left = f", {duration_in_words(seconds_left(taken, done, total))} left" if long and 0 < done < total else ""
        if sys.stderr.isatty():
            line = f"{done} of {total}{left}"
            end = "\n" if done >= total else ""
            sys.stderr.write(f"\r{line:{self.width}}{end}")  # blanks cover what is left of a longer line
            self.width = len(line)
            sys.stderr.flush()
        elif long:
            tenths = before[0] * 10 // total if before[1] == total else 0
            if done * 10 // total > tenths:
                sys.stderr.write(f"{done} of {total} ({100 * done // total}%{left})\n")
