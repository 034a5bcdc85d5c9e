"""A comparison of several collections in a report: recipe, command, script and
manifest; a rerun gives the same numbers or says why not.
"""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

import irmeval
from irmeval.core.errors import ParamError, ReadError
from irmeval.core.tables import csv
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.measures.scorecard import Params
from irmeval.experiments.recipe import COLLECTIONS
from irmeval.papers.findings import HOLDS, Outcome
from irmeval.papers.findings_across import compare_findings
from irmeval.papers.on_collections import compare_collections
from irmeval.report import Item, manifest, report
from irmeval.report.items import (
    ReportPlan,
    plan_as_json,
    plan_from_json,
    recipe_as_json,
    recipe_from_json,
    remake,
    source_of,
)
from irmeval.report.manifest import AtHand
from irmeval.scoring.selection import Selection, select
from tests import cases

SMALL = Params(trials=1, sets=10)
MEASURES = ["AP", "P@5"]


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, tuple[str, str]]:
    """Qrels and runs of two small collections, by name."""
    return {
        name: cases.written(tmp_path_factory.mktemp(name), seed)
        for seed, name in enumerate(("first", "second"), 1)
    }


@pytest.fixture(scope="module")
def two(files) -> dict[str, irmeval.Collection]:
    return {name: irmeval.read_collection(*of) for name, of in files.items()}


@pytest.fixture(scope="module")
def compared(two):
    return compare_collections(two, MEASURES, SMALL)


@pytest.fixture
def zipped(compared, tmp_path) -> str:
    (tmp_path / "report.zip").write_bytes(report([compared]).zipped())
    return str(tmp_path / "report.zip")


@pytest.fixture
def workspace(files, tmp_path) -> str:
    made = irmeval.Workspace()
    for name, of in files.items():
        made = made.add(name, *of)
    made.save(tmp_path / "my.irmeval")
    return str(tmp_path / "my.irmeval")


def test_recipe_when_collections_are_compared_then_names_each_by_fingerprint_and_is_read_again(
    compared, two
):
    recipe = compared.recipe()
    assert recipe.source == COLLECTIONS
    assert {name: part.data.fingerprint for name, part in recipe.of} == {
        name: of.fingerprint for name, of in two.items()
    }
    kept = recipe_from_json(json.loads(json.dumps(recipe_as_json(recipe))))
    assert recipe_as_json(kept) == recipe_as_json(recipe)
    assert remake(kept, two).frame().equals(compared.frame())
    plan = plan_as_json(ReportPlan("", "", (Item(recipe),)))
    assert plan_as_json(plan_from_json(plan)) == plan


def test_command_of_recipe_when_run_then_prints_the_same(compared, files, run_command):
    command = shlex.split(compared.recipe().command())
    assert command[:8] == ["python", "-m", "irmeval", "across", "QRELS", "RUNS", "QRELS", "RUNS"]
    printed = run_command(
        "across", *(path for of in files.values() for path in of), *command[8:]
    ).out
    assert [line.split(",")[1:] for line in printed.splitlines()] == [
        line.split(",")[1:] for line in csv(compared.frame()).splitlines()
    ]


def test_command_of_recipe_when_collections_are_chosen_unlike_then_takes_a_workspace(two):
    few = select(two["second"], Selection(top_runs=3)).collection
    recipe = compare_collections(two | {"second": few}, MEASURES, SMALL).recipe()
    assert recipe.command("effects").startswith(
        "python -m irmeval across WORKSPACE -m AP -m P@5 --trials 1 --sets 10 --table effects"
    )
    assert "--top-runs" not in recipe.command()
    both = compare_collections(
        {"first": select(two["first"], Selection(top_runs=3)).collection, "second": few},
        MEASURES,
        SMALL,
    ).recipe()
    assert "--top-runs 3" in both.command()
    twice = select(
        select(two["first"], Selection(topics_only=",".join(two["first"].topics[:7]))).collection,
        Selection(top_runs=3),
    ).collection
    with pytest.raises(ParamError, match="one selection after another"):
        compare_collections({"first": twice, "second": few}, MEASURES, SMALL).recipe().command()


def test_script_of_recipe_when_run_then_prints_the_same(two, files, monkeypatch, capsys):
    few = select(two["second"], Selection(top_runs=3)).collection
    result = compare_collections(two | {"second": few}, MEASURES, SMALL)
    monkeypatch.setattr(sys, "argv", ["again.py", *(path for of in files.values() for path in of)])
    exec(compile(result.recipe().script(), "script", "exec"), {})
    assert capsys.readouterr().out == csv(result.frame())


def test_report_when_collections_are_compared_then_names_them_and_is_made_of_recipes_too(
    compared, two
):
    document = report([compared.recipe()], lambda _: two)
    page = document.html()
    for name, of in two.items():
        assert f"{name} (fingerprint {of.fingerprint[:12]})" in page
        assert f"{name}: qrels" in page
    made = document.files()
    assert made["01-across-observations.csv"] == csv(compared.frame())
    recorded = json.loads(made["manifest.json"])
    assert {*recorded["data"]} == {of.fingerprint for of in two.values()}
    assert "first, second" in made["01-across-summary.tex"]


def test_rerun_when_all_collections_are_at_hand_then_the_same_to_the_bit(
    zipped, workspace, files, run_command
):
    assert run_command("rerun", zipped, workspace).err == "4 tables, identical\n"
    assert (
        run_command("rerun", zipped, *files["second"], "--also", *files["first"]).err
        == "4 tables, identical\n"
    )


def test_commands_and_pages_when_a_run_lacks_a_topic_then_each_names_it_with_its_collection(
    files, tmp_path, run_command
):
    qrels, lacking = files["first"][0], tmp_path / "runs"
    lacks = re.escape(cases.without_a_topic(files["first"][1], lacking))
    asked = "across", qrels, lacking, *files["second"], "-m", "AP", "--trials", 1, "--sets", 10
    printed = run_command(*asked, "--format", "markdown")
    assert re.match(rf"\S+: {lacks}\n", printed.err)
    assert len(re.findall(lacks, printed.out)) == 1
    read = {
        "first": irmeval.read_collection(qrels, lacking),
        "second": irmeval.read_collection(*files["second"]),
    }
    alone = EXPERIMENTS["leaderboard"](read["first"], ["AP"])
    document = report(
        [
            compare_collections(read, ["AP"], SMALL),
            alone,
            EXPERIMENTS["curves"](read["first"], ["AP"], trials=1),
        ]
    )
    assert len(re.findall(f"<p>first: {lacks}</p>", document.html())) == 1
    assert len(re.findall(f"<p>{lacks}</p>", document.html())) == 2
    assert len(re.findall(lacks, document.files()["report.tex"])) >= 3
    (tmp_path / "report.zip").write_bytes(document.zipped())
    told = run_command(
        "rerun", tmp_path / "report.zip", qrels, lacking, "--also", *files["second"]
    ).err
    assert re.fullmatch(rf"first: {lacks}\n{lacks}\n\d+ tables, identical\n", told)


def test_rerun_when_a_collection_is_missing_then_says_which(zipped, files, two, run_command):
    printed = run_command("rerun", zipped, *files["second"], status=1)
    wanted = (
        f"the collection first (fingerprint {two['first'].fingerprint[:12]}) is missing. Give a"
        " workspace that contains it, or its files"
    )
    assert wanted in printed.out
    assert "4 of 4 tables differ" in printed.err


def test_rerun_when_a_collection_of_that_name_is_another_then_says_why_numbers_differ(
    zipped, files, tmp_path, run_command
):
    qrels, runs = files["first"]
    other = tmp_path / "other" / "first.txt"
    other.parent.mkdir()
    lines = Path(qrels).read_text().splitlines(keepends=True)
    other.write_text("".join(lines[:-1]))
    assert (
        "first: Different qrels"
        in run_command("rerun", zipped, *files["second"], "--also", other, runs, status=1).out
    )


def test_remake_when_a_collection_is_missing_then_refused_by_name(compared, two):
    with pytest.raises(ParamError, match=r"^the collection second \(fingerprint "):
        remake(compared.recipe(), {"first": two["first"]})
    with pytest.raises(ParamError, match="expected collections by name, found a collection"):
        remake(compared.recipe(), two["first"])
    with pytest.raises(ParamError, match="expected collections by name, found nothing"):
        source_of(compared.recipe(), None)


def test_findings_when_in_a_report_then_made_again_with_the_teams_of_each(two, monkeypatch):
    def answer_papers(collection, team=None, **_):
        return {
            ("paper", f"of {len(team or ())} listed runs"): Outcome(
                "", HOLDS, 1.0, 0.5, 1.5, "topics", "", 0.01
            )
        }

    monkeypatch.setattr("irmeval.papers.findings_across.answer_papers", answer_papers)
    teams = {name: {"run0": "ours"} for name in two}
    found = compare_findings(two, teams=teams)
    assert (
        found.recipe().command("findings")
        == "python -m irmeval across QRELS RUNS QRELS RUNS --table findings"
    )
    assert found.recipe().command().endswith("--table answers")
    again = remake(recipe_from_json(recipe_as_json(found.recipe())), two)
    assert again.frame().equals(found.frame())
    assert again.matrix()["finding"].tolist() == ["of 1 listed runs"]
    assert [dict(part.team) for _, part in again.recipe().of] == [*teams.values()]
    assert "01-findings-across-answers.csv" in report([found]).files()


def test_rerun_when_a_collection_has_another_name_or_is_unreadable_then_fingerprints_decide(
    zipped, two
):
    def unreadable(_):
        raise ReadError("first.txt", None, "a file", "none")

    at_hand = {
        "first": unreadable,
        "second": lambda _: two["first"],
        "third": lambda _: two["second"],
    }
    rows, _, _ = manifest.rerun(
        manifest.read(zipped),
        AtHand(collections={name: AtHand(read) for name, read in at_hand.items()}),
    )
    assert [row.same for row in rows] == [True] * 4
