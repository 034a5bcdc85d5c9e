"""The pages under Matrix, and Decisions, in memory; what they say where only a
score matrix is loaded.
"""

import json

import numpy as np
import pandas as pd
import pytest
from plotly.io import from_json
from streamlit.testing.v1 import AppTest

from irmeval.collection import shards as reading
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.matrix import Params, matrix
from irmeval.experiments.runs.pair import table_by_measure
from irmeval.reading.policy import Policy
from irmeval.scoring.selection import Selection, select
from irmeval.ui.state import cache
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets.form import MEASURES
from tests import dashboard
from tests.dashboard import LESS, dataset_of, fine, pick_view, refused, texts

MATRIX, POWER, DECISIONS = (
    "pages/runs/matrix.py",
    "pages/runs/power.py",
    "pages/incompleteness/curves.py",
)
TWO = "pages/runs/two-runs.py"
FEW = ["AP", "Q'", "Bpref"]
SCORES = "topic,good,fair,poor\n" + "".join(
    f"{t},{0.5 + t / 50},{0.4 + t / 60},{0.1 + t / 90}\n" for t in range(1, 21)
)


def opened(page: str, desk: Dataset | None = None, **query: str | list[str]) -> AppTest:
    """A page under an address with these parameters, for a visitor with these files."""
    return fine(dashboard.opened(page, query, **({"desk": desk} if desk else {})))


@pytest.fixture
def dropped() -> Dataset:
    """A visitor who dropped a score matrix."""
    desk = dataset_of([("scores.csv", SCORES.encode())])
    assert not refused(desk)
    return desk


def test_test_when_set_on_one_page_then_others_keep_the_default_and_all_name_what_is_in_force():
    app = opened(POWER, test="sign", measures=["AP", "P@10"])
    assert "sign test" in texts(app)
    for page in (MATRIX, TWO, "pages/runs/leaderboard.py"):
        said = texts(fine(app.switch_page(page).run()))
        assert "sign test" not in said
        assert "435 pairs" in said
    # the page has kept its own
    assert "sign test" in texts(fine(app.switch_page(POWER).run()))


def test_settings_when_a_baseline_is_named_or_not_then_the_line_says_what_is_in_force():
    of = {
        baseline: [
            caption.value
            for caption in opened("pages/runs/leaderboard.py", baseline=baseline).caption
        ]
        for baseline in ("", "krill")
    }
    assert any(line.startswith("against the best · paired bootstrap") for line in of[""])
    assert any(line.startswith("against krill · paired bootstrap") for line in of["krill"])


def test_matrix_when_opened_then_sentence_and_pair_are_those_of_the_package(sample):
    app, result = opened(MATRIX), matrix(sample, ["AP"])
    best, second = (sample.runs[r] for r in result.order("AP")[:2])
    assert result.verdict().claim in texts(app)
    assert (app.selectbox(key="matrix.run_a").value, app.selectbox(key="matrix.run_b").value) == (
        best,
        second,
    )
    assert result.pair("AP", best, second).verdict().beside in texts(app)
    assert len(app.get("plotly_chart")) == 3


@pytest.mark.parametrize("page", [MATRIX, TWO])
def test_charts_when_points_can_be_picked_then_they_say_so_themselves_and_are_not_drawn_once_more(
    page,
):
    """Streamlit adds what is missing once a chart is drawn, and draws it again."""
    app = opened(page)
    layouts = [
        json.loads(chart.proto.spec)["layout"]
        for chart in app.get("plotly_chart")
        if chart.proto.selection_mode
    ]
    assert layouts
    for layout in layouts:
        assert (layout["dragmode"], layout["clickmode"]) == ("pan", "event+select")
        assert layout["hovermode"]


def test_matrix_when_the_measure_changes_then_that_one_is_tested_and_nothing_is_done_twice(
    monkeypatch,
):
    done = []
    test, read = Params.compare, reading.read_collection
    app = opened(MATRIX, top_runs="5")
    monkeypatch.setattr(
        Params,
        "compare",
        lambda params, scores, **how: done.append(len(scores)) or test(params, scores, **how),
    )
    # which no other test has asked for
    fine(app.number_input(key="matrix.seed").set_value(97).run())
    monkeypatch.setattr(
        reading,
        "read_collection",
        lambda *files, **more: done.append(files) or read(*files, **more),
    )
    for measure in ("nDCG'", "AP", "AP'", "nDCG'"):
        fine(app.selectbox(key="matrix.measure").set_value(measure).run())
    assert len(done) == 4  # AP, AP', nDCG' and RBP


def test_matrix_when_runs_are_narrowed_down_then_it_says_how_many_are_shown():
    app = opened(MATRIX)
    assert "of 30 runs are shown" not in texts(fine(app))
    app.text_input(key="matrix.only").set_value("birch, lumen").run()
    assert "5 of 30 runs are shown" in texts(fine(app))
    app.text_input(key="matrix.only").set_value("nobody").run()
    assert "Fewer than two names contain this text" in texts(fine(app))


def test_matrix_when_the_same_run_is_picked_twice_then_it_asks_for_another():
    app = opened(MATRIX, run_a="krill", run_b="krill")
    assert "Pick two different runs" in texts(app)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_line_of_settings_when_the_test_draws_no_samples_then_omits_them_and_power_says_what_does(
    test,
):
    opened_at = {
        page: texts(opened(page, measures="AP", test=test, samples="50", view="Method"))
        for page in (MATRIX, POWER)
    }
    plain = texts(opened(MATRIX, measures="AP", test=test))
    assert ("1000 samples" in plain) == (test == "bootstrap")
    assert all("50 samples" in shown for shown in opened_at.values())  # said where they are set
    assert "estimated by the bootstrap (50 samples, seed 1)" in opened_at[POWER]


def test_matrix_when_a_view_is_picked_then_it_shows_without_error():
    app = opened(MATRIX, top_runs="5", measures="AP")
    for view in ("Table", "Topics", "Method", "Download"):
        pick_view(app, view)


def test_two_runs_when_opened_then_each_measure_says_which_is_better(sample):
    app = opened(TWO, run_a="krill", run_b="lumen", measure="nDCG'")
    result = matrix(sample, MEASURES)
    pairs = [result.pair(name, "krill", "lumen") for name in MEASURES]
    pd.testing.assert_frame_equal(
        app.dataframe[-1].value, table_by_measure(pairs), check_dtype=False
    )
    assert pairs[MEASURES.index("nDCG'")].verdict().claim in texts(app)
    fine(app.button(key="report-two-runs").click().run())
    kept = app.session_state["visitor"].report["items"][0]
    assert (kept["recipe"]["experiment"], kept["recipe"]["params"]["pair"]) == (
        "two-runs",
        "krill,lumen",
    )
    assert kept["finding"].startswith(pairs[0].verdict().claim)
    app.selectbox(key="two-runs.run_b").set_value("krill").run()
    assert "Pick two different runs" in texts(fine(app))


def test_two_runs_when_a_matrix_is_loaded_then_its_runs_are_compared():
    desk = dataset_of([("m.csv", SCORES.encode())])
    app = opened(TWO, desk)
    assert app.dataframe[0].value["difference"].tolist() == pytest.approx([0.135])
    found = EXPERIMENTS["two-runs"](desk.matrix)
    assert found.verdict().claim in texts(app)
    assert "paired bootstrap" in texts(app)  # in the line of settings


def with_new_run(holes: int) -> list[tuple[str, bytes]]:
    """Files of 8 teams with 3 judged documents of their own on each of 6 topics, and of
    a run with so many unjudged ones.
    """
    teams, topics = "abcdefgh", range(6)
    qrels = "".join(
        f"{t} 0 {team}{i} {(i + t + ord(team)) % 3}\n"
        for t in topics
        for team in teams
        for i in range(3)
    )
    lists = {team: [f"{team}{i}" for i in range(3)] for team in teams} | {
        "new": [*(f"u{i}" for i in range(holes)), "a0", "b1", "c2"]
    }
    runs = {
        run: "".join(f"{t} Q0 {d} 1 {-i} {run}\n" for t in topics for i, d in enumerate(lists[run]))
        for run in lists
    }
    return [("qrels.txt", qrels.encode()), *((run, text.encode()) for run, text in runs.items())]


@pytest.mark.parametrize("holes", [2, 0])
def test_two_runs_when_one_has_holes_then_says_whether_the_sign_is_safe_if_they_were_judged(holes):
    desk = dataset_of(with_new_run(holes))
    app = opened(TWO, desk, measures=["nDCG@3"], run_a="new", run_b="a")
    headers = [header.value for header in app.header]
    assert ("Would it hold if unjudged documents were judged?" in headers) == bool(holes)
    if holes:
        found = EXPERIMENTS["what-if"](desk.collection(Policy()), ["nDCG@3"], pair="new,a")
        assert found.verdict("nDCG@3").claim in texts(app)


def test_power_when_opened_then_sentence_and_table_are_those_of_the_package(sample):
    app = opened(POWER, measures=FEW)
    chosen = app.sidebar.multiselect(key="measures").value
    found = EXPERIMENTS["power"](sample, chosen)
    assert found.verdict().claim in texts(app)
    table = pick_view(app, "Table").dataframe[-1].value
    assert table.equals(found.frame())


def test_decisions_when_watched_then_sentence_and_curves_are_those_of_the_package(sample):
    app = opened(DECISIONS, watch="the decisions on pairs", trials="2", samples="50", top_runs="10")
    chosen = [*MEASURES]
    ten = select(sample, Selection(top_runs=10)).collection
    asked = {"watch": ("decisions",), "trials": 2, "samples": 50}
    expected = EXPERIMENTS["curves"](ten, chosen, **asked, store=cache.store())
    assert expected.verdict().claim in texts(app)
    drawn = {
        chart.proto.id.rpartition("-curves-")[2]: from_json(chart.proto.spec)
        for chart in app.get("plotly_chart")
    }
    lines = {trace.name: trace for trace in drawn["accuracy"].data}
    for measure, curve in zip(map(str, expected.measures), expected.curve("accuracy"), strict=True):
        assert [*lines[measure].y] == pytest.approx([*curve[0]])


def test_sidebar_when_a_score_matrix_is_shown_then_says_of_which_collection_and_names_no_second(
    dropped,
):
    def shown(desk: Dataset) -> str:
        beside = opened(MATRIX, desk).sidebar
        return " ".join(element.value for element in [*beside.markdown, *beside.caption])

    assert "**scores** (score matrix)" in shown(dropped)
    dropped.name = "My scores"
    assert "Score matrix **scores** of **My scores**" in shown(dropped)
    dropped.add([("judged.qrels", b"1 0 a 1\n2 0 a 1\n"), ("run", b"1 Q0 a 1 1 x\n2 Q0 a 1 1 x\n")])
    assert "3 runs · 20 topics · no judgments · the judgments and runs are set aside" in shown(
        dropped
    )


def test_matrix_file_when_dropped_then_it_is_what_is_tested(dropped):
    app = opened(MATRIX, dropped)
    assert matrix(dropped.matrix).verdict().claim in texts(app).replace("\\", "")
    assert "3 runs · 20 topics · no judgments" in texts(app)
    assert "matrix.measure" not in [box.key for box in app.selectbox]
    fine(app.switch_page(POWER).run())
    assert list(app.dataframe[0].value["measure"]) == ["scores"]
    board = fine(app.switch_page("pages/runs/leaderboard.py").run()).dataframe[0].value
    assert [*board["run"]] == ["good", "fair", "poor"]
    assert {"scores", "rank", "interval"} <= {*board}
    assert "over rates" not in board
    assert "leaderboard.holes" not in [toggle.key for toggle in app.toggle]
    fine(app.switch_page("pages/data/collection.py").run())
    assert list(app.dataframe[0].value["run"]) == ["good", "fair", "poor"]


@pytest.mark.parametrize("page", ["pages/incompleteness/curves.py", "pages/data/selection.py"])
def test_page_when_it_needs_judgments_and_there_is_a_matrix_then_it_says_so_and_a_button_mends_it(
    dropped, page
):
    app = opened(page, dropped, **LESS)
    assert "is a score matrix: it has scores, but no judgments" in texts(app)
    shown = (
        "Leaderboard · Two runs · Matrix · Power · Topics · Stability · Swap · Variance · Topics"
        " needed · Audit."
    )
    assert f"These pages support it: {shown}" in texts(app)
    assert app.title[0].value.endswith("?")
    assert not app.get("plotly_chart")
    assert "measures" not in [picker.key for picker in app.multiselect]
    next(b for b in app.button if "Close the matrix" in b.label).click()
    assert "Sample collection" in texts(fine(app.run()))
    assert "score matrix:" not in texts(app)
    assert list(app.multiselect(key="measures").value) == list(MEASURES)


def test_desk_when_a_matrix_is_at_fault_then_it_is_refused_and_nothing_else_changes():
    desk = dataset_of([("scores.csv", b"a,b\n1,2\n3,nan\n")])
    assert desk.matrix is None
    assert refused(desk) == [
        "scores.csv, line 3: expected a finite number as score of b, found 'nan'. Score the topic"
        " for every run, or leave it out."
    ]
    desk.add([("scores", SCORES.encode())])
    assert desk.matrix is not None
    assert desk.matrix.runs == ("fair", "good", "poor")
    assert np.isfinite(desk.matrix.values).all()
