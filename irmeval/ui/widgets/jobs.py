"""Long work in the background: progress, a way to stop it, and other pages usable meanwhile.

The worker never calls Streamlit; it writes to its `Job`, which all visitors share who ask for the same at once. A fragment looks at the
job twice a second, redraws the page when it is done, and its look is the heartbeat of a browser's tab: with every tab gone that waits for
it, the work stops. What is on the page that is looked at goes first; what was left pauses, and goes on where it was (see `turns`).
"""

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

import streamlit as st

from irmeval.core.errors import Cancelled, IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.experiments.cost import duration_in_words
from irmeval.ui.state import job_queue, visitors
from irmeval.ui.state.streamlit_internals import is_open, session_id
from irmeval.ui.widgets import menu

if TYPE_CHECKING:
    from streamlit.navigation.page import Page

log = logging.getLogger("irmeval")

PATIENCE = 0.8
"""Seconds a page waits before it shows progress instead of a result."""
SOON = 0.1
"""The same where there is something to see."""
SO_FAR = "; results so far are below"
PAUSED = "waiting for the page that you look at"
HEARTBEAT = 20.0
"""Seconds without a look after which a tab is taken to be gone."""
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
    """when what comes next was begun, on its `clock`"""
    owner: str = ""
    """who asked for it first"""
    turn: job_queue.Turn | None = None
    """its place among all jobs, once it has one"""
    waits_turn: str = ""
    """for what it waits, where it does"""

    @property
    def first(self) -> bool:
        """Whether somebody looks at it, with no unfinished job above it on their page."""
        return any(wait.waiting and not wait.left and not wait.below for wait in self.waits)

    def look(self) -> None:
        """Raise where nobody waits for the result any more; where others go first, wait until the job's turn comes again."""
        self._check()
        if self.turn:
            job_queue.pause_for_others(self.turn, partial(self._wait, PAUSED))
            self.waits_turn = ""

    def progress(self, done: int, total: int) -> None:
        """Called by the worker at every step: note the progress, then do as `look`."""
        self.done, self.total = done, total
        self.look()

    def work(self, function: Function) -> None:
        """The body of the worker's thread; logs the outcome in a line."""
        begun, start = time.strftime("%H:%M:%S"), time.monotonic()
        assert self.turn
        try:
            while above := self._above():
                self._wait(f"waiting for {above.title}")
                above.over.wait(job_queue.LOOK)
            job_queue.wait_for_turn(self.turn, partial(self._wait, "queued; the server is busy"))
            self.waits_turn, self.begun = "", self._clock()
            for result in function(self.progress):
                self.result = result
                self.looks += 1
                self.done, self.begun = 0, self._clock()
        except Exception as error:  # handed to the page, which shows or raises it
            self.error = error
        finally:
            self.end()
            log.info("job %s, begun %s: %s after %.1f s", self.title, begun, outcome(self.error), time.monotonic() - start)
            self.over.set()

    def end(self) -> None:
        """End the job: nobody can join it any more, and others go on."""
        with _lock:
            _leave(self)
        if self.turn:
            job_queue.leave_queue(self.turn)

    def _above(self) -> "Job | None":
        """The job that comes before it, where all who wait for it have a job above it."""
        waiting = [wait for wait in self.waits if wait.waiting]
        return waiting[0].after if waiting and all(wait.below for wait in waiting) else None

    def _check(self) -> None:
        with _lock:
            if any(wait.waiting for wait in self.waits):
                return
            _leave(self)  # whoever asks now begins anew
        raise Cancelled("Stopped.")

    def _wait(self, what: str) -> None:
        self.waits_turn = what
        self._check()

    def _clock(self) -> float:
        """A clock in seconds that stands still while the job is paused."""
        return time.monotonic() - (self.turn.paused if self.turn else 0)

    def left(self) -> str:
        """Seconds left, if the steps to come take as long as those that are done."""
        return f", {duration_in_words((self._clock() - self.begun) * (self.total - self.done) / self.done)} left" if self.done else ""


@dataclass(eq=False)
class Tab:
    """A tab of a browser: the jobs that it waits for, and those whose results it has, by title."""

    session: str = ""
    """as Streamlit counts them"""
    waits: "dict[str, Wait]" = field(default_factory=dict)
    seen: float = field(default_factory=time.monotonic)
    """when it looked last"""
    drawn: bool = False
    """whether its page is being drawn"""
    titles: list[str] = field(default_factory=list)
    """the jobs of its page, from top to bottom"""

    @property
    def here(self) -> bool:
        """Whether the tab is still open. A tab in the background asks seldom, but stays connected."""
        if self.drawn or time.monotonic() - self.seen <= HEARTBEAT:
            return True
        return is_open(self.session)


@dataclass(eq=False)
class Wait:
    """One tab's wait for a job."""

    job: Job
    tab: Tab = field(default_factory=Tab)
    page: str = ""
    """the address of the page that asked for it last"""
    after: Job | None = None
    """the one above it on the page, which comes first: what a reader sees first is then there soonest"""
    stopped: bool = False
    left: bool = False
    """whether another page is looked at"""

    @property
    def waiting(self) -> bool:
        """Whether the visitor is still there, and has not stopped it."""
        return not self.stopped and self.tab.here

    @property
    def below(self) -> bool:
        """Whether the job above it on the page is still unfinished."""
        return self.after is not None and not self.after.over.is_set()

    def stop(self) -> None:
        """Stop waiting."""
        self.stopped = True


_running: dict[Hashable, Job] = {}
"""What is being computed, for whomever."""
_lock = Lock()


def _leave(job: Job) -> None:
    """Take the job out of those that can be joined; the lock is held."""
    if _running.get(job.key) is job:
        del _running[job.key]


def finished(title: str, key: Hashable, result: Any, tab: Tab) -> Wait:
    """The wait for a job whose result is there already."""
    wait = Wait(Job(title, key, result=result, looks=1), tab)
    wait.job.over.set()
    return wait


def join(title: str, key: Hashable, function: Function, owner: str = "", tab: Tab | None = None, **more: Any) -> Wait:
    """Wait for the job under the key, which is begun where it is not running; `more` are further fields of the `Wait`."""
    with _lock:
        job = _running.get(key)
        begins = job is None
        if job is None:
            job = _running[key] = Job(title, key, owner=owner)
        wait = Wait(job, tab or Tab(), **more)
        job.waits.append(wait)
    if begins:
        job.turn = job_queue.enter_queue(job.owner, lambda: job.first, ready=not wait.below)
        try:
            Thread(target=job.work, args=(function,), daemon=True, name=title).start()
        except RuntimeError:  # there are no more threads to be had
            job.end()
            raise
    return wait


def outcome(error: Exception | None) -> str:
    """The outcome of a job, in a word."""
    if error is None:
        return "done"
    return (
        "stopped" if isinstance(error, Cancelled) else "refused" if isinstance(error, IrmevalError) else f"failed ({type(error).__name__})"
    )


def waits(title: str, key: Hashable) -> bool:
    """Whether this tab waits for the job already, or has its result."""
    wait = _tab().waits.get(title)
    return wait is not None and wait.job.key == key


def run(title: str, key: Hashable, function: Function, ready: Any = None) -> Any:
    """The last result of function(progress), or what there is so far, None where that is nothing; the page is redrawn when there is more.
    `ready` is the last result where another visitor's job made it before.

    A title has one job at a time for a tab: a new key stops the old job, unless others wait for it too.
    """
    tab = _tab()
    above = _above(title)
    new = not waits(title, key)
    if new:
        if title in tab.waits:
            tab.waits[title].stop()
        if ready is None:
            tab.waits[title] = join(title, key, function, visitors.owner(), tab, after=above)
        else:
            tab.waits[title] = finished(title, key, ready, tab)
    wait = tab.waits[title]
    wait.left, wait.after, wait.page = False, above, st.session_state.get("page", "")
    job = wait.job
    seen = job.looks and not new  # which a new one may or may not have yet: whether its result is waited for must not hang on that
    if not wait.stopped and not job.over.wait(SOON if seen or above else PATIENCE):
        _watched(title, job.looks)  # looked at before the result is: what comes between is drawn once more
        return job.result
    if wait.stopped or isinstance(job.error, Cancelled):
        st.info(f"Stopped after {job.done} of {job.total} steps. Computed results are kept.")
        if st.button("Go on", key=f"resume-{title}"):
            del tab.waits[title]
            st.rerun()
        return job.result
    if isinstance(job.error, IrmevalError):
        st.error(escape_markdown(str(job.error)))
        return None
    if job.error is not None:
        raise job.error
    return job.result


@contextmanager
def drawing() -> Iterator[None]:
    """Context in which a page is drawn; at its end `sidebar` knows the page's jobs, which go before those of pages that were left."""
    tab = _tab()
    tab.titles, tab.drawn = [], True
    try:
        with job_queue.drawing(visitors.owner()):
            yield
    finally:
        tab.seen, tab.drawn = time.monotonic(), False


def leave() -> None:
    """Another page is opened: the running jobs belong to the page before, unless this one asks for them too."""
    for wait in _tab().waits.values():
        wait.left = True


def forget_failed() -> None:
    """Forget failed jobs, so that they begin anew where they are asked for again."""
    waits = _tab().waits
    for title in [title for title, wait in waits.items() if wait.job.error is not None]:
        del waits[title]


def _above(title: str) -> Job | None:
    """The unfinished job of the block above this one on the page."""
    tab = _tab()
    if title not in tab.titles:
        tab.titles.append(title)
    waits = (tab.waits[other] for other in reversed(tab.titles[: tab.titles.index(title)]))
    return next((wait.job for wait in waits if not (wait.stopped or wait.job.over.is_set())), None)


def sidebar(pages: "Mapping[str, Page]") -> None:
    """Show the jobs that are still running for other pages than the one that was drawn, with a link to each."""
    tab = _tab()
    for title, wait in tab.waits.items():
        if title not in tab.titles and not wait.stopped and not wait.job.over.is_set():
            wait.left = True
            with st.sidebar:
                _watched(title, wait.job.looks, pages.get(wait.page))


def _tab() -> Tab:
    """The tab whose page is being drawn."""
    if "jobs" not in st.session_state:
        st.session_state["jobs"] = Tab(session_id())
    tab: Tab = st.session_state["jobs"]
    return tab


def _watched(title: str, looks: int, page: "Page | None" = None) -> None:
    """In a container: what of a fragment is not sent yet when it is drawn again is not sent at all, so that a browser would miss its place
    and break at whatever comes after it."""
    with st.container():
        _watch(title, looks, page)


@st.fragment(run_every=0.5)
def _watch(title: str, looks: int, page: "Page | None") -> None:
    """Show how far a job is; a job of another page has a link to it."""
    tab = _tab()
    tab.seen = time.monotonic()
    wait = tab.waits[title]
    job = wait.job
    if wait.stopped or job.over.is_set() or (job.looks > looks and not page):
        st.rerun()
    state = job.waits_turn or f"{job.done} of {job.total}{job.left()}"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(job.done / job.total, 1.0), f"{title}: {state}{SO_FAR if looks and not page else ''}")
        if page:
            st.page_link(page, label=f"To {menu.name_in(page.title)}")
        st.button("Stop", key=f"stop-{title}", on_click=wait.stop)
