"""The dashboard in memory, by Streamlit's AppTest."""

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.proto.PageLink_pb2 import PageLink
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.element_tree import ElementTree

from irmeval.reading.faults import FilesRefused
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.reading.trec import Fault
from irmeval.ui.state import keys, visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import jobs, menu
from tests.conftest import ROOT
from tests.serving import SECONDS

# a page waits for its result, and its work for the page: no test need ask whether it is there yet
jobs.PATIENCE = jobs.HEARTBEAT = SECONDS
# nor does a slow machine ask whether to go on, but where a test is about that
jobs.LONG_SECONDS = math.inf
# AppTest has no browser that could send a cookie: what a test puts into the session stands for it
visitors.sent_cookie = lambda: st.session_state.get("cookie", "")
# AppTest compiles every script anew
local_script_runner.ScriptCache = app_test.ScriptCache = cache(ScriptCache)
# AppTest puts a new stand-in for the server in place at every drawing, and sets in it what it needs
app_test.MagicMock = cache(app_test.MagicMock)
# AppTest asks every installed package anew, for every app, whether it brings Streamlit a component
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


class _LookedUp(Mapping[str, object]):
    """What is in a session, which every widget asks for one key, and Streamlit writes
    down anew for each.
    """

    written_down = SafeSessionState.filtered_state.fget

    def __init__(self, state: SafeSessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> object:
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_LookedUp.written_down(self._state))

    def __len__(self) -> int:
        return len(_LookedUp.written_down(self._state))


SafeSessionState.filtered_state = property(_LookedUp)

_places: WeakKeyDictionary[SafeSessionState, tuple[str, dict[str, tuple[object, ...]]]] = (
    WeakKeyDictionary()
)
"""Of each session, the page that was drawn last, and where on it each widget is that
the address is bound to.
"""


def _stay(runner: local_script_runner.LocalScriptRunner) -> None:
    """What the address is bound to stays where it is while its page is drawn again: in
    a browser, what moves to another parent loses its hold on the address. A parent with
    a key may move; any other is known by its place among its siblings.
    """
    page, places, blocks = "", {}, dict[tuple[int, ...], str]()
    for message in runner.forward_msgs():
        path = tuple(message.metadata.delta_path)
        kind = message.WhichOneof("type")
        if kind == "new_session":
            page = message.new_session.page_script_hash
        elif kind == "delta" and message.delta.WhichOneof("type") == "add_block":
            blocks[path] = message.delta.add_block.id
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = getattr(
                message.delta.new_element, message.delta.new_element.WhichOneof("type") or ""
            )
            if getattr(element, "query_param_key", ""):
                places[element.id] = tuple(
                    blocks.get(path[:i]) or path[i - 1] for i in range(1, len(path))
                )
    before, there = _places.get(state := runner.session_state, ("", {}))
    _places[state] = page, places
    moved = [
        (id, there[id], place)
        for id, place in places.items()
        if id in there and there[id] != place and (place[0] or page == before)
    ]
    assert not moved, moved


_refuse_after = local_script_runner.require_widgets_deltas


def _wait(runner: local_script_runner.LocalScriptRunner, seconds: float) -> None:
    """AppTest looks a thousand times a second whether a page is done; this sleeps until
    it is, and raises as that does where it is not.
    """
    runner._script_thread.join(seconds)
    if not runner.script_stopped():
        _refuse_after(runner, 0)
    _stay(runner)


local_script_runner.require_widgets_deltas = _wait

T = TypeVar("T")
LESS = {"trials": "2", "samples": "50", "sets": "30"}
"""In an address: less work than by default, on every page that has some of these."""


def dashboard(desk: Dataset | None = None, **state: object) -> AppTest:
    """Not yet run; with files dropped already, and something in the visitor's session,
    where it is given.
    """
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=SECONDS)
    if desk:
        app.session_state["visitor"] = Visitor(dataset=desk)
    # a page asks for it often, and Streamlit takes long to say that there is none
    for name, value in ({"cookie": ""} | state).items():
        app.session_state[name] = value
    return app


def dataset_of(files: list[tuple[str, bytes]]) -> Dataset:
    """A visitor's dataset of dropped files."""
    made = Dataset()
    made.add(files)
    return made


def refused(desk: Dataset, policy: Policy = DEFAULT) -> list[str]:
    """All that is said of files that are not used: the first of each kind of fault of
    each, then what else there is.
    """
    found = desk.refusal(policy)
    faults = (
        found.refused if isinstance(found, FilesRefused) else [[Fault(1, found)]] if found else []
    )
    return [*(str(fault.first) for of_file in faults for fault in of_file), *desk.remarks]


def named(page: str, query: Mapping[str, T]) -> dict[str, T]:
    """An address of a page: names of widgets that no other page has begin with the
    page's name.
    """
    own = {name for name in query if "." not in name and name not in keys.OF_NO_PAGE}
    return {f"{page}.{name}" if name in own else name: value for name, value in query.items()}


def opened(page: str, query: Mapping[str, object] | None = None, **state: Any) -> AppTest:
    """A page, by its script, as a link with these parameters opens it; a paper's has no
    address of its own name, and comes second.
    """
    app, of_paper = dashboard(**state), ROOT / page == menu.PAPER
    address = named(Path(page).stem, query or {})
    app.query_params.update(address)
    if of_paper:
        app.run()
        app.query_params.update(address)
    app.switch_page(page).run()
    assert of_paper or app.session_state["redraw"].page == Path(page).stem
    return app


def know_no_widget(app: AppTest) -> None:
    """From now on, as a browser that has built nothing of what was sent: it tells
    nothing of widgets.
    """
    app._tree = ElementTree()
    app._tree._runner = app


def fine(app: AppTest) -> AppTest:
    """The same, once it is sure that nothing went wrong."""
    assert not app.exception
    assert not app.error, [e.value for e in app.error]
    return app


def pick_view(app: AppTest, option: str) -> AppTest:
    """The same, once this option is picked of the choice side by side that has it."""
    next(group for group in app.get("button_group") if option in group.options).set_value(
        option
    ).run()
    return fine(app)


def links(app: AppTest) -> list[PageLink]:
    """The links of a page, without those to the pages beside it in the menu."""
    tabs = {menu.name_of(page) for page in menu.tabs_of(app.session_state["redraw"].page)}
    return [link.proto for link in app.main.get("page_link") if link.proto.label not in tabs]


def texts(app: AppTest) -> str:
    """What a page says."""
    return " ".join(
        element.value for element in [*app.title, *app.markdown, *app.caption, *app.info]
    )
