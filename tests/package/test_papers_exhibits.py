"""Exhibits of the source papers made again on the sample: every one is there, on paper
and on disk.
"""

import json
import re

import numpy as np
import pytest

from irmeval import IrmevalError, measure
from irmeval.experiments import EXPERIMENTS
from irmeval.experiments.results import table_named
from irmeval.papers import PAPERS, resampled
from irmeval.papers.base import charts_of, measures_of, printed_of, remake, tables_of
from irmeval.papers.findings import statistic
from irmeval.report.paper_folder import write
from irmeval.report.printed import html, latex, markdown
from irmeval.scoring.selection import Selection, select
from tests.cases import SAMPLE, read_once

pytestmark = pytest.mark.usefixtures("files_read_once")
EXHIBITS = [(paper, exhibit) for paper in PAPERS.values() for exhibit in paper.exhibits]


@pytest.fixture(scope="module")
def some():
    return select(read_once(*SAMPLE), Selection(topics_only="901-920", random_runs=6)).collection


@pytest.fixture(scope="module")
def remade(some):
    """The result of an exhibit on these, made once."""
    results = {}

    def of(paper, exhibit):
        key = paper.name, exhibit.label
        if key not in results:
            results[key] = remake(paper, exhibit, some)
        return results[key]

    return of


@pytest.mark.parametrize(
    ("paper", "exhibit"), EXHIBITS, ids=[f"{p.name} {e.label}" for p, e in EXHIBITS]
)
def test_exhibit_when_made_then_has_the_charts_and_tables_that_it_names(
    some, remade, paper, exhibit
):
    result = remade(paper, exhibit)
    charts, tables = charts_of(exhibit, result), tables_of(exhibit, result)
    assert {chart.name for chart in charts} >= set(exhibit.charts)
    assert {table.name for table in tables} >= set(exhibit.tables)
    assert charts or tables
    assert all(chart.draw().data for chart in charts)
    assert all(len(table.make()) for table in tables)
    if EXPERIMENTS[exhibit.experiment].measured and EXPERIMENTS[exhibit.experiment].data:
        assert set(result.measures) <= set(measures_of(paper, exhibit, some))
    made = printed_of(paper, exhibit, result)
    assert [table.label for table in made] == [layout.label for layout in exhibit.layouts]
    assert {layout.table for layout in exhibit.layouts} <= {table.name for table in tables}
    for table, layout in zip(made, exhibit.layouts, strict=True):
        assert all(len(line) == len(table.head) for _, lines in table.parts for line in lines)
        assert any(
            cell.text for _, lines in table.parts for line in lines for cell in line[table.words :]
        )
        assert {layout.rows, layout.across, layout.apart, *layout.where} - {""} <= set(
            columns := columns_of(result, layout)
        )
        assert {column.name for column in layout.columns} <= set(columns)
        for name in {
            *layout.only,
            *layout.over,
            *layout.bold,
            *(m for part in layout.parts.values() for m in part),
        }:
            assert name == written(name)
        balanced(latex(table, "name"))


def columns_of(result, layout):
    return table_named(result, layout.table).make().columns


def written(name):
    """A measure as irmeval writes it; whatever is none as it is."""
    try:
        return str(measure(name))
    except IrmevalError:
        return name


def balanced(text):
    """LaTeX with as many braces and environments opened as closed, and as many cells in
    each row.
    """
    bare = re.sub(r"\\[\\{}&]", "", text)
    assert bare.count("{") == bare.count("}")
    assert re.findall(r"\\begin{(\w+)}", text) == re.findall(r"\\end{(\w+)}", text)[::-1]
    rows = [
        line
        for line in text.split("\n")
        if line.endswith(r"\\") and not line.startswith((r"\multicolumn", r"\label"))
    ]
    assert len({row.replace(r"\&", "").count("&") for row in rows}) == 1
    assert not re.search(r"(?<!\\)[_#%]", text.replace(r"\%", ""))


def test_table_when_printed_then_it_has_the_papers_names_parts_digits_and_bold_cells(remade):
    paper = PAPERS["sakai-2007-reliability"]
    exhibits = {exhibit.label: exhibit for exhibit in paper.exhibits}
    swapped = remade(paper, exhibits["Tables 2-4"])
    [table] = printed_of(paper, exhibits["Tables 2-4"], swapped)
    assert table.head == ("metric", "irmeval", "(i)", "(ii)", "(iii)", "(iv)")
    (binary, first), (graded, second) = table.parts
    assert (binary, len(first), graded, len(second)) == (
        "(a) Binary relevance",
        10,
        "(b) Graded relevance",
        14,
    )
    shares = [float(line[-1].text.rstrip("%")) for line in first]
    assert shares == sorted(shares, reverse=True)
    assert ("Rigid-AveP", "AP(rel=2)") in [(line[0].text, line[1].text) for line in first]
    agreement = remade(paper, exhibits["Tables 5-11"])
    taus = {table.label: table for table in printed_of(paper, exhibits["Tables 5-11"], agreement)}
    assert taus["Table 8"].head == (
        "metric",
        "irmeval",
        "nDCG_100",
        "nDCG_1000",
        "AnDCG_10",
        "AnDCG_100",
        "AnDCG_1000",
    )
    lines = taus["Table 8"].parts[0][1]
    # a pair stands once
    assert [sum(not cell.text for cell in line) for line in lines] == [0, 1, 2, 3, 4]
    cells = [cell for line in lines for cell in line[2:] if cell.text]
    assert {cell.bold for cell in cells} == {True, False}
    assert all(cell.bold == (float(cell.text) > 0.9) for cell in cells)
    q = next(line for line in taus["Table 5"].parts[0][1] if line[1].text == "Q")
    assert q[2].text == f"{agreement.values[0, 10]:.4f}"
    assert "**" in markdown(taus["Table 8"])
    assert "<b>" in html(taus["Table 8"])
    assert r"\textbf{" in latex(taus["Table 8"], "x")
    parted = taus["Table 8"]._replace(label="Table 8, relaxed", caption="Taus.")
    assert r"\caption{After Table 8 of P (relaxed). Taus.}" in latex(parted, "x", "P")


@pytest.fixture(scope="module")
def bundle(some, tmp_path_factory):
    """A folder with a paper, the names of its files, and the steps that were told."""
    folder, steps = tmp_path_factory.mktemp("bundle") / "made", []
    names, _ = write(
        PAPERS["sakai-2007-bpref"],
        some,
        folder,
        progress=lambda done, total: steps.append((done, total)),
    )
    return folder, names, steps


def test_files_when_written_then_manifest_and_page_name_every_one_and_need_no_network(
    some, bundle, remade
):
    paper, (folder, names, steps) = PAPERS["sakai-2007-bpref"], bundle
    assert steps[-1] == (7, 7)
    assert set(names) == {path.name for path in folder.iterdir()}
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["collection"] == some.fingerprint
    assert manifest["runs"] == list(some.runs)
    assert [one["label"] for one in manifest["exhibits"]] == [one.label for one in paper.exhibits]
    assert manifest["exhibits"][1]["parameters"]["levels"] == [100, 90, 70, 50, 30, 10]
    page = (folder / "index.html").read_text()
    assert all(f'href="{name}"' in page for one in manifest["exhibits"] for name in one["files"])
    texts = [path.read_text() for path in sorted(folder.glob("0*.tex"))]
    labels = [label for text in texts for label in re.findall(r"\\label{(.*)}", text)]
    assert len(set(labels)) == len(labels) == len(texts) == 4
    article = (folder / "tables.tex").read_text()
    assert re.findall(r"\\input{(.*)}", article) == [
        name for one in manifest["exhibits"] for name in one["files"] if name.endswith("tex")
    ]
    assert all(f"<h2 id={place}>" in page for place in re.findall(r'href="#([^"]*)"', page))
    assert re.findall(r'src="([^"]*)"', page) == ["plotly.min.js"]
    summary = remade(paper, paper.exhibits[1]).summary()
    written = (folder / "02-figs-1-2-summary.csv").read_text().splitlines()
    assert written[0] == ",".join(summary.columns)
    assert float(written[1].split(",")[3]) == summary["mean"][0]


def test_figures_when_written_then_each_is_there_as_svg_too(bundle):
    folder, names, _ = bundle
    drawn = {name.removesuffix(".svg") for name in names if name.endswith(".svg")}
    assert drawn == {name.removesuffix(".html") for name in names[1:] if name.endswith(".html")}
    assert all((folder / f"{name}.svg").read_text().startswith("<svg xmlns") for name in drawn)


def test_files_when_written_again_then_tables_and_figures_are_the_same_bytes(
    some, bundle, tmp_path
):
    folder, names, _ = bundle
    assert write(PAPERS["sakai-2007-bpref"], some, tmp_path)[0] == names
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes(), name


@pytest.mark.parametrize(
    ("paper", "exhibit"), EXHIBITS, ids=[f"{p.name} {e.label}" for p, e in EXHIBITS]
)
def test_result_when_made_again_on_its_own_topics_then_statistics_are_the_same(
    remade, paper, exhibit
):
    result = remade(paper, exhibit)
    if type(result) not in resampled.ON_TOPICS:
        return
    of_kind, _ = resampled.ON_TOPICS[type(result)]
    of = (
        result.tested[0].scores
        if hasattr(result, "tested")
        else getattr(result, "scores", result).values
    )
    same = of_kind(result, result.measures, np.ones(of.shape[-1]))
    for finding in paper.findings.values():
        if finding.exhibit == exhibit.label:
            with np.errstate(divide="ignore", invalid="ignore"):
                values = [statistic(finding.statistic, one) for one in (same, result)]
            np.testing.assert_allclose(*values, rtol=1e-12)
