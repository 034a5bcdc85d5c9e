"""What a type checker finds in a user's script."""

import os
import subprocess
import sys

import pytest

from tests import typed
from tests.conftest import ROOT

SCRIPT = """
import irmeval
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.curves import Params

collection = irmeval.read_collection("qrels", ["run"], depth=100, exclude_own=True)
result = EXPERIMENTS["curves"](collection, ["AP"], levels=(50, "0.5%"), trials=3, progress=print)
reveal_type(result)
scores = irmeval.evaluate(collection, ["AP"]).means
EXPERIMENTS["matrix"](collection, ["AP"], tset="wilcoxon")
EXPERIMENTS["curves"](collection, ["AP"], trials="many")
Params(trails=3)
irmeval.read_collection("qrels", ["run"], dpeth=100)
"""
FOUND = [
    (8, 'Revealed type is "irmeval.experiments.incompleteness.watched_curves.'),
    (10, 'Unexpected keyword argument "tset"'),
    (11, 'Argument "trials" to "__call__" of "_Curves" has incompatible type'),
    (12, 'Unexpected keyword argument "trails"'),
    (13, 'Unexpected keyword argument "dpeth"'),
]


def test_types_of_experiments_when_made_again_then_are_those_in_the_package():
    made = (ROOT / "irmeval" / "experiments" / "__init__.pyi").read_text(encoding="utf-8")
    assert made == typed.stub(), "run: python -m tests.typed > irmeval/experiments/__init__.pyi"


def test_script_of_a_user_when_checked_strictly_then_wrong_names_and_types_are_found(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mine.py").write_text(SCRIPT)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
        "--config-file",
        str(ROOT / "pyproject.toml"),
    ]
    told = subprocess.run(
        [*command, str(tmp_path / "mine.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT)},
    )
    lines = [
        line
        for line in told.stdout.splitlines()
        if "mine.py:" in line and (": error:" in line or "Revealed" in line)
    ]
    assert len(lines) == len(FOUND), told.stdout
    for line, (number, text) in zip(lines, FOUND, strict=True):
        assert f"mine.py:{number}: " in line
        assert text in line
