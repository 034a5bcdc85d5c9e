"""A room: telephones vote on the question of a lesson, one vote each, and nothing is
left of it when it ends.
"""

import asyncio
import re
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from unittest.mock import Mock
from urllib.parse import urlencode

import pytest

from irmeval import lessons
from irmeval.core.errors import ParamError
from irmeval.ui.pages import lessons as page_of_lessons
from irmeval.ui.pages import room as page
from irmeval.ui.server.server import Guard
from irmeval.ui.server.voting import BYTES, Voting
from irmeval.ui.state import clock, cookies, doors, home, rooms, store, visitors
from irmeval.ui.state.rooms import Vote
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import session
from tests.dashboard import fine, texts
from tests.pages.test_lessons_page import opened

ASKED = "ideal_rbp", "Which?", ("the <b>first</b>", "the second", "none")
HOST = "127.0.0.1:8501"


@pytest.fixture(autouse=True)
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """One that keeps data, and on which telephones vote as fast as tests do."""
    monkeypatch.setenv(home.HOME, str(tmp_path / "home"))
    monkeypatch.setattr(rooms, "PAUSE", 0.0)
    cookies.secret.cache_clear()
    yield monkeypatch
    store.close()
    cookies.secret.cache_clear()


def new_room(owner: str = "teacher") -> str:
    """The code of a new room in which a question is asked."""
    rooms.open_room(owner)
    rooms.ask(code := rooms.find_code(owner), *ASKED)
    return code


def counts(code: str) -> tuple[int, ...]:
    return rooms.polls(code)[ASKED[0]].votes[-1]


def codes() -> list[str]:
    with rooms._transaction("") as db:
        return [code for (code,) in db.execute("SELECT code FROM room")]


class Telephone:
    """A browser with a jar of cookies."""

    def __init__(self) -> None:
        self.jar: dict[str, str] = {}
        self.page = ""
        self.leads_to = ""

    def send(
        self, method: str, query: str = "", body: bytes = b"", path: str = "/vote", **headers: str
    ) -> int:
        """Send a request through the guard, as the server does; keep the page and the
        cookie. Returns the status.
        """
        given = {
            "host": HOST,
            "cookie": "; ".join(f"{name}={value}" for name, value in self.jar.items()),
        } | headers
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "scheme": "http",
            "client": ("192.0.2.9", 50000),
        }
        scope["headers"] = [
            (name.encode(), value.encode()) for name, value in given.items() if value
        ]
        sent: list[dict] = []

        async def receive() -> dict:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict) -> None:
            sent.append(message)

        async def nothing(scope, receive, send) -> None:
            raise AssertionError("another page was asked for")

        asyncio.run(Guard(Voting(nothing), list)(scope, receive, send))
        if sent[0]["status"] == 200:
            self.page = b"".join(message.get("body", b"") for message in sent[1:]).decode()
        for name, value in sent[0]["headers"]:
            if name == b"set-cookie":
                self.jar |= dict([value.decode().split(";")[0].split("=", 1)])
            if name == b"location":
                self.leads_to = value.decode().partition("room=")[2]
        return sent[0]["status"]

    def open(self, code: str) -> "Telephone":
        assert self.send("GET", f"room={code}") == 200
        return self

    def told(self, vote: Callable[[object], int], choice: object) -> str:
        """What the page says after a vote."""
        assert vote(choice) == 303
        said = re.search(r"Not counted: [^.]*\.", self.open(self.leads_to).page)
        return said[0] if said else ""

    def vote(self, choice: object, **changed: object) -> int:
        """Press a button of the page that is open."""
        hidden = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', self.page))
        return self.send(
            "POST",
            body=urlencode(hidden | {"choice": choice} | changed).encode(),
            origin=f"http://{HOST}",
        )


def test_vote_when_a_telephone_votes_twice_then_its_last_counts_and_others_have_their_own():
    code = new_room()
    one, other = Telephone().open(code), Telephone().open(code)
    assert [one.vote(1), one.vote(2), other.vote(2)] == [303] * 3
    assert counts(code) == (0, 2, 0)
    assert 'value="2" aria-pressed="true"' in one.open(code).page
    assert "Your answer: B." in one.page
    assert "the &lt;b&gt;first&lt;/b&gt;" in one.page


def test_vote_when_it_is_of_nobody_or_of_nothing_that_is_asked_then_does_not_count():
    code = new_room()
    voter = Telephone().open(code)
    for changed in (
        {"choice": 0},
        {"choice": 4},
        {"choice": "x"},
        {"round": 2},
        {"lesson": "q_blends"},
        {"room": "22222222"},
        {"choice": "9" * 50},
    ):
        assert voter.vote(**{"choice": 1} | changed) == 303
    nobody = Telephone().open(code)
    nobody.jar = {
        name: value[:-1] + ("0" if value[-1] != "0" else "1") for name, value in nobody.jar.items()
    }
    assert nobody.vote(1) == 303
    assert counts(code) == (0, 0, 0)
    assert voter.send("POST", body=b"x" * (BYTES + 1), origin=f"http://{HOST}") == 413
    assert voter.send("POST", body=b"choice=1", origin="http://elsewhere.example") == 403


def test_rounds_when_a_class_votes_again_and_again_then_the_last_one_is_voted_on():
    code = new_room()
    for _ in range(rooms.MOST_ROUNDS + 2):
        rooms.close(code, ASKED[0])
        rooms.ask_again(code, ASKED[0])
    assert len(rooms.polls(code)[ASKED[0]].votes) == rooms.MOST_ROUNDS
    last = rooms.MOST_ROUNDS
    assert rooms.vote(code, ASKED[0], last, "voter", 2) == Vote.COUNTED
    assert counts(code) == (0, 1, 0)


def test_votes_when_shown_then_none_is_taken_until_the_class_votes_again_and_first_round_stays():
    code = new_room()
    voter = Telephone().open(code)
    voter.vote(1)
    assert page.bars(rooms.polls(code)[ASKED[0]]).count("<i ") == 0
    rooms.close(code, ASKED[0])
    voter.vote(3)
    assert "Your answer: A. Look at the screen." in voter.open(code).page
    assert "<span>1</span>" in page.bars(rooms.polls(code)[ASKED[0]])
    rooms.ask_again(code, ASKED[0])
    assert "Vote again, after talking. Choose one." in voter.open(code).page
    voter.vote(2)
    rooms.close(code, ASKED[0])
    poll = rooms.polls(code)[ASKED[0]]
    assert poll.rounds == [[1, 0, 0], [0, 1, 0]]
    assert page.bars(poll).count('class="before"') == page.bars(poll).count('class="now"') == 3


def test_votes_when_thirty_vote_at_once_then_all_are_counted():
    code = new_room()
    telephones = [Telephone().open(code) for _ in range(30)]
    threads = [
        Thread(target=telephone.vote, args=(i % 3 + 1,)) for i, telephone in enumerate(telephones)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(code) == (10, 10, 10)


@pytest.mark.parametrize("days", ["30", "off"])
def test_room_when_ended_then_its_code_leads_nowhere_and_no_byte_of_it_is_left(
    days, server, tmp_path
):
    server.setenv(home.KEEP, days)
    code = new_room()
    voter = Telephone().open(code)
    voter.vote(1)
    store.close()  # as after a restart
    assert counts(code) == (1, 0, 0)
    rooms.end("teacher")
    assert rooms.find_code("teacher") == ""
    assert "There is no such room, or it has ended" in voter.open(code).page
    store.close()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert code.encode() not in written
    assert (tmp_path / "home/store").exists() == (days != "off")


def test_room_when_its_owner_opens_another_or_forgets_all_then_is_gone(server):
    first = new_room()
    other = new_room("somebody else")
    second = new_room()
    assert rooms.asked(first, "") is None
    server.setattr(visitors, "here", lambda: Visitor("teacher"))
    server.setattr(session, "widgets", {})
    server.setattr(session, "TAB", Mock())
    session.forget()
    assert rooms.asked(second, "") is None
    assert rooms.asked(other, "") is not None


def test_room_when_its_time_is_over_or_there_are_too_many_then_is_none(server):
    code = new_room()
    server.setattr(rooms, "LIFE", -1.0)
    assert rooms.find_code("teacher") == ""
    assert rooms.asked(code, "") is None
    assert rooms.vote(code, ASKED[0], 1, "voter", 1) == Vote.NOT_ASKED
    server.setattr(rooms, "LIFE", 1e9)
    server.setattr(rooms, "MOST_ROOMS", 1)
    with pytest.raises(ParamError, match="no room left"):
        rooms.open_room("somebody else")
    rooms.open_room("teacher")


def test_room_when_the_disk_cannot_be_written_then_is_in_memory(server, tmp_path):
    (tmp_path / "home").write_text("no folder")
    code = new_room()
    assert rooms.vote(code, ASKED[0], 1, "a", 2) == Vote.COUNTED
    assert counts(code) == (0, 1, 0)


@contextmanager
def full_disk(server: pytest.MonkeyPatch) -> Iterator[None]:
    """A disk on which SQLite writes nothing, nor empties its log."""

    class Full(sqlite3.Connection):
        def execute(self, statement: str, *given: object) -> sqlite3.Cursor:
            if statement.startswith(("BEGIN IMMEDIATE", "PRAGMA wal_checkpoint")):
                raise sqlite3.OperationalError("database or disk is full")
            return super().execute(statement, *given)

    store.close()
    connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False, factory=Full)
    with server.context() as patch:
        patch.setattr(store, "_connect", connect)
        yield
        store.close()


def test_rooms_when_the_disk_is_full_for_a_moment_then_those_of_before_are_there_after_it(server):
    before = new_room()
    with full_disk(server):
        meanwhile = new_room("another")
        assert rooms.asked(meanwhile, "")[0].is_open
        assert rooms.vote(meanwhile, ASKED[0], 1, "a", 2) == Vote.COUNTED
        assert rooms.asked(before, "")[0].is_open
        assert Telephone().open(before).vote(1) == 503
    assert [rooms.find_code(owner) for owner in ("teacher", "another")] == [before, meanwhile]
    assert rooms.vote(before, ASKED[0], 1, "a", 1) == Vote.COUNTED
    assert (counts(before), counts(meanwhile)) == ((1, 0, 0), (0, 1, 0))


def test_room_when_it_ends_on_a_full_disk_then_nobody_sees_it_and_it_goes_once_it_can(server):
    code = new_room()
    with full_disk(server):
        rooms.end("teacher")
        assert rooms.find_code("teacher") == ""
        assert rooms.asked(code, "") is None
    assert codes() == [code]
    rooms.remove_old()
    assert codes() == []


def test_page_of_a_room_when_the_disk_refuses_it_then_says_so_in_words(server):
    app = fine(opened())
    app.button(key="room_open").click().run()
    app.button(key="open-ideal_rbp").click().run()
    with full_disk(server):
        app.run()
        app.button(key="room_show").click().run()
        assert not app.exception
        assert "This server's disk refuses it" in app.warning[0].value
        app.button(key="room_end").click().run()
        assert not app.exception


@pytest.mark.parametrize("hours", [-1, 1, -24 * 40, 24 * 40])
def test_room_when_the_clock_is_set_then_telephones_vote_as_before(server, hours):
    server.setattr(rooms, "PAUSE", 0.01)
    code = new_room()
    assert rooms.vote(code, ASKED[0], 1, "a", 1) == Vote.COUNTED
    there = time.time
    server.setattr(time, "time", lambda: there() + 3600 * hours)
    time.sleep(0.02)
    assert rooms.vote(code, ASKED[0], 1, "a", 2) == Vote.COUNTED
    rooms.close(code, ASKED[0])
    rooms.ask_again(code, ASKED[0])
    rooms.remove_old()
    # another server of the same home, which began after that
    server.setattr(clock, "_BEGUN", time.time() - time.monotonic())
    if abs(hours) == 1:
        time.sleep(0.02)
        assert rooms.vote(code, ASKED[0], 2, "a", 3) == Vote.COUNTED


def test_page_when_it_asks_for_the_code_of_a_room_then_gives_no_cookie():
    code, voter = new_room(), Telephone()
    for other in ("", "ZZZZ"):
        assert voter.open(other).jar == {}
        assert "Code on the screen:" in voter.page
    assert len(voter.open(code).jar) == 1


def test_vote_when_it_does_not_count_then_the_telephone_is_told_why(server):
    code = new_room()
    one, other = Telephone().open(code), Telephone().open(code)
    one.vote(1)
    server.setattr(rooms, "PAUSE", 60.0)
    assert one.told(one.vote, 2) == "Not counted: that was too soon after your last answer."
    server.setattr(rooms, "MOST_VOTERS", 1)
    assert other.told(other.vote, 1).startswith("Not counted: the room is full")
    server.setattr(rooms, "MOST_VOTERS", 500)
    server.setattr(doors, "SHARE", 0.0)
    assert other.told(other.vote, 1).startswith("Not counted: many telephones enter")
    other.jar.clear()
    assert other.told(other.vote, 1).startswith("Not counted: this browser keeps no cookie")
    rooms.close(code, ASKED[0])
    assert one.told(one.vote, 2).startswith("Not counted: that question was closed")
    assert counts(code) == (1, 0, 0)
    assert "Not counted" not in one.open(code).page
    assert "Not counted" not in one.open(f"{code}&told=<b>").page


def test_room_when_a_script_enters_it_again_and_again_then_a_class_elsewhere_has_room(server):
    now = [1e9]
    server.setattr(clock, "now", lambda: now[0])
    code = new_room()
    server.setattr(doors, "_doors", OrderedDict())

    def enter(who: str, address: str, n: int) -> int:
        """How many of `n` new telephones have their vote counted."""
        return sum(
            rooms.vote(code, ASKED[0], 1, f"{who}{i}", 1, address) == Vote.COUNTED for i in range(n)
        )

    assert enter("class", "192.0.2.1", 100) == 100  # a class behind one address, at once
    now[0] += 60
    assert enter("more", "192.0.2.1", 100) == 100
    assert enter("script", "192.0.2.2", 1000) == 100
    now[0] += 120
    assert enter("script again", "192.0.2.2", 1000) == 100
    now[0] += 1000
    assert enter("class", "192.0.2.1", 100) == 100  # who is inside changes an answer
    rooms.open_room("other")
    rooms.ask(code := rooms.find_code("other"), *ASKED)
    for _ in range(20):
        enter("script", "192.0.2.2", 500)
        now[0] += 60
    assert sum(counts(code)) == doors.SHARE * rooms.MOST_VOTERS
    assert enter("class", "192.0.2.1", 100) == 100


def test_door_when_closed_then_a_script_in_the_room_takes_no_part_and_who_is_inside_votes_on(
    server,
):
    code = new_room()
    one, late = Telephone(), Telephone()
    one.open(code).open(code)  # its page asks again and again
    assert rooms.vote(code, ASKED[0], 1, "a", 1, "192.0.2.1") == Vote.COUNTED
    rooms.set_door(code, is_open=False)
    late.open(code).open(code)
    assert rooms.count_telephones(code) == 2
    # from the address of the class, and at any pace
    came = {rooms.vote(code, ASKED[0], 1, f"script{i}", 2, "192.0.2.1") for i in range(99)}
    assert came == {Vote.SHUT}
    assert one.told(one.vote, 3) == ""
    assert late.told(late.vote, 2) == "Not counted: nobody else may enter this room."
    assert counts(code) == (1, 0, 1)
    rooms.set_door(code, is_open=True)
    assert rooms.vote(code, ASKED[0], 1, "late", 2, "192.0.2.1") == Vote.COUNTED


def test_votes_when_too_many_or_too_fast_then_are_not_taken(server):
    code = new_room()
    server.setattr(rooms, "MOST_VOTERS", 2)
    assert [rooms.vote(code, ASKED[0], 1, voter, 1) for voter in "abca"] == [
        Vote.COUNTED,
        Vote.COUNTED,
        Vote.FULL,
        Vote.COUNTED,
    ]
    server.setattr(rooms, "PAUSE", 60.0)
    assert rooms.vote(code, ASKED[0], 1, "a", 2) == Vote.TOO_FAST
    assert counts(code) == (2, 0, 0)


def test_code_when_typed_small_with_a_blank_then_is_read_and_a_voter_is_another_in_each_room():
    code = new_room()
    assert "the second" in Telephone().open(f"{code[:4].lower()}+{code[4:].lower()}").page
    assert len({new_room(owner) for owner in "abc"}) == 3
    assert rooms._hash("A", "voter") != rooms._hash("B", "voter")


def test_lessons_when_a_room_is_open_then_the_question_shows_its_door_and_the_answer_the_votes():
    app = fine(opened())
    app.button(key="room_open").click().run()
    assert not [button for button in fine(app).button if button.key.startswith("guess-")]
    (code,) = codes()
    door = next(html.proto.body for html in app.get("html") if "invite" in html.proto.body)
    assert f"{code[:4]} {code[4:]}" in door
    assert "data:image/svg+xml" not in door  # no telephone reaches a loopback address
    assert "Telephones cannot reach this address" in texts(app)
    app.button(key="open-ideal_rbp").click().run()
    lesson = lessons.load("ideal_rbp")
    for voter, choice in ("a", 1), ("b", 2), ("c", 2):
        assert rooms.vote(code, lesson.name, 1, voter, choice) == Vote.COUNTED
    assert "3 votes of 3 telephones" in texts(fine(app.run()))
    app.button(key="lesson_next").click().run()
    assert "Votes: A 1, B 2, C 0. The right answer is B" in texts(fine(app))
    assert not rooms.polls(code)[lesson.name].is_open
    app.button(key="lessons_all").click().run()
    assert "Score: 1 of 1 lesson right by most votes; 67% of 3 votes right." in texts(fine(app))
    assert rooms.asked(code, "a") == (None, 0)
    app.button(key="room_end").click().run()
    assert fine(app).button(key="room_open")


def test_telephone_when_the_answer_is_told_then_learns_whether_it_was_right_until_asked_again():
    code = new_room()
    right, wrong, silent = (Telephone().open(code) for _ in range(3))
    right.vote(2)
    wrong.vote(1)
    rooms.close(code, ASKED[0])
    assert "Your answer: B. Look at the screen." in right.open(code).page
    state = re.search('data-state="([^"]*)"', right.page)[1]
    rooms.tell(code, ASKED[0], 2)
    assert "Your answer: B. That is right." in right.open(code).page
    assert re.search('data-state="([^"]*)"', right.page)[1] != state  # so that the page changes
    assert "Your answer: A. The right answer is B: the second" in wrong.open(code).page
    assert "Votes are closed. The right answer is B: the second" in silent.open(code).page
    rooms.ask_again(code, ASKED[0])
    assert "That is right" not in right.open(code).page
    rooms.close(code, ASKED[0])
    rooms.tell(code, ASKED[0], 0)
    assert "No answer is right on these data" in right.open(code).page


def test_answer_when_votes_are_open_then_is_not_told():
    code = new_room()
    rooms.tell(code, ASKED[0], 2)
    assert rooms.polls(code)[ASKED[0]].answer is None


def test_telephones_when_they_enter_then_are_counted_once_each_whether_or_not_they_vote(server):
    code = new_room()
    one, other = Telephone().open(code), Telephone().open(code)
    assert rooms.count_telephones(code) == 0  # a cookie was not brought back yet
    for telephone in (one, one, other):
        telephone.open(code)
    assert rooms.count_telephones(code) == 2
    Telephone().open(code).vote(1)
    assert rooms.count_telephones(code) == 3
    server.setattr(rooms, "MOST_VOTERS", 3)
    Telephone().open(code).open(code)
    assert rooms.count_telephones(code) == 3
    rooms.end("teacher")
    assert rooms.count_telephones(code) == 0


def test_telephone_when_the_question_is_about_a_list_then_shows_it():
    rooms.open_room("teacher")
    rooms.ask(code := rooms.find_code("teacher"), *ASKED, {"<A>": "1-0-x"})
    shown = Telephone().open(code).page
    assert "<ol><li>1</li><li>0</li><li>?</li></ol>" in shown
    assert "&lt;A&gt;" in shown
    assert page.lists_of(lessons.load("pool")) == {"": "1-0-x-1-x"}
    assert [*page.lists_of(lessons.load("tau_on_four"))] == [*"VXYZ"]
    assert page.lists_of(lessons.load("tenth_left")) == {}


@pytest.mark.parametrize(
    ("url", "code"), [("http://localhost:8501/", False), ("http://10.0.0.5:8501/", True)]
)
def test_door_when_telephones_cannot_reach_the_address_then_has_no_qr_code(url, code, server):
    server.setattr(page, "_address", lambda: url.rstrip("/"))
    app = fine(opened())
    app.button(key="room_open").click().run()
    drawn = "".join(html.proto.body for html in fine(app).get("html"))
    assert ("QR code of" in drawn) is code


@pytest.mark.parametrize("step", ["figure", "formula", "source"])
def test_votes_when_the_question_is_left_then_close_before_anything_of_the_answer_is_known(
    step, monkeypatch
):
    app = fine(opened())
    app.button(key="room_open").click().run()
    (code,) = codes()
    app.button(key="open-ideal_rbp").click().run()
    assert rooms.polls(code)["ideal_rbp"].is_open
    monkeypatch.setattr(page_of_lessons.experiment, "run", lambda *args, **more: None)
    app.query_params["step"] = step
    app.run()
    assert not rooms.polls(code)["ideal_rbp"].is_open
