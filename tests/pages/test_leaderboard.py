"""The leaderboard's intervals and tests against plain loops, and its page.

The tests of the dashboard; the others are in
`tests/unit/experiments/test_leaderboard.py`.
"""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1.element_tree import Element

from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.runs.leaderboard import BASELINE
from irmeval.ui.pages import board
from irmeval.ui.state import cache, server_files
from irmeval.ui.state.view import Loaded
from irmeval.ui.widgets import jobs
from tests.cases import SAMPLE, collection, read_once
from tests.dashboard import fine, opened, texts

PAGE = "pages/runs/leaderboard.py"


def test_page_when_opened_then_rank_and_interval_come_before_the_measures_with_their_marks():
    app = fine(opened(PAGE, {"measures": ["AP", "P@5"], "baseline": "lumen"}))
    frame = app.dataframe[0].value
    marks = [f"AP {board.AGAINST}", f"P@5 {board.AGAINST}"]
    assert [*frame] == ["rank", "run", "interval", "AP", marks[0], "P@5", marks[1]]
    row = frame.set_index("run").loc["lumen"]
    assert [row[name] for name in marks] == [board.BASE] * 2
    found = EXPERIMENTS["leaderboard"](read_once(*SAMPLE), ["AP", "P@5"], baseline="lumen")
    texts_of = [board.BASE if mark == BASELINE else mark for mark in found.marks[1]]
    assert frame[marks[1]].tolist() == [texts_of[run] for run in found.order("AP")]
    assert f"Against lumen ({board.BASE}): {found.explain_marks()}" in texts(app)


def test_page_when_columns_are_picked_then_the_table_has_them():
    asked = {"measures": ["AP", "P@5"], "baseline": "lumen", "columns": [*board.OFFERED]}
    app, c = fine(opened(PAGE, asked)), read_once(*SAMPLE)
    frame = app.dataframe[0].value
    rest = ["difference", "p alone", "p at once", "group", "mean rank", "Borda", "topics"]
    assert [*frame][7:] == [*rest, "over rates"]
    row = frame.set_index("run").loc["lumen"]
    assert np.isnan(row["difference"])  # a baseline is not compared with itself
    means = EXPERIMENTS["curves"](c, ["AP"]).means[0, 0].mean(axis=1)
    assert [*row["over rates"]] == means[:, c.runs.index("lumen")].tolist()
    app.pills(key="leaderboard.columns").set_value([board.OTHERS]).run()
    assert [*fine(app).dataframe[0].value] == ["run", "AP", "P@5"]


def test_page_when_a_measure_is_put_in_detail_then_it_is_first_and_its_best_run_the_baseline():
    app = fine(opened(PAGE, {"measures": ["AP", "P@5"]}))
    app.selectbox(key="leaderboard.in_detail").set_value("P@5").run()
    found = EXPERIMENTS["leaderboard"](read_once(*SAMPLE), ["AP", "P@5"]).in_detail("P@5")
    frame = fine(app).dataframe[0].value
    assert [*frame][3:6:2] == ["P@5", "AP"]
    assert frame["P@5"].is_monotonic_decreasing
    assert frame["run"][0] == found.baseline
    assert frame[f"P@5 {board.AGAINST}"].tolist()[0] == board.BASE
    assert found.verdict("P@5").claim in texts(app)


def test_page_when_more_is_left_than_a_rate_asks_for_then_a_column_over_rates_tells_what_is_left():
    app = opened("pages/incompleteness/curves.py", {"measures": ["AP"]})
    app.multiselect(key="curves.levels").set_value(["100", "1"]).run()
    app.switch_page(PAGE).run()
    app.pills(key="leaderboard.columns").set_value([board.OVER]).run()
    columns = json.loads(fine(app).dataframe[0].proto.columns)
    left = EXPERIMENTS["curves"](read_once(*SAMPLE), ["AP"], levels=(100, 1)).realised[-1]
    assert not left.as_asked
    assert (
        f"Its mean on 100% to {left.amount}{left.beside} of the judgments"
        in columns["over rates"]["help"]
    )


def test_table_when_there_are_many_measures_then_each_column_has_room_for_its_label():
    measures = ["nDCG@10", "nDCG@100", "RBP(p=0.95)", "AP", "RR", "P@5", "nDCG(base=2)@1000"]
    columns = json.loads(fine(opened(PAGE, {"measures": measures})).dataframe[0].proto.columns)
    # in the browser, and 16 beside it
    at_least = {
        "nDCG@10": 74,
        "nDCG@100": 81,
        "RBP(p=0.95)": 88,
        "AP": 60,
        "nDCG(base=2)@1000": 138,
    }
    assert {
        name: columns[name]["width"] >= width for name, width in at_least.items()
    } == dict.fromkeys(at_least, True)
    assert columns[measures[0]]["width"] == board.BAR


def test_page_when_holes_are_not_judged_yet_then_it_has_the_table_without_them(monkeypatch):
    run = jobs.run
    monkeypatch.setattr(
        jobs,
        "run",
        lambda title, *given, **more: (
            None if title == board.WITH_HOLES else run(title, *given, **more)
        ),
    )
    table = fine(opened(PAGE, {"measures": ["AP"], "holes": "true"})).dataframe[0].value
    assert len(table) == 30
    assert board.HOLES not in table


def test_page_when_holes_take_long_then_they_are_called_optional_below_the_finished_table(
    monkeypatch,
):
    monkeypatch.setattr(jobs, "PILOT_SECONDS", -1.0)
    monkeypatch.setattr(jobs, "LONG_SECONDS", 0.0)
    empty = cache.Cache()
    monkeypatch.setattr(cache, "store", lambda: empty)
    app = fine(opened(PAGE, {"measures": ["AP"], "holes": "true", "columns": [board.RANKS]}))
    while asked := [b for b in app.button if b.key == "resume-Leaderboard"]:
        fine(asked[0].click().run())
    assert len(app.dataframe[0].value) == 30
    told = r"Optional: intervals with unjudged documents judged, about \d+ s\."
    drawn = [*app.main]
    asked = next(place for place, each in enumerate(drawn) if re.search(told, said_by(each)))
    assert drawn.index(app.dataframe[0]) < asked


EIGHT = ["AP", "AP'", "nDCG'", "RBP(p=0.95)", "nDCG@10", "P@10", "RR", "Q"]


@pytest.mark.parametrize("many", [4, 5, len(EIGHT)])
def test_page_when_measures_are_many_then_all_fit_into_a_window_of_1280_pixels(many):
    app = fine(opened(PAGE, {"measures": EIGHT[:many], "holes": "true"}))
    frame, columns = app.dataframe[0].value, json.loads(app.dataframe[0].proto.columns)
    drawn = [board.Column(name, frame[name].tolist(), columns.get(name)) for name in frame]
    assert {*EIGHT[:many]} <= {*frame}
    assert sum(column.width for column in drawn) <= board.ROOM
    assert sum(column.width for column in drawn if column.name != board.HOLES) <= board.NARROW
    assert {board.INTERVAL, board.HOLES} <= {*frame} or many > board.CROWDED
    if many > board.CROWDED:
        found = EXPERIMENTS["leaderboard"](read_once(*SAMPLE), EIGHT[:many])
        marks = found.marks[1, found.order("AP")][1:]
        assert [cell.split()[-1] for cell in frame["AP'"][1:]] == marks.tolist()


def test_page_when_a_measure_is_added_then_runs_are_ranked_by_it():
    app = fine(opened(PAGE, {"measures": ["AP", "RR"]}))
    assert app.selectbox(key="leaderboard.in_detail").value == "AP"
    app.multiselect(key="measures").set_value(["AP", "RR", "nDCG@10"]).run()
    assert fine(app).selectbox(key="leaderboard.in_detail").value == "nDCG@10"
    means = app.dataframe[0].value["nDCG@10"].tolist()
    assert means == sorted(means, reverse=True)
    app.selectbox(key="leaderboard.in_detail").set_value("RR").run()
    assert fine(app).selectbox(key="leaderboard.in_detail").value == "RR"
    app.multiselect(key="measures").set_value(["AP", "RR"]).run()
    assert fine(app).selectbox(key="leaderboard.in_detail").value == "RR"


def said_by(element: Element) -> str:
    """The text of an element that is drawn; empty for one that has none."""
    return str(getattr(element, "value", "")) if element.type == "info" else ""


def test_page_when_the_curves_are_known_then_their_scores_are_not_computed_again(monkeypatch):
    cache.store().clear()
    fine(opened("pages/incompleteness/curves.py", {"measures": ["AP"]}))
    monkeypatch.setattr(
        "irmeval.experiments.sweep.evaluate_samples", lambda *_: pytest.fail("computed again")
    )
    app = fine(opened(PAGE, {"measures": ["AP"], "columns": [board.OVER]}))
    assert "over rates" in app.dataframe[0].value


def test_page_when_all_rows_are_asked_for_then_ranks_are_explained_and_the_table_is_whole():
    app = fine(opened(PAGE, {"measures": ["AP"], "columns": [board.RANKS], "all_rows": "true"}))
    assert [*app.dataframe[0].value] == ["rank", "run", "AP"]
    assert app.toggle(key="leaderboard.all_rows").value
    assert board.CLICK in texts(app)
    said = texts(fine(opened(PAGE, {"measures": ["AP"], "view": "Method"})))
    assert "Rank: from and to which place, with all pairs tested together." in said


def test_page_when_a_run_lacks_topics_then_says_so_under_the_title(monkeypatch):
    made = collection(
        {t: {"a": 1, "b": 0} for t in "123456"},
        {"full": dict.fromkeys("123456", "ab"), "miss": dict.fromkeys("123", "ab")},
    )
    monkeypatch.setattr(server_files, "shared_collection", lambda policy: Loaded(made, "six"))
    assert (
        texts(fine(opened(PAGE, {"measures": ["AP"]}))).count(
            "miss lacks 3 of 6 topics, scored 0 there."
        )
        == 1
    )
