"""Score matrices: what is read, and what is refused with line, expectation and
remedy.
"""

import gzip

import numpy as np
import pytest

import irmeval
from irmeval.core.errors import ReadError
from irmeval.reading.parsing import read_matrix
from irmeval.reading.score_matrix import parse_matrix
from tests.conftest import real


def test_matrix_when_topics_are_named_then_names_and_scores_are_read():
    found = parse_matrix("folder/ap.csv", b"topic,a,b\n301,0.5,.25\n302,1,0\n")
    assert (found.name, found.runs, found.topics) == ("ap", ("a", "b"), ("301", "302"))
    assert found.values.tolist() == [[0.5, 1], [0.25, 0]]


def test_matrix_when_topics_have_no_names_then_they_are_numbered():
    found = parse_matrix("m", b"a,b\n.5,.25\n1,0\n1,1\n")
    assert (found.topics, found.values.shape) == (("1", "2", "3"), (2, 3))


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbftopic,a,b\r\n1,.5,.25\r\n2,1,0\r\n",
        b'Topic,"a",b\n\n1, .5,.25\n2,1e0,0\n\n',
        b"topic,a,b\n1,.5,.25\n2,1,0",
    ],
)
def test_matrix_when_written_oddly_then_it_reads_the_same(text):
    assert (
        parse_matrix("m.csv", text).fingerprint
        == parse_matrix("m.csv", b"topic,a,b\n1,.5,.25\n2,1,0\n").fingerprint
    )


def test_matrix_when_gzipped_then_it_is_unpacked(tmp_path):
    (tmp_path / "m.csv.gz").write_bytes(gzip.compress(b"a,b\n1,2\n3,4\n"))
    found = read_matrix(tmp_path / "m.csv.gz")
    assert (found.name, found.runs) == ("m", ("a", "b"))


def test_matrix_when_only_a_score_differs_then_so_does_its_fingerprint():
    assert (
        parse_matrix("m", b"a,b\n1,2\n3,4\n").fingerprint
        != parse_matrix("m", b"a,b\n1,2\n3,5\n").fingerprint
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "m.csv: expected a first line of run names, found an empty file"),
        (b"a,b\n", "m.csv: expected a line of scores for each topic, found run names only"),
        (
            b"a,b\n1,2\n3,nan\n",
            "m.csv, line 3: expected a finite number as score of b, found 'nan'",
        ),
        (
            b"a,b\n1,2\n3,inf\n",
            "m.csv, line 3: expected a finite number as score of b, found 'inf'",
        ),
        (b"a,b\n1,\n", "m.csv, line 2: expected a finite number as score of b, found nothing"),
        (b"a,b\n\n1,high\n", "m.csv, line 3: expected a finite number as score of b, found 'high'"),
        (b"a,b\n1,1_0\n", "m.csv, line 2: expected a finite number as score of b, found '1_0'"),
        (b"a,b\n1,2\n1,2,3\n", "m.csv, line 3: expected 2 columns, as in the first line, found 3"),
        (b"a,b\n1\n", "m.csv, line 2: expected 2 columns, as in the first line, found 1"),
        (b"a,b,a\n1,2,3\n", "m.csv, line 1: expected run names that differ, found 'a' twice"),
        (
            b",a,b\n1,2,3\n",
            (
                "m.csv, line 1: expected at least 2 run names, separated by commas, found an empty"
                " name in place 1"
            ),
        ),
        (
            b"topic,a\n1,2\n",
            "m.csv, line 1: expected at least 2 run names, separated by commas, found 'a'",
        ),
        (
            b".1,.2\n.3,.4\n",
            (
                "m.csv, line 1: expected at least 2 run names, separated by commas, found numbers"
                " such as .1"
            ),
        ),
        (
            b"topic,a,b\n1,2,3\n2,3,4\n1,4,5\n",
            "m.csv, line 4: expected each topic once, found '1' again, as in line 2",
        ),
        ("a,b\n1,2\n".encode("utf-16"), "m.csv: expected plain text in UTF-8"),
        (b'a,b\n1,"2\n', "m.csv: expected comma-separated text in UTF-8"),
    ],
)
def test_matrix_when_at_fault_then_the_line_is_named(text, message):
    with pytest.raises(ReadError) as error:
        parse_matrix("m.csv", text)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_matrix_when_of_trec_8_then_all_runs_and_topics_are_read():
    found = read_matrix(real("matrices") / "adhoc8_ap.csv")
    assert found.values.shape == (129, 50)
    assert np.all((found.values >= 0) & (found.values <= 1))


@pytest.mark.parametrize(
    ("name", "scale", "bounded"),
    [
        ("map.csv", 1, True),
        ("ndcg_cut_10.csv", 1, True),
        ("map.csv", 100, False),
        ("m.csv", 1, False),
    ],
)
def test_interval_when_the_file_is_named_by_a_measure_then_ends_at_its_range(name, scale, bounded):
    rows = "".join(f"{t},{a * scale},{b * scale}\n" for t, a, b in [(1, 0, 1), (2, 1, 0.5)])
    matrix = parse_matrix(name, f"topic,a,b\n{rows}".encode())
    frame = irmeval.EXPERIMENTS["leaderboard"](matrix).frame()
    assert ((frame["low"] >= 0) & (frame["high"] <= scale)).all() == bounded
