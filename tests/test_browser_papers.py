"""A paper's pages in a real browser."""

import io
import zipfile
from pathlib import Path

import numpy as np
from playwright.sync_api import expect

from irmeval.papers import PAPERS, remake
from irmeval.selection import Selection, select
from tests.cases import SAMPLE, read_once
from tests.driving import DRAWN, choose, go, plotted, settle

FEW = Selection(topics_only="901-905", random_runs=8)
"""What the whole paper is made of."""


def test_paper_when_an_exhibit_is_picked_then_it_is_drawn_as_the_package_makes_it_and_its_link_restores_it(server, page):
    paper = PAPERS["sakai-2007-bpref"]
    exhibit = paper.exhibits[1]
    page.goto(f"{server}/?measures=AP&rates=100&rates=10&trials=1&topics_only={FEW.topics_only}&random_runs=8")
    page.wait_for_selector(DRAWN)
    settle(page)
    go(page, "Papers", paper.title, f"text={paper.asks}")
    choose(page, "exhibit", exhibit.title)
    chart = "chart-incompleteness-tau"
    shown = plotted(page, chart)
    settle(page)
    expected = remake(paper, exhibit, select(read_once(*SAMPLE), FEW).collection)
    assert set(shown) == {str(m) for m in expected.measures}
    for measure, tau in zip(expected.measures, expected.tau.mean(axis=-1), strict=True):
        np.testing.assert_allclose(shown[str(measure)], tau, rtol=0, atol=1e-12)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    assert set(plotted(page, chart)) == set(shown)
    settle(page)
    assert page.get_by_role("dialog").count() == 0
    page.get_by_text("Whole paper", exact=True).click()
    with page.expect_download() as started:
        page.get_by_role("button", name="The whole paper on this collection, as a zip").click()
    names = zipfile.ZipFile(io.BytesIO(Path(started.value.path()).read_bytes())).namelist()
    assert f"{paper.name}/index.html" in names
    expect(page.get_by_text("Unlike the paper")).to_be_visible()
