"""Files of other formats, dropped: each kind is read at the first drop, and what could
be either is asked.
"""

import io
import tarfile
import zipfile

import pytest

from irmeval.reading.formats import FORMATS
from irmeval.reading.policy import DEFAULT
from irmeval.ui.state.dataset import Dataset
from irmeval.ui.state.naming import NAMELESS
from tests.dashboard import dataset_of, fine, opened

MSMARCO = (
    b"1048585\t0\t7187158\t1\n2\t0\t55\t1\n",
    b"1048585\t7187155\t1\n1048585\t7187158\t2\n2\t55\t1\n",
)


def tarred(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


def zipped(files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files:
            archive.writestr(name, data)
    return packed.getvalue()


@pytest.mark.parametrize("key", [key for key in FORMATS if not key.startswith("scores")])
def test_file_of_any_format_when_dropped_under_its_name_then_is_read(key):
    found, desk = FORMATS[key], Dataset()
    desk.add([(f"{found.kind}.x", found.encode(found.example))])
    for name, asked in [*desk.undecided.items()]:
        desk.decide(name, asked.keys[0])
    assert desk.refusal(DEFAULT) is None
    assert (desk.qrels is not None, len(desk.runs)) == (
        (True, 0) if found.kind == "qrels" else (False, 1)
    )


@pytest.mark.parametrize("key", [key for key in FORMATS if key.startswith("scores")])
def test_scores_of_any_format_when_dropped_then_are_a_matrix(key):
    desk = dataset_of([("x", FORMATS[key].encode(FORMATS[key].example))])
    assert desk.matrix is not None
    assert desk.matrix.format == FORMATS[key].title


def test_scores_when_a_file_has_several_measures_then_the_page_offers_each():
    desk = dataset_of(
        [
            (
                "scores",
                (
                    b"a 1 map 0.1\na 2 map 0.3\nb 1 map 0.2\nb 2 map 0.4\na 1 P_10 1\na 2 P_10 1\nb"
                    b" 1 P_10 0\nb 2 P_10 0\n"
                ),
            )
        ]
    )
    app = opened("pages/data/collection.py", desk=desk)
    assert [button.label for button in app.button if str(button.key).startswith("matrix-")] == [
        r"P\_10",
        "map",
    ]
    assert list(fine(app).dataframe[0].value["run"]) == ["b", "a"]
    app.button(key="matrix-scores-P_10").click().run()
    assert list(fine(app).dataframe[0].value["run"]) == ["a", "b"]
    assert (desk.matrix.name, [matrix.name for matrix in desk.matrices[1:]]) == ("P_10", ["map"])
    assert desk.messages == []


def test_scores_when_of_several_judges_then_one_drop_takes_them_and_each_is_offered():
    texts_of = {
        name: f"run,topic,score\na,1,{low}\na,2,.3\nb,1,.5\n".encode()
        for name, low in (("nist", 0.1), ("model", 0.2))
    }
    desk = dataset_of([(f"{name}.csv", text) for name, text in texts_of.items()])
    assert [matrix.judge for matrix in desk.matrices] == ["nist", "model"]
    app = opened("pages/data/collection.py", desk=desk)
    assert [button.label for button in app.button if str(button.key).startswith("matrix-")] == [
        "model",
        "nist",
    ]
    desk.add([("model.csv", texts_of["nist"])])
    assert [matrix.judge for matrix in desk.matrices] == ["model", "nist"]
    assert desk.messages == ["This drop replaced the score matrix model."]


@pytest.mark.parametrize(
    "pack",
    [list, lambda files: [("a.tar.gz", tarred(files))], lambda files: [("a.zip", zipped(files))]],
)
def test_msmarco_when_dropped_at_once_then_is_read_and_named(pack):
    desk = dataset_of(pack([("qrels.dev.tsv", MSMARCO[0]), ("bm25.tsv", MSMARCO[1])]))
    collection = desk.collection(DEFAULT)
    assert collection.recognised == ("TREC qrels", "run by rank (score = -rank)")
    assert len(collection.runs) == 1


def test_file_when_it_could_be_either_then_what_is_missing_beside_it_decides():
    desk = dataset_of([("a", b"1 0 7 1\n2 0 7 0\n"), ("b", b"1 7 1\n2 9 1\n")])
    assert [run.format for run in desk.runs.values()] == ["run by rank"]


def test_file_when_it_could_be_either_then_is_read_as_it_is_decided():
    desk = dataset_of([("b", b"1 7 1\n2 9 1\n")])
    assert desk.undecided["b"].keys == ("qrels no-iteration", "run ranks")
    desk.decide("b", "run ranks")
    assert (desk.undecided, len(desk.runs)) == ({}, 1)


RATED = b"query,docid,ann,bob\n1,a,1,0\n1,b,2,2\n2,a,0,1\n2,b,1,0\n"
RANKED = b"1 Q0 b 1 9 r\n1 Q0 a 2 8 r\n2 Q0 b 1 9 r\n2 Q0 a 2 8 r\n"


def test_raters_when_each_has_a_column_then_one_press_makes_them_judges():
    desk = dataset_of([("rated.csv", RATED), ("run", RANKED)])
    app = opened("pages/data/collection.py", desk=desk)
    [press] = [button for button in app.button if button.key == "raters-rated.csv"]
    assert press.label == "Both columns, each a judge"
    press.click().run()
    assert not app.exception
    assert desk.judge_names == ("ann", "bob")
    assert (desk.undecided, desk.title) == ({}, "rated")
    for judge, mean in (("ann", 1.0), ("bob", 0.75)):
        board = opened("pages/runs/leaderboard.py", {"judged_by": judge}, desk=desk)
        chosen = board.sidebar.selectbox(key="judged_by")
        assert (chosen.value, chosen.options) == (judge, ["ann", "bob"])
        assert fine(board).dataframe[0].value["AP"].tolist() == [mean]


@pytest.mark.parametrize("key", ["raters-rated.csv", "format-rated.csv-qrels columns:bob"])
def test_name_when_runs_waited_for_a_file_of_several_formats_then_it_is_that_of_the_file(key):
    desk = dataset_of([("rated.csv", RATED), ("run", RANKED)])
    desk.name = NAMELESS  # as a drop of runs is named
    app = opened("pages/data/collection.py", desk=desk)
    app.button(key=key).click().run()
    assert not app.exception
    assert desk.title == "rated"


def test_raters_when_another_collection_has_the_name_of_their_file_then_it_is_numbered():
    before = dataset_of([("qrels.rated", b"1 0 a 1\n1 0 b 0\n"), ("run", RANKED)])
    before.name = "rated"
    desk = dataset_of([("rated.csv", RATED), ("run", RANKED)])
    app = opened("pages/data/collection.py", desk=desk)
    app.session_state["visitor"].other_datasets.append(before)
    app.button(key="raters-rated.csv").click().run()
    assert not app.exception
    assert (before.title, desk.title) == ("rated", "rated (2)")


def test_raters_when_judgments_are_there_then_their_columns_are_further_judges():
    desk = dataset_of([("qrels", b"1 0 a 1\n1 0 b 0\n2 0 b 1\n"), ("run", RANKED)])
    desk.add([("rated.csv", RATED)])
    desk.take_raters("rated.csv")
    assert desk.judge_names == ("qrels", "ann", "bob")
    desk.take_raters("rated.csv")  # pressed again in another tab
    assert len(desk.judge_names) == 3


def test_file_when_no_columns_are_raters_then_none_are_offered_as_judges():
    app = opened("pages/data/collection.py", desk=dataset_of([("b", b"1 7 1\n2 9 1\n")]))
    assert not [button for button in app.button if str(button.key).startswith("raters-")]
