"""A folder and archives of it: the same files, under the same names."""

import io
import tarfile
import zipfile

import pytest

import irmeval
from irmeval.reading import files

RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"
LITTER = ("Thumbs.db", "__MACOSX/z.txt", ".hidden/z.txt", ".DS_Store")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    for name in ("z.txt", "run10.txt", "run2.txt", "x/run.txt", "y/run.txt", "y/deep/run.txt", *LITTER):
        path = tmp_path / "fold" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RUN)
    return tmp_path / "fold"


def pack(folder):
    """A ZIP and a tar of a folder, the latter as ``tar -C folder .`` makes it."""
    with zipfile.ZipFile(folder.parent / "fold.zip", "w") as archive:
        for path in folder.rglob("*.*"):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    with tarfile.open(folder.parent / "fold.tgz", "w:gz") as tar:
        tar.add(folder, ".")
    return folder.parent / "fold.zip", folder.parent / "fold.tgz"


def test_runs_when_in_folders_below_then_are_those_of_its_archives_by_name_and_order(folder):
    named = [irmeval.read_collection(folder.parent / "q", source).runs for source in (folder, *pack(folder))]
    assert named == [("run2.txt", "run10.txt", "x/run.txt", "deep/run.txt", "y/run.txt", "z.txt")] * 3


def test_folder_when_only_folders_below_hold_runs_then_is_not_empty(folder):
    (folder / "z.txt").unlink()
    assert len(files.list_files([folder])) == 5


@pytest.mark.parametrize("name", ["./run", "./a/run", "run"])
def test_tar_when_its_members_begin_with_a_dot_and_slash_then_are_read(name):
    packed, text = io.BytesIO(), RUN.encode()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    assert [data for _, data in files.unpack("runs.tgz", packed.getvalue())] == [text]
