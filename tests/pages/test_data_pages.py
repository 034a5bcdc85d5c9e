"""The pages that look into data: a checked run, smaller pools, unjudged documents; with
dropped files.
"""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from irmeval import read_collection
from irmeval.check import Check
from irmeval.check.finding import error
from irmeval.experiments.axes import AXES
from irmeval.experiments.data.collection import contents
from irmeval.experiments.watched import STATISTICS
from irmeval.reading.policy import Policy
from irmeval.ui.pages import check
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import jobs
from tests.cases import SAMPLE, read_once
from tests.conftest import TINY_RUNS, run_lines
from tests.dashboard import dataset_of, fine, opened, pick_view, texts
from tests.unit.reading.test_bad_files import FOLDER

CHECK = "pages/data/check.py"


FEW = {"measures": ["AP"], "topics_only": "901-905", "random_runs": "4"}
"""An address: one measure, on a few topics and runs."""
WHOLE = {"measures": ["AP", "AP'", "Q", "Q'"]}
"""The same of four measures, on the whole sample."""


@pytest.fixture
def checked() -> AppTest:
    """The page that checks a run."""
    return opened(CHECK, FEW)


BAD = [
    *(
        "columns-exchanged.run",
        "document-twice.run",
        "empty.run",
        "html-page.run",
        "mixed-encodings.run",
        "no-topic-in-common.run",
    ),
    *("cut.run.gz", "empty.zip", "zip-in-zip.zip", "zip-path-leads-out.zip"),
]
"""One for each place where a fault is found: on a line, in a topic, in a file, in what
it is packed in.
"""


def drop(app: AppTest, name: str, data: bytes) -> AppTest:
    app.file_uploader[0].set_value((name, data, "text/plain")).run()
    return fine(app)


def test_check_when_opened_then_the_run_with_the_worst_finding_is_looked_at_beside_the_others():
    checked = fine(opened(CHECK, WHOLE))
    worst = checked.dataframe[0].value["run"].iloc[0]
    assert f"{worst}: no error" in texts(checked)
    assert checked.selectbox(key="check.candidate").placeholder == "The worst run"
    assert [one.label for one in checked.metric] == ["AP", "AP'", "Q", "Q'"]
    assert len(checked.get("plotly_chart")) == 1
    assert "of 30" in checked.metric[0].delta


def test_check_when_a_long_name_comes_late_then_its_column_is_wide_enough_for_it(monkeypatch):
    drawn = []
    monkeypatch.setattr(check.output, "table", lambda *_, **more: drawn.append(more))
    names = [*("r" * 30), "a-system-of-a-team-1"]
    columns = {"run": names, "what": names}
    check._draw_table(columns, [Check("a", (error("scores", "", "", ""),), {})])
    assert drawn[0]["column_config"]["run"]["width"] > 7 * len(names[-1])


def test_check_when_some_runs_are_not_checked_yet_then_the_verdict_says_so():
    checks = [Check("a", (error("scores", "not a number", "", ""),), {}), Check("b", (), {})]
    shown = check._of_checks(checks, 128)
    assert shown.verdict[:2] == (
        "Of 2 runs, 1 has an error and none has warnings.",
        "Errors: a. So far 2 of 128 runs are checked.",
    )
    assert shown.worst == "a"
    assert check._of_checks([], 128).worst == ""


def test_check_when_it_takes_long_then_the_question_says_once_that_its_duration_is_estimated():
    job = jobs.Job("Check", (), asks=300.0)
    assert check.ask_for_more(job).startswith("About 5 min more to check the other runs.")


def test_check_when_runs_are_loaded_then_faults_are_listed_by_effect_and_what_all_share_once():
    runs = {
        "g": "1 Q0 b 1 2 g\n2 Q0 a 1 1 g\n",
        "h": "1 Q0 b 1 2 h\n",
        "o": "1 Q0 a 1 1 o\n1 Q0 b 2 2 o\n2 Q0 a 1 1 o\n",
    }
    desk = dataset_of(
        [
            ("q", b"1 0 b 1\n1 0 a 0\n2 0 a 1\n"),
            *((name, text.encode()) for name, text in runs.items()),
        ]
    )
    checked = fine(opened(CHECK, {"measures": ["AP"]}, desk=desk))
    shown = texts(checked)
    assert "Of 3 runs, 1 has an error and 1 has a warning.\n\n:small[Errors: o.]" in shown
    listed = checked.dataframe[0].value
    assert listed[["run", "level", "effect"]].values.tolist()[:3:2] == [
        ["o", "error", "AP -0.2500"],
        ["h", "warning", "AP +0.5000"],
    ]
    assert listed["check"].tolist() == ["scores", "ranks", "topics"]
    assert checked.dataframe[0].proto.row_height == check.TWO_LINES > 64
    assert json.loads(checked.dataframe[0].proto.columns)["what"]["width"] == check.WRAPPED
    assert listed["what"].str.len().max() > check.LETTERS
    assert checked.main.expander[0].label.startswith("All 3 runs: grades")


def test_check_when_a_run_and_a_view_are_in_the_address_then_they_are_shown():
    checked = fine(opened(CHECK, WHOLE | {"candidate": "juniper2", "view": "Ties"}))
    assert "juniper2: no error" in texts(checked)
    assert checked.dataframe


def test_check_when_two_visitors_have_runs_of_one_name_and_order_then_each_sees_their_own():
    """One visitor's scores tie, the other's do not: the lists are the same, and so is
    the collection.
    """
    qrels, other = b"1 0 b 1\n1 0 a 0\n2 0 a 1\n", b"1 Q0 a 1 2 third\n2 Q0 a 1 1 third\n"
    said = []
    for scores in ((2, 1), (2, 2)):
        desk = Dataset()
        text = f"1 Q0 b 1 {scores[0]} same\n1 Q0 a 2 {scores[1]} same\n2 Q0 a 1 1 same\n".encode()
        desk.add([("q", qrels), ("same", text), ("third", other)])
        app = opened(CHECK, {"measures": ["AP"]}, desk=desk)
        said.append(texts(fine(app)))
    assert "tie over" not in said[0]
    assert "2 documents in 1 tie over 1 topic" in said[1]


def test_check_when_a_run_of_other_topics_is_dropped_then_it_says_so_in_red(checked):
    drop(checked, "mine.txt", run_lines("tag", TINY_RUNS["example"]).encode())
    shown = texts(checked)
    assert "mine.txt (dropped): 1 error" in shown
    assert "expected topics of the qrels" in shown.lower()
    assert checked.selectbox(key="check.candidate").value == "mine.txt (dropped)"
    assert checked.dataframe[0].value.iloc[0][["run", "level", "check"]].tolist() == [
        "mine.txt (dropped)",
        "error",
        "topics",
    ]
    assert checked.main.expander[0].label.startswith("The 30 runs that can be scored: ")


def test_check_when_bad_files_are_dropped_then_the_page_says_of_each_what_and_lives(checked):
    for name in BAD:
        assert ":red[" in texts(drop(checked, name, (FOLDER / name).read_bytes())), name
    loaded = checked.selectbox(key="check.candidate").options[-1]
    checked.selectbox(key="check.candidate").set_value(loaded).run()
    assert f"{loaded}: no error" in texts(fine(checked))


def test_check_when_a_view_is_picked_then_it_shows(checked):
    for view in ("Standing", "Ties", "Judged", "To judge next", "Topics", "Download"):
        pick_view(checked, view)
        fine(checked)
        assert checked.get("download_button") if view == "Download" else checked.dataframe


def test_check_when_topics_are_left_out_by_the_selection_then_they_are_not_called_unknown(checked):
    assert "missing from the qrels" not in texts(fine(checked))


def test_curves_when_lists_of_the_question_are_picked_then_their_charts_are_drawn():
    app = opened("pages/incompleteness/curves.py", FEW)
    says = {
        ("teams", "order"): ("On pools of ", 2),
        ("depth", "judged"): ("On a pool of depth 1", 1),
        ("topics", "pairs"): ("Tests: each pair alone", 1),
        ("care", "winner"): ("By simulated judges wrong on 50%", 1),
        ("judgments", "decisions"): ("Tests: each pair alone", 4),
    }
    for (of, watch), (said, charts) in says.items():
        app.selectbox(key="curves.of").set_value(AXES[of].words).run()
        app.selectbox(key="curves.watch").set_value(STATISTICS[watch].words).run()
        assert said in texts(fine(app))
        assert len(app.get("plotly_chart")) == charts
    pick_view(app, "Decisions")
    assert "Still significant" in [metric.label for metric in fine(app).metric]


def test_curves_when_its_next_step_leads_to_curves_then_that_changes_what_disappears():
    app = opened("pages/incompleteness/curves.py", FEW)
    for words in ("pool depth", "judgments"):
        [step] = [each for each in app.button if each.key.startswith("step-")]
        fine(step.click().run())
        assert app.selectbox(key="curves.of").value == words


def test_curves_when_lines_are_picked_then_each_measure_has_a_chart_and_its_address_says_so():
    app = opened("pages/incompleteness/curves.py", FEW)
    app.selectbox(key="curves.lines").set_value("topics").run()
    app.multiselect(key="curves.lines_topics").set_value(["50", "10"]).run()
    assert len(fine(app).get("plotly_chart")) == 2 * len(app.multiselect(key="measures").value)
    of_address = {"lines": "topics", "lines_topics": ["50", "10"]}
    for widget in (app.selectbox(key="curves.lines"), app.multiselect(key="curves.lines_topics")):
        assert widget.proto.query_param_key == widget.key  # the browser writes it there
    linked = opened("pages/incompleteness/curves.py", FEW | of_address)
    assert fine(linked).selectbox(key="curves.lines").value == "topics"
    assert len(linked.get("plotly_chart")) == len(app.get("plotly_chart"))


def test_unjudged_when_documents_are_many_then_the_first_are_listed_and_the_page_says_how_many(
    monkeypatch,
):
    monkeypatch.setattr("irmeval.experiments.incompleteness.unjudged.LISTED", 7)
    app = opened("pages/incompleteness/unjudged.py", {"measures": ["AP"], "topics_only": "901-904"})
    pick_view(app, "To judge next")
    assert len(app.dataframe[0].value) == 7
    assert re.search(r"The first 7 of [1-9]\d{2,} rows. \*Download\*", texts(app).replace(",", ""))


def test_collection_when_a_folder_is_wanted_then_the_uploader_takes_one():
    app = opened("pages/data/collection.py")
    assert not app.file_uploader[0].accept_directory
    pick_view(app, "A folder")
    assert fine(app).file_uploader[0].accept_directory


def test_collection_when_runs_are_listed_then_the_shares_that_are_judged_have_the_same_decimals():
    (shown,) = [
        table
        for table in fine(opened("pages/data/collection.py")).dataframe
        if "judged" in table.value
    ]
    column = json.loads(shown.proto.columns)["judged"]
    assert (column["type_config"]["format"], column["help"]) == (
        "%.1f%%",
        "Share of the run's documents that are judged.",
    )
    assert shown.value["judged"].max() == pytest.approx(
        100 * contents(read_once(*SAMPLE)).runs()["judged"].max()
    )


def test_collection_when_ir_datasets_is_installed_then_an_id_stands_for_the_qrels(datasets):
    app = opened("pages/data/collection.py")
    app.text_input(key="collection.dataset-0").set_value("nothing").run()
    assert "expected a dataset of ir\\_datasets that has qrels" in app.error[0].value
    app.text_input(key="collection.dataset-1").set_value("tiny").run()
    assert "Judgments for 2 topics loaded. Add runs to score them." in fine(app).info[0].value
    drop(app, "r", b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n")
    assert "Your upload: tiny" in texts(app)


def test_collection_when_ir_datasets_is_not_installed_then_nothing_is_said_of_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    app = opened("pages/data/collection.py")
    assert not [one for one in fine(app).text_input if str(one.key).startswith("dataset")]


def test_uploads_when_they_come_in_another_order_then_the_collection_is_the_same(tiny):
    files = [(path.name, path.read_bytes()) for path in (tiny[0], *sorted(tiny[1].iterdir()))]
    made = []
    for order in (files, files[::-1]):
        desk = dataset_of(order)
        made.append(desk.collection(Policy()).fingerprint)
    assert made[0] == made[1] == read_collection(*tiny).fingerprint


def with_headers(**said: str) -> Dataset:
    """Two runs, whose headers say this."""
    runs = {
        run: (
            f"# ir_metadata.start\n# {yaml}\n# ir_metadata.end\n1 Q0 b 1 2 {run}\n2 Q0 a 1 1"
            f" {run}\n"
        )
        for run, yaml in said.items()
    }
    return dataset_of(
        [
            ("q", b"1 0 b 1\n1 0 a 0\n2 0 a 1\n"),
            *((run, text.encode()) for run, text in runs.items()),
        ]
    )


def test_collection_when_a_run_says_how_it_was_made_then_shows_it_and_warns_of_a_faulty_header():
    desk = with_headers(g="tag: g\n# actor:\n#   team: ours", h="tag: *g")
    shown = fine(opened("pages/data/collection.py", {"measures": ["AP"]}, desk=desk))
    assert (
        "h, line 2: expected a plain or quoted text, a list or a section, found an alias"
        in shown.warning[0].value
    )
    assert "Provenance of runs" in texts(shown)
    [made] = [table.value for table in shown.dataframe if "section" in table.value]
    assert made.iloc[1].tolist() == ["g", "actor", "team", "ours"]
    assert "Its header describes how it was made: actor." in texts(
        fine(opened(CHECK, {"measures": ["AP"]}, desk=desk))
    )


def test_reproduction_when_runs_say_how_they_were_made_then_shows_what_differs():
    desk = with_headers(g="platform: one", h="platform: two")
    view = {"measures": ["AP"], "original": "g", "reproduced": "h", "view": "Provenance of both"}
    app = fine(opened("pages/runs/reproduction.py", view, desk=desk))
    assert "Yes: both have the same AP on 2 topics." in texts(app)
    assert "By their headers, platform differs (Primad)." in texts(app)
    assert app.dataframe[0].value.values.tolist() == [["platform", "", "one", "two", False]]
    refused = opened(
        "pages/runs/reproduction.py", {"measures": ["AP"], "original_baseline": "g"}, desk=desk
    )
    assert (
        "expected an original and a reproduced baseline, or neither, found one of them"
        in refused.error[0].value
    )


@pytest.mark.parametrize(
    ("judges", "asked"), [(1, None), (2, "Do q and judge1 agree?"), (3, "Do the 3 judges agree?")]
)
def test_collection_when_several_judges_were_dropped_then_a_link_asks_whether_they_agree(
    judges, asked
):
    desk = Dataset()
    qrels = [
        ("q" if n == 0 else f"judge{n}", f"1 0 a 1\n1 0 b {n % 2}\n2 0 a 1\n".encode())
        for n in range(judges)
    ]
    desk.add([*qrels, ("r", b"1 Q0 a 1 2 r\n2 Q0 a 1 1 r\n")])
    links = [
        link.proto.label
        for link in fine(opened("pages/data/collection.py", desk=desk)).get("page_link")
    ]
    assert [label.split(" **")[0] for label in links if " agree?" in label] == [asked] * (
        asked is not None
    )


@pytest.mark.parametrize(
    ("place", "first", "last"), [(0, "r1", "r30"), (50, "r35", "r65"), (99, "r69", "r98")]
)
def test_check_when_there_are_very_many_runs_then_the_chart_has_those_nearest_in_rank(
    place, first, last
):
    names, zero = [f"r{i}" for i in range(100)], np.zeros(100)
    ladder = pd.DataFrame(
        {
            "run": names,
            "place": zero,
            "AP": zero,
            "difference": zero,
            "low": zero,
            "high": zero,
            "p": zero,
        }
    )
    made = check._standing_chart(
        ladder.assign(**{"this run": [name == f"r{place}" for name in names]})
    )
    drawn = [point[0] for trace in made.draw().data for point in trace.customdata]
    assert (len(drawn), drawn[0], drawn[-1]) == (30, first, last)
    assert made.caption.startswith(
        f"Mean AP of the 30 runs nearest in rank minus that of r{place}, "
    )
