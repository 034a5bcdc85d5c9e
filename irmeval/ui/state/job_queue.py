"""The queue of jobs. Quotas limit the number of running jobs, per visitor and in all.

Visible jobs run first. Others wait for the visible jobs of their visitor, and make room
for those of others when the server is full.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition

from irmeval.ui.state import quotas

LOOK = 0.2
"""Seconds between two checks whether anybody still waits for a job."""
SILENCE = 5.0
"""Seconds without a step after which a visible job delays no other, since it may itself
wait for one of them.
"""


@dataclass(eq=False)
class Turn:
    """Place of a job in the queue, or of a page that is being drawn."""

    owner: str
    first: Callable[[], bool]
    """whether it precedes others"""
    ready: bool = True
    """whether it waits for no other job"""
    begun: bool = False
    running: bool = False
    last_step: float = field(default_factory=time.monotonic)
    """time of its last step"""
    paused: float = 0.0
    """seconds paused so far"""

    @property
    def leads(self) -> bool:
        """Whether the job is running, precedes others, and makes progress."""
        is_silent = time.monotonic() - self.last_step > SILENCE
        if is_silent or not self.running:
            return False
        return self.first()


_changed = Condition()
_turns: list[Turn] = []
"""Jobs, in the order of their requests."""
_drawings: list[Turn] = []
"""Pages that are being drawn; they count in no quota."""


def enter_queue(own: Turn, *, ready: bool = True) -> None:
    """Add a job at the end of the queue."""
    own.ready = ready
    with _changed:
        _turns.append(own)


def wait_for_turn(own: Turn, look: Callable[[], None]) -> None:
    """Wait for the job's turn; `look` is called repeatedly meanwhile, and may raise."""
    own.ready = True
    _wait(own, look)


def leave_queue(own: Turn) -> None:
    """Leave the queue and wake up the next job."""
    with _changed:
        _turns.remove(own)
        _changed.notify_all()


@contextmanager
def drawing(owner: str) -> Iterator[None]:
    """Context in which a page of a visitor is drawn, before jobs of pages that they
    have left.
    """
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
    """Pause while other jobs precede it, as `wait_for_turn` does. Called at every step
    of a job, by any of its threads.
    """
    if own.running:
        own.last_step = time.monotonic()
        # most steps end here, without the lock that all jobs share
        if own.first():
            return
        with _changed:
            if not _gives_way(own):
                return
            own.running = False
            _changed.notify_all()
    _wait(own, look)


def _wait(own: Turn, look: Callable[[], None]) -> None:
    with _changed:
        while not own.running:
            # each job that waits looks itself: who leads may change without a message
            if _next() is own:
                now = time.monotonic()
                if own.begun:
                    own.paused += now - own.last_step
                own.running = own.begun = True
                own.last_step = now
                _changed.notify_all()
            else:
                _changed.wait(LOOK)
                look()


def _next() -> Turn | None:
    """Next job to run, if any: a visible one, then one of the visitor with the fewest
    running jobs, then the oldest.
    """
    if _is_full():
        return None
    held = Counter(turn.owner for turn in _turns if turn.running)
    most = quotas.limit(quotas.JOBS)
    allowed = [turn for turn in _waiting() if held[turn.owner] < most]
    free = filter(_may_run, allowed)

    def order(turn: Turn) -> tuple[bool, int]:
        return not turn.first(), held[turn.owner]

    return min(free, key=order, default=None)


def _waiting() -> list[Turn]:
    """Jobs that are ready and do not run."""
    return [turn for turn in _turns if turn.ready and not turn.running]


def _may_run(own: Turn) -> bool:
    return own.first() or not _held_up(own)


def _held_up(own: Turn) -> bool:
    """Whether a job without precedence must wait for the page that its visitor is
    viewing.
    """
    others = {*_turns, *_drawings} - {own}
    viewing = {turn.owner for turn in others if turn.leads}
    return own.owner in viewing


def _gives_way(own: Turn) -> bool:
    """Whether a job without precedence must pause. No more may pause than may run,
    since each keeps its memory.
    """
    resting = [turn for turn in _turns if not turn.running]
    paused = Counter(turn.owner for turn in resting if turn.begun)
    if paused[own.owner] >= quotas.limit(quotas.JOBS):
        return False
    if paused.total() >= quotas.limit(quotas.JOBS_ALL):
        return False
    if _held_up(own):
        return True
    seen = {turn.owner for turn in resting if turn.first()}
    # on a full server whoever looks at a page goes before those who do not
    if _is_full():
        return bool(seen)
    return own.owner in seen


def _is_full() -> bool:
    """Whether as many jobs run as may."""
    return sum(turn.running for turn in _turns) >= quotas.limit(quotas.JOBS_ALL)
