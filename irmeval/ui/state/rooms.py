"""Rooms: a class votes on the question of a lesson from its telephones.

A room has a code. It ends when its owner ends it, or hours after its last question, and
all its votes with it. They name nobody: a voter is a hash. Rooms are rows of the store
if this server keeps data on disk, so that all servers see them, and else in memory.
"""

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from secrets import choice
from threading import Event, Lock

from irmeval.core.errors import ParamError
from irmeval.ui.state import store
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

_memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
_memory.execute("PRAGMA foreign_keys = ON")
store.make_tables(_memory)
_lock = Lock()
_disk_failed = Event()
"""Set once the disk refused a room: from then on, rooms are in memory."""


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

    @property
    def rounds(self) -> list[list[int]]:
        """The votes of each round in which somebody voted."""
        return [[*votes] for votes in self.votes if any(votes)]


@contextmanager
def _transaction(*, write: bool = False) -> Iterator[sqlite3.Connection]:
    if days_kept() and not _disk_failed.is_set() and (write or store.inode()):
        with store.transaction(write=write) as db:
            yield db
    else:
        with _lock, _memory:
            yield _memory


def normalise(code: str) -> str:
    """A code as it is written here, whatever a visitor types between its letters."""
    return "".join(filter(LETTERS.__contains__, code.upper()))[:LENGTH]


def remove_old() -> None:
    """Remove the rooms whose time is over."""
    with suppress(OSError), _transaction(write=bool(store.inode())) as db:
        db.execute("DELETE FROM room WHERE used < ?", (time.time() - LIFE,))


def open_room(owner: str) -> None:
    """Open a room, in place of another of its owner. Raises `ParamError` if there are
    too many; `store.Busy`.
    """
    remove_old()
    try:
        _open(owner)
    except OSError as error:
        if isinstance(error, store.Busy):
            raise
        _disk_failed.set()
        _open(owner)


def _open(owner: str) -> None:
    code = "".join(choice(LETTERS) for _ in range(LENGTH))
    with _transaction(write=True) as db:
        db.execute("DELETE FROM room WHERE owner = ?", (owner,))
        if db.execute("SELECT count(*) FROM room").fetchone()[0] >= MOST_ROOMS:
            raise ParamError("This server has no room left. Try again later.")
        db.execute("INSERT INTO room VALUES (?, ?, ?, '')", (code, owner, time.time()))


def find_code(owner: str) -> str:
    """The code of the owner's room; empty if there is none."""
    with _transaction() as db:
        found = db.execute(
            "SELECT code FROM room WHERE owner = ? AND used >= ?", (owner, time.time() - LIFE)
        ).fetchone()
    return found[0] if found else ""


def end(owner: str) -> None:
    """End the owner's room: nothing is left of it."""
    with _transaction(write=True) as db:
        db.execute("DELETE FROM room WHERE owner = ?", (owner,))
    if days_kept():
        with suppress(OSError):  # another server reads, and empties it later
            store.empty_log()


def ask(code: str, lesson: str, question: str, choices: Sequence[str]) -> None:
    """Ask a question, with the votes there are."""
    with _transaction(write=True) as db:
        db.execute(
            "UPDATE room SET asked = ?, used = ? WHERE code = ?", (lesson, time.time(), code)
        )
        new = "INSERT OR IGNORE INTO poll SELECT code, ?, ?, ?, 1, 1 FROM room WHERE code = ?"
        db.execute(new, (lesson, question, json.dumps(choices), code))


def close(code: str, lesson: str = "") -> None:
    """Take no more votes on a question; without a lesson, let telephones wait for the
    next one.
    """
    with _transaction(write=True) as db:
        db.execute("UPDATE poll SET open = 0 WHERE room = ? AND lesson = ?", (code, lesson))
        db.execute("UPDATE room SET asked = ? WHERE code = ?", (lesson, code))


def ask_again(code: str, lesson: str) -> None:
    """Begin another round of votes on a question; those so far stay."""
    with _transaction(write=True) as db:
        again = (
            "UPDATE poll SET open = 1, round = min(round + 1, ?) WHERE room = ? AND lesson = ? AND"
            " NOT open"
        )
        db.execute(again, (MOST_ROUNDS, code, lesson))


def polls(code: str) -> dict[str, Poll]:
    """Lesson -> its question, for all that were asked in a room."""
    found = {}
    with _transaction() as db:
        for _, lesson, question, texts, last, is_open in db.execute(
            "SELECT * FROM poll WHERE room = ?", (code,)
        ).fetchall():
            choices = tuple(json.loads(texts))
            votes = [[0] * len(choices) for _ in range(last)]
            counted = (
                "SELECT round, choice, count(*) FROM ballot WHERE room = ? AND lesson = ? GROUP BY"
                " round, choice"
            )
            for number, picked, count in db.execute(counted, (code, lesson)):
                votes[number - 1][picked - 1] = count
            found[lesson] = Poll(
                lesson, question, choices, last, bool(is_open), tuple(map(tuple, votes))
            )
    return found


def asked(code: str, voter: str) -> tuple[Poll | None, int] | None:
    """The question of a room, None while there is none, and the voter's choice, 0 if
    there is none; None if there is no such room.
    """
    with _transaction() as db:
        room = db.execute(
            "SELECT asked FROM room WHERE code = ? AND used >= ?", (code, time.time() - LIFE)
        ).fetchone()
        row = (
            room
            and db.execute(
                "SELECT * FROM poll WHERE room = ? AND lesson = ?", (code, room[0])
            ).fetchone()
        )
        if not row:
            return (None, 0) if room else None
        _, lesson, question, texts, last, is_open = row
        own = "SELECT choice FROM ballot WHERE room = ? AND lesson = ? AND round = ? AND voter = ?"
        picked = db.execute(own, (code, lesson, last, _hash(code, voter))).fetchone()
        return Poll(lesson, question, tuple(json.loads(texts)), last, bool(is_open), ()), (
            picked[0] if picked else 0
        )


def vote(code: str, lesson: str, last: int, voter: str, picked: int) -> bool:
    """Take a vote on the question that is asked, in place of the voter's last; return
    whether it counts.
    """
    key, now = (code, lesson, last, _hash(code, voter)), time.time()
    taken = (
        "SELECT choices FROM poll JOIN room ON code = room AND asked = lesson WHERE room = ? AND"
        " lesson = ? AND round = ? AND open"
    )
    with _transaction(write=True) as db:
        poll = db.execute(f"{taken} AND used >= ?", (*key[:3], now - LIFE)).fetchone()
        if not poll or not 1 <= picked <= len(json.loads(poll[0])):
            return False
        before = db.execute(
            "SELECT max(given), count(*) FROM ballot WHERE room = ? AND voter = ?", (code, key[3])
        ).fetchone()
        (voters,) = db.execute(
            "SELECT count(DISTINCT voter) FROM ballot WHERE room = ?", (code,)
        ).fetchone()
        if now - (before[0] or 0) < PAUSE or (not before[1] and voters >= MOST_VOTERS):
            return False
        db.execute("INSERT OR REPLACE INTO ballot VALUES (?, ?, ?, ?, ?, ?)", (*key, picked, now))
    return True


def _hash(code: str, voter: str) -> str:
    """A voter in a room, whom nothing connects with one in another room."""
    return blake2b(voter.encode(), key=code.encode(), digest_size=16).hexdigest()
