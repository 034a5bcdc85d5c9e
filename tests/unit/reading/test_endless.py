"""Endless or costly files: no more of them is read than is allowed."""

import gzip
import os
import random
import threading
import zlib

import pytest

from irmeval import ReadError
from irmeval.cli import main
from irmeval.reading import columns, faults, files, lines, parsing, text_layout, trec
from irmeval.reading.faults import examine
from irmeval.reading.formats import recognise
from tests.unit.reading.test_bombs import MIB, ROW, peak
from tests.unit.reading.test_trec_reading import zipped

QRELS = b"1 0 a 1\n1 0 b 0\n"


@pytest.fixture
def endless(tmp_path):
    """A pipe into which lines are written for as long as anybody reads, and how many
    bytes were.
    """
    path, written = tmp_path / "pipe", [0]
    os.mkfifo(path)

    def write() -> None:
        with open(path, "wb", buffering=0) as pipe:
            try:
                while True:
                    written[0] += pipe.write(ROW * 1000)
            except BrokenPipeError:
                return

    writer = threading.Thread(target=write)
    writer.start()
    yield path, written
    # or it would wait for a reader, where a test has not come to read
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    writer.join()


def test_pipe_when_it_never_ends_then_no_more_than_is_allowed_is_read_and_it_is_refused(
    endless, monkeypatch, tmp_path, run_command
):
    path, written = endless
    monkeypatch.setattr(files, "MAX_PIPED", 4 * MIB)
    (tmp_path / "q").write_bytes(QRELS)
    assert (
        run_command("evaluate", tmp_path / "q", path, "-m", "AP", status=2).err
        == f"irmeval: {path}: expected at most 4 MiB from a pipe or a device, found more. Write"
        " them to a file first.\n"
    )
    assert written[0] < 8 * MIB


def test_pipe_when_it_ends_then_all_of_it_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(ROW * 200_000,))
    writer.start()
    assert files.read_bytes(tmp_path / "pipe") == ROW * 200_000
    writer.join()


@pytest.mark.parametrize(
    "arguments",
    [["evaluate", "DEVICE", "RUN", "-m", "AP"], ["evaluate", "QRELS", "DEVICE", "-m", "AP"]],
)
def test_device_when_it_never_ends_then_refused_in_a_line(arguments, monkeypatch, tiny, capsys):
    monkeypatch.setattr(files, "MAX_PIPED", 4 * MIB)
    given = {"DEVICE": "/dev/zero", "QRELS": str(tiny[0]), "RUN": str(tiny[1])}
    with pytest.raises(SystemExit, match="2"):
        main([given.get(word, word) for word in arguments])
    assert (
        "/dev/zero: expected at most 4 MiB from a pipe or a device, found more."
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    "command",
    [
        ["rerun", "FILE"],
        ["swap", "--matrix", "FILE"],
        ["check", "QRELS", "FILE"],
        ["reduce", "FILE"],
    ],
)
def test_file_when_larger_than_any_then_refused_before_it_is_read(command, tiny, tmp_path, capsys):
    with (tmp_path / "large").open("wb") as file:
        file.truncate(3 << 30)  # of which nothing is on the disk

    def read():
        with pytest.raises(SystemExit, match="2"):
            main(
                [
                    {"FILE": str(tmp_path / "large"), "QRELS": str(tiny[0])}.get(word, word)
                    for word in command
                ]
            )

    assert peak(read) < 48 * MIB
    assert (
        "large: expected at most 2047 MiB, found more. Split the file." in capsys.readouterr().err
    )


def test_file_when_it_says_that_it_is_empty_and_is_not_then_it_is_read_to_the_cap():
    text = files.read_bytes("/proc/self/status")
    assert text.startswith(b"Name:")
    with pytest.raises(ReadError, match="at most 0 MiB, found more"):
        files.read_bytes("/proc/self/status", 10)


def test_input_when_it_does_not_wait_and_has_no_more_then_what_came_is_read():
    pipe, sent = os.pipe()
    os.set_blocking(pipe, False)
    os.write(sent, QRELS)
    with open(pipe, "rb", buffering=0) as came:
        assert files._read_at_most(came, MIB, 0) is not None
    os.close(sent)


def test_archive_when_examined_then_no_text_is_unpacked_before_the_last_was_looked_at(monkeypatch):
    done = []

    def unpack(*_):
        for number in range(3):
            done.append(number)
            yield f"{number}", ROW

    def look(name, *_, **__):
        assert name == f"{done[-1]}"
        return faults.Examined(None, {})

    monkeypatch.setattr(faults, "unpack", unpack)
    monkeypatch.setattr(faults, "examine", look)
    assert [name for name, _ in faults.examine_texts("zip", b"")] == ["0", "1", "2"]


@pytest.fixture
def unpackers(monkeypatch):
    """How many gzip files are begun."""
    begun, make = [0], zlib.decompressobj

    def counted(*given, **more):
        begun[0] += 1
        return make(*given, **more)

    monkeypatch.setattr(zlib, "decompressobj", counted)
    return begun


EMPTY = gzip.compress(b"", mtime=0)


@pytest.mark.parametrize("first", [b"", gzip.compress(ROW)], ids=["empty", "row"])
def test_gzip_when_it_is_very_many_in_a_row_then_no_more_than_so_many_are_begun(
    first, unpackers, monkeypatch
):
    monkeypatch.setattr(files, "MAX_PARTS", 50)
    with pytest.raises(ReadError, match="f: expected at most 50 gzip files in a row, found more"):
        list(files.unpack("f", first + EMPTY * 1000))
    assert unpackers[0] == 50
    assert list(files.unpack("f", first + EMPTY * 40)) == [("f", gzip.decompress(first))]


def test_zip_when_its_members_are_many_gzip_files_then_they_are_counted_together(
    unpackers, monkeypatch
):
    monkeypatch.setattr(files, "MAX_PARTS", 50)
    with pytest.raises(
        ReadError, match=r"z/2: expected at most 1\d gzip files in a row, found more"
    ):
        list(files.unpack("z", zipped({str(n): EMPTY * 20 for n in range(9)})))
    assert unpackers[0] < 60


@pytest.mark.parametrize("size", [0, 1, 100, 70_000, 300_000])
@pytest.mark.parametrize("padding", [b"", b"\0" * 9])
def test_gzip_when_it_is_several_in_a_row_then_all_are_read_as_by_the_library(size, padding):
    draw = random.Random(size)
    texts = [draw.randbytes(draw.randrange(size + 1)) for _ in range(5)]
    data = padding.join(map(gzip.compress, texts)) + padding
    assert list(files.unpack("f", data)) == [("f", gzip.decompress(data))]
    with pytest.raises(ReadError, match="f: expected a gzip file, found damaged data"):
        list(files.unpack("f", data + b"garbage"))
    with pytest.raises(ReadError, match="f: expected a whole gzip file, found a truncated one"):
        list(files.unpack("f", data + EMPTY[:-3]))


def test_gzip_when_several_in_a_row_unpack_to_more_than_the_cap_then_no_more_is_unpacked():
    data = gzip.compress(bytes(8 * MIB)) * 16

    def read():
        with pytest.raises(ReadError, match="at most 4 MiB when unpacked"):
            list(files.unpack("f", data, 4 * MIB))

    assert peak(read) < 16 * MIB


ODD = [
    b"",
    b" ",
    b"\t",
    b"# x",
    b" # x",
    b"\r",
    b"\v1 Q0 a 1 1 t",
    b" 1 Q0 b 1 1 t ",
    b"1 Q0 c 1 1 t\r",
    b"\xef\xbb\xbf1 Q0 d 1 1 t",
    b"x#y",
]


@pytest.mark.parametrize("seed", range(20))
def test_row_when_its_line_is_asked_for_then_it_is_that_of_the_slow_reading(seed, monkeypatch):
    monkeypatch.setattr(columns, "BLOCK", 40)
    draw = random.Random(seed)
    data = (
        draw.choice([b"", b"\xef\xbb\xbf", b"\n"])
        + b"\n".join(draw.choices(ODD, k=60))
        + draw.choice([b"", b"\n", b"\n\n"])
    )
    expected = [number for number, _ in lines.numbered_lines(data)]
    assert [
        lines.line_number(data, text_layout.QRELS, row) for row in range(len(expected))
    ] == expected


def test_lines_when_millions_repeat_others_then_none_is_looked_at_one_by_one(monkeypatch):
    data = b"# x\n\n" + ROW * 1_000_000
    recognised = recognise("f", data, "run")
    for module in (lines, faults):
        monkeypatch.setattr(module, "numbered_lines", lambda *_: pytest.fail("read line by line"))
    (found,) = parsing.parse_as("f", data, recognised)
    (fault,) = found.repeated
    assert (fault.lines, fault.first.line) == (999_999, 4)
    assert "(first on line 3)" in str(fault.first)


@pytest.fixture
def looked(monkeypatch):
    """The numbers of the lines that are looked at one by one."""
    numbers: list[int] = []

    def counted(look):
        return lambda name, number, *rest: (numbers.append(number), look(name, number, *rest))[1]

    for module in (lines, faults):
        monkeypatch.setattr(module, "line_fault", counted(module.line_fault))
    monkeypatch.setattr(columns, "BLOCK", 1000)
    return numbers


UNIQUE = [f"1 Q0 d{n} {n} {-n} t".encode() for n in range(5000)]


@pytest.mark.parametrize("fault", [b"1 Q0", b"1 Q0 x 1 y t", b"1 Q0 x 1 nan t", b"1 Q0 \xff 1 1 t"])
def test_file_when_a_line_of_many_is_at_fault_then_only_those_around_it_are_looked_at(
    fault, looked
):
    found = examine("f", b"\n".join([*UNIQUE[:3000], fault, *UNIQUE[3000:]]))
    assert [(one.lines, one.first.line) for one in found.faults.values()] == [(1, 3001)]
    assert found.sound.documents.to_pylist() == [f"d{n}" for n in range(5000)]
    assert 0 < len(looked) < 200


def test_file_when_it_is_at_fault_all_over_then_no_more_lines_than_the_cap_are_looked_at(
    looked, monkeypatch
):
    monkeypatch.setattr(faults, "MAX_CHECKED_LINES", 500)
    found = examine(
        "f", b"\n".join(b"1 Q0" if n % 50 == 0 else line for n, line in enumerate(UNIQUE))
    )
    assert found.sound is None
    (fault,) = found.faults.values()
    assert fault.first.line == 1
    assert 5 <= fault.lines <= 11
    assert len(looked) < 600


def test_file_when_it_is_written_oddly_all_over_then_no_more_lines_than_the_cap_are_looked_at(
    looked, monkeypatch
):
    monkeypatch.setattr(lines, "MAX_CHECKED_LINES", 500)
    # as where some version of Arrow is too strict
    monkeypatch.setattr(lines, "read_if_sound", lambda *_: None)
    few, many = (b"\n".join(UNIQUE[:n]) for n in (400, 5000))
    kinds = trec.column_types(trec.RUN)
    assert sum(table.num_rows for table in lines.read_blocks("f", few, trec.RUN, kinds)) == 400
    with pytest.raises(
        ReadError, match="at most about 500 lines beside something out of the ordinary"
    ):
        list(lines.read_blocks("f", many, trec.RUN, kinds))
    assert len(looked) < 1000
