"""A test that hangs ends, and shows where it does."""

import os
import signal
import subprocess
import sys

import pytest

from tests.conftest import ROOT

CONFTEST = """\
from tests import conftest
from tests.conftest import pytest_configure, pytest_runtest_protocol
conftest.HANGS = 2
"""
HANGING = """\
import threading, pytest

def wait_for_ever():
    threading.Event().wait()

@pytest.fixture
def held():
    yield
    wait_for_ever()
"""


@pytest.mark.parametrize(
    "test",
    [
        "def test_that_hangs():\n    wait_for_ever()\n",
        "def test_that_fails(held):\n    assert False\n",
    ],
)
def test_test_when_it_hangs_then_its_process_ends_with_the_stacks_of_all_threads(test, tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(f"{HANGING}\n{test}")
    line = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(
        line,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGALRM, done.stdout
    assert "in wait_for_ever" in done.stderr
