"""Completion: what click offers, and the scripts, read by the shells themselves where
they are installed.
"""

import shutil
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from irmeval.cli.completion import INSTALL, VARIABLE
from irmeval.cli.program import PROGRAM, groups
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ch"], {"check"}),
        (["evaluate", "--ord"], {"--order"}),
        (["evaluate", "--order", "d"], {"double"}),
        (["evaluate", "--profile", "trec"], {"trec_eval 9.0.8", "trec_eval 10"}),
        (["paper", "sakai-k"], {"sakai-kando-2008"}),
        (["evaluate", "-m", "ndc"], {"nDCG"}),
        (["completion", ""], {*INSTALL}),
        (["stability", "--se"], {"--sets", "--seed"}),
    ],
)
def test_completion_when_a_line_is_begun_then_offers_what_fits(words, offered):
    *before, begun = words
    found = ShellComplete(PROGRAM, {}, "irmeval", VARIABLE).get_completions(before, begun)
    assert {item.value for item in found} == offered


def test_completion_when_a_file_is_expected_then_the_shell_lists_files():
    for before in (["evaluate"], ["evaluate", "qrels"], ["evaluate", "-o"], ["fuse"]):
        assert [
            item.type
            for item in ShellComplete(PROGRAM, {}, "irmeval", VARIABLE).get_completions(before, "x")
        ] == ["file"]


@pytest.mark.parametrize("shell", INSTALL)
def test_script_when_printed_then_the_shell_finds_no_fault(shell, run_command):
    script = run_command("completion", shell).out
    assert f"{VARIABLE}={shell}_complete" in script
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


def test_program_when_the_script_asks_then_lists_every_command():
    asks = {VARIABLE: "bash_complete", "COMP_WORDS": "irmeval ", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "irmeval"],
        cwd=ROOT,
        env=asks,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert {line.partition(",")[2] for line in done.stdout.splitlines()} == {
        name for names in groups().values() for name in names
    }
