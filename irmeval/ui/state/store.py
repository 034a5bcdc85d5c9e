"""Visitors' data on disk: one SQLite database, and the bytes of their files, each in a
file named by its digest.

Bytes are written and synced before the rows that name them are committed, and deleted
only after no row names them. So a kill, a full disk or a second server leaves whole
what was committed. Only the server's own user can read them.
"""

import logging
import math
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_bytes, token_hex
from threading import RLock
from typing import TypeVar

from irmeval.core import saving
from irmeval.core.errors import ReadError
from irmeval.core.lazy import pa
from irmeval.ui.state import home, quotas
from irmeval.workspace.archive import Archived, read

T = TypeVar("T")

log = logging.getLogger("irmeval")

DATABASE = "irmeval.db"
"""Name of the database."""
ASIDE = "store.aside-"
"""Prefix of a store that was set aside because its database could not be read."""
PATIENCE = 10.0
"""Seconds to wait for another server that is writing."""
SECRET_BYTES = 32
"""Bytes of the key that signs cookies."""
SURE = 43_200.0
"""Seconds after which the time that a clock had is trusted."""
DAY = 86_400.0
VERSION = 7
"""Version of the schema; a database of a different version is set aside."""
SCHEMA = """
CREATE TABLE visitor (
    key TEXT PRIMARY KEY,   -- a hash of the cookie
    used REAL NOT NULL,     -- time of the last use, in seconds
    state TEXT NOT NULL     -- random, and new after each change
);
CREATE TABLE clock (
    noted REAL PRIMARY KEY  -- time of a sweep, in seconds
);
CREATE TABLE dataset (
    visitor TEXT NOT NULL REFERENCES visitor ON DELETE CASCADE,
    dataset TEXT NOT NULL,
    name TEXT NOT NULL,     -- given by the visitor
    PRIMARY KEY (visitor, dataset)
);
CREATE TABLE file (
    visitor TEXT NOT NULL REFERENCES visitor ON DELETE CASCADE,
    dataset TEXT NOT NULL,
    kind TEXT NOT NULL,     -- run, qrels, judge, matrix
    name TEXT NOT NULL,     -- of a run or a judge
    digest TEXT NOT NULL,   -- names the bytes
    bytes INTEGER NOT NULL,
    detail TEXT NOT NULL,   -- JSON, by kind
    PRIMARY KEY (visitor, dataset, kind, name)
);
CREATE TABLE setting (
    visitor TEXT NOT NULL REFERENCES visitor ON DELETE CASCADE,
    dataset TEXT NOT NULL,  -- empty for the visitor's own
    name TEXT NOT NULL,
    value TEXT NOT NULL,    -- JSON
    PRIMARY KEY (visitor, dataset, name)
);
CREATE INDEX by_digest ON file (digest);
CREATE TABLE room (
    code TEXT PRIMARY KEY,  -- opens its page to telephones
    owner TEXT NOT NULL,    -- the visitor who opened it
    used REAL NOT NULL,     -- time of the last question, in seconds
    asked TEXT NOT NULL,    -- the lesson whose question is asked; empty: none
    door INTEGER NOT NULL   -- whether it is open, and telephones may enter
);
CREATE TABLE poll (
    room TEXT NOT NULL REFERENCES room ON DELETE CASCADE,
    lesson TEXT NOT NULL,
    question TEXT NOT NULL,
    choices TEXT NOT NULL,  -- JSON
    round INTEGER NOT NULL, -- from 1
    open INTEGER NOT NULL,  -- whether votes are taken
    lists TEXT NOT NULL,    -- JSON: the lists that the question is about, by name
    answer INTEGER,         -- the right choice, 0 if there is none; NULL: not told yet
    PRIMARY KEY (room, lesson)
);
CREATE TABLE telephone (
    room TEXT NOT NULL REFERENCES room ON DELETE CASCADE,
    voter TEXT NOT NULL,    -- a hash, as of a ballot
    PRIMARY KEY (room, voter)
);
CREATE TABLE ballot (
    room TEXT NOT NULL REFERENCES room ON DELETE CASCADE,
    lesson TEXT NOT NULL,
    round INTEGER NOT NULL,
    voter TEXT NOT NULL,    -- a hash of the room and of a telephone's cookie
    choice INTEGER NOT NULL,
    given REAL NOT NULL,    -- time, in seconds
    PRIMARY KEY (room, lesson, round, voter)
)
"""
KEYS = {"dataset": 1, "file": 3, "setting": 2}
"""Number of key columns of each table of a visitor's rows, without the visitor."""

Key = tuple[str, ...]
Rows = dict[Key, tuple[str | int, ...]]
"""Rows of a visitor: table and key columns -> other columns."""


def rows_in(table: str, rows: Rows) -> Rows:
    """Rows of a table."""
    return {key: row for key, row in rows.items() if key[0] == table}


class Busy(OSError):
    """Another server is writing and does not finish."""


class Damaged(OSError):
    """The database could not be read, and was set aside."""


class NoRoom(OSError):
    """A disk quota is used up."""


_lock = RLock()
_open: dict[Path, tuple[sqlite3.Connection, int]] = {}
"""Database of this process, and its inode."""


def folder() -> Path:
    """The folder of the database and the files."""
    return home.root() / "store"


def inode() -> int:
    """Identifier of the database; 0 if there is none."""
    try:
        return (folder() / DATABASE).stat().st_ino
    except OSError:
        return 0


@contextmanager
def transaction(*, write: bool = True) -> Iterator[sqlite3.Connection]:
    """Context of a transaction on the database, which is created if it is missing.
    Raises `OSError`; `Busy`; `Damaged`.
    """
    with opened() as db:
        db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield db
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")


@contextmanager
def opened() -> Iterator[sqlite3.Connection]:
    """Context of the database without a transaction, the only place that hands it out.
    All errors of SQLite leave it as `OSError`; `Busy`; `Damaged`.
    """
    with _lock:
        try:
            yield _database()
        except sqlite3.OperationalError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise Busy("another server is just writing it") from error
            raise OSError(str(error)) from error
        except sqlite3.DatabaseError as error:
            _set_aside(str(error))
            raise Damaged(str(error)) from error


def _database() -> sqlite3.Connection:
    """Open database; another one if that at its path was replaced."""
    path, now = folder() / DATABASE, inode()
    if path in _open and _open[path][1] != now:
        close()
    if path not in _open:
        close()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.chmod(0o700)
        # SQLite creates its other files with the same mode
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _open[path] = _connect(path), inode()
        if (home.root() / "visitors").exists():
            log.info(
                "not read: %s holds data of an earlier version; you can delete it",
                home.root() / "visitors",
            )
    return _open[path][0]


def close() -> None:
    """Close the database."""
    with _lock:
        while _open:
            _open.popitem()[1][0].close()


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        for setting in ("foreign_keys = ON", "secure_delete = ON", "synchronous = FULL"):
            db.execute(f"PRAGMA {setting}")
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version != VERSION and db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise sqlite3.DatabaseError(f"version {version}, not {VERSION}")
        if (mode := db.execute("PRAGMA journal_mode = WAL").fetchone()[0]) != "wal":
            log.info(
                "the file system has no write-ahead log: %s uses a rollback journal (%s)",
                path,
                mode,
            )
        db.execute("BEGIN IMMEDIATE")
        if not db.execute("SELECT 1 FROM sqlite_master").fetchone():
            make_tables(db)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def make_tables(db: sqlite3.Connection) -> None:
    """Create the tables in an empty database."""
    for statement in SCHEMA.split(";\n"):
        db.execute(statement)


def _set_aside(reason: str) -> None:
    """Rename the folder of an unreadable database, with its files. A second server
    finds the new name taken.
    """
    close()
    aside = home.root() / f"{ASIDE}{inode()}"
    try:
        folder().rename(aside)
    except OSError:
        if not aside.exists():
            raise
    else:
        log.warning(
            "the database of visitors' data cannot be read (%s); it is set aside as %s",
            reason,
            aside,
        )


def first_value(db: sqlite3.Connection, query: str, values: Sequence[str | float], default: T) -> T:
    """The first value that a query finds; `default` if it finds no row."""
    found = db.execute(query, values).fetchone()
    if found is None:
        return default
    value: T = found[0]
    return value


def find_state(db: sqlite3.Connection, visitor: str) -> str:
    """A text that changes with every change of a visitor's rows; empty without rows."""
    return first_value(db, "SELECT state FROM visitor WHERE key = ?", (visitor,), "")


def rows_of(db: sqlite3.Connection, visitor: str) -> Rows:
    """All rows of a visitor, the oldest first."""
    found: Rows = {}
    for table, size in KEYS.items():
        for _, *row in db.execute(
            f"SELECT * FROM {table} WHERE visitor = ? ORDER BY rowid", (visitor,)
        ):
            found[table, *row[:size]] = tuple(row[size:])
    return found


def change(
    db: sqlite3.Connection,
    visitor: str,
    changed: Rows,
    removed: Iterable[Key],
    put: Callable[[str], None],
) -> None:
    """Insert or replace rows, and delete others; `put` writes the bytes of a digest if
    another server has just deleted them.

    Raises `NoRoom` if a quota is used up.
    """
    db.execute(
        "INSERT INTO visitor VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET used = excluded.used, state"
        " = excluded.state",
        (visitor, time.time(), token_hex(8)),
    )
    # the number of key columns differs by table, and the schema knows their names
    for table, *key in removed:
        names = [column[1] for column in db.execute(f"PRAGMA table_info({table})")][: len(key) + 1]
        is_row = f"{' = ? AND '.join(names)} = ?"
        db.execute(f"DELETE FROM {table} WHERE {is_row}", (visitor, *key))
    for (table, *key), values in changed.items():
        row = visitor, *key, *values
        db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        if table == "file" and not path_of(digest := str(values[0])).exists():
            put(digest)
    check_room(db, visitor)


def check_room(db: sqlite3.Connection, visitor: str, more: int = 0) -> None:
    """Raise `NoRoom` if the files of a visitor, or of all, would exceed their quota
    with `more` bytes.
    """
    for quota, whose, values in (
        (quotas.KEPT, "WHERE visitor = ?", (visitor,)),
        (quotas.KEPT_ALL, "", ()),
    ):
        (used,) = db.execute(
            f"SELECT total(bytes) FROM (SELECT DISTINCT digest, bytes FROM file {whose})", values
        ).fetchone()
        if used + more > (most := quotas.limit(quota)):
            raise NoRoom(f"more than the {most / 1e9:g} GB allowed on disk ({quota})")


def path_of(digest: str) -> Path:
    """File of the bytes with a digest."""
    return folder() / "files" / digest


def put(digest: str, data: "pa.Buffer") -> None:
    """Write and sync bytes. Raises `OSError`."""
    path = path_of(digest)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.replace(path, data)
    # after a power cut the file may be there, and its name not
    if os.name == "posix":
        place = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def fetch(digest: str) -> Archived:
    """Content with a digest. Raises `ReadError` if it is missing or changed."""
    try:
        data = path_of(digest).read_bytes()
    except OSError:
        data = b""
    if home.hash_of(data) != digest:
        log.warning(
            "not read: a file that was kept of a visitor is damaged or missing; the rest stays"
        )
        raise ReadError(
            "your stored data",
            None,
            "the file as it was written",
            "a different one, or none",
            "Load the data again.",
        )
    return read("your stored data", data)


def collect(digests: Iterable[str] | None = None) -> None:
    """Delete the bytes that no row refers to: those with some digests, or all. Raises
    `OSError`.
    """
    place = folder() / "files"
    # a walk over all files takes long: only after a removal and once a day
    if digests is not None:
        paths = [*map(path_of, digests)]
    elif place.exists():
        paths = [*place.iterdir()]
    else:
        return
    # nobody commits rows meanwhile, and the next one checks whether the bytes still exist
    with transaction() as db:
        for path in paths:
            if not path.name.startswith(saving.TEMPORARY_PREFIX):
                named = db.execute("SELECT 1 FROM file WHERE digest = ?", (path.name,)).fetchone()
                if not named:
                    path.unlink(missing_ok=True)
        saving.remove_leftovers(place)


def is_kept(visitor: str) -> bool:
    """Whether any data of a visitor are stored."""
    if inode():
        with suppress(OSError), transaction(write=False) as db:
            return bool(find_state(db, visitor))
    return False


def touch(visitors: Iterable[str]) -> None:
    """Update the time of visitors' last use."""
    if not inode():
        return
    # it only keeps data from being removed too soon: the next visit notes it again
    with suppress(OSError), transaction() as db:
        db.executemany(
            "UPDATE visitor SET used = ? WHERE key = ?",
            [(time.time(), visitor) for visitor in visitors],
        )


def forget(visitor: str) -> None:
    """Remove all data of a visitor, so that no byte of theirs remains in the database,
    its log and the files. Raises `OSError`.
    """
    if not inode():
        return
    with transaction() as db:
        db.execute("DELETE FROM visitor WHERE key = ?", (visitor,))
    collect()
    empty_log()


def empty_log() -> None:
    """Checkpoint the log into the database, and empty it. Raises `OSError`; `Busy` if
    another server reads from it.
    """
    with opened() as db:
        # what was deleted stays readable in the log until it is written over
        busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    # whoever asked for the deletion has to know that it is not complete
    if busy:
        raise Busy("another server is just reading it")


def sweep(kept: float) -> int:
    """Remove data unused for `kept` days, bytes that no row refers to, and stores set
    aside as long ago; return the number of removed visitors. Raises `OSError`.
    """
    if not inode():
        return 0
    with transaction() as db:
        before = _sure_time(db) - kept * DAY
        gone = db.execute("DELETE FROM visitor WHERE used < ?", (before,)).rowcount
    collect()
    empty_log()
    for aside in home.root().glob(f"{ASIDE}*"):
        if aside.stat().st_mtime < before:
            shutil.rmtree(aside)
    return gone


def _sure_time(db: sqlite3.Connection) -> float:
    """The time as it was `SURE` seconds ago or earlier, and noted; before all if none
    was. A clock that is ahead, or was, deletes nobody if it is set right by then.
    """
    now = time.time()
    db.execute("DELETE FROM clock WHERE noted > ?", (now,))
    (last,) = db.execute("SELECT max(noted) FROM clock").fetchone()
    (sure,) = db.execute("SELECT max(noted) FROM clock WHERE noted <= ?", (now - SURE,)).fetchone()
    db.execute("DELETE FROM clock WHERE noted < ?", (sure,))
    if last == sure:  # also if there is none
        db.execute("INSERT INTO clock VALUES (?)", (now,))
    if sure is None:
        return -math.inf
    return float(sure)


def secret(*, make: bool) -> bytes:
    """Key that signs cookies, for all servers that share the folder; `make` makes a
    missing one. Raises `FileNotFoundError` if it is missing, else `OSError`.
    """
    path = home.root() / "cookies.key"
    with suppress(FileNotFoundError):
        if len(found := path.read_bytes()) == SECRET_BYTES:
            return found
    if not make:
        raise FileNotFoundError(path)
    with transaction():  # one server makes it, and others wait
        if not path.exists() or path.stat().st_size != SECRET_BYTES:
            home.replace(path, token_bytes(SECRET_BYTES))
        return path.read_bytes()
