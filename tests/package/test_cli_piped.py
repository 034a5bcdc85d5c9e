"""A command that reads standard input."""

import gzip
import os
import subprocess
import sys
from contextlib import suppress
from threading import Thread

import pytest

from tests.conftest import ROOT


def write_all(file: int, text: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(file, "wb") as out:
        out.write(text)


@pytest.fixture
def pipe():
    """A function that pipes a text into this process's standard input."""
    before, threads = os.dup(0), []

    def fill(text: bytes) -> None:
        read, write = os.pipe()
        os.dup2(read, 0)
        os.close(read)
        threads.append(Thread(target=write_all, args=(write, text)))
        threads[-1].start()

    yield fill
    os.dup2(before, 0)  # nobody reads the pipe any more
    os.close(before)
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("first", [True, False])
def test_standard_input_when_it_stands_for_qrels_or_a_run_then_scores_are_those_of_the_files(
    first, pipe, run_command
):
    qrels, run = ROOT / "sample_data/qrels.txt.gz", ROOT / "sample_data/runs/aurora1.gz"
    paths = ["-", run] if first else [qrels, "-"]
    pipe(gzip.decompress((qrels if first else run).read_bytes()))
    assert (
        run_command("evaluate", *paths, "-m", "AP")
        .out.splitlines()[1]
        .startswith("aurora1,AP,all,0.2299")
    )


def test_standard_input_when_it_is_at_fault_then_the_program_names_the_line():
    command = [sys.executable, "-m", "irmeval", "evaluate", "-", ROOT / "sample_data/runs"]
    found = subprocess.run(
        command, input=b"1 0 a x\n", capture_output=True, cwd=ROOT, timeout=60, check=False
    )
    assert found.returncode == 2
    assert b"/dev/stdin, line 1: expected a whole number as grade" in found.stderr
