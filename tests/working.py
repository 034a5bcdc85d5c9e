"""Work for jobs, which goes on until a test lets it go."""

from collections.abc import Callable, Iterator
from threading import Event

from irmeval.ui.widgets import jobs
from tests.serving import SECONDS


class Work:
    """Counts how often it is begun and its steps, and goes on until it is let go."""

    def __init__(self, *, silent: bool = False) -> None:
        self.begun, self.steps, self.silent = 0, 0, silent
        self.started, self.go = Event(), Event()

    def __call__(self, progress: Callable[[int, int], None]) -> Iterator[str]:
        self.begun += 1
        yield "first look"
        self.started.set()
        while not self.go.wait(SECONDS if self.silent else 0.01):
            progress(1, 2)
            self.steps += 1
        yield "result"


def over(wait: jobs.Wait) -> jobs.Job:
    assert wait.job.over.wait(SECONDS)
    return wait.job


def waits(wait: jobs.Wait) -> str:
    """For what a job has come to wait."""
    while not wait.job.waits_turn:
        assert not wait.job.over.wait(0.01)
    return wait.job.waits_turn


def gets_on(work: Work) -> None:
    """Until it has made some more steps."""
    enough = work.steps + 10
    while work.steps < enough:
        assert not work.go.wait(0.01)


def under_way(title: str, work: Work, owner: str = "") -> jobs.Wait:
    """A job that has been begun."""
    wait = jobs.join(title, work, work, owner)
    assert work.started.wait(SECONDS)
    return wait
