"""What is being computed in the background: once for all who ask for the same, no
longer than somebody waits for it, and what is looked at first.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from threading import Event
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from irmeval import Cancelled
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.state import cache, job_queue, quotas
from irmeval.ui.widgets import jobs, output
from tests.dashboard import LESS, dashboard, fine, opened, texts
from tests.serving import SECONDS
from tests.working import Work, gets_on, over, under_way, waits


@pytest.fixture
def work(works):
    return works()


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


def test_job_when_another_stands_above_it_then_comes_after_it_or_once_nobody_waits_for_that(works):
    for stopped in (False, True):
        work, below = works(), works()
        above = jobs.join("Gains", "key", work)
        below.go.set()
        wait = jobs.join("Binary", "other key", below, after=above.job)
        assert (waits(wait), below.begun) == ("waiting for Gains", 0)
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
    other.tab.seen -= jobs.HEARTBEAT + 1
    assert isinstance(over(one).error, Cancelled)
    work.go.set()
    assert over(jobs.join("Curves", "key", work)).result == "result"
    assert work.begun == 2


def test_job_when_it_was_left_then_waits_for_what_is_looked_at_and_goes_on_where_it_was(works):
    one, other = works(), works()
    left = under_way("Curves", one)
    left.left = True
    gets_on(one)  # as nothing else is looked at
    looked_at = under_way("Gains", other)
    assert waits(left) == jobs.PAUSED
    steps = one.steps
    gets_on(other)
    assert (one.steps, left.job.result) == (steps, "first look")
    other.go.set()
    assert over(looked_at).result == "result"
    gets_on(one)
    one.go.set()
    assert over(left).result == "result"
    assert one.begun == 1


def test_job_when_it_is_looked_at_again_or_by_somebody_else_then_goes_on_beside_the_other(works):
    one, other = works(), works()
    left = under_way("Curves", one, "one")
    left.left = True
    under_way("Gains", other, "one")
    for back in (
        lambda: setattr(left, "left", False),
        lambda: jobs.join("Curves", one, one, "two"),
    ):
        left.left = True
        waits(left)
        back()
        gets_on(one)
    gets_on(other)


def test_job_when_nobody_waits_for_it_while_it_pauses_then_stops(works):
    one, other = works(), works()
    left = under_way("Curves", one)
    left.left = True
    looked_at = under_way("Gains", other)
    waits(left)
    left.stop()
    assert isinstance(over(left).error, Cancelled)
    other.go.set()
    assert over(looked_at).result == "result"


def test_job_when_it_stands_below_another_that_is_new_then_waits_for_it_though_it_was_begun(works):
    above, below = works(), works()
    findings = under_way("Findings", below)
    exhibit = under_way("Table or figure", above)
    findings.after = exhibit.job
    assert waits(findings) == jobs.PAUSED
    above.go.set()
    gets_on(below)


def test_job_when_its_visitor_has_as_many_as_allowed_then_takes_the_place_of_one_that_was_left(
    monkeypatch, works
):
    monkeypatch.setenv(quotas.JOBS, "1")
    first, second, third = works(), works(), works()
    left = under_way("Curves", first)
    left.left = True
    another = under_way("Gains", second)
    another.left = True
    last = jobs.join("Pools", third, third)
    assert waits(last) != jobs.PAUSED  # as many pause as are allowed at once: each keeps its memory
    assert not third.begun
    second.go.set()
    over(another)
    assert third.started.wait(SECONDS)
    third.go.set()
    first.go.set()
    assert [over(wait).result for wait in (left, last)] == ["result"] * 2


def test_job_when_what_is_looked_at_makes_no_step_then_is_not_held_up_by_it(monkeypatch, works):
    monkeypatch.setattr(job_queue, "SILENCE", -1.0)
    one = works()
    left = under_way("Curves", one)
    left.left = True
    under_way("Gains", works(silent=True))  # which may wait for the one that was left
    gets_on(one)


class Waits(Exception):
    """It is not its turn."""


@contextmanager
def place(owner: str, first: Callable[[], bool]) -> Iterator[job_queue.Turn]:
    """Among the jobs that are to be computed."""
    own = job_queue.Turn(owner, first)
    job_queue.enter_queue(own)
    try:
        yield own
    finally:
        job_queue.leave_queue(own)


def test_job_when_it_was_left_then_runs_beside_others_and_gives_them_its_place_when_all_is_full(
    monkeypatch,
):
    monkeypatch.setattr(job_queue, "LOOK", 2.0**-9)

    def look() -> None:
        raise Waits

    with place("one", lambda: False) as left, place("two", lambda: True) as theirs:
        for own in (theirs, left):
            job_queue.wait_for_turn(own, look)
        job_queue.pause_for_others(left, look)
        with job_queue.drawing("two"):
            job_queue.pause_for_others(left, look)
        with job_queue.drawing("one"), pytest.raises(Waits):
            job_queue.pause_for_others(left, look)
        job_queue.pause_for_others(left, look)
        monkeypatch.setenv(quotas.JOBS_ALL, "2")
        with place("three", lambda: True) as waiting:
            with pytest.raises(Waits):
                job_queue.pause_for_others(left, look)
            job_queue.wait_for_turn(waiting, look)
        job_queue.pause_for_others(left, look)


def test_visitor_when_their_page_takes_long_to_draw_or_is_behind_others_then_is_still_there(
    monkeypatch,
):
    connected = {"behind others"}
    monkeypatch.setattr(jobs, "is_open", connected.__contains__)
    for session in ("behind others", "gone"):
        tab = jobs.Tab(session)
        wait = jobs.Wait(jobs.Job("Curves", "key"), tab)
        tab.seen -= jobs.HEARTBEAT + 1
        assert wait.waiting == (session in connected)
        tab.drawn = True
        assert wait.waiting


def drawn():
    """A page of one job."""
    import streamlit as st

    from irmeval.ui.widgets import jobs

    def results(progress):
        yield from ("first look", "result")

    with jobs.drawing():
        st.write(jobs.run("Curves", "key", results))


class Over(Event):
    """Tells that it is waited for, by who does not only look."""

    def __init__(self) -> None:
        super().__init__()
        self.waited_for = Event()

    def wait(self, timeout: float | None = None) -> bool:
        if timeout:
            self.waited_for.set()
        return super().wait(timeout)


def test_page_when_its_work_has_begun_before_it_looks_then_waits_for_the_result_all_the_same(
    monkeypatch,
):
    all_done, join = Over(), jobs.join

    def joined(
        title: str, key: object, function: jobs.Function, *who: object, **more: object
    ) -> jobs.Wait:
        def slowly(progress: Callable[[int, int], None]) -> Iterator[str]:
            first, last = function(progress)
            yield first
            assert all_done.waited_for.wait(SECONDS)
            yield last

        wait = join(title, key, slowly, *who, **more)
        while not wait.job.looks:
            assert not wait.job.over.wait(0.01)
        wait.job.over = all_done
        return wait

    monkeypatch.setattr(jobs, "join", joined)
    monkeypatch.setattr(jobs, "SOON", 0.0)
    app = AppTest.from_function(drawn, default_timeout=SECONDS).run()
    all_done.waited_for.set()
    assert [element.value for element in fine(app).markdown] == ["result"]


def test_notice_when_a_job_was_left_then_leads_to_its_page_and_says_of_nothing_that_it_is_below(
    works,
):
    work = works()
    tab = jobs.Tab()
    tab.waits["Scorecard"] = wait = jobs.join("Scorecard", work, work, tab=tab, page="scorecard")
    assert work.started.wait(SECONDS)
    app = fine(opened("pages/data/collection.py", jobs=tab))
    assert wait.left
    [link] = [link for link in app.sidebar.get("page_link") if "Scorecard" in link.proto.label]
    assert link.proto.page == "scorecard"
    [bar] = [bar.proto.text for bar in app.sidebar.get("progress")]
    assert bar.startswith("Scorecard: ")
    assert jobs.SO_FAR not in bar


@pytest.mark.parametrize(
    "steps",
    [
        [(0, 0, 3, ""), (60, 1, 3, ", about 2 min left"), (0, 2, 3, ", about 30 s left")],
        [(0, 0, 1, ""), (0, 100, 500, ""), (1, 101, 500, ", about 7 min left")],
        [(0, 0, 30, ""), (40, 1, 60, None), (1, 2, 60, ", about 58 s left")],
    ],
    ids=["of one kind", "of which some were done before", "of which others begin"],
)
def test_job_when_steps_are_done_then_those_since_of_their_kind_tell_what_is_left(
    steps, monkeypatch
):
    """Seconds that pass, steps done by then, all steps, and what is said."""
    monkeypatch.setattr(jobs.job_queue, "pause_for_others", lambda own, look: None)
    job = jobs.Job("Curves", "key")
    job.waits.append(jobs.Wait(job, agreed=True))
    assert job.left() == ""
    for seconds, done, total, said in steps:
        job.begun -= seconds
        job.progress(done, total)
        assert said in (None, job.left())


def test_page_when_first_steps_show_that_the_rest_takes_long_then_asks_and_goes_on_when_pressed(
    monkeypatch,
):
    monkeypatch.setattr(jobs, "PILOT_SECONDS", -1.0)
    monkeypatch.setattr(jobs, "LONG_SECONDS", 0.0)
    empty = cache.Cache()
    # or what other tests have computed would take no time
    monkeypatch.setattr(cache, "store", lambda: empty)
    app = dashboard()
    # what nobody has computed yet
    app.query_params.update({"curves.trials": "2", "curves.seed": "4711"})
    fine(app.run())
    told = (
        r"About 1 s more to watch scores, .*\. Continue\? \d+ of \d+ steps are done and"
        r" kept. With 1 trial, it takes"
    )
    assert re.search(told, texts(app)), texts(app)
    assert not app.get("plotly_chart")
    assert "waiting-curves" in {drawn.key for drawn in app.main}, "a page that asks is not white"
    fine(app.button(key="resume-Curves").click().run())
    assert app.get("plotly_chart")
    assert "Continue?" not in texts(app)
    fine(app.number_input(key="curves.trials").set_value(3).run())
    assert "Continue?" in texts(app)


def asking(works: Callable[..., Work], **fields: bool) -> tuple[jobs.Tab, jobs.Wait]:
    """A tab that has left the job of *Curves*, which has stopped to ask."""
    work, tab = works(), jobs.Tab()
    tab.waits["Curves"] = wait = under_way("Curves", work)
    wait.tab, wait.page = tab, ""
    wait.job.result, wait.job.asks = None, 600.0
    wait.job.error = Cancelled("It takes a long time.")
    wait.job.over.set()
    for name, value in fields.items():
        setattr(wait, name, value)
    return tab, wait


@pytest.mark.parametrize(
    ("fields", "asks"),
    [({}, True), ({"stopped": True}, False), ({"told": True}, False)],
    ids=["of itself", "by its visitor, who pressed as it asked", "which its page has said"],
)
def test_job_when_it_stops_to_ask_while_another_page_is_viewed_then_the_sidebar_asks_once(
    works, fields, asks
):
    tab, wait = asking(works, **fields)
    app = fine(opened("pages/data/collection.py", jobs=tab))
    said = "Curves: About 10 min more. Continue?"
    assert (said in [caption.value for caption in app.sidebar.caption]) == asks
    links = [link.proto.label for link in app.sidebar.get("page_link")]
    assert ("To Curves" in links) == asks
    assert wait.told == fields.get("told", False)


@pytest.mark.parametrize("stopped", [False, True])
def test_page_when_its_job_has_asked_then_says_so_unless_its_visitor_has_stopped_it(
    monkeypatch, works, stopped
):
    tab, wait = asking(works, stopped=stopped)
    monkeypatch.setattr(jobs, "waits", lambda title, key: True)
    app = fine(dashboard(jobs=tab).run())
    stops, continues = (part in texts(app) for part in ("Stopped after", "Continue?"))
    assert (stops, continues) == (stopped, not stopped)
    assert wait.told


def test_job_when_its_first_result_is_near_then_does_not_ask_before_that(monkeypatch):
    monkeypatch.setattr(jobs.job_queue, "pause_for_others", lambda own, look: None)
    monkeypatch.setattr(jobs, "LONG_SECONDS", 60.0)  # which tests of pages have as endless
    for preview, asks in ((1.0, 190.0), (0.2, 0.0)):
        job = jobs.Job("Orders", "key", preview=preview)
        job.waits.append(jobs.Wait(job))
        job.progress(0, 20)
        job.begun -= 10
        with suppress(Cancelled):
            job.progress(1, 20)  # the first result is after 4 steps, in 30 s
        assert job.asks == pytest.approx(asks, abs=5)
    job.preview, job.kept = 1.0, 0  # once the first result is there
    with pytest.raises(Cancelled):
        job.progress(1, 20)


def test_page_when_a_measure_is_added_then_its_charts_stay_until_all_is_computed(monkeypatch):
    empty = cache.Cache()
    monkeypatch.setattr(cache, "store", lambda: empty)
    app = dashboard()
    app.query_params.update(
        {"curves.trials": "2", "curves.seed": "4712", "measures": ["AP", "Bpref"]}
    )
    charts = [chart.proto.spec for chart in fine(app.run()).get("plotly_chart")]
    assert charts
    go, join = Event(), jobs.join

    def joined(
        title: str, key: object, function: jobs.Function, *who: object, **more: object
    ) -> jobs.Wait:
        def late(progress: Callable[[int, int], None]) -> Iterator[object]:
            for result in function(progress):
                yield result
                assert go.wait(SECONDS)

        return join(title, key, late, *who, **more)

    monkeypatch.setattr(jobs, "join", joined)
    monkeypatch.setattr(jobs, "PATIENCE", 0.0)
    app.multiselect(key="measures").set_value(["AP", "Bpref", "RR"]).run()
    assert [chart.proto.spec for chart in fine(app).get("plotly_chart")] == charts
    assert jobs.SO_FAR in app.get("progress")[0].proto.text
    go.set()
    over(app.session_state["jobs"].waits["Curves"])
    assert "RR" in "".join(chart.proto.spec for chart in fine(app.run()).get("plotly_chart"))
    app.multiselect(key="measures").set_value(["AP", "Q"]).run()
    assert "RR" in "".join(chart.proto.spec for chart in fine(app).get("plotly_chart")), (
        "what is not asked for stays, in grey, until there is something new"
    )
    assert jobs.SO_FAR not in app.get("progress")[0].proto.text
    go.set()
    over(app.session_state["jobs"].waits["Curves"])
    assert all("RR" not in chart.proto.spec for chart in fine(app.run()).get("plotly_chart"))


@pytest.mark.parametrize("page", ["leaderboard", "two-runs", "matrix", "topics"])
def test_page_when_a_setting_changes_then_what_it_showed_stays_in_grey(monkeypatch, page):
    app = opened(f"pages/runs/{page}.py", {"measures": ["AP"], **LESS})
    assert f"stale-{page}" not in {drawn.key for drawn in fine(app).main}
    monkeypatch.setattr(jobs, "run", lambda *given, **more: None)
    monkeypatch.setattr(jobs, "lacks_result", lambda title: True)
    app = fine(app.run())
    assert f"stale-{page}" in {drawn.key for drawn in app.main}
    assert app.get("plotly_chart")
    assert bool(app.dataframe) == (page == "leaderboard")


def test_page_when_it_has_no_result_yet_then_a_frame_says_what_is_computed(monkeypatch):
    monkeypatch.setattr(jobs, "run", lambda *given, **more: None)
    monkeypatch.setattr(jobs, "lacks_result", lambda title: True)
    app = fine(dashboard(measures=["AP"]).run())
    assert EXPERIMENTS["curves"].does in " ".join(caption.value for caption in app.caption)


def test_job_when_one_of_its_visitors_has_agreed_that_it_takes_long_then_it_asks_nobody(
    monkeypatch,
):
    monkeypatch.setattr(jobs, "PILOT_SECONDS", -1.0)
    monkeypatch.setattr(jobs, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(jobs.job_queue, "pause_for_others", lambda own, look: None)
    job = jobs.Job("Curves", "key")
    job.waits += [jobs.Wait(job), jobs.Wait(job, agreed=True)]
    job.progress(1, 100)
    job.progress(2, 100)
    assert not job.asks
    del job.waits[1]
    with pytest.raises(Cancelled):
        job.progress(3, 100)
    assert job.asks > 0


def test_table_when_it_is_very_long_then_a_browser_gets_the_first_rows_and_is_told(monkeypatch):
    monkeypatch.setattr(output, "SENT", 60)
    app = fine(opened("pages/runs/leaderboard.py"))
    assert all(table.value.size <= 60 for table in app.dataframe)
    assert "The first " in texts(app)
    assert "rows. *Download* and the command line give all of them" in texts(app)


@pytest.mark.parametrize(("told", "times"), [("before", 0), ("now", 1)])
def test_page_when_its_job_is_done_then_is_drawn_again_only_if_the_request_knows_its_last_drawing(
    monkeypatch, told, times
):
    tab, drawn = jobs.Tab(), []
    tab.waits["Curves"] = wait = jobs.Wait(jobs.Job("Curves", "key"), tab)
    wait.job.over.set()
    nothing = SimpleNamespace(
        container=lambda **more: nullcontext(),
        progress=lambda *given: None,
        button=lambda *given, **more: None,
    )
    monkeypatch.setattr(jobs, "JOBS", SimpleNamespace(get=lambda: tab, set=lambda tab: None))
    monkeypatch.setattr(jobs, "widgets", {"field": told})
    monkeypatch.setattr(jobs, "st", SimpleNamespace(rerun=lambda: drawn.append(1), **vars(nothing)))
    jobs._watch.__wrapped__("Curves", 0, None, "field", "now")
    assert len(drawn) == times
