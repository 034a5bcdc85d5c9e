"""Files that are written whole or not at all: what is left by a save that was killed
goes, what is being saved stays.

The tests of programs and documents; the others are in `tests/unit/core/test_saving.py`.
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import irmeval
from irmeval.core import saving
from irmeval.ui.state import home
from tests.conftest import ROOT
from tests.unit.core.test_saving import left

HANGING = """
import os, sys
from irmeval.core import saving
def hang(*paths):
    print("there", flush=True)
    sys.stdin.read()
saving.Path.replace = hang
saving.save(sys.argv[1], "new")
"""
"""A save that stands still before it moves the file to its place, until it is
killed.
"""


@pytest.fixture
def saving_elsewhere(tmp_path: Path):
    """Another process, in the midst of a save of `file`."""
    command = [sys.executable, "-c", HANGING, str(tmp_path / "file")]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "there\n"
        yield other
        other.kill()


def test_save_when_another_was_killed_then_removes_what_it_left(tmp_path, saving_elsewhere):
    (tmp_path / "file").write_text("old")
    saving_elsewhere.send_signal(signal.SIGKILL)
    saving_elsewhere.wait()
    assert ((tmp_path / "file").read_text(), len(left(tmp_path))) == ("old", 1)
    (tmp_path / ".irmeval-notes").write_text("of somebody's own")
    saving.save(tmp_path / "other", "text")
    assert left(tmp_path) == [".irmeval-notes"]


def test_save_when_another_is_under_way_in_another_process_then_leaves_it(
    tmp_path, saving_elsewhere
):
    under_way = left(tmp_path)
    saving.save(tmp_path / "other", "text")
    assert (left(tmp_path), len(under_way)) == (under_way, 1)


def test_workspace_when_saving_is_interrupted_then_the_old_one_is_whole(
    tmp_path, tiny, monkeypatch
):
    file = tmp_path / "my.irmeval"
    workspace = irmeval.Workspace().add("mine", *tiny)
    workspace.save(file)
    before = file.read_bytes()

    def interrupt(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("irmeval.core.saving.Path.replace", interrupt)
    for write in (workspace.save, lambda path: home.replace(path, b"new")):
        with pytest.raises(KeyboardInterrupt):
            write(file)
        assert (file.read_bytes(), left(tmp_path)) == (before, [])
