"""A report of every experiment: its page, its files, and a manifest by which all
numbers come again.
"""

import html
import json
import re
import zipfile
from dataclasses import asdict

import pytest

import irmeval
from irmeval.core.tables import FORMATS
from irmeval.experiments import EXPERIMENTS
from irmeval.reading.policy import Policy
from irmeval.report import Item, manifest, report
from irmeval.report.items import ReportPlan, plan_as_json, plan_from_json
from tests.cases import SAMPLE, read_once
from tests.unit.report.test_report import made


@pytest.fixture(scope="module")
def everything():
    """A report of every experiment there is."""
    return report([made(name) for name in EXPERIMENTS], title="All")


@pytest.fixture(scope="module")
def zipped(everything, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.zip"
    path.write_bytes(everything.zipped())
    return path


@pytest.fixture(scope="module")
def files(zipped):
    """The texts in it, by name."""
    with zipfile.ZipFile(zipped) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.fixture(scope="module")
def page(everything):
    return everything.html()


def read(policy):
    return read_once(*SAMPLE, **asdict(policy))


def test_rerun_when_files_are_the_same_then_every_table_of_every_experiment_is_the_same_to_the_bit(
    files, zipped
):
    rows, tables, _ = manifest.rerun(
        manifest.read(zipped), manifest.AtHand(read, {"file": SAMPLE[0]})
    )
    assert not [row for row in rows if not row.same]
    assert (
        {row.table for row in rows}
        == {name for name in files if name.endswith(".csv")}
        == {*tables}
    )
    assert {row.table.split("-", 1)[1].rpartition("-")[0] for row in rows} >= {*EXPERIMENTS}


def test_manifest_when_read_then_it_says_all_that_numbers_rest_on(zipped):
    given = json.loads(zipfile.ZipFile(zipped).read("manifest.json"))
    item = next(item for item in given["items"] if item["recipe"]["experiment"] == "curves")
    assert item["seed"] == item["recipe"]["params"]["seed"] == 1
    assert item["recipe"]["policy"] == asdict(Policy())
    assert item["recipe"]["chosen"][0]["rules"]["random_runs"] == 5
    assert given["measures"]["Q(beta=10)"]["formula"] == irmeval.METRICS["Q"].formula
    assert {*given["versions"]} == {"irmeval", "python", "numpy", "scipy", "pandas"}
    data = given["data"][item["recipe"]["data"]["fingerprint"]]
    assert data["qrels"] == read_once(*SAMPLE).digests[0]
    assert len(data["runs"]) == 5
    assert all(len(digest) == 64 for digest in data["runs"].values())


def test_html_when_opened_then_it_asks_for_nothing_and_has_pictures_where_scripts_are_off(
    everything, page
):
    body = page[page.index("<body>") :]
    assert "default-src 'none'" in page
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", body)
    assert (
        body.count("<noscript><svg")
        == body.count('<div class="live">')
        == len(everything.pictures)
        > 40
    )
    assert body.count("<h2") == len(EXPERIMENTS) + 2  # findings, and what it was made with


def test_html_when_opened_then_it_begins_with_the_findings_each_with_a_link_to_its_result(
    everything, page
):
    begin, _, findings = page.partition("<body>")[2].partition('<nav aria-labelledby="findings">')
    listed = re.findall(
        r'<li><a href="#([\w-]+)">([^<]*)</a><br>([^<]+)</li>', findings.partition("</nav>")[0]
    )
    assert begin.endswith("<h1>All</h1>")
    assert [stem for stem, *_ in listed] == [entry.stem for entry in everything.entries]
    for (stem, heading, finding), entry in zip(listed, everything.entries, strict=True):
        assert html.unescape(heading) == entry.item.heading
        assert html.unescape(finding) == entry.result.headline()
        assert f'<h2 id="{stem}">' in page


def test_section_when_judges_were_compared_then_they_are_named_after_its_finding_and_figures(
    everything, page
):
    entry = next(entry for entry in everything.entries if entry.judged and entry.result.charts())
    section = page.partition(f'<h2 id="{entry.stem}">')[2].partition("<h2")[0]
    finding, judges = html.escape(entry.result.headline()), html.escape(entry.judged)
    assert (
        section.index(finding)
        < section.rindex("</figure>")
        < section.index(judges)
        < section.index("<summary>Method")
    )


def test_html_when_a_mean_is_marked_then_its_letters_are_raised_as_in_latex(
    everything, files, page
):
    stem = next(
        entry.stem for entry in everything.entries if entry.item.recipe.experiment == "matrix"
    )
    marks = files[f"{stem}-marks.tex"]
    number, letters = re.search(r"(\d\.\d{4})\$\^\{([a-e]+)\}\$", marks).groups()
    assert f"{number}<sup>{letters}</sup>" in page
    for line in (
        "\\toprule",
        "\\midrule",
        "\\bottomrule",
        f"\\label{{tab:{stem}-marks}}",
        "\\caption{Matrix: Means",
    ):
        assert line in marks


def test_plan_when_kept_and_read_then_it_is_the_same_but_for_what_is_not_known(everything):
    recipes = [entry.item.recipe for entry in everything.entries]
    plan = ReportPlan(
        "t", "n", tuple(Item(recipe, f"title {i}", "note") for i, recipe in enumerate(recipes))
    )
    kept = json.loads(json.dumps(plan_as_json(plan)))
    assert len(json.dumps(kept)) < 100_000
    found = plan_from_json(kept)
    assert [plan_as_json(found), len(found.items)] == [plan_as_json(plan), len(EXPERIMENTS)]
    assert found.items[-1].recipe.params == plan.items[-1].recipe.params
    kept["items"][0]["recipe"]["experiment"] = "gone"
    kept["items"][1]["recipe"]["params"] = {"odd": 1}
    kept["items"][2] = {}
    assert len(plan_from_json(kept).items) == len(EXPERIMENTS) - 3


def test_csv_when_a_result_is_in_a_report_then_it_is_what_the_command_prints(everything, files):
    entry = everything.entries[1]
    name, (_, frame) = next(iter(everything.tables[entry.stem].items()))
    assert files[f"{name}.csv"] == FORMATS["csv"](frame)
