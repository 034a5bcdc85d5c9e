"""A folder and archives of it: the same files, under the same names."""

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

import irmeval
from irmeval.core.errors import ReadError
from irmeval.reading import files
from irmeval.reading.parsing import read_matrix

RUN = "1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n"
LITTER = ("Thumbs.db", "__MACOSX/z.txt", ".hidden/z.txt", ".DS_Store")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    for name in (
        "z.txt",
        "run10.txt",
        "run2.txt",
        "x/run.txt",
        "y/run.txt",
        "y/deep/run.txt",
        *LITTER,
    ):
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
    named = [
        irmeval.read_collection(folder.parent / "q", source).runs
        for source in (folder, *pack(folder))
    ]
    assert (
        named == [("run2.txt", "run10.txt", "x/run.txt", "deep/run.txt", "y/run.txt", "z.txt")] * 3
    )


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


def test_folder_when_an_entry_may_not_be_looked_at_then_reading_it_tells_so(folder, monkeypatch):
    is_file, secret = Path.is_file, folder / "secret.txt"
    secret.write_text(RUN)

    def look(path):
        if path == secret:
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", look)
    assert secret in files.list_files([folder])


READERS = {
    "qrels": lambda q, path: irmeval.read_collection(path, q),
    "runs": lambda q, path: irmeval.read_collection(q, path),
    "one of several runs": lambda q, path: irmeval.read_collection(q, [q, path]),
    "a run": lambda q, path: irmeval.read_run(path),
    "judgments": lambda q, path: irmeval.read_qrels(path),
    "another judge": lambda q, path: irmeval.read_judges(q, {"other": path}),
    "pairs left out": lambda q, path: irmeval.read_collection(q, q, exclude=path),
    "scores": lambda q, path: read_matrix(path),
    "a workspace": lambda q, path: irmeval.Workspace.load(path),
}


@pytest.mark.parametrize("path", ["a\0b", "a" * 5000, "a/" * 3000, "\ud800"])
@pytest.mark.parametrize("name", READERS)
def test_path_when_there_can_be_none_of_this_name_then_is_refused_in_words(name, path, tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n")
    with pytest.raises(ReadError, match="expected .*, found "):
        READERS[name](tmp_path / "q", path)


README = "# Runs\n\nThese runs were made in 2020, see the paper.\nThey are two.\n"
STRAYS = {
    "README.md": README,
    "qrels.txt": "1 0 a 1\n1 0 b 0\n",
    "teams.csv": "run,team\nz,A\n",
    "logo.png": b"\x89PNG\r\n",
}


@pytest.mark.parametrize("stray", STRAYS)
def test_text_when_no_run_and_beside_runs_in_a_folder_then_is_named_and_left_out(folder, stray):
    (folder / stray).write_bytes(
        STRAYS[stray] if isinstance(STRAYS[stray], bytes) else STRAYS[stray].encode()
    )
    sources = [folder] if stray == "logo.png" else [folder, *pack(folder)]
    for read in (irmeval.read_collection(folder.parent / "q", source) for source in sources):
        assert len(read.runs) == 6
        assert read.recognised[-1] == f"{stray}: no run, left out"
        assert read.with_judgments("other", {"1": {"b": 1}}).judged_by("other").runs == read.runs


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 Q0 a 1 x t\n1 Q0 b 2 1 t\n",
        "1 Q0 a 1 2\n1 Q0 b 2 1\n",
        "1 Q0 a 2\n1 Q0 b 1\n",
        "version https://git-lfs.github.com/spec/v1\n",
    ],
)
def test_run_when_at_fault_in_a_folder_then_is_refused_all_the_same(folder, text):
    (folder / "bad").write_text(text)
    with pytest.raises(ReadError, match="bad"):
        irmeval.read_collection(folder.parent / "q", folder)


def test_text_when_no_run_and_named_or_alone_then_is_refused(folder, tmp_path):
    (tmp_path / "only").mkdir()
    for path in (folder / "README.md", tmp_path / "only" / "README.md"):
        path.write_text(README)
    for given in (
        [folder / "z.txt", folder / "README.md"],
        [tmp_path / "only"],
        [folder, folder / "README.md"],
    ):
        with pytest.raises(ReadError, match=r"README\.md"):
            irmeval.read_collection(folder.parent / "q", given)


def test_fuse_when_a_text_is_no_run_then_the_command_names_it_and_python_refuses_it(
    folder, run_command
):
    (folder / "README.md").write_text(README)
    assert run_command("fuse", folder).err.startswith("README.md: no run, left out\n")
    with pytest.raises(ReadError, match=r"README\.md"):
        irmeval.fuse(folder)


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["r/a", "/r/b"], ["r/a", "r/b"]),
        (["./r/a.txt", "./r/b.txt"], ["a.txt", "b.txt"]),
        (["/a.txt", "/a.txt"], ["a.txt", "a.txt"]),
        ([], []),
    ],
)
def test_paths_when_some_are_absolute_or_begin_with_a_dot_then_have_names_too(paths, names):
    assert files.distinct_names(paths) == names
