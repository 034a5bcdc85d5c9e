"""A report evaluated by another judge: what its manifest says of the judges, and that a
rerun gives the same numbers.
"""

import json
import zipfile

import pytest

import irmeval
from irmeval import ParamError
from irmeval.cli import main, rerun
from irmeval.report import report
from irmeval.report.items import recipe_as_json, recipe_from_json, remake
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_as_asked, read_once, written
from tests.unit.report.test_report import made, with_judges

SIMULATED = "simulated:of=file,matrix=0.9:0.1:0/0.2:0.7:0.1/0:0.3:0.7,4,"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Qrels and runs of a small collection."""
    return written(tmp_path_factory.mktemp("collection"), 1)


@pytest.fixture(scope="module")
def judged(files, tmp_path_factory):
    """A report evaluated by a judge of a file, who is mapped, beside one who errs on
    what two runs retrieved; and files of the first.
    """
    folder = tmp_path_factory.mktemp("judged")
    qrels = irmeval.simulated(irmeval.read_qrels(files[0]), "noisy", 0.4, 2)
    rows = zip(qrels.topic.tolist(), qrels.documents.to_pylist(), qrels.grade.tolist(), strict=True)
    lines = [f"{qrels.topics[t]} 0 {document} {grade}\n" for t, document, grade in rows]
    (folder / "model.txt").write_text("".join(lines))
    (folder / "other.txt").write_text("".join(lines[:-1]))
    both = read_once(*files).with_judgments(
        "file", folder / "model.txt", map={3: 2}, relevant=2, first="a person"
    )
    biased = both.judged_by("file").with_judgments(
        "biased", SIMULATED.replace("of=file,", "") + ",".join(both.runs[:2])
    )
    chosen = select(biased, Selection(topics_only="2-7", random_runs=4)).collection
    results = [made(name, chosen) for name in ("leaderboard", "systems")] + [
        made("judges", chosen.panel.judges)
    ]
    (folder / "report.zip").write_bytes(report(results).zipped())
    return folder, results


def told(folder, *words):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rerun, "read_runs", read_as_asked)
        try:
            main(
                [
                    "rerun",
                    str(folder / "report.zip"),
                    *map(str, words),
                    "--format",
                    "json",
                    "-o",
                    str(folder / "rows.json"),
                ]
            )
        except SystemExit as error:
            assert error.code == 1
    return json.loads((folder / "rows.json").read_text())


def test_rerun_when_judges_are_of_files_mapped_and_simulated_then_tables_are_the_same_to_the_bit(
    files, judged
):
    folder, _ = judged
    rows = told(folder, *files, "--other", f"file={folder / 'model.txt'}")
    assert rows
    assert not [row for row in rows if not row["same"]]


def test_manifest_when_judges_were_compared_then_it_says_who_they_are_and_who_evaluated(
    files, judged
):
    folder, results = judged
    given = json.loads(zipfile.ZipFile(folder / "report.zip").read("manifest.json"))
    runs = ",".join(read_once(*files).runs[:2])
    digest = irmeval.read_qrels(folder / "model.txt").sha256
    for item in given["items"]:
        panel = item["recipe"]["panel"]
        judges = {judge["name"]: judge for judge in panel["judges"]}
        assert panel["own"] == "a person"
        assert [*judges] == ["file", "a person", "biased"]
        assert judges["file"] == {
            "name": "file",
            "relevant": 2,
            "simulated": "",
            "map": [[3, 2]],
            "sha256": digest,
        }
        assert (judges["biased"]["sha256"], judges["biased"]["relevant"]) == ("", 1)
        assert judges["biased"]["simulated"] == f"{SIMULATED}{runs}"
    assert len(given["items"][2]["recipe"]["panel"]["only"]) == len(results[2].judges.topics) == 6


def test_html_when_another_judge_evaluated_then_it_says_so(judged):
    _, results = judged
    made_of = report(results)
    line = (
        "By the judgments of file (grades 3 as 2; relevant from grade 2); others: a person, biased"
        " (simulated:"
    )
    assert made_of.html().count(f"<p>{line}") == 3
    assert made_of.html().partition("SHA-256 of the files")[2].count("<td>file</td>") == 1
    assert "By the judgments of file" in made_of.files()["report.tex"]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("", "the judgments of file (SHA-256 {digest}) are missing. Give the file with --other"),
        ("other.txt", "the judgments of file differ: "),
        ("gone.txt", "gone.txt"),
    ],
)
def test_rerun_when_a_judge_is_missing_or_another_then_it_is_refused_in_words(
    files, judged, file, why
):
    folder, _ = judged
    rows = told(folder, *files, *(["--other", f"file={folder / file}"] if file else []))
    digest = irmeval.read_qrels(folder / "model.txt").sha256[:12]
    assert all(
        row["why"].startswith("Not available: ") and why.format(digest=digest) in row["why"]
        for row in rows
    )


def test_rerun_when_the_judge_is_none_of_the_report_then_that_is_said(files, judged, capsys):
    folder, _ = judged
    with pytest.raises(SystemExit, match="2"):
        main(
            ["rerun", str(folder / "report.zip"), *files, "--other", f"fil={folder / 'model.txt'}"]
        )
    assert "unknown judge 'fil'; nearest: file" in capsys.readouterr().err


def test_rerun_when_judgments_alone_were_compared_then_runs_are_not_needed(files, judged, tmp_path):
    folder, _ = judged
    judges = irmeval.read_judges(
        files[0],
        {"file": folder / "model.txt", "drawn": "simulated:strict,0.2,3"},
        maps={"file": {3: 1}},
    )
    (tmp_path / "report.zip").write_bytes(
        report([made("judges", judges.led_by(2).within(judges.topics[:5]))]).zipped()
    )
    assert all(
        row["same"] for row in told(tmp_path, files[0], "--other", f"file={folder / 'model.txt'}")
    )
    row, *_ = told(tmp_path, folder / "model.txt", "--other", f"file={folder / 'model.txt'}")
    assert "Different qrels: " in row["why"]


def test_again_when_the_judges_are_others_then_it_is_refused():
    recipe = made("systems").recipe()
    with pytest.raises(
        ParamError, match="expected a collection with the judges .*, found one with qrels"
    ):
        remake(recipe, read_once(*SAMPLE))
    with pytest.raises(ParamError, match="expected judges, found a collection"):
        remake(made("judges").recipe(), read_once(*SAMPLE))
    assert remake(recipe, with_judges()).frame().equals(made("systems").frame())
    assert (
        remake(made("leaderboard").recipe(), with_judges().judged_by("file"))
        .frame()
        .equals(made("leaderboard").frame())
    )


@pytest.mark.parametrize(
    "change",
    [
        {"own": "nobody"},
        {"judges": []},
        {"judges": [{"name": "file"}, {"name": "file"}]},
        {"judges": [{"name": "file", "map": [[1]]}, {"name": "a person"}]},
        {"judges": [{"name": "file", "relevant": 0}, {"name": "a person"}]},
        {"before": -1},
        {"only": 3},
    ],
)
def test_recipe_when_its_judges_are_none_then_it_is_refused(change):
    kept = recipe_as_json(made("systems").recipe())
    with pytest.raises(ParamError, match="expected a recipe as irmeval writes it"):
        recipe_from_json(kept | {"panel": kept["panel"] | change})
