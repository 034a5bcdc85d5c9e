"""The command line, in a process of its own where exit status and streams matter.

The tests of programs and documents; the others are in `tests/unit/cli/test_cli.py`.
"""

import subprocess
import sys

from irmeval.cli import main
from tests.conftest import ROOT


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "irmeval", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True)


def test_program_when_a_file_is_bad_then_names_file_and_line_and_exits_2(tiny, tmp_path):
    (tmp_path / "bad").write_text("1 Q0 d 1 5 t\n1 Q0 e 2 x t\n")
    done = run("evaluate", tiny[0], tmp_path / "bad", "-m", "AP")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"irmeval: {tmp_path / 'bad'}, line 2: expected a number as score, found 'x'. Fix or remove the line.\n"


def test_command_when_all_is_well_then_figures_and_messages_part(tiny, capfd):
    main(["evaluate", *map(str, tiny), "-m", "AP"])
    figures, messages = capfd.readouterr()
    assert figures.startswith("run,measure,topic,score\n")
    assert "3 runs, 4 topics, 15 judgments" in messages
