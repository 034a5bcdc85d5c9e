"""Judgments without runs: a collection of their own, on which judges are compared; what
is unfinished says so, and is no other's.

The tests of the dashboard; the others are in
`tests/unit/collection/test_judgments_alone.py`.
"""

import pytest

import irmeval
from irmeval.cli import main
from irmeval.core.folders import PAGES, page_scripts
from irmeval.reading.policy import DEFAULT
from irmeval.ui.state import visitors
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.visitor import Visitor
from irmeval.ui.widgets import menu
from tests.conftest import TINY_QRELS
from tests.dashboard import dashboard, dataset_of, fine, links, texts
from tests.unit.collection.test_judgments_alone import (
    HUMAN,
    JUDGED,
    MODEL,
    ROWS,
    RUNS,
    THIRD,
)

ELSEWHERE = ("elsewhere.txt", TINY_QRELS.replace(" 0 ", " 0 other-").encode())
COLLECTION, DOCUMENTS, BOARD = (
    "pages/data/collection.py",
    "pages/planning/judges.py",
    "pages/runs/leaderboard.py",
)
COOKIE = "c" * 32


def drop(app, *files, judges=False):
    """Drop files where collections are dropped, or where other judges are."""
    if judges and not any("other judges" in one.label for one in app.file_uploader):
        app.button_group(key="other").set_value("files").run()
    drop = next(
        one
        for one in app.file_uploader
        if one.label.startswith("Drop") and ("other judges" in one.label) == judges
    )
    drop.set_value([(*file, "text/plain") for file in files]).run()
    return fine(app.run())


def visit(page, **state):
    return fine(dashboard(**{"cookie": COOKIE, "measures": ["AP"]} | state).switch_page(page).run())


def record(app):
    """What the sidebar says is loaded."""
    return " ".join(one.value for one in [*app.sidebar.markdown, *app.sidebar.caption])


# ---------------------------------------------------------------- in the dashboard


def test_qrels_when_dropped_alone_then_are_a_collection_named_counted_and_there_again(nobody_here):
    app = drop(visit(COLLECTION), HUMAN)
    assert "Judgments for 4 topics loaded. Add runs to score them." in texts(app)
    assert [header.value for header in app.header] == [
        "Your upload: human",
        "Judgments of each topic",
    ]
    assert [metric.label for metric in app.metric] == ["Topics", "Judged", "Relevant"]
    assert "grade 3" in list(app.dataframe[0].value["documents"])
    assert "Your upload: human" in record(app)
    assert f"no runs · 4 topics · {JUDGED} judgments" in record(app)
    address = app.query_params["data"]
    visitors._here = {}  # a server that was started anew
    again = visit(COLLECTION)
    assert again.query_params["data"] == address
    assert "Your upload: human" in record(again)
    drop(again, *RUNS)
    assert "3 runs · 4 topics" in record(again)
    assert len(visit(BOARD).dataframe[0].value) == 3


@pytest.mark.parametrize(
    ("files", "said"),
    [([HUMAN], "Judgments for 4 topics loaded."), (RUNS, "3 runs loaded. Add the qrels file")],
)
def test_page_when_something_is_missing_then_says_so_and_shows_nothing_else_under_that_name(
    files, said
):
    desk, shown = Dataset(), 0
    desk.add(files)
    app = fine(dashboard(desk, measures=["AP"]).run())
    for name, script in page_scripts().items():
        if script.parent.name == "papers" and name == "paper":
            continue  # has no address of its own
        fine(app.switch_page(str(script.relative_to(PAGES.parent))).run())
        assert "Sample collection" not in record(app), name
        if name in menu.WITHOUT_DATA:
            continue
        shown += 1
        if name == "collection" or (files == [HUMAN] and name in menu.WITHOUT_RUNS):
            assert ("Your upload: human" in record(app)) == (files == [HUMAN])
        else:
            assert said in app.info[0].value, name
            assert len(app.title) == 1
            assert not app.get("plotly_chart")
            assert links(app)[0].label == (
                "Add runs" if files == [HUMAN] else "Add what is missing"
            ), name
    assert shown > 20


def test_run_when_qrels_are_alone_then_can_be_checked_against_them():
    desk = dataset_of([HUMAN])
    app = fine(dashboard(desk, measures=["AP"]).switch_page("pages/data/check.py").run())
    assert "Drop a run" in app.info[0].value
    app.file_uploader[0].set_value((*RUNS[0], "text/plain")).run()
    assert "example (dropped): no error" in texts(fine(app))


def test_judges_when_dropped_together_then_the_first_is_said_and_another_comes_first_in_one_step(
    nobody_here,
):
    app = drop(visit(COLLECTION), HUMAN, MODEL, THIRD)
    assert "third, model: compared with human, which is first." in texts(app)
    assert app.sidebar.selectbox(key="judged_by").options == ["human", "third", "model"]
    fine(app.switch_page(DOCUMENTS).run())
    assert "human and third give the same grade to" in texts(app)
    app.sidebar.selectbox(key="judged_by").set_value("model").run()
    # the second judge stays as picked
    assert "model and third give the same grade to" in texts(fine(app))
    visitors._here = {}
    assert "model and human give the same grade to" in texts(visit(DOCUMENTS))


def test_judges_when_dropped_on_documents_while_a_sample_is_open_then_are_a_collection_of_their_own(
    nobody_here,
):
    app = drop(visit(DOCUMENTS), HUMAN, MODEL, THIRD, judges=True)
    assert (
        "human, model, third: no document in common with Sample collection, so now a separate"
        " collection." in texts(app)
    )
    assert "human and model give the same grade to" in texts(app)
    assert [link.label for link in links(app)] == ["Add runs to see the effect **Collection**"]
    assert "Sample collection" not in record(app)
    visitor = visitors._here[visitors.key_of(COOKIE)]
    assert not visitor.empty_dataset().judges
    other = visit(BOARD)  # a second tab, after it
    assert "Judgments for 4 topics loaded." in other.info[-1].value
    fine(app.switch_page(COLLECTION).run())
    app.button(key="judges_removed").click().run()
    assert record(fine(app)).count("third") == 0
    app.button(key="undo").click().run()
    assert "By the judgments of human; others: model, third." in record(fine(app))
    app.button(key="remove").click().run()
    assert "Sample collection" in record(fine(app))
    app.button(key="undo").click().run()
    assert "By the judgments of human; others: model, third." in record(fine(app))


def test_judge_when_dropped_on_documents_then_stands_where_documents_are_shared(nobody_here):
    app = drop(visit(DOCUMENTS), HUMAN, judges=True)
    assert (
        "human: no document in common with Sample collection, so now a separate collection."
        in texts(app)
    )
    drop(app, MODEL, ELSEWHERE, judges=True)
    assert "elsewhere: no document in common with human, so now a separate collection." in texts(
        app
    )
    visitor = visitors._here[visitors.key_of(COOKIE)]
    assert {desk.title: [*desk.judges] for desk in visitor.datasets} == {
        "human": ["model"],
        "elsewhere": [],
        "": [],
    }


def test_judge_when_dropped_on_a_page_that_needs_runs_then_what_became_of_it_is_said_there(
    nobody_here,
):
    app = drop(
        visit("pages/planning/systems.py", systems_samples=50, systems_mixtures=40),
        HUMAN,
        judges=True,
    )
    said = [info.value for info in app.info]
    assert (
        said[0]
        == "human: no document in common with Sample collection, so now a separate collection."
    )
    assert said[1].endswith("Judgments for 4 topics loaded. Add runs to score them.")


def test_qrels_when_dropped_on_a_collection_then_replace_stand_beside_or_stand_alone(nobody_here):
    app = drop(visit(COLLECTION), HUMAN, *RUNS)
    drop(app, MODEL)
    assert "model: compared with human, which is first." in texts(app)
    assert "3 runs · 4 topics" in record(app)
    fewer = b"".join(HUMAN[1].splitlines(keepends=True)[1:])
    drop(app, (HUMAN[0], fewer))
    assert "This drop replaced the judgments human.txt (4 topics, 15 judgments)." in texts(app)
    assert f"3 runs · 4 topics · {JUDGED - 1} judgments" in record(app)
    drop(app, ELSEWHERE)
    assert (
        "elsewhere.txt: no document in common with human, so now a separate collection."
        in texts(app)
    )
    assert "Your upload: elsewhere" in record(app)
    visitor = visitors._here[visitors.key_of(COOKIE)]
    assert {desk.title: len(desk.runs) for desk in visitor.datasets} == {"human": 3, "elsewhere": 0}


def test_qrels_when_they_share_nothing_with_the_first_or_repeat_judgments_then_are_refused():
    desk = dataset_of([HUMAN, ELSEWHERE, ("twice.txt", TINY_QRELS.encode() + b"1 0 S1 3\n")])
    assert [str(faults[0].first) for faults in desk.refused] == [
        (
            "elsewhere.txt: expected a document that human has judged too, found none. Drop it"
            " alone to make it a separate collection."
        ),
        (
            f"twice.txt, line {len(ROWS) + 1}: expected each judgment once per topic, of a further"
            " judge, found 'S1' of topic '1' again (first on line 1). Remove the duplicate lines."
        ),
    ]
    assert not desk.judges


def test_runs_when_dropped_before_their_qrels_then_are_called_as_these_once_they_come(nobody_here):
    app = drop(visit(COLLECTION), *RUNS)
    assert "3 runs loaded. Add the qrels file to score them." in texts(app)
    assert (
        app.sidebar.selectbox(key="collection_open").value
        == visitors._here[visitors.key_of(COOKIE)].dataset.key
    )
    fine(app.switch_page(BOARD).run())
    assert ".3x0." in str(app.query_params["data"])
    visitor = visitors._here[visitors.key_of(COOKIE)]
    fine(app.switch_page(COLLECTION).run())
    app.sidebar.selectbox(key="collection_open").set_value("").run()
    drop(app, RUNS[1])
    # as a workspace needs them
    assert [desk.title for desk in visitor.datasets] == [
        "Runs without qrels",
        "Runs without qrels (2)",
    ]
    app.sidebar.selectbox(key="collection_open").set_value(visitor.datasets[0].key).run()
    drop(app, HUMAN)
    key = visitor.dataset.key
    assert app.text_input(key=f"collection.name-{key}").value == "human"
    assert "3 runs · 4 topics" in record(app)


def test_runs_when_the_last_is_removed_then_the_judgments_stay_and_nothing_else_is_shown(
    nobody_here,
):
    app = drop(visit(COLLECTION), HUMAN, RUNS[0])
    desk = visitors._here[visitors.key_of(COOKIE)].dataset
    desk.remove(["example"])
    assert "Your upload: human" in record(fine(app.run()))
    assert "no runs" in record(app)


def test_qrels_when_they_repeat_judgments_then_each_page_says_they_are_unused_and_where_to_decide():
    desk = dataset_of([("twice.txt", TINY_QRELS.encode() + b"1 0 S1 3\n")])
    app = dashboard(desk).switch_page(DOCUMENTS).run()
    assert "have duplicate lines and cannot be used as they are" in app.info[0].value
    assert "Sample collection" not in record(app)
    app = dashboard(desk, repeated="first").switch_page(DOCUMENTS).run()
    app.button(key="try_simulated").click().run()
    assert "twice and lenient (simulated) give the same grade to" in texts(fine(app))


def test_judgments_when_saved_in_a_workspace_and_opened_then_are_the_same():
    desk = dataset_of([HUMAN, MODEL])
    stored = desk.stored(desk.title)
    again = irmeval.Workspace.parse(
        "my.irmeval", irmeval.Workspace((stored,), stored.name).to_bytes()
    )
    assert again.collection().judges == ("qrels", "model")
    opened = Dataset.of(again.stored())
    assert opened.collection(DEFAULT).fingerprint == desk.collection(DEFAULT).fingerprint
    assert (opened.own, [*opened.judges]) == ("human", ["model"])


def test_report_when_made_of_judgments_without_runs_then_it_comes_again_on_the_command_line_too(
    tmp_path, capsys
):
    desk = dataset_of([HUMAN, MODEL])
    app = fine(dashboard(visitor=Visitor(dataset=desk)).switch_page(DOCUMENTS).run())
    app.button(key="report-judges").click().run()
    fine(app.switch_page(COLLECTION).run())
    app.button(key="report-collection").click().run()
    fine(app.switch_page("pages/report/report.py").run())
    next(button for button in app.button if button.label == "Make the report").click().run()
    made = fine(app).session_state["jobs"].waits["Report"].job.result
    assert [entry.error for entry in made.entries] == ["", ""]
    assert made.entries[0].item.recipe.panel.names == ("human", "model")
    (tmp_path / "report.zip").write_bytes(made.zipped())
    for name, text in (HUMAN, MODEL):
        (tmp_path / name).write_bytes(text)
    main(
        [
            "rerun",
            str(tmp_path / "report.zip"),
            str(tmp_path / HUMAN[0]),
            "--other",
            f"model={tmp_path / MODEL[0]}",
        ]
    )
    assert "identical" in capsys.readouterr().err


def test_judges_when_dropped_together_then_a_model_is_not_the_reference_for_its_name():
    human, model = b"1 0 a 1\n1 0 b 0\n", b"1 0 a 0\n1 0 b 1\n"
    desk = Dataset()
    desk.add([("gpt-4o.txt", model), ("nist.txt", human)])
    assert (desk.own, [*desk.judges]) == ("nist", ["gpt-4o"])
    assert "gpt-4o: compared with nist, which is first." in " ".join(desk.messages)
