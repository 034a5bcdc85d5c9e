"""Small files that would be large: what is unpacked and copied is bounded, and the
refusal says what to do.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from irmeval import ReadError
from irmeval.cli import main
from irmeval.reading import files, named_columns, parsing, score_matrix
from irmeval.reading.faults import examine
from irmeval.reading.lines import LONGEST
from tests.cases import read_qrels_or_run, refusal, settled_run
from tests.unit.reading.test_trec_reading import PLAIN_RUN, zipped

MIB = 1 << 20
ROW = b"1 Q0 a 1 1 t\n"


def peak(work) -> int:
    """Bytes that Python and NumPy hold at most during some work."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA")]
)
def test_zip_when_packed_in_a_way_that_cannot_be_bounded_then_refused_by_name_before_it_is_unpacked(
    method, name, monkeypatch
):
    packed = zipped({"a": PLAIN_RUN}, method)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    with pytest.raises(
        ReadError,
        match=(
            f"z/a: expected a zip member that is stored or deflated, found one packed with {name}"
        ),
    ):
        list(files.unpack("z", packed))


def test_zip_when_packed_in_a_way_nobody_knows_then_refused_with_its_number():
    packed = zipped({"a": b"x"}, zipfile.ZIP_STORED).replace(
        b"PK\x03\x04\x14\0\0\0\0\0", b"PK\x03\x04\x14\0\0\0\x63\0"
    )
    packed = packed.replace(
        b"PK\x01\x02\x14\x03\x14\0\0\0\0\0", b"PK\x01\x02\x14\x03\x14\0\0\0\x63\0"
    )
    with pytest.raises(ReadError, match="method 99"):
        list(files.unpack("z", packed))


def test_zip_when_its_member_is_larger_than_the_cap_then_no_more_than_that_is_unpacked():
    packed = zipped({"a": b"x" * (32 * MIB)}, zipfile.ZIP_DEFLATED)

    def read():
        with pytest.raises(ReadError, match="at most 8 MiB when unpacked"):
            list(files.unpack("z", packed, limit=8 * MIB))

    assert peak(read) < 24 * MIB


def test_zip_when_it_lists_more_entries_than_can_be_files_then_refused_before_they_are_listed(
    monkeypatch,
):
    monkeypatch.setattr(files, "MAX_MEMBERS", 2)
    packed = zipped({f"folder{i}/": b"" for i in range(21)})
    monkeypatch.setattr(zipfile, "ZipFile", None)
    with pytest.raises(ReadError, match="at most 2 files in a zip, found 21 entries"):
        list(files.unpack("z", packed))


LINES = {
    "a long id": lambda: b"1 Q0 " + b"a" * (2 * MIB) + b" 1 1 t",
    "blanks": lambda: b"1 Q0 a 1 1 t" + b" " * (2 * MIB),
    "tabs": lambda: b"\t" * (2 * MIB) + b"1 Q0 a 1 1 t",
    "many columns": lambda: b"a " * MIB,
    "a comment": lambda: b"#" * (2 * MIB),
    "digits": lambda: b"1 Q0 a 1 " + b"1" * (2 * MIB) + b" t",
}


@pytest.mark.parametrize("kind", LINES)
@pytest.mark.parametrize("before", [b"", ROW, b"\xef\xbb\xbf", b"\n\n"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_line_when_it_is_of_megabytes_then_refused_with_its_number_and_not_copied(
    kind, before, end
):
    data = before + LINES[kind]() + end
    number = before.count(b"\n") + 1

    def read():
        for read in (read_qrels_or_run, settled_run, parsing.settled_qrels):
            with pytest.raises(
                ReadError, match=rf"^f, line {number}: expected a line of at most 10,000 bytes"
            ):
                read("f", data)

    assert peak(read) < MIB
    found = examine("f", data)
    assert [fault.lines for fault in found.faults.values()] == [1]
    assert (found.sound is not None) == (before == ROW)


def test_line_when_as_long_as_may_be_then_read_and_a_byte_more_is_not():
    line = b"1 Q0 " + b"a" * (LONGEST - 11) + b" 1 1 t"
    for end in (b"", b"\n", b"\n" + ROW):
        assert len(settled_run("f", line + end).documents) == 1 + end.count(ROW)
        with pytest.raises(ReadError, match="10,000 bytes"):
            settled_run("f", b"x" + line + end)


def test_matrix_when_a_line_is_of_megabytes_then_refused_and_not_copied():
    data = b"a,b\n" + b"1," * (4 * MIB)

    def read():
        with pytest.raises(ReadError, match=r"^m.csv, line 2: expected a line of at most 4 MiB"):
            score_matrix.parse_matrix("m.csv", data)

    assert peak(read) < 4 * MIB


def tarred() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("run")
        member.size = len(PLAIN_RUN)
        archive.addfile(member, io.BytesIO(PLAIN_RUN))
    return packed.getvalue()


WRAPPINGS = {
    "a.zst": (b"\x28\xb5\x2f\xfd\x04\0", "a Zstandard file. Unpack it: unzstd FILE"),
    "a.Z": (b"\x1f\x9d\x90ab", "a file packed by compress. Unpack it: gzip -d FILE"),
    "a.lzma": (b"\x5d\x00\x00\x80\0", "an LZMA file. Unpack it: unlzma FILE"),
    "a.lz4": (b"\x04\x22\x4d\x18\x04\0", "an LZ4 file. Unpack it: unlz4 FILE"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c\0\x04", "a 7z file. Unpack it: 7z x FILE"),
    "a.rar": (b"Rar!\x1a\x07\x01\0", "a RAR file. Unpack it: unrar x FILE"),
}
PACKINGS = {
    "a.bz2": bz2.compress(PLAIN_RUN),
    "a.xz": lzma.compress(PLAIN_RUN),
    "several.bz2": bz2.compress(PLAIN_RUN[:9]) + bz2.compress(PLAIN_RUN[9:]),
    "several.xz": lzma.compress(PLAIN_RUN[:9]) + lzma.compress(PLAIN_RUN[9:]),
}


@pytest.mark.parametrize("name", PACKINGS)
def test_packed_file_when_read_then_is_its_text_or_its_fault_is_named(name):
    data = PACKINGS[name]
    assert list(files.unpack(name, data)) == [(name, PLAIN_RUN)]
    assert list(files.unpack("z", zipped({name: data}))) == [(f"z/{name}", PLAIN_RUN)]
    with pytest.raises(ReadError, match=r"expected a whole (bzip2|xz) file, found a truncated one"):
        list(files.unpack(name, data[:-9]))
    with pytest.raises(ReadError, match=r"expected an? (bzip2|xz) file, found damaged data"):
        list(files.unpack(name, data[:20] + bytes(30) + data[50:]))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_tar_when_read_then_holds_its_files(pack):
    assert [(name, bool(text)) for name, text in files.unpack("runs.tar", pack(tarred()))] == [
        ("runs.tar/run", True)
    ]


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress])
def test_packed_file_when_it_is_a_bomb_then_no_more_than_the_cap_is_unpacked(pack):
    bomb = pack(bytes(80 << 20))

    def read():
        with pytest.raises(ReadError, match="at most 4 MiB when unpacked, found more"):
            list(files.unpack("f", bomb, 4 << 20))

    assert peak(read) < 40 << 20


@pytest.mark.parametrize("name", WRAPPINGS)
def test_wrapping_when_it_is_none_that_is_read_then_named_with_what_to_do(name):
    data, kind = WRAPPINGS[name]
    inside = zipped({name: data})
    for given, where in ((data, name), (inside, f"z/{name}")):
        with pytest.raises(ReadError) as caught:
            list(files.unpack("z" if given is inside else name, given))
        expected = f"{where}: expected qrels, a run or scores, found {kind}"
        assert str(caught.value) == expected


@pytest.mark.parametrize(
    "header", [b"a,b,c,d,e,f", b"topic,1,2,3,4,5", b"1,2,3,4,5,6", b"topic,1,x,2", b"r1,0,r2,1x"]
)
def test_matrix_when_runs_have_numbers_for_names_then_it_is_read(header):
    n = header.count(b",") + 1
    assert (
        score_matrix.parse_matrix("m", header + b"\n" + b",".join([b"1"] * n) + b"\n").values.shape[
            1
        ]
        == 1
    )


def test_output_when_it_cannot_be_written_then_the_message_names_it(tiny, capsys):
    qrels, runs = tiny
    with pytest.raises(SystemExit) as caught:
        main(["evaluate", str(qrels), str(runs), "-m", "AP", "-o", "/dev/full"])
    assert caught.value.code == 2
    assert "irmeval: /dev/full: No space left on device" in capsys.readouterr().err


def as_parquet(**columns) -> bytes:
    packed = io.BytesIO()
    pq.write_table(pa.table(columns), packed, compression="zstd")
    return packed.getvalue()


def repeated(text: str, times: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(np.zeros(times, np.int32), [text])


GROWING = {
    "one long id, often": lambda: as_parquet(
        qid=[*map(str, range(50_000))], docno=repeated("x" * 9_000, 50_000), label=[1] * 50_000
    ),
    "many rows": lambda: as_parquet(
        qid=repeated("1", 20_000_000),
        docno=repeated("d", 20_000_000),
        label=repeated("1", 20_000_000),
    ),
    "a huge id": lambda: as_parquet(
        qid=["1"] * 256, docno=repeated("y" * 30_000_000, 256), label=[1] * 256
    ),
    "an id longer than a line": lambda: as_parquet(qid=["1"], docno=["z" * 20_000], label=[1]),
    "long lists": lambda: as_parquet(qid=["1"], docno=[[1] * 3_000_000], label=[1]),
    "empty lists in JSON": lambda: b'{"1": ["d"], "2": [' + b"[]," * 40_000_000 + b"[]]}",
    "small objects in JSON": lambda: (
        b'[{"qid": "1", "answer_pids": [1]}' + b",{}" * 6 * 10**6 + b"]"
    ),
}


@pytest.mark.parametrize("case", GROWING)
def test_file_when_it_becomes_much_larger_than_it_is_then_refused_before_it_takes_the_memory(case):
    data = GROWING[case]()
    tracemalloc.start()
    try:
        for kind in ("qrels", ""):
            said = refusal(ReadError, parsing.parse, "f", data, kind)
            assert "at most" in said or "columns of texts" in said
        assert tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() < 200 << 20
    finally:
        tracemalloc.stop()


def test_parquet_when_its_row_groups_are_too_large_together_then_none_is_read(monkeypatch):
    packed = io.BytesIO()
    ids = [f"{number:064}" for number in range(20_000)]
    pq.write_table(pa.table({"docno": ids}), packed, row_group_size=5_000, use_dictionary=False)
    largest = max(
        pq.ParquetFile(packed).metadata.row_group(group).total_byte_size for group in range(4)
    )
    monkeypatch.setattr(named_columns, "max_unpacked", lambda size: 2 * largest)
    with (
        pytest.raises(ReadError, match="when unpacked, found more"),
        named_columns.parquet_file("f", packed.getvalue()),
    ):
        raise AssertionError
