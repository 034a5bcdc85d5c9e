"""Uploads in progress. Lost files are reported by name, and a file without room on the
server is refused at once.
"""

import logging
import shutil
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from secrets import token_hex
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.core.text import natural_key
from irmeval.ui.state import quotas
from irmeval.ui.state.streamlit_internals import (
    DroppedFile,
    read_message,
    session_id,
    uploaded_files,
)
from irmeval.ui.state.tab_state import widgets

log = logging.getLogger("irmeval")

VISITORS = 256
FILES = 2000
"""Maximum number of sessions with expected files, and of files of each."""
LONGEST = 200
"""Maximum length of a stored name."""
GRACE = 2.0
"""Seconds without an arrival after which the line is called slow: nothing has failed."""
MARGIN = 16 << 20
"""Bytes of the disk that stay free."""


@dataclass
class Coming:
    """Files that a tab has announced, most of them not read yet."""

    awaited: dict[str, str] = field(default_factory=dict)
    """names of missing files by id"""
    here: dict[str, str] = field(default_factory=dict)
    """names of arrived files by id"""
    failed: dict[str, str] = field(default_factory=dict)
    """names of files by id that the server refused, or that the browser could not send"""
    read: set[str] = field(default_factory=set)
    """ids of files that are read, and never again: a browser may send one twice"""
    moved: float = 0.0
    """time of the last announcement or arrival"""

    @property
    def names(self) -> list[str]:
        """Their names, each once."""
        names = chain(self.awaited.values(), self.failed.values(), self.here.values())
        return list(dict.fromkeys(names))

    @property
    def settled(self) -> bool:
        """Whether none has moved for `GRACE` seconds."""
        moves = monotonic() - self.moved < GRACE or not _arriving.isdisjoint(self.awaited)
        return not moves

    @property
    def phase(self) -> tuple[str, int]:
        """What a page shows of the files, and how many have failed."""
        return self._shown, len(self.failed)

    @property
    def _shown(self) -> str:
        if self.awaited:
            return "slow" if self.settled else "coming"
        return "here" if self.here and self.settled else ""


_coming: OrderedDict[str, Coming] = OrderedDict()
"""Files sent by each tab, by session."""
_received: dict[str, list[str]] = {}
"""Ids of the files that Streamlit may still hold, by session."""
_arriving: set[str] = set()
"""Ids of the files that are being received."""
_sizes: Counter[str] = Counter()
"""Bytes of the files being received, by session."""
_lock = Lock()


def announce(session: str, files: Mapping[str, str]) -> None:
    """Note id -> name of files that a tab will send. Streamlit would silently drop one
    that never arrives, or that arrives for an uploader drawn before. A missing file is
    no longer expected if one of the same name is announced again.
    """
    with _lock:
        found = _coming.setdefault(session, Coming())
        room = FILES - len(found.awaited) - len(found.here) - len(found.failed)
        new = {file: name[:LONGEST] for file, name in islice(files.items(), max(room, 0))}
        for name in new.values():
            _drop_one(found.failed, name)
            # while files come, another of the same name is another file
            if found.settled:
                _drop_one(found.awaited, name)
        found.awaited |= new
        found.moved = monotonic()
        while len(_coming) > VISITORS:
            _coming.popitem(last=False)


def _drop_one(files: dict[str, str], name: str) -> None:
    """Drop one of the files with a name, if there is any."""
    files.pop(next((file for file, other in files.items() if other == name), ""), None)


def note_failed(session: str, *, files: Iterable[str] = (), names: Iterable[str] = ()) -> None:
    """Note that files of a tab, by id or by name, will not come."""
    with _lock:
        found = _coming.get(session, Coming())
        ids, called = {*files}, {*names}
        lost = {file: name for file, name in found.awaited.items() if file in ids or name in called}
        for file in lost:
            del found.awaited[file]
        found.failed |= lost


def note_received(session: str, file: str) -> None:
    """Note that a file has arrived."""
    with _lock:
        for record in uploaded_files(session, [file]):
            _received.setdefault(session, []).append(file)
            found = _coming.get(session)
            if found and file not in found.read:
                found.awaited.pop(file, None)
                found.failed.pop(file, None)  # a press on its chip sends it again
                found.here[file] = record.name[:LONGEST]
                found.moved = monotonic()


def awaited() -> list[str]:
    """Names of the announced files of this tab that are missing."""
    return list(dict.fromkeys(_of_tab().awaited.values()))


def arrived_so_far() -> int:
    """Number of files of this tab that have arrived and are not read yet."""
    return len(_of_tab().here)


def phase() -> tuple[str, int]:
    """`Coming.phase` of this tab."""
    return _of_tab().phase


class Drop(NamedTuple):
    """The files of a tab at one moment. What is announced later belongs to the next drop,
    and stays until that is read.
    """

    missing: list[str]
    """names of announced files that have not arrived"""
    lost: list[str]
    """names of files that will not come"""
    files: list[tuple[str, bytes]]
    """name and content of those that arrived, in natural order of their names: files that
    are dropped together arrive in any order
    """
    ids: frozenset[str]
    """of all these"""
    absent: frozenset[str]
    """ids of those that have not arrived"""


def drop(dropped: Iterable[DroppedFile]) -> Drop:
    """The files in an uploader, and all others that this tab has sent and that are not
    read yet.
    """
    with _lock:
        found = _of_tab()
        missing, lost, here = {**found.awaited}, {**found.failed}, [*found.here]
        read = {*found.read}
    files = {file.file_id: (file.name, file.data) for file in uploaded_files(session_id(), here)}
    # by id, as the uploader may have what this tab has sent already
    new = (file for file in dropped if file.file_id not in read)
    files |= {file.file_id: (file.name, file.getvalue()) for file in new}
    return Drop(
        list(dict.fromkeys(missing.values())),
        list(dict.fromkeys(lost.values())),
        sorted(files.values(), key=lambda file: natural_key(file[0])),
        frozenset((*missing, *lost, *here, *files)),
        frozenset((*missing, *lost)),
    )


def _of_tab() -> Coming:
    return _coming.get(session_id(), Coming())


def forget(sessions: Iterable[str]) -> list[str]:
    """Drop the files of some tabs. Returns the names of those that were not read."""
    names: list[str] = []
    with _lock:
        for session in sessions:
            names += _coming.pop(session, Coming()).names
    return names


def forget_files(files: Iterable[str], *, absent: Iterable[str] = ()) -> None:
    """Drop files of this tab by id, and no others: another drop may have begun. All are
    read but the absent ones, which are another drop if they come after all.
    """
    files = {*files}
    with _lock:
        found = _of_tab()
        found.read |= files.difference(absent)
        for file in files:
            for part in (found.awaited, found.here, found.failed):
                part.pop(file, None)


def uploader(name: str) -> str:
    """Key of an uploader, a new one after each upload of this tab, so that it is empty
    again. No number: a server that was started again would count from the start, and the
    browser still has files under the keys of before.
    """
    token: str = widgets.setdefault(f"{name}_token", token_hex(4))
    return f"{name}-{token}"


def empty_uploader(name: str, read: Iterable[DroppedFile] = ()) -> None:
    """Draw an empty uploader next, in place of one with files that are read."""
    forget_files(file.file_id for file in read)
    widgets[f"{name}_token"] = token_hex(4)


class Announcements:
    """Which files the browser of a tab asks to send."""

    def __init__(self, rename: Callable[[str, str], str]):
        self.rename = rename
        self._asked: dict[str, Sequence[str]] = {}

    def note(self, told: Any) -> None:
        """Note the names of the files if a message to the server asks where to send
        some.
        """
        if told.WhichOneof("type") == "file_urls_request":
            asked = told.file_urls_request
            self._asked[asked.request_id] = asked.file_names

    def renamed(self, message: Message) -> dict[str, bytes]:
        """The bytes of a message to the browser that answers such a question, with new ids
        of the files, which are expected from now on; nothing for any other message.
        """
        if not self._asked or not message.get("bytes"):
            return {}
        answer = read_message(message["bytes"], from_browser=False)
        places = answer.file_urls_response.file_urls
        # by request: a tab may ask for a second drop before the first is answered
        names = self._asked.pop(answer.file_urls_response.response_id, ())
        if not names:
            return {}
        for place in places:
            session, before = place.upload_url.rsplit("/", 2)[1:]
            # signed, so that nobody else can send a file for this tab
            place.file_id = self.rename(session, before)
            for part in ("upload_url", "delete_url"):
                setattr(place, part, getattr(place, part).replace(before, place.file_id))
        ids = [place.file_id for place in places]
        announce(session, dict(zip(ids, names, strict=False)))
        return {"bytes": answer.SerializeToString()}


class Room:
    """Middleware that refuses a file for which the disk or the quota of the session has no
    room, before or while it is received.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "PUT":
            await self._receive(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _receive(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def begin(message: Message) -> None:
            nonlocal begun
            if not begun:
                note_received(session, file)
            begun = True
            await send(message)

        size = _size(scope)
        session, file = scope["path"].rsplit("/", 2)[1:]
        if has_room(size) and size <= quota_left(session):
            # a large file is announced once, and would count as late while it is received
            _arriving.add(file)
            _sizes[session] += size
            try:
                await self.app(scope, receive, begin)
                note_failed(session, files=[file])  # unless it was received
                return
            except (OSError, MemoryError):
                if begun:
                    raise
            finally:
                _arriving.discard(file)
                _sizes[session] -= size
                if not _sizes[session]:
                    del _sizes[session]
        note_failed(session, files=[file])
        log.warning("refused 507: no room for an upload of %d bytes", size)
        await PlainTextResponse(
            "Refused: this server has no room for the file at the moment.\n", 507
        )(scope, receive, send)


def _size(scope: Scope) -> int:
    """Bytes of an upload; of one that does not say its size, as many as are allowed."""
    length: bytes = dict(scope["headers"]).get(b"content-length", b"")
    if length.isdigit():
        return int(length)
    allowed: int = st.get_option("server.maxUploadSize")
    return allowed << 20


def quota_left(session: str) -> int:
    """Bytes that a session may still send: files sent or being sent count until they
    are read.
    """
    with _lock:
        here = _sizes.copy()
        for other, ids in [*_received.items()]:
            files = uploaded_files(other, ids)
            here[other] += sum(len(file.data) for file in files)
            _received[other] = [file.file_id for file in files]
            if not files:
                del _received[other]
    return (
        quotas.room_left(quotas.UPLOAD, quotas.UPLOAD_ALL, here.total() - here[session])[0]
        - here[session]
    )


def has_room(size: int) -> bool:
    """Whether `size` bytes can be received: a large upload passes through a temporary
    file.
    """
    # smaller ones stay in memory
    if size <= MultiPartParser.spool_max_size:
        return True
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free >= size + MARGIN
    except OSError:  # no folder for temporary files can be written
        return False
