"""Pages on a collection whose judgments are a sample of its pool."""

from dataclasses import replace

import numpy as np
import pytest

from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import default_measures
from irmeval.reading.formats import FORMATS
from irmeval.scoring.score_table import ENDS
from irmeval.ui.pages import board
from irmeval.ui.state import server_files
from irmeval.ui.state.view import Loaded
from irmeval.ui.widgets import form
from tests.cases import SAMPLE, in_strata, read_once
from tests.dashboard import dataset_of, fine, opened, texts

FEW = {"measures": ["AP", "P@10"], "topics_only": "901-905", "random_runs": "4"}
TOLD = "Judgments are a sample"


@pytest.fixture
def sampled(monkeypatch):
    """Instead of the sample collection, one of which every second document was drawn,
    from two strata.
    """
    built = read_once(*SAMPLE)
    drawn = replace(
        built,
        grade=np.where(np.arange(built.grade.size) % 2, built.grade, -1).astype(built.grade.dtype),
    )
    made = in_strata(drawn, lambda document: str(ord(document[-1]) % 2))
    monkeypatch.setattr(server_files, "shared_collection", lambda policy: Loaded(made, "half"))
    return made


@pytest.mark.parametrize("page", ["runs/leaderboard", "measures/parameters"])
def test_page_when_judgments_are_a_sample_then_says_so_and_which_measures_are_off(sampled, page):
    shown = texts(fine(opened(f"pages/{page}.py", FEW)))
    assert shown.count(TOLD) == 2  # under the title and in the sidebar
    assert "AP may be far off" in shown
    assert "P@10 can only be too low" in shown


def test_page_when_only_estimators_are_picked_then_no_measure_is_said_to_be_off(sampled):
    shown = texts(fine(opened("pages/runs/leaderboard.py", {**FEW, "measures": ["xinfAP"]})))
    assert TOLD in shown
    assert "far off" not in shown


def test_leaderboard_when_judgments_are_a_sample_then_says_both_intervals_or_what_is_lacking(
    sampled,
):
    app = fine(
        opened(
            "pages/runs/leaderboard.py", {"measures": ["statAP", "AP"], "columns": [board.INTERVAL]}
        )
    )
    frame = app.dataframe[0].value
    assert [*frame] == ["run", "estimate", "over judgments", "over topics", "statAP"]
    ends = dict(
        zip(
            sampled.runs,
            EXPERIMENTS["leaderboard"](sampled, ["statAP"]).ends.of_measure(0).T,
            strict=True,
        )
    )
    for run, estimate, *spans in frame[
        ["run", "estimate", "over judgments", "over topics"]
    ].to_numpy():
        mean, low, high, least, most = ends[run]
        assert (estimate, *spans) == (
            mean,
            f"{low:.4f} to {high:.4f}",
            f"{least:.4f} to {most:.4f}",
        )
    assert (
        "over judgments, these topics, judged by another sample; over topics, other topics"
        in texts(app)
    )
    app.selectbox(key="leaderboard.in_detail").set_value("AP").run()
    assert [*fine(app).dataframe[0].value] == ["run", "interval", "AP"]
    assert "AP is not an estimator, so it ignores the effect of the sample" in texts(app)


def test_two_runs_when_judgments_are_a_sample_then_both_intervals_are_named_and_which_hold_rarely(
    sampled,
):
    app = fine(opened("pages/runs/two-runs.py", {**FEW, "measures": ["infP@10", "AP"]}))
    assert " over topics. Another sample " in texts(app)
    assert "of infP@10 in 79 of 100 cases" in texts(app)
    assert {*ENDS} < {*next(frame.value for frame in app.dataframe if "wins" in frame.value)}


@pytest.mark.parametrize(
    ("text", "could_be"),
    [
        (b"1 d1 1 0 1\n1 d2 0 0 1\n", "qrels with strata or prels"),
        (b"1 0 11 1 1\n1 0 12 1 1\n", "qrels with strata or qrels with probabilities"),
        (b"1 0 11 1\n", ""),
    ],
)
def test_upload_when_several_formats_fit_then_is_not_read_and_they_are_named(text, could_be):
    desk = dataset_of([("q.txt", text)])
    assert (desk.qrels is None) == bool(could_be)
    assert (
        " or ".join(FORMATS[key].title for file in desk.undecided.values() for key in file.keys)
        == could_be
    )


def test_picker_when_judgments_are_a_sample_then_estimators_come_first_and_are_picked(sampled):
    app = fine(opened("pages/data/collection.py", {"topics_only": "901-905"}))
    picker = app.sidebar.multiselect(key="measures")
    assert picker.value == [*default_measures(sampled.design)]
    assert picker.options[0] == form.ESTIMATING[0]
    assert {*form.ESTIMATING} <= {*picker.options}
    picker.set_value(["AP"]).run()
    assert fine(app).sidebar.multiselect(key="measures").value == ["AP"]


def test_picker_when_elsewhere_is_shown_then_what_was_not_changed_becomes_usual_there(
    sampled, monkeypatch
):
    app = fine(opened("pages/data/collection.py", {"topics_only": "901-905"}))
    monkeypatch.setattr(
        server_files,
        "shared_collection",
        lambda policy: Loaded(replace(sampled, design=None), "plain"),
    )
    assert fine(app.run()).sidebar.multiselect(key="measures").value == [*form.MEASURES]
    assert {*form.OFFERED} <= {*app.sidebar.multiselect(key="measures").options}
    weighted = replace(sampled.design, weight=np.ones(sampled.grade.size))
    monkeypatch.setattr(
        server_files,
        "shared_collection",
        lambda policy: Loaded(replace(sampled, design=weighted), "weighted"),
    )
    picker = fine(app.run()).sidebar.multiselect(key="measures")
    assert picker.value == ["statAP", "statNDCG@10", "statP@10", "AP", "nDCG@10", "P@10", "RR"]
    assert not {"xinfAP", "infNDCG", "infP@10"} & {*picker.options}
    picker.set_value(["AP"]).run()
    monkeypatch.setattr(server_files, "shared_collection", lambda policy: Loaded(sampled, "half"))
    assert fine(app.run()).sidebar.multiselect(key="measures").value == ["AP"]


def test_page_when_judgments_are_all_there_or_not_needed_then_says_nothing_of_a_sample(request):
    assert TOLD not in texts(fine(opened("pages/runs/leaderboard.py", FEW)))
    request.getfixturevalue("sampled")
    assert texts(fine(opened("pages/learn/catalogue.py"))).count(TOLD) <= 1  # in the sidebar alone


def test_collection_when_judgments_are_a_sample_then_shows_its_strata(sampled):
    app = fine(opened("pages/data/collection.py", FEW))
    assert "Strata of the sample" in texts(app)
    tables = [frame.value for frame in app.dataframe if "stratum" in frame.value]
    assert len(tables) == 1
    assert tables[0]["drawn"].sum() < tables[0]["pooled"].sum()


def test_estimates_when_judgments_are_a_sample_then_the_page_begins_with_what_that_sample_gives(
    sampled,
):
    app = fine(opened("pages/incompleteness/estimates.py", FEW))
    assert not app.error
    assert "xinfAP of" in texts(app)
    assert "is estimated at" in texts(app)
    app.selectbox(key="estimates.measure").set_value("statP@10").run()
    assert "statP@10 of 4 runs" in texts(fine(app))
