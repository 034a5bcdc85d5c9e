"""The queue of jobs: at most so many are computed at once, of one visitor and of all.

What somebody looks at goes first. What was left for another page, or stands below it on its page, waits for what its visitor looks at, and
goes at half its speed while others look at something.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition

from irmeval.ui.state import quotas

LOOK = 0.2
"""Seconds between two looks at whether anybody still waits for a job."""
SILENCE = 5.0
"""Seconds without a step after which what goes first holds nothing up any more: it may itself wait for something that was left."""


@dataclass(eq=False)
class Turn:
    """The place of a job in the queue, or of a page that is being drawn."""

    owner: str
    first: Callable[[], bool]
    """whether it goes before others"""
    ready: bool = True
    """whether it waits for no other job"""
    begun: bool = False
    running: bool = False
    told: float = field(default_factory=time.monotonic)
    """when its last step was"""
    since: float = 0.0
    """when it paused, or went on beside others that go first"""
    rests: float = 0.0
    """until when others go first"""
    paused: float = 0.0
    """seconds that it has paused"""

    @property
    def leads(self) -> bool:
        """Whether the job is running, goes before others, and makes progress."""
        return self.running and time.monotonic() - self.told <= SILENCE and self.first()


_changed = Condition()
_turns: list[Turn] = []
"""Of jobs, in the order in which they were asked for."""
_drawings: list[Turn] = []
"""Of pages; they take no job's place."""


def enter_queue(owner: str, first: Callable[[], bool], *, ready: bool = True) -> Turn:
    """A place in the queue, which is that of the asking, whenever the one who takes the turn comes for it."""
    own = Turn(owner, first, ready)
    with _changed:
        _turns.append(own)
    return own


def wait_for_turn(own: Turn, look: Callable[[], None]) -> None:
    """Wait until the job's turn; meanwhile `look` is called again and again, and may raise."""
    own.ready = True
    _wait(own, look)


def leave_queue(own: Turn) -> None:
    """Leave the queue, so that the next job goes on."""
    with _changed:
        _turns.remove(own)
        _changed.notify_all()


@contextmanager
def drawing(owner: str) -> Iterator[None]:
    """Context in which a page of a visitor is drawn; it goes before the jobs of pages that they have left."""
    own = Turn(owner, lambda: True, begun=True, running=True)
    with _changed:
        _drawings.append(own)
    try:
        yield
    finally:
        with _changed:
            _drawings.remove(own)
            _changed.notify_all()


def pause_for_others(own: Turn, look: Callable[[], None]) -> None:
    """Called at every step of a job, by any of its threads: pauses while others go first, as `wait_for_turn` waits."""
    own.told = time.monotonic()
    if own.running and own.first():
        own.since = own.told
        return
    with _changed:
        if own.running and not _gives_way(own):
            return
        if own.running:
            own.running, own.since = False, own.told
            _changed.notify_all()
    _wait(own, look)


def _wait(own: Turn, look: Callable[[], None]) -> None:
    with _changed:
        while not own.running:
            if _next() is own:
                now = time.monotonic()
                own.paused += now - own.since if own.begun else 0
                own.running = own.begun = True
                own.told = own.since = now
                _changed.notify_all()
            else:
                _changed.wait(LOOK)
                look()


def _next() -> Turn | None:
    """The job whose turn it is, if any: first those that somebody looks at, then those of the visitor with the fewest running, then the
    longest waiting."""
    running = [turn for turn in _turns if turn.running]
    if len(running) >= quotas.limit(quotas.JOBS_ALL):
        return None
    held = Counter(turn.owner for turn in running)
    free = [t for t in _turns if t.ready and not t.running and held[t.owner] < quotas.limit(quotas.JOBS) and (t.first() or not _held_up(t))]
    return min(free, key=lambda turn: (not turn.first(), held[turn.owner]), default=None)


def _held_up(own: Turn) -> bool:
    """Whether what does not go first is to wait: for what its visitor looks at, or for a while for others'."""
    return any(
        turn.leads and turn is not own and (turn.owner == own.owner or time.monotonic() < own.rests) for turn in (*_turns, *_drawings)
    )


def _gives_way(own: Turn) -> bool:
    """Whether a job that does not go first is to pause; so many may, as many as may be computed: each keeps what it holds in memory."""
    paused = [turn.owner for turn in _turns if turn.begun and not turn.running]
    if paused.count(own.owner) >= quotas.limit(quotas.JOBS) or len(paused) >= quotas.limit(quotas.JOBS_ALL):
        return False
    if _held_up(own) or any(not turn.running and turn.owner == own.owner and turn.first() for turn in _turns):
        return True
    if not any(turn.leads or (not turn.running and turn.first()) for turn in _turns if turn is not own):
        own.since = own.told
    worked = own.told - own.since
    own.rests = own.told + worked
    return worked > LOOK
