"""`significance` and `decisions` on the command line."""

import json

import pytest

import irmeval
from irmeval.core.tables import FORMATS
from irmeval.experiments import EXPERIMENTS

SCORES = "topic,good,fair,poor\n1,.9,.8,.1\n2,.8,.5,.2\n3,.9,.9,.3\n4,.7,.5,.1\n5,.6,.7,.2\n"


@pytest.fixture
def matrix(tmp_path):
    (tmp_path / "scores.csv").write_text(SCORES)
    return tmp_path / "scores.csv"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--matrix", "nowhere.csv"], "nowhere.csv: expected a readable file"),
        (["--matrix", "{matrix}", "--runs", "good,pour"], "unknown run 'pour'; nearest: poor"),
        (["--matrix", "{matrix}", "--runs", "good"], "at least 2 runs"),
        (["--matrix", "{matrix}", "--alpha", "0"], "alpha: expected a value from 0.0001 to 0.5"),
        (
            ["--matrix", "{matrix}", "--samples", "many"],
            "samples: expected a whole number, found 'many'",
        ),
    ],
)
def test_significance_when_something_is_wrong_then_one_line_says_what(
    matrix, run_command, arguments, message
):
    said = run_command("matrix", *(a.format(matrix=matrix) for a in arguments), status=2)
    *read, wrong = said.err.splitlines()
    assert said.out == ""
    assert message in wrong
    assert [line for line in read if "; read as " not in line] == []


@pytest.mark.parametrize("arguments", [["--matrix", "m.csv", "--test", "guess"], ["qrels"], []])
def test_significance_when_called_wrongly_then_one_line_says_why(run_command, arguments):
    said = run_command("matrix", *arguments, status=2).err
    assert said.startswith("irmeval: matrix: ")
    assert said.count("\n") == 1


def test_table_when_there_is_none_of_this_name_then_the_nearest_is_named(matrix, run_command):
    assert (
        "unknown table 'powers'; nearest: power"
        in run_command("matrix", "--matrix", matrix, "--table", "powers", status=2).err
    )


def test_all_when_asked_for_then_every_table_and_figure_is_a_file(tiny, tmp_path, run_command):
    printed = run_command(
        "parameters", *tiny, "-m", "Q", "-m", "Q'", "--all", "-o", tmp_path / "made"
    ).out
    names = [path.name for path in (tmp_path / "made").iterdir()]
    assert sorted(printed.split()) == sorted(str(tmp_path / "made" / name) for name in names)
    said = json.loads((tmp_path / "made" / "result.json").read_text())
    experiment = EXPERIMENTS["parameters"]
    result = experiment(irmeval.read_collection(*tiny), ["Q", "Q'"])
    assert said["found"] == result.headline()
    assert list(said["tables"]) == [table.name for table in result.tables()]
    assert len(names) == len(said["tables"]) + len(said["figures"]) + 1  # Q and Q' apart
    assert (tmp_path / "made" / "values.csv").read_text() == FORMATS["csv"](result.frame())
    drawn = json.loads(next((tmp_path / "made").glob("figure-*.json")).read_text())
    assert drawn["data"]
