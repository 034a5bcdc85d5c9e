"""What is kept of a visitor where a part of it is damaged, or the disk does not let it be written or removed: the rest stays, and what is
left out is said."""

import errno
import json
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from irmeval.reading.policy import Policy
from irmeval.ui.state import disk_store, keeping, quotas, visitors
from irmeval.ui.state.cookies import key_of
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from tests.conftest import TINY_RUNS
from tests.dashboard import dashboard, fine, texts
from tests.visiting import FILES, MATRIX, back, kept, loaded, named

COOKIE = "c" * 32
JUDGES = [("human.txt", FILES[0][1])]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where visitors' folders are; nobody is here yet."""
    monkeypatch.setenv(disk_store.HOME, str(tmp_path))
    monkeypatch.setattr(visitors, "_here", {})
    monkeypatch.setattr(keeping, "_failed_removals", {})
    monkeypatch.setattr(disk_store, "_failed", set())
    return tmp_path / "visitors"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.WARNING, logger="irmeval")
    return lambda: [record.getMessage() for record in caplog.records if record.name == "irmeval"]


def much(key: str = "one") -> Visitor:
    """A visitor with a collection, a second one, which is open, judges beside, and choices."""
    visitor = loaded(FILES, key)
    visitor.dataset.name = "tiny"
    visitor.dataset.add_judges(JUDGES)
    second = Dataset(name="other")
    second.add([*FILES[:2], *MATRIX])
    visitor.open(second)
    visitor.measures, visitor.habits = ["AP"], {"toured": True}
    keeping.keep(visitor)
    return visitor


def spoil(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


FILE = {
    "run missing": (lambda f: named(f, "runs", "short", desk=1).unlink(), "the run short of tiny"),
    "run cut": (lambda f: named(f, "runs", "short", desk=1).write_bytes(b"ARROW1"), "the run short of tiny"),
    "run spoiled": (lambda f: spoil(named(f, "runs", "short", desk=1)), "the run short of tiny"),
    "judge spoiled": (lambda f: spoil(named(f, "judges", "human", desk=1)), None),
    "matrix spoiled": (lambda f: spoil(named(f, "matrix")), "the score matrix of other"),
    "collection spoiled": (lambda f: spoil(named(f, "collection", desk=1)), ""),
    "collection missing": (lambda f: named(f, "collection", desk=1).unlink(), ""),
}


@pytest.mark.parametrize("damage", FILE)
def test_file_when_damaged_then_it_alone_is_left_out_and_named(folder, lines, damage):
    act, lost = FILE[damage]
    before = much()
    if lost is None:  # the qrels are of the same bytes, and so of the same file
        before.beside[0].judges["human"] = (
            before.beside[0].judges["human"]._replace(qrels=before.beside[0].judges["human"].qrels._replace(sha256="0" * 64))
        )
        before.beside[0].settings = {"depth": 9}
        keeping.keep(before)
        lost = "the judge human of tiny"
    act(folder)
    found = back()
    said = f"Some of your stored data cannot be read and are left out: {lost}. The rest is unchanged"
    assert found.notices == ([said] if lost else [])
    assert len(lines()) == 1
    tiny = found.beside[0]
    assert set(tiny.runs) == set(TINY_RUNS) - ({"short"} if "run" in lost else set())
    assert set(tiny.judges) == ({"human"} if "judge" not in lost else set())
    assert tiny.collection(Policy()).runs == tuple(sorted(tiny.runs))
    assert (found.dataset.name, set(found.dataset.runs), found.measures, found.habits) == ("other", {"example"}, ["AP"], {"toured": True})
    assert (found.dataset.matrix is None) == ("matrix" in lost)


def test_qrels_when_damaged_then_the_runs_stay_and_wait_for_others(folder):
    loaded()
    spoil(named(folder, "qrels"))
    found = back()
    assert ["left out: the judgments qrels of Runs without qrels. The rest" in text for text in found.notices] == [True]
    assert set(found.dataset.runs) == set(TINY_RUNS)
    found.dataset.add(FILES[:1])
    keeping.keep(found)
    assert back().dataset.collection(Policy()).fingerprint == loaded(key="other").dataset.collection(Policy()).fingerprint


def test_file_when_it_could_not_be_read_for_a_while_then_it_is_not_lost(folder, monkeypatch):
    """What is left out is still on disk, beside the record that names it, when another has taken that record's place."""
    much()
    run = named(folder, "runs", "short", desk=1)
    hidden = run.rename(run.with_name("hidden"))
    found = back()
    hidden.rename(run)
    found.measures = ["Q"]
    keeping.keep(found)
    (aside,) = (path for name, path in kept(folder).items() if name.endswith(disk_store.ASIDE))
    assert run.exists()
    assert back().notices == []
    aside.rename(folder / "one" / disk_store.RECORD)  # as who runs the server can do
    assert set(back().beside[0].runs) == set(TINY_RUNS)


PART = {
    "a collection of another kind": (lambda r: r["desks"].__setitem__(1, 3), "the collection"),
    "a collection without runs": (lambda r: r["desks"][1].pop("runs"), "the collection tiny"),
    "runs of another kind": (lambda r: r["desks"][1].update(runs=["short"]), "the collection tiny"),
    "measures": (lambda r: r.update(measures=3), "the measures"),
    "parameters": (lambda r: r.update(parameters=[1]), "the parameters"),
    "report": (lambda r: r.update(report=7), "the report"),
}


@pytest.mark.parametrize("damage", PART)
def test_record_when_a_part_is_damaged_then_the_rest_is_read(folder, damage):
    act, lost = PART[damage]
    much()
    path = folder / "one" / disk_store.RECORD
    record = json.loads(path.read_bytes())
    act(record)
    path.write_text(json.dumps(record))
    found = back()
    assert [f"left out: {lost}. The rest" in text for text in found.notices] == [True]
    assert found.dataset.name == "other"
    assert len(found.beside) == (0 if "collection" in lost else 1)


RECORD = {
    "cut": b'{"format": 1, "da',
    "empty": b"",
    "of another kind": b"[1]",
    "of another format": b'{"format": 99}',
    "no text": b"\xff\xfe",
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("text", RECORD.values(), ids=RECORD)
def test_record_when_it_cannot_be_read_then_it_is_said_and_set_aside_and_not_overwritten(folder, lines, text):
    loaded()
    path = folder / "one" / disk_store.RECORD
    path.write_bytes(text)
    found = back()
    assert not found.loaded()
    assert found.notices == [keeping.UNREADABLE]
    assert [("damaged" in line, "set aside" in line) for line in lines()] == [(True, True)]
    keeping.keep(found)  # nothing has changed
    assert path.read_bytes() == text
    found.dataset.add(FILES)
    keeping.keep(found)
    assert [file.read_bytes() for name, file in kept(folder).items() if name.endswith(disk_store.ASIDE)] == [text]
    assert set(back().dataset.runs) == set(TINY_RUNS)
    assert back().notices == []


def test_record_when_it_is_spoiled_while_its_visitor_is_here_then_what_is_in_memory_is_written(folder):
    visitor = loaded()
    (folder / "one" / disk_store.RECORD).write_bytes(b"")
    visitor.measures = ["AP"]
    keeping.keep(visitor)
    assert visitor.notices == [keeping.UNREADABLE]
    assert (set(back().dataset.runs), back().measures) == (set(TINY_RUNS), ["AP"])


def test_record_when_set_aside_often_then_only_the_last_are_kept_and_none_where_there_is_no_room(folder, monkeypatch):
    for n in range(disk_store.KEPT_ASIDE + 2):
        loaded([*FILES[:2], (f"run{n}", FILES[2][1])])
        spoil(named(folder, "runs", f"run{n}"))
        back_again = back()
        back_again.measures = [str(n)]
        keeping.keep(back_again)
    aside = sorted(name for name in kept(folder) if name.endswith(disk_store.ASIDE))
    assert len(aside) == disk_store.KEPT_ASIDE
    used = sum(path.stat().st_size for path in kept(folder).values())
    monkeypatch.setenv(quotas.KEPT, str((used + 10) / 1e9))
    found = back()
    found.dataset.add([("more", FILES[3][1])])
    keeping.keep(found)
    assert found.refused == ""
    assert aside[0] not in kept(folder)
    keeping.forget(found)
    assert not (folder / "one").exists()


def unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is anything written, nor removed."""

    def refuse(*given: object, **named: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    for name in ("unlink", "rmdir", "fsync"):
        monkeypatch.setattr(os, name, refuse)


def test_forgetting_when_the_disk_says_no_then_data_stay_away_and_go_once_it_can_be(folder, lines, monkeypatch):
    visitor = much()
    with monkeypatch.context() as patch:
        unwritable(patch)
        keeping.forget(visitor)
        assert keeping.why_not_forgotten("one") == "read-only file system"
        assert not visitor.loaded()
        for found in (visitor, back()):  # a new tab, and one after all were closed for long
            keeping.load_kept(found)
            assert not found.loaded()
        visitor.dataset.add(FILES)
        keeping.keep(visitor)
        assert visitor.refused == "this server cannot write to its disk"
        keeping.retry_removals()
    assert len([line for line in lines() if "asked to forget" in line]) == 1
    assert (folder / "one").exists()
    keeping.retry_removals()  # half a minute later
    assert not (folder / "one").exists()
    assert keeping.why_not_forgotten("one") == ""
    visitor.disk.saved = None
    keeping.keep(visitor)
    assert set(back().dataset.runs) == set(TINY_RUNS)


def test_forgetting_when_the_disk_says_no_then_the_page_says_so_and_offers_to_try_again(folder, monkeypatch):
    much(key_of(COOKIE))
    page = "pages/data/collection.py"
    app = fine(dashboard(cookie=COOKIE).switch_page(page).run())
    with monkeypatch.context() as patch:
        unwritable(patch)
        app.button(key="forget").click().run()
        for _ in range(2):  # a new tab, and when it was tried again in vain
            app = dashboard(cookie=COOKIE).switch_page(page).run()
            assert "Your data are no longer shown, but they are still on this server's disk: read-only file system." in app.error[0].value
            assert "30 runs" in texts(app)
            app.button(key="forget_again").click()
            app.run()
    assert dashboard(cookie=COOKIE).switch_page(page).run().button(key="forget_again").click().run()
    assert "30 runs" in texts(fine(dashboard(cookie=COOKIE).switch_page(page).run()))
    assert not [*folder.iterdir()]


def test_loss_when_there_is_one_then_every_page_says_so_until_it_is_put_away(folder):
    key = key_of(COOKIE)
    much(key)
    (folder / key / json.loads((folder / key / disk_store.RECORD).read_bytes())["desks"][1]["runs"]["short"][0]).unlink()
    app = fine(dashboard(cookie=COOKIE).run())
    for page in ("pages/scores/topics.py", "pages/data/collection.py"):
        app.switch_page(page).run()
        assert "left out: the run short of tiny. The rest is unchanged." in app.warning[0].value
    app.button(key="told").click().run()
    assert not [warning for warning in app.warning if "left out" in warning.value]
