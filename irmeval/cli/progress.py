"""How far work is, on standard error: one line that is written over on a terminal, elsewhere a line every tenth of long work."""

import sys

MANY = 50
"""Steps from which work is long, where nothing else is known of it."""


class Progress:
    """Told the steps done and the steps in all.

    Parameters
    ----------
    long : whether the work is long, so that lines are worth their place in a file; by default where it has `MANY` steps or more
    """

    def __init__(self, long: bool | None = None):
        self.long, self.told = long, (0, 0)

    def __call__(self, done: int, total: int) -> None:
        """Write where that is new: a step that is told twice is written once."""
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
