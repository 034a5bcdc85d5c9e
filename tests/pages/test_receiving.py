"""Uploads on their way: a file that does not arrive is named and changes nothing, and
there must be room for it first.
"""

import asyncio
import errno
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from secrets import token_hex
from threading import Event
from types import SimpleNamespace

import pytest
import streamlit as st
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.testing.v1 import AppTest

from irmeval.ui.pages import terms
from irmeval.ui.state import quotas
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.mailboxes import Value
from irmeval.ui.widgets import bar, receiving, upload
from irmeval.ui.widgets.upload import UNLIMITED
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines
from tests.dashboard import dashboard, dataset_of, fine, opened, texts

MB = 1 << 20
QRELS = ("qrels.txt", TINY_QRELS.encode(), "text/plain")
RUN = ("run.txt", run_lines("mine", TINY_RUNS["ideal"]).encode(), "text/plain")
OWN = (
    ("qrels2.txt", TINY_QRELS.encode(), "text/plain"),
    ("new.txt", run_lines("new", TINY_RUNS["short"]).encode(), "text/plain"),
)
"""A collection of its own."""
SESSION = "test session id"
"""The tab's, in AppTest."""
OTHER = ("other.txt", run_lines("other", TINY_RUNS["short"]).encode(), "text/plain")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that uploads see, in seconds."""
    now = [100.0]
    monkeypatch.setattr(receiving, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def files(clock, monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    """Streamlit's own keeper of uploads."""
    made = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr(receiving, "uploaded_files", made.get_files)
    return made


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(receiving, "session_id", lambda: "mine")
    monkeypatch.setattr(receiving, "_coming", receiving.OrderedDict())
    monkeypatch.setattr(receiving, "_received", {})
    monkeypatch.setattr(receiving, "_arriving", set())
    return "mine"


def announce(session: str, *names: str) -> list[str]:
    """Ids of files that a tab announces."""
    ids = [token_hex(4) for _ in names]
    receiving.announce(session, dict(zip(ids, names, strict=True)))
    return ids


def come(files: MemoryUploadedFileManager, session: str, file: str, name: str) -> None:
    files.add_file(session, UploadedFileRec(file, name, "text/plain", b"x"))
    receiving.note_received(session, file)


def test_file_when_announced_and_not_come_then_is_lost_for_its_visitor_alone(files, session):
    first, _ = announce(session, "a", "b")
    announce("another", "c")
    come(files, session, first, "a")
    assert receiving.awaited() == ["b"]
    assert sorted(receiving.forget([session])) == ["a", "b"]  # neither was read
    assert receiving.awaited() == []
    assert receiving.forget(["another"]) == ["c"]


def test_file_when_nothing_arrived_before_its_tab_was_left_then_is_named_though_nobody_saw_it(
    files, session, clock
):
    announce(session, "a")
    clock[0] += receiving.GRACE
    assert receiving.forget([session]) == ["a"]


def test_file_when_it_comes_at_the_second_try_then_is_lost_no_more(files, session, clock):
    announce(session, "a")
    clock[0] += receiving.GRACE
    (again,) = announce(session, "a")
    come(files, session, again, "a")
    assert receiving.awaited() == []


def test_files_when_one_of_two_with_the_same_name_comes_then_the_other_is_lost(
    files, session, clock
):
    first, _ = announce(session, "run.txt", "run.txt")
    come(files, session, first, "run.txt")
    assert receiving.awaited() == ["run.txt"]
    clock[0] += receiving.GRACE
    (again,) = announce(session, "run.txt")
    come(files, session, again, "run.txt")
    assert receiving.awaited() == []


def test_file_when_nothing_arrives_then_the_line_is_slow_and_lost_only_if_the_browser_says_so(
    files, session, clock
):
    announce(session, "a")
    assert receiving.phase() == ("coming", 0)
    clock[0] += receiving.GRACE
    assert receiving.phase() == ("slow", 0)
    clock[0] += 600  # a line may be as slow as that: nothing has failed
    assert receiving.phase() == ("slow", 0)
    receiving.note_failed(session, names=["a", "another"])
    assert (receiving.phase(), receiving.drop([]).lost) == (("", 1), ["a"])
    (again,) = announce(session, "a")
    assert (receiving.phase(), receiving.drop([]).lost) == (("coming", 0), [])
    come(files, session, again, "a")
    assert receiving.phase() == ("", 0)


def test_files_when_one_has_just_come_then_the_others_have_time(files, session, clock):
    """Between two of many large files none is on its way for a moment."""
    first, _ = announce(session, "a", "b")
    clock[0] += 1.5
    come(files, session, first, "a")
    clock[0] += 1.5
    assert (receiving.phase(), receiving.awaited()) == (("coming", 0), ["b"])
    clock[0] += 0.5
    assert (receiving.phase(), receiving.awaited()) == (("slow", 0), ["b"])


def test_file_when_its_uploader_is_drawn_no_more_then_it_is_read_all_the_same(
    files, session, clock
):
    (url,) = announce(session, "a")
    come(files, session, url, "a")
    clock[0] += receiving.GRACE
    assert receiving.phase() == ("here", 0)
    drop = receiving.drop([])
    assert drop.files == [("a", b"x")]
    receiving.forget_files(drop.ids)
    assert (receiving.phase(), receiving.drop([]).files) == (("", 0), [])


def test_drop_when_the_browser_sends_it_again_after_it_was_read_then_is_not_read_twice(
    files, session, clock
):
    """A tab whose server was killed has its files in an uploader that is drawn again, and a
    proxy may send a request twice.
    """
    (file,) = announce(session, "a")
    come(files, session, file, "a")
    receiving.forget_files(receiving.drop([]).ids)
    come(files, session, file, "a")
    clock[0] += receiving.GRACE
    again = SimpleNamespace(file_id=file, name="a", getvalue=lambda: b"x")
    assert (receiving.phase(), receiving.drop([again]).ids) == (("", 0), frozenset())
    (other,) = announce(session, "a")  # the same once more, as another drop
    come(files, session, other, "a")
    assert receiving.drop([again]).files == [("a", b"x")]


@pytest.mark.parametrize("failed", [False, True])
def test_file_when_it_comes_after_its_drop_was_read_without_it_then_is_read(files, session, failed):
    """The visitor went on without a file of a slow line, or one that the browser gave up."""
    first, late = announce(session, "a", "b")
    come(files, session, first, "a")
    if failed:
        receiving.note_failed(session, files=[late])
    drop = receiving.drop([])
    for _ in range(2):  # as the page does, before the work and after it
        receiving.forget_files(drop.ids, absent=drop.absent)
    come(files, session, late, "b")
    assert receiving.drop([]).files == [("b", b"x")]


@pytest.mark.parametrize("arrives", [False, True])
def test_drop_when_one_follows_before_it_is_read_then_the_other_is_still_expected(
    files, session, arrives
):
    (first,) = announce(session, "a")
    come(files, session, first, "a")
    drop = receiving.drop([])
    (second,) = announce(session, "b")  # while the page that reads the first is drawn
    if arrives:
        come(files, session, second, "b")
    receiving.forget_files(drop.ids)
    come(files, session, second, "b")
    assert (receiving.awaited(), receiving.drop([]).files) == ([], [("b", b"x")])


def test_files_when_they_arrive_in_any_order_then_are_read_in_that_of_their_names(
    files, session, clock
):
    names = "Olz-gpt4o", "human", "run2", "run10"
    for name, url in reversed([*zip(names, announce(session, *names), strict=True)]):
        come(files, session, url, name)
    assert [name for name, _ in receiving.drop([]).files] == [*names]


def test_file_when_it_is_arriving_then_it_is_not_lost(files, session, clock):
    (url,) = announce(session, "a")

    async def slow(scope: object, receive: object, send: Callable) -> None:
        clock[0] += receiving.GRACE
        assert receiving.phase() == ("coming", 0)
        await well(scope, receive, send)

    assert put(slow, 1, url, session) == (204, b"")
    assert receiving.phase() == ("", 1)  # it came, and was no file


def test_files_when_announced_without_end_then_only_so_many_are_remembered(files, session):
    for visitor in range(receiving.VISITORS + 9):
        announce(f"visitor {visitor}", "x" * 100_000)
    for _ in range(3):
        announce(session, *(f"{n}" for n in range(receiving.FILES + 9)))
    assert len(receiving._coming) == receiving.VISITORS
    assert len(receiving._coming[session].awaited) == receiving.FILES
    assert (
        max(len(name) for coming in receiving._coming.values() for name in coming.names)
        <= receiving.LONGEST
    )


def put(app: object, size: int | None, file: str = "f", session: str = "s") -> tuple[int, bytes]:
    """Status and text that `Room` before an app answers to an upload of so many bytes,
    or of a size that it does not say.
    """
    sent: list[dict] = []

    async def receive() -> dict:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict) -> None:
        sent.append(message)

    headers = [] if size is None else [(b"content-length", b"%d" % size)]
    scope = {
        "type": "http",
        "method": "PUT",
        "path": f"/_stcore/upload_file/{session}/{file}",
        "headers": headers,
    }
    # in a thread of its own: a browser of another test has a loop running in this one
    with ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(receiving.Room(app)(scope, receive, send))).result()
    return sent[0]["status"], sent[1]["body"]


async def well(scope: object, receive: object, send: object) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


@pytest.mark.parametrize(
    ("size", "free", "status"),
    [(MB, 0, 204), (40 * MB, 60 * MB, 204), (40 * MB, 50 * MB, 507), (2 * MB, 0, 507)],
)
def test_upload_when_the_disk_has_no_room_then_is_not_begun(monkeypatch, size, free, status):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    assert put(well, size)[0] == status


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), MemoryError()])
def test_upload_when_the_room_turns_out_to_be_too_small_then_it_is_said_without_a_traceback(
    caplog, error
):
    async def full(scope: object, receive: object, send: object) -> None:
        raise error

    assert put(full, 1) == (507, b"Refused: this server has no room for the file at the moment.\n")
    assert [record.getMessage() for record in caplog.records] == [
        "refused 507: no room for an upload of 1 bytes"
    ]


def test_upload_when_nothing_can_be_written_anywhere_then_only_what_fits_into_memory_is_taken(
    monkeypatch,
):
    def nowhere() -> str:
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    assert [put(well, size)[0] for size in (MB, MB + 1)] == [204, 507]


def test_upload_when_others_of_its_session_are_kept_or_on_their_way_then_all_count_against_quota(
    files, session, monkeypatch
):
    monkeypatch.setenv(quotas.UPLOAD, "0.0001")
    for owner, size in (("s", 30_000), ("other", 90_000)):
        files.add_file(owner, UploadedFileRec("kept", "a", "text/plain", b"x" * size))
        receiving.note_received(owner, "kept")
    meanwhile = []

    async def slow(scope: object, receive: object, send: Callable) -> None:
        meanwhile.append(put(well, 40_000)[0])
        await well(scope, receive, send)

    assert put(slow, 40_000)[0] == 204
    assert (meanwhile, put(well, 40_000)[0]) == ([507], 204)
    assert put(well, None)[0] == 507  # it may be as large as any file
    monkeypatch.setenv(quotas.UPLOAD_ALL, "0.000125")
    assert put(well, 6_000)[0] == 507
    files.remove_file("other", "kept")
    assert put(well, 6_000)[0] == 204


@pytest.fixture
def app() -> AppTest:
    """The page Collection, with a collection of the visitor's own on it."""
    desk = dataset_of([(name, data) for name, data, _ in (QRELS, RUN)])
    app = opened("pages/data/collection.py", desk=desk)
    assert "Your upload: qrels" in texts(fine(app))
    return app


def coming(patch: pytest.MonkeyPatch, *names: str, slow: bool = False) -> None:
    """Announced files are on their way."""
    moved = receiving.monotonic() - (receiving.GRACE if slow else 0)
    files = receiving.Coming({name: name for name in names}, here={"one": "one"}, moved=moved)
    patch.setattr(receiving, "_of_tab", lambda: files)


def lose(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Announced files do not come."""
    files = receiving.Coming(failed={name: name for name in names})
    patch.setattr(receiving, "_of_tab", lambda: files)


def progress(app: AppTest) -> list[str]:
    return [bar.proto.text for bar in app.get("progress")]


@pytest.mark.parametrize("slow", [False, True])
def test_drop_when_files_are_on_their_way_then_a_bar_counts_them_and_it_is_no_error(
    app, monkeypatch, slow
):
    coming(monkeypatch, *(f"run{n:03}" for n in range(118)), slow=slow)
    app.file_uploader[0].set_value([OTHER]).run()
    told = ". The connection is slow; nothing has failed." if slow else ""
    assert progress(app) == [f"1 of 119 files received{told}"]
    assert "Still to come: run000, run001" in texts(app)
    assert "and 108 more. They are added to" in texts(app)
    assert not app.dataframe
    assert not app.error
    assert not app.warning
    assert "1 run " in texts(app)
    assert [button.key for button in app.button if button.key == "without"] == ["without"] * slow


def test_drop_when_a_file_does_not_come_then_it_is_named_and_nothing_changes(app, monkeypatch):
    lose(monkeypatch, "more *runs*.txt")
    app.file_uploader[0].set_value([OTHER]).run()
    assert "Could not be received: more \\*runs\\*.txt." in app.error[0].value
    assert "1 run " in texts(app)
    assert app.file_uploader[0].value  # what came is still there
    app.button(key="without").click().run()
    refusal = "more \\*runs\\*.txt: expected a file, found nothing"
    assert [refusal in error.value for error in app.error] == [True]
    assert "2 runs " in texts(app)


def test_drop_when_the_line_is_slow_then_what_came_can_be_read_without_the_rest(app, monkeypatch):
    coming(monkeypatch, "more.txt", slow=True)
    app.file_uploader[0].set_value([OTHER]).run()
    app.button(key="without").click().run()
    monkeypatch.undo()
    assert "2 runs " in texts(app.run())


def test_page_when_files_are_in_another_phase_than_it_shows_then_is_drawn_again(monkeypatch):
    """Streamlit draws the fragment every second."""
    drawn: list[str] = []
    monkeypatch.setattr(upload.st, "rerun", lambda: drawn.append("again"))
    none, coming, slow, lost = ("", 0), ("coming", 0), ("slow", 0), ("", 1)
    for before, now in ((none, none), (none, coming), (coming, slow), (slow, slow), (slow, lost)):
        monkeypatch.setattr(receiving, "phase", lambda now=now: now)
        upload._watch_arrivals.__wrapped__(Dataset(), (before, (0, 0)))
        drawn.append(now[0])
    assert drawn == ["", "again", "coming", "again", "slow", "slow", "again", ""]


def test_browser_when_it_could_not_send_files_then_their_names_are_read_and_nothing_else(
    monkeypatch, app
):
    noted: list[list[str]] = []
    monkeypatch.setattr(upload.receiving, "note_failed", lambda session, names: noted.append(names))
    for said in ('["a.txt", 7]', "no JSON", '{"a": 1}'):
        app.text_input(key="collection.uploads_failed").set_value(said).run()
    assert noted == [["a.txt", "7"]]


def test_files_when_read_then_a_bar_counts_them_and_a_page_that_is_left_still_reads_all(
    monkeypatch,
):
    class Left(BaseException):
        """How Streamlit ends a page."""

    told: list[str] = []

    class Place:
        def progress(self, share: float, text: str) -> None:
            told.append(text)
            raise Left

    monkeypatch.setattr(bar.st, "empty", Place)
    monkeypatch.setattr(bar, "LOOK", 0.01)
    shown, read = bar.Bar("{} of {} read"), Event()

    def work(tell: Callable[[int, int], None]) -> str:
        tell(12, 127)
        read.wait(0.2)
        return "all"

    assert shown.work(work) == "all"
    assert told[-1] in ("0 of 1 read", "12 of 127 read")
    with pytest.raises(Left):
        shown.leave()
    counted: list[tuple[int, int]] = []
    desk = dataset_of([])
    desk.add([(name, data) for name, data, _ in (QRELS, RUN)], lambda *seen: counted.append(seen))
    assert sorted(counted) == [(1, 2), (2, 2)]


def test_drop_when_the_missing_file_comes_after_all_then_all_are_read(app, monkeypatch):
    with monkeypatch.context() as patch:
        lose(patch, "run2.txt")
        app.file_uploader[0].set_value([OTHER]).run()
    more = ("run2.txt", run_lines("second", TINY_RUNS["example"]).encode(), "text/plain")
    fine(app.file_uploader[0].set_value([OTHER, more]).run())
    assert "3 runs " in texts(app)


@pytest.mark.parametrize(
    ("dropped", "found"), [((OTHER,), ["mine, other"]), (OWN, ["mine", "new"])]
)
def test_drop_when_the_next_one_ends_its_page_anywhere_then_its_files_are_read_once(
    files, session, monkeypatch, dropped, found
):
    """Streamlit can end a page that is out of date wherever it looks at the tab's state:
    here at the first look of the reading, then at the second, and so on.
    """
    monkeypatch.setattr(receiving, "session_id", lambda: SESSION)
    look, read, ends = Value.get, upload._read, list[int]()

    def counted(value: Value) -> object:
        ends.append(1)
        if len(ends) == at:
            st.rerun()
        return look(value)

    def reading(*given: object) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(Value, "get", counted)
            read(*given)

    monkeypatch.setattr(upload, "_read", reading)
    for at in count(1):
        ends.clear()
        desk = dataset_of([(name, data) for name, data, _ in (QRELS, RUN)])
        app = opened("pages/data/collection.py", desk=desk)
        for name, data, _ in dropped:
            (file,) = announce(SESSION, name)
            files.add_file(SESSION, UploadedFileRec(file, name, "text/plain", data))
            receiving.note_received(SESSION, file)
        app.run()
        visitor = app.session_state["visitor"]
        runs = [", ".join(sorted(run.tags[0] for run in d.runs.values())) for d in visitor.datasets]
        assert sorted(runs) == found, f"ended at look {at}"
        assert receiving.drop([]).files == []
        if len(ends) < at:
            break
    assert at > 1


def test_drop_when_a_hundred_files_do_not_come_then_ten_are_named(app, monkeypatch):
    lose(monkeypatch, *(f"run{n:03}" for n in range(100)))
    app.file_uploader[0].set_value([OTHER]).run()
    assert "run009 and 90 more" in app.error[0].value
    assert "run010" not in app.error[0].value


def test_drop_when_its_only_file_does_not_come_then_it_is_named(app, monkeypatch):
    lose(monkeypatch, "mine.txt")
    app.run()
    assert "Could not be received: mine.txt. Nothing has been read yet" in app.error[0].value
    assert "They may exceed 1 GB" in app.error[0].value
    assert not [button for button in app.button if button.key == "without"]


def test_uploader_when_emptied_or_of_another_session_then_has_a_key_that_no_browser_has_seen():
    """A browser sends what it has under a key, also to a server that was started again."""
    keys = []
    for _ in range(2):
        app = opened("pages/data/collection.py")
        keys.append(app.file_uploader[0].key)
        app.file_uploader[0].set_value([QRELS, RUN]).run()
        keys.append(app.file_uploader[0].key)
        assert fine(app.run()).file_uploader[0].key == keys[-1]  # but stays while it is used
    assert len({*keys}) == 4


def test_uploader_when_a_file_is_too_large_then_the_browser_keeps_nothing_back_itself(app):
    assert app.file_uploader[0].proto.max_upload_size_mb == UNLIMITED
    assert "at most 1 GB per file" in app.file_uploader[0].label


def test_page_when_37_of_127_files_have_come_then_says_so(files, session, monkeypatch):
    monkeypatch.setattr(receiving, "session_id", lambda: SESSION)
    ids = announce(SESSION, *(f"run{n}" for n in range(127)))
    for n, file in enumerate(ids[:37]):
        come(files, SESSION, file, f"run{n}")
    app = fine(opened("pages/data/collection.py"))
    assert app.get("progress")[0].proto.text == "37 of 127 files received"
    assert not app.dataframe  # what is open would pass for what comes


def test_page_when_files_are_read_while_it_is_drawn_then_is_drawn_again_with_them(monkeypatch):
    """As a drawing that began to read them leaves them, if another ended it meanwhile."""
    desk, line = Dataset(), terms.line

    def read_meanwhile(*given: object) -> None:
        if not desk.used:
            desk.add([(name, data) for name, data, _ in (QRELS, RUN)])
        line(*given)

    monkeypatch.setattr(terms, "line", read_meanwhile)
    app = fine(dashboard(desk).run())
    assert any("1 run " in caption.value for caption in app.sidebar.caption)
    assert "Sample collection" not in texts(app)


def test_files_when_they_are_read_after_the_page_was_drawn_then_it_is_drawn_again(monkeypatch):
    drawn: list[int] = []
    monkeypatch.setattr(upload.st, "rerun", lambda: drawn.append(1))
    desk = Dataset()
    before = receiving.phase(), desk.loaded
    upload._watch_arrivals.__wrapped__(desk, before)
    assert drawn == []
    desk.add([(name, data) for name, data, _ in (QRELS, RUN)])
    upload._watch_arrivals.__wrapped__(desk, before)
    assert drawn == [1]
