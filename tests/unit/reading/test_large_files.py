"""Files that are read block by block, and runs that are joined part by part, give the
same as small ones.
"""

import gzip
import itertools
from threading import Lock

import numpy as np
import pyarrow as pa
import pytest

from irmeval import ReadError, read_collection
from irmeval.collection import joining
from irmeval.core import parallel
from irmeval.core.folders import SAMPLE
from irmeval.reading import columns, parsing, trec

QRELS = "".join(f"{t} 0 d{d} {d % 3}\n" for t in range(1, 5) for d in range(20)).encode()
LINES = [
    f"{t} Q0 d{d} {r + 1} {9 - r // 2} tag\n"
    for t in (3, 1, 2, 4, 99)
    for r, d in enumerate(range(t, 30, 2))
]
RUN = "".join(LINES).encode()
ROUND = "".join(sorted(LINES, key=lambda line: int(line.split()[3]))).encode()
WAYS = {
    "plain": RUN,
    "topics not together": ROUND,
    "no end of the last line": RUN.rstrip(),
    "CRLF": RUN.replace(b"\n", b"\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + RUN,
    "tabs": RUN.replace(b" ", b"\t"),
    "tabs and spaces": RUN[: len(RUN) // 2] + RUN[len(RUN) // 2 :].replace(b" ", b"\t"),
    "comments and empty lines": b"# by hand\n\n" + RUN.replace(b"\n", b"\n\n#\n  \n"),
    "several spaces": RUN.replace(b" Q0 ", b"   Q0  "),
    "numbers that Arrow does not read": RUN + b"4 Q0 e 90 .5e0 tag\n4 Q0 f 91 +.25 tag\n",
    "packed": gzip.compress(RUN),
    "packed twice over": gzip.compress(RUN[:400]) + gzip.compress(RUN[400:]),
}
FAULTS = {
    "a column too many": RUN + b"1 Q0 x 9 1 tag more\n",
    "a column that is empty": RUN + b"1 Q0  9 1 tag\n",
    "a word for a score": RUN.replace(b" 5 tag", b" five tag", 1),
    "NaN": RUN + b"1 Q0 x 99 nan tag\n",
    "a document again": RUN + LINES[0].encode(),
    "a document again, topics not together": ROUND + LINES[7].encode(),
    "another encoding": RUN + "1 Q0 é 99 0 tag\n".encode("latin-1"),
    "a NUL": RUN + b"1 Q0 \0 99 0 tag\n",
    "a long line": RUN + b"1 Q0 " + b"x" * 20_000 + b" 99 0 tag\n",
    "nothing": b"\n# nothing\n" * 50,
    "no topic of the qrels": (
        RUN.replace(b"Q0", b"0")
        .replace(b" tag", b" t")
        .translate(bytes.maketrans(b"1234", b"abcd"))
    ),
    "cut off": gzip.compress(RUN)[:-9],
    "damaged": gzip.compress(RUN)[:-6] + b"xxxxxx",
    "another wrapping": b"BZh" + RUN,
    "many zeros": gzip.compress(bytes(1 << 20)),
}


@pytest.fixture
def in_blocks(monkeypatch):
    """Every file counts as large, blocks have few lines, parts few topics."""

    def switch():
        monkeypatch.setattr(columns, "LARGE", 0)
        monkeypatch.setattr(columns, "BLOCK", 96)
        monkeypatch.setattr(columns, "BLOCK", 96)
        monkeypatch.setattr(trec, "WINDOW", 3)
        monkeypatch.setattr(joining, "PART", 5)
        monkeypatch.setattr(joining, "ROWS_PER_ENTRY", 0)

    return switch


@pytest.fixture
def given(tmp_path):
    def write(text):
        (tmp_path / "qrels").write_bytes(QRELS)
        (tmp_path / "run").write_bytes(text)
        return tmp_path / "qrels", tmp_path / "run"

    return write


@pytest.mark.parametrize("order", ["trec_eval", "double", "rank", "file"])
@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_large_file_when_read_then_is_what_it_is_as_a_small_one(given, in_blocks, text, order):
    files = given(text)
    small = read_collection(*files, order=order, depth=7)
    in_blocks()
    assert read_collection(*files, order=order, depth=7).fingerprint == small.fingerprint


@pytest.mark.parametrize("text", FAULTS.values(), ids=FAULTS)
def test_large_file_when_at_fault_then_is_refused_as_a_small_one(given, in_blocks, text):
    files = given(text)
    with pytest.raises(ReadError) as small:
        read_collection(*files)
    in_blocks()
    with pytest.raises(ReadError) as large:
        read_collection(*files)
    assert str(large.value) == str(small.value)
    assert large.value.__reduce__() == small.value.__reduce__()


def test_large_file_when_documents_are_repeated_and_the_first_is_kept_then_counts_as_a_small_one(
    given, in_blocks
):
    files = given(RUN + LINES[0].encode() + LINES[9].encode())
    small = read_collection(*files, repeated="first")
    in_blocks()
    large = read_collection(*files, repeated="first")
    assert large.repeated == small.repeated == (2,)
    assert large.fingerprint == small.fingerprint


def test_large_files_when_among_small_ones_then_the_runs_keep_their_order(monkeypatch):
    paths = sorted((SAMPLE / "runs").iterdir())
    sizes = sorted(path.stat().st_size for path in paths)
    small = read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs")
    monkeypatch.setattr(columns, "LARGE", sizes[len(sizes) // 2] * columns.GZIP_RATIO)
    assert len({columns.is_large(path) for path in paths}) == 2
    assert (
        read_collection(SAMPLE / "qrels.txt.gz", SAMPLE / "runs").fingerprint == small.fingerprint
    )


def test_progress_when_files_are_read_then_counts_each_of_them(monkeypatch):
    paths = sorted((SAMPLE / "runs").iterdir())
    monkeypatch.setattr(columns, "LARGE", paths[0].stat().st_size * columns.GZIP_RATIO)
    told = []
    read_collection(
        SAMPLE / "qrels.txt.gz", paths[:9], progress=lambda done, of: told.append((done, of))
    )
    assert told == [(done, 9) for done in range(10)]


def test_large_gzip_when_it_unpacks_beyond_all_measure_then_is_given_up_before_it_is_held(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(columns.files, "SMALL", 1 << 20)
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"1 Q0 d 1 1 t\n" * 500_000))
    sizes: list[int] = []
    with pytest.raises(columns.ArrowRefused):
        sizes.extend(map(len, columns.stream(tmp_path / "run.gz")))
    assert sum(sizes) <= 1 << 20


def test_blocks_when_drawn_then_no_more_are_made_than_there_are_workers(monkeypatch):
    monkeypatch.setattr(parallel, "count_processors", lambda: 3)
    lock, held, most = Lock(), 0, 0

    def blocks():
        nonlocal held, most
        for number in range(50):
            with lock:
                held += 1
                most = max(most, held)
            yield number

    def use(number):
        nonlocal held
        with lock:
            held -= 1
        return number**2

    assert parallel.map_lazily(use, blocks()) == [number**2 for number in range(50)]
    assert most <= 3


def test_blocks_when_one_fails_then_its_error_comes_and_no_more_are_drawn(monkeypatch):
    monkeypatch.setattr(parallel, "count_processors", lambda: 2)
    endless = itertools.count()

    def use(number):
        if number == 4:
            raise columns.ArrowRefused
        return number

    with pytest.raises(columns.ArrowRefused):
        parallel.map_lazily(use, endless)
    assert next(endless) <= 8


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("together", [True, False])
def test_repeated_rows_when_looked_for_in_windows_then_are_those_of_a_plain_search(
    monkeypatch, seed, together
):
    monkeypatch.setattr(trec, "WINDOW", 10)
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, 12, 200).astype(np.int32)
    topic = rng.permutation(12).astype(np.int32)[np.sort(topic)] if together else topic
    documents = rng.integers(0, 40 + 100 * seed, 200).astype(str).tolist()
    first = {}
    expected = [
        (row, first[pair])
        for row, pair in enumerate(zip(topic, documents, strict=True))
        if first.setdefault(pair, row) != row
    ]
    again = trec.repeated_rows(topic, pa.array(documents))
    assert [*zip(*(rows.tolist() for rows in again), strict=True)] == expected


def test_blocks_when_a_text_is_cut_into_them_then_they_are_whole_lines_and_all_of_it(monkeypatch):
    monkeypatch.setattr(columns, "BLOCK", 50)
    text = RUN + b"x" * 200 + b"\n" + RUN.rstrip()
    blocks = [*columns.split_blocks(text)]
    assert b"".join(blocks) == text
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert max(map(len, blocks)) == 201


def test_line_of_a_fault_when_far_into_a_text_of_many_blocks_then_is_right(monkeypatch):
    monkeypatch.setattr(columns, "BLOCK", 50)
    with pytest.raises(ReadError, match="five") as error:
        parsing.parse_run("run", RUN + b"9 Q0 a 1 five tag\n")
    assert error.value.line == len(LINES) + 1
