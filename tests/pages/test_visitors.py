"""What is kept of visitors, for how long, and what happens if disk or record are
damaged.
"""

import errno
import gc
import logging
import os
import re
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit import config as streamlit_config
from streamlit.runtime.caching.ttl_cache import TTLCache
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from irmeval import ParamError
from irmeval.cli import commands
from irmeval.reading.policy import Policy
from irmeval.ui.state import cache, home, hosts, quotas, store, streamlit_internals, visitors
from irmeval.ui.state.cookies import key_of
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from tests.conftest import TINY_RUNS, run_lines
from tests.dashboard import dashboard, fine, texts
from tests.visiting import FILES, MATRIX, back, bytes_of, loaded, on_disk, trust_clock

COOKIE = "c" * 32
COLLECTION = "pages/data/collection.py"


@pytest.fixture(autouse=True)
def folder(nobody_here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the visitors' data are; nobody is here yet."""
    monkeypatch.setattr(visitors, "_logged", set())
    return nobody_here / "store"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="irmeval")
    return lambda: [
        record.getMessage()
        for record in caplog.records
        if record.name == "irmeval" and "dropped" not in record.getMessage()
    ]


def test_visitor_when_they_are_back_then_have_all_and_under_any_policy(folder):
    visitor = loaded([*FILES, ("twice", b"1 Q0 S1 1 3 t\n1 Q0 S1 2 2 t\n")])
    visitor.dataset.settings, visitor.dataset.teams, visitor.dataset.team_file = (
        {"depth": 7, "top_runs": 2},
        {"short": "x"},
        "teams.csv",
    )
    visitors.sync(visitor)
    found = back()
    for policy in (Policy(), Policy(depth=2), Policy(order="rank"), Policy(repeated="first")):
        assert (
            found.dataset.collection(policy).fingerprint
            == visitor.dataset.collection(policy).fingerprint
        )
    assert (found.dataset.settings, found.dataset.teams, found.dataset.team_file) == (
        visitor.dataset.settings,
        visitor.dataset.teams,
        visitor.dataset.team_file,
    )
    assert [
        run.name for run in found.dataset.runs_in_use(Policy(repeated="first")).values()
    ] == sorted([*TINY_RUNS, "twice"])
    assert found.dataset.refusal(Policy()).args == visitor.dataset.refusal(Policy()).args
    assert found.dataset.waiting() == ""
    assert not back("other").loaded()


def test_visitor_when_they_add_to_what_was_kept_then_both_are_there(folder):
    loaded(FILES[:3])
    found = back()
    found.dataset.add([*FILES[3:], *MATRIX])
    visitors.sync(found)
    again = back()
    assert set(again.dataset.runs) == set(TINY_RUNS)
    assert np.array_equal(again.dataset.matrix.values, [[0.1, 0.3], [0.2, 0.4]])
    assert (
        again.dataset.collection(Policy()).fingerprint
        == loaded(FILES, "other").dataset.collection(Policy()).fingerprint
    )


def test_scores_when_kept_then_all_measures_of_the_file_are_there(folder):
    found = loaded(
        [("scores", b"a 1 map 0.1\nb 1 map 0.2\na 1 P_10 1\nb 1 P_10 0\na 1 rr 1\nb 1 rr 0\n")]
    )
    found.dataset.take_matrices([found.dataset.matrices[i] for i in (1, 0, 2)])
    visitors.sync(found)
    again = back().dataset
    assert again.matrix.name == "P_10"
    assert {matrix.name for matrix in again.matrices[1:]} == {"map", "rr"}


def test_visitor_when_kept_then_names_on_disk_are_hashes_and_nobody_else_may_read_them(folder):
    loaded()
    assert all(re.fullmatch("[0-9a-f]{40}", name) for name in on_disk())
    assert {oct(path.stat().st_mode)[-3:] for path in folder.rglob("*") if path.is_file()} == {
        "600"
    }
    assert {oct(path.stat().st_mode)[-3:] for path in (folder, folder / "files")} == {"700"}


def test_visitor_when_files_are_put_away_or_forgotten_then_they_go_from_disk(folder):
    visitor = loaded()
    before = on_disk()
    visitor.dataset = type(visitor.dataset)()
    visitor.dataset.add(FILES[:1])
    visitor.dataset.notes = "a secret"
    visitors.sync(visitor)
    assert on_disk() < before
    assert len(on_disk()) == 1
    visitors.forget(visitor)
    assert not on_disk()
    visitors.sync(visitor)
    assert not on_disk()
    assert not visitor.loaded()
    assert not [
        path for path in folder.iterdir() if path.is_file() and b"a secret" in path.read_bytes()
    ]


def test_visitor_when_they_load_nothing_then_nothing_is_written(folder):
    visitors.sync(Visitor("one"))
    assert not folder.exists()


FULL = {"bytes": (os, "fsync"), "rows": (store, "change")}


@pytest.mark.parametrize("what", FULL)
def test_keeping_when_the_disk_is_full_then_one_line_says_so_and_memory_serves(
    lines, monkeypatch, what
):
    def full(*given: object) -> None:
        if what == "rows":
            raise sqlite3.OperationalError("database or disk is full")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    loaded(FILES[:2])
    before = on_disk()
    with monkeypatch.context() as patch:
        patch.setattr(*FULL[what], full)
        visitor = back()
        visitor.dataset.add(FILES[2:])
        visitors.sync(visitor)
        visitors.sync(visitor)
        visitor.dataset.settings = {"depth": 3}
        visitors.sync(visitor)
    reason = "no space left on device" if what == "bytes" else "database or disk is full"
    assert lines() == [f"visitors' data cannot be stored on disk and are only in memory: {reason}"]
    assert visitor.refused == "this server cannot write to its disk"
    assert set(visitor.dataset.runs) == set(TINY_RUNS)
    assert set(back().dataset.runs) == {"example"}
    assert on_disk() == before
    visitor.dataset.notes = "there is room again"
    visitors.sync(visitor)
    assert (visitor.refused, set(back().dataset.runs)) == ("", set(TINY_RUNS))


def test_drop_when_another_tab_removes_the_collection_meanwhile_then_its_files_are_loaded():
    first = dashboard(cookie=COOKIE).switch_page(COLLECTION).run()
    first.file_uploader[0].set_value(
        [(name.strip("./"), data, "text/plain") for name, data in FILES[1:]]
    ).run()
    visitor, read = visitors._here[key_of(COOKIE)], Dataset.add

    def slow(dataset: Dataset, files: list, tell: Callable[[int, int], None]) -> None:
        read(dataset, files, tell)
        visitor.dataset, visitor.other_datasets = Dataset(), []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dataset, "add", slow)
        first.file_uploader[0].set_value([("qrels", FILES[0][1], "text/plain")]).run()
    assert "3 runs" in texts(fine(first))
    found = back(key_of(COOKIE)).dataset
    assert (found.qrels is not None, set(found.runs)) == (True, set(TINY_RUNS))


def test_tab_when_another_server_has_written_then_shows_it_at_its_next_drawing():
    app = dashboard(cookie=COOKIE).switch_page(COLLECTION).run()
    app.file_uploader[0].set_value(
        [(name.strip("./"), data, "text/plain") for name, data in FILES]
    ).run()
    assert "3 runs" in texts(fine(app))
    elsewhere = back(key_of(COOKIE))
    elsewhere.dataset.add([("more", run_lines("more", TINY_RUNS["ideal"]).encode())])
    visitors.sync(elsewhere)
    assert "4 runs" in texts(fine(app.run()))


@pytest.mark.parametrize("quota", [quotas.KEPT, quotas.KEPT_ALL])
def test_keeping_when_it_would_be_more_than_allowed_then_is_refused_in_words(
    folder, monkeypatch, quota
):
    loaded(FILES[:2])
    held = sum(path.stat().st_size for path in (folder / "files").iterdir())
    monkeypatch.setenv(quota, str((held + 100) / 1e9))
    visitor = back("one" if quota == quotas.KEPT else "other")
    visitor.dataset.add(FILES)
    visitors.sync(visitor)
    assert f"allowed on disk ({quota})" in visitor.refused
    assert set(visitor.dataset.runs) == set(TINY_RUNS)
    assert set(back().dataset.runs) == {"example"}


def test_drop_when_it_ends_while_rows_of_another_server_are_read_then_both_are_there(monkeypatch):
    visitor, elsewhere = loaded(FILES[:2]), back()
    elsewhere.dataset.add(FILES[2:3])
    visitors.sync(elsewhere)
    rows_of, more = store.rows_of, [("more", run_lines("more", TINY_RUNS["ideal"]).encode())]
    drop = threading.Thread(target=visitor.dataset.add, args=(more,))

    def begin_drop(*given: object) -> object:
        drop.start()
        drop.join(0.2)
        return rows_of(*given)

    with monkeypatch.context() as patch:
        patch.setattr(store, "rows_of", begin_drop)
        visitors.sync(visitor)
    drop.join()
    visitors.sync(visitor)
    assert set(visitor.dataset.runs) == set(back().dataset.runs) == {"example", FILES[2][0], "more"}


def test_sweep_when_somebody_has_not_come_for_long_then_they_go_and_others_stay(folder):
    for key in ("one", "other"):
        loaded(key=key)
    with store.transaction() as db:
        db.execute("UPDATE visitor SET used = 0 WHERE key = 'one'")
    trust_clock()
    assert store.sweep(30) == 1
    assert (store.is_kept("one"), store.is_kept("other")) == (False, True)
    assert on_disk() == bytes_of("other")
    with store.transaction() as db:
        db.execute("UPDATE visitor SET used = 1e9")
    store.touch(["other"])
    assert store.sweep(30) == 0  # to come back is to use it


def test_sweep_when_the_clock_is_far_ahead_for_hours_then_nobody_is_forgotten(folder, monkeypatch):
    days, start = [0.0], time.time()
    monkeypatch.setattr(time, "time", lambda: start + store.DAY * days[0])
    loaded()
    for day in (0, 1, 41, 41.1, 41.4):  # ahead for less than half a day, over three restarts
        days[0] = day
        assert store.sweep(30) == 0
    for day in (2, 3, 29, 29.6):  # it is set right
        days[0] = day
        assert store.sweep(30) == 0
    for day, gone in ((30.4, 0), (31, 1)):
        days[0] = day
        assert store.sweep(30) == gone


@pytest.mark.parametrize("failing", ["BEGIN", "PRAGMA wal_checkpoint"])
def test_watch_when_sqlite_fails_at_any_step_then_the_next_round_clears_up(
    folder, monkeypatch, caplog, failing
):
    loaded()
    rounds, fails = [0], [True]

    class Failing(sqlite3.Connection):
        def execute(self, statement: str, *given: object) -> sqlite3.Cursor:
            if fails[0] and statement.startswith(failing):
                raise sqlite3.OperationalError("disk I/O error")
            return super().execute(statement, *given)

    class Over(BaseException):
        """The end of the test."""

    def sleep(seconds: float) -> None:
        rounds[0] += 1
        fails[0] = rounds[0] < 3
        if rounds[0] == 3:
            with store.transaction() as db:
                db.execute("UPDATE visitor SET used = 0")
            trust_clock()
        if rounds[0] == 4:
            raise Over

    store.close()
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
    monkeypatch.setattr(store, "_connect", partial(connect, factory=Failing))
    monkeypatch.setattr(visitors, "_logged", set())
    monkeypatch.setattr(visitors.time, "sleep", sleep)
    with pytest.raises(Over):
        visitors.watch()
    assert not store.is_kept("one")
    assert [record.getMessage() for record in caplog.records] == [
        "clearing up failed and is tried again (OSError: disk I/O error)"
    ]


def test_sqlite_when_it_fails_anywhere_then_its_errors_are_those_of_a_disk(folder, monkeypatch):
    loaded()

    class Failing(sqlite3.Connection):
        def execute(self, statement: str, *given: object) -> sqlite3.Cursor:
            raise sqlite3.OperationalError("disk I/O error")

    store.close()
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
    monkeypatch.setattr(store, "_connect", partial(connect, factory=Failing))
    acts = (store.empty_log, store.collect, partial(store.forget, "one"), partial(store.sweep, 1))
    for act in acts:
        with pytest.raises(OSError, match="disk I/O error"):
            act()
    assert not store.is_kept("one")
    store.touch(["one"])


@pytest.mark.parametrize(
    ("keep", "names", "bound", "expected"),
    [
        ("", "", "127.0.0.1", 30),
        ("", "", "0.0.0.0", 0),
        ("", "", None, 0),
        ("", "irmeval.example.org", "127.0.0.1", 0),
        ("7", "", "0.0.0.0", 7),
        ("off", "", "127.0.0.1", 0),
    ],
)
def test_days_when_nothing_is_said_then_own_machines_keep_and_shared_ones_do_not(
    monkeypatch, keep, names, bound, expected
):
    monkeypatch.setenv(home.KEEP, keep)
    monkeypatch.setenv(hosts.ALLOW, names)
    assert home.days(bound) == expected


@pytest.mark.parametrize("text", ["on", "-1", "0", "nan", "inf", "1e9", "30 days"])
def test_days_when_they_are_no_number_then_are_refused(monkeypatch, text):
    monkeypatch.setenv(home.KEEP, text)
    with pytest.raises(ParamError, match="expected off or a number of days above 0"):
        home.days("127.0.0.1")


@pytest.mark.parametrize("text", ["none", "0", "-3", "nan"])
def test_quota_when_it_is_no_number_then_is_refused(monkeypatch, text):
    monkeypatch.setenv(quotas.KEPT_ALL, text)
    with pytest.raises(ParamError, match=f"{quotas.KEPT_ALL}: expected a number above 0"):
        quotas.check()


def test_visitor_when_their_last_tab_is_long_closed_then_leaves_memory_and_finds_all_on_disk():
    visitor = visitors._here["one"] = loaded()
    visitor.sessions = {"a", "b"}
    visitor.seen -= visitors.LINGER + 1
    visitors.forget_gone({"b"}.__contains__)
    visitors.forget_gone(set().__contains__)
    assert visitors._here == {"one": visitor}  # a tab was open a moment ago
    visitor.seen -= visitors.LINGER + 1
    visitors.forget_gone(set().__contains__)
    assert visitors._here == {}
    assert set(back().dataset.runs) == set(TINY_RUNS)


def test_tab_when_another_of_the_visitor_has_loaded_and_decided_then_begins_with_it():
    first = dashboard(cookie=COOKIE).switch_page(COLLECTION).run()
    first.file_uploader[0].set_value(
        [(name.strip("./"), data, "text/plain") for name, data in FILES]
    ).run()
    fine(first).sidebar.number_input(key="depth").set_value(3).run()
    for there in (visitors._here, {}):  # the same server, and one that was started anew
        visitors._here = there
        second = fine(dashboard(cookie=COOKIE).run())
        assert "3 runs" in texts(second)
        assert second.sidebar.number_input(key="depth").value == 3
        linked = dashboard(cookie=COOKIE)
        linked.query_params["measures"] = "AP"
        # an address says all there is to decide
        assert fine(linked.run()).sidebar.number_input(key="depth").value == 1000
        assert "30 runs" in texts(fine(dashboard(cookie="d" * 32).run()))
    fine(second.switch_page(COLLECTION).run()).button(key="forget").click().run()
    assert "30 runs" in texts(fine(second))
    assert "30 runs" in texts(fine(dashboard(cookie=COOKIE).run()))
    assert not on_disk()


def test_settings_when_they_are_none_any_more_then_the_visitor_begins_without(folder):
    visitor = loaded()
    visitor.dataset.settings = {"depth": 7}
    visitors.sync(visitor)
    with store.transaction() as db:
        db.execute("UPDATE setting SET name = 'order', value = '\"of_old\"' WHERE name = 'depth'")
    assert back().dataset.settings == {}


def test_serve_when_the_days_are_no_number_then_says_so_and_starts_nothing(capsys):
    with pytest.raises(SystemExit) as caught:
        commands.main(["serve", "--keep", "soon"])
    assert caught.value.code == 2
    assert "keep: expected off or a number of days above 0, found 'soon'" in capsys.readouterr().err


def test_sessions_when_closed_too_long_ago_then_are_dropped_without_another_tab(monkeypatch):
    kept = MemorySessionStorage(ttl_seconds=60)
    now = [0.0]
    kept._cache = TTLCache(maxsize=9, ttl=60, timer=lambda: now[0])
    loop = SimpleNamespace(call_soon_threadsafe=lambda function: function())
    runtime = SimpleNamespace(
        _session_mgr=SimpleNamespace(_session_storage=kept),
        _get_async_objs=lambda: SimpleNamespace(eventloop=loop),
    )
    monkeypatch.setattr(streamlit_internals, "exists", lambda: True)
    monkeypatch.setattr(streamlit_internals, "get_instance", lambda: runtime)
    left = Visitor(COOKIE)
    seen = weakref.ref(left)
    kept._cache[COOKIE] = left
    del left
    visitors.drop_closed_sessions()
    assert seen()
    now[0] = 61
    assert seen()
    visitors.drop_closed_sessions()
    gc.collect()
    assert not seen()


def test_results_when_too_old_then_their_memory_is_returned_and_else_it_is_left(monkeypatch):
    returned: list[str] = []
    monkeypatch.setattr(visitors, "give_back_memory", lambda: returned.append("memory"))
    kept = cache.Cache()
    monkeypatch.setattr(cache, "store", lambda: kept)
    kept.setdefault("result", np.zeros(9))
    visitors.drop_old_results()
    assert returned == []
    monkeypatch.setattr(cache, "AGE", -1)
    visitors.drop_old_results()
    assert (len(kept), returned) == (0, ["memory"])


def test_settings_when_a_page_is_drawn_then_nobody_waits_for_a_search_for_garbage():
    # AppTest never searches: what the server does after a drawing is told by its option
    assert streamlit_config.get_option("runner.postScriptGC") is False
