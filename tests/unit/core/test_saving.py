"""Files are written whole or not at all: leftovers of killed saves are removed, a file
being saved is not.
"""

import ast
import json
import os
import stat
from pathlib import Path

import pytest

from irmeval.cli import commands
from irmeval.core import saving
from irmeval.experiments import EXPERIMENTS
from irmeval.report import folder
from tests.conftest import ROOT


def left(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(saving.TEMPORARY_PREFIX)]


def test_save_when_somebody_sweeps_before_it_is_locked_then_begins_anew(tmp_path, monkeypatch):
    locked, swept = saving._lock, []

    def late(file) -> bool:
        if not swept:
            swept.append(saving.remove_leftovers(tmp_path))
        return locked(file)

    monkeypatch.setattr(saving, "_lock", late)
    saving.save(tmp_path / "file", "text")
    assert ((tmp_path / "file").read_text(), left(tmp_path), len(swept)) == ("text", [], 1)


def test_save_when_it_fails_or_is_interrupted_then_the_old_file_is_there_and_nothing_beside_it(
    tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("old")
    for error in (OSError(28, "No space left on device"), KeyboardInterrupt()):

        def fail(*given: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr("irmeval.core.saving.os.fsync", fail)
        with pytest.raises(type(error)) as raised:
            saving.save(tmp_path / "file", "new")
        assert ((tmp_path / "file").read_text(), os.listdir(tmp_path)) == ("old", ["file"])
        assert getattr(raised.value, "filename", str(tmp_path / "file")) == str(tmp_path / "file")


def test_save_when_a_file_is_there_then_keeps_its_mode_and_its_link_and_writes_to_devices(tmp_path):
    (tmp_path / "file").write_text("old")
    (tmp_path / "file").chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    saving.save(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert ((tmp_path / "file").read_text(), stat.S_IMODE((tmp_path / "file").stat().st_mode)) == (
        "new",
        0o640,
    )
    saving.save(tmp_path / "own", b"", 0o600)
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o600
    saving.save("/dev/null", "text")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_file_when_the_package_writes_one_then_it_is_by_this_function_alone():
    """No other module opens a file to write it, nor has a `Path` written."""
    names = {"write_text", "write_bytes", "mkstemp", "NamedTemporaryFile"}

    def writes(node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        called = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        modes = [
            a.value
            for a in node.args[:2]
            if isinstance(a, ast.Constant) and isinstance(a.value, str)
        ]
        return called in names or (
            called == "open" and any(set("wax+") & set(mode) and len(mode) < 4 for mode in modes)
        )

    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "irmeval").rglob("*.py")}
    # the others have no such call
    named = {
        path: text for path, text in texts.items() if any(name in text for name in (*names, "open"))
    }
    found = {
        path.relative_to(ROOT).as_posix()
        for path, text in named.items()
        if any(map(writes, ast.walk(ast.parse(text))))
    }
    assert found == {"irmeval/core/saving.py"}


def test_tables_when_writing_them_is_interrupted_then_the_record_names_what_is_missing(
    tmp_path, monkeypatch
):
    experiment = EXPERIMENTS["ideal-lists"]
    result = experiment(None, ["AP"])
    whole = folder.write(experiment, result, tmp_path / "whole")
    assert "missing" not in json.loads((tmp_path / "whole" / folder.RECORD).read_text())
    written = []

    def interrupt(path: Path, text: str) -> None:
        written.append(path.name)
        if len([name for name in written if name != folder.RECORD]) == 2:
            raise KeyboardInterrupt
        saving.save(path, text)

    monkeypatch.setattr(folder, "save", interrupt)
    with pytest.raises(KeyboardInterrupt):
        folder.write(experiment, result, tmp_path / "half")
    assert json.loads((tmp_path / "half" / folder.RECORD).read_text())["missing"] == whole[1:-1]
    assert sorted(os.listdir(tmp_path / "half")) == sorted([whole[0], folder.RECORD])


DATA = "qrels", "run", "-m", "AP"
COMMANDS = {
    "one text": (("evaluate", *DATA), saving.check_file),
    "all tables": (("leaderboard", *DATA, "--all"), saving.check_folder),
    "a paper": (("paper", "bompada-2007", *DATA[:2]), saving.check_folder),
    "all papers": (("paper", "all", *DATA[:2]), saving.check_folder),
    "a lesson": (("lesson", "ideal_rbp"), saving.check_file),
}
"""On data that are not there, which is what would be said if they were read first."""


@pytest.mark.parametrize(("command", "check"), COMMANDS.values(), ids=COMMANDS)
def test_place_when_nothing_can_be_written_there_then_is_refused_before_anything_is_read(
    tmp_path, run_command, monkeypatch, command, check
):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_text("")
    places = {"file/x": f"below the file {tmp_path / 'file'}"}
    if check is saving.check_file:
        places |= {"folder": "found a folder", "absent/x": "a folder that does not exist"}
    else:
        places |= {"file": "found a file"}
    for place, why in places.items():
        said = run_command(*command, "-o", tmp_path / place, status=2).err
        assert said.count("\n") == 1
        assert said.startswith(f"irmeval: {tmp_path / place}: expected a f")
        assert why in said
    monkeypatch.setattr("irmeval.core.saving.os.access", lambda path, mode: False)
    for place in ("old", "new") if check is saving.check_file else ("folder", "new/folder"):
        assert (
            "without permission to write"
            in run_command(*command, "-o", tmp_path / place, status=2).err
        )


def test_place_when_it_has_the_name_of_what_is_made_then_is_refused_before_anything_is_read(
    tmp_path, capsys, monkeypatch, run_command
):
    monkeypatch.chdir(tmp_path)
    for name, command in (
        ("leaderboard", COMMANDS["all tables"][0]),
        ("papers", COMMANDS["all papers"][0]),
    ):
        (tmp_path / name).write_text("")
        assert run_command(*command, status=2).err.startswith(f"irmeval: {name}: expected a folder")
    with pytest.raises(SystemExit):
        commands.main(["rerun", "manifest.json", "--tables", "papers"])
    assert capsys.readouterr().err.startswith("irmeval: papers: expected a folder")


def test_form_when_it_is_none_of_tables_then_is_refused_before_anything_is_read(run_command):
    assert run_command("judge-next", *DATA, "--all", "--format", "trec", status=2).err.startswith(
        "irmeval: format: expected one of csv"
    )
