"""Files that share a name: nothing is lost without a word, and page and command give
the same names.
"""

import io
import zipfile

import pytest

from irmeval import Workspace, evaluate, read_collection
from irmeval.reading.policy import DEFAULT
from irmeval.ui.state.dataset import Dataset
from tests.dashboard import dataset_of

QRELS = b"1 0 d 1\n2 0 d 1\n1 0 e 0\n"
A, B = b"1 Q0 d 1 2 a\n2 Q0 d 1 2 a\n", b"1 Q0 e 1 2 b\n1 Q0 d 2 1 b\n2 Q0 d 1 2 b\n"
SAME_TAG = B.replace(b" b\n", b" a\n")
FORMS = ["files", "zip", "folder", "one after the other"]


def dropped(form: str, first: bytes, second: bytes) -> Dataset:
    """A dataset into which two runs, each called run.txt, were dropped."""
    dataset = dataset_of([("qrels.txt", QRELS)])
    if form == "zip":
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("bm25/run.txt", first)
            archive.writestr("dense/run.txt", second)
        dataset.add([("runs.zip", packed.getvalue())])
    elif form == "folder":
        dataset.add([("runs/bm25/run.txt", first), ("runs/dense/run.txt", second)])
    elif form == "files":
        dataset.add([("run.txt", first), ("run.txt", second)])
    else:
        dataset.add([("run.txt", first)])
        dataset.add([("run.txt", second)])
    return dataset


@pytest.mark.parametrize("form", FORMS)
def test_runs_when_two_files_share_a_name_then_both_are_kept_as_on_the_command_line(tmp_path, form):
    dataset = dropped(form, A, B)
    assert evaluate(dataset.collection(DEFAULT), ["RR"]).mean().to_dict()["RR"] == {
        "a": 1.0,
        "b": 0.75,
    }
    assert dataset.messages == []
    for name, text in {"bm25": A, "dense": B}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.txt").write_bytes(text)
    (tmp_path / "qrels.txt").write_bytes(QRELS)
    c = read_collection(tmp_path / "qrels.txt", [tmp_path / "bm25" / "run.txt", tmp_path / "dense"])
    assert c.runs == dataset.collection(DEFAULT).runs == ("a", "b")


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("files", ("run.txt", "run.txt (2)")),
        ("zip", ("bm25/run.txt", "dense/run.txt")),
        ("folder", ("bm25/run.txt", "dense/run.txt")),
    ],
)
def test_runs_when_files_share_a_name_and_a_tag_then_have_the_path_as_name(tmp_path, form, names):
    dataset = dropped(form, A, SAME_TAG)
    assert dataset.collection(DEFAULT).runs == names
    stored = Workspace((dataset.stored("mine"),), "mine").to_bytes()
    assert Workspace.parse("mine.irmeval", stored).collection().runs == names
    if form == "folder":
        for name, text in {"bm25": A, "dense": SAME_TAG}.items():
            (tmp_path / "runs" / name).mkdir(parents=True)
            (tmp_path / "runs" / name / "run.txt").write_bytes(text)
        (tmp_path / "qrels.txt").write_bytes(QRELS)
        files = [tmp_path / "runs" / name / "run.txt" for name in ("bm25", "dense")]
        assert read_collection(tmp_path / "qrels.txt", files).runs == names
        assert Workspace().add("mine", tmp_path / "qrels.txt", files).collection().runs == names


def test_run_when_its_file_is_dropped_again_then_the_replacement_is_told():
    dataset = dropped("one after the other", A, SAME_TAG)
    assert dataset.collection(DEFAULT).runs == ("a",)
    assert dataset.messages == ["This drop replaced the run run.txt (2 topics, 2 lines)."]
    dataset.add([("run.txt", SAME_TAG)])
    assert dataset.messages == []


def test_run_when_a_later_one_of_its_name_has_other_topics_then_it_stays():
    dataset = dropped("one after the other", A, b"7 Q0 d 1 2 a\n")
    assert dataset.collection(DEFAULT).runs == ("a",)
    assert str(dataset.refusal(DEFAULT)).startswith(
        "run.txt: expected topics of qrels.txt, such as '1', found topics such as '7'."
    )


def test_qrels_when_files_of_one_drop_share_a_name_then_are_two_judges():
    other = QRELS.replace(b"e 0", b"e 1")
    dataset = dataset_of([("q/nist/qrels.txt", QRELS), ("q/model/qrels.txt", other), ("a", A)])
    assert dataset.judge_names == ("qrels", "model/qrels")
    assert dataset.qrels.qrels.grade.tolist() == [1, 0, 1]
    dataset.add([("q/nist/qrels.txt", other)])
    assert dataset.messages == [
        "This drop replaced the judgments q/nist/qrels.txt (2 topics, 3 judgments)."
    ]


def test_matrix_when_its_name_is_dropped_again_then_the_replacement_is_told():
    dataset = dataset_of([("old.csv", b"topic,a,b\n1,.5,.6\n2,.5,.6\n")])
    dataset.add([("old.csv", b"topic,a,b\n1,.5,.7\n2,.5,.6\n")])
    assert dataset.messages == ["This drop replaced the score matrix old."]
