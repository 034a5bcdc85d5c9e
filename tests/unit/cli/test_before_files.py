"""What is wrong with a command line itself is refused before any file is opened."""

import shlex
import sys

import click
import pytest

from irmeval.cli.program import PROGRAM

OPENED: list[str] = []
"""Files that were opened, as far as this is looked at."""
NOWHERE = "nowhere"
"""Beginning of the names of files, none of which exists."""
ARGUMENTS = {
    "qrels": ("nowhere.qrels",),
    "runs": ("nowhere.run",),
    "files": ("nowhere.run", "nowhere2.run"),
    "manifest": ("nowhere.json",),
    "sources": ("nowhere.qrels", "nowhere.run", "nowhere2.qrels", "nowhere2.run"),
}
"""Words for an argument that takes files; another one gets the first of its choices."""
MORE = {"audit": "--other a=nowhere", "judges": "--other a=nowhere"}
MORE |= dict.fromkeys(("systems", "holes"), MORE["judges"])
MORE["reduce"] = "--rate 10"
"""What a command needs beside files."""
WRONG = "zork!"
"""A value that is no number, choice, measure or judge."""
FROM_FILES = {
    "runs": "only baseline original reproduced original_baseline reproduced_baseline pair of_runs"
    " runs_only run",
    "topics": "topics_only",
    "columns": "sort",
    "a file": "exclude team_list matrix scores returned others also tables table_folder output"
    " lessons other",
    "any text": "first name team_rule",
}
"""Values that files decide on, which are files, or that are right whatever they are."""
DECIDED = {name for names in FROM_FILES.values() for name in names.split()}
RATERS = {("judges", "judge"), ("judges", "second")}
"""Names of judges that may be those of columns in the qrels."""
NO_FILES = ("completion", "formats", "lesson", "metrics", "serve")


@pytest.fixture(scope="module", autouse=True)
def looking():
    """Notes which files are opened, by whatever Python code does so."""

    def note(event, arguments):
        if event in ("open", "os.listdir", "os.scandir") and NOWHERE in str(arguments[0]):
            OPENED.append(str(arguments[0]))

    sys.addaudithook(note)  # there is no way to remove one


def line_of(name):
    """A command with files that are not there."""
    words = [name]
    for param in PROGRAM.commands[name].get_params(click.Context(PROGRAM.commands[name])):
        if not isinstance(param, click.Argument):
            continue
        if param.name in ARGUMENTS:
            words += ARGUMENTS[param.name]
        else:
            words.append(param.type.choices[0])
    return [*words, *shlex.split(MORE.get(name, ""))]


def values_of(name):
    """The flags of a command whose values no file decides on."""
    for param in PROGRAM.commands[name].get_params(click.Context(PROGRAM.commands[name])):
        is_flag = isinstance(param, click.Argument) or param.is_flag
        if not is_flag and param.name not in DECIDED and (name, param.name) not in RATERS:
            yield param.opts[-1]


@pytest.mark.parametrize("name", sorted({*PROGRAM.commands} - {*NO_FILES}))
def test_value_when_no_file_makes_it_right_then_is_refused_before_any_is_opened(name, run_command):
    for flag in values_of(name):
        OPENED.clear()
        said = run_command(*line_of(name), flag, WRONG, status=2).err
        assert not OPENED, (flag, said)
        assert NOWHERE not in said, (flag, said)


@pytest.mark.parametrize(
    "line",
    [
        "evaluate q.irmeval -m zork!",
        "evaluate q.irmeval --depth 0",
        "evaluate q.irmeval --gains zork!",
        "evaluate q.irmeval --top-runs -1",
        "evaluate q.irmeval --exclude nowhere.pairs --least 101",
        "evaluate q r --level 0",
        "evaluate q r -m AP --sort zork!",
        "evaluate q r -m AP -J --sort AP",
        "evaluate q r --judge zork!",
        "evaluate q r --other a=q2 --judge zork!",
        "evaluate q r --other a=q2 --map b=1:2",
        "evaluate q r --other a=q2 --relevant b=2",
        "evaluate q r --other qrels=q2",
        "evaluate q r --other 'a\tb=q2'",
        "evaluate q r --other a=simulated:zork",
        "evaluate q r --other a=simulated:noisy,2",
        "evaluate q r -o x.docx",
        "evaluate - -",
        "leaderboard q r --kinds zork!",
        "leaderboard --matrix m -m AP",
        "curves q.irmeval --table knees",
        "curves q r --watch order --table power",
        "curves q r --format trec --table trials",
        "topics q r --by zork!",
        "rankings q.irmeval --against zork!",
        "topics-needed q r --pooled-with zork!",
        "holes q r",
        "systems q r --other a=q2 --second b",
        "systems q r --other a=q2 --second qrels",
        "estimates q r --other a=q2 --cheap b",
        "estimates q r --cheap simulated:zork",
        "orders q r --other a=q2 --driver b",
        "audit q r --other a=q2 --runs r",
        "condense q r --scheduler zork!",
        "evaluate q r --scheduler zork!",
        "judge-next q r --scheduler local:2",
        "judge-next q r --returned j --table zork!",
        "judge-next q r --returned j --all",
        "across q r q2 r2 -m zork!",
        "across q r q2 r2 --gains zork!",
        "across q.irmeval -m zork!",
        "rerun m.json q r --gains zork!",
        "paper sakai2007 q.irmeval --exhibit zork!",
        "paper sakai2007 q r --top-runs zork!",
        "reduce q --rate 10 --pool 5",
        "reduce q --rate 101",
        "reduce q r --method shallow",
        "reduce q r --method shallow --pool 0",
        "reduce q --rate 10 --seed zork!",
        "fuse q r --name 'a b'",
        "check q r --other a=q2",
        "judges q --other a=q --other a=r",
        "lesson zork! --qrels q --runs r",
    ],
)
def test_values_when_they_do_not_fit_together_then_are_refused_before_a_file_is_opened(
    line, run_command
):
    names = {"q", "r", "q2", "r2", "j", "m", "m.json", "q.irmeval"}
    words = [f"{NOWHERE}.{word}" if word in names else word for word in shlex.split(line)]
    words = [word.replace("=q2", f"={NOWHERE}.q2") for word in words]
    OPENED.clear()
    said = run_command(*words, status=2).err
    assert not OPENED, said
    assert "no such file" not in said


def test_measure_when_of_a_score_matrix_then_may_have_any_name(tmp_path, run_command):
    matrix = tmp_path / "my-own.csv"
    matrix.write_text("topic,a,b\n1,0.5,0.25\n2,0.125,0.5\n")
    said = run_command("topics", "--matrix", str(matrix), "--by", "my-own", status=0)
    assert "By my-own, " in said.err


@pytest.mark.parametrize("how", ["--wide", "--long", "--long --per-topic"])
def test_column_when_it_is_printed_of_a_sample_then_rows_may_be_ordered_by_it(
    how, tmp_path, run_command
):
    drawn = [f"{topic} 0 d{n} {1 + n % 2} {n % 3 - 1}" for topic in (1, 2) for n in range(9)]
    lists = [f"{topic} Q0 d{n} {n + 1} {9 - n} r" for topic in (1, 2) for n in range(9)]
    (tmp_path / "q").write_text("\n".join(drawn))
    (tmp_path / "r").write_text("\n".join(lists))
    line = ["evaluate", str(tmp_path / "q"), str(tmp_path / "r"), "-m", "statAP", *how.split()]
    columns = run_command(*line, status=0).out.splitlines()[0].split(",")
    assert any("low_topics" in column for column in columns)
    for column in columns:
        run_command(*line, "--sort", column, status=0)
