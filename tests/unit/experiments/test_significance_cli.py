"""`significance` and `decisions` on the command line."""

import csv
import io
import json

import pytest

import irmeval
from irmeval.core.tables import FORMATS
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.incompleteness.decisions import Params, significance_decisions
from irmeval.experiments.results import table_named
from irmeval.experiments.runs import matrix as testing

SCORES = "topic,good,fair,poor\n1,.9,.8,.1\n2,.8,.5,.2\n3,.9,.9,.3\n4,.7,.5,.1\n5,.6,.7,.2\n"


@pytest.fixture
def matrix(tmp_path):
    (tmp_path / "scores.csv").write_text(SCORES)
    return tmp_path / "scores.csv"


@pytest.fixture
def call(run_command):
    """Run a command here; its rows and what it said on standard error."""

    def run_here(*arguments: object):
        streams = run_command(*arguments)
        return list(csv.DictReader(io.StringIO(streams.out))), streams.err

    return run_here


def test_significance_when_run_on_a_collection_then_rows_are_those_of_the_package(call, tiny):
    qrels, runs = tiny
    rows, said = call("matrix", qrels, "-m", "AP", runs, "-m", "nDCG", "--test", "t", "--alpha", "0.2")
    assert list(rows[0]) == ["measure", "run_a", "run_b", "difference", "p_alone", "p_at_once", "hedges_g", "topics_won"]
    result = testing.significance(irmeval.read_collection(*tiny), ["AP", "nDCG"], testing.Params(test="t", alpha=0.2))
    expected = result.frame()
    assert [r["measure"] for r in rows] == list(expected["measure"])
    for name in ("p_alone", "p_at_once"):
        assert [float(r[name]) for r in rows] == list(expected[name])
    assert result.headline() in said


@pytest.mark.parametrize("form", ["apart", "joined"])
def test_significance_when_run_on_a_matrix_then_no_qrels_are_needed(call, matrix, form):
    given = ["--matrix", matrix] if form == "apart" else [f"--matrix={matrix}"]
    rows, _ = call("matrix", *given, "--samples", 50)
    assert [(r["measure"], r["run_a"], r["run_b"]) for r in rows] == [
        ("scores", "fair", "good"),
        ("scores", "fair", "poor"),
        ("scores", "good", "poor"),
    ]
    assert float(rows[0]["difference"]) == pytest.approx(-0.1)


def test_significance_when_runs_are_named_then_only_they_are_compared(call, matrix, tiny):
    rows, _ = call("matrix", "--matrix", matrix, "--runs", "poor,good")
    assert [(r["run_a"], r["run_b"]) for r in rows] == [("poor", "good")]
    rows, _ = call("matrix", *tiny, "-m", "AP", "--runs", "short,ideal")
    assert [(r["run_a"], r["run_b"]) for r in rows] == [("short", "ideal")]


def test_significance_when_the_seed_is_the_same_then_so_is_every_number(call, matrix):
    first, again, other = (
        call("matrix", "--matrix", matrix, "--test", "bootstrap", "--samples", 37, "--seed", seed)[0] for seed in (4, 4, 5)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--matrix", "nowhere.csv"], "nowhere.csv: expected a readable file"),
        (["--matrix", "{matrix}", "--runs", "good,pour"], "unknown run 'pour'; nearest: poor"),
        (["--matrix", "{matrix}", "--runs", "good"], "at least 2 runs"),
        (["--matrix", "{matrix}", "--alpha", "0"], "alpha: expected a value from 0.0001 to 0.5"),
        (["--matrix", "{matrix}", "--samples", "many"], "samples: expected a whole number, found 'many'"),
    ],
)
def test_significance_when_something_is_wrong_then_one_line_says_what(matrix, run_command, arguments, message):
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


def test_decisions_when_run_then_rows_are_those_of_the_package(call, tiny):
    qrels, runs = tiny
    rows, said = call("decisions", qrels, runs, "-m", "AP", "--rates", "100,50", "--trials", 2, "--samples", 20, "--seed", 3)
    result = significance_decisions(irmeval.read_collection(qrels, runs), ["AP"], Params(rates=(100, 50), trials=2, samples=20, seed=3))
    assert list(rows[0])[:6] == ["measure", "rate", "left", "trial", "power", "accuracy"]
    assert [float(r["accuracy"]) for r in rows] == list(result.frame()["accuracy"])
    assert "On 86% of the judgments (50% asked), AP finds " in said
    assert said.rstrip().endswith(" Every topic keeps at least 1 relevant and 10 nonrelevant documents.")


@pytest.mark.parametrize(
    ("command", "more", "table"),
    [
        ("matrix", ["--samples", "50"], "power"),
        ("matrix", ["--samples", "50"], "tests"),
        ("decisions", ["--rates", "100,50", "--trials", "2", "--samples", "50"], "knees"),
        ("decisions", ["--rates", "100,50", "--trials", "2", "--samples", "50"], "errors"),
        ("swap", ["--trials", "40"], "measures"),
        ("swap", ["--trials", "40"], "errors"),
    ],
)
def test_table_when_it_is_named_then_it_is_printed_as_its_page_shows_it(tiny, run_command, command, more, table):
    experiment = EXPERIMENTS[command]
    given = {name.removeprefix("--"): value for name, value in zip(more[::2], more[1::2], strict=True)}
    if "rates" in given:
        given["rates"] = given["rates"].split(",")
    result = experiment(irmeval.read_collection(*tiny), ["AP", "nDCG"], experiment.params(**given))
    printed = run_command(command, *tiny, "-m", "AP", "-m", "nDCG", *more, "--table", table).out
    assert printed == FORMATS["csv"](table_named(result, table).make())


def test_table_when_there_is_none_of_this_name_then_the_nearest_is_named(matrix, run_command):
    assert "unknown table 'powers'; nearest: power" in run_command("matrix", "--matrix", matrix, "--table", "powers", status=2).err


def test_all_when_asked_for_then_every_table_and_figure_is_a_file(tiny, tmp_path, run_command):
    printed = run_command("parameters", *tiny, "-m", "Q", "-m", "Q'", "--all", "-o", tmp_path / "made").out
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
