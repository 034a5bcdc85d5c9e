"""What the dashboard uses of Streamlit beyond its documented interface: in one module, and as the installed version has it."""

import re
from types import SimpleNamespace

import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from irmeval.ui.state import streamlit_internals
from tests.conftest import ROOT
from tests.dashboard import opened

INTERNAL = re.compile(
    r"(from|import) streamlit(\.(?!starlette|navigation|delta_generator|web\.cli)| import runtime)|type: ignore\[method-assign\]"
    r"|\bst\.(stop|query_params\.clear)\("
)
"""Modules of Streamlit without a documented interface, methods that are replaced, and what has an own one there."""


def test_internals_when_used_then_by_one_module_alone():
    modules = ROOT / "app.py", *(ROOT / "irmeval").rglob("*.py"), *(ROOT / "pages").rglob("*.py")
    assert [path.name for path in modules if INTERNAL.search(path.read_text())] == ["streamlit_internals.py"]


def test_page_when_it_stops_then_what_the_address_asks_in_vain_is_said_all_the_same():
    app = opened("pages/incompleteness/curves.py", {"measures": "nonsense", "order": "zz"})
    assert not app.exception
    assert "Pick at least one measure in the sidebar." in [info.value for info in app.info]
    assert ["nonsense" in error.value for error in app.sidebar.error] == [True]
    assert ["zz" in warning.value for warning in app.warning] == [True]


def test_uploads_when_watched_then_each_is_announced_and_received():
    files, seen = streamlit_internals.Uploads("/upload"), []
    streamlit_internals.watch_uploads(files, lambda session, named: seen.append((session, [*named])), lambda *file: seen.append(file))
    (url,) = files.get_upload_urls("one", ["a.txt"])
    files.add_file("one", UploadedFileRec(url.file_id, "a.txt", "text/plain", b"x"))
    assert seen == [("one", [(url.file_id, "a.txt")]), ("one", url.file_id, "a.txt")]
    assert [file.data for file in files.get_files("one", [url.file_id])] == [b"x"]


def test_redraw_when_a_session_is_open_then_its_page_is_drawn_as_it_is(monkeypatch: pytest.MonkeyPatch):
    drawn: list[object] = []
    session = AppSession.__new__(AppSession)
    session._client_state, session._state = object(), AppSessionState.SHUTDOWN_REQUESTED
    monkeypatch.setattr(session, "request_rerun", drawn.append)
    sessions = WebsocketSessionManager.__new__(WebsocketSessionManager)
    sessions._active_session_info_by_id = {"one": SimpleNamespace(session=session)}
    monkeypatch.setattr(streamlit_internals, "get_instance", lambda: SimpleNamespace(_session_mgr=sessions))
    streamlit_internals.redraw("one")
    streamlit_internals.redraw("gone")
    assert drawn == [session._client_state]


def test_session_when_its_tab_is_connected_then_is_open(monkeypatch: pytest.MonkeyPatch):
    sessions = WebsocketSessionManager.__new__(WebsocketSessionManager)
    sessions._active_session_info_by_id = {"one": SimpleNamespace()}
    server = Runtime.__new__(Runtime)
    server._session_mgr = sessions
    monkeypatch.setattr(streamlit_internals, "exists", lambda: True)
    monkeypatch.setattr(streamlit_internals, "get_instance", lambda: server)
    assert [*map(streamlit_internals.is_open, ("one", "gone", ""))] == [True, False, False]
