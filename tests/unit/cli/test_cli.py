"""The command line, in a process of its own where exit status and streams matter."""

import json
import re

import pytest

import irmeval
from irmeval.cli.program import parse
from irmeval.core.folders import SAMPLE
from irmeval.core.tables import FORMATS
from irmeval.scoring.selection import Selection, select
from tests import cases
from tests.cases import rows


def test_evaluate_when_run_then_prints_means_and_topics(printed, tiny):
    scores = irmeval.evaluate(irmeval.read_collection(*tiny), ["AP", "nDCG@10"])
    found = rows(printed("evaluate", *tiny, "-m", "map", "-m", "ndcg_cut_10", "--per-topic"))
    assert list(found[0]) == ["run", "measure", "topic", "score"]
    means = {(r["run"], r["measure"]): float(r["score"]) for r in found if r["topic"] == "all"}
    assert means == {
        (run, str(m)): scores.means[i, j]
        for i, m in enumerate(scores.measures)
        for j, run in enumerate(scores.runs)
    }
    topics = {
        (r["run"], r["measure"], r["topic"]): r["score"] for r in found if r["topic"] != "all"
    }
    assert len(topics) == 2 * 3 * 4
    assert topics["ideal", "AP", "3"] == ""
    assert float(topics["example", "AP", "1"]) == pytest.approx(0.357143, abs=1e-6)


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "latex"])
def test_evaluate_when_a_format_is_asked_for_then_every_run_is_in_it(printed, tiny, form):
    text = printed("evaluate", *tiny, "-m", "AP", "--format", form)
    assert all(run in text for run in ("example", "ideal", "short"))
    if form == "json":
        assert {row["topic"] for row in json.loads(text)} == {"all"}


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("x.csv", "csv"),
        ("x.JSON", "json"),
        ("runs/x.md", "markdown"),
        ("x.tex", "latex"),
        ("x.txt", None),
        ("tex", None),
    ],
)
def test_format_when_the_output_has_the_ending_of_one_then_is_that_unless_another_is_typed(
    file, form
):
    for words in (
        ["evaluate", "q", "r"],
        ["curves", "q", "r"],
        ["across", "q", "r"],
        ["rerun", "m"],
        ["metrics"],
    ):
        assert parse([*words, "-o", file]).format == (form or parse(words).format)
        assert parse([*words, "-o", file, "--format", "json"]).format == "json"
    assert parse(["check", "q", "r", "-o", file]).format == ("json" if form == "json" else "text")


def test_commands_when_a_run_lacks_topics_then_it_is_said_on_standard_error_and_below_tables(
    run_command, tmp_path
):
    (tmp_path / "qrels").write_text("".join(f"{t} 0 a 1\n" for t in range(6)))
    for run, topics in (("full", 6), ("miss.run", 3)):
        (tmp_path / run).write_text("".join(f"{t} Q0 a 1 1.0 {run}\n" for t in range(topics)))
    said = "miss.run lacks 3 of 6 topics, scored 0 there."
    files = tmp_path / "qrels", tmp_path / "full", tmp_path / "miss.run"
    for command in ("evaluate", "leaderboard", "curves", "matrix", "unjudged"):
        for form in FORMATS:
            out, err = run_command(command, *files, "-m", "AP", "--format", form)
            assert err.splitlines().count(said) == 1
            assert (said in out) == (form in ("markdown", "latex"))


def test_evaluate_when_gains_and_policy_are_given_then_they_act(printed, tiny):
    plain, steep = (
        rows(printed("evaluate", *tiny, "-m", "nDCG", *more))
        for more in ([], ["--gains", "1:1,2:5,3:10"])
    )
    assert plain != steep
    zero = rows(printed("evaluate", *tiny, "-m", "AP", "--empty", "zero"))
    kept = rows(printed("evaluate", *tiny, "-m", "AP"))
    assert float(zero[0]["score"]) == pytest.approx(0.75 * float(kept[0]["score"]))
    named = rows(
        printed(
            "evaluate", *tiny, "-m", "AP", "--profile", "trec_eval 9.0.8", "--average", "judged"
        )
    )
    assert named == zero


def test_reduce_when_run_then_the_file_is_the_reduced_qrels(printed, tiny, tmp_path):
    out = tmp_path / "reduced"
    assert printed("reduce", tiny[0], "--rate", "10", "--seed", "3", "-o", out) == ""
    grades = irmeval.reduce(irmeval.read_collection(*tiny), rate=10, seed=3)[0]
    again = irmeval.read_collection(out, tiny[1])
    assert again.grade.tolist() == grades.tolist()


def test_metrics_when_listed_then_all_are_there(printed):
    assert [row["metric"] for row in rows(printed("metrics", "--format", "csv"))] == list(
        irmeval.METRICS
    )


@pytest.mark.parametrize(("name", "first"), [("metrics", "metric"), ("formats", "file")])
def test_lists_when_on_a_terminal_then_are_aligned_columns_without_markdown(
    monkeypatch, run_command, name, first
):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "70")
    head, *lines = run_command(name).out.splitlines()
    blocks = [line for line in lines if line.startswith(f"{first} ")]
    assert head.startswith(f"{first} ")
    assert len(blocks) > 1
    assert not [line for line in lines if "|" in line or "\\" in line]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "APP"], "irmeval: unknown metric 'APP'; nearest: AP"),
        (["-m", "P"], "irmeval: P needs its cut-off k, as in P@10."),
        (["-m", "AP", "--depth", "0"], "irmeval: depth: expected a value from 1"),
        (["-m", "AP", "--gains", "1:x"], "irmeval: gains: expected grade:gain"),
    ],
)
def test_evaluate_when_asked_for_what_there_is_not_then_one_line_and_exit_2(
    run_command, tiny, arguments, message
):
    said = run_command("evaluate", *tiny, *arguments, status=2)
    assert said.out == ""
    assert message in said.err
    assert "Traceback" not in said.err


@pytest.mark.usefixtures("files_read_once")
def test_selection_when_its_flags_are_given_then_only_those_runs_and_topics_are_scored(
    tmp_path, run_command
):
    (tmp_path / "teams.csv").write_text("run,team\nlumen,aurora\n")
    flags = (
        "-m AP --per-topic --topics-only 901-903 --per-team best --least 95 --depth 500 --team-list"
    )
    said = run_command("evaluate", *cases.SAMPLE, *flags.split(), tmp_path / "teams.csv")
    rules = Selection(topics_only="901-903", per_team="best", least=95)
    expected = select(cases.read_once(*cases.SAMPLE, depth=500), rules, {"lumen": "aurora"})
    found = rows(said.out)
    assert {r["run"] for r in found} == set(expected.collection.runs)
    assert {r["topic"] for r in found} == {"901", "902", "903", "all"}
    assert "left out juniper2: retrieved less than 95% of what could be retrieved\n" in said.err
    assert said.err.count("left out") == (~expected.table["kept"]).sum()


@pytest.mark.parametrize(
    "flag",
    [
        ("--least", "x"),
        ("--topics-only", "77-78"),
        ("--top-runs", "1.5"),
        ("--team-list", "none.csv"),
    ],
)
def test_selection_when_it_cannot_be_then_one_line_and_status_2(flag, tiny, run_command):
    assert run_command("evaluate", *tiny, "-m", "AP", *flag, status=2).err.count("\n") == 1


def test_command_when_files_are_read_on_a_terminal_then_counts_them(monkeypatch, run_command):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    told = run_command("evaluate", SAMPLE / "qrels.txt.gz", SAMPLE / "runs", "-m", "AP").err
    # where it takes longer, the time left stands behind
    assert re.search(r"\r29 of 30[^\r]*\r30 of 30 *\n30 runs", told)


def test_size_when_other_collections_are_named_then_their_variance_is_pooled(printed, tiny):
    qrels, runs = tiny
    own, pooled = (
        rows(printed("topics-needed", qrels, runs, "-m", "AP", *more, "--table", "variance"))[0]
        for more in ((), ("--pool", qrels, runs))
    )
    assert (float(pooled["variance"]), int(pooled["df"])) == (
        pytest.approx(float(own["variance"]), rel=1e-5),
        2 * int(own["df"]),
    )
    told = f"AP {own['variance']} {own['df']}"
    by_hand = rows(
        printed(
            "topics-needed", qrels, runs, "-m", "AP", "--pooled-with", told, "--table", "variance"
        )
    )[0]
    assert int(by_hand["df"]) == 2 * int(own["df"])


def test_judgments_needed_when_the_file_is_judged_and_comes_back_then_it_is_a_sample_of_the_pool(
    printed, tiny, tmp_path
):
    qrels, runs = tiny
    printed(
        "judgments-needed",
        qrels,
        runs,
        "-m",
        "P@3",
        "--half-width",
        "0.3",
        "--format",
        "trec",
        "-o",
        plan := tmp_path / "plan.txt",
    )
    truth = {
        (topic, document): grade
        for topic, _, document, grade in map(str.split, qrels.read_text().splitlines())
    }
    lines = [line.split() for line in plan.read_text().splitlines()]
    assert sorted((topic, document) for topic, _, document, *_ in lines) == sorted(truth)
    assert {grade for *_, grade in lines} == {"?", "-1"}
    (back := tmp_path / "back.txt").write_text(
        "".join(
            f"{t} 0 {d} {stratum} {truth[t, d] if g == '?' else g}\n"
            for t, _, d, stratum, g in lines
        )
    )
    found = irmeval.read_collection(back, runs)
    assert (
        (found.grade >= 0).sum()
        == sum(g == "?" and int(truth[t, d]) >= 0 for t, _, d, _, g in lines)
        < len(truth)
    )
    of_mean = [
        row
        for row in rows(
            printed("evaluate", back, runs, "--qrels-format", "strata", "-m", "statP@3")
        )
        if row["topic"] == "all"
    ]
    assert [float(row["score"]) for row in of_mean] == irmeval.evaluate(found, "statP@3").means[
        0
    ].tolist()


SORTED = [
    ("evaluate", "--sort P@10", "csv"),
    ("evaluate", "--sort P_10 --wide", "csv"),
    ("evaluate", "--order-by P@10", "text"),
    ("evaluate", "--sort P@10 --per-topic", "csv"),
    ("leaderboard", "--sort P@10", "csv"),
    ("leaderboard", "--sort P@10", "markdown"),
]


@pytest.mark.parametrize(("command", "flags", "form"), SORTED)
def test_command_when_sorted_by_a_measure_then_runs_are_in_the_order_of_their_means(
    command, flags, form, printed
):
    scores = irmeval.evaluate(cases.read_once(*cases.SAMPLE), ["AP", "P@10"])
    best = scores.mean()["P@10"].sort_values(ascending=False, kind="stable")
    words = ("-m", "AP", "-m", "P@10", *flags.split(), "--format", form)
    printed = printed(command, *cases.SAMPLE, *words)
    listed = [run for run in re.findall(r"[\w-]+", printed) if run in best.index]
    assert [*dict.fromkeys(listed)] == [*best.index]


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "latex", "text"])
@pytest.mark.parametrize("command", ["evaluate", "leaderboard", "top-heaviness"])
def test_command_when_digits_are_asked_for_then_no_number_has_more(command, form, printed):
    files = () if command == "top-heaviness" else cases.SAMPLE
    printed = printed(command, *files, "-m", "AP", "--digits", "2", "--format", form)
    decimals = {len(part) for part in re.findall(r"(?<![\w.])\d+\.(\d+)(?![\w.])", printed)}
    assert max(decimals) == 2


def test_command_when_sorted_by_a_column_of_texts_then_from_a_to_z_and_numbers_from_the_highest(
    printed,
):
    words = ("-m", "AP", "-m", "P@10", "--sort")
    rows = printed("evaluate", *cases.SAMPLE, *words, "measure").splitlines()[1:]
    assert [row.split(",")[1] for row in rows] == ["AP"] * 30 + ["P@10"] * 30
    rows = printed("evaluate", *cases.SAMPLE, *words, "score").splitlines()[1:]
    scores = [float(row.split(",")[3]) for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_command_when_sorted_by_what_is_not_there_then_the_nearest_is_named(run_command):
    for command in ("evaluate", "leaderboard"):
        said = run_command(command, *cases.SAMPLE, "-m", "AP", "--sort", "APP", status=2).err
        assert "unknown column 'APP'; nearest: AP" in said
