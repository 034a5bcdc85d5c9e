"""The cache of results: nothing stays in it longer, or takes more room, than
allowed.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from irmeval.core.errors import ParamError
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.state import cache, quotas, server_files
from irmeval.ui.state.cache import Cache, size_of
from tests.cases import SAMPLE, drawn, tied_collection
from tests.dashboard import dashboard, fine, opened


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    """The time, for a test to set."""
    now = [0.0]
    monkeypatch.setattr(cache.time, "monotonic", lambda: now[0])
    return now


def test_shelves_when_nobody_asks_for_one_then_it_goes_and_those_in_use_stay(clock):
    shelves = Cache()
    shelves.setdefault("old", {})["x"] = np.zeros(3)
    clock[0] = cache.AGE * 0.9
    shelves.setdefault("young", {})
    clock[0] = cache.AGE * 1.1
    shelves.setdefault("new", {})
    assert list(shelves) == ["young", "new"]
    clock[0] = cache.AGE * 1.5
    shelves.setdefault("young", {})
    clock[0] = cache.AGE * 2.2
    shelves.setdefault("last", {})
    assert list(shelves) == ["young", "last"]
    assert set(shelves._uses) == set(shelves)


@pytest.mark.parametrize(
    ("grown", "weighed"), [((), []), ((7,), [7]), ((99,), [99]), ((3, 7, 99), [7, 99])]
)
def test_shelves_when_one_is_found_then_it_and_the_last_alone_are_weighed_if_they_have_grown(
    monkeypatch, grown, weighed
):
    shelves, found = Cache(), []
    for i in range(100):
        shelves.setdefault(i, {"i": i})
    shelves.setdefault("whole", (1,))
    shelves.setdefault(99)
    monkeypatch.setattr(cache, "size_of", lambda value: found.append(value["i"]) or 1)
    for i in grown:
        shelves[i]["more"] = i
    shelves.setdefault(7)
    assert sorted(found) == weighed


def test_shelf_when_a_part_is_replaced_then_is_weighed_again():
    shelves = Cache()
    shelves.setdefault("part", {})["cell"] = np.zeros(1)
    shelves.setdefault("part")
    shelves["part"]["cell"] = np.zeros(10)
    shelves.setdefault("part")
    assert shelves._uses["part"].size == 80


def test_shelves_when_they_hold_too_much_then_those_not_used_for_longest_go(clock, monkeypatch):
    monkeypatch.setenv(quotas.CACHE, "1e-6")
    shelves = Cache()
    for name in "abc":
        shelves.setdefault(name, {})["cell"] = (np.zeros(50), "text", {"inner": np.zeros(10)})
        clock[0] += 1
    # what the last one holds is counted when the next is asked for
    assert list(shelves) == ["a", "b", "c"]
    shelves.setdefault("a", {})
    assert list(shelves) == ["c", "a"]
    shelves.setdefault("a", {})["more"] = np.zeros(1000)
    assert list(shelves) == ["c", "a"]
    shelves.setdefault("a", {})
    assert list(shelves) == ["a"]  # the one asked for stays, however much it holds


def test_cache_when_what_others_are_made_of_is_too_large_then_the_last_such_stays_beside_the_last(
    monkeypatch,
):
    monkeypatch.setenv(quotas.CACHE, "1e-6")
    held = Cache()
    for name in ("old", "base"):
        held.get_or_make((name, "data"), lambda: np.zeros(1000), base=True)
    for name in ("one", "two"):
        held.get_or_make((name, "data"), lambda: np.zeros(1000))
    assert list(held) == [("base", "data"), ("two", "data")]


def test_cache_when_several_ask_while_a_value_is_made_then_it_is_made_once_also_after_a_failure():
    held, made, asked, together = Cache(), [], Barrier(4), Barrier(2)

    def make() -> str:
        made.append(1)
        with pytest.raises(BrokenBarrierError):  # nobody else makes it at the same time
            together.wait(0.2)
        if len(made) == 1:
            raise ParamError("the first one fails")
        return "value"

    def ask(_: int) -> str:
        asked.wait(60)
        try:
            return held.get_or_make("key", make)
        except ParamError:
            return "failed"

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(ask, range(4))) == ["failed", "value", "value", "value"]
    assert len(made) == 2
    assert not held._making


def test_value_when_it_is_found_again_then_nobody_can_change_it():
    held = Cache()
    held.setdefault("part", {})["cell"] = np.zeros(3), {"inner": np.ones(2)}
    cell, inner = held.setdefault("part", {})["cell"]
    for array in (cell, inner["inner"]):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    ("value", "size"),
    [
        (b"four", 4),
        (pd.DataFrame({"a": [1, 2]}), 132 + 16),
        ([np.zeros(2)], 16),
        ({"a": {"b": np.zeros(1)}}, 8),
        (None, 0),
    ],
)
def test_size_is_that_of_arrays_tables_and_bytes(value, size):
    assert size_of(value) == size


@pytest.mark.parametrize("name", [e.name for e in EXPERIMENTS.values() if e.stored])
def test_size_when_an_experiment_has_kept_something_then_it_counts_its_arrays(name):
    store: dict = {}
    EXPERIMENTS[name](tied_collection(*drawn(3, topics=6, runs=4)), ["nDCG"], store=store)
    assert size_of(store) > 100


def test_bar_when_told_by_another_thread_then_shows_how_many_files_are_read_and_goes():
    def page():
        from threading import Thread
        from time import sleep
        from unittest.mock import patch

        import streamlit as st
        from streamlit.delta_generator import DeltaGenerator

        from irmeval.ui.state import server_files

        shown = st.session_state["shown"]

        def read(tell):
            teller = Thread(target=tell, args=(40, 126))
            teller.start()
            teller.join()
            sleep(3 * server_files.LOOK)
            return "read"

        with patch.object(DeltaGenerator, "empty", lambda bar: shown.append("gone")):
            shown.append(server_files._with_bar(read))

    app = AppTest.from_function(page)
    app.session_state["shown"] = shown = []
    (bar,) = app.run().get("progress")
    assert (bar.proto.text, bar.proto.value) == ("Reading the collection: 40 of 126 run files", 31)
    assert shown == ["gone", "read"]


def test_page_when_its_collection_is_read_while_drawn_then_no_widget_moves_that_is_in_the_address(
    monkeypatch,
):
    held = Cache()
    monkeypatch.setattr(cache, "store", lambda: held)
    app = opened("pages/learn/lab.py")
    assert not fine(app.run()).get("progress")
    held.clear()
    fine(app.run())
    assert held


def test_servers_files_when_a_page_is_drawn_then_each_is_looked_at_once_and_again_for_the_next(
    monkeypatch,
):
    looked: list[Path] = []
    state = server_files.files.file_state
    qrels, runs = SAMPLE
    named = ["app.py", "--qrels", str(qrels), "--runs", str(runs)]
    monkeypatch.setattr(server_files.sys, "argv", named)
    monkeypatch.setattr(
        server_files.files, "file_state", lambda path: looked.append(path) or state(path)
    )
    app = dashboard().run().switch_page("pages/runs/leaderboard.py").run()
    looked.clear()
    fine(app.run())
    once = Counter(looked)
    assert set(once.values()) == {1}
    fine(app.run())
    assert Counter(looked) == once + once


def test_result_when_another_visitor_has_had_it_then_nothing_is_asked_or_computed_until_its_data_go(
    monkeypatch,
):
    empty, computed, curves = Cache(), Counter[str](), EXPERIMENTS["curves"]
    monkeypatch.setattr(cache, "store", lambda: empty)
    work = type(curves).compute
    monkeypatch.setattr(
        type(curves), "compute", lambda self, call: computed.update([self.name]) or work(self, call)
    )

    def visited() -> tuple[AppTest, int]:
        app = dashboard()
        app.query_params.update({"curves.trials": "2", "curves.seed": "4713"})
        return fine(app.run()), computed[curves.name]

    first, once = visited()
    assert once
    assert first.get("plotly_chart")
    second, still = visited()
    assert still == once
    assert [chart.proto.spec for chart in second.get("plotly_chart")] == [
        chart.proto.spec for chart in first.get("plotly_chart")
    ]
    (kept,) = (key for key in empty if key[0] == "_result")
    empty.release({kept[1]})
    _, after = visited()
    assert after > once
