"""A command that reads standard input."""

import gzip
import subprocess
import sys

import pytest

from tests.conftest import ROOT


def piped(text: bytes, *arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "irmeval", *map(str, arguments)]
    return subprocess.run(command, input=text, capture_output=True, cwd=ROOT, timeout=60, check=False)


@pytest.mark.parametrize("first", [True, False])
def test_standard_input_when_it_stands_for_qrels_or_a_run_then_scores_are_those_of_the_files(first):
    qrels, run = ROOT / "sample_data/qrels.txt.gz", ROOT / "sample_data/runs/aurora1.gz"
    paths = ["-", run] if first else [qrels, "-"]
    found = piped(gzip.decompress((qrels if first else run).read_bytes()), "evaluate", *paths, "-m", "AP")
    assert found.returncode == 0
    assert found.stdout.decode().splitlines()[1].startswith("aurora1,AP,all,0.2299")


def test_standard_input_when_it_is_at_fault_then_the_line_is_named():
    found = piped(b"1 0 a x\n", "evaluate", "-", ROOT / "sample_data/runs")
    assert found.returncode == 2
    assert b"/dev/stdin, line 1: expected a whole number as grade" in found.stderr
