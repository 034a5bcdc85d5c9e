"""Arguments in the form that users of other programs type them."""

import csv
import io
import shlex

import pytest

import irmeval
from irmeval.cli import main
from irmeval.cli.habits import place_files, spread
from irmeval.cli.meant import is_measure
from irmeval.experiments import EXPERIMENTS
from irmeval.metrics import DEFAULT
from tests.cases import SAMPLE, read_once
from tests.conftest import ROOT

MEASURE = {"-m": is_measure, "--measure": is_measure}
STANDS = "matrix: a score matrix replaces QRELS, RUN, -m and their flags. Leave out"


def measures_in(text: str) -> list[str]:
    return [*dict.fromkeys(row["measure"] for row in csv.DictReader(io.StringIO(text)))]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("q r -m AP RR", "q r -m AP -m RR"),
        ("q -m AP RR sample_data/runs", "q -m AP -m RR sample_data/runs"),
        (
            "-m AP ndcg_cut.10,20 official no.file x/y",
            "-m AP -m ndcg_cut.10,20 -m official no.file x/y",
        ),
        ("-m AP RR --seed 1 P@5", "-m AP -m RR --seed 1 P@5"),
        ("q --measure AP nDCC -", "q --measure AP --measure nDCC -"),
        (
            "q r -m mrr hit_rate@10 ndcg runs bm25 qrels",
            "q r -m mrr -m hit_rate@10 -m ndcg runs bm25 qrels",
        ),
        ("-m AP my.irmeval#RR", "-m AP my.irmeval#RR"),
        ("--measure=AP runs", "--measure=AP runs"),
    ],
)
def test_measures_when_several_stand_behind_one_flag_then_each_gets_its_own(given, expected):
    assert spread(given.split(), MEASURE) == expected.split()


def test_runs_when_a_command_takes_their_names_then_its_flag_stays():
    assert place_files(["Q", "R", "--run", "bm25"], {"--run"}) == ["Q", "R", "--run", "bm25"]
    assert place_files(["--qrels", "Q", "--run", "R"], {"-m"}) == ["Q", "R"]


def test_measures_when_a_file_has_the_name_of_one_then_it_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RR").touch()
    assert spread(["-m", "AP", "RR"], MEASURE) == ["-m", "AP", "RR"]


def test_measures_when_several_are_named_before_the_runs_then_all_are_scored(tiny, run_command):
    assert measures_in(
        run_command("evaluate", tiny[0], "-m", "AP", "nDCG@10", "RR", *tiny[1:]).out
    ) == ["AP", "nDCG@10", "RR"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "-m", "map"], "evaluate: -o: expected FILE, found the flag -m."),
        (["--output", "--per-topic"], "evaluate: -o: expected FILE, found the flag --per-topic."),
        (["--team-list", "-q"], "evaluate: --team-list: expected FILE, found the flag -q."),
    ],
)
def test_flag_when_its_value_is_a_flag_then_is_refused_and_nothing_is_written(
    words, said, tiny, run_command, tmp_path, monkeypatch
):
    tiny = [*map(str, tiny)]
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run_command("evaluate", *words, *tiny, status=2).err == f"irmeval: {said}\n"
    assert sorted(tmp_path.iterdir()) == before


def test_measures_when_none_is_named_then_those_of_the_workspace_or_the_usual(
    tiny, run_command, tmp_path
):
    assert measures_in(run_command("evaluate", *tiny).out) == list(DEFAULT)
    for measures in ((irmeval.measure("Bpref"),), ()):
        workspace = irmeval.Workspace(measures=measures).add("mine", tiny[0], tiny[1:])
        workspace.save(tmp_path / "my.irmeval")
        assert measures_in(run_command("leaderboard", tmp_path / "my.irmeval").out) == list(
            measures or DEFAULT
        )
    c = read_once(*SAMPLE)
    assert irmeval.evaluate(c).measures == EXPERIMENTS["leaderboard"](c).measures == DEFAULT


@pytest.mark.parametrize("arguments", [["-", "-"], ["-", "runs", "--scheduler", "local:1"]])
def test_standard_input_when_it_cannot_be_read_then_says_why(arguments, run_command):
    assert "-: standard input" in run_command("evaluate", *arguments, "-m", "AP", status=2).err


@pytest.mark.parametrize("shuffle", ["run qrels", "run other qrels", "folder qrels"])
@pytest.mark.parametrize("command", ["evaluate", "leaderboard", "check"])
def test_order_when_runs_stand_before_the_judgments_then_the_line_to_type_is_told(
    command, shuffle, tiny, run_command, monkeypatch
):
    monkeypatch.chdir(tiny[1].parent)
    files = {"run": "runs/ideal", "other": "runs/short.gz", "folder": "runs", "qrels": tiny[0].name}
    typed = [*(files[name] for name in shuffle.split()), "-m", "AP", "P@5", "--profile", "papers"]
    said, line = run_command(command, *typed, status=2).err.strip().split("\n")
    words = shlex.split(line)
    assert "must be first" in said
    assert words[:4] == ["irmeval", command, files["qrels"], typed[0]]
    assert sorted(words[2:]) == sorted(typed)


def test_order_when_the_judgments_alone_are_wrong_then_the_fault_is_told(tmp_path, capsys):
    (tmp_path / "q").write_text("1 0 a x\n")
    with pytest.raises(SystemExit, match="2"):
        main(
            ["evaluate", str(tmp_path / "q"), str(ROOT / "sample_data/runs/aurora1.gz"), "-m", "AP"]
        )
    assert "line 1: expected a whole number as grade" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["QRELS", "RUNS", "-m", "AP", "-m", "P@5"],
        ["--qrels", "QRELS", "--runs", "RUNS", "-m", "AP", "P@5"],
        ["QRELS", "RUNS", "AP", "P@5"],
        ["--qrels", "QRELS", "--runs", "RUNS", "AP", "P@5"],
        ["AP", "QRELS", "P@5", "RUNS"],
    ],
)
def test_evaluate_when_files_and_measures_are_named_in_any_way_then_scores_are_the_same(
    words, tiny, run_command
):
    files = {"QRELS": str(tiny[0]), "RUNS": str(tiny[1])}
    assert measures_in(run_command("evaluate", *(files.get(word, word) for word in words)).out) == [
        "AP",
        "P@5",
    ]


@pytest.mark.parametrize("mark", ["-", "_"])
def test_flag_when_written_with_either_dash_then_is_the_same(mark, tiny, run_command):
    said = run_command(
        "evaluate",
        *tiny,
        "-m",
        "AP",
        f"--top{mark}runs",
        "1",
        f"--per{mark}topic",
        f"--qrels{mark}format",
        "trec",
    )
    assert said.err.count("left out") == 2
    assert said.out.count("\n") == 1 + 1 + 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["evaluate", "q", "r", "--per", "best"],
            "evaluate: unknown flag '--per'; nearest: --per-team",
        ),
        (
            ["evaluate", "q", "r", "--repeat", "first"],
            "evaluate: unknown flag '--repeat'; nearest: --repeated",
        ),
        (
            ["evaluate", "q", "r", "--order", "x"],
            "evaluate: invalid value for '--order': 'x' is not one of 'trec_eval', 'double', ",
        ),
        (
            ["leaderboard", "q", "r", "-q"],
            "leaderboard: -q of trec_eval is --per-topic of evaluate here.",
        ),
        (
            ["topics", "q", "r", "-l", "2"],
            "topics: -l of trec_eval is a level of the measure, as in -m 'AP(rel=2)', here.",
        ),
        (
            ["evaluate", "q", "r", "-N", "100"],
            (
                "evaluate: -N of trec_eval is not needed: no measure depends on the size of the"
                " collection"
            ),
        ),
        (
            ["evaluate", "q", "r", "--wide", "--long"],
            "evaluate: expected one of --wide, --long, found 2.",
        ),
        (
            ["evaluate", "q", "r", "--order"],
            "evaluate: --order: expected [trec_eval|double|rank|file], found none.",
        ),
        (
            ["leaderboard", "q", "r", "--table", "x", "--all"],
            "leaderboard: expected one of --table, --all, found 2.",
        ),
        (
            ["matrix", "--matrix", "m.csv", "-m", "AP"],
            f"{STANDS} --measure.",
        ),
        (
            ["matrix", "q", "--matrix", "m.csv"],
            f"{STANDS} qrels.",
        ),
        (
            ["evaluate"],
            (
                "evaluate: expected QRELS and RUN, found neither. Example: irmeval evaluate"
                " qrels.txt runs/ -m AP -m nDCG@10"
            ),
        ),
        (["rerun", "m", "--also", "q"], "rerun: --also: expected QRELS RUNS, found fewer."),
        (["judges", "q", "--other"], "judges: --other: expected NAME=FILE, found none."),
        (["evalaute", "q"], "unknown command 'evalaute'; nearest: evaluate"),
        (
            ["sign", "q", "r"],
            "sign: irmeval what-if --pair A,B says how often a difference keeps its sign.",
        ),
        (["scorcard"], "unknown command 'scorcard'; nearest: scorecard"),
        ([], "missing command. See irmeval --help."),
        (["--verbos"], "unknown flag '--verbos'; nearest: --version"),
    ],
)
def test_line_when_it_cannot_be_understood_then_one_line_says_what_is_near(words, said, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(words)
    told = capsys.readouterr()
    assert told.err.startswith(f"irmeval: {said}")
    assert (told.err.count("\n"), told.out) == (1, "")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("eval", "evaluate"),
        ("judge_next", "judge-next"),
        ("compare", "matrix"),
        ("dashboard", "serve"),
    ],
)
def test_command_when_its_name_is_another_programs_then_is_the_one_that_is_meant(
    word, meant, run_command
):
    assert run_command(word, "--help", status=0).out.startswith(f"example: irmeval {meant} ")
    assert run_command("help", word, status=0).out == run_command(word, "--help", status=0).out


def test_program_when_asked_as_others_are_then_prints_help_and_version(capsys):
    for words in (["--help"], ["-h"], ["help"]):
        with pytest.raises(SystemExit, match="0"):
            main(words)
        assert capsys.readouterr().out.startswith("Usage: irmeval")
    for words in (["--version"], ["-v"], ["-V"], ["version"]):
        with pytest.raises(SystemExit, match="0"):
            main(words)
        assert capsys.readouterr().out.startswith("irmeval ")
