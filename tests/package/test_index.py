"""The index of commands is what the decorators say, and a command imports what it runs."""

import atexit
import gc
import os
import subprocess
import sys

import pytest

from irmeval.cli import main
from tests.conftest import ROOT
from tests.index import written


def test_index_when_commands_are_declared_then_says_what_their_decorators_say():
    held = (ROOT / "irmeval" / "core" / "index.py").read_text(encoding="utf-8")
    assert held == written(), "write it: python -m tests.index > irmeval/core/index.py"


PAPERS = "irmeval.papers"
ROOMS = {PAPERS, "irmeval.lessons", "irmeval.check", "irmeval.ui"}
LIBRARIES = {"pandas", "scipy", "plotly", "streamlit", "distributed", "yaml"}
ARCHIVES = {"tarfile", "zipfile"}
RARE = {*ARCHIVES, "fractions", "html", "numpy.random", "secrets", "tempfile"}
"""Of Python and NumPy: what only archives, notebooks and draws need."""
UNSCORED = {*LIBRARIES, *RARE, "bz2", "lzma", "shutil", "irmeval.experiments", "irmeval.report"}
LUMEN = "sample_data/runs/lumen.gz"
FILES = f"sample_data/qrels.txt.gz {LUMEN}"
EVALUATE = f"evaluate {FILES} -m AP"
OTHERS = {
    # a command line: rooms and libraries that it does not load
    f"{EVALUATE} -q": {*UNSCORED, *ROOMS},
    f"{EVALUATE} --format json": {*UNSCORED, *ROOMS},
    f"{EVALUATE} --format text": {*LIBRARIES, *ARCHIVES, "numpy.ma", *ROOMS - {PAPERS}},
    f"condense {FILES}": {*LIBRARIES, *ARCHIVES, *ROOMS - {PAPERS}},
    f"fuse {LUMEN} sample_data/runs/aurora1.gz": {*LIBRARIES, *ARCHIVES, *ROOMS},
    "reduce sample_data/qrels.txt.gz --rate 50": {*LIBRARIES, *ARCHIVES, *ROOMS - {PAPERS}},
    "curves --help": {
        *LIBRARIES,
        *ARCHIVES,
        "pyarrow",
        "irmeval.experiments.planning",
        *ROOMS - {PAPERS},
    },
    "--help": {*LIBRARIES, *RARE, "numpy", "pyarrow", "irmeval.experiments.runs.matrix", *ROOMS},
    "--version": {*LIBRARIES, *RARE, "numpy", "pyarrow", "irmeval.experiments", *ROOMS},
}


@pytest.mark.parametrize("line", OTHERS)
def test_command_when_run_then_loads_no_room_that_it_does_not_need(line):
    script = (
        "import sys\nfrom irmeval.cli import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit: pass\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *line.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert "irmeval.cli.program" in loaded
    assert OTHERS[line] & {*loaded} == set()


def test_completion_when_a_shell_asks_for_commands_then_imports_none():
    script = (
        "import sys\nfrom click.shell_completion import ShellComplete\n"
        "from irmeval.cli.program import PROGRAM\n"
        "found = ShellComplete(PROGRAM, {}, 'irmeval', '').get_completions([], 'ju')\n"
        "print(*(item.value for item in found))\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    offered, loaded = map(str.split, done.stdout.splitlines())
    assert offered == ["judge-next", "judgments-needed", "judges"]
    assert not [name for name in loaded if name.startswith("irmeval.experiments.planning.")]


TIMEOUT = "OPENBLAS_THREAD_TIMEOUT"
OWN = {
    # arguments of the call, the timeout that a user has set: what ends the process, the timeout
    "the program itself": (None, {}, [gc.freeze], "4"),
    "the program, with a setting": (None, {TIMEOUT: "20"}, [gc.freeze], "20"),
    "a call by another program": (["--version"], {}, [], None),
}


@pytest.mark.parametrize(("given", "set_by_user", "at_end", "timeout"), OWN.values(), ids=OWN)
def test_main_when_the_process_is_its_own_then_no_idle_thread_and_no_search_for_cycles_takes_time(
    given, set_by_user, at_end, timeout, monkeypatch
):
    registered = []
    monkeypatch.setattr(atexit, "register", registered.append)
    monkeypatch.setattr(os, "environ", {**set_by_user})
    monkeypatch.setattr(sys, "argv", ["irmeval", "--version"])
    with pytest.raises(SystemExit):
        main(given)
    assert (registered, os.environ.get(TIMEOUT)) == (at_end, timeout)
