"""All uses of Streamlit and of its web server beyond their documented interfaces, at
most ten. Tests check them with the lowest and the newest allowed version.
"""

import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile, UploadedFileRec
from uvicorn.protocols.http.auto import AutoHTTPProtocol

STATIC = Path(st.__file__).parent / "static"
"""Streamlit's front page and its files. Without it, the browser would run any script
that a text smuggles into a page.
"""
CONNECT = 'window.__streamlit={BACKEND_BASE_URL:new URL(".",location).href}'
"""Script that tells Streamlit's front page where the server is. Without it, the browser
asks first below the address of the page, where nothing answers.
"""
DroppedFile = UploadedFile
"""A file in an uploader, with its Streamlit id. Without it, a file that a page is given
twice is read twice.
"""


def session_id() -> str:
    """The session of the tab whose page is being drawn; empty outside a page. Without
    it, files that one tab drops are read in another.
    """
    context = get_script_run_ctx()
    if context is None:
        return ""
    return context.session_id


def is_open(session: str) -> bool:
    """Whether the tab of a session is connected. Without it, who leaves a tab in the
    background loses their jobs and what they loaded.
    """
    return exists() and get_instance().is_active_session(session)


def drop_closed_sessions() -> None:
    """Drop the sessions of tabs that were closed too long ago to be taken up again.
    Without it, they stay in memory with all that their pages hold, until another tab is
    closed.
    """
    if not exists():
        return
    runtime: Any = get_instance()
    kept = runtime._session_mgr._session_storage._cache
    # its own thread uses it without a lock
    runtime._get_async_objs().eventloop.call_soon_threadsafe(kept.expire)


def goes_through_history() -> bool:
    """Whether the visitor goes back or forward. Without it, the data named by an
    address are not those shown when a visitor goes back to it.
    """
    context = get_script_run_ctx()
    return bool(context and context.is_history_navigation)


def uploaded_files(session: str, files: Sequence[str]) -> list[UploadedFileRec]:
    """The uploaded files of a session with these ids, without those that were removed
    since. Without it, a file is lost that arrives for an uploader drawn before.
    """
    if not files or not exists():
        return []
    return get_instance().uploaded_file_mgr.get_files(session, files)


def read_message(message: bytes, *, from_browser: bool) -> Any:
    """A message between the browser of a tab and the server, empty if it is none. Without
    it, a file that did not arrive goes unnoticed, a server receives files that no page has
    asked for, a link that is followed while work goes on may lead nowhere, and a page that
    one goes back to has the address of the one before.
    """
    read = BackMsg() if from_browser else ForwardMsg()
    with suppress(Exception):  # Streamlit refuses what is no message
        read.ParseFromString(message)
    return read


def send_at_once() -> None:
    """Have every connection send what is written to it at once. Python sees to that only
    where a socket names its protocol, which Streamlit's does not. Without it, a browser
    waits up to .04 s for each of a hundred files, and for a page's second message.
    """
    made: Any = AutoHTTPProtocol.connection_made

    def connection_made(self: Any, transport: Any) -> None:
        connection = transport.get_extra_info("socket")
        if connection.family in {socket.AF_INET, socket.AF_INET6}:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made(self, transport)

    AutoHTTPProtocol.connection_made = connection_made  # type: ignore[method-assign]
