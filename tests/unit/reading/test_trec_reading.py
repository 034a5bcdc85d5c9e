"""What qrels and run files may look like, and that the text of an id is never
touched.
"""

import gzip
import io
import itertools
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from irmeval import read_collection
from irmeval.reading import files, lines, parsing
from irmeval.reading.columns import BOM
from irmeval.reading.sources import read_qrels
from irmeval.reading.text_layout import QRELS, comments, skipped
from irmeval.reading.writing import write_qrels
from tests.cases import settled_run

ODD_IDS = [
    "NA",
    "null",
    "None",
    "nan",
    "007",
    "1e5",
    "1.0",
    "+1",
    "-0",
    '"quoted',
    "it's",
    "True",
    "a,b;c",
    "d#1",
    "0x1F",
    "données-é",
    "文書",
    "\u00a0x",
    "-",
]
PLAIN_QRELS = b"1 0 a 1\n1 0 b 0\n2 0 a -1\n"
PLAIN_RUN = b"1 Q0 a 1 0.5 tag\n1 Q0 b 2 -1e-3 tag\n2 Q0 a 1 7 tag\n"


def qrels_rows(data):
    found = parsing.settled_qrels("qrels", data)
    return list(
        zip(
            (found.topics[t] for t in found.topic),
            found.documents.to_pylist(),
            found.grade.tolist(),
            strict=True,
        )
    )


def run_rows(data):
    found = settled_run("run", data)
    topics = [found.topics[t] for t in found.topic]
    return list(
        zip(
            topics,
            found.documents.to_pylist(),
            found.rank.to_pylist(),
            found.score.tolist(),
            strict=True,
        )
    )


WAYS_TO_WRITE = {
    "tabs": lambda text: text.replace(b" ", b"\t"),
    "several blanks": lambda text: text.replace(b" ", b"   "),
    "tabs and blanks mixed": (
        lambda text: text.replace(b" 0 ", b"\t0  ").replace(b" Q0 ", b" \tQ0\t ")
    ),
    "a tab in one line only": lambda text: text.replace(b" ", b"\t", 1),
    "vertical tab and form feed": lambda text: text.replace(b" ", b"\v", 1).replace(b" ", b"\f", 1),
    "Windows line ends": lambda text: text.replace(b"\n", b"\r\n"),
    "byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "no line end at the end": lambda text: text.removesuffix(b"\n"),
    "blanks at line ends": lambda text: text.replace(b"\n", b" \n"),
    "a blank at the end only": lambda text: text.removesuffix(b"\n") + b" ",
    "blanks at line starts": lambda text: b" " + text.replace(b"\n", b"\n\t"),
    "a blank at the start only": lambda text: b" " + text,
    "empty lines": lambda text: b"\n\n" + text.replace(b"\n", b"\n\n"),
    "lines of blanks": lambda text: text.replace(b"\n", b"\n \t \n"),
    "comments": lambda text: b"# one\n" + text.replace(b"\n", b"\n# two \xff\n", 1) + b"  # three",
    "comment directly after the byte order mark": lambda text: b"\xef\xbb\xbf# one\n" + text,
    "everything at once": (
        lambda text: b"\xef\xbb\xbf#\r\n\r\n" + text.replace(b" ", b" \t").replace(b"\n", b" \r\n")
    ),
}


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_qrels_when_written_another_way_then_read_the_same(way):
    assert qrels_rows(WAYS_TO_WRITE[way](PLAIN_QRELS)) == [
        ("1", "a", 1),
        ("1", "b", 0),
        ("2", "a", -1),
    ]


@pytest.mark.parametrize("way", WAYS_TO_WRITE)
def test_run_when_written_another_way_then_reads_the_same(way):
    assert run_rows(WAYS_TO_WRITE[way](PLAIN_RUN)) == [
        ("1", "a", "1", 0.5),
        ("1", "b", "2", -0.001),
        ("2", "a", "1", 7.0),
    ]


@pytest.mark.parametrize("blanks", [b" ", b"\t", b"  "])
@pytest.mark.parametrize("odd", ODD_IDS)
def test_id_when_it_looks_like_something_else_then_stays_text(odd, blanks):
    topic = document = odd.encode()
    assert qrels_rows(blanks.join([topic, b"0", document, b"1"])) == [(odd, odd, 1)]
    run = settled_run("run", blanks.join([topic, b"Q0", document, b"1", b"+0.5", topic]))
    assert (run.topics, run.documents.to_pylist(), run.tags) == ((odd,), [odd], (odd,))


def test_column_when_unused_then_may_hold_anything():
    assert qrels_rows(b"1 x\xff a 1\n") == [("1", "a", 1)]
    assert run_rows(b"1 - a one 1 t\n") == [("1", "a", "one", 1.0)]


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("1", 1),
        ("+1.5", 1.5),
        ("-.5", -0.5),
        ("2.", 2),
        ("1E-3", 0.001),
        ("1e400", np.inf),
        ("inf", np.inf),
        ("-Infinity", -np.inf),
        ("1e-400", 0),
    ],
)
def test_score_when_a_number_in_any_notation_then_is_read(text, score):
    assert run_rows(f"1 Q0 a 1 {text} t".encode())[0][3] == score


@pytest.mark.parametrize(
    ("text", "grade"), [("0", 0), ("+2", 2), ("-2", -2), ("-0", 0), ("0003", 3)]
)
def test_grade_when_a_whole_number_in_any_notation_then_is_read(text, grade):
    assert qrels_rows(f"1 0 a {text}".encode())[0][2] == grade


@pytest.mark.parametrize(
    ("grades", "dtype"),
    [((0, 127), np.int8), ((-128, 1), np.int8), ((0, 128), np.int16), ((-129, 0), np.int16)],
)
def test_grades_when_read_then_have_the_smallest_type_that_holds_them(grades, dtype):
    text = "".join(f"1 0 d{i} {g}\n" for i, g in enumerate(grades))
    found = parsing.settled_qrels("qrels", text.encode()).grade
    assert (found.dtype, found.tolist()) == (dtype, list(grades))


@pytest.mark.parametrize(
    ("topics", "expected"),
    [
        (["10", "9", "100"], ["9", "10", "100"]),
        (["10", "9", "a"], ["9", "10", "a"]),
        (["2", "02", "1"], ["1", "02", "2"]),
        (["9" * 5000, "1"], ["1", "9" * 5000]),
    ],
)
def test_topics_when_they_have_numbers_then_go_by_these(topics, expected):
    found = parsing.settled_qrels("qrels", "".join(f"{t} 0 a 1\n" for t in topics).encode())
    assert list(found.topics) == expected


def test_judgments_when_in_any_order_then_go_by_topic_and_document_as_bytes():
    expected = [("9", "Z", 0), ("9", "y", 3), ("9", "é", 1), ("10", "a", 2), ("10", "b", 1)]
    for rows in itertools.permutations(expected):
        assert qrels_rows("".join(f"{t} 0 {d} {g}\n" for t, d, g in rows).encode()) == expected


# ---------------------------------------------------------------- wrappings


def zipped(members, method=zipfile.ZIP_DEFLATED):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_file_when_plain_or_gzip_then_unpacks_to_the_same_text():
    assert (
        list(files.unpack("a", PLAIN_RUN))
        == list(files.unpack("a", gzip.compress(PLAIN_RUN)))
        == [("a", PLAIN_RUN)]
    )


def test_gzip_when_of_several_parts_and_padded_then_is_read_whole():
    packed = gzip.compress(PLAIN_RUN[:20]) + gzip.compress(PLAIN_RUN[20:]) + b"\0" * 100
    assert list(files.unpack("a", packed)) == [("a", PLAIN_RUN)]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_zip_when_it_holds_folders_gzip_and_litter_then_gives_each_text(method):
    members = {
        "runs/": b"",
        "runs/a": PLAIN_RUN,
        "b.gz": gzip.compress(PLAIN_RUN),
        "__MACOSX/runs/._a": b"\0",
        "runs/.DS_Store": b"\0",
    }
    assert list(files.unpack("z.zip", zipped(members, method))) == [
        ("z.zip/runs/a", PLAIN_RUN),
        ("z.zip/b.gz", PLAIN_RUN),
    ]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a", "a"),
        ("x/y/a.gz", "a"),
        ("z.zip/runs/a.gz", "a"),
        (r"C:\runs\a.txt", "a.txt"),
        ("../../a", "a"),
    ],
)
def test_stem_when_given_a_path_then_is_its_last_part_without_gz(path, name):
    assert files.stem(path) == name


def test_qrels_when_alone_in_a_zip_then_are_read(tmp_path):
    (tmp_path / "q.zip").write_bytes(zipped({"qrels.txt": PLAIN_QRELS}))
    assert read_qrels(tmp_path / "q.zip").documents.to_pylist() == ["a", "b", "a"]


def test_collection_when_runs_come_plain_gzip_and_zipped_then_all_are_read(tmp_path):
    (tmp_path / "q").write_bytes(PLAIN_QRELS)
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "one").write_bytes(PLAIN_RUN.replace(b"tag", b"t1"))
    (folder / "two.gz").write_bytes(gzip.compress(PLAIN_RUN.replace(b"tag", b"t2")))
    (folder / "z.zip").write_bytes(
        zipped(
            {
                "x/a": PLAIN_RUN.replace(b"tag", b"t3"),
                "x/b.gz": gzip.compress(PLAIN_RUN.replace(b"tag", b"t4")),
            }
        )
    )
    (folder / ".hidden").write_bytes(b"\0")
    assert read_collection(tmp_path / "q", folder).runs == ("t1", "t2", "t3", "t4")


def test_qrels_when_written_then_read_back_the_same():
    text = write_qrels(["1", "1", "2"], ["NA", "a", "a"], [-1, 3, 0])
    assert qrels_rows(text.encode()) == [("1", "NA", -1), ("1", "a", 3), ("2", "a", 0)]


@pytest.mark.parametrize("line", [b"#\n", b" \t# c\r\n", b"\n", b" \t\n"])
def test_comments_and_empty_lines_when_in_a_row_then_are_skipped_in_one_step(monkeypatch, line):
    steps, skip = [], skipped(QRELS).match
    pattern = SimpleNamespace(match=lambda data, at: steps.append(at) or skip(data, at))
    monkeypatch.setattr(lines, "skipped", lambda layout: pattern)
    assert [*lines.numbered_lines(BOM + line * 50_000 + b"1 0 a 1\n" + line * 50_000)] == [
        (50_001, b"1 0 a 1")
    ]
    assert len(steps) == 2


def test_comments_when_a_block_is_parsed_then_those_in_a_row_are_left_out_in_one_step():
    assert comments(QRELS).subn(b"", b"#\n#a\n" * 50_000 + b"1 0 a 1\n#") == (b"1 0 a 1\n", 2)
