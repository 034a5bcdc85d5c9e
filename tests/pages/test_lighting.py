"""A run that is highlighted is so on every chart and page; runs have the colours of
their teams where that is asked for.

The tests of the dashboard; the others are in `tests/unit/plots/test_lighting.py`.
"""

from types import SimpleNamespace

import streamlit as st

from irmeval.plots import pins
from irmeval.ui.state import marked_runs
from irmeval.ui.widgets import output
from tests.dashboard import fine, opened, texts
from tests.unit.plots.test_lighting import RUN

TOPICS, BOARD = "pages/runs/topics.py", "pages/runs/leaderboard.py"


def test_click_when_on_a_run_then_it_is_highlighted_and_let_go_by_the_next(monkeypatch):
    points = [{"curve_number": 1, "point_index": 0}]
    state: dict[str, object] = {
        "chart-x": SimpleNamespace(selection=SimpleNamespace(points=points))
    }
    monkeypatch.setattr(st, "session_state", state)
    traces = [
        {"type": "scatter", "mode": "lines", "name": "a"},
        {"type": "scatter", "mode": "markers", "text": ["b"]},
    ]
    figure = {"data": traces, "layout": {}}
    take = output.clicks("chart-x", figure, ["a", "b"])["on_select"]
    take()
    assert state["runs"].highlighted == "b"
    marked_runs.leave_page()
    assert state["runs"].highlighted == ""
    take()
    marked_runs.change(highlighted="a")
    marked_runs.leave_page()
    assert state["runs"].highlighted == "a", "what was set in the sidebar stays on the next page"
    marked_runs.change(highlighted="b")
    take()
    assert state["runs"].highlighted == ""
    assert traces[1]["selected"] == traces[1]["unselected"]  # what is clicked looks as before
    assert output.clicks("chart-x", {"data": [{"type": "scatter", "name": "AP"}]}, ["a", "b"]) == {}


def test_chart_when_not_its_first_point_is_of_a_run_then_it_takes_clicks():
    box = {"type": "box", "text": ["", "", "b"], "customdata": ["", "", "topic"]}
    taken = output.clicks("chart-x", {"data": [box], "layout": {}}, ["a", "b"])
    assert taken["selection_mode"] == "points"
    assert not output.clicks("chart-x", {"data": [box], "layout": {}}, ["a"])


def test_highlighted_when_the_address_names_a_run_then_every_page_has_it_and_it_can_be_let_go():
    app = opened(TOPICS, {"runs": f"highlight {RUN}"})
    assert pins.HIGHLIGHTED.strip() in texts(fine(app))
    app.switch_page("pages/measures/rankings.py").run()
    assert f"Highlighted: {RUN}" in texts(app)
    assert app.query_params["runs"] in (f"highlight {RUN}", [f"highlight {RUN}"])
    app.sidebar.button(key="let_go").click().run()
    assert "Highlighted:" not in texts(fine(app))
    assert "runs" not in app.query_params
    assert pins.HIGHLIGHTED.strip() not in texts(app)


def test_highlighted_when_it_is_in_a_table_then_its_row_is_picked_out_and_numbers_are_as_before():
    plain, lit = (
        fine(opened(BOARD, {"measures": ["AP"], **more}))
        for more in ({}, {"runs": f"highlight {RUN}"})
    )
    assert plain.dataframe[0].value.equals(lit.dataframe[0].value)
    assert "background-color" in lit.dataframe[0].proto.arrow_data.styler.styles
    assert not plain.dataframe[0].proto.arrow_data.styler.styles


def test_teams_when_asked_for_in_the_address_then_charts_say_so():
    assert pins.TEAMS.strip() in texts(fine(opened(TOPICS, {"runs": "teams"})))
