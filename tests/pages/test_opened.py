"""The server's own files are not read again while they are the same to the byte."""

import os
import shutil
from pathlib import Path

import pytest

from irmeval import ReadError
from irmeval.core.folders import SAMPLE
from irmeval.reading.policy import DEFAULT, Policy
from irmeval.ui.state import cached, collection_cache, home, quotas


@pytest.fixture
def files(tmp_path, monkeypatch) -> tuple[Path, tuple[Path, ...]]:
    """A qrels and three runs, few as they are worth to be kept, and a home of their own."""
    monkeypatch.setenv(home.HOME, str(tmp_path / "home"))
    monkeypatch.setattr(collection_cache, "WORTH", 0)
    (tmp_path / "runs").mkdir()
    for path in sorted((SAMPLE / "runs").iterdir())[:3]:
        shutil.copy(path, tmp_path / "runs")
    shutil.copy(SAMPLE / "qrels.txt.gz", tmp_path)
    return tmp_path / "qrels.txt.gz", (tmp_path / "runs",)


@pytest.fixture
def times(monkeypatch) -> list[object]:
    """What was read line by line."""
    told: list[object] = []
    read = collection_cache.read_collection

    def reading(*given, **named):
        told.append(given)
        return read(*given, **named)

    monkeypatch.setattr(collection_cache, "read_collection", reading)
    return told


def read(files, policy=DEFAULT):
    return collection_cache.read(*files, policy, lambda done, total: None)


def kept():
    return sorted(collection_cache.folder().iterdir())


def test_collection_when_opened_again_then_is_the_same_and_no_line_is_read(files, times):
    first, second = read(files), read(files)
    assert len(times) == 1
    assert second.fingerprint == first.fingerprint
    assert second.runs == first.runs
    assert second.outside.documents.equals(first.outside.documents)
    assert not second.judgment_index.flags.writeable


def test_collection_when_its_format_is_named_then_is_read_and_kept_so(files, times):
    (files[0].parent / "qrels").write_text("901 d1 2 0 1\n901 d2 0 0 1\n")  # strata or prels
    files = files[0].parent / "qrels", files[1]
    for form, documents in (("auto", ["d1", "d2"]), ("strata", ["0", "2"]), ("prels", ["d1", "d2"])) * 2:
        made = collection_cache.read(*files, DEFAULT, lambda done, total: None, form)
        assert sorted(made.documents.to_pylist()) == documents
        assert cached.collection(*files, DEFAULT, qrels_format=form).fingerprint == made.fingerprint
    assert len(times) == 3


def test_collection_when_a_byte_differs_then_is_read_though_size_and_time_are_the_same(files, times):
    before = read(files)
    path = sorted(files[1][0].iterdir())[0]
    status = path.stat()
    data = bytearray(path.read_bytes())
    data[4] ^= 1  # the time in gzip's header: nothing that is read
    path.write_bytes(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert read(files).fingerprint == before.fingerprint
    assert len(times) == 2


def test_collection_when_the_policy_or_a_name_differs_then_is_another(files, times):
    read(files)
    read(files, Policy(depth=10))
    path = sorted(files[1][0].iterdir())[0]
    path.rename(path.with_name("another.gz"))
    read(files)
    assert len(times) == len(kept()) == 3


@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: data.replace(b"\0\0\0\1", b"\0\0\0\2"), lambda data: b""])
def test_collection_when_what_is_kept_is_damaged_then_is_read_and_kept_again(files, times, spoil):
    before = read(files)
    (path,) = kept()
    path.write_bytes(spoil(path.read_bytes()))
    assert read(files).fingerprint == before.fingerprint
    assert read(files).fingerprint == before.fingerprint
    assert len(times) == 2


def test_collection_when_small_or_nothing_is_to_be_kept_then_is_not(files, times, monkeypatch):
    monkeypatch.setenv(home.KEEP, "off")
    read(files)
    monkeypatch.delenv(home.KEEP)
    monkeypatch.setattr(collection_cache, "WORTH", 1 << 40)
    read(files)
    assert not collection_cache.folder().exists()
    assert len(times) == 2


def test_collection_when_the_home_cannot_be_written_then_is_read_with_a_line_in_the_log(files, monkeypatch, tmp_path, caplog):
    (tmp_path / "home").write_text("a file")
    assert len(read(files).runs) == 3
    assert "cannot be kept on disk" in caplog.text


def test_collections_when_there_is_no_room_or_long_not_used_then_the_oldest_go(files, monkeypatch):
    read(files, Policy(depth=10))
    (old,) = kept()
    os.utime(old, (0, 0))
    read(files, Policy(depth=20))
    (young,) = kept()
    assert young != old
    os.utime(young, (young.stat().st_mtime - 60,) * 2)
    monkeypatch.setenv(quotas.KEPT, str(young.stat().st_size * 1.5 / 1e9))
    read(files, Policy(depth=21))
    assert len(kept()) == 1
    assert kept() != [young]
    monkeypatch.setenv(quotas.KEPT, "1e-9")
    read(files, Policy(depth=22))
    assert not kept()


def test_collection_when_its_files_change_while_they_are_read_then_is_not_kept(files, monkeypatch):
    read_collection = collection_cache.read_collection

    def reading(*given, **named):
        os.utime(files[0])
        return read_collection(*given, **named)

    monkeypatch.setattr(collection_cache, "read_collection", reading)
    read(files)
    assert not collection_cache.folder().exists()


def test_collection_when_a_file_is_missing_or_at_fault_then_says_so(files):
    with pytest.raises(ReadError, match="no such file"):
        read((files[0].with_name("none"), files[1]))
    (files[1][0] / "bad").write_text("1 Q0 d\n")
    with pytest.raises(ReadError, match="6 columns"):
        read(files)
    assert not collection_cache.folder().exists()


def test_what_is_kept_when_written_then_is_for_the_servers_user_alone(files):
    read(files)
    assert collection_cache.folder().stat().st_mode & 0o777 == 0o700
    assert kept()[0].stat().st_mode & 0o777 == 0o600
