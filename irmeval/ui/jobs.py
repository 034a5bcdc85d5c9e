"""Long work in the background: progress, a way to stop it, and other pages usable meanwhile.

The worker never calls Streamlit; it writes to its `Job`. A fragment looks at the job twice a second, redraws the page when
it is done, and its look is the job's heartbeat: with the browser gone, the work stops.
"""

import logging
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import streamlit as st

from irmeval import Cancelled, IrmevalError
from irmeval.report.tables import escape_markdown

log = logging.getLogger("irmeval")

PATIENCE = 0.8
"""Seconds a page waits before it shows progress instead of a result."""
HEARTBEAT = 20.0
"""Seconds without a look after which a job is taken to be an orphan."""


@dataclass
class Job:
    """One computation of one visitor."""

    title: str
    key: Hashable
    done: int = 0
    total: int = 1
    result: Any = None
    error: Exception | None = None
    stop: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)
    seen: float = field(default_factory=time.monotonic)

    def progress(self, done: int, total: int) -> None:
        """Told by the worker; raises where the work should stop."""
        self.done, self.total = done, total
        if self.stop.is_set() or time.monotonic() - self.seen > HEARTBEAT:
            raise Cancelled("Stopped.")

    def work(self, function: Callable[[Callable[[int, int], None]], Any]) -> None:
        """The body of the worker's thread; what became of it is a line in the log."""
        begun, start = time.strftime("%H:%M:%S"), time.monotonic()
        try:
            self.result = function(self.progress)
        except Exception as error:  # handed to the page, which shows or raises it
            self.error = error
        finally:
            log.info("job %s, begun %s: %s after %.1f s", self.title, begun, outcome(self.error), time.monotonic() - start)
            self.over.set()


def outcome(error: Exception | None) -> str:
    """What became of a job, in a word."""
    if error is None:
        return "done"
    return (
        "stopped" if isinstance(error, Cancelled) else "refused" if isinstance(error, IrmevalError) else f"failed ({type(error).__name__})"
    )


def run(title: str, key: Hashable, function: Callable[[Callable[[int, int], None]], Any]) -> Any:
    """The result of function(progress), or None while it is being computed or was stopped; the page is redrawn when it is there.

    A title has one job at a time: a new key stops the old job.
    """
    jobs: dict[str, Job] = st.session_state.setdefault("jobs", {})
    st.session_state["jobs_on_page"].add(title)
    job = jobs.get(title)
    if job is None or job.key != key:
        if job is not None:
            job.stop.set()
        job = jobs[title] = Job(title, key)
        Thread(target=job.work, args=(function,), daemon=True, name=title).start()
    job.seen = time.monotonic()
    if not job.over.wait(PATIENCE):
        _watch(title)
        return None
    if isinstance(job.error, Cancelled):
        st.info(f"Stopped after {job.done} of {job.total} steps. What was computed is kept.")
        if st.button("Go on", key=f"resume-{title}"):
            del jobs[title]
            st.rerun()
        return None
    if isinstance(job.error, IrmevalError):
        st.error(escape_markdown(str(job.error)))
        return None
    if job.error is not None:
        raise job.error
    return job.result


def begin() -> None:
    """Called before a page is drawn, so that `sidebar` knows which jobs are its own."""
    st.session_state["jobs_on_page"] = set()


def sidebar() -> None:
    """What is still being computed for other pages than the one that was drawn."""
    for title, job in st.session_state.get("jobs", {}).items():
        if title not in st.session_state["jobs_on_page"] and not job.over.is_set():
            with st.sidebar:
                _watch(title)


@st.fragment(run_every=0.5)
def _watch(title: str) -> None:
    job: Job = st.session_state["jobs"][title]
    if job.over.is_set():
        st.rerun()
    job.seen = time.monotonic()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(min(job.done / job.total, 1.0), f"{title}: {job.done} of {job.total}")
        st.button("Stop", key=f"stop-{title}", on_click=job.stop.set)
