"""What scripts, workflows, the image and documents name is there: modules, files,
targets of make, commands.
"""

import re
from importlib import import_module

import pytest

from irmeval.cli import main
from tests.conftest import ROOT
from tests.documents import READ

OTHERS = {
    *(f"irmeval.{group}" for group in ("axes", "formats", "statistics", "tests")),
    "irmeval.example.org",
    ".github/workflows/runs.yml",
}
"""Groups of entry points, and what the documents take for an example."""
ADDED = {*re.findall(r"^# ([\w/]+\.\w+)", READ["CONTRIBUTING.md"], re.MULTILINE)}
"""What the guide asks its reader to write."""
MADE = re.compile(r"docs/_build/|irmeval/dashboard/")
"""Where things are made."""


def named(pattern: str) -> list[tuple[str, str]]:
    """Each name that a pattern finds, behind the file in which it stands."""
    found = [
        (path, name)
        for path, text in READ.items()
        for name in re.findall(pattern, text, re.MULTILINE)
    ]
    assert len(found) > 10
    return [
        (path, name) for path, name in found if name not in OTHERS | ADDED and not MADE.match(name)
    ]


def is_there(name: str) -> bool:
    """Whether a dotted name is a module, or something of one."""
    home, *attributes = name.split(".")
    found = import_module(home)
    for attribute in attributes:
        home += f".{attribute}"
        try:
            found = getattr(found, attribute) if hasattr(found, attribute) else import_module(home)
        except ModuleNotFoundError:
            return False
    return True


def test_modules_when_named_then_are_there():
    pytest.importorskip("playwright")  # for the script that takes pictures
    assert [
        found
        for found in named(
            r"(?<![\w./-])(?:irmeval|benchmarks|docs|tests)(?:\.(?!db\b)[A-Za-z_]\w*)+(?![\w/-])"
        )
        if not is_there(found[1])
    ] == []


def test_files_when_named_then_are_there():
    paths = (
        r"(?<![\w./:-])(?:irmeval|benchmarks|docs|pages|sample_data|tests"
        r"|\.ci|\.streamlit|\.github)/[\w./*-]*[\w*]"
    )
    assert [found for found in named(paths) if not [*ROOT.glob(found[1])]] == []


def test_targets_when_named_then_make_knows_them():
    targets = {*re.findall(r"^([\w-]+):", READ["Makefile"], re.MULTILINE)}
    assert [
        found for found in named(r"(?:`|^|run: |: )make ([\w-]+)") if found[1] not in targets
    ] == []


def test_commands_when_named_in_a_sentence_then_they_and_their_flags_are_there(capsys):
    missing = []
    for path, line in named(r"`(?:python -m )?irmeval ((?!spread)[a-z][^`]*)`"):
        command, *words = line.split()
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        told = capsys.readouterr().out
        if stopped.value.code or [
            word for word in words if word.startswith("--") and word not in told
        ]:
            missing.append((path, line))
    assert missing == []


def test_actions_when_used_by_a_workflow_then_are_named_by_commit_with_their_version():
    used = [
        line
        for path, text in READ.items()
        if path.startswith(".github/workflows")
        for line in re.findall(r"uses: (\w.+)", text)
    ]
    assert len(used) > 5
    assert [
        line
        for line in used
        if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    ] == []
