"""The help of the program and of its commands: groups, phrases, examples; and messages
of progress.
"""

import re
import shlex
from itertools import chain

import pytest

from irmeval.cli import given_data, main
from irmeval.cli.program import EXAMPLES, PROGRAM, groups, parse
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.story import COMMANDS, STORY


def test_groups_when_made_then_stand_in_the_order_of_the_menu_and_hold_each_command_once():
    found = groups()
    assert [*found] == ["dashboard", *STORY, "shell"]
    assert sorted(chain(*found.values())) == sorted(chain(EXPERIMENTS, *COMMANDS.values()))
    assert all(
        [n for n in names if n in EXPERIMENTS] == [n for n in EXPERIMENTS if n in names]
        for names in found.values()
    )


def test_help_when_asked_for_then_lists_each_command_with_a_phrase_in_a_line_of_80(run_command):
    said = run_command("--help", status=0).out
    for names in groups().values():
        for name in names:
            [line] = [line for line in said.splitlines() if line.startswith(f"  {name} ")]
            phrase = line.removeprefix(f"  {name}").strip()
            assert phrase[0].islower(), line
            assert not phrase.endswith((".", "?")), line
    assert all(example in said for example in EXAMPLES)


@pytest.mark.parametrize("name", ["", *(n for names in groups().values() for n in names)])
def test_help_when_the_terminal_has_80_columns_then_no_line_is_longer_or_breaks_a_name(
    name, run_command, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")
    said = run_command(*filter(None, [name]), "--help").out.splitlines()
    assert [line for line in said if len(line) > 80 or re.search(r"\w-$|\u2011", line)] == []


@pytest.mark.parametrize("name", [n for names in groups().values() for n in names])
def test_help_of_a_command_when_asked_for_then_begins_with_an_example_that_can_be_parsed(
    name, capsys
):
    with pytest.raises(SystemExit, match="0"):
        main([name, "--help"])
    first, empty, usage, *_ = capsys.readouterr().out.splitlines()
    assert (first.startswith(f"example: irmeval {name}"), empty) == (True, "")
    assert usage.startswith(f"Usage: irmeval {name} [OPTIONS]")
    assert parse(shlex.split(first)[2:]).command.name == name


def test_examples_of_the_program_when_parsed_then_are_commands():
    for line in EXAMPLES:
        assert parse(shlex.split(line)[1:]).command.name in PROGRAM.commands


def test_help_when_flags_are_of_several_kinds_then_each_kind_is_a_section(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["evaluate", "--help"])
    titles = [
        line
        for line in capsys.readouterr().out.splitlines()
        if line.endswith(":") and not line.startswith(" ")
    ]
    assert titles == [
        "Positional arguments:",
        "Options:",
        "Output:",
        "Data:",
        "Data, other judges:",
        "Data, selected runs and topics:",
    ]


@pytest.mark.parametrize("name", [n for names in groups().values() for n in names])
def test_help_when_a_terminal_is_wide_then_its_lines_have_80_letters_and_flags_hyphens(
    name, run_command, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "200")
    lines = run_command(name, "--help", status=0).out.splitlines()
    # an example and the values of a flag are not broken
    broken = [line for line in lines[1:] if not re.match(r"  (-\w, )?--\S+ \[[^\]]+\]$", line)]
    assert [line for line in broken if len(line) > 80] == []
    assert [line for line in lines if re.match(r" *--[\w-]*_", line)] == []
    assert [line for line in lines if "Default ()" in line or "% of." in line] == []


def test_flag_when_written_with_low_lines_then_is_that_with_hyphens():
    for words in (["--per_team", "best"], ["--per-team", "best"], ["--per_team=best"]):
        assert parse(["leaderboard", "q", "r", *words]).per_team == "best"
    assert parse(["orders", "q", "r", "--budgets", "10", "20"]).budgets == ("10", "20")


def test_commands_when_one_is_called_then_flags_of_no_other_are_made():
    for command in PROGRAM.commands.values():
        command.params = []
    parse(["stability", "qrels", "runs"])
    assert [name for name, command in PROGRAM.commands.items() if command.params] == ["stability"]


@pytest.mark.parametrize(
    ("total", "after", "expected"), [(7, -1.0, 7), (126, -1.0, 10), (1000, float("inf"), 0)]
)
def test_progress_when_standard_error_is_no_terminal_then_is_a_line_each_tenth_of_long_work(
    capsys, monkeypatch, total, after, expected
):
    monkeypatch.setattr(given_data, "LONG_SECONDS", after)
    tell = given_data.Progress()
    for done in range(total + 1):
        tell(done, total)
        tell(done, total)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == expected
    assert not expected or lines[-1] == f"{total} of {total} (100%)"


def test_progress_when_work_is_long_then_says_how_long_the_rest_takes_as_measured_so_far(
    capsys, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(given_data.time, "monotonic", lambda: now[0])
    tell = given_data.Progress()
    for now[0], done in ((0.0, 0), (10.0, 25), (30.0, 50)):
        tell(done, 100)
    assert (
        capsys.readouterr().err
        == "25 of 100 (25%, about 30 s left)\n50 of 100 (50%, about 30 s left)\n"
    )


def test_progress_when_other_work_begins_then_its_tenths_are_counted_anew(capsys, monkeypatch):
    monkeypatch.setattr(given_data, "LONG_SECONDS", -1.0)
    tell = given_data.Progress()
    for total in (100, 200):
        tell(total, total)
    assert capsys.readouterr().err == "100 of 100 (100%)\n200 of 200 (100%)\n"


def test_progress_when_a_line_on_a_terminal_is_shorter_than_the_last_then_blanks_cover_the_rest(
    capsys, monkeypatch
):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    now = [0.0]
    monkeypatch.setattr(given_data.time, "monotonic", lambda: now[0])
    tell = given_data.Progress()
    for now[0], done in ((0.0, 0), (30.0, 1), (60.0, 3)):
        tell(done, 3)
    assert capsys.readouterr().err == f"\r0 of 3\r1 of 3, about 60 s left\r3 of 3{' ' * 17}\n"


def test_serve_when_asked_for_help_then_has_no_flag_for_a_file_as_it_prints_nothing(run_command):
    assert "--output" not in run_command("serve", "--help", status=0).out
    assert "unknown flag '-o'" in run_command("serve", "-o", "file", status=2).err
