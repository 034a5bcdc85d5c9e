"""What the dashboard uses of Streamlit beyond its documented interface: in one module, and as the installed version has it."""

import re
from contextlib import suppress
from functools import partial
from types import SimpleNamespace

import pytest
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg, ForwardMsgMetadata
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner import RerunData, StopException
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest

from irmeval.ui.state import streamlit_internals
from tests.conftest import ROOT
from tests.dashboard import fine, know_no_widget, opened

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


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What Streamlit itself is asked for, once requests are kept in order."""
    seen: list[object] = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda session, state: seen.append(state))
    monkeypatch.setattr(AppSession, "_create_scriptrunner", lambda session, data: seen.append(data))
    streamlit_internals.order_requests("look-")
    streamlit_internals.order_requests("look-")  # a second server in the same process
    return seen


def asks(part: str = "", pressed: str = "", auto: bool = False) -> ClientState:
    widgets = [WidgetState(id="$$ID-1-text", string_value="x"), *([WidgetState(id=pressed, trigger_value=True)] if pressed else [])]
    return ClientState(fragment_id=part, is_auto_rerun=auto, widget_states=WidgetStates(widgets=widgets))


@pytest.mark.parametrize("drawing", [None, object()])
def test_part_when_the_page_asks_for_it_by_itself_then_does_so_in_vain_while_a_page_is_drawn(asked: list[object], drawing: object):
    session = SimpleNamespace(_scriptrunner=drawing)
    given = [asks(), asks("part"), asks("part", "$$ID-1-add"), asks("part", "$$ID-1-look-chart-a"), asks("part", auto=True), None]
    for each in given:
        AppSession.request_rerun(session, each)
    assert asked == [each for each in given if not drawing or each not in given[3:5]]


def test_drawing_when_the_end_of_that_before_is_not_known_yet_then_waits_for_it(asked: list[object]):
    later, taken = [], []
    before = SimpleNamespace(request_rerun=lambda data: bool(taken))
    loop = SimpleNamespace(call_later=lambda seconds, *call: later.append(call))
    session = SimpleNamespace(_event_loop=loop, _scriptrunner=before)
    create = partial(AppSession._create_scriptrunner, session)
    create(RerunData())
    (call,) = later
    assert not asked
    call[0](*call[1:])
    assert len(later) == 2
    taken.append(before)  # another takes it over
    later[-1][0](*later[-1][1:])
    assert (len(later), asked) == (2, [])
    session._scriptrunner = None
    create(data := RerunData())
    assert asked == [data]


def test_sidebar_when_a_tab_is_first_drawn_then_comes_after_the_page(monkeypatch: pytest.MonkeyPatch):
    def message(*path: int) -> ForwardMsg:
        return ForwardMsg(metadata=ForwardMsgMetadata(delta_path=path))

    def sent(*given: tuple[float, tuple[int, ...]], stops: bool = False) -> list[tuple[int, ...]]:
        found.clear()
        with suppress(StopException), streamlit_internals.sidebar_last():
            for clock[0], path in given:
                context._enqueue(message(*path))
            if stops:
                streamlit_internals.stop_page()
        return [tuple(one.metadata.delta_path) for one in found]

    found: list[ForwardMsg] = []
    context, state, clock = SimpleNamespace(_enqueue=found.append), {}, [0.0]
    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(streamlit_internals, "st", SimpleNamespace(session_state=state))
    monkeypatch.setattr(
        streamlit_internals, "time", SimpleNamespace(monotonic=lambda: clock[0], sleep=lambda gap: found.append(message(9)))
    )
    place, first, second, page = (1, 0), (1, 0, 0), (1, 0, 1), (0, 0, 0)
    assert sent((0, ()), (0, place), (0, first), (0, second), (0, page)) == [(), place, page, (9,), first, second]
    assert sent((0, first), (0, page)) == [first, page]  # drawn again
    state.clear()
    assert sent((0, first), (1, page), (1, second)) == [first, page, second]  # the page takes long
    state.clear()
    assert sent((0, first), (0, page), stops=True) == [page, first]


def test_session_when_its_tab_is_connected_then_is_open(monkeypatch: pytest.MonkeyPatch):
    sessions = WebsocketSessionManager.__new__(WebsocketSessionManager)
    sessions._active_session_info_by_id = {"one": SimpleNamespace()}
    server = Runtime.__new__(Runtime)
    server._session_mgr = sessions
    monkeypatch.setattr(streamlit_internals, "exists", lambda: True)
    monkeypatch.setattr(streamlit_internals, "get_instance", lambda: server)
    assert [*map(streamlit_internals.is_open, ("one", "gone", ""))] == [True, False, False]


def draws_address() -> None:
    import streamlit as st

    from irmeval.ui.state import streamlit_internals

    if "begun" not in st.session_state:
        streamlit_internals.rename_in_address({"old": "p.new", "older": "p.newer"})
        streamlit_internals.add_to_address({"p.added": ["6"]})
    st.session_state["begun"] = True
    st.session_state["said"] = streamlit_internals.bound_widgets()
    st.number_input("new", 0, key="p.new", bind="query-params")
    st.number_input("newer", 0, key="p.newer", bind="query-params")
    st.number_input("added", 0, key="p.added", bind="query-params")
    st.write(streamlit_internals.session_id(), streamlit_internals.goes_through_history())
    if st.button("remove"):
        st.session_state["bound"] = streamlit_internals.remove_from_address("p.new"), streamlit_internals.remove_from_address("odd")
    if st.button("clear"):
        streamlit_internals.clear_address("p.")


def test_address_when_values_are_renamed_added_removed_and_cleared_then_widgets_and_address_follow():
    app = AppTest.from_function(draws_address)
    app.query_params.update({"old": "7", "older": "8", "odd": "9"})
    fine(app.run())
    assert [field.value for field in app.number_input] == [7, 8, 6]
    assert {name: value for name, value in app.query_params.items() if name != "odd"} == {"p.new": "7", "p.newer": "8", "p.added": "6"}
    assert app.session_state["said"] == {}
    fine(app.button[0].click().run())
    assert app.session_state["bound"] == (True, False)
    assert {*app.query_params} == {"p.newer", "p.added"}
    assert app.session_state["said"] == dict.fromkeys(["p.new", "p.newer", "p.added"], True)
    know_no_widget(app)
    assert fine(app.run()).session_state["said"] == dict.fromkeys(["p.new", "p.newer", "p.added"], False)
    fine(app.button[1].click().run())
    assert {*app.query_params} == set()
