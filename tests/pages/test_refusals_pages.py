"""Files that cannot be used, on the pages: a row for each kind of fault, and the choice
to keep the first of repeated documents.
"""

import io
import zipfile
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from irmeval.reading.faults import FilesRefused
from irmeval.reading.formats import FORMATS
from irmeval.reading.policy import Policy
from irmeval.ui.state import server_files
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.widgets import refusals
from tests.dashboard import dashboard, dataset_of, fine, links, opened, texts
from tests.unit.reading.test_repeated import ONCE, QRELS, TWICE, put

COLLECTION = "pages/data/collection.py"
FILES = {
    "qrels": QRELS,
    "a[x](y)": TWICE,
    "b": TWICE,
    "c": ONCE.replace(b" 8 ", b" high "),
    "d": ONCE,
}


def named(name: str, text: bytes) -> bytes:
    return text.replace(b" t\n", b" %s\n" % name.encode())


@pytest.fixture
def app() -> AppTest:
    """The page Collection, on which some files were dropped."""
    desk = dataset_of([(name, named(name, text)) for name, text in FILES.items()])
    app = opened(COLLECTION, desk=desk)
    assert not app.exception
    return app


def choice(app: AppTest) -> list[bool]:
    return [toggle.value for toggle in app.main.toggle]


def test_drop_when_several_files_are_at_fault_then_one_box_and_a_row_for_each_kind(app):
    assert [error.value for error in app.error] == ["3 of 5 files cannot be used."]
    table = app.table[0].value
    assert table["Files"].tolist() == ["2", "1"]
    assert table["Lines"].tolist() == ["6", "1"]
    assert table["First place"].tolist() == ["a\\[x\\](y), line\u00a04", "c, line\u00a03"]
    assert app.dataframe[0].value["file"].tolist() == ["c", "a[x](y)", "b"]
    assert choice(app) == [False]
    assert "1 run " in texts(app)


def test_choice_when_made_then_held_files_are_read_and_it_can_be_taken_back(app):
    app.main.toggle[0].set_value(True).run()
    assert app.error[0].value.startswith("c, line 3: expected a number as score")
    assert not app.table
    assert (
        "3 runs · 2 topics · 3 judgments · policy: papers, first of duplicate documents"
        in texts(app)
    )
    assert "6 lines left out" in texts(app)
    assert "2 runs of 3 with duplicate documents: the first is kept, 6 lines left out" in " ".join(
        w.value for w in app.warning
    )
    assert app.sidebar.selectbox(key="repeated").value == "first"
    assert app.query_params["repeated"] in ("first", ["first"])
    assert app.sidebar.selectbox(key="profile").value == "papers"
    app.main.toggle[0].set_value(False).run()
    assert "3 of 5 files" in app.error[0].value
    assert "1 run " in texts(app)


def test_choice_when_made_in_the_sidebar_or_by_a_link_then_is_the_same(app):
    app.sidebar.selectbox(key="repeated").set_value("first").run()
    assert choice(app) == [True]
    desk = dataset_of([(name, named(name, text)) for name, text in FILES.items()])
    linked = fine(opened("pages/runs/leaderboard.py", {"repeated": "first"}, desk=desk))
    assert len(linked.dataframe[0].value) == 3


def test_choice_when_a_profile_is_taken_then_stays(app):
    app.main.toggle[0].set_value(True).run()
    app.sidebar.selectbox(key="profile").set_value("trec_eval 10").run()
    assert choice(app) == [True]
    assert "policy: trec_eval 10, first of duplicate documents" in texts(app)


def test_check_when_an_upload_is_refused_then_it_can_be_looked_at(app):
    app.switch_page("pages/data/check.py").run()
    assert app.selectbox(key="check.candidate").options == ["d", "a[x](y) (refused)", "b (refused)"]
    app.selectbox(key="check.candidate").set_value("b (refused)").run()
    assert (
        "3 lines, the first line 4: expected each document once per topic"
        in texts(fine(app)).replace("\\", "").lower()
    )


def test_check_when_runs_at_fault_are_dropped_in_a_zip_then_their_faults_are_told_by_kind(app):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name in "abc":
            archive.writestr(name, named(name, TWICE if name != "c" else ONCE))
    app.switch_page("pages/data/check.py").run()
    app.file_uploader[0].set_value(("runs.zip", packed.getvalue(), "application/zip")).run()
    assert "2 of the 3 dropped runs have errors:" in texts(fine(app))
    assert app.table[0].value["Lines"].tolist() == ["6"]


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Files that the server was started with."""
    qrels, runs = put(
        tmp_path, **{name: text for name, text in FILES.items() if name not in ("qrels", "c")}
    )
    monkeypatch.setattr("sys.argv", ["app.py", "--qrels", str(qrels), "--runs", str(runs)])
    return qrels, runs


def test_page_when_the_servers_files_are_at_fault_then_has_the_same_table_without_their_folder(
    given,
):
    app = dashboard().run()
    assert [error.value for error in app.error] == ["2 of 3 files cannot be used."]
    assert app.table[0].value["First place"].tolist() == ["a\\[x\\](y), line\u00a04"]
    app.main.toggle[0].set_value(True).run()
    assert "3 runs" in texts(fine(app))


def test_page_when_the_servers_files_and_a_drop_are_at_fault_then_each_is_told_where_it_is_shown(
    given,
):
    app = dashboard().switch_page(COLLECTION).run()
    assert [error.value for error in app.error] == ["2 of 3 files cannot be used."]
    app.file_uploader[0].set_value([("e", TWICE, "text/plain")]).run()
    assert not app.exception
    assert app.error[0].value.startswith("e, line 4: expected each document once per topic")
    assert app.error[0].value.endswith("Likewise lines 7 and 8.")
    assert choice(app) == [False]


def test_page_when_the_servers_folder_is_empty_then_says_its_name_and_not_where_it_is(given):
    for path in given[1].iterdir():
        path.unlink()
    assert (
        dashboard()
        .run()
        .error[0]
        .value.startswith("runs: expected a folder of run files, found an empty folder")
    )


def test_page_when_the_servers_files_are_mended_then_they_are_read_again(given):
    app = dashboard().run()
    assert app.error
    for name in ("a[x](y)", "b"):
        (given[1] / name).write_bytes(named(name, ONCE))
    assert "3 runs" in texts(fine(app.run()))


def test_refusal_when_it_is_kept_then_it_keeps_hold_of_no_text(given):
    pytest.importorskip("distributed")  # with it, a pickled error keeps its traceback

    def held(error: BaseException | None) -> list[object]:
        return (
            []
            if error is None
            else [
                part for part in (error.__traceback__, error.__context__, error.__cause__) if part
            ]
        )

    desk = Dataset()
    bad = [
        b"\x1f\x8b\x08",
        b"\0",
        b"",
        b"1 Q0 a\n",
        b"1 Q0 a 1 x t\n",
        TWICE,
        b"a,b\n1,x\n",
        b"PK\x03\x04",
        b"x Q0 a 1 1 t\n",
    ]
    desk.add([("q", QRELS), *((f"f{i}", data) for i, data in enumerate(bad))])
    refusal = desk.refusal(Policy())
    assert isinstance(refusal, FilesRefused)
    assert len(refusal.refused) == len(bad)
    kept = server_files._read(given[0], (given[1],), Policy(), "", server_files.AS_TOLD)
    assert isinstance(kept, FilesRefused)
    for error in (
        refusal,
        kept,
        *(fault.first for found in (refusal, kept) for faults in found.refused for fault in faults),
    ):
        assert held(error) == []


def test_desk_when_faults_are_of_one_line_in_one_file_then_told_in_a_line():
    desk = dataset_of([("q", QRELS), ("r", ONCE.replace(b" 8 ", b" high "))])
    assert (
        str(desk.refusal(Policy()))
        == "r, line 3: expected a number as score, found 'high'. Fix or remove the line."
    )


def test_refusals_when_put_away_or_the_tab_is_opened_anew_then_go_and_the_next_drop_counts_alone(
    app, monkeypatch
):
    desk = app.session_state["visitor"].dataset
    desk.add(
        [
            ("picture.png", b"\x89PNG\r\n\0"),
            ("notes.csv", b"topic,note\n1,hard\n"),
            ("e", named("e", ONCE)),
        ]
    )
    desk.runs = {name: run for name, run in desk.runs.items() if not run.repeated}
    desk.qrels = None
    app.run()
    assert [error.value for error in app.error] == ["2 of 3 files cannot be used."]
    told = app.table[0].value
    assert told["Should be"].tolist() == ["qrels, a run or scores"] * 2
    assert told["What to do"].tolist() == ["See *Supported formats* below.", "Leave it out."]
    formats, files = app.dataframe
    assert len(formats.value) == len(FORMATS)
    assert files.value["found"].tolist() == ["an image", "2 columns: 'topic,note'"]
    app.button(key="refused_away").click().run()
    assert not app.error
    desk.add([("picture.png", b"\x89PNG\r\n\0")])
    assert (
        app.run().error[0].value
        == "picture.png: expected qrels, a run or scores, found an image. Leave it out."
    )
    desk.tab = "of before"
    monkeypatch.setattr(refusals, "is_open", lambda tab: tab != "of before")
    assert [error.value for error in app.run().error] == []


def test_upload_when_read_then_says_how_much_and_leads_on(app):
    assert [success.value for success in app.success] == [
        "1 run and 2 topics loaded. Read as TREC qrels, TREC run (1 comment line)."
    ]
    assert [link.page for link in links(app)] == ["leaderboard", "", "check"]


@pytest.mark.parametrize("files", [("a",), ("a", "b")])
def test_drop_when_a_format_is_unknown_then_the_page_lists_the_supported_ones(files):
    desk = dataset_of([(name, b"one two\nthree four\n") for name in files])
    app = opened(COLLECTION, desk=desk)
    said = app.error[0].value if len(files) == 1 else app.table[0].value["What to do"][0]
    assert said.endswith("See *Supported formats* below.")
    listed = next(frame.value for frame in app.dataframe if "format" in frame.value)
    assert [*listed["format"]] == [key.partition(" ")[2] for key in FORMATS]
