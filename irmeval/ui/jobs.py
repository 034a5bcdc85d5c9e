"""Long work in the background: progress, a way to stop it, and other pages usable meanwhile.

The worker never calls Streamlit; it writes to its `Job`, which all visitors share who ask for the same at once. A fragment looks at the
job twice a second, redraws the page when it is done, and its look is the visitor's heartbeat: with every browser gone that waits for it,
the work stops.
"""

import logging
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

import streamlit as st

from irmeval import Cancelled, IrmevalError
from irmeval.cost import about
from irmeval.report.tables import escape_markdown
from irmeval.ui import turns, visitors

log = logging.getLogger("irmeval")

PATIENCE = 0.8
"""Seconds a page waits before it shows progress instead of a result."""
SOON = 0.1
"""The same where there is something to see."""
SO_FAR = "; below is what there is so far"
HEARTBEAT = 20.0
"""Seconds without a look after which a visitor is taken to be gone."""
Progress = Callable[[int, int], None]
Function = Callable[[Progress], Iterable[Any]]
"""Makes results, each better than the one before."""


@dataclass(eq=False)
class Job:
    """One computation, under a key that says all it depends on."""

    title: str
    key: Hashable
    done: int = 0
    total: int = 1
    result: Any = None
    """what there is so far"""
    looks: int = 0
    """how often there was something new"""
    error: Exception | None = None
    waits: "list[Wait]" = field(default_factory=list)
    over: Event = field(default_factory=Event)
    begun: float = field(default_factory=time.monotonic)
    """when what comes next was begun"""
    owner: str = ""
    """who asked for it first"""
    after: "Job | None" = None
    """the one above it on the page, which comes first: what a reader sees first is then there soonest"""
    waits_turn: str = ""
    """for what it waits, where it does"""

    def look(self) -> None:
        """Raise where nobody waits for the result any more."""
        with _lock:
            if any(wait.waiting for wait in self.waits):
                return
            _leave(self)  # whoever asks now begins anew
        raise Cancelled("Stopped.")

    def progress(self, done: int, total: int) -> None:
        """Told by the worker; raises as `look`."""
        self.done, self.total = done, total
        self.look()

    def work(self, function: Function) -> None:
        """The body of the worker's thread; what became of it is a line in the log."""
        begun, start = time.strftime("%H:%M:%S"), time.monotonic()
        try:
            while self.after and not self.after.over.wait(turns.LOOK):
                self._wait(f"waits for {self.after.title}")
            with turns.turn(self.owner, partial(self._wait, "waits its turn: this server computes no more at once")):
                self.waits_turn, self.begun = "", time.monotonic()
                for result in function(self.progress):
                    self.result = result
                    self.looks += 1
                    self.done, self.begun = 0, time.monotonic()
        except Exception as error:  # handed to the page, which shows or raises it
            self.error = error
        finally:
            with _lock:
                _leave(self)
            log.info("job %s, begun %s: %s after %.1f s", self.title, begun, outcome(self.error), time.monotonic() - start)
            self.over.set()

    def _wait(self, what: str) -> None:
        self.waits_turn = what
        self.look()

    def left(self) -> str:
        """How long it will still take, if the steps to come take as long as those that are done."""
        return f", {about((time.monotonic() - self.begun) * (self.total - self.done) / self.done)} left" if self.done else ""


@dataclass(eq=False)
class Wait:
    """One visitor's wait for a job."""

    job: Job
    stopped: bool = False
    seen: float = field(default_factory=time.monotonic)

    @property
    def waiting(self) -> bool:
        """Whether the visitor is still there, and has not stopped it."""
        return not self.stopped and time.monotonic() - self.seen <= HEARTBEAT

    def stop(self) -> None:
        """Wait no longer."""
        self.stopped = True


_running: dict[Hashable, Job] = {}
"""What is being computed, for whomever."""
_lock = Lock()


def _leave(job: Job) -> None:
    """Nobody can join the job any more; the lock is held."""
    if _running.get(job.key) is job:
        del _running[job.key]


def join(title: str, key: Hashable, function: Function, owner: str = "", after: Job | None = None) -> Wait:
    """Wait for what is being computed under the key, or begin it, once another is over."""
    with _lock:
        job = _running.get(key)
        begins = job is None
        if job is None:
            job = _running[key] = Job(title, key, owner=owner, after=after)
        wait = Wait(job)
        job.waits.append(wait)
    if begins:
        Thread(target=job.work, args=(function,), daemon=True, name=title).start()
    return wait


def outcome(error: Exception | None) -> str:
    """What became of a job, in a word."""
    if error is None:
        return "done"
    return (
        "stopped" if isinstance(error, Cancelled) else "refused" if isinstance(error, IrmevalError) else f"failed ({type(error).__name__})"
    )


def waits(title: str, key: Hashable) -> bool:
    """Whether this visitor waits for the job already, or has its result."""
    wait = _waits().get(title)
    return wait is not None and wait.job.key == key


def run(title: str, key: Hashable, function: Function) -> Any:
    """The last result of function(progress), or what there is so far, None where that is nothing; the page is redrawn when there is more.

    A title has one job at a time for a visitor: a new key stops the old job, unless others wait for it too.
    """
    mine = _waits()
    above = _above(title)
    if not waits(title, key):
        if title in mine:
            mine[title].stop()
        mine[title] = join(title, key, function, visitors.owner(), above)
    wait = mine[title]
    wait.seen = time.monotonic()
    job = wait.job
    looks = job.looks
    if not wait.stopped and not job.over.wait(SOON if looks or above else PATIENCE):
        _watched(title, looks)
        return job.result
    if wait.stopped or isinstance(job.error, Cancelled):
        st.info(f"Stopped after {job.done} of {job.total} steps. What was computed is kept.")
        if st.button("Go on", key=f"resume-{title}"):
            del mine[title]
            st.rerun()
        return job.result
    if isinstance(job.error, IrmevalError):
        st.error(escape_markdown(str(job.error)))
        return None
    if job.error is not None:
        raise job.error
    return job.result


def begin() -> None:
    """Called before a page is drawn, so that `sidebar` knows which jobs are its own."""
    st.session_state["jobs_on_page"] = []


def _above(title: str) -> Job | None:
    """What is still being computed for the block above this one on the page."""
    titles: list[str] = st.session_state["jobs_on_page"]
    if title not in titles:
        titles.append(title)
    waits = (_waits()[other] for other in reversed(titles[: titles.index(title)]))
    return next((wait.job for wait in waits if not (wait.stopped or wait.job.over.is_set())), None)


def sidebar() -> None:
    """What is still being computed for other pages than the one that was drawn."""
    for title, wait in _waits().items():
        if title not in st.session_state["jobs_on_page"] and not wait.stopped and not wait.job.over.is_set():
            with st.sidebar:
                _watched(title, wait.job.looks)


def _waits() -> dict[str, Wait]:
    """What this visitor waits for, or has the result of, by title."""
    mine: dict[str, Wait] = st.session_state.setdefault("jobs", {})
    return mine


def _watched(title: str, looks: int) -> None:
    """In a container: what of a fragment is not sent yet when it is drawn again is not sent at all, so that a browser would miss its place
    and break at whatever comes after it."""
    with st.container():
        _watch(title, looks)


@st.fragment(run_every=0.5)
def _watch(title: str, looks: int) -> None:
    wait = _waits()[title]
    job = wait.job
    if wait.stopped or job.over.is_set() or job.looks > looks:
        st.rerun()
    wait.seen = time.monotonic()
    said = job.waits_turn or f"{job.done} of {job.total}{job.left()}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(job.done / job.total, 1.0), f"{title}: {said}{SO_FAR if looks else ''}")
        st.button("Stop", key=f"stop-{title}", on_click=wait.stop)
