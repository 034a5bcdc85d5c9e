"""Files on their way from a browser. Lost ones are known by name, and a file for which the server has no room is refused at once."""

import logging
import shutil
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from itertools import islice
from threading import Lock

import streamlit as st
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from irmeval.ui.state import quotas
from irmeval.ui.state.streamlit_internals import Uploads, find_unknown_upload, session_id, uploaded_bytes, watch_uploads

log = logging.getLogger("irmeval")

VISITORS = 256
FILES = 2000
"""Most sessions with awaited files that are remembered, and most files of each."""
LONGEST = 200
"""Letters of a name that are remembered."""
GRACE = 2.0
"""Seconds until the check whether any announced file is arriving."""
MARGIN = 16 << 20
"""Bytes of the disk that stay free."""

_awaited: OrderedDict[str, dict[str, str]] = OrderedDict()
"""session -> file id -> name of each file that a browser has announced and that is not here yet"""
_stalled: set[str] = set()
"""Sessions whose awaited files do not arrive."""
_arriving: set[str] = set()
"""Ids of the files that are being received."""
_sizes: Counter[str] = Counter()
"""session -> bytes of the files that are being received"""
_lock = Lock()


def watch(files: Uploads, redraw: Callable[[str], None], later: Callable[[float, Callable[[], None]], object]) -> None:
    """Begin to track awaited files; Streamlit would silently drop one that never arrives. `redraw` draws the page of a session again,
    `later` calls a function after seconds."""

    def announced(session: str, coming: Iterable[tuple[str, str]]) -> None:
        with _lock:
            names = _awaited.setdefault(session, {})
            names |= {file: name[:LONGEST] for file, name in islice(coming, FILES - len(names))}
            while len(_awaited) > VISITORS:
                _stalled.discard(_awaited.popitem(last=False)[0])
            _stalled.discard(session)
        later(GRACE, partial(look, session))

    def look(session: str) -> None:
        with _lock:
            awaited = _awaited.get(session, {}).keys()
            arriving = bool(awaited & _arriving)
            if stalled := bool(awaited) and not arriving:
                _stalled.add(session)
        if arriving:
            later(GRACE, partial(look, session))
        elif stalled:
            redraw(session)

    def received(session: str, file: str, name: str) -> None:
        with _lock:  # an earlier attempt of the same file counts as received too
            names = _awaited.pop(session, {})
            if left := {key: other for key, other in names.items() if key != file and other != name[:LONGEST]}:
                _awaited[session] = left
            else:
                _stalled.discard(session)

    watch_uploads(files, announced, received)


def lost() -> list[str]:
    """Names of the files that this tab has announced and that are not here."""
    return list(dict.fromkeys(_awaited.get(session_id(), {}).values()))


def stalled() -> list[str]:
    """Names of the lost files, once none is on its way any more."""
    return lost() if session_id() in _stalled else []


def forget() -> None:
    """Forget the awaited files of this tab."""
    with _lock:
        _awaited.pop(session_id(), None)
        _stalled.discard(session_id())


def uploader(name: str, usual: str = "") -> str:
    """The key of an uploader, a new one after each upload, so that it is empty again; in a tab that is older than this server, the key to
    which the browser has sent files."""
    state = st.session_state
    if (place := f"{name}_before") not in state:
        state[place] = find_unknown_upload(name)
    return state[place] or usual or f"{name}-{state.get(f'{name}_taken', 0)}"


def empty_uploader(name: str) -> None:
    """Note that the files of an uploader were read."""
    state = st.session_state
    state[f"{name}_before"], state[f"{name}_taken"] = "", state.get(f"{name}_taken", 0) + 1


class Room:
    """Middleware that refuses an upload for which the disk or the quota of the session has no room, before or while it is received."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT":
            await self.app(scope, receive, send)
            return
        begun = False

        async def begin(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        declared = (int(value) for key, value in scope["headers"] if key == b"content-length" and value.isdigit())
        size = next(declared, st.get_option("server.maxUploadSize") << 20)
        session, file = scope["path"].rsplit("/", 2)[1:]
        if has_room(size) and size <= quota_left(session):
            _arriving.add(file)
            _sizes[session] += size
            try:
                await self.app(scope, receive, begin)
                return
            except (OSError, MemoryError):
                if begun:
                    raise
            finally:
                _arriving.discard(file)
                _sizes[session] -= size
                if not _sizes[session]:
                    del _sizes[session]
        log.warning("refused 507: no room for an upload of %d bytes", size)
        await PlainTextResponse("Refused: this server has no room for the file at the moment.\n", 507)(scope, receive, send)


def quota_left(session: str) -> int:
    """Bytes that a session may still send: what it has sent already, and what it sends, count until they are read."""
    here = Counter(uploaded_bytes()) + _sizes
    return quotas.room_left(quotas.UPLOAD, quotas.UPLOAD_ALL, here.total() - here[session])[0] - here[session]


def has_room(size: int) -> bool:
    """Whether `size` bytes can be received: a large upload passes through a temporary file."""
    if size <= MultiPartParser.spool_max_size:
        return True
    try:
        return shutil.disk_usage(tempfile.gettempdir()).free >= size + MARGIN
    except OSError:  # no folder for temporary files can be written
        return False
