"""What is refused, and that the message names the file, the line, what was expected and
what was found.
"""

import gzip
import io
import pickle
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest

from irmeval import ReadError, read_collection
from irmeval.collection.team_names import read_teams
from irmeval.reading import columns, files, parsing
from irmeval.reading.exclusions import read_exclusions
from irmeval.reading.sources import read_qrels
from tests.cases import refusal, settled_run
from tests.unit.reading.test_trec_reading import PLAIN_QRELS, PLAIN_RUN, zipped

MEND = "Fix or remove the line."
FOUR = "expected 4 columns (topic iteration document grade)"
SIX = "expected 6 columns (topic Q0 document rank score tag)"
UNKNOWN, LISTED = "expected qrels in a known format", "See irmeval formats."
UTF8 = "expected plain text in UTF-8, found binary data or another encoding. Save it as UTF-8 text."

REFUSED_QRELS = {
    "five columns, the last no grade": (
        b"1 0 a 1 x\n",
        f"q, line 1: {UNKNOWN}, found 5 columns: '1 0 a 1 x'. {LISTED}",
    ),
    "a run": (
        PLAIN_RUN,
        (
            "q: expected qrels, found what looks like a TREC run. Give judgments here; runs are"
            " given as RUN, or dropped on Collection."
        ),
    ),
    "scores": (
        b"run,topic,score\na,1,0.5\na,2,0.4\nb,1,0.3\nb,2,0.2\n",
        (
            "q: expected qrels, found what looks like scores with a header. Give judgments here;"
            " scores are given with --matrix, or dropped on Collection."
        ),
    ),
    "a missing column hidden by a double blank": (
        b"1 0 a 1\n1 0  1\n",
        f"q, line 2: {FOUR}, found 3: '1 0  1'. {MEND}",
    ),
    "a missing last column hidden by a blank": (
        b"1 0 a ",
        f"q, line 1: {UNKNOWN}, found 3 columns: '1 0 a'. {LISTED}",
    ),
    "a long line": (b"x" * 200, f"q, line 1: {FOUR}, found 1: '{'x' * 80}...'. {MEND}"),
    "hexadecimal grade": (
        b"1 0 a 0x1\n",
        f"q, line 1: expected a whole number as grade, found '0x1'. {MEND}",
    ),
    "NaN as grade": (
        b"1 0 a nan\n",
        f"q, line 1: expected a whole number as grade, found 'nan'. {MEND}",
    ),
    "grade in other digits": (
        "1 0 a ١\n".encode(),
        f"q, line 1: expected a whole number as grade, found '١'. {MEND}",
    ),
    "empty": (
        b"",
        (
            "q: expected lines of 4 columns (topic iteration document grade), found an empty file."
            " Copy it again."
        ),
    ),
    "only comments": (
        b"\xef\xbb\xbf# a\n\n #b",
        (
            "q: expected lines of 4 columns (topic iteration document grade), found only comment"
            " lines. Copy it again."
        ),
    ),
    "UTF-16 without a mark": (PLAIN_QRELS.decode().encode("utf-16-be"), f"q: {UTF8}"),
    "binary": (b"\x8bPNG\r\n\x1a\n\0\0", f"q: {UTF8}"),
    "Latin-1 topic": (
        "é 0 a 1\n".encode("latin-1"),
        "q, line 1: expected text in UTF-8, found '\\\\xe9 0 a 1'. Save the file as UTF-8.",
    ),
}

REFUSED_RUNS = {
    "five columns": (
        b"1 Q0 a 1 2 t\n1 Q0 b 2 1\n",
        f"r, line 2: {SIX}, found 5: '1 Q0 b 2 1'. {MEND}",
    ),
    "seven columns": (b"1 Q0 a 1 2 t t\n", f"r, line 1: {SIX}, found 7: '1 Q0 a 1 2 t t'. {MEND}"),
    "no tag but a blank at the end": (
        b"1 Q0 a 1 2 ",
        f"r, line 1: {SIX}, found 5: '1 Q0 a 1 2'. {MEND}",
    ),
    "a shifted line": (
        b"1 Q0 a 1 2 t\n1 Q0  1 2 t\n",
        f"r, line 2: {SIX}, found 5: '1 Q0  1 2 t'. {MEND}",
    ),
    "a shifted line between tabs": (
        b"1\tQ0\ta\t1\t2\tt\n1\tQ0\t\t1\t2\tt\n",
        f"r, line 2: expected a document, found an empty cell. {MEND}",
    ),
    "score with an underscore": (
        b"1 Q0 a 1 1_0 t\n",
        f"r, line 1: expected a number as score, found '1_0'. {MEND}",
    ),
    "NaN": (
        b"1 Q0 a 1 2 t\n1 Q0 b 2 NaN t\n",
        "r, line 2: expected a score that is a number, found NaN. Give every document a score.",
    ),
    "NaN where another score has a sign": (
        b"1 Q0 a 1 +2 t\n1 Q0 b 2 -nan t\n",
        "r, line 2: expected a score that is a number, found NaN. Give every document a score.",
    ),
    "empty": (
        b"\n \n",
        (
            "r: expected lines of 6 columns (topic Q0 document rank score tag), found an empty"
            " file. Copy it again."
        ),
    ),
}


@pytest.mark.parametrize("case", REFUSED_QRELS)
def test_qrels_when_at_fault_then_refused_with_file_line_and_reason(case):
    data, message = REFUSED_QRELS[case]
    assert refusal(ReadError, parsing.settled_qrels, "q", data) == message


@pytest.mark.parametrize("case", REFUSED_RUNS)
def test_run_when_at_fault_then_refused_with_file_line_and_reason(case):
    data, message = REFUSED_RUNS[case]
    assert refusal(ReadError, settled_run, "r", data) == message


@pytest.mark.parametrize(
    "case", [c for c, (_, message) in REFUSED_RUNS.items() if ", line " in message]
)
@pytest.mark.parametrize(
    ("before", "lines"),
    [
        (b"# comment\n", 1),
        (b"\n\n", 2),
        (b"\xef\xbb\xbf", 0),
        (b"\xef\xbb\xbf#\r\n \t\r\n9 Q0 z 1 1 t\r\n", 3),
        (b"9  Q0\tz 1 1 t\n", 1),
    ],
)
def test_line_number_when_odd_lines_precede_the_fault_then_counts_them(case, before, lines):
    data, _ = REFUSED_RUNS[case]
    with pytest.raises(ReadError) as alone:
        settled_run("r", data)
    with pytest.raises(ReadError) as preceded:
        settled_run("r", before + data)
    assert preceded.value.line == alone.value.line + lines


def test_two_topics_when_they_share_a_document_then_it_is_no_repetition():
    assert len(settled_run("r", b"1 Q0 a 1 1 t\n11 Q0 a 1 1 t\n1 Q0 1a 2 0 t\n").topics) == 2


# ---------------------------------------------------------------- wrappings

BOMB = gzip.compress(b"1 Q0 a 1 1 t\n" * 200_000)
ENOUGH = 1 << 20


def lie_about_size(packed):
    """A zip whose member claims to unpack to ten bytes."""
    at = packed.index(b"PK\x01\x02") + 24
    return packed[:at] + struct.pack("<I", 10) + packed[at + 4 :]


REFUSED_WRAPPINGS = {
    "gzip cut in its checksum": (
        gzip.compress(PLAIN_RUN)[:-3],
        "f: expected a whole gzip file, found a truncated one. Copy it again.",
    ),
    "only the start of a gzip header": (
        b"\x1f\x8b\x08",
        "f: expected a whole gzip file, found a truncated one. Copy it again.",
    ),
    "gzip bomb": (BOMB, "f: expected at most 1 MiB when unpacked, found more. Split the file."),
    "plain text beyond the limit": (
        b"x" * (ENOUGH + 1),
        "f: expected at most 1 MiB, found more. Split the file.",
    ),
    "zip bomb": (
        zipped({"a": b"x" * (ENOUGH + 1)}),
        "f: expected at most 1 MiB when unpacked, found more. Split the zip.",
    ),
    "zip whose members add up to a bomb": (
        zipped({str(i): b"x" * 400_000 for i in range(3)}),
        "f: expected at most 1 MiB when unpacked, found more. Split the zip.",
    ),
    "gzip bomb in a zip": (
        zipped({"a.gz": BOMB}),
        "f: expected at most 1 MiB when unpacked, found more. Split the zip.",
    ),
    "empty zip in a zip": (
        zipped({"b.zip": zipped({})}),
        "f/b.zip: expected a text or gzip file, found a zip inside a zip. Unpack it first.",
    ),
    "zip of litter": (
        zipped({"__MACOSX/a": b"x", "b/": b""}),
        "f: expected a zip file with run or qrels files in it, found an empty one.",
    ),
    "zip of too many": (
        zipped({str(i): b"" for i in range(2002)}),
        "f: expected at most 2001 files in a zip, found 2002. Split it.",
    ),
}


@pytest.mark.parametrize("case", REFUSED_WRAPPINGS)
def test_wrapping_when_at_fault_then_refused_with_reason(case):
    data, message = REFUSED_WRAPPINGS[case]
    with pytest.raises(ReadError) as caught:
        list(files.unpack("f", data, limit=ENOUGH))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("data", "start"),
    [
        (
            gzip.compress(PLAIN_RUN)[:15] + b"\xff\xff\xff" + gzip.compress(PLAIN_RUN)[18:],
            "f: expected a gzip file, found damaged data (",
        ),
        (gzip.compress(PLAIN_RUN) + b"rubbish", "f: expected a gzip file, found damaged data ("),
        (zipped({"a": PLAIN_RUN})[:-30], "f: expected a zip file, found damaged data ("),
        (
            zipped({"a": PLAIN_RUN}, zipfile.ZIP_STORED).replace(b"1 Q0", b"2 Q0"),
            "f/a: expected a readable zip member, found one that cannot be unpacked (",
        ),
        (
            lie_about_size(zipped({"a": PLAIN_RUN})),
            "f/a: expected a readable zip member, found one that cannot be unpacked (",
        ),
    ],
    ids=[
        "corrupt gzip",
        "rubbish after gzip",
        "cut zip",
        "corrupt member",
        "member larger than declared",
    ],
)
def test_wrapping_when_damaged_then_refused_with_the_cause(data, start):
    with pytest.raises(ReadError) as caught:
        list(files.unpack("f", data))
    assert str(caught.value).startswith(start)


def test_zip_when_encrypted_then_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a", PLAIN_RUN)
    data = bytearray(packed.getvalue())
    data[6] |= 1  # the flag in the member's own header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # and in the directory
    with pytest.raises(
        ReadError, match="f/a: expected a zip member without a password, found an encrypted one"
    ):
        list(files.unpack("f", bytes(data)))


# ---------------------------------------------------------------- files and collections


def test_file_when_it_does_not_exist_then_refused(tmp_path):
    said = refusal(ReadError, files.read_bytes, tmp_path / "none")
    assert (
        said
        == f"{tmp_path}/none: expected a readable file, found no such file or directory. Check the"
        " path."
    )
    assert (
        refusal(ReadError, files.read_bytes, tmp_path)
        == f"{tmp_path}: expected a readable file, found a folder. Check the path."
    )


@pytest.mark.parametrize(
    ("asked", "there"), [("qrels.txt", "qrels.txt.gz"), ("qrels.txt.gz", "qrels.txt")]
)
def test_file_when_it_is_there_packed_or_unpacked_then_that_one_is_named(tmp_path, asked, there):
    (tmp_path / there).write_bytes(b"")
    came = "expected a readable file, found no such file or directory"
    assert (
        refusal(ReadError, files.read_bytes, tmp_path / asked)
        == f"{tmp_path}/{asked}: {came}. Use {tmp_path}/{there}, which exists."
    )


def test_folder_when_empty_then_refused(tmp_path):
    assert (
        refusal(ReadError, files.list_files, [tmp_path])
        == f"{tmp_path}: expected a folder of run files, found an empty folder."
    )


def test_path_when_empty_then_refused_and_not_taken_for_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n")
    for read in (lambda: files.list_files([""]), lambda: files.read_bytes("")):
        with pytest.raises(ReadError) as caught:
            read()
        assert (
            str(caught.value)
            == "'': expected the path of a file or a folder, found an empty text. Name one."
        )


def test_path_when_longer_than_any_file_name_then_refused_in_a_line():
    name = "x" * 300
    assert files.list_files([name]) == [Path(name)]
    with pytest.raises(ReadError, match="expected a readable file, found file name too long"):
        files.read_bytes(name)


def test_qrels_when_a_zip_of_two_then_refused(tmp_path):
    (tmp_path / "q.zip").write_bytes(zipped({"a": PLAIN_QRELS, "b": PLAIN_QRELS}))
    assert (
        refusal(ReadError, read_qrels, tmp_path / "q.zip")
        == f"{tmp_path}/q.zip: expected one qrels file, found a zip of 2."
    )


def write_both(tmp_path, qrels, run):
    (tmp_path / "q").write_bytes(qrels)
    (tmp_path / "r").write_bytes(run)
    return tmp_path / "q", tmp_path / "r"


def test_collection_when_no_topic_is_common_then_refused(tmp_path):
    with pytest.raises(ReadError) as caught:
        read_collection(*write_both(tmp_path, PLAIN_QRELS, b"x1 Q0 a 1 1 t\n"))
    expected = (
        f"{tmp_path}/r: expected topics of the qrels, such as '1', found topics such as 'x1'. Check"
        " that run and qrels belong together."
    )
    assert str(caught.value) == expected


def test_collection_when_a_run_is_at_fault_then_the_message_names_its_path(tmp_path):
    with pytest.raises(ReadError) as caught:
        read_collection(*write_both(tmp_path, PLAIN_QRELS, b"1 Q0 a 1 x t\n"))
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "r"), 1)


def test_collection_when_ordered_by_ranks_that_are_not_numbers_then_refused(tmp_path):
    with pytest.raises(
        ReadError,
        match="expected whole numbers in the rank column, found '2.5' for 'b' of topic '1'. Order"
        " by score: --order trec_eval.",
    ):
        read_collection(
            *write_both(tmp_path, PLAIN_QRELS, b"1 Q0 a 1 1 t\n1 Q0 b 2.5 1 t\n"), order="rank"
        )


def test_error_when_pickled_then_says_the_same():
    error = ReadError("f", 3, "this", "that", "Do so.")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.file, again.line) == (
        "f, line 3: expected this, found that. Do so.",
        "f",
        3,
    )


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("place", [0, 1])
def test_mark_when_in_mid_file_then_is_refused_with_its_line_and_the_remedy_removes_it(
    place, large, tmp_path, monkeypatch
):
    if large:
        monkeypatch.setattr(columns, "LARGE", 0)
    sound = [b"1 0 a 1\n1 0 b 0\n2 0 a 1\n", b"1 Q0 a 1 2 t\n1 Q0 b 1 1 t\n2 Q0 a 1 2 t\n"]
    texts = [*sound]
    texts[place] = texts[place].replace(b"\n2 ", b"\n\xef\xbb\xbf2 ")
    with pytest.raises(ReadError) as caught:
        read_collection(*write_both(tmp_path, *texts))
    found = caught.value
    assert (found.line, found.expected, found.came[:17]) == (3, "a topic", "a byte order mark")
    command = found.remedy.removeprefix("Remove it: ")
    command = command.replace("FILE", found.file).replace("NEW", f"{found.file}.new")
    subprocess.run(command, shell=True, check=True, timeout=60)
    assert Path(f"{found.file}.new").read_bytes() == sound[place]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (parsing.read_matrix, b"topic,a,b\n1,0.5,0.25\n%b2,0.5,0.125\n"),
        (parsing.read_matrix, b"run,topic,score\na,1,0.5\n%bb,1,0.25\n"),
        (parsing.read_matrix, b"run,topic,score\na,1,0.5\n%brun,topic,score\nb,1,0.25\n"),
        (parsing.read_matrix, b"a 1 map 0.5\nb 1 map 0.25\n%bb 1 rr 0.5\na 1 rr 0.5\n"),
        (read_exclusions, b"1 a\n1 b\n%b2 a\n"),
        (lambda path: read_teams(path, Path(path).read_bytes()), b"run,team\na,x\n%bb,x\n"),
    ],
)
def test_mark_when_in_the_middle_of_scores_exclusions_or_teams_then_is_refused_with_its_line(
    read, text, tmp_path
):
    path = tmp_path / "given.csv"
    path.write_bytes(text % b"\xef\xbb\xbf")
    with pytest.raises(ReadError) as caught:
        read(str(path))
    line = 1 + text[: text.index(b"%b")].count(b"\n")
    assert (caught.value.line, caught.value.came) == (line, files.MARKED)
