"""Malicious manifests and ZIPs of reports: refused in a line when they are read, and
nothing is written elsewhere.
"""

import json
import re
import zipfile
from pathlib import Path

import pytest

import irmeval
from irmeval import ParamError, ReadError
from irmeval.cli import main
from irmeval.reading import files
from irmeval.report import folder, manifest, report
from tests.conftest import ROOT
from tests.unit.reading.test_bombs import MIB, peak
from tests.unit.reading.test_trec_reading import zipped
from tests.unit.report.test_report import made

NAME = "01-leaderboard-means.csv"


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[str, str]:
    """The files of a report of one result, by name."""
    qrels, runs = (
        {"1": {"a": 1, "b": 0}, "2": {"a": 1}},
        {run: {t: {"a": 1.0, "b": 2.0} for t in "12"} for run in "xy"},
    )
    return report([made("leaderboard", irmeval.Collection.from_dicts(qrels, runs))]).files()


@pytest.fixture
def hostile(written, tmp_path):
    """Write the manifest as a function of it changes it, or leaves it."""

    def write(change) -> Path:
        given = json.loads(written[manifest.RECORD])
        change(given)
        (tmp_path / "m.json").write_text(json.dumps(given))
        return tmp_path / "m.json"

    return write


@pytest.mark.parametrize(
    "name",
    [
        "../../evil-means.csv",
        "/ABSOLUTE-means.csv",
        "a/b-means.csv",
        "a\\b-means.csv",
        "..",
        "",
        "a\0-means.csv",
    ],
)
def test_rerun_when_a_manifest_names_files_elsewhere_then_refused_when_read_and_nothing_is_written(
    name, hostile, tiny, tmp_path, capsys
):
    name = name.replace("/ABSOLUTE", str(tmp_path / "absolute"))
    (tmp_path / "deep").mkdir()
    path = hostile(lambda given: given["items"][0]["files"].update({name: "0" * 64}))
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(SystemExit, match="2"):
        main(["rerun", str(path), *map(str, tiny), "--tables", str(tmp_path / "deep" / "er")])
    assert "expected the name of a file alone, found" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["../evil", "a/b", "/tmp/evil", "..", ""])
def test_folder_when_a_name_leads_out_of_it_then_nothing_is_written(name, tmp_path):
    with pytest.raises(ParamError, match="a path that leads out of it"):
        folder.write_file(tmp_path / "in", name, "x")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_folder_when_a_link_lies_in_it_then_it_is_not_followed_out_of_it(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").symlink_to(tmp_path / "mine")
    with pytest.raises(
        ParamError,
        match="'a.csv': expected the name of a file in .*/in, found a path that leads out of it",
    ):
        folder.write_file(tmp_path / "in", "a.csv", "x")
    assert (tmp_path / "mine").read_text() == "mine"
    assert folder.write_file(tmp_path / "in", "b.csv", "x") == "b.csv"


def test_writers_when_they_fill_a_folder_then_all_do_it_by_one_function():
    rooms = [
        path
        for room in ("report", "papers", "lessons", "check")
        for path in (ROOT / "irmeval" / room).glob("*.py")
    ]
    writers = [
        path.name
        for path in [*rooms, ROOT / "irmeval" / "cli" / "rerun.py"]
        if re.search(r"\.write_(text|bytes)\(|\bsave\(", path.read_text())
    ]
    assert writers == ["folder.py"]


def data(given):
    return next(iter(given["data"].values()))


WRONG = {
    "runs": (
        lambda given: data(given).update(runs={"a": 5}),
        "runs.a: expected a text, found 5",
    ),
    "runs in a list": (
        lambda given: data(given).update(runs=["a"]),
        r"runs: expected keys with values, found \['a'\]",
    ),
    "a digest": (
        lambda given: data(given).update(qrels="0" * 63),
        "qrels: expected a SHA-256, 64 hexadecimal digits, found '0000",
    ),
    "topics": (
        lambda given: data(given).update(topics=["1", [2]]),
        r"topics.2: expected a text, found \[2\]",
    ),
    "a table's digest": (
        lambda given: given["items"][0]["files"].update({NAME: 5}),
        f"items.1.files.{NAME}: expected a text, found 5",
    ),
    "measures": (
        lambda given: given["items"][0]["recipe"].update(measures="AP"),
        "recipe.measures: expected a list, found 'AP'",
    ),
    "an experiment": (
        lambda given: given["items"][0]["recipe"].update(experiment="x"),
        "recipe.experiment: expected an experiment of this",
    ),
}


@pytest.mark.parametrize("key", WRONG)
def test_manifest_when_a_value_is_of_another_type_then_the_key_is_named_with_what_came(
    key, hostile
):
    change, says = WRONG[key]
    with pytest.raises(ReadError, match=says) as caught:
        manifest.read(hostile(change))
    assert str(caught.value).startswith(str(hostile(change)))


def spoilt(data: bytes) -> bytes:
    return data[:60] + bytes(30) + data[90:]


def flagged(data: bytes) -> bytes:
    """A zip whose members say that they are encrypted."""
    return data.replace(b"PK\x03\x04\x14\0\0\0", b"PK\x03\x04\x14\0\1\0").replace(
        b"PK\x01\x02\x14\x03\x14\0\0\0", b"PK\x01\x02\x14\x03\x14\0\1\0"
    )


def unknown(data: bytes) -> bytes:
    """A zip whose members say that they are packed in a way nobody knows."""
    data = data.replace(b"PK\x03\x04\x14\0\0\0\x08\0", b"PK\x03\x04\x14\0\0\0\x63\0")
    return data.replace(
        b"PK\x01\x02\x14\x03\x14\0\0\0\x08\0", b"PK\x01\x02\x14\x03\x14\0\0\0\x63\0"
    )


ZIPS = {
    "encrypted": (
        lambda texts: flagged(zipped(texts)),
        "manifest.json: expected a zip member without a password, found an encrypted one",
    ),
    "packed otherwise": (
        lambda texts: zipped(texts, zipfile.ZIP_BZIP2),
        "expected a zip member that is stored or deflated, found .* bzip2",
    ),
    "packed as nobody knows": (
        lambda texts: unknown(zipped(texts)),
        "found one packed with method 99",
    ),
    "corrupt": (
        lambda texts: spoilt(zipped(texts)),
        "manifest.json: expected a readable zip member, found one that cannot be unpacked",
    ),
    "cut off": (lambda texts: zipped(texts)[:-30], "expected a zip file, found damaged data"),
    "without a manifest": (
        lambda texts: zipped({"x": "1"}),
        "with one manifest.json in it, found none",
    ),
    "other bytes": (
        lambda texts: zipped(texts | {NAME: b"\xff"}),
        f"{NAME}: expected text in UTF-8, found other bytes",
    ),
    "a gzip of another": (
        lambda texts: zipped(texts | {NAME: b"\x1f\x8b\x08"}),
        f"{NAME}: expected a whole gzip file",
    ),
    "many": (
        lambda texts: zipped(texts | {str(n): "" for n in range(50)}),
        "at most 50 files in a zip",
    ),
    "large": (
        lambda texts: zipped(texts | {NAME: bytes(4 * MIB)}),
        "at most 3 MiB when unpacked, found more",
    ),
    "a large manifest": (
        lambda texts: zipped({manifest.RECORD: bytes(20 * MIB)}),
        "at most 16 MiB when unpacked, found more",
    ),
}


@pytest.mark.parametrize("kind", ZIPS)
def test_zip_of_a_report_when_hostile_then_refused_in_a_line_and_no_more_than_a_little_is_unpacked(
    kind, written, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(files, "SMALL", 3 * MIB)
    monkeypatch.setattr(files, "MAX_MEMBERS", 50)
    pack, says = ZIPS[kind]
    path = tmp_path / "r.zip"
    path.write_bytes(
        pack({name: text for name, text in written.items() if not name.endswith(".svg")})
    )

    def read():
        with pytest.raises(SystemExit, match="2"):
            main(["rerun", str(path)])

    assert peak(read) < 2 * MIB
    (said,) = capsys.readouterr().err.splitlines()
    assert re.search(says, said)


def test_zip_when_a_member_is_larger_than_it_says_then_refused(written):
    packed = bytearray(zipped(written))
    at = packed.index(b"PK\x01\x02") + 24
    packed[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(ReadError, match="one that cannot be unpacked"):
        list(irmeval.reading.files.unpack("z", bytes(packed)))
