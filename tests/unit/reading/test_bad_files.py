"""Files with one fault each (`tests/bad_files`): the exact message, and a session that
goes on, in bounded memory.
"""

import gzip
import io
import json
import tracemalloc
import zipfile

import pytest

from irmeval import ReadError
from irmeval.collection.base import build
from irmeval.reading import files, parsing, trec
from irmeval.reading.faults import examine
from tests.cases import read_qrels_or_run, refusal
from tests.conftest import ROOT

FOLDER = ROOT / "tests" / "bad_files"
MESSAGES = json.loads((FOLDER / "expected.json").read_text())
QRELS = b"1 0 d1 1\n1 0 d2 0\n2 0 d1 2\n"
MIB = 1 << 20


def take(name, data):
    """What the dashboard and the command line do with a file."""
    for inner, text in list(files.unpack(name, data)):
        found = read_qrels_or_run(inner, text)
        if isinstance(found, trec.Run):
            build(parsing.settled_qrels("qrels", QRELS), [found])


def test_folder_when_listed_then_every_file_has_its_message():
    assert sorted(MESSAGES) == sorted(p.name for p in FOLDER.iterdir() if p.name != "expected.json")


@pytest.mark.parametrize("name", MESSAGES)
def test_bad_file_when_read_then_refused_with_its_message(name):
    assert refusal(ReadError, take, name, (FOLDER / name).read_bytes()) == MESSAGES[name]


@pytest.mark.parametrize("name", [name for name in MESSAGES if name.endswith((".run", ".run.gz"))])
def test_command_when_a_run_is_bad_then_one_line_and_status_2(name, tmp_path, run_command):
    (tmp_path / "q").write_bytes(QRELS)
    assert (
        run_command("evaluate", tmp_path / "q", FOLDER / name, "-m", "AP", status=2).err.count("\n")
        == 1
    )


@pytest.mark.parametrize("name", [name for name in MESSAGES if name.endswith((".run", ".run.gz"))])
def test_check_when_a_run_is_bad_then_it_is_a_finding_and_status_1(name, tmp_path, run_command):
    (tmp_path / "q").write_bytes(QRELS)
    assert "\nerror " in run_command("check", tmp_path / "q", FOLDER / name, status=1).out


# ---------------------------------------------------------------- large ones, made here


def zipped(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return packed.getvalue()


LARGE = {
    "gzip bomb": lambda: gzip.compress(b"1 Q0 d1 1 1 t\n" * MIB, 1),
    "zip bomb": lambda: zipped({"a": bytes(10 * MIB)}),
    "zip of many bombs": lambda: zipped(
        {f"r{i}": b"1 Q0 d1 1 1 t\n" * (MIB // 3) for i in range(3)}
    ),
    "10 MB line": lambda: b"1 Q0 " + b"x" * (10 * MIB) + b"\n",
    "10 MB line of columns": lambda: b"1 Q0 d 1 " * MIB,
    "10 MB of NUL": lambda: bytes(10 * MIB),
    "half a MB of line ends and a word": lambda: b"\n" * (MIB // 2) + b"word",
    "10 MB of one digit": lambda: b"1 Q0 d 1 " + b"1" * (10 * MIB) + b" t\n1 Q0",
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_file_when_read_then_refused_shortly_in_bounded_memory(kind, monkeypatch):
    monkeypatch.setattr(files, "SMALL", 8 * MIB)
    data = LARGE[kind]()
    tracemalloc.start()
    try:
        with pytest.raises(ReadError) as caught:
            take("f", data)
        examine("f", data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 400
    # a few copies of one line, or of what a wrapping may hold
    assert peak < max(10 * len(data), 3 * files.SMALL) + 8 * MIB, f"{peak / MIB:.0f} MiB"
