"""What is selected has one value, whichever way it was last changed: in *Settings*, by
ticks, by an address, or by going back.

AppTest has no popover that is closed. Here a browser is imitated that builds the
widgets of *Settings* when it is opened, and sends their last values while it is closed.
"""

import json
import random
from collections.abc import Iterator

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import ElementTree

from irmeval.scoring.selection import names_text, parse_names
from irmeval.ui.state.visitor import Visitor
from tests.conftest import TINY_QRELS, run_lines
from tests.dashboard import dashboard, dataset_of, fine

PAGE, OTHER = "pages/data/selection.py", "pages/data/check.py"
NAME = "runs_only"
RUNS = ["a", "b", "c", "d", "e"]
BUTTONS = ("only", "too", "out", "all")
STEPS = 200

pytestmark = pytest.mark.usefixtures("nobody_here")


class Browser:
    """A tab of a visitor, and what was selected in it last."""

    def __init__(self, visitor: Visitor, asked: str | None = None):
        self.app = AppTest.from_file(dashboard()._script_path, default_timeout=60)
        self.app.session_state["visitor"] = visitor
        self.app.session_state["cookie"] = ""
        self.app.session_state["measures"] = ["P@5"]
        if asked is not None:
            self.app.query_params["runs_only"] = asked
        self.built: dict[str, str] = {}
        """values of the widgets of *Settings* when it was open last; none before that"""
        self.is_open = False
        self.ticked: list[str] = []
        self.goes_back = False
        self.app.switch_page(PAGE)
        self.run()
        self.addresses = [self.address]

    @property
    def address(self) -> str:
        return str(self.app.query_params.get("runs_only", ""))

    def run(self) -> None:
        self.app.run()
        fine(self.app)

    def states(self, tree: ElementTree) -> WidgetStates:
        """What this browser sends of its widgets."""
        sent = WidgetStates()
        for state in ElementTree.all_states(tree).widgets:
            if self._in_settings(state.id) and not self.is_open:
                continue
            sent.widgets.append(state)
        if not self.is_open:
            sent.widgets.extend(
                WidgetState(id=id, string_value=text) for id, text in self.built.items()
            )
        for table in self.app.dataframe if self.ticked else ():
            if "run" in table.value and "choosing-" in table.proto.id:
                names = [*table.value["run"]]
                rows = [names.index(run) for run in self.ticked]
                said = json.dumps({"selection": {"rows": rows, "columns": [], "cells": []}})
                sent.widgets.append(WidgetState(id=table.proto.id, string_value=said))
        return sent

    def _in_settings(self, id: str) -> bool:
        return any(widget.id == id for widget in self._settings())

    def _settings(self) -> list:
        return [
            widget
            for widget in self.app.sidebar.text_input
            if widget.key == NAME or "Settings" in str(widget.key)
        ]

    def open(self) -> None:
        """Open *Settings*, which then shows what the server sent last."""
        self.is_open = True

    def close(self) -> None:
        if self.is_open:
            self.built = {widget.id: widget.value for widget in self._settings()}
            self.is_open = False

    def type(self, text: str) -> None:
        self.open()
        self.app.sidebar.text_input(key=NAME).set_value(text)
        self.app.query_params["runs_only"] = text
        if not text:
            del self.app.query_params["runs_only"]
        self.run()

    def tick(self, runs: list[str]) -> None:
        self.close()
        self.ticked = runs
        self.run()

    def press(self, button: str) -> None:
        self.close()
        self.app.button(key=f"choose_{button}").click()
        self.run()

    def go(self, page: str) -> None:
        """To another page: the browser leaves out of the address what it has not built."""
        if not self.is_open:
            self.app.query_params.pop("runs_only", None)
        self.ticked = []
        self.app.switch_page(page)
        self.run()

    def back(self, asked: str) -> None:
        self.close()
        self.app.query_params.pop("runs_only", None)
        if asked:
            self.app.query_params["runs_only"] = asked
        self.goes_back = True
        self.run()
        self.goes_back = False

    def selected(self) -> list[str]:
        said = self.app.session_state["redraw"].selection.runs_only
        return parse_names(said, RUNS) or RUNS


@pytest.fixture
def visitor() -> Visitor:
    """Who has dropped five runs."""
    lines = {run: run_lines(run, {"1": " ".join(["S1", *RUNS[:i]])}) for i, run in enumerate(RUNS)}
    files = [("q.txt", TINY_QRELS.encode()), *((run, text.encode()) for run, text in lines.items())]
    return Visitor(dataset=dataset_of(files))


@pytest.fixture
def browse(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> Iterator:
    """Opens tabs of the visitor, one after the other."""
    tabs: list[Browser] = []
    monkeypatch.setattr(ElementTree, "all_states", ElementTree.get_widget_states, raising=False)
    monkeypatch.setattr(
        ElementTree, "get_widget_states", lambda tree: tabs[-1].states(tree) if tabs else None
    )
    sent = local_script_runner.RerunData
    monkeypatch.setattr(
        local_script_runner,
        "RerunData",
        lambda **more: sent(**more, is_history_navigation=bool(tabs) and tabs[-1].goes_back),
    )

    def open_tab(asked: str | None = None) -> Browser:
        tabs.clear()
        made = Browser(visitor, asked)
        tabs.append(made)
        return made

    return open_tab


def after(button: str, ticked: list[str], before: list[str]) -> list[str]:
    """What is selected after a press."""
    kept = {
        "only": ticked,
        "too": [*before, *ticked],
        "out": [run for run in before if run not in ticked],
        "all": RUNS,
    }[button]
    return [run for run in RUNS if run in kept]


def test_selection_when_undone_after_settings_were_open_then_stays_undone(browse):
    tab = browse()
    tab.tick(["a", "c"])
    tab.press("only")
    tab.open()
    tab.press("all")
    tab.go(OTHER)
    assert (tab.selected(), tab.address) == (RUNS, "")
    tab = browse()
    tab.open()
    tab.tick(["b"])
    tab.press("out")
    tab.go(OTHER)
    assert tab.selected() == ["a", "c", "d", "e"]
    tab.go(PAGE)
    tab.press("all")
    tab.type("a,c")
    assert tab.selected() == ["a", "c"]


def test_selection_when_changed_at_random_by_all_ways_in_then_has_one_value(browse):
    draw = random.Random(7)
    tab, expected = browse(), RUNS
    for step in range(STEPS):
        way = draw.choice(["type", "look", "tick", "tick", "link", "back", "page"])
        some = sorted(draw.sample(RUNS, draw.randint(1, 4)))
        if way == "type":
            expected = draw.choice([some, RUNS])
            tab.type("" if expected == RUNS else names_text(expected))
        elif way == "look":
            tab.open()
        elif way == "tick":
            tab.tick(some)
            buttons = [b for b in BUTTONS if not tab.app.button(key=f"choose_{b}").disabled]
            button = draw.choice(buttons)
            expected = after(button, some, expected)
            tab.press(button)
        elif way == "link":
            tab, expected = browse(names_text(some)), some
        elif way == "back":
            asked = draw.choice(tab.addresses)
            expected = parse_names(asked, RUNS) or RUNS
            tab.back(asked)
        else:
            tab.go(OTHER)
            assert tab.selected() == expected, (step, way)
            tab.go(PAGE)
        said = "" if expected == RUNS else names_text(expected)
        assert (tab.selected(), tab.address) == (expected, said), (step, way)
        assert tab.app.sidebar.text_input(key=NAME).value == said, (step, way)
        tab.addresses.append(tab.address)
