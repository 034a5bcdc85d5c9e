"""What is being computed in the background: once for all who ask for the same, and no longer than somebody waits for it."""

from collections.abc import Callable, Iterator
from threading import Event

import pytest

from irmeval import Cancelled
from irmeval.ui import cached, experiment, jobs
from tests.dashboard import dashboard, fine, texts
from tests.serving import SECONDS


class Work:
    """Counts how often it is begun, and goes on until it is let go."""

    def __init__(self) -> None:
        self.begun, self.go = 0, Event()

    def __call__(self, progress: Callable[[int, int], None]) -> Iterator[str]:
        self.begun += 1
        yield "first look"
        while not self.go.wait(0.01):
            progress(1, 2)
        yield "result"


@pytest.fixture
def work():
    work = Work()
    yield work
    work.go.set()


def over(wait: jobs.Wait) -> jobs.Job:
    assert wait.job.over.wait(SECONDS)
    return wait.job


def test_job_when_two_visitors_ask_for_the_same_then_is_computed_once_for_both(work):
    one, other = jobs.join("Curves", "key", work), jobs.join("Curves", "key", work)
    assert one.job is other.job
    work.go.set()
    assert over(one).result == "result"
    assert work.begun == 1


def test_job_when_they_ask_for_different_things_then_each_has_its_own(work):
    one, other = jobs.join("Curves", "key", work), jobs.join("Curves", "other key", work)
    work.go.set()
    assert over(one) is not over(other)
    assert work.begun == 2


def test_job_when_another_stands_above_it_then_comes_after_it_or_once_nobody_waits_for_that(work):
    for stopped in (False, True):
        work.go.clear()
        above = jobs.join("Gains", "key", work)
        below = Work()
        below.go.set()
        wait = jobs.join("Binary", "other key", below, after=above.job)
        while not wait.job.waits_turn:
            assert not wait.job.over.is_set()
        assert (wait.job.waits_turn, below.begun) == ("waits for Gains", 0)
        above.stop() if stopped else work.go.set()
        assert over(wait).result == "result"
        assert above.job.over.is_set()


def test_job_when_it_was_over_before_then_is_begun_anew(work):
    work.go.set()
    over(jobs.join("Curves", "key", work))
    over(jobs.join("Curves", "key", work))
    assert work.begun == 2


def test_job_when_one_of_two_visitors_stops_then_goes_on_for_the_other(work):
    one, other = jobs.join("Curves", "key", work), jobs.join("Curves", "key", work)
    one.stop()
    work.go.set()
    assert over(other).result == "result"


def test_job_when_nobody_waits_any_more_then_stops_and_the_next_begins_anew(work):
    one, other = jobs.join("Curves", "key", work), jobs.join("Curves", "key", work)
    one.stop()
    other.seen -= jobs.HEARTBEAT + 1
    assert isinstance(over(one).error, Cancelled)
    work.go.set()
    assert over(jobs.join("Curves", "key", work)).result == "result"
    assert work.begun == 2


def test_job_when_steps_are_done_then_says_what_is_left():
    job = jobs.Job("Curves", "key")
    assert job.left() == ""
    job.begun -= 60
    job.done, job.total = 1, 3
    assert job.left() == ", about 2 min left"
    job.done = 2
    assert job.left() == ", about 30 s left"


def test_page_when_its_work_would_take_long_then_says_what_it_would_take_and_begins_at_the_press_of_a_button(monkeypatch):
    monkeypatch.setattr(experiment, "LONG", 0.0)
    empty = cached.Shelves()
    monkeypatch.setattr(cached, "store", lambda: empty)  # or what other tests have computed would cost nothing
    app = dashboard()
    app.query_params.update(trials="2", seed="4711")  # what nobody has computed yet
    fine(app.run())
    assert "Curves** would take about 1 s with these settings" in texts(app)
    assert "documents to score" in texts(app)
    assert not app.get("plotly_chart")
    fine(app.button(key="compute-Curves").click().run())
    assert app.get("plotly_chart")
    assert "would take" not in texts(app)
    fine(app.number_input(key="trials").set_value(3).run())
    assert "would take" in texts(app)
