"""Other judges in the dashboard: they stay with the collection, and evaluate it when
chosen.
"""

import pytest

import irmeval
from irmeval.reading.parsing import settled_qrels
from irmeval.reading.policy import DEFAULT
from irmeval.ui.state import visitors
from irmeval.ui.state.dataset import Dataset
from tests.conftest import TINY_QRELS, TINY_RUNS, run_lines
from tests.dashboard import dashboard, dataset_of, fine, opened, texts

FILES = [
    ("qrels", TINY_QRELS.encode()),
    *((name, run_lines(name, lists).encode()) for name, lists in TINY_RUNS.items()),
]
MODEL = (
    "model.txt",
    "".join(
        f"{t} 0 {d} {1 if g == '0' else 0}\n"
        for t, _, d, g in map(str.split, TINY_QRELS.splitlines())
    ).encode(),
)
COLLECTION, BOARD, DOCUMENTS = (
    "pages/data/collection.py",
    "pages/runs/leaderboard.py",
    "pages/planning/judges.py",
)


SIMULATED = {"other": "Simulated"}
LESS = {"systems_samples": "50", "systems_mixtures": "40", "holes_trials": "2"}
"""In an address: less work than by default."""


def with_model() -> Dataset:
    desk = dataset_of(FILES)
    assert desk.add_judges([MODEL]) == []
    return desk


def test_qrels_when_dropped_for_another_judge_then_stay_with_the_collection_and_evaluate_if_chosen(
    nobody_here,
):
    app = fine(opened(COLLECTION, cookie="c" * 32, measures=["AP"]))
    drop = next(each for each in app.file_uploader if each.label.startswith("Drop qrels"))
    drop.set_value([(name, data, "text/plain") for name, data in FILES]).run()
    assert not [box for box in app.sidebar.selectbox if box.key == "judged_by"]
    drop = next(each for each in app.file_uploader if "other judges" in each.label)
    drop.set_value([(*MODEL, "text/plain"), ("bad.txt", b"1 0 a one\n", "text/plain")]).run()
    assert "bad.txt, line 1" in app.error[0].value
    assert app.sidebar.selectbox(key="judged_by").options == ["qrels", "model"]
    app.sidebar.selectbox(key="judged_by").set_value("model").run()
    assert "By the judgments of model; others: qrels" in texts(app)
    visitors._here = {}  # a server that was started anew
    again = fine(opened(BOARD, cookie="c" * 32))
    assert again.sidebar.selectbox(key="judged_by").value == "model"
    assert "By the judgments of model; others: qrels" in texts(again)


def test_collection_when_seen_by_a_judge_of_the_address_then_scores_are_theirs():
    app = fine(opened(BOARD, {"judged_by": "model"}, desk=with_model(), measures=["AP"]))
    shown = app.dataframe[0].value
    own = with_model().collection(DEFAULT)
    theirs = irmeval.evaluate(
        own.with_judgments("model", settled_qrels(*MODEL)).judged_by("model"), ["AP"]
    )
    assert dict(zip(shown["run"], shown["AP"], strict=True)) == pytest.approx(
        dict(zip(theirs.runs, theirs.means[0], strict=True))
    )
    assert list(theirs.means[0]) != pytest.approx(list(irmeval.evaluate(own, ["AP"]).means[0]))
    other = dashboard(with_model())
    other.query_params["judged_by"] = "nobody"
    other.run()
    assert any("there is no 'nobody'" in warning.value for warning in other.warning)


@pytest.mark.parametrize("page", ["judges", "systems", "holes", "audit"])
def test_page_when_there_is_one_judge_then_asks_for_a_second_and_invents_none(page):
    app = fine(opened(f"pages/planning/{page}.py", LESS, desk=dataset_of(FILES), measures=["AP"]))
    assert "Only one judge is loaded." in texts(app)
    assert any("other judges" in uploader.label for uploader in app.main.file_uploader)
    assert not app.get("plotly_chart")
    assert "simulated)" not in texts(app)
    app.button(key="try_simulated").click().run()
    assert "lenient (simulated)" in texts(fine(app))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("systems", "qrels and lenient (simulated) order 3 runs"),
        ("holes", "filled by lenient (simulated)"),
    ],
)
def test_page_when_there_is_no_other_judge_then_works_with_one_who_does_not_exist_and_says_so(
    page, said
):
    desk = dataset_of(FILES)
    app = fine(
        opened(f"pages/planning/{page}.py", LESS | SIMULATED, desk=desk, measures=["AP", "nDCG"])
    )
    assert said in texts(app)
    assert "**lenient** is simulated: its grades are drawn from those of qrels." in texts(app)
    app.toggle(key=f"{page}.{page}_compare").set_value(True).run()
    assert "B has seed 2 instead of 1." in texts(fine(app))
    app.toggle(key=f"{page}.{page}_compare").set_value(False).run()
    app.selectbox(key=f"{page}.measure").set_value("nDCG").run()
    fine(app)


def test_page_when_another_judge_is_compared_with_the_first_then_sentences_and_charts_are_of_it():
    desk = with_model()
    assert desk.add_judges([("third.txt", TINY_QRELS.encode())]) == []
    app = fine(
        opened(
            DOCUMENTS,
            LESS | {"judge": "third", "judges_compare": "true"},
            desk=desk,
            measures=["AP"],
        )
    )
    for label in "AB":
        assert f"**{label}** qrels and third give the same grade to " in texts(app)
        assert {f"{label}: {of} of qrels and third" for of in ("Agreement", "Grades")} <= {
            header.value for header in app.header
        }


@pytest.mark.parametrize(
    ("page", "said"), [("systems", "qrels and third order 3 runs"), ("holes", "filled by third")]
)
def test_page_when_two_other_judges_were_dropped_then_one_is_chosen(page, said):
    desk = with_model()
    assert desk.add_judges([("third.txt", TINY_QRELS.encode())]) == []
    app = fine(opened(f"pages/planning/{page}.py", LESS, desk=desk, measures=["AP"]))
    assert app.selectbox(key=f"{page}.{page}_other").options == ["model", "third"]
    app.selectbox(key=f"{page}.{page}_other").set_value("third").run()
    assert said in texts(fine(app))


def test_judge_when_biased_then_the_page_says_what_is_expected_and_commands_with_runs_make_it():
    app = fine(opened(DOCUMENTS, SIMULATED | {"biased": "aurora"}, measures=["AP"]))
    assert app.selectbox(key="biased").value == "aurora"
    shown = next(frame.value for frame in app.dataframe if "expected" in frame.value).set_index(
        "statistic"
    )
    assert 0.9 < shown["expected"]["Same grade"] < 1
    assert (shown["expected"] - shown["observed"]).abs().max() < 0.02
    app.button_group(key="judges.view").set_value("Method").run()
    assert "--other 'lenient on aurora=OTHER'" in app.code[0].value
    assert "OTHER is the file of *Save these judgments*" in texts(app)
    biased = SIMULATED | {"biased": "aurora"}
    app = fine(opened("pages/planning/systems.py", LESS | biased, measures=["AP"]))
    app.button_group(key="systems.view").set_value("Method").run()
    assert (
        "--other 'lenient on aurora=simulated:lenient,0.3,1,aurora1,aurora"
        in fine(app).code[0].value
    )
