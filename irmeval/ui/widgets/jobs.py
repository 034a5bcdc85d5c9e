"""Background jobs, with progress and a stop button; other pages can be used meanwhile.

A worker never calls Streamlit. It writes to its `Job`, which all who want the same
result share. On the page a fragment looks at the job twice a second, and draws the page
again when there is a result. The work ends with the last tab that waits. Jobs of the
page that is looked at go first (`irmeval.ui.state.job_queue`).
"""

import logging
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock, Thread
from typing import Any

import streamlit as st

from irmeval.core.errors import Cancelled, IrmevalError
from irmeval.core.tables import escape_markdown
from irmeval.core.text import capitalize, duration_in_words, seconds_left
from irmeval.ui.state import job_queue, keys, visitors
from irmeval.ui.state.mailboxes import JOBS
from irmeval.ui.state.streamlit_internals import is_open, session_id
from irmeval.ui.state.tab_state import widgets
from irmeval.ui.widgets import answer, inputs, menu

log = logging.getLogger("irmeval")

PATIENCE = 0.8
"""Seconds that a page waits for a result before it shows progress."""
SOON = 0.1
"""The same if there is a preliminary result, or a job above on the page."""
SO_FAR = "; results so far are below"
PAUSED = "waiting for the page you are viewing"
PILOT_SECONDS = 5.0
"""Seconds of work after which the remaining time is estimated from the steps so far."""
LONG_SECONDS = 60.0
"""Seconds that the remaining work may take without asking the visitor."""
HEARTBEAT = 20.0
"""Seconds without a request after which a disconnected tab counts as gone."""
Progress = Callable[[int, int], None]
Function = Callable[[Progress], Iterable[Any]]
"""Function that computes results, each better than the one before."""


@dataclass(eq=False)
class Job:
    """One computation, under a key of everything it depends on."""

    title: str
    key: Hashable
    done: int = 0
    total: int = 1
    result: Any = None
    """last result so far"""
    looks: int = 0
    """number of results so far"""
    error: Exception | None = None
    waits: "list[Wait]" = field(default_factory=list)
    over: Event = field(default_factory=Event)
    kept: int | None = None
    """steps done when the computation of the next result began, since their results
    were cached; None before it is known
    """
    begun: float = field(default_factory=time.monotonic)
    """when the computation of the next result began, on `_clock`"""
    owner: str = ""
    """first visitor who asked for it"""
    preview: float = 1.0
    """share of the steps after which there is the next result"""
    turn: job_queue.Turn = field(init=False)
    """its place in the queue"""
    asks: float = 0.0
    """remaining seconds when it stopped to ask the visitors; 0 if it did not"""
    waits_turn: str = ""
    """what it waits for, if anything"""

    def __post_init__(self) -> None:
        self.turn = job_queue.Turn(self.owner, self.first)

    def first(self) -> bool:
        """Whether this job is visible and unblocked."""
        return any(not wait.left and not wait.below for wait in self.open_waits)

    @property
    def open_waits(self) -> "list[Wait]":
        """Those in open tabs whose visitors have not stopped the job."""
        return [wait for wait in self.waits if wait.waiting]

    def progress(self, done: int, total: int) -> None:
        """Note the progress, pause while others precede, and raise `Cancelled` if
        nobody waits, or if the rest takes long and nobody has agreed. Called by the
        worker at every step.
        """
        if self.kept is None or total != self.total:
            self.kept, self.begun = done, self._clock()
        self.done, self.total = done, total
        self._check()
        if self._clock() - self.begun > PILOT_SECONDS and self._is_long():
            self.asks = self.seconds_left(self.total)
            raise Cancelled("It takes a long time.")
        # here, since a worker has no other place to stop: nobody can end a thread from outside
        job_queue.pause_for_others(self.turn, partial(self._wait, PAUSED))
        self.waits_turn = ""

    def _is_long(self) -> bool:
        """Whether the next result takes longer than anybody has agreed to."""
        left = self.seconds_left(max(1, round(self.preview * self.total)))
        return left > LONG_SECONDS and not any(w.agreed for w in self.waits)

    def work(self, function: Function) -> None:
        """Body of the worker's thread. Logs a line at the end."""
        begun, start = time.strftime("%H:%M:%S"), time.monotonic()
        try:
            while above := self._above():
                self._wait(f"waiting for {above.title}")
                above.over.wait(job_queue.LOOK)
            job_queue.wait_for_turn(self.turn, partial(self._wait, "queued; the server is busy"))
            self.waits_turn, self.begun = "", self._clock()
            # each result may be shown while the next one is computed
            for result in function(self.progress):
                self.result = result
                self.looks += 1
                # whoever has a first result is asked about all that is left
                self.preview = 1.0
                self.kept, self.begun = None, self._clock()
        except Exception as error:  # the page shows or raises it
            self.error = error
        finally:
            self.end()
            took = time.monotonic() - start
            log.info(
                "job %s, begun %s: %s after %.1f s", self.title, begun, outcome(self.error), took
            )
            self.over.set()

    def end(self) -> None:
        """End the job: nobody can join it any more, and others get their turn."""
        with _lock:
            _leave(self)
        job_queue.leave_queue(self.turn)

    def _above(self) -> "Job | None":
        """Job to finish before it, if it is unfinished and above it on the page for all
        who wait.
        """
        waits = self.open_waits
        if not waits or not all(wait.below for wait in waits):
            return None
        return waits[0].after

    def _check(self) -> None:
        with _lock:
            if self.open_waits:
                return
            _leave(self)  # a later request starts a new job
        raise Cancelled("Stopped.")

    def _wait(self, what: str) -> None:
        self.waits_turn = what
        self._check()

    def _clock(self) -> float:
        """A clock in seconds that stops while the job is paused."""
        return time.monotonic() - self.turn.paused

    def seconds_left(self, end: int) -> float:
        """Time left until a step, estimated from the steps so far; 0 before the first."""
        if self.kept is None:
            return 0.0
        return seconds_left(self._clock() - self.begun, self.done - self.kept, end - self.kept)

    @property
    def share(self) -> float:
        """Share of the steps that is done."""
        return min(self.done / self.total, 1.0)

    def state(self) -> str:
        """What it waits for, or how far it is."""
        return self.waits_turn or f"{self.done} of {self.total}{self.left()}"

    def left(self) -> str:
        """Time left in words; empty while it is unknown, and at the end."""
        left = self.seconds_left(self.total)
        if not left:
            return ""
        return f", {duration_in_words(left)} left"


@dataclass(eq=False)
class Tab:
    """A tab of a browser, with the jobs that it waits for or whose results it has, by
    title.
    """

    session: str = ""
    """Streamlit's session"""
    waits: "dict[str, Wait]" = field(default_factory=dict)
    seen: float = field(default_factory=time.monotonic)
    """time of its last request of a job"""
    drawn: bool = False
    """whether its page is being drawn"""
    agreed: dict[str, Hashable] = field(default_factory=dict)
    """keys of the work that its visitor has told to continue, however long it takes, by
    title
    """
    titles: list[str] = field(default_factory=list)
    """jobs of its page, from top to bottom"""
    asked: dict[str, Hashable] = field(default_factory=dict)
    """what its visitor has asked for by a button, by title"""
    shown: dict[str, tuple[str, Callable[[], object]]] = field(default_factory=dict)
    """page, and what draws again what it has last shown of an experiment, by name"""

    @property
    def here(self) -> bool:
        """Whether the tab is still open. A background tab seldom makes requests, but
        stays connected.
        """
        was_here = time.monotonic() - self.seen <= HEARTBEAT
        return self.drawn or was_here or is_open(self.session)


@dataclass(eq=False)
class Wait:
    """One tab's wait for a job."""

    job: Job
    tab: Tab = field(default_factory=Tab)
    page: str = ""
    """URL path of the page that asked for it last"""
    after: Job | None = None
    """job above it on the page, which is first, since a reader sees its result first"""
    agreed: bool = False
    """whether its visitor has agreed to a long run"""
    stopped: bool = False
    left: bool = False
    """whether the tab shows another page"""
    told: bool = False
    """whether its page has said that the job was stopped, and why"""
    before: Any = None
    """result of an earlier key that stays until this job is done"""

    @property
    def result(self) -> Any:
        """The result to show: that of the job so far, or the one before."""
        has_ended_well = self.job.over.is_set() and self.job.error is None
        if self.before is None or has_ended_well:
            return self.job.result
        return self.before

    @property
    def waiting(self) -> bool:
        """Whether the tab is open, and its visitor has not stopped the job."""
        return not self.stopped and self.tab.here

    @property
    def is_running(self) -> bool:
        """Whether the job goes on, and its visitor has not stopped it."""
        return not self.stopped and not self.job.over.is_set()

    @property
    def asks(self) -> float:
        """Remaining seconds if the job stopped to ask this visitor; 0 if it did not, or
        they stopped it themselves.
        """
        if self.stopped:
            return 0.0
        return self.job.asks

    @property
    def below(self) -> bool:
        """Whether the job above it on the page is unfinished."""
        return self.after is not None and not self.after.over.is_set()

    def stop(self) -> None:
        """Stop waiting."""
        self.stopped = True


_running: dict[Hashable, Job] = {}
"""Jobs that can be joined."""
_lock = Lock()


def _leave(job: Job) -> None:
    """Remove a job from those that can be joined; the lock is held."""
    if _running.get(job.key) is job:
        del _running[job.key]


def join(
    title: str,
    key: Hashable,
    function: Function,
    owner: str = "",
    preview: float = 1.0,
    **more: Any,
) -> Wait:
    """Wait for the job under the key, and start it if it is not running; `more` are
    other fields of the `Wait`.
    """
    # two tabs that ask at once for the same share one job
    with _lock:
        begins = key not in _running
        job = _running.setdefault(key, Job(title, key, owner=owner, preview=preview))
        wait = Wait(job, **more)
        job.waits.append(wait)
    if begins:
        job_queue.enter_queue(job.turn, ready=not wait.below)
        try:
            Thread(target=job.work, args=(function,), daemon=True, name=title).start()
        except RuntimeError:  # the system has no more threads
            job.end()
            raise
    return wait


def outcome(error: Exception | None) -> str:
    """The outcome of a job, in a word."""
    if error is None:
        return "done"
    if isinstance(error, Cancelled):  # which is an `IrmevalError`, too
        return "stopped"
    if isinstance(error, IrmevalError):
        return "refused"
    return f"failed ({type(error).__name__})"


def waits(title: str, key: Hashable) -> bool:
    """Whether this tab waits for the job or has its result."""
    wait = _tab().waits.get(title)
    return wait is not None and wait.job.key == key


def lacks_result(title: str) -> bool:
    """Whether the job is the first of its page and has no result to show, as it runs, or
    has stopped, be it to ask.
    """
    tab = _tab()
    wait = tab.waits.get(title)
    if wait is None or tab.titles[:1] != [title]:
        return False
    return isinstance(wait.job.error, Cancelled | None)


def note_shown(name: str, draw: Callable[[], object]) -> None:
    """Keep what draws again what the page shows of an experiment, until it has the next
    result.
    """
    _tab().shown[name] = keys.page_path(), draw


def shown_before(name: str) -> Callable[[], object] | None:
    """What draws again what the page has last shown of an experiment; None if that was
    another page.
    """
    page, draw = _tab().shown.get(name, ("", None))
    if page != keys.page_path():
        return None
    return draw


def show_error(error: IrmevalError) -> None:
    """Show why work was refused."""
    st.error(escape_markdown(str(error)))


def say_what_is_left(job: Job) -> str:
    """How much of a job that takes long is done, and how long the rest takes."""
    left = duration_in_words(job.asks)
    return (
        f"Stopped after {job.done} of {job.total} steps: the rest takes {left}. Computed results"
        " are kept."
    )


def run(
    title: str,
    key: Hashable,
    function: Function,
    ready: Any = None,
    stays: Callable[[Any], bool] = lambda key: False,
    *,
    preview: float = 1.0,
    ask: Callable[[Job], str] = say_what_is_left,
    refuse: Callable[[IrmevalError], object] = show_error,
) -> Any:
    """Last result so far of function(progress), None if there is none; the page is
    redrawn for each further one. `ready` is the result if it is known. Each title has
    one job in a tab: a new key stops the old job, unless others wait for it too. If the
    old key `stays`, its result is returned until the new job is done. After the share
    `preview` of the steps there is a first result; where the rest takes long, the
    visitor gets the text of `ask`. If the function refuses its input, the error is given
    to `refuse`.
    """
    tab, above = _tab(), _above(title)
    is_new = not waits(title, key)
    if is_new:
        before = _stop(tab.waits.get(title), stays)
        agreed = tab.agreed.get(title) == key
        if ready is None:
            more = {"tab": tab, "after": above, "agreed": agreed, "before": before}
            tab.waits[title] = join(title, key, function, visitors.owner(), preview, **more)
        else:
            tab.waits[title] = _done(title, key, ready, tab)
    wait = tab.waits[title]
    wait.left, wait.after, wait.page = False, above, keys.page_path()
    # a new job gets the same patience, whether or not it has a first result already
    is_seen = wait.job.looks and not is_new
    patience = PATIENCE
    if is_seen or above:
        patience = SOON
    if not wait.stopped and not wait.job.over.wait(patience):
        # read before the result: a result in between causes one more drawing
        _watched(title, wait.job.looks)
        return wait.result
    if wait.stopped or isinstance(wait.job.error, Cancelled):
        # nothing stands above a result: more of it is offered below the charts
        with nullcontext() if wait.result is None else answer.rest():
            _offer_to_go_on(title, wait, ask)
        return wait.result
    return _result_of(wait.job, refuse)


def _stop(old: Wait | None, stays: Callable[[Any], bool]) -> Any:
    """Stop waiting for an earlier job, if there is one; return its result if that stays."""
    if old is None:
        return None
    old.stop()
    if not stays(old.job.key):
        return None
    return old.result


def _done(title: str, key: Hashable, ready: Any, tab: Tab) -> Wait:
    """A wait that is over, since the result is known."""
    wait = Wait(Job(title, key, result=ready, looks=1), tab)
    wait.job.over.set()
    return wait


def _result_of(job: Job, refuse: Callable[[IrmevalError], object]) -> Any:
    """The result of a job that has ended by itself; its error is raised, or given to
    `refuse` if it is one of the input.
    """
    if isinstance(job.error, IrmevalError):
        refuse(job.error)
        return None
    if job.error is not None:
        raise job.error
    return job.result


def _offer_to_go_on(title: str, wait: Wait, ask: Callable[[Job], str]) -> None:
    """Draw how much of a stopped job is done, and the button that goes on with it."""
    tab, job = _tab(), wait.job
    said = f"Stopped after {job.done} of {job.total} steps. Computed results are kept."
    if wait.asks:
        said = ask(job)
    st.info(escape_markdown(said))
    wait.told = True
    if st.button("Go on", key=f"resume-{title}"):
        # of this key alone: with other settings the rest may take hours
        tab.agreed[title] = job.key
        del tab.waits[title]
        st.rerun()


@contextmanager
def drawing() -> Iterator[None]:
    """Context in which a page is drawn. It records the page's jobs for `sidebar`, and
    precedes jobs of other pages.
    """
    tab = _tab()
    # which jobs are of this page is known only as it asks for them
    tab.titles, tab.drawn = [], True
    try:
        with job_queue.drawing(visitors.owner()):
            yield
    finally:
        tab.seen, tab.drawn = time.monotonic(), False


def leave() -> None:
    """Leave the page's jobs when another page is opened, unless the new one asks for
    them too.
    """
    for wait in _tab().waits.values():
        wait.left = True


def forget_failed() -> None:
    """Drop failed jobs, so that they start again on request."""
    tab = _tab()
    tab.waits = {title: wait for title, wait in tab.waits.items() if wait.job.error is None}


def _above(title: str) -> Job | None:
    """Unfinished job of the block above this one on the page."""
    tab = _tab()
    if title not in tab.titles:
        tab.titles.append(title)
    others = tab.titles[: tab.titles.index(title)]
    running = (tab.waits[other].job for other in reversed(others) if tab.waits[other].is_running)
    return next(running, None)


def sidebar(pages: Mapping[str, st.Page]) -> None:
    """Show the running jobs of other pages, and those that ask, with links."""
    tab = _tab()
    with st.sidebar:
        for title, wait in tab.waits.items():
            if title not in tab.titles:
                _show_other(title, wait, pages.get(wait.page))


def _show_other(title: str, wait: Wait, page: st.Page | None) -> None:
    """Show a job of another page if it runs, or asks and nobody has been told."""
    if wait.is_running:
        wait.left = True
        _watched(title, wait.job.looks, page)
    elif wait.asks and not wait.told and page:
        left = capitalize(duration_in_words(wait.asks))
        st.caption(f"{escape_markdown(title.removesuffix('?'))}: {left} more. Continue?")
        _link_to(page)


def ask_for(title: str, what: Hashable) -> None:
    """Note that the visitor has asked for work by a button: it is not begun before."""
    _tab().asked[title] = what


def is_asked(title: str, what: Hashable) -> bool:
    """Whether they have asked for this, and for nothing else by that button since."""
    return _tab().asked.get(title) == what


def _tab() -> Tab:
    """The jobs of this tab."""
    found: Tab = JOBS.get() or Tab(session_id())
    JOBS.set(found)
    return found


def _watched(title: str, looks: int, page: st.Page | None = None) -> None:
    """`_watch` in a container, so that the browser finds its place even if Streamlit
    drops unsent parts of a redrawn fragment.

    An invisible field holds when the page was drawn. What a browser asks for by itself
    may still carry the values of widgets from before that, and the page must not be
    drawn again with these; then the field holds another time.
    """
    with st.container():
        name = f"drawn-{title}"
        # the clock, as it never has a value twice
        widgets[keys.widget_key(name)] = drawn = str(time.monotonic_ns())
        inputs.text("Drawn", name=name, label_visibility="collapsed")
        _watch(title, looks, page, keys.widget_key(name), drawn)


@st.fragment(run_every=0.5)
def _watch(title: str, looks: int, page: st.Page | None, field: str, drawn: str) -> None:
    """Show the progress of a job; a job of another page has a link to it."""
    tab = _tab()
    tab.seen = time.monotonic()
    wait = tab.waits[title]
    if _has_news(wait, looks, page) and widgets[field] == drawn:
        st.rerun()
    so_far = ""
    if wait.result is not None and not page:
        so_far = SO_FAR
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(wait.job.share, f"{title.removesuffix('?')}: {wait.job.state()}{so_far}")
        if page:
            _link_to(page)
        st.button("Stop", key=f"stop-{title}", on_click=wait.stop)


def _has_news(wait: Wait, looks: int, page: st.Page | None) -> bool:
    """Whether there is more to show than when the page was drawn."""
    if not wait.is_running:
        return True
    # on another page nobody sees a further result, nor where an earlier one stays
    if page or wait.before is not None:
        return False
    return wait.job.looks > looks


def _link_to(page: st.Page) -> None:
    st.page_link(page, label=f"To {escape_markdown(menu.name_of(page.url_path))}")
