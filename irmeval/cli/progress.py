"""Progress on standard error: a terminal shows one line that is overwritten; a file gets a line at every tenth of long work."""

import sys

MANY = 50
"""Work of this many steps is long, if nothing else is known."""


class Progress:
    """A function that writes the number of steps done and of all steps.

    Parameters
    ----------
    long : whether the work is long, so that a file gets lines too; by default if it has `MANY` steps or more
    """

    def __init__(self, long: bool | None = None):
        self.long, self.told = long, (0, 0)

    def __call__(self, done: int, total: int) -> None:
        """Write the progress, unless it has not changed since the last call."""
        before, self.told = self.told, (done, total)
        if self.told == before:
            return
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {total}" + "\n" * (done >= total))
            sys.stderr.flush()
        elif total >= MANY if self.long is None else self.long:
            tenths = before[0] * 10 // total if before[1] == total else 0
            if done * 10 // total > tenths:
                sys.stderr.write(f"{done} of {total} ({100 * done // total}%)\n")
