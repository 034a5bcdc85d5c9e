"""The source papers made again by the command: a folder of exhibits, and a table of
findings over all papers.
"""

import csv
import json

import numpy as np
import pytest

from irmeval.cli import main
from irmeval.papers import PAPERS
from irmeval.papers import exhibits as paper_exhibits
from irmeval.papers.findings import DIRECTION, hold_together
from irmeval.report import paper_folder
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once, without_a_topic, written
from tests.unit.papers.test_papers import FINDINGS

pytestmark = pytest.mark.usefixtures("files_read_once")

FEW = ("--trials", "1", "--samples", "20")
"""Less work than by default."""


def made(folder, *more, name="sakai-kando-2008"):
    """Exhibits by label, of a paper that was made by the command."""
    main(["paper", name, *map(str, SAMPLE), "--topics-only", "901-906", "-o", str(folder), *more])
    manifest = json.loads((folder / "manifest.json").read_text())
    return manifest, {exhibit["label"]: exhibit for exhibit in manifest["exhibits"]}


def test_exhibits_when_the_paper_chose_other_runs_for_some_then_they_have_those(tmp_path):
    manifest, exhibits = made(tmp_path, "--trials", "2", "--samples", "30")
    teams = select(
        read_once(*SAMPLE), Selection(topics_only="901-906", per_team="random")
    ).collection.runs
    assert len(manifest["runs"]) == 30 != len(teams)
    assert exhibits["Table 3"]["runs"] == exhibits["Fig. 2"]["runs"] == list(teams)
    assert "runs" not in exhibits["Table 6"]
    assert exhibits["Table 6"]["gains"] == "sab"  # the sample has three grades
    decided = exhibits["Figs. 5-6, Tables 4-5"]["parameters"]
    assert (decided["trials"], decided["samples"]) == (2, 30)
    assert "2 samples in place of one" in exhibits["Figs. 3-4"]["differs"]


def test_exhibits_when_as_published_then_there_is_one_sample_and_what_is_asked_for_beyond_it_holds(
    tmp_path,
):
    _, exhibits = made(
        tmp_path, "--as-published", "--seed", "7", "--samples", "30", "--gains", "flat"
    )
    for label in ("Figs. 3-4", "Figs. 7-8, Table 7"):
        assert (exhibits[label]["parameters"]["trials"], exhibits[label]["parameters"]["seed"]) == (
            1,
            7,
        )
        assert exhibits[label]["differs"] == ""
        assert exhibits[label]["gains"] == "flat"


def test_command_when_a_number_is_none_then_it_is_refused_before_anything_is_made(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(
            [
                "paper",
                "bompada-2007",
                *map(str, SAMPLE),
                "-o",
                str(tmp_path / "made"),
                "--trials",
                "many",
            ]
        )
    assert "trials: expected a whole number" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()


def test_command_when_a_run_lacks_a_topic_then_it_is_named_once_and_on_every_page(
    tmp_path, monkeypatch, capsys
):
    qrels, runs = written(tmp_path, 1)
    said = without_a_topic(runs, tmp_path / "lacking")
    monkeypatch.setattr(paper_folder, "make", lambda *asked, **how: iter(()))
    main(["paper", "all", qrels, str(tmp_path / "lacking"), "-o", str(tmp_path / "made")])
    assert capsys.readouterr().err.count(said) == 1
    assert all(
        said in (tmp_path / "made" / paper.name / "index.html").read_text()
        for paper in PAPERS.values()
    )


def test_command_when_the_data_do_not_allow_an_exhibit_then_it_says_so_and_makes_the_others(
    tiny, tmp_path, capsys
):
    qrels, runs = tiny
    main(
        [
            "paper",
            "sakai-kando-2008",
            str(qrels),
            str(runs / "ideal"),
            "-o",
            str(tmp_path / "made"),
            *FEW,
        ]
    )
    assert f"{tmp_path / 'made' / 'index.html'}\n" in capsys.readouterr().out
    by_label = {
        one["label"]: one
        for one in json.loads((tmp_path / "made" / "manifest.json").read_text())["exhibits"]
    }
    assert "at least 2 runs" in by_label["Table 6"]["error"]
    assert by_label["Table 1"]["files"]
    assert "Not available on this collection" in (tmp_path / "made" / "index.html").read_text()


@pytest.mark.parametrize("which", ["nothing relevant", "nothing found"])
@pytest.mark.parametrize("name", PAPERS)
def test_command_when_there_is_nothing_to_find_then_it_still_ends_well(
    nothing, which, name, tmp_path
):
    main(["paper", name, *map(str, nothing[which]), "--depth", "3", "-o", str(tmp_path), *FEW])
    exhibits = {
        one["label"]: one
        for one in json.loads((tmp_path / "manifest.json").read_text())["exhibits"]
    }
    assert len(exhibits) == len(PAPERS[name].exhibits)
    if which == "nothing relevant" and PAPERS[name].selection.top_runs:
        assert (
            "runs as they are: best_by: no topic has a score by AP"
            in (tmp_path / "index.html").read_text()
        )
    assert any(one["files"] for one in exhibits.values())
    if which == "nothing relevant":
        assert any(
            "one of the compared relevance levels, found none" in one.get("error", "")
            for one in exhibits.values()
        )


def test_command_when_teams_are_listed_then_the_collection_counts_them_and_all_parameters_are_noted(
    tiny, tmp_path, capsys
):
    (tmp_path / "t.csv").write_text("run,team\nexample,a\nideal,a\nshort,b\n")
    main(
        [
            "paper",
            "sakai-kando-2008",
            *map(str, tiny),
            "-o",
            str(tmp_path / "made"),
            "--team-list",
            str(tmp_path / "t.csv"),
            "--team-rule",
            "2",
            *FEW,
        ]
    )
    manifest = json.loads((tmp_path / "made" / "manifest.json").read_text())
    table = next(one for one in manifest["exhibits"] if one["label"] == "Table 2")
    assert "3 runs of 2 teams" in table["found"]
    assert table["parameters"] == {"team_rule": "2"}
    assert manifest["selection"]["random_runs"] == 30
    assert "plotly.min.js\n" in capsys.readouterr().out


def test_command_when_it_selects_then_as_the_paper_unless_told_otherwise(
    tmp_path, capsys, monkeypatch
):
    # which runs there are is known before
    monkeypatch.setattr(paper_folder, "make", lambda *asked, **how: iter(()))
    kept = {}
    for name, more in (("paper", []), ("told", ["--least", "0", "--complete", "any"])):
        where = ["-o", str(tmp_path / name), "--topics-only", "901-905", "--depth", "500", *FEW]
        main(["paper", "ahlgren-gronqvist-2008", *map(str, SAMPLE), *where, *more])
        kept[name] = json.loads((tmp_path / name / "manifest.json").read_text())["runs"]
    assert (len(kept["paper"]), len(kept["told"])) == (29, 30)
    assert (
        "left out juniper2: retrieved less than 95% of what could be retrieved"
        in capsys.readouterr().err
    )


def test_command_when_all_papers_are_asked_for_then_a_page_and_a_table_of_findings_are_over_them(
    tmp_path, capsys
):
    few = ["--topics-only", "901-904", "--random-runs", "4", *FEW]
    main(["paper", "all", *map(str, SAMPLE), "-o", str(tmp_path), *few])
    files = {str(path) for path in tmp_path.rglob("*") if path.is_file()}
    assert set(capsys.readouterr().out.split("\n")[:-1]) == files
    rows = list(csv.DictReader((tmp_path / "findings.csv").read_text().splitlines()))
    assert [row["finding"] for row in rows] == [claim for _, claim in FINDINGS]
    assert {row["verdict"] for row in rows} <= {"holds", DIRECTION, "does not", "undecided"}
    for row in rows:
        assert row["here"]
        # one trial each
        assert row["interval"] in (
            {"topics", "one sample", "counted", "definition"} if row["margin"] else {""}
        )
        assert bool(row["why"]) == (row["verdict"] in {DIRECTION, "undecided"})
        assert row["interval"] != "one sample" or row["why"]
        if row["interval"] == "topics" and row["low"]:
            assert float(row["low"]) <= float(row["margin"]) <= float(row["high"])
            signs = {float(row[end]) > 0 for end in ("low", "high")}
            assert bool(row["why"]) == (signs != {float(row["margin"]) > 0}), row
    page = (tmp_path / "index.html").read_text()
    assert "11 of 103 findings follow from definitions" in page
    assert all(f'href="{paper.name}/index.html"' in page for paper in PAPERS.values())
    assert (
        "Findings of the paper, and whether they hold here"
        in (tmp_path / "bompada-2007" / "index.html").read_text()
    )


def test_command_when_verdicts_are_to_hold_together_then_those_of_the_paper_do_and_it_is_said(
    tmp_path, monkeypatch
):
    """Of one paper, whose exhibits and the answers that they give stay the same, and
    are had once.
    """
    exhibits, answers, told, make, answer = (
        [],
        {},
        {},
        paper_folder.make,
        paper_folder.answer_findings,
    )
    monkeypatch.setattr(
        paper_folder,
        "make",
        lambda *asked, **how: exhibits or exhibits.extend(make(*asked, **how)) or exhibits,
    )

    def once(paper, made):
        """Of p's that are known every other one is too high to hold together with so
        many.
        """
        if id(made) not in answers:
            told = answer(paper, made)
            answers[id(made)] = {
                c: a._replace(p=0.09 if i % 2 else 0.5, verdict="holds") if a.p == a.p else a
                for i, (c, a) in enumerate(told.items())
            }
        return answers[id(made)]

    monkeypatch.setattr(paper_folder, "answer_findings", once)
    for verdicts in ("each", "together"):
        few = ["--topics-only", "901-908", "--random-runs", "6", "--verdicts", verdicts, *FEW]
        main(
            [
                "paper",
                "sakai-2007-reliability",
                *map(str, SAMPLE),
                "-o",
                str(tmp_path / verdicts),
                *few,
            ]
        )
        told[verdicts] = list(
            csv.DictReader((tmp_path / verdicts / "findings.csv").read_text().splitlines())
        )
        assert (
            json.loads((tmp_path / verdicts / "manifest.json").read_text())["verdicts"] == verdicts
        )
    p = np.array([float(row["p"] or "nan") for row in told["each"]])
    assert 0 < np.isfinite(p).sum() < len(p)
    assert told["together"] != told["each"]
    assert [row["verdict"] for row in told["together"]] == hold_together(
        [row["verdict"] for row in told["each"]], p
    )
    assert "These verdicts hold together" in (tmp_path / "together" / "index.html").read_text()
    assert "Each verdict is separate" in (tmp_path / "each" / "index.html").read_text()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError()])
def test_command_when_all_papers_are_interrupted_then_every_index_says_what_is_missing(
    tiny, tmp_path, monkeypatch, error
):
    first, second = [*PAPERS.values()][:2]
    exhibits, asked = len(first.exhibits), []
    remake = paper_exhibits.remake

    def interrupted(paper, exhibit, *given, **named):
        asked.append(exhibit.label)
        if len(asked) == exhibits + 2:
            raise error
        return remake(paper, exhibit, *given, **named)

    monkeypatch.setattr(paper_exhibits, "remake", interrupted)
    with pytest.raises((SystemExit, MemoryError)):
        main(["paper", "all", *map(str, tiny), "-o", str(tmp_path), *FEW])
    over, whole, half = (
        (tmp_path / name / "index.html").read_text() for name in ("", first.name, second.name)
    )
    assert f"Not finished. Missing: {', '.join([*PAPERS][1:])}." in over
    assert f'href="{second.name}/index.html"' in over
    assert "Not finished" not in whole
    missing = [exhibit.label for exhibit in second.exhibits][1:]
    assert f"Not finished. Missing: {', '.join(missing)}." in half
    record = json.loads((tmp_path / second.name / "manifest.json").read_text())
    assert (record["missing"], [one["label"] for one in record["exhibits"]]) == (
        missing,
        asked[exhibits : exhibits + 1],
    )
    assert "missing" not in json.loads((tmp_path / first.name / "manifest.json").read_text())


def test_rerun_when_given_the_manifest_of_a_paper_then_tables_come_again_and_a_changed_one_is_named(
    tmp_path, capsys, run_command
):
    manifest, exhibits = made(tmp_path, *FEW, name="ahlgren-gronqvist-2008")
    tables = {
        name for exhibit in exhibits.values() for name in exhibit["files"] if name.endswith(".csv")
    }
    assert {name for item in manifest["items"] for name in item["files"]} == tables
    changed = manifest["items"][-1]["files"]
    changed[max(changed)] = "0" * 64
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    capsys.readouterr()
    printed = run_command("rerun", tmp_path / "manifest.json", *SAMPLE, status=1)
    assert f"1 of {len(tables)} tables differ" in printed.err
    assert [max(changed) in line for line in printed.out.splitlines() if ",False," in line] == [
        True
    ]
