"""Rooms: a class votes on the question of a lesson from its telephones.

A room has a code. It ends when its owner ends it, or hours after its last question, and
all its votes with it. They name nobody: a voter is a hash. Rooms are rows of the store
if this server keeps data on disk, so that all servers see them, and else in memory.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from secrets import choice
from threading import Lock
from typing import Any

from irmeval.core.errors import ParamError
from irmeval.ui.state import clock, doors, store
from irmeval.ui.state.cookies import DAY, days_kept

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters of a code, without those that look alike."""
LENGTH = 8
"""Letters of a code: too many to guess."""
LIFE = DAY / 2
"""Seconds that a room lasts after its last question."""
MOST_ROOMS = 100
"""Most rooms of a server."""
MOST_VOTERS = 500
"""Most telephones in a room."""
MOST_ROUNDS = 9
"""Most rounds of votes on a question."""
PAUSE = 0.3
"""Seconds between two votes of a telephone."""

# pages run in threads of their own, and `_lock` admits one at a time
_memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
# SQLite deletes what hangs on a deleted room only if this is on
_memory.execute("PRAGMA foreign_keys = ON")
store.make_tables(_memory)
_lock = Lock()
_unended: set[str] = set()
"""Owners whose room the disk has not let go yet. Nobody sees it."""


class Vote(StrEnum):
    """What became of a vote."""

    COUNTED = "counted"
    NOT_ASKED = "old"
    TOO_FAST = "fast"
    FULL = "full"
    MANY = "many"
    SHUT = "shut"


@dataclass(frozen=True)
class Poll:
    """A question, and the votes on it."""

    lesson: str
    question: str
    choices: tuple[str, ...]
    round: int
    """how often the class was asked"""
    is_open: bool
    """whether votes are taken"""
    votes: tuple[tuple[int, ...], ...]
    """[round][choice]"""
    lists: Mapping[str, str]
    """lists that the question is about, by name, as the lab writes them"""
    answer: int | None
    """the right choice, from 1, 0 if there is none; None before it is told"""

    @property
    def rounds(self) -> list[list[int]]:
        """The votes of each round in which somebody voted."""
        return [[*votes] for votes in self.votes if any(votes)]


@contextmanager
def _in_memory() -> Iterator[sqlite3.Connection]:
    with _lock, _memory:
        yield _memory


@contextmanager
def _transaction(code: str, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """Context of a transaction where a room is: in memory, if it was opened while the
    disk refused it, or where this server keeps nothing.
    """
    with _in_memory() as db:
        here = db.execute("SELECT 1 FROM room WHERE code = ?", (code,)).fetchone()
    if here or not _is_on_disk():
        with _in_memory() as db:
            yield db
    else:
        with store.transaction(write=write) as db:
            yield db


def _is_on_disk() -> bool:
    """Whether rooms may be on disk."""
    return bool(days_kept() and store.inode())


def normalise(code: str) -> str:
    """A code as it is written here, whatever a visitor types between its letters."""
    return "".join(filter(LETTERS.__contains__, code.upper()))[:LENGTH]


def remove_old() -> None:
    """Remove the rooms whose time is over, and those that the disk kept at their end."""
    over = "DELETE FROM room WHERE used < ?", (clock.now() - LIFE,)
    with _in_memory() as db:
        db.execute(*over)
    if _is_on_disk():
        with suppress(OSError), store.transaction() as db:
            db.execute(*over)
    # a copy, since `end` takes from it
    for owner in [*_unended]:
        end(owner)


def open_room(owner: str) -> None:
    """Open a room, in place of another of its owner; in memory if the disk refuses it.
    Raises `ParamError` if there are too many; `store.Busy`.
    """
    remove_old()
    with _in_memory() as db:
        db.execute("DELETE FROM room WHERE owner = ?", (owner,))
    # not `_is_on_disk`: the first room may have to create the database
    if days_kept():
        try:
            with store.transaction() as db:
                _open(db, owner)
            _unended.discard(owner)
            return
        except store.Busy:
            # the disk works, and the other server could not know of a room in this one's memory
            raise
        except OSError:
            pass
    with _in_memory() as db:
        _open(db, owner)


def _open(db: sqlite3.Connection, owner: str) -> None:
    # `secrets.choice`: who knows one code must not guess the next
    code = "".join(map(choice, [LETTERS] * LENGTH))
    db.execute("DELETE FROM room WHERE owner = ?", (owner,))
    if db.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
        raise ParamError("This server has no room left. Try again later.")
    db.execute("INSERT INTO room VALUES (?, ?, ?, '', 1)", (code, owner, clock.now()))


def find_code(owner: str) -> str:
    """The code of the owner's room; empty if there is none. Raises `OSError`."""
    room = "SELECT code FROM room WHERE owner = ? AND used >= ?", (owner, clock.now() - LIFE)
    with _in_memory() as db:
        code = store.first_value(db, *room, "")
    if not code and _is_on_disk() and owner not in _unended:
        with store.transaction(write=False) as db:
            code = store.first_value(db, *room, "")
    return code


def end(owner: str) -> None:
    """End the owner's room: nothing is left of it. If the disk fails, nobody sees the room
    any more, and it is removed as soon as that can be.
    """
    gone = "DELETE FROM room WHERE owner = ?", (owner,)
    with _in_memory() as db:
        db.execute(*gone)
    if not _is_on_disk():
        return
    try:
        with store.transaction() as db:
            db.execute(*gone)
    except OSError:
        _unended.add(owner)
        return
    _unended.discard(owner)
    # a deleted row stays readable in the log until that is emptied
    with suppress(OSError):  # another server reads, and empties it later
        store.empty_log()


def ask(
    code: str,
    lesson: str,
    question: str,
    choices: Sequence[str],
    lists: Mapping[str, str] | None = None,
) -> None:
    """Ask a question, about some lists by name, with the votes there are."""
    with _transaction(code, write=True) as db:
        db.execute(
            "UPDATE room SET asked = ?, used = ? WHERE code = ?", (lesson, clock.now(), code)
        )
        values = lesson, question, json.dumps(choices), json.dumps(dict(lists or {}))
        # each drawing of this step asks: the votes so far stay
        new = "INSERT OR IGNORE INTO poll SELECT code, ?, ?, ?, 1, 1, ?, NULL FROM room"
        db.execute(f"{new} WHERE code = ?", (*values, code))


def close(code: str, lesson: str = "") -> None:
    """Take no more votes on a question; without a lesson, let telephones wait for the
    next one.
    """
    with _transaction(code, write=True) as db:
        db.execute("UPDATE poll SET open = 0 WHERE room = ? AND lesson = ?", (code, lesson))
        db.execute("UPDATE room SET asked = ? WHERE code = ?", (lesson, code))


def tell(code: str, lesson: str, answer: int) -> None:
    """Tell telephones which choice is right, 0 for none."""
    with _transaction(code, write=True) as db:
        # telephones show it at once: while a vote is open it would be copied
        told = "UPDATE poll SET answer = ? WHERE room = ? AND lesson = ? AND NOT open"
        db.execute(told, (answer, code, lesson))


def set_door(code: str, *, is_open: bool) -> None:
    """Let telephones enter a room, or no more of them; who is inside votes on."""
    with _transaction(code, write=True) as db:
        db.execute("UPDATE room SET door = ? WHERE code = ?", (is_open, code))


def has_open_door(code: str) -> bool:
    """Whether telephones may enter a room."""
    with _transaction(code) as db:
        return bool(db.execute("SELECT 1 FROM room WHERE code = ? AND door", (code,)).fetchone())


def enter(code: str, voter: str) -> None:
    """Note that a telephone is in a room, unless its door is closed."""
    key = code, _hash(code, voter)
    with _transaction(code) as db:
        known = db.execute("SELECT 1 FROM telephone WHERE room = ? AND voter = ?", key).fetchone()
    # a telephone asks every few seconds, and most of these questions need no write
    if not known and count_telephones(code) < MOST_VOTERS:
        with _transaction(code, write=True) as db:
            new = "INSERT OR IGNORE INTO telephone SELECT code, ? FROM room WHERE code = ? AND door"
            db.execute(new, key[::-1])


def count_telephones(code: str) -> int:
    """How many telephones have entered a room."""
    with _transaction(code) as db:
        counted = db.execute("SELECT count(*) FROM telephone WHERE room = ?", (code,)).fetchone()
    return int(counted[0])


def ask_again(code: str, lesson: str) -> None:
    """Begin another round of votes on a question; those so far stay."""
    with _transaction(code, write=True) as db:
        # a second press, or another tab, asks when the next round is open: it is not a third
        again = (
            "UPDATE poll SET open = 1, answer = NULL, round = min(round + 1, ?)"
            " WHERE room = ? AND lesson = ? AND NOT open"
        )
        db.execute(again, (MOST_ROUNDS, code, lesson))


def polls(code: str) -> dict[str, Poll]:
    """Lesson -> its question, for all that were asked in a room."""
    found = {}
    with _transaction(code) as db:
        for row in db.execute("SELECT * FROM poll WHERE room = ?", (code,)).fetchall():
            poll = _poll(row)
            lesson, votes = poll.lesson, [[0] * len(poll.choices) for _ in range(poll.round)]
            counted = (
                "SELECT round, choice, count(*) FROM ballot WHERE room = ? AND lesson = ? GROUP BY"
                " round, choice"
            )
            for number, picked, count in db.execute(counted, (code, lesson)):
                votes[number - 1][picked - 1] = count
            found[lesson] = replace(poll, votes=tuple(map(tuple, votes)))
    return found


def _poll(row: tuple[Any, ...]) -> Poll:
    """The question in a row, without its votes."""
    _, lesson, question, texts, last, is_open, lists, answer = row
    choices = tuple(json.loads(texts))
    return Poll(lesson, question, choices, last, bool(is_open), (), json.loads(lists), answer)


def asked(code: str, voter: str) -> tuple[Poll | None, int] | None:
    """The question of a room, None while there is none, and the voter's choice, 0 if
    there is none; None if there is no such room.
    """
    with _transaction(code) as db:
        room = db.execute(
            "SELECT asked, owner FROM room WHERE code = ? AND used >= ?",
            (code, clock.now() - LIFE),
        ).fetchone()
        if room is None or room[1] in _unended:
            return None
        row = db.execute(
            "SELECT * FROM poll WHERE room = ? AND lesson = ?", (code, room[0])
        ).fetchone()
        if row is None:
            return None, 0
        poll = _poll(row)
        own = "SELECT choice FROM ballot WHERE room = ? AND lesson = ? AND round = ? AND voter = ?"
        key = code, poll.lesson, poll.round, _hash(code, voter)
        return poll, store.first_value(db, own, key, 0)


def vote(code: str, lesson: str, last: int, voter: str, picked: int, address: str = "") -> Vote:
    """Take a vote on the question that is asked, in place of the voter's last; return
    what became of it. Raises `OSError`.
    """
    key, now = (code, lesson, last, _hash(code, voter)), clock.now()
    taken = (
        "SELECT choices FROM poll JOIN room ON code = room AND asked = lesson WHERE room = ? AND"
        " lesson = ? AND round = ? AND open"
    )
    with _transaction(code, write=True) as db:
        poll = db.execute(f"{taken} AND used >= ?", (*key[:3], now - LIFE)).fetchone()
        if not poll or not 1 <= picked <= len(json.loads(poll[0])):
            return Vote.NOT_ASKED
        own = "SELECT max(given), count(*) FROM ballot WHERE room = ? AND voter = ?"
        given, votes = db.execute(own, (code, key[3])).fetchone()
        # what is later than now was given by a clock that has been set back since
        if votes and 0 <= now - given < PAUSE:
            return Vote.TOO_FAST
        if not votes and (refused := _why_outside(db, code, key[3], address)):
            return refused
        db.execute("INSERT OR REPLACE INTO ballot VALUES (?, ?, ?, ?, ?, ?)", (*key, picked, now))
        db.execute("INSERT OR IGNORE INTO telephone VALUES (?, ?)", (code, key[3]))
    return Vote.COUNTED


def _why_outside(db: sqlite3.Connection, code: str, voter: str, address: str) -> Vote | None:
    """Why the first vote of a telephone does not count; None if it does."""
    inside = "SELECT 1 FROM telephone WHERE room = ? AND voter = ?"
    shut = db.execute("SELECT 1 FROM room WHERE code = ? AND NOT door", (code,)).fetchone()
    # no address tells a script from the class that it sits in: the teacher sees how many enter
    if shut and not db.execute(inside, (code, voter)).fetchone():
        return Vote.SHUT
    counted = "SELECT count(DISTINCT voter) FROM ballot WHERE room = ?"
    (voters,) = db.execute(counted, (code,)).fetchone()
    if voters >= MOST_VOTERS:
        return Vote.FULL
    if doors.enter(_hash(code, address), MOST_VOTERS):
        return None
    return Vote.MANY


def _hash(code: str, voter: str) -> str:
    """A voter or an address in a room, whom nothing connects with one in another room."""
    return blake2b(voter.encode(), key=code.encode(), digest_size=16).hexdigest()
