"""Runs by measures as a table to paste: what is bold and marked, and that the LaTeX is
well formed.
"""

import json
import re

import numpy as np
import pytest

import irmeval
from irmeval.core import terminal
from irmeval.core.errors import ParamError
from irmeval.core.tables import FORMATS
from irmeval.experiments import EXPERIMENTS
from irmeval.report import as_table, wide
from irmeval.report.printed import PAGE
from irmeval.scoring.score_table import Scores
from tests import hostile
from tests.cases import SAMPLE, collection, read_once

BOARD = EXPERIMENTS["leaderboard"]


def scores_of(means: dict[str, list[list[float]]], measures: tuple[str, ...]) -> Scores:
    """Scores of runs: by each measure, topic by topic."""
    values = np.array(
        [[of_run[m] for of_run in means.values()] for m in range(len(measures))], dtype=float
    )
    topics = tuple(str(t) for t in range(values.shape[2]))
    return Scores(values, tuple(map(irmeval.measure, measures)), tuple(means), topics)


def check_latex(text: str) -> list[list[str]]:
    """The rows of a table as cells, once its structure holds: braces and environments
    are balanced, every row has as many columns as the table declares, nothing special
    stands unescaped.
    """
    bare = re.sub(r"\\.", "", text.replace("\\\\", ""))
    depth = 0
    for letter in bare:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0
    assert depth == 0
    open_ones: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert not open_ones
    assert bare.count("$") % 2 == 0
    declared = re.search(r"\\begin\{(?:tabular|longtable)\}\{((?:[lr]|@\{\})+)\}", text)
    assert declared
    columns = len(declared[1].replace("@{}", ""))
    body = text[
        text.index("\\toprule") : text.index(
            "\\end{tabular}" if "tabular" in declared[0] else "\\end{longtable}"
        )
    ]
    rows = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r" \\")]
    for row in rows:
        spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row))
        assert len(re.findall(r"(?<!\\)&", row)) + 1 + spans == columns, row
        plain = re.sub(
            r"\\(multicolumn|shortstack|text\w+|big\w+)|\\[&%$#_{}]|\$\^\{[^}]*\}\$|-\{\}", "", row
        )
        assert not set(re.sub(r"(?<!\\)&|[{}]|\\\\", "", plain)) & set("\\%$#_~^<>|"), row
    return [re.split(r"(?<!\\)&", row) for row in rows]


def test_as_table_when_measures_are_means_and_sums_then_the_best_is_bold_as_far_as_numbers_differ():
    scores = scores_of(
        {"a": [[0.5, 0.25], [3, 4]], "b": [[0.375, 0.37501], [9, 9]], "c": [[0.1, 0.1], [0, 0]]},
        ("AP", "NumRelRet"),
    )
    assert as_table(scores).splitlines() == [
        "| run | AP | NumRelRet |",
        "| --- | ---: | ---: |",
        "| a | **0.3750** | 7 |",
        "| b | **0.3750** | 18 |",
        "| c | 0.1000 | 0 |",
        "",
        "Means over 2 topics, NumRelRet summed; the best of each measure in bold.",
    ]


def test_as_table_when_no_run_is_best_or_topics_differ_then_nothing_is_bold_and_a_column_counts():
    lone = as_table(scores_of({"a": [[0.5, np.nan]], "b": [[np.nan, np.nan]]}, ("AP",)))
    assert lone.splitlines()[2:4] == ["| a | 1 | 0.5000 |", "| b | 0 |  |"]
    assert "over the topics with a score." in lone
    assert "bold" not in lone


@pytest.mark.parametrize("form", ["markdown", "latex", "text"])
def test_as_table_when_a_leaderboard_then_what_differs_from_the_baseline_is_marked(form):
    result = BOARD(read_once(*SAMPLE), ["AP", "nDCG@10"], BOARD.params(baseline="delta-td"))
    text = as_table(result, form)
    cells = text.partition("Means over")[0].replace("▲▲", "A").replace("▼▼", "B").split()
    counted = {verdict: np.count_nonzero(result.verdicts == verdict) for verdict in (-2, -1, 1, 2)}
    assert all(counted.values())
    if form == "latex":
        assert text.count(r"$^{\dagger}$") == counted[1] + counted[-1]
        assert text.count(r"$^{\ddagger}$") == counted[2] + counted[-2]
    else:
        assert [sum(cell.endswith(sign) for cell in cells) for sign in "B▼▲A"] == [
            *counted.values()
        ]
    assert "Compared with delta-td: " in text
    assert "also with all 29 pairs with delta-td at once (max-t)." in text
    assert "50 topics" in text
    lines = [line for line in text.splitlines() if "indigo-l" in line]
    assert {"markdown": "**0.3201**", "latex": r"\textbf{0.3201}", "text": "0.3201*"}[
        form
    ] in lines[0]


def test_latex_when_names_are_hostile_then_the_structure_holds():
    names = {name: [[i / 100, 0.5]] for i, name in enumerate(hostile.WORDS)}
    rows = check_latex(as_table(scores_of(names, ("RBP(p=0.95)",)), "latex"))
    assert len(rows) == len(names) + 1


@pytest.mark.parametrize("runs", [PAGE, PAGE + 1, 126])
def test_latex_when_runs_are_many_then_all_are_there_over_several_pages(runs):
    grades = {str(t): {"a": 1, "b": 0} for t in range(12)}
    lists = {
        f"r_{n}": {str(t): ["a", "b"] if t * 7 % 12 < n % 13 else ["b", "a"] for t in range(12)}
        for n in range(runs)
    }
    text = as_table(
        BOARD(collection(grades, lists), ["AP", "P@5"], BOARD.params(baseline="r_6")),
        "latex",
        name="mine",
    )
    rows = check_latex(text)
    assert len(rows) == runs + 1
    assert r"\label{tab:mine}" in text
    assert ("longtable" in text) == (runs > PAGE)
    # on every page of a longtable, and not once more below
    head, _, first = text.partition("\\toprule")[2].partition("\\midrule\n")
    assert (head.count("\\\\\n"), first.startswith("\\endhead\n\\bottomrule\n\\endfoot\nr\\_")) == (
        1,
        runs > PAGE,
    )
    assert "\\midrule" not in first


def test_text_when_columns_are_wider_than_the_terminal_then_they_go_on_below_beside_the_names():
    measures = ("AP", "nDCG@10", "P@10", "RR", "Bpref", "RBP(p=0.95)")
    scores = irmeval.evaluate(read_once(*SAMPLE), measures)
    text = as_table(scores, "text", width=40)
    assert max(map(len, text.rpartition("\n\n")[0].splitlines())) <= 40
    assert text.count("aurora1 ") == text.count("\n\n") > 1
    whole = as_table(scores, "text")
    assert whole.count("aurora1 ") == 1
    styled = as_table(scores, "text", styled=True)
    assert isinstance(styled, terminal.Styled)
    assert re.sub("\x1b\\[2?[12]m", "", styled).count("*") == 0
    assert (
        len(
            {
                line.index("0.")
                for line in whole.splitlines()[1:]
                if line.startswith(("aurora", "lumen"))
            }
        )
        == 1
    )


def test_text_when_names_control_a_terminal_then_they_are_escaped():
    text = as_table(
        scores_of({"a\x1b[31m\u202e": [[0.5]], "b": [[0.25]]}, ("AP",)), "text", styled=True
    )
    assert "\x1b[31m" not in text
    assert "\u202e" not in text


def test_as_table_when_judges_are_compared_then_a_pair_is_a_row():
    judges = irmeval.read_judges(
        SAMPLE[0], {"B": "simulated:lenient,.2,1", "C": "simulated:strict,.2,1"}, name="A"
    )
    result = EXPERIMENTS["judges"](judges)
    lines = as_table(result).splitlines()
    assert [line.split(" | ")[:3] for line in lines[2:5]] == [
        ["| A", "B", "35979"],
        ["| A", "C", "35979"],
        ["| B", "C", "35979"],
    ]
    assert len(check_latex(as_table(result, "latex"))) == 4
    assert result.by_pair().shape == (3, 2 + result.pooled.shape[1])


def test_as_table_when_it_cannot_be_then_says_why():
    scores = scores_of({"a": [[0.5]]}, ("AP",))
    with pytest.raises(ParamError, match="markdown"):
        as_table(scores, "html")
    with pytest.raises(ParamError, match="leaderboard, matrix or judges"):
        as_table(EXPERIMENTS["top-heaviness"](measures=["AP"]))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_as_table_when_for_programs_then_a_column_per_measure_in_full(form):
    scores = irmeval.evaluate(read_once(*SAMPLE), ["AP", "NumRelRet"])
    assert as_table(scores, form) == FORMATS[form](wide.frame_of(scores))
    if form == "json":
        row = json.loads(as_table(scores, form))[0]
        assert row == {
            "run": "aurora1",
            "topics": 50,
            "AP": scores.means[0, 0],
            "NumRelRet": 1840.0,
        }


def test_frame_when_wide_then_a_row_per_run_and_topic():
    scores = irmeval.evaluate(read_once(*SAMPLE), ["AP", "RR"])
    frame = scores.to_frame(wide=True)
    assert list(frame) == ["run", "topic", "AP", "RR"]
    assert (
        frame.set_index(["run", "topic"]).loc[("lumen", "903"), "RR"]
        == scores.values[1, scores.runs.index("lumen"), 2]
    )


SHAPES = [
    ("markdown", (), True),
    ("latex", (), True),
    ("csv", (), False),
    ("json", (), False),
    ("text", ("--long",), False),
    ("csv", ("--wide",), True),
]


@pytest.mark.parametrize(("form", "more", "is_wide"), SHAPES)
@pytest.mark.parametrize("command", ["evaluate", "leaderboard"])
def test_command_when_a_form_is_asked_for_then_a_run_or_an_observation_is_a_row(
    command, form, more, is_wide, tiny, run_command
):
    table = re.sub(
        r"Means over.*",
        "",
        run_command(command, *tiny, "-m", "AP", "-m", "P@5", "--format", form, *more).out,
    )
    rows = [line for line in table.splitlines() if re.search(r"\bideal\b", line)]
    assert len(rows) == (1 if is_wide else 2)
    assert ("measure" in table) != is_wide


def test_evaluate_when_topics_are_asked_for_and_wide_then_a_row_per_topic_and_the_sums_are_whole(
    tiny, run_command
):
    lines = run_command(
        "evaluate", *tiny, "-m", "AP", "-m", "NumRelRet", "--per-topic", "--format", "markdown"
    ).out.splitlines()
    assert lines[0] == "| run | topic | AP | NumRelRet |"
    assert re.search(r"\| ideal \| all \| [\d.]+ \| \d+ \|", "\n".join(lines))


@pytest.mark.parametrize("output", [False, True])
def test_evaluate_when_on_a_terminal_then_a_table_for_people_and_csv_into_a_file(
    output, tiny, run_command, monkeypatch, tmp_path
):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    shown = run_command(
        "evaluate", *tiny, "-m", "AP", *(["-o", tmp_path / "x.csv"] if output else [])
    ).out
    if output:
        assert (tmp_path / "x.csv").read_text().startswith("run,measure,topic,score\n")
    else:
        assert shown.startswith("run ")
        assert "the best of each measure with *" in shown
