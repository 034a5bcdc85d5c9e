"""What the dashboard uses of Streamlit beyond its documented interface: in one module,
and as the installed version has it.
"""

import asyncio
import re
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.websockets import WebSocket, WebSocketState
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from irmeval.ui.server import messages
from irmeval.ui.state import streamlit_internals
from irmeval.ui.widgets import receiving
from tests.conftest import ROOT
from tests.dashboard import opened

INTERNAL = re.compile(
    r"(from|import) streamlit(\.(?!starlette|navigation|delta_generator|web\.cli)| import"
    r" runtime)|type: ignore\[method-assign\]"
    r"|\bst\.(stop|query_params\.clear)\(|\bst\.__|\bst\._"
)
"""Modules and attributes of Streamlit without a documented interface, methods that are
replaced, and what has an own one there.
"""
USES = 10
"""Maximum number of uses."""


def test_internals_when_used_then_by_one_module_alone():
    modules = ROOT / "app.py", *(ROOT / "irmeval/ui").rglob("*.py"), *(ROOT / "pages").rglob("*.py")
    assert [path.name for path in modules if INTERNAL.search(path.read_text())] == [
        "streamlit_internals.py"
    ]


def test_internals_when_counted_then_are_few_and_each_says_what_is_lost_without_it():
    source = Path(streamlit_internals.__file__).read_text()
    uses = re.findall(r"^(?:def |class )?([A-Za-z]\w*)(?= = |\(|:)", source, re.MULTILINE)
    assert len(uses) <= USES
    assert " ".join(source.split()).count("Without it, ") == len(uses)


def test_page_when_it_stops_then_what_the_address_asks_in_vain_is_said_all_the_same():
    app = (
        opened("pages/incompleteness/curves.py", {"measures": "nonsense", "order": "zz"})
        .sidebar.multiselect(key="measures")
        .set_value([])
        .run()
    )
    assert not app.exception
    assert "Pick at least one measure in the sidebar." in [info.value for info in app.info]
    assert ["zz" in warning.value for warning in app.warning] == [True]


def test_connection_when_a_socket_names_no_protocol_then_sends_at_once(monkeypatch):
    seen = []
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", lambda self, made: seen.append(made))
    streamlit_internals.send_at_once()
    with socket.socket() as bound:  # as Streamlit does
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        with socket.create_connection(bound.getsockname()), bound.accept()[0] as accepted:
            assert not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            transport = SimpleNamespace(get_extra_info={"socket": accepted}.get)
            AutoHTTPProtocol.connection_made(None, transport)
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert seen == [transport]


def test_files_when_a_browser_announces_them_then_their_names_and_new_ids_are_known():
    (url,) = MemoryUploadedFileManager("/upload").get_upload_urls("one", ["a.txt"])
    asked = BackMsg(file_urls_request={"request_id": "7", "file_names": ["a.txt"]})
    answer = ForwardMsg(file_urls_response={"response_id": "7", "file_urls": [url._asdict()]})
    other = ForwardMsg(file_urls_response={"response_id": "8", "file_urls": [url._asdict()]})
    answers = [{"bytes": one.SerializeToString()} for one in (answer, other, answer, answer)]
    sent = []

    async def tell(message: dict[str, Any]) -> None:
        sent.append(message)

    async def talk(scope: Any, receive: Any, send: Any) -> None:
        await send(answers[0])  # nobody has asked
        await receive()
        await receive()
        for message in answers[1:]:
            await send(message)

    told = iter([b"no message", asked.SerializeToString()])

    async def hear() -> dict[str, Any]:
        return {"bytes": next(told)}

    middleware = messages.Messages(talk, "{}-{}".format)
    asyncio.run(middleware({"type": "websocket"}, hear, tell))
    assert [sent[place] for place in (0, 1, 3)] == [answers[place] for place in (0, 1, 3)]
    (place,) = ForwardMsg.FromString(sent[2]["bytes"]).file_urls_response.file_urls
    assert (place.file_id, place.upload_url, place.delete_url) == (
        f"one-{url.file_id}",
        *2 * [f"/upload/one/one-{url.file_id}"],
    )
    assert receiving.forget(["one"]) == ["a.txt"]


END = {"type": "websocket.disconnect"}
MENU, TICK = False, True
"""Who asks: a visitor, or a part of the page by itself."""


@pytest.mark.parametrize(
    ("asked", "late"),
    [
        ([("a", MENU), ("a", TICK), ("b", MENU), ("a", TICK), ("a", TICK), ("b", TICK)], [3, 4]),
        ([("a", MENU), ("b", MENU), ("b", TICK), ("a", TICK)], []),  # the server led back to it
        ([("a", MENU), ("b", MENU), ("b", MENU), ("a", TICK)], []),
        ([("a", MENU), ("b", MENU), ("a", MENU), ("b", TICK), ("a", TICK)], [3]),
        ([("", MENU), ("", TICK), ("a", TICK), ("b", MENU), ("a", TICK)], [4]),
    ],
)
def test_page_when_it_was_left_then_what_it_asks_by_itself_is_late_until_the_next_one_asks(
    asked, late
):
    departures = messages.Departures()
    sent = [
        BackMsg(rerun_script={"page_script_hash": page, "is_auto_rerun": by_itself})
        for page, by_itself in asked
    ]
    found = [*map(departures.is_late, sent)]
    assert [place for place, is_late in enumerate(found) if is_late] == late


def asks(page, query="", *, back=False):
    """A message in which a browser asks for a page."""
    asked = {"page_script_hash": page, "query_string": query, "is_history_navigation": back}
    return BackMsg(rerun_script=asked)


def begins(page):
    """A message with which a page begins."""
    return ForwardMsg(new_session={"page_script_hash": page})


def writes(query):
    """A message that writes settings into the address."""
    return ForwardMsg(page_info_changed={"query_string": query})


def addressed(*course):
    """The settings that are written into addresses in a course of messages, and how many
    pages begin.
    """
    addresses, sent = messages.Addresses(), []
    for message in course:
        if isinstance(message, BackMsg):
            addresses.note(message)
            continue
        kept = addresses.kept({"bytes": message.SerializeToString()})
        sent += [ForwardMsg.FromString(one["bytes"]) for one in kept]
    written = [one.page_info_changed for one in sent if one.HasField("page_info_changed")]
    return [one.query_string for one in written], sum(one.HasField("new_session") for one in sent)


TO_SECOND = asks("first"), begins("first"), asks("second"), begins("second")
BACK = asks("first", "a=2", back=True)
COURSES = {
    # messages, after those to the second page: what is written into addresses
    "back": ((BACK, writes("b=2"), begins("second"), writes("b=3"), begins("first")), ["a=2"]),
    "back, then by a link": (
        (BACK, writes("b=2"), asks("third"), writes("b=3"), begins("third"), writes("c=1")),
        ["c=1"],
    ),
    "back, then a press before that page begins": (
        (BACK, asks("second", "b=4"), begins("second"), writes("b=5")),
        ["b=5"],
    ),
    "back twice, to other settings of a page": (
        (BACK, asks("first", "a=1", back=True), begins("first"), writes("a=0")),
        ["a=1", "a=0"],
    ),
    "back twice, the second time on its way as the page begins": (
        (BACK, begins("first"), asks("first", "a=1", back=True), writes("a=2"), begins("first")),
        ["a=2", "a=1"],
    ),
    "back twice, over a page": (
        (
            *(asks("third"), begins("third"), asks("second", "b=1", back=True)),
            *(BACK, begins("third"), writes("c=1"), begins("second"), writes("b=2")),
            *(begins("first"), writes("a=3")),
        ),
        ["a=2", "a=3"],
    ),
    "back and forward": (
        (BACK, begins("first"), asks("second", "b=1", back=True), writes("a=3"), begins("second")),
        ["a=2", "b=1"],
    ),
}


@pytest.mark.parametrize(("course", "written"), COURSES.values(), ids=COURSES)
def test_address_when_one_goes_back_then_what_the_page_left_still_sends_is_not_written_into_it(
    course, written
):
    begun = sum(isinstance(one, ForwardMsg) and one.HasField("new_session") for one in course)
    assert addressed(*TO_SECOND, *course) == (written, 2 + begun)


def test_address_when_a_page_is_opened_or_led_to_then_what_is_sent_is_written_into_it():
    course = [asks("", "a=1"), writes("a=2"), *TO_SECOND, writes("b=1"), asks("second"), writes("")]
    assert addressed(*course) == (["a=2", "b=1", ""], 2)


def test_link_when_a_part_of_its_page_asks_once_more_then_leads_there_all_the_same():
    """Without the middleware Streamlit draws the page that was left."""
    asked = [("left", MENU), ("next", MENU), ("left", TICK)]
    told = [
        BackMsg(rerun_script={"page_script_hash": page, "is_auto_rerun": by_itself})
        for page, by_itself in asked
    ]
    came = iter([{"bytes": message.SerializeToString()} for message in told] + [END])
    requests = ScriptRequests()

    async def receive() -> dict[str, Any]:
        return next(came)

    async def take(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive()) != END:
            told = BackMsg.FromString(message["bytes"]).rerun_script
            fragment = "part" if told.is_auto_rerun else None
            requests.request_rerun(
                RerunData(page_script_hash=told.page_script_hash, fragment_id=fragment)
            )

    middleware = messages.Messages(take, "{}-{}".format)
    asyncio.run(middleware({"type": "websocket"}, receive, None))
    assert requests.on_scriptrunner_ready().rerun_data.page_script_hash == "next"


def test_connection_when_it_is_closed_once_more_then_that_is_no_fault_and_others_are():
    async def fail(scope: Any, receive: Any, send: Any) -> None:
        if scope["closes"]:
            closed = WebSocket({"type": "websocket"}, None, send)
            closed.application_state = WebSocketState.DISCONNECTED
            await closed.close()
        raise RuntimeError("another")

    asked = messages.Messages(fail, "{}-{}".format)
    asyncio.run(asked({"type": "websocket", "closes": True}, None, None))
    with pytest.raises(RuntimeError, match="another"):
        asyncio.run(asked({"type": "websocket", "closes": False}, None, None))


def test_session_when_its_tab_is_connected_then_is_open(monkeypatch: pytest.MonkeyPatch):
    sessions = WebsocketSessionManager.__new__(WebsocketSessionManager)
    sessions._active_session_info_by_id = {"one": SimpleNamespace()}
    server = Runtime.__new__(Runtime)
    server._session_mgr = sessions
    monkeypatch.setattr(streamlit_internals, "exists", lambda: True)
    monkeypatch.setattr(streamlit_internals, "get_instance", lambda: server)
    assert [*map(streamlit_internals.is_open, ("one", "gone", ""))] == [True, False, False]
