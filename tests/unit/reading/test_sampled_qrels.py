"""Qrels that are a sample: two formats with five columns, told apart by their lines."""

import gzip

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ReadError
from irmeval.reading import parsing
from irmeval.reading.first_block import first_blocks
from irmeval.reading.formats.base import fitting_formats
from irmeval.reading.writing import text_of
from tests.cases import refusal

STRATA = b"2 0 b 10 1\n1 0 a 2 -1\n1 0 c 10 0\n1 0 b 2 2\n2 0 a 9 0\n"
PRELS = b"1 b 2 1 0.25\n1 a 0 1 1\n2 a 1 0 0.5\n"


def test_strata_when_read_then_are_numbered_by_topic_and_name():
    qrels = parsing.settled_qrels("q", STRATA)
    assert qrels.documents.to_pylist() == ["a", "b", "c", "a", "b"]
    assert qrels.grade.tolist() == [-1, 2, 0, 0, 1]
    assert qrels.design.stratum.tolist() == [0, 0, 1, 2, 3]
    assert qrels.design.names == ("2", "10", "9", "10")
    assert qrels.design.probability(qrels.grade).tolist() == [0.5, 0.5, 1, 1, 1]


def test_prels_when_read_then_have_the_probabilities_of_the_file():
    qrels = parsing.settled_qrels("q", PRELS)
    assert qrels.documents.to_pylist() == ["a", "b", "a"]
    assert qrels.design.stated.tolist() == [1, 0.25, 0.5]
    assert qrels.design.names == ("0", "0")


@pytest.mark.parametrize("text", [STRATA, PRELS], ids=["strata", "prels"])
def test_sample_when_written_and_read_again_then_is_the_same(text):
    qrels = parsing.settled_qrels("q", text)
    again = parsing.settled_qrels("q", text_of(qrels))
    assert again.design.digest == qrels.design.digest
    assert again.grade.tolist() == qrels.grade.tolist()
    assert again.documents.to_pylist() == qrels.documents.to_pylist()


TOLD = {
    b"1 0 11 1 1\n1 0 12 1 0\n": ["strata"],
    b"1 0 11 1 1\n1 0 12 1 1\n": ["strata", "legal"],
    b"1 11 1 1 1\n1 12 1 1 1\n": ["strata", "prels"],
    b"1 11 1 1 1.0\n": ["prels"],
    b"1 0 11 1 0.5\n": ["prels", "legal"],
    b"1 0 11 1 0.5\n1 0 12 1 0.5\n": ["legal"],
    b"52 0 aaa1 1 1\n52 0 aab2 0 1\n": ["strata", "legal"],
}


@pytest.mark.parametrize("text", TOLD)
def test_format_when_told_by_its_lines_then_is_one_or_all_that_fit(text):
    assert [
        found.format.name for found in fitting_formats(first_blocks("q", text), "qrels")
    ] == TOLD[text]


REFUSED = {
    "a probability of 0": (
        b"1 a 1 1 0.5\n1 b 1 1 0\n",
        "q, line 2: expected an inclusion probability above 0 and at most 1, found 0.",
    ),
    "a probability above 1": (
        b"1 a 1 1 1.5\n",
        "q, line 1: expected an inclusion probability above 0 and at most 1, found 1.5.",
    ),
    "a probability that no computer can divide by": (
        b"1 a 1 1 1e-320\n",
        (
            "q, line 1: expected an inclusion probability of at least 1e-12, found 9.99989e-321."
            " Fix the line."
        ),
    ),
    "no number": (
        b"1 a 1 1 0.5\n1 b 1 1 x\n",
        "q, line 2: expected a number as probability, found 'x'.",
    ),
    "NaN": (
        b"1 a 1 1 nan\n",
        "q, line 1: expected an inclusion probability above 0 and at most 1, found nan.",
    ),
    "-1 in prels": (
        b"1 a -1 1 0.5\n",
        (
            "q, line 1: expected a grade of 0 or higher, as prels list drawn documents alone,"
            " found -1."
        ),
    ),
    "two strata": (
        b"1 0 a 1 1\n1 0 b 1 0\n1 0 a 2 1\n",
        (
            "q, line 3: expected one stratum for each document of a topic, found 'a' of topic '1'"
            " in '2' after '1'."
        ),
    ),
    "four columns in mid-file": (
        b"1 0 a 1 0\n1 0 b 1\n",
        "q, line 2: expected 5 columns (topic iteration document stratum grade), found 4",
    ),
    "five columns in mid-file": (
        b"1 0 a 1\n1 0 b 1 1\n",
        "q, line 2: expected 4 columns (topic iteration document grade), found 5",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_sample_when_at_fault_then_is_refused_with_file_line_and_reason(name):
    text, message = REFUSED[name]
    assert refusal(ReadError, parsing.settled_qrels, "q", text).startswith(message)


def test_negative_grades_when_they_count_as_nonrelevant_then_stay_in_a_sample(tmp_path):
    (tmp_path / "qrels").write_bytes(STRATA)
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    read = irmeval.read_collection(tmp_path / "qrels", tmp_path / "run", negative="nonrelevant")
    assert read.grade.min() == -1
    assert read.design.S == 4


def test_workspace_when_saved_and_loaded_then_has_the_sample(tmp_path):
    with gzip.open(tmp_path / "qrels.txt.gz", "wb") as file:
        file.write(STRATA)
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 b 1 1 t\n")
    read = irmeval.read_collection(tmp_path / "qrels.txt.gz", tmp_path / "run")
    irmeval.Workspace().add("mine", tmp_path / "qrels.txt.gz", tmp_path / "run").save(
        tmp_path / "w.irmeval"
    )
    loaded = irmeval.Workspace.load(tmp_path / "w.irmeval").collection("mine")
    assert loaded.design.digest == read.design.digest
    scores = [irmeval.evaluate(c, ["xinfAP", "statP@5"]).values for c in (read, loaded)]
    np.testing.assert_array_equal(*scores)


def test_topics_when_only_some_are_selected_then_keep_their_strata(tmp_path):
    (tmp_path / "qrels").write_bytes(STRATA)
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 b 1 1 t\n")
    read = irmeval.read_collection(tmp_path / "qrels", tmp_path / "run")
    from irmeval.scoring.selection import subset

    second = subset(read, np.array([0]), np.array([1]))
    assert second.design.names == ("9", "10")
    assert second.design.stratum.tolist() == [0, 1]
    assert (
        irmeval.evaluate(second, ["xinfAP"]).values[0, 0].tolist()
        == irmeval.evaluate(read, ["xinfAP"]).values[0, 0, 1:].tolist()
    )
