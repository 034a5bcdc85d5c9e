"""What is kept of a visitor if files or the database are damaged, or the disk refuses:
the rest stays, and what is left out is said.
"""

import errno
import logging
import os
import shutil
import sqlite3
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

from irmeval.core import saving
from irmeval.reading.policy import Policy
from irmeval.ui.state import home, store, visitors
from irmeval.ui.state.cookies import key_of
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor, rows_of
from tests.conftest import TINY_RUNS
from tests.dashboard import dashboard, fine, texts
from tests.visiting import (
    FILES,
    MATRIX,
    back,
    bytes_of,
    damage,
    file_of,
    loaded,
    on_disk,
    trust_clock,
)

COOKIE = "c" * 32
JUDGES = [("human.txt", FILES[0][1] + b"1 0 zz9 0\n")]


@pytest.fixture(autouse=True)
def folder(nobody_here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home; nobody is here yet."""
    monkeypatch.setattr(visitors, "_failed_removals", {})
    monkeypatch.setattr(visitors, "_logged", set())
    return nobody_here


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, logger="irmeval")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "irmeval"]


def much(key: str = "one") -> Visitor:
    """A visitor with a collection, a second one, which is open, judges beside, and
    choices.
    """
    visitor = loaded(FILES, key)
    visitor.dataset.name = "tiny"
    visitor.dataset.add_judges(JUDGES)
    second = Dataset(name="other")
    second.add([*FILES[:2], *MATRIX])
    visitor.open(second)
    visitor.measures, visitor.habits = ["AP"], {"toured": True}
    visitors.sync(visitor)
    return visitor


FILE = {
    "run missing": (lambda: file_of("run", "short", "tiny").unlink(), "the run short of tiny"),
    "run cut": (
        lambda: file_of("run", "short", "tiny").write_bytes(b"ARROW1"),
        "the run short of tiny",
    ),
    "run damaged": (lambda: damage(file_of("run", "short", "tiny")), "the run short of tiny"),
    "judge damaged": (lambda: damage(file_of("judge", "human", "tiny")), "the judge human of tiny"),
    "matrix damaged": (
        lambda: damage(file_of("matrix", title="other")),
        "the score matrix of other",
    ),
}


@pytest.mark.parametrize("harm", FILE)
def test_file_when_damaged_then_it_alone_is_left_out_and_named(lines, harm):
    act, lost = FILE[harm]
    much()
    act()
    found = back()
    said = (
        f"Some of your stored data cannot be read and are left out: {lost}. Everything else is"
        " unchanged"
    )
    assert found.notices == [said]
    assert len(lines()) == 1
    tiny = found.other_datasets[0]
    assert set(tiny.runs) == set(TINY_RUNS) - ({"short"} if "run" in lost else set())
    assert set(tiny.judges) == ({"human"} if "judge" not in lost else set())
    assert tiny.collection(Policy()).runs == tuple(sorted(tiny.runs))
    assert (found.dataset.name, set(found.dataset.runs), found.measures, found.habits) == (
        "other",
        {"example"},
        ["AP"],
        {"toured": True},
    )
    assert (found.dataset.matrix is None) == ("matrix" in lost)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("measures", "7"),
        ("measures", '["AP", 7]'),
        ("habits/toured", '"yes"'),
        ("teams", '{"short": 7}'),
        ("depth", '"deep"'),
    ],
)
def test_setting_when_it_was_changed_by_hand_then_it_alone_is_left_out(name, value):
    visitor = much()
    key = visitor.dataset.key if name in ("teams", "depth") else ""
    with store.transaction() as db:
        changed = "INSERT OR REPLACE INTO setting VALUES ('one', ?, ?, ?)"
        db.execute(changed, (key, name, value))
    found = back()
    assert found.measures == ([] if name == "measures" else ["AP"])
    assert found.habits == ({} if name == "habits/toured" else {"toured": True})
    assert [dataset.teams for dataset in found.datasets] == [{}, {}]
    assert [dataset.policy for dataset in found.datasets] == [Policy(), Policy()]
    assert set(found.dataset.runs) == {"example"}


def test_qrels_when_damaged_then_the_runs_stay_and_wait_for_others():
    loaded()
    damage(file_of("qrels"))
    found = back()
    assert [
        "left out: the judgments qrels of Runs without qrels. Everything else" in text
        for text in found.notices
    ] == [True]
    assert set(found.dataset.runs) == set(TINY_RUNS)
    found.dataset.add(FILES[:1])
    visitors.sync(found)
    assert back().notices == []
    assert (
        back().dataset.collection(Policy()).fingerprint
        == loaded(key="other").dataset.collection(Policy()).fingerprint
    )


def test_file_when_it_could_not_be_read_for_a_while_then_it_is_not_lost():
    much()
    run = file_of("run", "short", "tiny")
    hidden = run.rename(run.with_name("hidden"))
    found = back()
    found.measures = ["Q"]
    found.other_datasets[0].notes = "changed"
    visitors.sync(found)
    hidden.rename(run)
    assert set(back().other_datasets[0].runs) == set(TINY_RUNS)
    assert (back().notices, back().measures) == ([], ["Q"])


DATABASE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "another file": lambda path: path.write_bytes(b"SQLite " * 1000),
    "zeros": damage,
    "of another version": lambda path: _run(path, "PRAGMA user_version = 99"),
    "of another program": lambda path: (path.unlink(), _run(path, "CREATE TABLE t (x)")),
}


def _run(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()


@pytest.mark.parametrize("harm", DATABASE)
def test_database_when_it_cannot_be_read_then_is_set_aside_and_said_and_what_is_in_memory_is_kept(
    folder, lines, harm
):
    visitor = much()
    store.close()
    path = folder / "store" / store.DATABASE
    before = {path.name for path in (folder / "store" / "files").iterdir()}
    DATABASE[harm](path)
    damaged = path.read_bytes()
    newcomer = back("other")
    assert newcomer.notices == [visitors.UNREADABLE]
    assert not newcomer.loaded()
    (aside,) = folder.glob(f"{store.ASIDE}*")
    assert (aside / store.DATABASE).read_bytes() == damaged
    assert {path.name for path in (aside / "files").iterdir()} == before
    assert [("cannot be read" in line, str(aside) in line) for line in lines()] == [(True, True)]
    visitors.sync(visitor)
    assert (set(back().other_datasets[0].runs), back().measures, back().notices) == (
        set(TINY_RUNS),
        ["AP"],
        [],
    )
    assert store.sweep(30) == 0
    os.utime(aside, (0, 0))
    trust_clock()
    store.sweep(30)
    assert not aside.exists()


def test_home_of_an_earlier_version_when_there_is_one_then_it_stays_and_one_line_says_so(
    folder, caplog
):
    caplog.set_level(logging.INFO, logger="irmeval")
    (folder / "visitors" / "one").mkdir(parents=True)
    record = folder / "visitors" / "one" / "record.json"
    record.write_text("{}")
    for _ in range(2):
        loaded()
    assert record.read_text() == "{}"
    assert len([line for line in caplog.messages if "data of an earlier version" in line]) == 1


def test_database_when_there_is_no_shared_memory_then_it_has_a_rollback_journal_and_says_so(
    folder, caplog, monkeypatch
):
    caplog.set_level(logging.INFO, logger="irmeval")
    connect = sqlite3.connect
    monkeypatch.setattr(
        sqlite3,
        "connect",
        lambda path, **how: connect(f"file:{path}?vfs=unix-dotfile", uri=True, **how),
    )
    loaded()
    assert set(back().dataset.runs) == set(TINY_RUNS)
    store.close()
    assert [line for line in caplog.messages if "rollback journal (delete)" in line]
    visitors.forget(back())
    assert not on_disk()


def _dies(at: int, act: Callable[[], None]) -> bool:
    """Do something in a copy of this process that dies at a step of writing, as by
    SIGKILL; return whether it came so far.
    """
    store.close()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads that the copy has not: it needs none
        child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        if steps > at:
            os._exit(9)

    class Dying(sqlite3.Connection):
        def execute(self, *given: object) -> sqlite3.Cursor:
            step()
            found = super().execute(*given)
            step()
            return found

    def before(function: Callable) -> Callable:
        def stepping(*given: object, **named: object) -> object:
            step()
            return function(*given, **named)

        return stepping

    connect = sqlite3.connect
    try:
        sqlite3.connect = lambda path, **how: connect(path, factory=Dying, **how)
        Path.replace, Path.unlink, os.fsync = (
            before(Path.replace),
            before(Path.unlink),
            before(os.fsync),
        )
        act()
    finally:
        os._exit(0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_server_when_killed_at_any_step_of_writing_then_all_or_nothing_of_it_is_kept(
    folder, monkeypatch
):
    """Before and after each statement, and before bytes are synced, renamed or
    removed.
    """
    before, after, seen, at = {"example", "short"}, {"example", "ideal"}, [], 0
    files = dict(FILES)
    while not seen or seen[-1] != "survived":
        monkeypatch.setenv(home.HOME, str(folder / f"{at}"))
        visitor = loaded([*FILES[:2], ("short", files["short"])])
        visitor.dataset.remove(["short"])
        visitor.dataset.add([("ideal", files["ideal"])])
        visitor.dataset.collection(Policy())
        rows_of(visitor)  # so that the copy need not
        died = _dies(at, partial(visitors.sync, visitor))
        found = back()
        names = set(found.dataset.runs)
        assert (names in (before, after), found.notices) == (True, []), at
        assert found.dataset.collection(Policy()).runs == tuple(sorted(names))
        store.collect()
        assert on_disk() == bytes_of(), at
        seen.append("before" if names == before else "after" if died else "survived")
        at += 1
    assert [*dict.fromkeys(seen)] == ["before", "after", "survived"]
    assert seen == sorted(seen, key=["before", "after", "survived"].index)


REMOVALS = {"forget": lambda: store.forget("one"), "sweep": lambda: store.sweep(30)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("removal", REMOVALS)
def test_server_when_killed_at_any_step_of_a_removal_then_others_lose_nothing_and_the_next_ends_it(
    folder, monkeypatch, removal
):
    for files, key in ((FILES, "one"), (FILES[:2], "other")):
        loaded(files, key)
    with store.transaction() as db:
        db.execute("UPDATE visitor SET used = 0 WHERE key = 'one'")
    trust_clock()
    store.close()
    died, found = True, []
    while died:
        copy = folder / f"{len(found)}"
        shutil.copytree(folder / "store", copy / "store")
        monkeypatch.setenv(home.HOME, str(copy))
        died = _dies(len(found), REMOVALS[removal])
        found.append(set(back().dataset.runs))
        assert set(back("other").dataset.runs) == {"example"}
        assert (back().notices, back("other").notices) == ([], [])
        REMOVALS[removal]()
        assert on_disk() == bytes_of("other")
        assert not bytes_of("one")
        assert not (copy / "store" / f"{store.DATABASE}-wal").stat().st_size
    assert [*map(len, found)] == sorted(map(len, found), reverse=True)
    assert {*map(len, found)} == {len(TINY_RUNS), 0}


@pytest.mark.parametrize(
    "act",
    [store.collect, lambda: loaded([("new", b"1 Q0 new 1 2 t\n")], "other")],
    ids=["collect", "write"],
)
def test_part_of_a_file_when_its_server_was_killed_then_the_next_write_or_removal_deletes_it(act):
    loaded()
    part = store.folder() / "files" / f"{saving.TEMPORARY_PREFIX}0{saving.TEMPORARY_SUFFIX}"
    part.write_bytes(b"half")
    act()
    assert not part.exists()


def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is anything written, nor removed."""

    def refuse(*given: object, **named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("unlink", "rmdir", "fsync"):
        monkeypatch.setattr(os, name, refuse)


def test_forgetting_when_the_disk_says_no_then_data_stay_away_and_go_once_it_can_be(
    folder, lines, monkeypatch
):
    visitor = much()
    with monkeypatch.context() as patch:
        unwritable(patch)
        visitors.forget(visitor)
        assert visitors.why_not_forgotten("one") == "read-only file system"
        assert not visitor.loaded()
        for found in (visitor, back()):  # a new tab, and one after all were closed for long
            visitors.sync(found)
            assert not found.loaded()
        visitor.dataset.add(FILES)
        visitors.sync(visitor)
        assert visitor.refused == "this server cannot write to its disk"
        visitors.retry_removals()
    assert len([line for line in lines() if "asked to delete" in line]) == 1
    assert on_disk()
    visitors.retry_removals()  # half a minute later
    assert not on_disk()
    assert visitors.why_not_forgotten("one") == ""
    visitors.sync(visitor)
    assert set(back().dataset.runs) == set(TINY_RUNS)


def test_forgetting_when_the_disk_says_no_then_the_page_says_so_and_offers_to_try_again(
    folder, monkeypatch
):
    much(key_of(COOKIE))
    page = "pages/data/collection.py"
    app = fine(dashboard(cookie=COOKIE).switch_page(page).run())
    with monkeypatch.context() as patch:
        unwritable(patch)
        app.button(key="forget").click().run()
        for _ in range(2):  # a new tab, and when it was tried again in vain
            app = dashboard(cookie=COOKIE).switch_page(page).run()
            assert (
                "Your data are no longer shown, but still on this server's disk: read-only file"
                " system." in app.error[0].value
            )
            assert "30 runs" in texts(app)
            app.button(key="forget_again").click()
            app.run()
    assert "30 runs" in texts(fine(dashboard(cookie=COOKIE).switch_page(page).run()))
    assert not on_disk()


def test_loss_when_there_is_one_then_every_page_says_so_until_it_is_put_away(folder):
    key = key_of(COOKIE)
    much(key)
    file_of("run", "short", "tiny", key).unlink()
    app = fine(dashboard(cookie=COOKIE).run())
    for page in ("pages/runs/topics.py", "pages/data/collection.py"):
        app.switch_page(page).run()
        assert (
            "left out: the run short of tiny. Everything else is unchanged." in app.warning[0].value
        )
    app.button(key="told").click().run()
    assert not [warning for warning in app.warning if "left out" in warning.value]


@pytest.mark.parametrize("is_there", [True, False])
def test_row_of_a_file_when_written_then_its_bytes_are_put_if_and_only_if_they_are_gone(is_there):
    digest, put = "0" * 64, list[str]()
    if is_there:
        store.put(digest, pa.py_buffer(b"bytes"))
    with store.transaction() as db:
        store.change(db, "somebody", {("file", "d", "run"): (digest, *[""] * 3)}, [], put.append)
    assert put == [digest] * (not is_there)
