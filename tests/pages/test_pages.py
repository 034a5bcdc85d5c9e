"""Every page, run in memory by Streamlit's AppTest."""

import json
import threading
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.core.folders import page_scripts
from irmeval.core.text import first_sentence
from irmeval.experiments import EXPERIMENTS
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import form, jobs, output
from tests.cases import SAMPLE, read_once
from tests.conftest import ROOT
from tests.dashboard import dashboard, fine, opened, pick_view, texts
from tests.watched import ASKED, CURVES

ELSEWHERE = {"findings", "across"}
"""Opened in test_papers_page, on less than all of the sample, and in test_across_page;
the others on the sample in test_hostile.
"""
PAGES = [
    str(script.relative_to(ROOT))
    for name, script in page_scripts().items()
    if name not in ELSEWHERE
]


FILES = 40
"""Maximum number of files of the package through which a press goes that changes
nothing.
"""


@pytest.fixture
def app() -> AppTest:
    """The first screen, of two measures."""
    return dashboard(measures=["AP", "Q'"]).run()


def dropped(tiny) -> Dataset:
    """A visitor's files."""
    desk, (qrels, runs) = Dataset(), tiny
    desk.add([(path.name, path.read_bytes()) for path in (qrels, *sorted(runs.iterdir()))])
    return desk


def test_measure_when_typed_wrongly_then_the_nearest_names_are_said_and_the_rest_is_shown(app):
    app.sidebar.multiselect(key="measures").set_value(["AP", "nDCC"]).run()
    assert not app.exception
    assert any("nearest: nDCG" in caption.value for caption in app.sidebar.caption)
    assert len(app.get("plotly_chart")) == 2


def test_measures_when_none_is_left_then_the_page_says_what_to_do(app):
    app.sidebar.multiselect(key="measures").set_value([]).run()
    assert not app.exception
    assert any("at least one measure" in i.value for i in app.info)


def test_rates_when_out_of_bounds_then_the_page_says_what_was_expected(app):
    app.multiselect(key="curves.levels").set_value(["100", "700"]).run()
    assert not app.exception
    assert any("from 0.1 to 100" in caption.value for caption in app.caption)
    assert app.multiselect(key="curves.levels").value == ["100"]


def test_settings_when_changed_then_one_line_says_what_is_in_force_and_where_the_seldom_changed_are(
    app,
):
    assert "10 trials · seed 1 · stratified samples" in [caption.value for caption in app.caption]
    app.number_input(key="curves.trials").set_value(3)
    app.multiselect(key="curves.levels").set_value(["100", "10"])
    app.selectbox(key="curves.rounding").set_value("ceil").run()
    line = "3 trials · seed 1 · stratified samples · shares rounded up"
    assert line in [caption.value for caption in fine(app).caption]


def test_measures_when_chosen_on_one_page_then_they_stay_on_the_next(app):
    app.sidebar.multiselect(key="measures").set_value(["P@10"]).run()
    app.switch_page("pages/runs/leaderboard.py").run()
    fine(app)
    assert app.sidebar.multiselect(key="measures").value == ["P@10"]
    assert "P@10" in app.dataframe[0].value
    assert "AP" not in app.dataframe[0].value


def test_table_when_picked_then_it_has_a_row_per_measure_and_rate(app):
    assert len(pick_view(app, "Table").dataframe[0].value) == 2 * 6


def test_table_when_shown_then_a_column_has_one_number_of_decimals_and_no_value_is_an_empty_cell():
    table = opened("pages/incompleteness/unjudged.py", {"measures": ["AP"]}).dataframe[0].proto
    formats = {
        name: column["type_config"]["format"]
        for name, column in json.loads(table.columns).items()
        if name != "_index"
    }
    assert [formats[name] for name in ("retrieved", "judged@100", "AP")] == [
        "%,.1f",
        "%,.4f",
        "%,.4f",
    ]
    assert table.HasField("placeholder")
    assert table.placeholder == ""


def test_method_when_picked_then_it_holds_formulas_and_sources(app):
    shown = texts(pick_view(app, "Method"))
    assert "isrel(r)" in shown
    assert "Sakai & Kando 2008" in shown


def test_download_when_picked_then_every_table_and_figure_can_be_taken(app):
    labels = [button.proto.label for button in pick_view(app, "Download").get("download_button")]
    assert labels == ["CSV", "LaTeX", "Markdown"] * 3 + ["HTML"] * 2


@pytest.mark.parametrize("measures", [["Q", *form.MEASURES], ["AP", "Q"]])
def test_measure_when_picked_of_few_or_many_then_it_is_a_list_that_takes_one_line(measures):
    app = fine(
        opened("pages/runs/reproduction.py", {"measures": measures, "reproduction.measure": "Q"})
    )
    assert app.selectbox(key="reproduction.measure").value == "Q"
    assert "Topics by Q" in [header.value for header in app.header]


def test_policy_when_a_profile_is_taken_then_its_decisions_hold_on_every_page(tiny):
    app = dashboard(dropped(tiny), measures=["AP"]).run()
    app.sidebar.selectbox(key="profile").set_value("trec_eval 10").run()
    fine(app)
    assert app.sidebar.selectbox(key="order").value == "double"
    assert app.sidebar.selectbox(key="average").value == "retrieved"
    app.switch_page("pages/runs/leaderboard.py").run()
    assert "policy: trec_eval 10" in texts(fine(app))
    app.sidebar.selectbox(key="order").set_value("rank").run()
    assert app.sidebar.selectbox(key="profile").value == "your own"


def test_selection_when_made_in_the_sidebar_then_it_acts_on_every_page(app):
    app.sidebar.number_input(key="top_runs").set_value(4).run()
    app.switch_page("pages/runs/leaderboard.py").run()
    assert len(fine(app).dataframe[0].value) == 4
    assert "4 of 30 runs" in texts(app)
    app.switch_page("pages/data/selection.py").run()
    assert (app.dataframe[0].value["why"] == "not among the best 4 by AP").sum() == 26


def test_finding_when_there_is_more_to_come_then_says_by_how_much_of_the_work(monkeypatch):
    curves = EXPERIMENTS["curves"]
    part, whole = (
        curves(read_once(*SAMPLE), ["AP"], curves.params(trials=trials)) for trials in (1, 10)
    )
    said = []
    for result in (part, whole):
        monkeypatch.setattr(jobs, "run", lambda *given, result=result, **more: result)
        said.append(texts(fine(dashboard(measures=["AP"]).run())))
    assert part.verdict().claim in said[0]
    assert ":small[Preliminary, 1 of 10 trials so far." in said[0]
    assert whole.verdict().claim in said[1]
    assert "so far" not in said[1]


def test_press_when_it_changes_nothing_then_goes_through_few_files_and_nothing_is_made_again(
    app, monkeypatch
):
    drawn: list[str] = []
    make = output.draw_figure
    monkeypatch.setattr(
        output, "draw_figure", lambda chart: drawn.append(chart.name) or make(chart)
    )
    fine(app.run())
    drawn.clear()
    files: set[str] = set()
    threading.setprofile(lambda frame, event, given: files.add(frame.f_code.co_filename))
    try:
        fine(app.run())
    finally:
        threading.setprofile(None)
    passed = {Path(file).name for file in files if file.startswith(str(ROOT / "irmeval"))}
    assert len(passed) <= FILES
    assert not passed & {"headlines.py", "line_charts.py"}
    assert drawn == []
    for widget, value in ((app.button_group(key="axes"), "zoom"), (app.toggle(key="larger"), True)):
        widget.set_value(value).run()
        assert drawn == ["mean", "tau"]
        drawn.clear()


@pytest.mark.parametrize(
    "page",
    [
        "data/check",
        "data/collection",
        "papers/paper",
        "runs/leaderboard",
        "runs/matrix",
        "runs/two-runs",
    ],
)
def test_press_when_it_changes_nothing_then_no_figure_of_a_page_is_drawn_anew(page, monkeypatch):
    app = fine(opened(f"pages/{page}.py", {"measures": ["AP", "Q'"]}))
    drawn: list[str] = []
    make = output.draw_figure
    monkeypatch.setattr(
        output, "draw_figure", lambda chart: drawn.append(chart.name) or make(chart)
    )
    assert app.get("plotly_chart")
    fine(app.run())
    assert drawn == []


@pytest.mark.parametrize("name", ["topics", "care"])
def test_charts_when_they_share_a_caption_then_it_stands_once(name):
    app = AppTest.from_string(
        "import streamlit as st\nfrom irmeval.ui.widgets import"
        " output\noutput.draw_charts(st.session_state.made.charts(), 'x')"
    )
    params = CURVES.params(trials=1, **ASKED[name] | {"watch": ("pairs",)})
    app.session_state["made"] = CURVES(read_once(*SAMPLE), ["AP", "Q'", "P@10"], params)
    captions = [first_sentence(chart.caption) for chart in app.session_state["made"].charts()]
    said = [caption.value.replace("\\", "") for caption in fine(app.run(timeout=60)).caption]
    assert [said.count(caption) for caption in {*captions}] == [1] * (len(captions) // 3)
    assert not any(caption in text for caption in captions for text in said if text not in captions)


@pytest.mark.parametrize("page", ["catalogue", "glossary", "report"])
def test_page_without_runs_when_drawn_then_the_sidebar_has_no_controls_for_runs(app, page):
    script = next(script for name, script in page_scripts().items() if name == page)
    assert "Runs in charts" in [box.label for box in app.sidebar.text_input]
    app.switch_page(str(script.relative_to(ROOT))).run()
    assert "Runs in charts" not in [box.label for box in fine(app).sidebar.text_input]


def test_verdict_when_it_has_a_sign_before_a_number_then_no_line_ends_between_them():
    app = fine(opened("pages/incompleteness/judgments-needed.py", {"measures": ["AP"]}))
    said = next(one.value for one in app.main.markdown if "interval of" in one.value)
    assert "±\u00a00." in said
    assert "± " not in said
