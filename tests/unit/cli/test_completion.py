"""Completion scripts, read by the shells themselves where they are installed."""

import shutil
import subprocess

import pytest

from irmeval.cli import main
from irmeval.cli.commands import parser
from irmeval.cli.completion import INSTALL, SCRIPTS, read
from irmeval.cli.help import groups

LINES = {
    "irmeval ch": {"check"},
    "irmeval evaluate --ord": {"--order"},
    "irmeval evaluate --order d": {"double"},
    "irmeval evaluate --profile trec": {"trec_eval 9.0.8", "trec_eval 10"},
    "irmeval paper sakai-k": {"sakai-kando-2008"},
    "irmeval evaluate -m nDC": {"nDCG"},
    "irmeval completion ": {*INSTALL},
    "irmeval stability --se": {"--sets", "--seed"},
}
"""What is typed, and what is offered."""


def shell(name: str, *arguments: str, text: str) -> str:
    if not shutil.which(name):
        pytest.skip(f"{name} is not installed")
    return subprocess.run([name, *arguments], input=text, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture(scope="module")
def scripts():
    commands = read(parser())
    assert {command.name for command in commands} == {name for names in groups().values() for name in names}
    return {name: make(commands) for name, make in SCRIPTS.items()}


def test_completion_when_printed_then_is_the_script_of_the_shell(scripts, capsys):
    main(["completion", "fish"])
    assert capsys.readouterr().out == scripts["fish"]


def test_bash_when_tab_is_pressed_then_offers_what_fits(scripts):
    tried = "".join(
        f"COMP_WORDS=({line.removesuffix(' ')}{' ' + repr('') if line.endswith(' ') else ''}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1))\n"
        "_irmeval; printf '%s\\t' \"${COMPREPLY[@]}\"; echo\n"
        for line in LINES
    )
    found = shell("bash", "--norc", text=f"{scripts['bash']}\n{tried}").splitlines()
    assert [{word.replace("\\ ", " ") for word in line.split("\t") if word} for line in found] == [*LINES.values()]


def test_fish_when_tab_is_pressed_then_offers_what_fits(scripts, tmp_path):
    script = tmp_path / "irmeval.fish"
    script.write_text(scripts["fish"])
    tried = "".join(f"complete -C '{line}' | string collect; echo ==\n" for line in LINES)
    found = shell("fish", "--private", text=f"source {script}\n{tried}").split("==\n")
    assert [{line.split("\t")[0] for line in part.splitlines() if line} for part in found[:-1]] == [*LINES.values()]


def test_zsh_when_it_reads_the_script_then_finds_no_fault(scripts):
    assert shell("zsh", "-n", text=scripts["zsh"]) == ""


def test_zsh_when_made_then_has_each_command_flag_and_value(scripts):
    for command in read(parser()):
        assert f"'{command.name}:{command.does}'" in scripts["zsh"]
    assert "    evaluate:--order) items=(trec_eval double rank file); compadd -a items; return;;" in scripts["zsh"]
    assert "'--order:order of a list" in scripts["zsh"]
