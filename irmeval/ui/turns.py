"""Turns: so many jobs are computed at once, of one visitor and of all; the others wait, in the order in which they were asked for."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from irmeval.ui import quotas

LOOK = 0.2
"""Seconds between two looks at whether anybody still waits for a job."""

_changed = Condition()
_running: list[str] = []
"""Whose jobs are being computed"""
_queue: list[tuple[str]] = []
"""Whose are not yet, each in a tuple of its own"""


@contextmanager
def turn(owner: str, look: Callable[[], None]) -> Iterator[None]:
    """Within it is a visitor's turn; until then `look` is called again and again, and may raise."""
    ticket = (owner,)
    with _changed:
        _queue.append(ticket)
        try:
            while _next() is not ticket:
                _changed.wait(LOOK)
                look()
            _running.append(owner)
        finally:
            del _queue[next(i for i, waiting in enumerate(_queue) if waiting is ticket)]
            _changed.notify_all()
    try:
        yield
    finally:
        with _changed:
            _running.remove(owner)
            _changed.notify_all()


def _next() -> tuple[str] | None:
    """Whose turn it is now, if anybody's: first who has the fewest jobs running, then who has waited longest."""
    if len(_running) >= quotas.limit(quotas.JOBS_ALL):
        return None
    held = Counter(_running)
    free = [ticket for ticket in _queue if held[ticket[0]] < quotas.limit(quotas.JOBS)]
    return min(free, key=lambda ticket: held[ticket[0]], default=None)
